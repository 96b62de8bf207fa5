/* SPDX-License-Identifier: BSD-2-Clause */
/* Hot-spot degree: the largest number of flows on one channel of a stage. Plain counts, whatever the
 * channel's rate; a flow that splits over variants counts its share on each, a weighted one its weight.
 * The mean over the stages is the value, the largest its max.
 * Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives. */
#include "flow/metric/all_metrics.h"

static uint64_t hsd_value(const struct hd_loads *l, const struct hd_metric_in *in)
{
    (void)in;
    return hd_fixed(l->largest, l->full);
}

const struct hd_metric hd_metric_hsd = {
    .desc =
        {.name = "hsd",
         .summary = "hot-spot degree: largest number of flows on a channel",
         .text = "The mean over the stages of a collective, or over random samples; max is the largest. 1 means that "
                 "no two flows of a stage ever meet. Flows are counted, not bandwidth: the rates of channels play no "
                 "part (maxload looks at them). A flow that splits over path variants counts its share on each, a "
                 "weighted one its weight.",
         .cite =
             "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives",
         .examples = (const char *const[]){"hsd", NULL},
         .command = "heddle eval ft:m=8,n=2 dmodk minhop -p shift -m hsd",
         .opt_size = 1},
    .bin_max = HD_BINS,
    .bound = HD_BOUND_LOAD,
    .value = hsd_value,
    .counts_flows = true};
