/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth: a flow gets the share 1 / (largest load on its path); the value of a
 * sample is the mean share. A flow without a path gets nothing. */
#include "base/status.h"
#include "flow/metrics.h"

struct opt {
    double host;
};

static uint64_t value(const struct hd_loads *l, const void *opt)
{
    const struct hd_rates *rates = l->rates;
    uint64_t sum = 0, cap = (uint64_t)(((const struct opt *)opt)->host * (double)HD_ONE);
    uint64_t full = (uint64_t)l->unit * rates->scale; /* a load of 1 */
    uint32_t paths = l->nflow * l->nvar;
    for (uint32_t k = 0; k < paths; k++) {
        uint64_t max = 0;
        for (uint32_t j = l->at[k]; j < l->at[k + 1]; j++) {
            uint64_t load = l->load[l->chan[j]];
            if (rates->factor) load *= rates->factor[l->chan[j]];
            if (load > max) max = load;
        }
        uint64_t share = max == 0 ? 0 : max <= full ? HD_ONE : HD_ONE * full / max;
        sum += share < cap ? share : cap;
    }
    return paths ? sum / paths : 0;
}

const struct hd_metric hd_metric_ebb = {
    .desc = {.name = "ebb",
             .summary = "effective bisection bandwidth: mean share of its link a flow gets",
             .text = "Every flow gets 1 / (largest load on its path), load counted relative to the channel's rate and at least "
                     "1; the mean over flows is the sample's value. host= caps the share of a host that cannot fill its link.",
             .cite = "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks",
             .params = (const struct hd_param[]){{"host", HD_REAL, "1", "largest share of its link a host can use", offsetof(struct opt, host), 0.001, 1, NULL, false}, {0}},
             .examples = (const char *const[]){"ebb", "ebb:host=0.6", NULL},
             .opt_size = sizeof(struct opt)},
    .higher_is_better = true,
    .bin_max = 1,
    .value = value};
