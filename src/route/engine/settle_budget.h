/* SPDX-License-Identifier: BSD-2-Clause */
/* Settling within a given number of VLs: trees grow only where they close no cycle of channel dependencies, and are
 * taken out and grown again as settle_trees.h does without that limit. */
#ifndef HD_ROUTE_ENGINE_SETTLE_BUDGET_H
#define HD_ROUTE_ENGINE_SETTLE_BUDGET_H

#include "load/demand.h"
#include "route/kernel/tree_growth.h"
#include "route/kernel/vl_assign.h"

struct hd_budget_opt {
    enum hd_lanes_mode mode;
    uint32_t beta;     /* in HD_GROWTH_ONE */
    uint32_t passes;   /* over all destinations, at least 2 */
    uint32_t children; /* of a switch in the spanning tree that the first pass reserves */
    uint64_t seed;     /* of the orders of links and destinations */
};

struct hd_budget {
    const struct hd_net *net;
    const struct hd_demand *demand; /* NULL: every pair counts alike */
    struct hd_budget_opt opt;
    struct hd_turn_graph graph;
    struct hd_growth growth;
    struct hd_routes *r;               /* being filled */
    uint32_t *pairs, *turn_pairs;      /* [links], [turns] */
    uint32_t *all, *sources, *weighed; /* [nsw] endpoints that send; to the current destination; room for that */
    uint32_t *flow, *before, *joining; /* [nsw] of a tree: pairs at a switch, neighbours whose are to come, all these */
    uint32_t *order;                   /* [nep] */
    uint32_t *root;                    /* [nsw] switches in the order in which they become roots of spanning trees */
    uint8_t *old_row, *old_lane;       /* [nsw], [nleaf] of the tree that was taken out */
    uint32_t stuck;                    /* destinations that are routed over the reserved tree */
};

/* Room for all of it, in arena; r gives network and leaf switches. */
hd_status hd_budget_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                         const struct hd_demand *demand, uint32_t lanes, struct hd_budget *b);
/* Rows and VLs of r, which has one variant, stored, and no VLs yet. wanted: the routes that there would be without a
 * limit, whose turns the VLs admit first. */
hd_status hd_budget_run(struct hd_ctx *ctx, struct hd_budget *b, const struct hd_budget_opt *opt,
                        const struct hd_routes *wanted, struct hd_routes *r);

#endif
