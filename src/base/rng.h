/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter-based random streams (Philox 4x64-10 of Random123).
 * A stream is named by (seed, purpose, index): sample 7 draws the same numbers on any number of
 * threads or ranks, and two purposes never share a stream. */
#ifndef HD_BASE_RNG_H
#define HD_BASE_RNG_H

#include "heddle/extend.h"

/* Fixed numbers: they are part of what a seed means. */
enum hd_purpose {
    HD_RNG_TOPOLOGY = 1,
    HD_RNG_DEGRADE = 2,
    HD_RNG_ENGINE = 3,
    HD_RNG_PATTERN = 4,
    HD_RNG_RANKS = 5,
    HD_RNG_SEARCH = 6,
    HD_RNG_SIM = 7,
    HD_RNG_TEST = 8,
};

enum { HD_RNG_BLOCKS = 8 }; /* of four words, made at once where many are wanted */

struct hd_rng {
    uint64_t key[2], ctr[2];
    uint64_t left, word[4 * HD_RNG_BLOCKS]; /* handed out from the end */
    uint32_t half;                          /* second half of a word already begun */
    int has_half;
};

void hd_rng_init(struct hd_rng *r, uint64_t seed, enum hd_purpose purpose, uint64_t index);

#endif
