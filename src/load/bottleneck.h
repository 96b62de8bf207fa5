/* SPDX-License-Identifier: BSD-2-Clause */
/* The bottlenecks of simple flows (struct hd_flows) on cables of one rate, at the price of a few look-ups a
 * flow: the inner loop of the random patterns. Only how full the fullest channel of each flow is comes out;
 * whoever wants to know which one it is walks the paths (loads.h). Endpoint cables carry one flow and are not
 * looked at. Two forms:
 *   tree   routes told by their up ports (hd_tree_form): channels are computed, nothing is stored but a few
 *          bytes an endpoint;
 *   table  a stored table: the path of every (leaf switch, destination) written down once, what they share only
 *   once. */
#ifndef HD_LOAD_BOTTLENECK_H
#define HD_LOAD_BOTTLENECK_H

#include "base/arena.h"
#include "heddle/route.h"
#include "load/flows.h"

struct hd_bottlenecks {
    const void *data;
    /* A thread's own memory, with room for that many flows. */
    hd_status (*scratch)(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_bottlenecks *b, uint32_t max_flows,
                         void **scratch);
    /* most[i]: load of the fullest channel of flow i, 0 where it has no path. */
    void (*run)(const struct hd_bottlenecks *b, void *scratch, const struct hd_flows *f, uint32_t *most);
};

/* *b is NULL where the routes have no such form, or where making it would not pay for that many flows in all. */
hd_status hd_bottlenecks_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, uint64_t flows,
                              struct hd_bottlenecks **b);

hd_status hd_bottlenecks_tree(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                              struct hd_bottlenecks **b);
hd_status hd_bottlenecks_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                               struct hd_bottlenecks **b);

#endif
