/* SPDX-License-Identifier: BSD-2-Clause */
/* Which switches are connected below a level: the subtrees, or pods, of a fabric. */
#ifndef HD_NET_CORE_SUBTREES_H
#define HD_NET_CORE_SUBTREES_H

#include "heddle/net.h"

/* first[v] becomes the lowest-numbered switch of v's connected component among the switches of level
 * <= l; a switch above l is its own. l = HD_NO_LEVEL gives the components of the network. O(size). */
void hd_components(const struct hd_net *net, uint32_t l, uint32_t *first);

/* id[v] becomes the number of v's subtree of height l, 0 .. *n-1 from left to right; UINT32_MAX for a
 * switch above l. A subtree is what agrees in the tree digits above l where the network has them (a switch without a
 * place is one alone), else a component of the switches up to l. Subtrees of height l lie within those of height l+1,
 * and that is the order of their numbers on trees. O(size + S log S). */
hd_status hd_subtrees(struct hd_ctx *ctx, const struct hd_net *net, uint32_t l, uint32_t *id, uint32_t *n);

/* Highest level; HD_NO_LEVEL when some switch has none. */
uint32_t hd_top_level(const struct hd_net *net);

#endif
