/* SPDX-License-Identifier: BSD-2-Clause */
/* Where one row leads: the entries towards a destination form a graph with one edge out of every switch, so
 * walking it once from each start and remembering the channels left at every switch met answers for all
 * starts in O(switches). What counts loads and what proves routes both begin with it. */
#ifndef HD_ROUTE_KERNEL_ROW_WALK_H
#define HD_ROUTE_KERNEL_ROW_WALK_H

#include "base/arena.h"
#include "heddle/net.h"

enum { HD_REACH_LOOP = 0xfffd, HD_REACH_DEAD = 0xfffe }; /* instead of hops */

struct hd_reach {
    const struct hd_net *net;
    uint16_t *hops; /* [nsw] channels left to the destination's port, or the above; 0: not met */
    uint32_t nmet;
    uint32_t *met;   /* [nsw] switches met, each after the one it leads to unless they form a loop */
    uint32_t *out;   /* [nsw] channel each takes, UINT32_MAX: it has no entry */
    uint32_t *stack; /* [nsw] */
};

/* Lives in arena. */
hd_status hd_reach_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_reach *r);
/* Nothing is met yet. */
void hd_reach_begin(struct hd_reach *r);
/* Follows row towards a node, nsw + d for endpoint d, from n switches other than it, after those followed since the
 * beginning. */
void hd_reach_follow(struct hd_reach *r, const uint8_t *row, uint32_t target, const uint32_t *from, uint32_t n);

#endif
