/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables by kind, and the rates of each: a kind connects the same two levels, or endpoints of one role to their level.
 * Compute hosts are level 0. Others often have older adapters than they, so each role is a kind of its own. */
#ifndef HD_NET_RATE_KINDS_H
#define HD_NET_RATE_KINDS_H

#include "base/arena.h"
#include "net/core/link_usual.h"
#include "heddle/net.h"

struct hd_rate_kind {
    uint8_t level[2];              /* of its ends, the lower one first; 0: endpoints; HD_NO_LEVEL */
    uint8_t role;                  /* of the endpoints */
    uint32_t often[HD_LINK_CODES]; /* cables, by link code */
    uint8_t usual;                 /* rate of three quarters or more of those whose rate is known; 0: none is */
};

struct hd_rate_kinds {
    uint32_t n;
    struct hd_rate_kind *kind; /* [n] endpoints first, compute hosts before others; then by level */
    uint16_t *of;              /* [nchan] number of a cable's kind */
};

/* Lives in arena. O(channels). */
hd_status hd_rate_kinds_count(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                              struct hd_rate_kinds *kinds);

/* The kind that a cable from u to v would have; NULL: there is none. O(kinds). */
const struct hd_rate_kind *hd_rate_kind_of(const struct hd_rate_kinds *kinds, const struct hd_net *net, uint32_t u,
                                           uint32_t v);

/* How many different rates are known in it, 2 at most. */
uint32_t hd_rate_kind_rates(const struct hd_rate_kind *kind);

#endif
