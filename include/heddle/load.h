/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/load.h - how many pairs use each channel. Thread safety: networks and routes are only read and may be shared;
 * a context belongs to one thread at a time. */
#ifndef HEDDLE_LOAD_H
#define HEDDLE_LOAD_H

#include "heddle/route.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hd_pair_sums {
    uint32_t unit;            /* loads are in units of 1/unit pairs: the variants a pair splits over, else 1 */
    uint64_t pairs, unserved; /* ordered pairs of selected endpoints; those without a path (times unit) */
    uint64_t hops;            /* channels on the paths of all served pairs together, in the unit of load */
};

/* load[c] for every channel when every selected endpoint sends to every other, without looping over pairs:
 * O(destinations * switches). */
HD_API hd_status hd_load_all_pairs(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t *load,
                                   struct hd_pair_sums *sums);

#ifdef __cplusplus
}
#endif
#endif
