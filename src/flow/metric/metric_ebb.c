/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth: a flow gets the share 1 / (largest load on its path); the value of a
 * sample is the mean share. A flow without a path gets nothing. */
#include "base/status.h"
#include "flow/metric/all_metrics.h"

struct opt {
    double host;
};

enum { TABULATED = 64 };

__extension__ typedef unsigned __int128 u128;

/* Share of a flow whose bottleneck has this load; full is a load of 1. */
static uint64_t share_of(uint64_t load, uint64_t full)
{
    if (load <= full) return HD_ONE;
    return full >> 23 ? (uint64_t)((u128)HD_ONE * full / load) : HD_ONE * full / load;
}

static uint64_t value(const struct hd_loads *l, const void *opt)
{
    const uint64_t cap = (uint64_t)(((const struct opt *)opt)->host * (double)HD_ONE);
    const uint64_t full = (uint64_t)l->unit * l->rates->scale; /* a load of 1 */
    const uint64_t largest = l->most ? hd_loads_count(l) : TABULATED;
    uint64_t sum = 0, share[TABULATED]; /* small loads are nearly all there are: divide once for each */
    for (uint64_t load = 0; load < TABULATED && load <= largest; load++) {
        share[load] = load == 0 ? 0 : share_of(load, full);
        if (share[load] > cap) share[load] = cap;
    }
    if (largest < TABULATED) {
        for (uint32_t k = 0; k < l->npath; k++) sum += share[l->most[k]];
        return l->npath ? sum / l->npath : 0;
    }
    for (uint32_t k = 0; k < l->npath; k++) {
        uint64_t max = l->most ? l->most[k] : hd_loads_bottleneck(l, k);
        if (max < TABULATED) {
            sum += share[max];
            continue;
        }
        uint64_t s = share_of(max, full);
        sum += s < cap ? s : cap;
    }
    return l->npath ? sum / l->npath : 0;
}

static double cap(const void *opt)
{
    return ((const struct opt *)opt)->host;
}

const struct hd_metric hd_metric_ebb =
    {.desc =
         {.name = "ebb",
          .summary = "effective bisection bandwidth: mean share of its link a flow gets",
          .text =
              "Every flow gets 1 / (largest load on its path), load counted relative to the channel's rate and at "
              "least "
              "1; the mean over flows is the sample's value. host= caps the share of a host that cannot fill its link.",
          .cite = "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks",
          .params = (const struct hd_param[]){{"host", HD_REAL, "1", "largest share of its link a host can use",
                                               offsetof(struct opt, host), 0.001, 1, NULL, false},
                                              {0}},
          .examples = (const char *const[]){"ebb", "ebb:host=0.6", NULL},
          .opt_size = sizeof(struct opt)},
     .higher_is_better = true,
     .cap = cap,
     .bin_max = 1,
     .value = value,
     .bottlenecks = true,
     .bound = HD_BOUND_MEAN_SHARE};
