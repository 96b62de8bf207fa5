/* SPDX-License-Identifier: BSD-2-Clause */
/* Credit loops: which channels the routes use, which channel depends on which, and whether there is a cycle. Rows are
 * added one by one, by each thread to a struct of its own; the merged structs prove or disprove. Where every cable
 * connects adjacent levels no graph is kept at first: if no path ever turns from down to up, the channels are ordered
 * (up by level, then down) and there is no cycle. If one does turn, all rows must be added again, with the graph. */
#ifndef HD_ROUTE_CHECK_CHECK_CREDIT_H
#define HD_ROUTE_CHECK_CHECK_CREDIT_H

#include "route/kernel/channel_deps.h"
#include "route/kernel/row_walk.h"
#include "route/core/routes.h"

struct hd_credit {
    const struct hd_net *net;
    const bool *up;      /* [nchan] towards a higher level; NULL: the graph is kept */
    bool turned;         /* a route went down and then up: the graph is needed after all */
    bool *used;          /* [nchan] */
    struct hd_deps deps; /* when the graph is kept */
};

/* Directions of channels, for a network whose cables connect adjacent levels; *up is NULL for others. */
hd_status hd_credit_levels(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool **up);
hd_status hd_credit_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                         const bool *up, struct hd_credit *k);
/* For routes that were proved by levels: a graph with every dependency that paths over the channels in use can have as
 * long as none turns from down to up, so at least all that they do have, in one VL. O(channels * ports). */
hd_status hd_credit_ordered(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_credit *pairs,
                            struct hd_credit *out);
/* One switch of a row: the channel c that it takes, in this VL, and the next one. */
static inline void hd_credit_add(struct hd_credit *k, const uint8_t *row, uint32_t c, uint32_t lane)
{
    const struct hd_net *net = k->net;
    uint32_t v = net->head[c];
    k->used[c] = true;
    if (v >= net->nsw || net->off[v] + row[v] >= net->off[v + 1]) return;
    if (!k->up)
        hd_deps_add(&k->deps, c, lane, row[v]);
    else if (!k->up[c])
        k->turned |= k->up[net->off[v] + row[v]];
}
/* A row of which all visited switches use one VL. */
void hd_credit_row(struct hd_credit *k, const struct hd_reach *reach, const uint8_t *row, uint32_t lane);
void hd_credit_merge(struct hd_credit *a, const struct hd_credit *b);

#endif
