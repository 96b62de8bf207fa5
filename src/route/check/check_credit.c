/* SPDX-License-Identifier: BSD-2-Clause */
/* Collecting what a search for credit loops needs, row by row. In levelled networks a bit per channel suffices as long
 * as no path turns from down to up, so the graph of dependencies, O(channels * ports) bits, is built only for other
 * networks or other routes. */
#include "route/check/check_credit.h"
#include "base/status.h"

static bool connects_adjacent_levels(const struct hd_net *net, uint32_t c)
{
    uint8_t from = net->level[net->tail[c]], to = net->level[net->head[c]];
    if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) return true;
    return from != HD_NO_LEVEL && to != HD_NO_LEVEL && (from + 1 == to || to + 1 == from);
}

hd_status hd_credit_levels(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool **up)
{
    *up = NULL;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (!connects_adjacent_levels(net, c)) return HD_OK;
    bool *is_up = HD_NEW(arena, bool, net->nchan);
    if (!is_up) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++)
        is_up[c] = net->head[c] < net->nsw && net->level[net->head[c]] > net->level[net->tail[c]];
    *up = is_up;
    return HD_OK;
}

hd_status hd_credit_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                         const bool *up, struct hd_credit *k)
{
    *k = (struct hd_credit){.net = net, .up = up, .used = HD_NEW(arena, bool, net->nchan)};
    if (!k->used) return hd_fail_memory(ctx);
    return up ? HD_OK : hd_deps_init(ctx, arena, net, nlanes ? nlanes : 1, false, &k->deps);
}

hd_status hd_credit_ordered(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_credit *pairs,
                            struct hd_credit *out)
{
    const struct hd_net *net = pairs->net;
    HD_TRY(hd_credit_init(ctx, arena, net, 1, NULL, out));
    for (uint32_t c = 0; c < net->nchan; c++) {
        const uint32_t v = net->head[c];
        if (!pairs->used[c] || v >= net->nsw) continue;
        for (uint32_t next = net->off[v]; next < net->off[v + 1]; next++)
            if (pairs->used[next] && (pairs->up[c] || !pairs->up[next]))
                hd_deps_add(&out->deps, c, 0, next - net->off[v]);
    }
    return HD_OK;
}

void hd_credit_row(struct hd_credit *k, const struct hd_reach *reach, const uint8_t *row, uint32_t lane)
{
    for (uint32_t i = 0; i < reach->nmet; i++)
        if (reach->out[i] != UINT32_MAX) hd_credit_add(k, row, reach->out[i], lane);
}

void hd_credit_merge(struct hd_credit *a, const struct hd_credit *b)
{
    for (uint32_t c = 0; c < a->net->nchan; c++) a->used[c] |= b->used[c];
    a->turned |= b->turned;
    if (!a->up) hd_deps_merge(&a->deps, &b->deps);
}
