/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows towards the switches themselves, for management by LID. A switch with endpoints is reached as its first endpoint
 * is, and where that endpoint has no path, through the nearest switch that has one. For the others, distances come for
 * many targets at once, and an entry is the lowest slot that leads nearer, which is what hd_dist_row has.
 * Cost: O(switches^2 ports) at worst, in parallel; scratch for TOGETHER targets, and a row for each thread. */
#include "route/core/switch_rows.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/switch_distance.h"

#include <string.h>

enum { TOGETHER = 512 };

enum row_state { UNSEEN, FOLLOWED, ARRIVES, FAILS };

/* The switch that follows v, UINT32_MAX: none. */
static uint32_t row_next(const struct hd_net *net, const uint8_t *row, uint32_t v)
{
    const uint32_t c = net->off[v] + row[v];
    return c < net->off[v + 1] && net->head[c] < net->nsw ? net->head[c] : UINT32_MAX;
}

/* What becomes of packets from v and from all switches that they pass. */
static void row_follow(const struct hd_net *net, const uint8_t *row, uint32_t v, uint8_t *state)
{
    uint32_t u = v;
    while (u != UINT32_MAX && state[u] == UNSEEN) {
        state[u] = FOLLOWED;
        u = row_next(net, row, u);
    }
    const uint8_t end = u != UINT32_MAX && state[u] == ARRIVES ? ARRIVES : FAILS; /* FOLLOWED: a loop */
    for (u = v; u != UINT32_MAX && state[u] == FOLLOWED; u = row_next(net, row, u)) state[u] = end;
}

/* The first slot of v that leads to a switch whose packets arrive. */
static uint8_t row_way_out(const struct hd_net *net, uint32_t v, const uint8_t *state)
{
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw && state[net->head[c]] == ARRIVES) return (uint8_t)(c - net->off[v]);
    return HD_SLOT_NONE;
}

/* One round over all switches; whether anything changed. */
static bool row_close_some(const struct hd_net *net, uint8_t *row, uint8_t *state)
{
    bool any = false;
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint8_t slot = state[v] == FAILS ? row_way_out(net, v, state) : HD_SLOT_NONE;
        if (slot == HD_SLOT_NONE) continue;
        row[v] = slot;
        state[v] = ARRIVES;
        any = true;
    }
    return any;
}

void hd_switch_row_close(const struct hd_net *net, uint32_t t, uint8_t *row, uint8_t *state)
{
    row[t] = HD_SLOT_NONE;
    if (!memchr(row, HD_SLOT_NONE, t) && !memchr(row + t + 1, HD_SLOT_NONE, net->nsw - t - 1)) return;
    memset(state, UNSEEN, net->nsw);
    state[t] = ARRIVES;
    for (uint32_t v = 0; v < net->nsw; v++) row_follow(net, row, v, state);
    while (row_close_some(net, row, state)) continue;
}

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
    const int threads = hd_threads(ctx);
    uint32_t target[TOGETHER], n = 0;
    struct hd_arena scratch = {0};
    if (r->switch_table) {
        memcpy(rows, r->switch_table, nsw * nsw);
        return HD_OK;
    }
    uint8_t *state = HD_NEW(&scratch, uint8_t, (size_t)threads * nsw);
    if (!state) return hd_fail_memory(ctx);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t t = 0; t < net->nsw; t++)
        if (switch_has_endpoints(net, t))
            hd_routes_switch_row_in(r, t, rows + t * nsw, state + (size_t)hd_thread_id() * nsw, NULL);
    hd_arena_release(&scratch);
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
