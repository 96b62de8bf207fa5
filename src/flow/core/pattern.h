/* SPDX-License-Identifier: BSD-2-Clause */
/* A pattern yields flows between endpoints, sample by sample or stage by stage. */
#ifndef HD_FLOW_CORE_PATTERN_H
#define HD_FLOW_CORE_PATTERN_H

#include "base/rng.h"
#include "flow/core/rank_map.h"
#include "load/flows.h"

struct hd_pattern_in { /* what a pattern is made from */
    const struct hd_routes *routes;
    const struct hd_ranks *ranks;
    const void *opt;
};

struct hd_pattern {
    struct hd_desc desc;
    /* Prepares state (from arena). Refuses rank counts that make no pattern. */
    hd_status (*init)(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state);
    /* Stages of a fixed sequence; NULL function or 0: random, every sample a draw of its own. */
    uint64_t (*stages)(const void *state);
    /* Flows any one sample or stage can have. */
    uint32_t (*max_flows)(const void *state);
    /* The weight that counts as one flow; NULL function: 1. Loads are given in flows. */
    uint32_t (*unit)(const void *state);
    /* Flows of a sample (rng is the sample's own stream) or of a stage: sets all but buf. */
    void (*draw)(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *flows);
    bool uniform; /* random, always as many flows, and every ordered pair of ranks is equally likely */
};

#endif
