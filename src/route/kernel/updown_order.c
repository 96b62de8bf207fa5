/* SPDX-License-Identifier: BSD-2-Clause */
/* Up/down rows over one order of switches: breadth-first from the most central switch of each component. Every row of
 * one order is legal together with every other, so that vl_assign.c can reserve a VL for them in advance and engines
 * can replace single destinations; engine_updown.c, in contrast, routes all destinations together, over several roots,
 * with balanced loads and shorter paths. Cost: O(L channels) to find the centre, L switches with endpoints; O(channels)
 * per row. */
#include "route/kernel/updown_order.h"
#include "base/status.h"
#include "heddle/route.h"
#include "route/core/switch_distance.h"

#include <string.h>

/* ---- the order ------------------------------------------------------------------------------ */

/* Sum of distances to all switches with endpoints, UINT64_MAX for a switch that reaches none. */
static void sum_distances(const struct hd_net *net, uint8_t *dist, uint32_t *queue, uint64_t *sum)
{
    for (uint32_t v = 0; v < net->nsw; v++) sum[v] = UINT64_MAX;
    for (uint32_t t = 0; t < net->nsw; t++) {
        bool leaf = false;
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) leaf |= net->head[c] >= net->nsw;
        uint32_t n = leaf ? hd_dist_from(net, t, dist, queue) : 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = queue[i];
            sum[v] = dist[v] + (sum[v] == UINT64_MAX ? 0 : sum[v]);
        }
    }
}

/* Breadth-first from the most central switch of each part. */
static hd_status find_ranks(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, uint32_t *rank)
{
    uint8_t *dist = HD_NEW(scratch, uint8_t, net->nsw);
    uint32_t *queue = HD_NEW(scratch, uint32_t, net->nsw);
    uint64_t *sum = HD_NEW(scratch, uint64_t, net->nsw);
    if (!dist || !queue || !sum) return hd_fail_memory(ctx);
    sum_distances(net, dist, queue, sum);
    for (uint32_t v = 0; v < net->nsw; v++) rank[v] = UINT32_MAX;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (rank[v] != UINT32_MAX) continue;
        uint32_t root = v, n = hd_dist_from(net, v, dist, queue);
        for (uint32_t i = 1; i < n; i++)
            if (sum[queue[i]] < sum[root] || (sum[queue[i]] == sum[root] && queue[i] < root)) root = queue[i];
        n = hd_dist_from(net, root, dist, queue);
        for (uint32_t i = 0; i < n; i++) rank[queue[i]] = dist[queue[i]];
        if (rank[v] == UINT32_MAX) rank[v] = HD_FAR; /* farther than distances are counted */
    }
    return HD_OK;
}

static hd_status sort_by_rank(struct hd_ctx *ctx, struct hd_arena *scratch, const uint32_t *rank, struct hd_updown *u)
{
    uint32_t nsw = u->net->nsw, most = 0;
    for (uint32_t v = 0; v < nsw; v++)
        if (rank[v] > most) most = rank[v];
    uint32_t *at = HD_NEW(scratch, uint32_t, (size_t)most + 2);
    if (!at) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < nsw; v++) at[rank[v] + 1]++;
    for (uint32_t i = 1; i <= most; i++) at[i] += at[i - 1];
    for (uint32_t v = 0; v < nsw; v++) {
        u->place[v] = at[rank[v]]++;
        u->order[u->place[v]] = v;
    }
    return HD_OK;
}

hd_status hd_updown_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *rank,
                         struct hd_updown *u)
{
    struct hd_arena scratch = {0};
    *u = (struct hd_updown){.net = net};
    uint32_t *found = rank ? NULL : HD_NEW(&scratch, uint32_t, net->nsw);
    bool ok = HD_NEW_U32(arena, net->nsw, &u->place, &u->order, &u->cost, &u->queue);
    hd_status s = ok && (rank || found) ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK && !rank) s = find_ranks(ctx, &scratch, net, found);
    if (s == HD_OK) s = sort_by_rank(ctx, &scratch, rank ? rank : found, u);
    hd_arena_release(&scratch);
    return s;
}

/* ---- a row ---------------------------------------------------------------------------------- */

/* Hops of the switches that reach t by going down only, into cost. */
static void find_down_costs(struct hd_updown *u, uint32_t t)
{
    const struct hd_net *net = u->net;
    uint32_t n = 0;
    memset(u->cost, 0xff, net->nsw * sizeof *u->cost);
    u->cost[t] = 0;
    u->queue[n++] = t;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = u->queue[i];
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t x = net->head[c];
            if (x >= net->nsw || u->place[x] > u->place[v] || u->cost[x] != UINT32_MAX) continue;
            u->cost[x] = u->cost[v] + 1;
            u->queue[n++] = x;
        }
    }
}

/* The best channel of v that goes up (or down) and continues in the least number of hops. */
static uint32_t best_channel(const struct hd_updown *u, uint32_t v, bool up, const uint32_t *load)
{
    const struct hd_net *net = u->net;
    uint32_t best = UINT32_MAX;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t x = net->head[c];
        if (x >= net->nsw || u->cost[x] == UINT32_MAX || hd_updown_up(u, c) != up) continue;
        if (best != UINT32_MAX) {
            uint32_t old = u->cost[net->head[best]];
            if (u->cost[x] > old || (u->cost[x] == old && (!load || load[c] >= load[best]))) continue;
        }
        best = c;
    }
    return best;
}

void hd_updown_row(struct hd_updown *u, uint32_t t, const uint32_t *load, uint8_t *row)
{
    const struct hd_net *net = u->net;
    memset(row, HD_SLOT_NONE, net->nsw);
    find_down_costs(u, t);
    for (uint32_t i = 0; i < net->nsw;
         i++) { /* earlier switches first: their lengths are known when others go up to them */
        uint32_t v = u->order[i];
        if (v == t) continue;
        bool up = u->cost[v] == UINT32_MAX;
        uint32_t c = best_channel(u, v, up, load);
        if (c == UINT32_MAX) continue;
        row[v] = (uint8_t)(c - net->off[v]);
        if (up) u->cost[v] = u->cost[net->head[c]] + 1;
    }
}
