/* SPDX-License-Identifier: BSD-2-Clause */
/* Shortest paths by structure, on what is left of it: D-mod-K's choice among the surviving links of a tree,
 * the lowest dimension first among those of a grid. On intact networks these are D-mod-K and
 * dimension-order routing. What better routes start from. */
#ifndef HD_ROUTE_KERNEL_STRUCTURED_ROUTES_H
#define HD_ROUTE_KERNEL_STRUCTURED_ROUTES_H

#include "route/kernel/shortest_paths.h"

/* Fill the stored rows of r (one variant); the network must have a shape. O(table), in parallel. */
hd_status hd_structured_fill(struct hd_ctx *ctx, const struct hd_shortest *s, struct hd_routes *r);

/* Whether the structure is whole and evenly filled, and a tree not thinner towards the top: no better
 * routes than these are known then. */
bool hd_structured_whole(const struct hd_net *net);

#endif
