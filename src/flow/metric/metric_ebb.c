/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth: a flow gets the share 1 / (largest load on its path); the value of a
 * sample is the mean share. A flow without a path gets nothing. */
#include "base/status.h"
#include "flow/metric/all_metrics.h"

struct ebb_opt {
    double host;
};

enum { TABULATED = 64 };

/* HD_ONE * full / load where the product needs more than 64 bits; full < load. */
static uint64_t wide_share(uint64_t load, uint64_t full)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)((u128)HD_ONE * full / load);
#else
    uint64_t share = 0;
    for (uint64_t one = HD_ONE; one > 1; one >>= 1) { /* bit by bit */
        bool fits = full >= load - full;
        full = fits ? full - (load - full) : 2 * full;
        share = 2 * share + fits;
    }
    return share;
#endif
}

/* Share of a flow whose bottleneck has this load; full is a load of 1. */
static uint64_t share_of(uint64_t load, uint64_t full)
{
    if (load <= full) return HD_ONE;
    return full >> 23 ? wide_share(load, full) : HD_ONE * full / load;
}

static uint64_t ebb_value(const struct hd_loads *l, const struct hd_metric_in *in)
{
    const uint64_t cap = (uint64_t)(((const struct ebb_opt *)in->opt)->host * (double)HD_ONE);
    uint64_t sum = 0, share[TABULATED]; /* small loads are nearly all there are: divide once for each */
    for (uint64_t load = 0; load < TABULATED && load <= l->largest; load++) {
        share[load] = load == 0 ? 0 : share_of(load, l->full);
        if (share[load] > cap) share[load] = cap;
    }
    if (l->largest < TABULATED) {
        for (uint32_t k = 0; k < l->npath; k++) sum += share[hd_bottleneck(l, k)];
        return l->npath ? sum / l->npath : 0;
    }
    for (uint32_t k = 0; k < l->npath; k++) {
        uint64_t load = hd_bottleneck(l, k), s = load < TABULATED ? share[load] : share_of(load, l->full);
        sum += s < cap ? s : cap;
    }
    return l->npath ? sum / l->npath : 0;
}

static double ebb_cap(const void *opt)
{
    return ((const struct ebb_opt *)opt)->host;
}

const struct hd_metric hd_metric_ebb = {
    .desc =
        {.name = "ebb",
         .summary = "effective bisection bandwidth: mean share of its link a flow gets",
         .text =
             "Every flow gets 1 / (largest load on its path), load counted relative to the channel's rate and at "
             "least "
             "1; the mean over flows is the sample's value. host= caps the share of a host that cannot fill its link.",
         .cite = "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks",
         .params = (const struct hd_param[]){{"host", HD_REAL, "1", "largest share of its link a host can use",
                                              offsetof(struct ebb_opt, host), 0.001, 1, NULL, false},
                                             {0}},
         .examples = (const char *const[]){"ebb", "ebb:host=0.6", NULL},
         .opt_size = sizeof(struct ebb_opt)},
    .higher_is_better = true,
    .cap = ebb_cap,
    .bin_max = 1,
    .value = ebb_value,
    .bound = HD_BOUND_MEAN_SHARE};
