/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups are the connected components of the switches below the top level, blocks those of the switches above the
 * leaves, both without cables that are faults. Blocks are directors when most of their switches are ASICs of one
 * chassis (chassis.c), and then what is left of a damaged one is still one director; else they are planes. Two levels
 * have neither. Of blocks alike, one that has fewer spines lacks them. Cost: O(cables + switches log switches). */
#include "net/describe/layers.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "net/describe/alike.h"
#include "net/describe/chassis.h"

#include <stdio.h>
#include <string.h>

struct layers_range { /* how many switches of a level the components have */
    uint32_t least, most;
};

struct layers_text {
    const struct hd_net *net;
    bool *aside; /* [nchan] faults of the cabling */
    uint32_t top;
    uint32_t *set, *chassis; /* [nsw] */
    uint32_t *count;         /* [nsw * (top + 1)] by component and level */
    char *text;
    size_t size;
};

static void layers_set_aside(struct layers_text *y, struct hd_plug at)
{
    const struct hd_net *net = y->net;
    if (at.node >= net->nsw) return;
    for (uint32_t c = net->off[at.node]; c < net->off[at.node + 1]; c++)
        if (net->port[c] == at.port) y->aside[c] = y->aside[net->rev[c]] = true;
}

/* Cables that were set aside, and those that are not where they belong. */
static void layers_find_faults(struct layers_text *y, const struct hd_cabling *cabling)
{
    memcpy(y->aside, cabling->aside, y->net->nchan * sizeof *y->aside);
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        if (f->kind != HD_CABLING_SWAPPED && f->kind != HD_CABLING_WRONG && f->kind != HD_CABLING_EXTRA) continue;
        layers_set_aside(y, f->from);
        layers_set_aside(y, f->to);
        if (f->kind == HD_CABLING_SWAPPED) layers_set_aside(y, f->from2);
    }
}

/* Cables that are faults do not count. */
static bool layers_fit(const struct hd_net *net, const bool *aside)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] == HD_NO_LEVEL || net->level[v] == 0) return false;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (aside[c] || u >= net->nsw || net->unplaced[v]) continue;
            if (net->level[u] != net->level[v] + 1 && net->level[u] + 1 != net->level[v]) return false;
        }
    }
    return true;
}

/* Connected components of the switches of levels low .. high. */
static void layers_connect(struct layers_text *y, uint32_t low, uint32_t high)
{
    const struct hd_net *net = y->net;
    hd_sets_init(y->set, net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || y->aside[c] || net->level[v] < low || net->level[u] < low) continue;
            if (net->level[v] <= high && net->level[u] <= high) hd_sets_join(y->set, u, v);
        }
}

/* How many sets the switches of levels low .. high are in, and the ranges of their levels. */
static uint32_t layers_count(struct layers_text *y, uint32_t low, uint32_t high, struct layers_range *range)
{
    const struct hd_net *net = y->net;
    uint32_t n = 0;
    memset(y->count, 0, (size_t)net->nsw * (y->top + 1) * sizeof *y->count);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] < low || net->level[v] > high) continue;
        y->count[(size_t)hd_sets_find(y->set, v) * (y->top + 1) + net->level[v]]++;
    }
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] < low || net->level[v] > high || hd_sets_find(y->set, v) != v || net->unplaced[v]) continue;
        for (uint32_t l = low; l <= high; l++) {
            uint32_t k = y->count[(size_t)v * (y->top + 1) + l];
            if (n == 0 || k < range[l].least) range[l].least = k;
            if (n == 0 || k > range[l].most) range[l].most = k;
        }
        n++;
    }
    return n;
}

static uint32_t layers_components(struct layers_text *y, uint32_t low, uint32_t high, struct layers_range *range)
{
    layers_connect(y, low, high);
    return layers_count(y, low, high, range);
}

static void layers_add(struct layers_text *y, const char *fmt, ...) HD_PRINTF(2, 3);
static void layers_add(struct layers_text *y, const char *fmt, ...)
{
    size_t n = strlen(y->text);
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(y->text + n, y->size - n, fmt, ap);
    va_end(ap);
}

static void layers_add_range(struct layers_text *y, const char *before, struct layers_range r, const char *what)
{
    if (r.least == r.most)
        layers_add(y, "%s%u %s", before, r.most, what);
    else
        layers_add(y, "%s%u to %u %s", before, r.least, r.most, what);
}

/* Whether the sets are directors: most of their switches are of one chassis with others. They are joined by it then,
 * since a director may have lost the cables between its ASICs. */
static bool layers_are_directors(struct layers_text *y)
{
    const struct hd_net *net = y->net;
    uint32_t all = 0, shared = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint32_t first = hd_sets_find(y->set, v);
        if (net->level[v] < 2 || first == v) continue;
        all++;
        shared += hd_sets_find(y->chassis, v) == hd_sets_find(y->chassis, first);
    }
    if (!all || shared * 2 <= all) return false;
    for (uint32_t v = 0; v < net->nsw; v++) hd_sets_join(y->set, v, hd_sets_find(y->chassis, v));
    return true;
}

/* What layers_count found of a level, in the set of switch v. */
static uint32_t layers_of_set(const struct layers_text *y, uint32_t v, uint32_t level)
{
    return y->count[(size_t)hd_sets_find(y->set, v) * (y->top + 1) + level];
}

static uint32_t layers_cables_up(const struct layers_text *y, uint32_t v)
{
    const struct hd_net *net = y->net;
    uint32_t up = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        up += !y->aside[c] && net->level[net->head[c]] == net->level[v] + 1;
    return up;
}

/* Switches of the level below the top would have as many cables up as those of another block alike. A plane without any
 * spine is cut off: those that it led to may well be present. */
static hd_status layers_count_absent(struct hd_ctx *ctx, struct hd_arena *scratch, const struct layers_text *y,
                                     bool directors, uint32_t *absent)
{
    enum { SPINES, UP, WIDTH };
    const struct hd_net *net = y->net;
    uint32_t *most = HD_NEW(scratch, uint32_t, ((size_t)net->nsw + 1) * WIDTH);
    if (!most) return hd_fail_memory(ctx);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t v = 0; v < net->nsw; v++) {
            if (net->level[v] + 1u != y->top || net->unplaced[v]) continue;
            uint32_t *of = &most[(size_t)layers_of_set(y, v, y->top - 1) * WIDTH];
            const uint32_t spines = layers_of_set(y, v, y->top), up = layers_cables_up(y, v);
            if (turn == 0 && spines > of[SPINES]) of[SPINES] = spines;
            if (turn == 0 && up > of[UP]) of[UP] = up;
            if (turn == 1 && spines < of[SPINES] && (spines || directors))
                *absent += (of[SPINES] - spines) * of[UP] / of[SPINES];
        }
        if (turn == 0 && !hd_most_alike(scratch, most, net->nsw, WIDTH)) return hd_fail_memory(ctx);
    }
    return HD_OK;
}

/* Whether groups that no rule describes differ so much in size that cables in the wrong place may have joined them. */
static bool layers_are_doubtful(const struct hd_cabling *cabling, struct layers_range r)
{
    return !cabling->judged && 2 * r.least <= r.most;
}

hd_status hd_layers_read(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, uint32_t levels,
                         char *text, size_t size, uint32_t *absent)
{
    struct layers_text y = {.net = net, .top = levels, .text = text, .size = size};
    struct layers_range range[HD_NO_LEVEL + 1] = {{0}};
    const struct hd_cabling *cabling;
    *text = 0;
    *absent = 0;
    if (net->shape.kind != HD_SHAPE_NONE || levels < 2) return HD_OK;
    HD_TRY(hd_net_cabling(ctx, net, &cabling));
    if (!(y.aside = HD_NEW(scratch, bool, (size_t)net->nchan + 1))) return hd_fail_memory(ctx);
    layers_find_faults(&y, cabling);
    if (!layers_fit(net, y.aside)) return HD_OK;
    if (!HD_NEW_U32(scratch, net->nsw, &y.set, &y.chassis)) return hd_fail_memory(ctx);
    if (!(y.count = HD_NEW(scratch, uint32_t, (size_t)net->nsw * (levels + 1)))) return hd_fail_memory(ctx);
    uint32_t groups = layers_components(&y, 1, levels - 1, range);
    layers_add(&y, "%u-level fat tree", levels);
    if (levels == 2) {
        uint32_t all = layers_components(&y, 1, 2, range);
        layers_add_range(&y, all > 1 ? ", per component " : ", ", range[1], "leaf switches");
        layers_add_range(&y, " and ", range[2], "spines");
        return HD_OK;
    }
    if (layers_are_doubtful(cabling, range[1])) {
        layers_add(&y, ", irregularly cabled");
        return HD_OK;
    }
    layers_add(&y, ", %u group%s", groups, groups == 1 ? "" : "s");
    layers_add_range(&y, " of ", range[1], "leaf switches");
    layers_connect(&y, 2, levels);
    HD_TRY(hd_chassis_find(ctx, scratch, net, levels, y.set, y.chassis));
    const bool directors = layers_are_directors(&y);
    const uint32_t blocks = layers_count(&y, 2, levels, range);
    layers_add(&y, ", %u %s%s", blocks, directors ? "director" : "plane", blocks == 1 ? "" : "s");
    layers_add_range(&y, " of ", range[2], directors ? "line" : "level-2 switches");
    layers_add_range(&y, " and ", range[levels], directors ? "spine ASICs" : "spines");
    return layers_count_absent(ctx, scratch, &y, directors, absent);
}
