/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/metric.h - metrics of your own: either one number from the loads of each sample, averaged over samples, or
 * one number from the routes alone. A metric is a row; added to a context with hd_registry_add, it works wherever a
 * built-in one does: eval, advise; examples/own_pattern.c has one. Values of samples are in fixed point (2^-40), so
 * that sums are the same in any order.
 *
 * Threads. init and measure are called by one thread. value may be called by several threads at once, each with its own
 * loads; it only reads what it is given. */
#ifndef HEDDLE_METRIC_H
#define HEDDLE_METRIC_H

#include "heddle/extend.h"
#include "heddle/flow.h"
#include "heddle/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HD_BINS = 2048 }; /* of the histogram of values that percentiles come from */

#define HD_ONE ((uint64_t)1 << 40)   /* 1.0 in fixed point */
#define HD_NO_VALUE (UINT64_MAX - 1) /* of a sample for which memory ran out: the evaluation fails with HD_LIMIT */

/* load / full in fixed point; what does not fit (2^24 and more) becomes the largest there is. */
static inline uint64_t hd_fixed(uint64_t load, uint64_t full)
{
    uint64_t whole = load / full;
    if (whole >> 24) return UINT64_MAX;
    return whole * HD_ONE + (uint64_t)((double)(load % full) / (double)full * (double)HD_ONE);
}

/* What bounds the value of a metric of samples. */
enum hd_bound_kind {
    HD_BOUND_NONE,
    HD_BOUND_MEAN_SHARE,  /* mean share of a flow */
    HD_BOUND_LEAST_SHARE, /* smallest share */
    HD_BOUND_LOAD,        /* largest load */
};

struct hd_metric_in { /* what values are computed from, beside loads */
    const struct hd_routes *routes;
    const struct hd_rates *rates; /* private */
    const void *opt;              /* the options, as desc.params describe them */
    void *shared;                 /* by all samples, only read: what init made */
};

struct hd_metric {
    struct hd_desc desc;
    bool higher_is_better;
    double (*cap)(const void *opt); /* no value exceeds it; NULL: as the bound says */
    double bin_max; /* above 0 with value: values are put in HD_BINS equal bins from 0 to here for percentiles */
    /* Value of a loaded sample, a multiple of 1/HD_ONE below 2^24; NULL for metrics of the routes alone. */
    uint64_t (*value)(const struct hd_loads *l, const struct hd_metric_in *in);
    bool counts_flows; /* the rates of channels play no part */
    /* A metric of the routes alone: sets value, samples and unserved of the result, and NAN for extremes and
     * percentiles that it does not have. */
    hd_status (*measure)(struct hd_ctx *ctx, const struct hd_routes *r, const void *opt, struct hd_result *result);
    enum hd_bound_kind bound;
    /* Prepares what the values of all samples share (in->shared), from arena, and may fill bound and note of the
     * result. NULL: nothing. */
    hd_status (*init)(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_metric_in *in, struct hd_result *result);
};

#ifdef __cplusplus
}
#endif
#endif
