/* SPDX-License-Identifier: BSD-2-Clause */
/* A destination's tree, grown outwards from it inside the turns that a turn graph admits: the nearest switch joins
 * first, over the cheapest channel whose turn closes no cycle. */
#ifndef HD_ROUTE_KERNEL_TREE_GROWTH_H
#define HD_ROUTE_KERNEL_TREE_GROWTH_H

#include "route/kernel/turn_graph.h"
#include "route/kernel/link_heap.h"

enum { HD_GROWTH_ONE = 256 }; /* beta is counted in these */

/* A channel costs hop + ONE pairs[channel] - beta turn_pairs[turn after it]. */
struct hd_growth_cost {
    uint64_t hop;
    const uint32_t *pairs;      /* [links] */
    const uint32_t *turn_pairs; /* [turns] at most the pairs of the first channel; unused with beta 0 */
    uint32_t beta;              /* at most ONE */
    bool eager;                 /* reorder a lane for the cheapest channel; else only where a switch has no other */
};

struct hd_growth {
    struct hd_turn_graph *g;
    uint32_t n, *order;                /* [nsw] switches that joined, the destination's first */
    uint32_t *next;                    /* [nsw] link that a switch takes; UINT32_MAX: none */
    uint64_t *cost;                    /* [nsw] of its path */
    uint8_t *hops;                     /* [nsw] of its path; HD_FAR where it did not join */
    uint16_t *open;                    /* [nsw] lanes in which its path is on trial */
    uint32_t *connected;               /* [nsw] switches that the tree of a switch has to join, itself included */
    bool *joined;                      /* [nsw] scratch */
    uint16_t *fresh;                   /* [v * nlanes + lane] turns of that path that no other destination uses */
    struct hd_link_item *heap, *later; /* [links] candidates that cost less than limit, and those that do not */
    struct hd_link_item *refused;      /* [links] those whose turn goes backwards in every lane */
    uint32_t nheap, nlater, nrefused;
    uint64_t limit;
};

/* Lives in arena. O(channels), once per connected part. */
hd_status hd_growth_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_turn_graph *g, struct hd_growth *w);
/* Grows the tree of switch t; every path goes in one of `lanes` (bits). Turns are on trial afterwards. A switch that no
 * admitted path reaches does not join. O(links log links), plus the searches. */
void hd_growth_run(struct hd_growth *w, uint32_t t, uint32_t lanes, const struct hd_growth_cost *cost);
/* The same along the spanning tree reserved in a lane: joins all that are connected, but where a path is too long. */
void hd_growth_reserved(struct hd_growth *w, uint32_t t, uint32_t lane);

/* The lane in which the path from v needs the fewest turns that are not in use. */
uint32_t hd_growth_lane(const struct hd_growth *w, uint32_t v);
/* Table entries of the tree; that of t itself is left alone, HD_SLOT_NONE where a switch did not join. */
void hd_growth_row(const struct hd_growth *w, uint8_t *row);

#endif
