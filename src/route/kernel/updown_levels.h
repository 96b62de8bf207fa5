/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks whose switches have levels and whose switch cables all connect neighbouring levels: trees, also
 * partial, uneven and degraded ones. Nothing else of a tree's shape is needed; where digits are known
 * they give the order of neighbours and the numbers of endpoints. */
#ifndef HD_ROUTE_KERNEL_UPDOWN_LEVELS_H
#define HD_ROUTE_KERNEL_UPDOWN_LEVELS_H

#include "base/arena.h"
#include "heddle/engine.h"

enum { HD_LEVELS_BLOCK = 64 };

struct hd_levels {
    const struct hd_net *net;
    uint32_t top;                    /* highest level */
    uint32_t *by_level;              /* switches by increasing level, then number */
    uint32_t first[HD_NO_LEVEL + 1]; /* those of level l: by_level[first[l]] .. by_level[first[l+1]-1] */
    uint32_t *up, *up_chan;          /* upward channels of v: up_chan[up[v]] .. up_chan[up[v+1]-1], by neighbour */
    uint32_t *down, *down_chan; /*   (digit where known, else number), parallel cables by port of the lower switch */
};

/* For engines: HD_OK, or HD_NA and which switch or cable does not fit. */
hd_status hd_levels_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt);
/* Lives in arena. O(channels log ports). */
hd_status hd_levels_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_levels *lv);

/* Lengths of the shortest paths up and then down from every switch to each of n <= HD_LEVELS_BLOCK
 * target switches: cost[v * HD_LEVELS_BLOCK + i], 255 when there is none. O(channels), 64 at a time. */
void hd_levels_cost(const struct hd_levels *lv, const uint32_t *target, uint32_t n, uint8_t *cost);

/* Whether a switch of level l with this cost lies above the target of level lt, so that it goes down:
 * any other switch has to climb first, which costs more than the levels between. */
static inline bool hd_levels_above(uint32_t l, uint32_t lt, uint8_t cost)
{
    return l >= lt && cost == l - lt;
}

/* Numbers of endpoints such that subtrees hold consecutive ones: the number in the full tree where digits
 * are known. Else the switches of level 1 are ordered so that those connected below a level are adjacent
 * at every level, and each takes as many numbers as the fullest has endpoints; endpoints higher up
 * follow. leaf gets the switches of level 1 in that order, nleaf how many. All live in arena. */
hd_status hd_levels_number(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_levels *lv, uint64_t **number,
                           uint32_t **leaf, uint32_t *nleaf);

#endif
