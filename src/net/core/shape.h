/* SPDX-License-Identifier: BSD-2-Clause */
/* Reasoning about shapes: numbers from digits, and which promised cables are missing. */
#ifndef HD_NET_CORE_SHAPE_H
#define HD_NET_CORE_SHAPE_H

#include "base/arena.h"
#include "base/keyed.h"
#include "heddle/net.h"

/* Extent of digit i (from 0) of a node at this level: w below, m above; m on grids. */
static inline uint32_t hd_shape_extent(const struct hd_shape *s, uint32_t level, uint32_t i)
{
    return s->kind == HD_SHAPE_TREE && i < level ? s->w[i] : s->m[i];
}

/* Mixed-radix number of the digits, digit 1 least significant. For an endpoint of a tree (level 0)
 * this is its number in the full tree. Shapes are kept small enough that it never overflows. */
uint64_t hd_shape_rank(const struct hd_shape *s, uint32_t level, const uint16_t *digits);

/* Whether every rank fits 48 bits; a shape for which it does not is not worth keeping. */
bool hd_shape_fits(const struct hd_shape *s);

/* Levels, shape and coordinates against the cables, as hd_net_check does: HD_FAULT and the first
 * violation. O(size). */
hd_status hd_shape_check(struct hd_ctx *ctx, const struct hd_net *net);

/* Switches with a place, by (level, digits); lives in arena. find gives UINT32_MAX for an absent one. O(log S). */
struct hd_shape_index {
    const struct hd_shape *shape;
    uint32_t n;
    const struct hd_keyed *sw;
    uint32_t first[HD_MAX_DIM + 2]; /* key of each level; grids have one */
};
hd_status hd_shape_index(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                         struct hd_shape_index *index);
uint32_t hd_shape_find(const struct hd_shape_index *index, uint32_t level, const uint16_t *digits);

/* How many cables that is; 0 for a network without shape. */
hd_status hd_shape_missing(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *missing);

/* Whether a node is a switch without a place. */
static inline bool hd_is_unplaced(const struct hd_net *net, uint32_t v)
{
    return v < net->nsw && net->unplaced[v];
}

/* Switches that have a place. O(S). */
static inline uint32_t hd_placed(const struct hd_net *net)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) n += !net->unplaced[v];
    return n;
}

/* Whether n switches fill so many of the places of a grid that an empty one is a switch that is gone: more of them
 * would rather be places that were never filled, or a grid of another size. */
static inline bool hd_grid_is_full(uint64_t places, uint32_t n)
{
    return places <= (uint64_t)n + 1 + n / 8;
}

/* The dimension in which the two ends of a switch channel are neighbours of a grid; UINT32_MAX: they are not. */
uint32_t hd_grid_dimension(const struct hd_net *net, uint32_t c);
/* Switch cables of a grid whose ends are not; 0 for all other networks. O(channels). */
uint32_t hd_grid_strays(const struct hd_net *net);

#endif
