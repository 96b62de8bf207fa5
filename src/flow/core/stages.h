/* SPDX-License-Identifier: BSD-2-Clause */
/* Collective permutation sequences: who talks to whom in each stage of a collective, whatever is said.
 * With N ranks, L = floor(log2 N), all numbers from 0:
 *   shift       i -> i + s mod N                           s = 1 .. N-1
 *   ring        i -> i + 1 mod N                           one stage
 *   bruck       i -> i + 2^s mod N                         2^s < N     (the Dissemination of the source)
 *   rev-bruck   i + 2^s mod N -> i                         2^s < N
 *   tournament  i + 2^s -> i, i a multiple of 2^(s+1)      2^s < N
 *   binomial    i -> i + 2^s, i < 2^s, i + 2^s < N         2^s < N
 *   gather      binomial with arrows and stages reversed, as a reduction runs
 *   recdbl      i <-> i xor 2^s, i < 2^L                   s = 0 .. L-1
 *   rechalf     the same, s = L-1 .. 0
 *   xor         i <-> i xor s, N a power of two            s = 1 .. N-1
 * Where N is not a power of two, recdbl and rechalf begin with a stage that folds every i >= 2^L onto
 * i - 2^L and end with its reverse. In every stage a rank sends at most once and receives at most once.
 * Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global
 * collectives, Tables 1 and 2, without the empty stages its bounds allow. */
#ifndef HD_FLOW_CORE_STAGES_H
#define HD_FLOW_CORE_STAGES_H

#include "flow/core/rank_map.h"

enum hd_sequence {
    HD_SEQ_SHIFT,
    HD_SEQ_RING,
    HD_SEQ_BRUCK,
    HD_SEQ_REV_BRUCK,
    HD_SEQ_TOURNAMENT,
    HD_SEQ_BINOMIAL,
    HD_SEQ_GATHER,
    HD_SEQ_RECDBL,
    HD_SEQ_RECHALF,
    HD_SEQ_XOR,
};

/* The endpoints of n >= 2 ranks, twice in a row: a circle displaced by s begins at ep + s. */
struct hd_circle {
    uint32_t n;
    const uint32_t *ep;
};

hd_status hd_circle_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_ranks *ranks,
                         struct hd_circle *circle);

uint64_t hd_sequence_stages(enum hd_sequence q, uint32_t n);
/* Flows of one stage, never none; at most n. O(n), and O(1) where both sides are displaced circles. */
void hd_sequence_stage(enum hd_sequence q, const struct hd_circle *circle, uint64_t stage, struct hd_flows *flows);

#endif
