/* SPDX-License-Identifier: BSD-2-Clause */
/* What the states of the built-in patterns begin with: the answers to what a pattern is asked. */
#ifndef HD_FLOW_PATTERN_PATTERN_STATE_H
#define HD_FLOW_PATTERN_PATTERN_STATE_H

#include "flow/core/stages.h"

struct hd_pattern_state {
    const struct hd_ranks *ranks;
    uint64_t stages;    /* 0: random */
    uint32_t max_flows; /* as many as ranks, unless the pattern says otherwise */
};

/* A zeroed state of that size, of at least 2 ranks. */
hd_status hd_pattern_state_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, size_t size,
                                void **state);
uint64_t hd_pattern_stages(const void *state);
uint32_t hd_pattern_max_flows(const void *state);

/* A state that runs one or two sequences, one after the other, and its draw. */
hd_status hd_pattern_sequences(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,
                               const enum hd_sequence *sequence, uint32_t n, void **state);
void hd_pattern_draw_sequences(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f);

#endif
