/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables that the structure of a network does not have. */
#ifndef HD_ROUTE_ENGINE_SETTLE_STRAYS_H
#define HD_ROUTE_ENGINE_SETTLE_STRAYS_H

#include "base/arena.h"
#include "heddle/net.h"

/* *stray: [nchan] in arena, channels of cables between switches that are not where most others are; NULL: there are
 * none. */
hd_status hd_settle_strays(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, bool **stray);

#endif
