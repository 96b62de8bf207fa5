/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of the most loaded channel: maxload, and its inverse minbw. */
#include "flow/metric/all_metrics.h"

static uint64_t maxload_value(const struct hd_loads *l, const struct hd_metric_in *in)
{
    (void)in;
    return hd_fixed(l->largest, l->full);
}

static uint64_t minbw_value(const struct hd_loads *l, const struct hd_metric_in *in)
{
    (void)in;
    if (l->largest == 0 || l->unserved) return 0;
    return l->largest <= l->full ? HD_ONE : (uint64_t)((double)l->full / (double)l->largest * (double)HD_ONE);
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
    .value = minbw_value,
    .bound = HD_BOUND_LEAST_SHARE};

const struct hd_metric hd_metric_maxload = {.desc = {.name = "maxload",
                                                     .summary = "largest load of a channel",
                                                     .text = "Flows on the most loaded channel, relative to its rate.",
                                                     .examples = (const char *const[]){"maxload", NULL},
                                                     .opt_size = 1},
                                            .bin_max = HD_BINS,
                                            .value = maxload_value,
                                            .bound = HD_BOUND_LOAD};
