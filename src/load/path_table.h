/* SPDX-License-Identifier: BSD-2-Clause */
/* Fast paths of many flows at once, for routes that allow them. Every path takes `stride` places: its
 * switch-to-switch channels, endpoint cables left out, padded with the channel number nchan.
 *   tree      routes on a tree told by their up ports (hd_tree_form): at level l the up channel depends
 *             on the height-l subtree of the source and on (destination, variant), the down channel on the
 *             latter alone; records hold the indices, so a flow is two records and one look-up a level.
 *   compiled  any single-variant table: the path of each (leaf switch, destination), stored once.
 * A compiled table is only made when it fits the memory it is given. */
#ifndef HD_LOAD_PATH_TABLE_H
#define HD_LOAD_PATH_TABLE_H

#include "base/arena.h"
#include "heddle/route.h"

struct hd_paths {
    uint32_t stride;
    void (*get)(const struct hd_paths *p, const uint32_t *src, const uint32_t *dst, uint32_t n, uint32_t *chan);
    const void *data;
};

/* *paths is NULL where no fast form serves these routes completely. flows: how many will be asked for in
 * all, roughly; compiling does not pay for a few. */
hd_status hd_paths_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, uint64_t flows,
                        struct hd_paths **paths);

#endif
