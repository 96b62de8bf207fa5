/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs that change the LID by which they send, while one table replaces another. */
#ifndef HD_ROUTE_CHECK_MIXTURE_MOVES_H
#define HD_ROUTE_CHECK_MIXTURE_MOVES_H

#include "route/check/mixture.h"
#include "route/kernel/row_walk.h"

struct hd_mix_moves {
    const struct hd_mix *mix;
    const struct hd_routes *before; /* whose choice of LIDs pairs have had so far */
    bool any;                       /* some pair may move at all; what follows is there only then */
    uint32_t d;                     /* destination at work */
    const uint8_t **row;            /* [nvar] towards it, as pairs have been served so far; NULL: not looked at yet */
    uint8_t *room;                  /* [nvar * nsw] for them */
    uint16_t *hops;                 /* [nvar * nsw] as in row_walk.h, from switches with endpoints */
    struct hd_reach reach;
};

hd_status hd_mix_moves_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_mix *mix,
                            struct hd_mix_moves *m);
void hd_mix_moves_begin(struct hd_mix_moves *m, uint32_t d);
/* Whether s sends to the destination by variant x, and so far by another one, or by others too. */
bool hd_mix_moves_to(const struct hd_mix_moves *m, uint32_t s, uint32_t x);
/* The entries of a variant before the change. */
const uint8_t *hd_mix_moves_row(struct hd_mix_moves *m, uint32_t x);
/* Whether they lead s to the destination by a variant that it has used so far. */
bool hd_mix_moves_served(struct hd_mix_moves *m, uint32_t s);

#endif
