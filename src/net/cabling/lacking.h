/* SPDX-License-Identifier: BSD-2-Clause */
/* What the shape of a network has and no cable of the network could be. */
#ifndef HD_NET_CABLING_LACKING_H
#define HD_NET_CABLING_LACKING_H

#include "heddle/net.h"

/* As hd_shape_each_missing, without the cables that are there in the wrong place: what undoing a swap or moving a wrong
 * cable restores. O(channels + faults log faults). */
hd_status hd_shape_each_lacking(struct hd_ctx *ctx, const struct hd_net *net,
                                void (*lacking)(void *user, uint32_t u, uint32_t v, uint32_t k), void *user);

#endif
