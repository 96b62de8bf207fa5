/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that switches drop because their service level is mapped to VL 15, while one table replaces another. */
#ifndef HD_ROUTE_CHECK_MIXTURE_HOPS_H
#define HD_ROUTE_CHECK_MIXTURE_HOPS_H

#include "route/check/arriving_levels.h"
#include "route/check/mixture_moves.h"

enum { HD_MOST_LEVEL_SETS = 16 };

/* Of packets whose level is not known: sets of levels that still pass, one for each walk, none within another. */
struct hd_level_sets {
    uint16_t n, set[HD_MOST_LEVEL_SETS];
};

struct hd_mix_hops {
    const struct hd_mix *mix;
    const uint8_t *kind;             /* [nep] of hd_proof_kind */
    const bool *counts;              /* [nep] endpoints of which all pairs count */
    struct hd_arrivals old, new;     /* by the VLs of one table and the old row, and of the other and the new row */
    struct hd_arrivals *moved;       /* [nvar] by the rows that pairs have used so far; NULL: none moves */
    uint32_t *levels;                /* [nsw] known levels of packets that come to a switch */
    struct hd_level_sets (*sets)[2]; /* [nsw] of packets that leave a switch by its old and by its new entry */
};

struct hd_mix_row { /* what is searched: the union graph of a row, without loops */
    const uint8_t *from, *to;
    const uint32_t *post;  /* [npost] switches that sources reach, each after those that it leads to */
    const uint32_t *start; /* [nstart] switches of sources */
    uint32_t npost, nstart, d, x;
    bool near; /* packets of aggregation nodes alone */
};

/* Whether tables of the mix have such a VL at all, and there is a mixture. */
bool hd_mix_hops_needed(const struct hd_mix *mix);
hd_status hd_mix_hops_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_mix *mix, const uint8_t *kind,
                           const bool *counts, const struct hd_mix_moves *moves, struct hd_mix_hops *h);
/* Whether some mixture drops packets of a pair that is served so far; *cut: the new row does. O(sources + leaf switches
 * * hops + switches). */
bool hd_mix_hops_drop(struct hd_mix_hops *h, const struct hd_mix_row *row, struct hd_mix_moves *moves, bool *cut);

#endif
