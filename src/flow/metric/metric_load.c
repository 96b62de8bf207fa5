/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of the most loaded channel: maxload, and its inverse minbw. */
#include "flow/metric/all_metrics.h"

static uint64_t full_load(const struct hd_loads *l)
{
    return (uint64_t)l->unit * l->rates->scale;
}

static uint64_t value_maxload(const struct hd_loads *l, const void *opt)
{
    (void)opt;
    return hd_fixed(hd_loads_max(l), full_load(l));
}

static uint64_t value_minbw(const struct hd_loads *l, const void *opt)
{
    (void)opt;
    uint64_t max = hd_loads_max(l), full = full_load(l);
    if (max == 0 || l->unserved) return 0;
    return max <= full ? HD_ONE : (uint64_t)((double)full / (double)max * (double)HD_ONE);
}

const struct hd_metric hd_metric_minbw = {
    .desc =
        {.name = "minbw",
         .summary = "bandwidth of the slowest flow: 1 / (largest load in the network)",
         .text =
             "With bisect, permutation and dissemination its mean is the ABB, AFPB and ADB of the literature on OPT. "
             "0 when a flow has no path.",
         .cite = "Nienaber, Mahapatra, Yuan",
         .examples = (const char *const[]){"minbw", NULL},
         .opt_size = 1},
    .higher_is_better = true,
    .bin_max = 1,
    .value = value_minbw,
    .bottlenecks = true,
    .bound = HD_BOUND_LEAST_SHARE};

const struct hd_metric hd_metric_maxload = {.desc = {.name = "maxload",
                                                     .summary = "largest load of a channel",
                                                     .text = "Flows on the most loaded channel, relative to its rate.",
                                                     .examples = (const char *const[]){"maxload", NULL},
                                                     .opt_size = 1},
                                            .bin_max = HD_BINS,
                                            .value = value_maxload,
                                            .bottlenecks = true,
                                            .bound = HD_BOUND_LOAD};
