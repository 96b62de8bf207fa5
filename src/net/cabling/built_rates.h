/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates that endpoints were built with, where a group of them has another one than most of their kind. */
#ifndef HD_NET_BUILT_RATES_H
#define HD_NET_BUILT_RATES_H

#include "base/arena.h"
#include "heddle/net.h"

/* rate[e]: link code that the endpoints of e's role on its leaf switch, or those of its series of hosts, nearly all
 * have, the slower one if both have; 0: neither has one. Scratch memory is in arena. O(endpoints log endpoints). */
hd_status hd_built_rates(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint8_t *rate);

#endif
