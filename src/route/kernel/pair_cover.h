/* SPDX-License-Identifier: BSD-2-Clause */
/* Which top switch takes which pair of a two-level tree, such that no channel has many sources or destinations.
 *
 * A routing that gives every pair (local number of the source, local number of the destination) one of m tops is a
 * cover of the n x n pairs by m rectangles: top t takes pairs of the sources S_t and the destinations D_t. A channel up
 * to t then has at most |S_t| sources, a channel down from t at most |D_t| destinations, and no permutation loads it
 * with more. The cover with the least longest side is wanted. OPT's grid is one, with ceil(n / floor(sqrt m)); lines of
 * a projective plane, and covers found by search, are better where m is no square. */
#ifndef HD_ROUTE_KERNEL_PAIR_COVER_H
#define HD_ROUTE_KERNEL_PAIR_COVER_H

#include "base/arena.h"
#include "heddle/net.h"

/* Local numbers are grouped into points, differently as sources [0] and as destinations [1]. */
struct hd_pair_cover {
    uint32_t n, m, points;
    uint32_t side;    /* most sources or destinations of a top */
    uint8_t *point[2]; /* [n] point of a local number */
    uint8_t *top;      /* [source point * points + destination point] */
};

/* No cover by m rectangles has a smaller longest side: each source needs ceil(n/k) rectangles of k destinations, so
 * the m rectangles have n ceil(n/k) <= m k rows. */
uint32_t hd_pair_cover_bound(uint32_t n, uint32_t m);

/* The best cover found, pairs shared evenly among the tops that can take them; side 0 when none is better than `side`,
 * the one the caller has. Lives in arena. At most about 10^8 steps; the same cover on every machine. */
hd_status hd_pair_cover_find(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t n, uint32_t m, uint32_t side,
                             struct hd_pair_cover *best);

#endif
