/* SPDX-License-Identifier: BSD-2-Clause */
/* Which switches are ASICs of one chassis. */
#ifndef HD_NET_DESCRIBE_CHASSIS_H
#define HD_NET_DESCRIBE_CHASSIS_H

#include "base/arena.h"
#include "heddle/net.h"

/* chassis: [nsw] disjoint sets, of which those of several switches are chassis. Only switches above the leaves have
 * one. blocks: disjoint sets of these, by the cables between them. O(n log n). */
hd_status hd_chassis_find(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, uint32_t levels,
                          uint32_t *blocks, uint32_t *chassis);

#endif
