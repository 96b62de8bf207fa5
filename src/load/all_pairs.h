/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads when every selected endpoint sends to every other. All sources of a leaf switch share their path to a
 * destination, and paths that have met stay together, so what comes through each switch is added up once a
 * destination: pairs are never looped over. O(destinations * switches met). */
#ifndef HD_LOAD_ALL_PAIRS_H
#define HD_LOAD_ALL_PAIRS_H

#include "base/arena.h"
#include "heddle/route.h"

struct hd_allpairs {
    uint64_t *load;           /* [nchan] in units of 1/unit pairs */
    uint32_t unit;            /* variants a pair splits over, else 1 */
    uint64_t pairs, unserved; /* ordered pairs of selected endpoints; those without a path (times unit) */
    uint64_t hops;            /* sum over served pairs of the channels on their paths, in the unit of load */
};

/* Arrays come from arena. Pairs in different connected parts count as unserved. */
hd_status hd_allpairs_load(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           struct hd_allpairs *all);

#endif
