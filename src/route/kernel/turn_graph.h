/* SPDX-License-Identifier: BSD-2-Clause */
/* The turns that the trees of destinations use, VL by VL ("lane" below), free of cycles at any time while trees come
 * and go. A turn is a link and the link after it. Each turn counts the destinations that use it in a lane; the last one
 * takes it along. Trees that are being grown hold turns on trial, until it is known which of them are used.
 *
 * A spanning tree of every connected part may be reserved in a lane: all its turns stay until it is released, so that
 * whatever else the lane holds, there is always one path to every destination. */
#ifndef HD_ROUTE_KERNEL_TURN_GRAPH_H
#define HD_ROUTE_KERNEL_TURN_GRAPH_H

#include "route/core/routes.h"
#include "route/kernel/acyclic_order.h"

struct hd_turn_graph {
    const struct hd_routes *r; /* gives network and leaf switches */
    uint32_t nlanes;
    struct hd_acyclic lanes;
    uint32_t *uses[HD_LANES_MOST]; /* [turns] destinations, and 1 where the turn is reserved */
    struct hd_turn_trial {
        uint32_t turn, lane;
    } * trial; /* [maxtrial] turns that came with the tree being grown */
    size_t ntrial, maxtrial;
    bool *reserved[HD_LANES_MOST]; /* [links] of the spanning trees; NULL: none in this lane */
    uint32_t *stamp, pass;         /* [nsw * nlanes] */
};

/* Lanes without turns. Lives in arena: 4 bytes per turn and lane. */
hd_status hd_turn_graph_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, uint32_t nlanes,
                             struct hd_turn_graph *g);
/* No turns in a lane again, but the reserved ones; its order is at first the given one, or as it was (NULL). */
hd_status hd_turn_graph_clear(struct hd_ctx *ctx, struct hd_turn_graph *g, uint32_t lane, const uint32_t *order);
/* Makes a spanning tree the reserved one of a lane, which then has no other turns: breadth-first from the first switch
 * of each connected part in the order given, with at most so many children per switch, more only where that is not
 * enough to reach all. */
hd_status hd_turn_graph_reserve(struct hd_ctx *ctx, struct hd_turn_graph *g, uint32_t lane, const uint32_t *order,
                                uint32_t children);
/* The tree of a lane, if it has one, is no longer reserved: those of its turns stay that are in use. */
void hd_turn_graph_release(struct hd_turn_graph *g, uint32_t lane);

/* Reserves a tree, breadth-first, beside the turns that a lane has: nothing changes if some of its own, *refused, would
 * close a cycle. */
hd_status hd_turn_graph_join(struct hd_ctx *ctx, struct hd_turn_graph *g, uint32_t lane, const uint32_t *order,
                             uint32_t *refused);

/* Lanes out of `lanes` that have the turn from link a into link b, or can take it without a search. */
uint32_t hd_turn_open(const struct hd_turn_graph *g, uint32_t lanes, uint32_t a, uint32_t b);
/* The turn, on trial: false if it closes a cycle in the lane, or if too many are on trial. */
bool hd_turn_hold(struct hd_turn_graph *g, uint32_t lane, uint32_t a, uint32_t b);
/* Trial is over: turns that no tree uses go. */
void hd_turn_settle(struct hd_turn_graph *g);

/* Counts the paths of a destination's tree, or takes them out: row says where they go, lane[i * stride] is the lane of
 * leaf switch i. What is counted must close no cycle: it is on trial, or was there when the others were. O(links of the
 * tree * lanes). */
void hd_turn_graph_count(struct hd_turn_graph *g, const uint8_t *row, const uint8_t *lane, size_t stride);
void hd_turn_graph_remove(struct hd_turn_graph *g, const uint8_t *row, const uint8_t *lane, size_t stride);

#endif
