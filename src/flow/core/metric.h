/* SPDX-License-Identifier: BSD-2-Clause */
/* A metric: either one number from each loaded sample, folded over samples, or one number from the
 * routes alone. Numbers are kept in fixed point (2^-40) so that folds add up the same in any order. */
#ifndef HD_FLOW_CORE_METRIC_H
#define HD_FLOW_CORE_METRIC_H

#include "heddle/flow.h"
#include "load/loader.h"

enum { HD_BINS = 2048 }; /* of a histogram of values, see hd_fold */

#define HD_ONE ((uint64_t)1 << 40) /* 1.0 in fixed point */

/* load / full in fixed point; what does not fit (2^24 and more) becomes the largest there is. */
static inline uint64_t hd_fixed(uint64_t load, uint64_t full)
{
    uint64_t whole = load / full;
    if (whole >> 24) return UINT64_MAX;
    return whole * HD_ONE + (uint64_t)((double)(load % full) / (double)full * (double)HD_ONE);
}
/* What a metric of samples is bounded by, see bound.h. */
enum hd_bound_kind {
    HD_BOUND_NONE,
    HD_BOUND_MEAN_SHARE,  /* mean share of a flow */
    HD_BOUND_LEAST_SHARE, /* smallest share */
    HD_BOUND_LOAD,        /* largest load */
};

struct hd_metric_in { /* what values are computed from, beside loads */
    const struct hd_routes *routes;
    const struct hd_rates *rates;
    const void *opt;
    void *shared; /* by all samples, read only: what init made */
};

struct hd_metric {
    struct hd_desc desc;
    bool higher_is_better;
    double (*cap)(const void *opt); /* no value exceeds it; NULL: as the bound says */
    double bin_max;                 /* values are put in HD_BINS equal bins from 0 to here for percentiles */
    /* Value of a loaded sample; NULL for metrics of the routes alone. */
    uint64_t (*value)(const struct hd_loads *l, const struct hd_metric_in *in);
    bool counts_flows; /* the rates of channels play no part */
    hd_status (*measure)(struct hd_ctx *ctx, const struct hd_routes *r, const void *opt, struct hd_result *result);
    enum hd_bound_kind bound;
    /* Prepares what the values of all samples share (in->shared), from arena, and may fill bound and note of the
     * result. NULL: nothing. */
    hd_status (*init)(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_metric_in *in, struct hd_result *result);
};

/* The fold: plain bytes, the same in a thread, an MPI message and a checkpoint. */
struct hd_fold {
    uint64_t n, unserved, min, max;
    uint64_t sum[2], square[2];              /* 128 bits each, low word first; square is of value / 2^12 */
    uint64_t bin[HD_BINS], bin_sum[HD_BINS]; /* values in a bin: how many, and their sum / 2^16 */
};

void hd_fold_init(struct hd_fold *f);
void hd_fold_add(struct hd_fold *f, const struct hd_metric *m, uint64_t value, uint64_t unserved);
void hd_fold_merge(struct hd_fold *a, const struct hd_fold *b);
/* Mean, confidence width, extremes and percentiles; ci is 0 when the samples are all there are. */
void hd_fold_report(const struct hd_fold *f, const struct hd_metric *m, bool sampled, struct hd_result *result);

#endif
