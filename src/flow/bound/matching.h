/* SPDX-License-Identifier: BSD-2-Clause */
/* Matchings of a bipartite graph in which vertices may be matched several times and nested groups of
 * them are limited together: most edges, or most weight. */
#ifndef HD_FLOW_BOUND_MATCHING_H
#define HD_FLOW_BOUND_MATCHING_H

#include "base/arena.h"
#include "heddle/base.h"

#define HD_NO_GROUP UINT32_MAX

/* Vertices are nodes 0 .. n-1; nodes n .. nodes-1 are groups of vertices or of other groups. */
struct hd_side {
    uint32_t n, nodes;
    const uint32_t *cap;    /* [nodes] how often the node may be matched, all its members together */
    const uint32_t *parent; /* [nodes] group it is in, HD_NO_GROUP: none. NULL: there are no groups */
};

struct hd_bipartite {
    struct hd_side left, right;
    uint32_t nedge;
    const uint32_t *u, *v;  /* [nedge] left and right end; parallel edges are fine */
    const uint32_t *weight; /* [nedge] NULL: all 1. Only hd_matching_heaviest looks at it */
    uint32_t *used;         /* [nedge] out: how often the edge is matched */
};

/* Largest number of matched edges, counted as often as they are used; the search stops when `enough` is
 * reached. Dinic's algorithm: O(edges * sqrt(vertices)) where all capacities are 1. */
hd_status hd_matching_most(struct hd_ctx *ctx, const struct hd_bipartite *g, uint64_t enough, uint64_t *size);

/* Largest sum of weights. A phase for each distinct gain of an augmenting path, O(edges log vertices) plus
 * a search as above. */
hd_status hd_matching_heaviest(struct hd_ctx *ctx, const struct hd_bipartite *g, uint64_t *weight);

#endif
