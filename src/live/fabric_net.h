/* SPDX-License-Identifier: BSD-2-Clause */
/* A request as a network. */
#ifndef HD_LIVE_FABRIC_NET_H
#define HD_LIVE_FABRIC_NET_H

#include "heddle/net.h"
#include "live/fabric_message.h"

/* The network of a request, the same as that of ibnetdiscover's output on this fabric, with its structure inferred.
 * HD_INPUT where the request contradicts itself. */
hd_status hd_fabric_net(struct hd_ctx *ctx, const struct hd_fabric_parts *p, struct hd_net **net);

#endif
