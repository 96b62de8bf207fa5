/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows towards the switches themselves, for management by LID. A switch with endpoints is reached as its first endpoint
 * is. For the others, distances come for many targets at once, and an entry is the lowest slot that leads nearer, which
 * is what hd_dist_row has. Cost: O(switches^2 ports) at worst, in parallel; scratch for TOGETHER targets. */
#include "route/core/switch_rows.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/switch_distance.h"

#include <string.h>

enum { TOGETHER = 512 };

static bool switch_has_endpoints(const struct hd_net *net, uint32_t t)
{
    bool any = false;
    for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) any |= net->head[c] >= net->nsw;
    return any;
}

static void switch_row_nearer(const struct hd_net *net, const uint8_t *dist, uint8_t *row)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        row[v] = HD_SLOT_NONE;
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && dist[v] != HD_FAR && row[v] == HD_SLOT_NONE; c++)
            if (net->head[c] < net->nsw && dist[net->head[c]] + 1u == dist[v]) row[v] = (uint8_t)(c - net->off[v]);
    }
}

/* The rows of n switches without endpoints. */
static hd_status switch_rows_of(struct hd_ctx *ctx, const struct hd_net *net, const uint32_t *target, uint32_t n,
                                uint8_t *rows)
{
    struct hd_arena scratch = {0};
    uint8_t *dist;
    const hd_status s = hd_dist_table(ctx, &scratch, net, target, n, &dist);
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t i = 0; i < (s == HD_OK ? n : 0); i++)
        switch_row_nearer(net, dist + (size_t)i * net->nsw, rows + (size_t)target[i] * net->nsw);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_switch_rows_fill(struct hd_ctx *ctx, const struct hd_routes *r, uint8_t *rows)
{
    const struct hd_net *net = r->net;
    const size_t nsw = net->nsw;
    uint32_t target[TOGETHER], n = 0;
    if (r->switch_table) {
        memcpy(rows, r->switch_table, nsw * nsw);
        return HD_OK;
    }
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t t = 0; t < net->nsw; t++)
        if (switch_has_endpoints(net, t)) hd_routes_switch_row_in(r, t, rows + t * nsw, NULL, NULL);
    for (uint32_t t = 0; t < net->nsw; t++) {
        if (!switch_has_endpoints(net, t)) target[n++] = t;
        if (n < TOGETHER && t + 1 < net->nsw) continue;
        if (n) HD_TRY(switch_rows_of(ctx, net, target, n, rows));
        n = 0;
    }
    return HD_OK;
}

hd_status hd_switch_rows_keep(struct hd_ctx *ctx, struct hd_routes *r)
{
    const size_t nsw = r->net->nsw;
    if (r->switch_table) return HD_OK;
    uint8_t *rows = HD_NEW(&r->arena, uint8_t, nsw * nsw);
    if (!rows) return hd_fail_memory(ctx);
    HD_TRY(hd_switch_rows_fill(ctx, r, rows));
    r->switch_table = rows;
    return HD_OK;
}
