/* SPDX-License-Identifier: BSD-2-Clause */
/* Intermediate tables that many others can be reached from: up/down rows of one order of switches. A switch that
 * reaches the destination downwards does so in all of them, so no mixture of such rows turns from down to up, and they
 * are safe among themselves (kernel/updown_order.h). Among equal paths the channel with the fewest entries is taken.
 * Cost O(destinations * channels). */
#include "base/status.h"
#include "route/kernel/updown_order.h"
#include "route/transition/transition_plan.h"

/* Ranks from the top level down; NULL where a switch has no level. */
static hd_status detour_levels(struct hd_steps_plan *p, struct hd_arena *a, uint32_t **rank)
{
    uint32_t top = 0;
    *rank = NULL;
    for (uint32_t v = 0; v < p->net->nsw; v++) {
        if (p->net->level[v] == HD_NO_LEVEL) return HD_OK;
        if (p->net->level[v] > top) top = p->net->level[v];
    }
    *rank = HD_NEW(a, uint32_t, p->net->nsw);
    if (!*rank) return hd_fail_memory(p->ctx);
    for (uint32_t v = 0; v < p->net->nsw; v++) (*rank)[v] = top - p->net->level[v];
    return HD_OK;
}

static void detour_row(struct hd_updown *u, uint32_t d, uint32_t *load, uint8_t *row)
{
    const struct hd_net *net = u->net;
    uint32_t home = hd_leaf(net, d);
    hd_updown_row(u, home, load, row);
    for (uint32_t c = net->off[home]; c < net->off[home + 1]; c++)
        if (net->head[c] == net->nsw + d) row[home] = (uint8_t)(c - net->off[home]);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->off[v] + row[v] < net->off[v + 1]) load[net->off[v] + row[v]]++;
}

hd_status hd_plan_detour(struct hd_steps_plan *p, enum hd_plan_detour which, struct hd_routes **table)
{
    struct hd_arena a = {0};
    struct hd_updown u;
    uint32_t *rank = NULL, *load = HD_NEW(&a, uint32_t, p->net->nchan);
    hd_status s = load ? HD_OK : hd_fail_memory(p->ctx);
    *table = NULL;
    if (s == HD_OK && which == HD_DETOUR_LEVELS) s = detour_levels(p, &a, &rank);
    if (s == HD_OK && (rank || which != HD_DETOUR_LEVELS)) {
        s = hd_updown_init(p->ctx, &a, p->net, rank, &u);
        if (s == HD_OK) s = hd_plan_copy(p, p->new, table);
        for (uint32_t d = 0; s == HD_OK && d < p->net->nep; d++)
            for (uint32_t x = 0; x < p->new->nvar; x++) detour_row(&u, d, load, hd_row(*table, d, x));
    }
    hd_arena_release(&a);
    return s;
}
