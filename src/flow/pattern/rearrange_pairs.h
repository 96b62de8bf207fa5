/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes for one permutation, known in advance, on a tree with enough cables upwards: no channel carries two
 * flows. This is what a routing with global knowledge could do, and the proof that a bound of 1 is met. */
#ifndef HD_FLOW_PATTERN_REARRANGE_PAIRS_H
#define HD_FLOW_PATTERN_REARRANGE_PAIRS_H

#include "base/arena.h"
#include "base/rng.h"
#include "flow/core/rank_map.h"
#include "heddle/net.h"

struct hd_path_list {
    uint32_t n;
    size_t *at;     /* [n + 1] */
    uint32_t *chan; /* path i: chan[at[i]] .. chan[at[i+1]-1], both endpoint cables included */
};

/* HD_INPUT with the reason where the network is no intact tree, or some switch would need more cables
 * upwards than it has. Nobody may send or receive twice. Arrays come from arena.
 * O(flows * levels * log(flows) * log(ports)). */
hd_status hd_route_permutation(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                               const struct hd_flows *flows, struct hd_path_list *paths);

#endif
