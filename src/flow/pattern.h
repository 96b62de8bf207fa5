/* SPDX-License-Identifier: BSD-2-Clause */
/* A pattern yields flows between endpoints, sample by sample or stage by stage. */
#ifndef HD_FLOW_PATTERN_H
#define HD_FLOW_PATTERN_H

#include "base/rng.h"
#include "flow/ranks.h"

enum { HD_MAX_FLOWS = 8192 * 8191 }; /* of one sample or stage: all pairs of 8,192 ranks */

/* The flows of one sample or stage. A pattern points src and dst at what it has or at the buffers. */
struct hd_flows {
    uint32_t n;
    const uint32_t *src, *dst; /* endpoints, different */
    const uint32_t *weight;    /* NULL: all 1 */
    bool simple;               /* nobody sends twice, nobody receives twice, all weights 1 */
    uint32_t *buf[3];          /* [max_flows rounded up to even] each, the thread's own */
};

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
    /* The weight that counts as one flow; NULL function: 1. Loads are told in flows. */
    uint32_t (*unit)(const void *state);
    /* Flows of a sample (rng is the sample's own stream) or of a stage: sets all but buf. */
    void (*draw)(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *flows);
    bool uniform; /* random, always as many flows, and every ordered pair of ranks is equally likely */
};

#endif
