/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours for the edges of a bipartite multigraph, so that no two edges at a vertex share one: as many
 * colours as the largest degree, which is the fewest there can be. */
#ifndef HD_FLOW_BOUND_EDGE_COLOURING_H
#define HD_FLOW_BOUND_EDGE_COLOURING_H

#include "base/arena.h"
#include "heddle/base.h"

struct hd_edges {
    uint32_t nleft, nright, n;
    const uint32_t *u, *v; /* [n] left and right end */
};

/* Fills colour[n]; *ncolours is the largest degree. O(n log(n) log(degree)). */
hd_status hd_edge_colour(struct hd_ctx *ctx, const struct hd_edges *g, uint32_t *colour, uint32_t *ncolours);

#endif
