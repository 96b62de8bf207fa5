/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance ratio of a sample: its largest load, divided by the least largest load any routing could give
 * the same flows (optimum.h). Flows without a path are left out of both. */
#include "base/status.h"
#include "base/threads.h"
#include "flow/metric/all_metrics.h"
#include "flow/bound/optimum.h"

#include <math.h>
#include <stdio.h>

static hd_status ratio_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_metric_in *in,
                            struct hd_result *result)
{
    struct hd_optimum *optimum = HD_NEW(arena, struct hd_optimum, 1);
    if (!optimum) return hd_fail_memory(ctx);
    HD_TRY(hd_optimum_init(ctx, arena, hd_routes_net(in->routes), optimum));
    snprintf(result->note, sizeof result->note, "%s", hd_optimum_name(optimum));
    result->bound = 1;
    snprintf(result->bound_name, sizeof result->bound_name, "the optimum itself");
    in->shared = optimum;
    return HD_OK;
}

static bool is_served(const struct hd_loads *l, uint32_t i)
{
    bool served = false;
    for (uint32_t x = 0; x < l->nvar; x++) served |= hd_bottleneck(l, i * l->nvar + x) > 0;
    return served;
}

/* The flows that have a path, in memory from a; false: it ran out. */
static bool served_flows(const struct hd_loads *l, struct hd_arena *a, struct hd_flows *served)
{
    const struct hd_flows *f = &l->flows;
    uint32_t *src, *dst, *weight, n = 0;
    if (!HD_NEW_U32(a, f->n, &src, &dst, &weight)) return false;
    for (uint32_t i = 0; i < f->n; i++) {
        if (!is_served(l, i)) continue;
        src[n] = f->src[i];
        dst[n] = f->dst[i];
        weight[n++] = f->weight ? f->weight[i] : 1;
    }
    *served = (struct hd_flows){.n = n, .src = src, .dst = dst, .weight = f->weight ? weight : NULL};
    return true;
}

static uint64_t ratio_value(const struct hd_loads *l, const struct hd_metric_in *in)
{
    struct hd_arena a = {0};
    double load = (double)l->largest / l->nvar / in->rates->scale;
    struct hd_flows f = l->flows;
    bool enough = !l->unserved || served_flows(l, &a, &f);
    double least = enough ? hd_optimum_load(in->shared, hd_thread_id(), &f) : NAN;
    hd_arena_release(&a);
    if (isnan(least)) return HD_NO_VALUE;
    return least > 0 ? (uint64_t)(load / least * (double)HD_ONE) : HD_ONE; /* nothing to carry is carried best */
}

const struct hd_metric hd_metric_ratio = {
    .desc =
        {.name = "ratio",
         .summary = "performance ratio: largest load relative to the optimum for the same flows",
         .text =
             "The largest load divided by the least largest load any routing could give the flows, splitting them at "
             "will. That optimum is exact on intact trees, slimmed or not (the fullest cut around a subtree), and on "
             "small networks of other kinds where the linear-programming library was built in; elsewhere a lower "
             "bound from cuts and distances takes its place, and the note says so. 1 for a sample without flows.",
         .cite = "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks; Applegate, "
                 "Cohen",
         .examples = (const char *const[]){"ratio", NULL},
         .opt_size = 1},
    .bin_max = 128,
    .value = ratio_value,
    .init = ratio_init};
