/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of the routes alone, from all pairs at once: efi and hops. */
#include "base/c_locale.h"
#include "base/status.h"
#include "load/all_pairs.h"
#include "flow/metric/all_metrics.h"

#include <math.h>
#include <stdio.h>

static hd_status measure_efi(struct hd_ctx *ctx, const struct hd_routes *r, const void *opt, struct hd_result *result)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_arena a = {0};
    struct hd_allpairs all;
    (void)opt;
    hd_status s = hd_allpairs_load(ctx, &a, r, &all);
    uint64_t max = 0, min = UINT64_MAX, sum = 0, n = 0;
    for (uint32_t c = 0; s == HD_OK && c < net->nchan; c++) {
        if (net->head[c] >= net->nsw || net->tail[c] >= net->nsw) continue;
        n++;
        sum += all.load[c];
        if (all.load[c] > max) max = all.load[c];
        if (all.load[c] < min) min = all.load[c];
    }
    if (s == HD_OK) {
        double unit = all.unit;
        result->value = (double)max / unit;
        result->max = result->value;
        result->min = n ? (double)min / unit : 0;
        result->p5 = result->median = result->p95 = NAN; /* no samples to order */
        result->samples = 1;
        result->unserved = all.unserved;
        hd_format(result->note, sizeof result->note, "average %.1f over %llu switch-to-switch channels",
                  n ? (double)sum / unit / (double)n : 0.0, (unsigned long long)n);
    }
    hd_arena_release(&a);
    return s;
}

static hd_status measure_hops(struct hd_ctx *ctx, const struct hd_routes *r, const void *opt, struct hd_result *result)
{
    struct hd_arena a = {0};
    struct hd_allpairs all;
    (void)opt;
    hd_status s = hd_allpairs_load(ctx, &a, r, &all);
    if (s == HD_OK) {
        uint64_t served = all.pairs * all.unit - all.unserved;
        result->value = served ? (double)all.hops / (double)served : 0;
        result->min = result->max = result->p5 = result->median = result->p95 = NAN;
        result->samples = 1;
        result->unserved = all.unserved;
    }
    hd_arena_release(&a);
    return s;
}

const struct hd_metric hd_metric_efi = {
    .desc = {.name = "efi",
             .summary = "edge-forwarding index: largest number of pairs on a switch-to-switch channel",
             .text = "Routes of all ordered pairs of endpoints are counted on every channel between switches; the "
                     "largest count. "
                     "min is the smallest. For any pattern, the load it puts on a channel is at most this count.",
             .cite = "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks",
             .examples = (const char *const[]){"efi", NULL},
             .opt_size = 1},
    .measure = measure_efi};

const struct hd_metric hd_metric_hops = {
    .desc = {.name = "hops",
             .summary = "mean number of channels on a path, endpoint cables included",
             .text = "Over all ordered pairs of endpoints that have a path.",
             .examples = (const char *const[]){"hops", NULL},
             .opt_size = 1},
    .measure = measure_hops};
