/* SPDX-License-Identifier: BSD-2-Clause */
/* A network as it is found, not as it was planned. */
#ifndef HD_PAPERS_SCRAMBLE_NET_H
#define HD_PAPERS_SCRAMBLE_NET_H

#include "heddle/net.h"

/* The same network with switches, endpoints and the ports of every switch renumbered at random, and its
 * structure inferred anew. Routings that break ties by number or port owe much to the tidy numbers of a
 * generator; fabrics that were cabled by hand have none. */
hd_status hd_net_scramble(struct hd_ctx *ctx, const struct hd_net *net, uint64_t seed, struct hd_net **out);

#endif
