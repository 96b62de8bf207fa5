/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that switches drop because their service level is mapped to VL 15, while one table replaces another. */
#ifndef HD_ROUTE_CHECK_MIXTURE_HOPS_H
#define HD_ROUTE_CHECK_MIXTURE_HOPS_H

#include "route/check/mixture_moves.h"

struct hd_mix_hops {
    const struct hd_mix *mix;
    const bool *counts; /* [nep] endpoints that the proof is about */
    uint32_t *levels;   /* [nsw] service levels of packets that come to a switch */
};

struct hd_mix_row { /* what is searched: the union graph of a row, without loops */
    const uint8_t *from, *to;
    const uint32_t *post; /* [npost] switches that sources reach, each after those that it leads to */
    uint32_t npost, d, x;
};

/* Whether tables of the mix have such a VL at all. */
bool hd_mix_hops_needed(const struct hd_mix *mix);
hd_status hd_mix_hops_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_mix *mix, const bool *counts,
                           struct hd_mix_hops *h);
/* Whether some mixture drops packets of a pair that is served so far; *cut: the new row does. O(sources * hops). */
bool hd_mix_hops_drop(struct hd_mix_hops *h, const struct hd_mix_row *row, struct hd_mix_moves *moves, bool *cut);

#endif
