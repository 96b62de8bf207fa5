/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/pattern.h - traffic patterns of your own. A pattern is a row: how its options are written, and the functions
 * that yield the flows between endpoints, sample by sample or stage by stage. Added to a context with hd_registry_add,
 * it works wherever a built-in one does: eval, sim, advise; examples/own_pattern.c is a complete one.
 *
 * Threads. init is called by one thread. After it, draw and the other functions may be called by several threads at
 * once with the same state, which they only read; each thread has its own rng and flows. A draw depends on nothing but
 * the state, the rng and the stage: then results do not depend on the number of threads or processes. */
#ifndef HEDDLE_PATTERN_H
#define HEDDLE_PATTERN_H

#include "heddle/extend.h"
#include "heddle/load.h"
#include "heddle/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where ranks are: rank i runs on endpoint ep[i]. */
struct hd_ranks {
    uint32_t n;
    const uint32_t *ep;
};

/* HD_INPUT if there are fewer ranks than a pattern makes sense for. */
HD_API hd_status hd_ranks_need(struct hd_ctx *ctx, const struct hd_ranks *ranks, uint32_t least);

struct hd_pattern_in { /* what a pattern is made from; all of it outlives the state */
    const struct hd_routes *routes;
    const struct hd_ranks *ranks;
    const void *opt; /* the options, as desc.params describe them */
};

struct hd_pattern {
    struct hd_desc desc;
    /* Prepares state (from arena). Refuses numbers of ranks that make no pattern. */
    hd_status (*init)(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state);
    /* Stages of a fixed sequence; NULL function or 0: random, every sample is drawn by itself. */
    uint64_t (*stages)(const void *state);
    /* Most flows that any one sample or stage can have. */
    uint32_t (*max_flows)(const void *state);
    /* The weight that counts as one flow; NULL function: 1. Loads are given in flows. */
    uint32_t (*unit)(const void *state);
    /* Flows of a sample (rng is the sample's own stream) or of a stage: sets all but buf. */
    void (*draw)(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *flows);
    bool uniform; /* random, always as many flows, and every ordered pair of ranks is equally likely */
};

#ifdef __cplusplus
}
#endif
#endif
