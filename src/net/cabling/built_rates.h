/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates that endpoints and switches were built with, where a group of endpoints or all cables of a switch have another
 * one than most of their kind. */
#ifndef HD_NET_BUILT_RATES_H
#define HD_NET_BUILT_RATES_H

#include "base/arena.h"
#include "heddle/net.h"
#include "net/cabling/rate_kinds.h"

/* rate[e]: link code that the endpoints of e's role on its leaf switch, or those of its series of hosts, nearly all
 * have, the slower one if both have; 0: neither has one. Scratch memory is in arena. O(endpoints log endpoints). */
hd_status hd_built_rates(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint8_t *rate);

/* rate[v]: link code that nearly all slower cables of switch v have, if it has four or more of these, no cable of it or
 * of its chassis is faster, and switches of an older generation have this rate; else 0. Scratch memory is in arena.
 * O(channels + switches log switches). */
hd_status hd_built_switches(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            const struct hd_rate_kinds *kinds, uint8_t *rate);

#endif
