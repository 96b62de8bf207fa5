/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of a network: what inference finds, and what an edited network may bring instead of its own. */
#ifndef HD_NET_CORE_STRUCTURE_H
#define HD_NET_CORE_STRUCTURE_H

#include "heddle/net.h"

struct hd_structure {
    struct hd_shape shape;
    const uint8_t *level;  /* [nsw+nep] */
    const uint16_t *coord; /* [(nsw+nep) * shape.n] */
    const char *departs;   /* why there is no shape; "" if there is one */
    const bool *unplaced;  /* [nsw] switches that are no part of the shape */
};

/* Gives a structure to a network that has not been handed out yet: the one moment at which a network may change. What a
 * file says becomes a network once and not twice, because its structure is inferred from the finished arrays and only
 * four of them depend on it. The arrays are copied. shape.missing must be set. */
hd_status hd_net_set_structure(struct hd_ctx *ctx, struct hd_net *net, const struct hd_structure *structure);

#endif
