/* SPDX-License-Identifier: BSD-2-Clause */
/* How far endpoints are from each other, in cables between switches on shortest paths. */
#ifndef HD_NET_DESCRIBE_DISTANCE_STATS_H
#define HD_NET_DESCRIBE_DISTANCE_STATS_H

#include "heddle/net.h"

struct hd_distances {
    uint32_t diameter; /* largest distance of two endpoints of one component */
    uint64_t sum;      /* of the distances of all ordered pairs of endpoints of one component */
    bool known;        /* false: a search would take too long, and the others are 0 */
};

hd_status hd_net_distances(struct hd_ctx *ctx, const struct hd_net *net, struct hd_distances *out);
/* The same in closed form; false where the network is no whole grid with endpoints on every switch. */
bool hd_grid_distances(const struct hd_net *net, struct hd_distances *out);
/* The same for trees; false where switches or cables are missing or endpoints are above the leaf switches. */
bool hd_tree_distances(const struct hd_net *net, struct hd_distances *out);
/* The same by search alone, whatever the network is; not known if that takes more than so many steps, each of which
 * takes one neighbour of a switch into account. */
#define HD_DISTANCE_STEPS 1500000000u
hd_status hd_search_distances(struct hd_ctx *ctx, const struct hd_net *net, uint64_t steps, struct hd_distances *out);

#endif
