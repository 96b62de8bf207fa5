/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees by their levels alone, in the words people use for them. */
#ifndef HD_NET_DESCRIBE_LAYERS_H
#define HD_NET_DESCRIBE_LAYERS_H

#include "base/arena.h"
#include "heddle/net.h"

/* text: "3-level fat tree, 8 groups of 20 leaf switches, 4 directors of 40 line and 20 spine ASICs" for a network
 * without a shape in which every switch cable connects adjacent levels, but for a few set aside as faults; "" for any
 * other. absent: cables that led up to spines that are gone, since directors or planes alike have more of them.
 * O(size). */
hd_status hd_layers_read(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, uint32_t levels,
                         char *text, size_t size, uint32_t *absent);

#endif
