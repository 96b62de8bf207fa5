/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/flow.h - what routes do to traffic: patterns, loads, metrics.
 *
 * A pattern says who sends to whom: either random samples, or the fixed stages of a collective. Ranks
 * are put on endpoints by a rank order. The load of a channel is the number of flows on it, counted
 * relative to its rate. A metric makes one number of a loaded sample; the mean over samples or stages
 * is its value. All sums are whole numbers, so results do not depend on threads or ranks.
 *
 * Threads. A call uses the threads of its context and returns when they are done. Calls with different contexts may run
 * at the same time on the same routes; callbacks come from the calling thread. */
#ifndef HEDDLE_FLOW_H
#define HEDDLE_FLOW_H

#include "heddle/load.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HD_LEAST_CI 1e-5

struct hd_request {
    const char *pattern;    /* spec; may be NULL for metrics that need none */
    const char *metric;     /* spec */
    const char *ranks;      /* "natural" (NULL too), "random:seed=1", "adversarial" or a file of endpoints */
    uint64_t samples;       /* of random patterns, at most 10^12; 0: 1000 */
    double ci;              /* > 0: double from 1000 samples until the full 99 % confidence width is below ci
                            times the mean; HD_USAGE unless 0 or from HD_LEAST_CI to 1 */
    uint64_t max_samples;   /* cap for ci, at most 10^12; 0: 1,024,000 */
    const char *checkpoint; /* file to resume from and to keep; NULL: none */
    void (*sample)(void *user, uint64_t index, double value); /* every sample in order; may be NULL */
    void *user;
    uint64_t *load_sum;       /* [nchan] if not NULL: each channel's load summed over samples or stages, and */
    uint32_t *load_max;       /* [nchan] its largest, in flows (times variants where pairs split over them) */
    const uint32_t *endpoint; /* [nendpoint] rank i is on endpoint[i], in place of ranks; NULL: ranks says it */
    uint32_t nendpoint;
};

struct hd_result {
    char pattern[HD_MAX_SPEC], metric[HD_MAX_SPEC]; /* canonical */
    double value, ci; /* mean; full width of its 99 % confidence interval, 0 where nothing is sampled */
    double min, max, p5, median, p95;
    uint64_t samples, unserved; /* unserved: flows of all samples that have no path */
    bool higher_is_better;
    double bound;        /* what no routing can beat (of worst, oblivious: no single-path routing), NaN: none known */
    char bound_name[32]; /* where it comes from; may be empty */
    char note[256];      /* which bound, which permutation, ... ; may be empty */
    /* Adaptive routing (hd_routes_adaptive): value is that of the static ports, fluid that of flows that every switch
     * splits evenly over the ports of its group, where what a switch has no port for is lost; the bound holds for any
     * other split too. NaN: not such routes, or a metric that needs whole paths. */
    double fluid;
    uint64_t fluid_samples;
    /* The same routes with the best split: what every flow of a sample gets at once, as a share of what it gets alone,
     * mean over samples. split_even is that of even splits, losses included, split_best of the best split that was
     * found; no split gives more than split_bound. NaN as above, or if the choices of no flow end. */
    double split_even, split_best, split_bound;
    uint64_t split_samples;
};

/* Evaluates routes under a pattern by a metric, both given by spec. A metric of samples draws the flows of every sample
 * or stage, loads them on the channels of their paths and averages its value; the pattern decides whether there are
 * stages (all of them are evaluated) or random samples (`samples` of them, or as many as `ci` asks for). A metric of
 * the routes alone (efi, hops, worst, oblivious) uses nothing else of the request.
 *
 * Flows without a path are counted as unserved. load_sum and load_max must both be given or both be NULL. sample is
 * called in order of index, on the calling thread. With a checkpoint file, samples found there are not drawn again, and
 * the file is written after each batch.
 *
 * Fails with HD_USAGE if a metric of samples has no pattern, HD_INPUT for an unknown or malformed spec, a file that
 * cannot be read or too few ranks, HD_NA if pattern or metric do not apply to the network, HD_LIMIT if memory runs out
 * or there are more flows than can be loaded at once. *result is set only on HD_OK.
 *
 * The result depends on the routes, the request and the seed of ctx, not on the number of threads or processes. Routes
 * are only read: several evaluations of them may run at the same time, each with a context of its own. Time is
 * O(samples * flows * hops), memory O(flows * hops + channels) per thread. */
HD_API hd_status hd_eval_sized(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_request *request,
                               size_t request_size, struct hd_result *result, size_t result_size);
static inline hd_status hd_eval(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_request *request,
                                struct hd_result *result)
{
    return hd_eval_sized(ctx, r, request, sizeof *request, result, sizeof *result);
}

#ifdef __cplusplus
}
#endif
#endif
