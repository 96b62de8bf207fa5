/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which OpenSM routes destinations: switches with most endpoints first, ties by the GUID
 * as a little-endian machine compares it (its map is keyed by GUIDs in network byte order); on a
 * switch by port. */
#ifndef HD_ROUTE_CORE_LEAF_ORDER_H
#define HD_ROUTE_CORE_LEAF_ORDER_H

#include "base/arena.h"
#include "heddle/net.h"

/* The switches with endpoints, in that order: *n of them, in arena. O(size + S log S). */
hd_status hd_leaf_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t **leaf,
                        uint32_t *n);
/* All switches: in that order (by_size), or by GUID alone. [nsw], in arena. */
hd_status hd_switch_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, bool by_size,
                          uint32_t **order);

#endif
