/* SPDX-License-Identifier: BSD-2-Clause */
/* Betweenness: how much of the traffic between some switches passes through each switch if it is spread evenly over all
 * shortest paths. */
#ifndef HD_ROUTE_KERNEL_BETWEENNESS_H
#define HD_ROUTE_KERNEL_BETWEENNESS_H

#include "route/core/switch_links.h"

/* Of every switch, into score[nsw], among the shortest paths between the switches with end[v] set. Switches on none of
 * these paths have 0. O(ends * links). */
hd_status hd_betweenness(struct hd_ctx *ctx, const struct hd_links *l, const bool *end, double *score);

#endif
