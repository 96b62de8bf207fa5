/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with the cabling, found by majority from the cables themselves and kept with the network.
 *
 * Trees are read by neighbourhoods and port rules, which survive faults; grids by their shape and port rules. Faults
 * come in the order of what repairing them gains, in cables: a dead switch before a missing cable before a slow one.
 * Nothing is reported where the majority is not clear. Cost: O(sum over cables of the children of a switch). */
#include "base/keyed.h"
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/facts.h"
#include "net/core/labels.h"
#include "net/core/switch_groups.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

uint32_t hd_wiring_at(const struct hd_net *net, uint32_t v, uint32_t port)
{
    uint32_t low = net->off[v], high = net->off[v + 1];
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (net->port[mid] < port)
            low = mid + 1;
        else
            high = mid;
    }
    return low < net->off[v + 1] && net->port[low] == port ? low : HD_NOWHERE;
}

struct hd_plug hd_plug_at(uint32_t v, uint32_t port)
{
    return (struct hd_plug){.node = v, .port = (uint8_t)port};
}

struct hd_plug hd_plug_of(const struct hd_net *net, uint32_t c)
{
    return hd_plug_at(net->tail[c], net->port[c]);
}

hd_status hd_wiring_report(struct hd_wiring *w, const struct hd_cabling_fault *fault)
{
    if (!HD_MORE(w->arena, w->fault, w->nfault, w->fault_room)) return hd_fail_memory(w->ctx);
    w->fault[w->nfault++] = *fault;
    return HD_OK;
}

hd_status hd_wiring_report_dead(struct hd_wiring *w, uint32_t first, uint32_t open)
{
    const uint32_t n = w->nlost - first;
    if (2 * open <= n) {
        w->nlost = first;
        return HD_OK;
    }
    const struct hd_plug none = hd_plug_at(HD_NOWHERE, 0);
    return hd_wiring_report(w, &(struct hd_cabling_fault){.kind = HD_CABLING_DEAD,
                                                          .first = first,
                                                          .n = n,
                                                          .from = w->lost[first].from,
                                                          .to = w->lost[first].to,
                                                          .from2 = none,
                                                          .to2 = none,
                                                          .gain = n});
}

uint32_t hd_name_number(const char *name, uint32_t field, size_t *begin, size_t *end)
{
    uint32_t number = 0;
    *begin = strlen(name);
    for (uint32_t i = 0; i <= field; i++) {
        *end = *begin;
        while (*end > 0 && !isdigit((unsigned char)name[*end - 1])) --*end;
        *begin = *end;
        while (*begin > 0 && isdigit((unsigned char)name[*begin - 1]) && *end - *begin < 9) --*begin;
    }
    for (size_t i = *begin; i < *end; i++) number = number * 10 + (uint32_t)(name[i] - '0');
    return *begin < *end ? number : HD_NOWHERE;
}

/* The digits that the number at `begin` has at least: more than one only where a number in that place begins with 0,
 * in this name or in that of a switch that is called the same up to there. */
static size_t name_least_digits(const struct hd_net *net, const char *name, size_t begin, size_t end)
{
    if (name[begin] == '0') return end - begin;
    for (uint32_t v = 0; v < net->nsw; v++) {
        const char *label = hd_node_label(net, v);
        if (strncmp(label, name, begin) != 0 || label[begin] != '0') continue;
        size_t digits = 1;
        while (isdigit((unsigned char)label[begin + digits])) digits++;
        if (digits > 1) return digits;
    }
    return 1;
}

const char *hd_name_renumbered(struct hd_wiring *w, const char *name, uint32_t field, uint32_t number)
{
    size_t begin, end, size = strlen(name) + 16;
    char *text = HD_NEW(w->keep, char, size);
    hd_name_number(name, field, &begin, &end);
    const size_t digits = name_least_digits(w->net, name, begin, end);
    if (text) snprintf(text, size, "%.*s%0*u%s", (int)begin, name, (int)digits, number, name + end);
    return text;
}

/* By gain, then as people sort the names of the switches. */
static hd_status cabling_sort(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct hd_scored *by = HD_NEW(w->arena, struct hd_scored, w->nfault);
    struct hd_keyed *tie = HD_NEW(w->arena, struct hd_keyed, w->nfault);
    struct hd_cabling_fault *sorted = HD_NEW(w->keep, struct hd_cabling_fault, w->nfault);
    uint32_t *order, *rank;
    if (!HD_NEW_U32(w->arena, (size_t)net->nsw + 1, &order, &rank) || !by || !tie || !sorted)
        return hd_fail_memory(w->ctx);
    HD_TRY(hd_switches_by_label(w->ctx, net, order));
    for (uint32_t i = 0; i < net->nsw; i++) rank[order[i]] = i;
    for (uint32_t i = 0; i < w->nfault; i++) {
        const struct hd_cabling_fault *f = &w->fault[i];
        uint64_t place = f->from.node < net->nsw ? rank[f->from.node] : f->from.node;
        tie[i] = (struct hd_keyed){(uint64_t)f->kind << 60 | place << 8 | f->from.port, i};
    }
    hd_keyed_sort(tie, w->nfault, sizeof *tie);
    for (uint32_t i = 0; i < w->nfault; i++) by[i] = (struct hd_scored){-w->fault[tie[i].value].gain, i};
    hd_scored_sort(by, w->nfault);
    for (uint32_t i = 0; i < w->nfault; i++) {
        sorted[i] = w->fault[tie[by[i].value].value];
        w->out->count[sorted[i].kind]++;
    }
    w->out->fault = sorted;
    w->out->n = w->nfault;
    return HD_OK;
}

/* Whether at most one group is smaller than the others: built in part. A switch that has lost its cables to its group
 * leaves two. */
static bool groups_are_built(const struct hd_grouped_switches *g)
{
    uint32_t most = 0, smaller = 0;
    for (uint32_t k = 0; k < g->n; k++)
        if (g->size[k] > most) most = g->size[k];
    for (uint32_t k = 0; k < g->n; k++) smaller += g->size[k] < most;
    return smaller <= 1;
}

/* Whether it is known which cables between switches there should be. */
static bool cabling_is_judged(const struct hd_wiring *w)
{
    if (w->net->shape.kind != HD_SHAPE_NONE || w->groups || w->groups_compared) return true;
    if (w->grouped && groups_are_built(w->grouped)) return true;
    for (uint32_t i = 0; i < w->nhood; i++)
        if (!w->hood[i].clear) return false;
    return w->tree && w->nhood;
}

static hd_status cabling_read(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    w->wire = HD_NEW(w->arena, uint8_t, (size_t)net->nchan + 1);
    w->uneven = HD_NEW(w->keep, uint32_t, (size_t)net->nsw + 1);
    if (!HD_NEW_U32(w->arena, (size_t)net->nsw + 1, &w->low, &w->high, &w->nlow, &w->nhigh) || !w->wire || !w->uneven)
        return hd_fail_memory(w->ctx);
    HD_TRY(hd_hoods_find(w));
    if (w->tree) hd_port_rules_learn(w);
    HD_TRY(hd_grid_rule_learn(w));
    HD_TRY(hd_tree_cables_find(w));
    HD_TRY(hd_grid_cables_find(w));
    HD_TRY(hd_dead_switches_find(w));
    HD_TRY(hd_shape_cables_find(w));
    HD_TRY(hd_dragonfly_cables_find(w));
    HD_TRY(hd_group_cables_find(w));
    HD_TRY(hd_host_cables_find(w));
    HD_TRY(hd_slow_cables_find(w));
    HD_TRY(cabling_sort(w));
    bool *aside = HD_NEW(w->keep, bool, (size_t)net->nchan + 1);
    if (!aside) return hd_fail_memory(w->ctx);
    for (uint32_t c = 0; c < net->nchan; c++)
        aside[c] = (w->tree || w->grid || w->groups) && w->wire[c] == HD_WIRE_ASIDE;
    w->out->aside = aside;
    w->out->judged = cabling_is_judged(w);
    w->out->lost = w->lost;
    w->out->uneven = w->uneven;
    return HD_OK;
}

static hd_status cabling_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value)
{
    struct hd_arena scratch = {0};
    struct hd_wiring w = {.ctx = ctx, .arena = &scratch, .keep = arena, .net = net, .out = value};
    hd_status s = cabling_read(&w);
    hd_arena_release(&scratch);
    return s;
}

static const struct hd_fact cabling_fact = {sizeof(struct hd_cabling), cabling_make};

hd_status hd_net_cabling(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_cabling **cabling)
{
    const void *value;
    HD_TRY(hd_net_fact(ctx, net, &cabling_fact, &value));
    *cabling = value;
    return HD_OK;
}
