/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups are the connected components of the switches below the top level, blocks those of the switches above the
 * leaves, both without cables that are faults. A block is a director when its switches say so, by a common system image
 * GUID or a common name before the slash (director-2/L3/U1); else it is a plane. Two levels have neither.
 * Cost: O(cables). */
#include "net/describe/layers.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"

#include <stdio.h>
#include <string.h>

struct layers_range { /* how many switches of a level the components have */
    uint32_t least, most;
};

struct layers_text {
    const struct hd_net *net;
    bool *aside; /* [nchan] faults of the cabling */
    uint32_t top;
    uint32_t *set;   /* [nsw] */
    uint32_t *count; /* [nsw * (top + 1)] by component and level */
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

/* Connected components of the switches of levels low .. high; returns how many, and the ranges of their levels. */
static uint32_t layers_components(struct layers_text *y, uint32_t low, uint32_t high, struct layers_range *range)
{
    const struct hd_net *net = y->net;
    uint32_t n = 0;
    hd_sets_init(y->set, net->nsw);
    memset(y->count, 0, (size_t)net->nsw * (y->top + 1) * sizeof *y->count);
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || y->aside[c] || net->level[v] < low || net->level[u] < low) continue;
            if (net->level[v] <= high && net->level[u] <= high) hd_sets_join(y->set, u, v);
        }
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

/* Whether two switches are named as ASICs of one chassis. */
static bool are_named_alike(const char *a, const char *b)
{
    const char *slash = strchr(a, '/');
    return slash && strncmp(a, b, (size_t)(slash - a) + 1) == 0;
}

/* Whether the components found last are chassis: their switches share a system image GUID or a name with others. */
static bool are_chassis(struct layers_text *y)
{
    const struct hd_net *net = y->net;
    uint32_t all = 0, shared = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t first = hd_sets_find(y->set, v);
        if (net->level[v] < 2 || first == v) continue;
        all++;
        shared +=
            net->system[v] == net->system[first] || are_named_alike(hd_node_name(net, v), hd_node_name(net, first));
    }
    return all && shared * 2 > all;
}

/* Whether groups that no rule describes differ so much in size that cables in the wrong place may have joined them. */
static bool layers_are_doubtful(const struct hd_cabling *cabling, struct layers_range r)
{
    return !cabling->judged && 2 * r.least <= r.most;
}

hd_status hd_layers_text(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, uint32_t levels,
                         char *text, size_t size)
{
    struct layers_text y = {.net = net, .top = levels, .text = text, .size = size};
    struct layers_range range[HD_NO_LEVEL + 1] = {{0}};
    const struct hd_cabling *cabling;
    *text = 0;
    if (net->shape.kind != HD_SHAPE_NONE || levels < 2) return HD_OK;
    HD_TRY(hd_net_cabling(ctx, net, &cabling));
    if (!(y.aside = HD_NEW(scratch, bool, (size_t)net->nchan + 1))) return hd_fail_memory(ctx);
    layers_find_faults(&y, cabling);
    if (!layers_fit(net, y.aside)) return HD_OK;
    if (!(y.set = HD_NEW(scratch, uint32_t, net->nsw))) return hd_fail_memory(ctx);
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
    uint32_t blocks = layers_components(&y, 2, levels, range);
    if (are_chassis(&y)) {
        layers_add(&y, ", %u director%s", blocks, blocks == 1 ? "" : "s");
        layers_add_range(&y, " of ", range[2], "line");
        layers_add_range(&y, " and ", range[levels], "spine ASICs");
    } else {
        layers_add(&y, ", %u plane%s", blocks, blocks == 1 ? "" : "s");
        layers_add_range(&y, " of ", range[2], "level-2 switches");
        layers_add_range(&y, " and ", range[levels], "spines");
    }
    return HD_OK;
}
