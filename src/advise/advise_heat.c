/* SPDX-License-Identifier: BSD-2-Clause */
/* The heat map: the mean share of link rate that a flow gets from one group of leaf switches to another, in the first
 * random bisections of the comparison. Cost: one sample of hd_eval each, at most HD_HEAT_SAMPLES. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "base/threads.h"
#include "flow/pattern/all_patterns.h"
#include "load/loader.h"

#include <math.h>

struct heat_sums {
    uint64_t *sum; /* [ngroup^2] shares in units of 2^-30 */
    uint32_t *n;
    uint32_t ngroup;
    const uint32_t *group_of;
};

static void heat_add(const struct heat_sums *h, const struct hd_net *net, const struct hd_loads *l)
{
    uint64_t full = l->full;
    for (uint32_t k = 0; k < l->npath; k++) {
        uint32_t f = k / l->nvar, s = hd_leaf(net, l->flows.src[f]), d = hd_leaf(net, l->flows.dst[f]);
        size_t at = (size_t)h->group_of[s] * h->ngroup + h->group_of[d];
        uint64_t load = hd_bottleneck(l, k);
        h->n[at]++;
        if (load) h->sum[at] += load <= full ? 1 << 30 : (uint64_t)((double)full / (double)load * (1 << 30));
    }
}

/* One loader for all threads, and for each of them loads and sums of its own. */
struct heat_threads {
    int n;
    struct hd_loads *loads;
    struct hd_arena *own;
    struct heat_sums *sums;
    void *state; /* of the pattern */
};

static hd_status heat_prepare(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_routes *r, uint64_t samples,
                              const struct heat_sums *h, struct heat_threads *k)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_ranks *ranks = HD_NEW(scratch, struct hd_ranks, 1);
    struct hd_loader_in load = {.routes = r, .need = HD_NEED_BOTTLENECKS};
    const struct hd_loader *loader;
    size_t cells = (size_t)h->ngroup * h->ngroup;
    k->n = hd_threads(ctx);
    k->loads = HD_NEW(scratch, struct hd_loads, (size_t)k->n);
    k->own = HD_NEW(scratch, struct hd_arena, (size_t)k->n);
    k->sums = HD_NEW(scratch, struct heat_sums, (size_t)k->n);
    if (!ranks || !k->loads || !k->own || !k->sums) return hd_fail_memory(ctx);
    *ranks = (struct hd_ranks){net->nsel, net->sel};
    HD_TRY(hd_rates_of(ctx, net, &load.rates));
    HD_TRY(hd_pattern_bisect.init(ctx, scratch, &(struct hd_pattern_in){r, ranks, NULL}, &k->state));
    uint32_t flows = hd_pattern_bisect.max_flows(k->state);
    load.flows = samples * flows;
    HD_TRY(hd_loader_make(ctx, scratch, &load, &loader));
    for (int t = 0; t < k->n; t++) {
        k->sums[t] = (struct heat_sums){HD_NEW(scratch, uint64_t, cells), HD_NEW(scratch, uint32_t, cells), h->ngroup,
                                        h->group_of};
        if (!k->sums[t].sum || !k->sums[t].n) return hd_fail_memory(ctx);
        HD_TRY(hd_loads_init(ctx, &k->own[t], loader, flows, 1, &k->loads[t]));
    }
    return HD_OK;
}

/* Sums of whole numbers: the same however samples are split over threads. */
static hd_status heat_run(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t samples, struct heat_threads *k,
                          const struct heat_sums *h)
{
    const uint64_t seed = ctx->seed;
    bool failed = false;
#pragma omp parallel for schedule(dynamic, 4) num_threads(k->n)
    for (uint64_t i = 0; i < samples; i++) {
        struct hd_loads *l = &k->loads[hd_thread_id()];
        struct hd_rng rng;
        hd_rng_init(&rng, seed, HD_RNG_PATTERN, i);
        hd_pattern_bisect.draw(k->state, &rng, i, &l->flows);
        hd_loads_run(l);
        if (!l->failed) heat_add(&k->sums[hd_thread_id()], hd_routes_net(r), l);
    }
    for (int t = 0; t < k->n; t++) {
        failed |= k->loads[t].failed;
        for (size_t i = 0; i < (size_t)h->ngroup * h->ngroup; i++) {
            h->sum[i] += k->sums[t].sum[i];
            h->n[i] += k->sums[t].n[i];
        }
    }
    return failed ? hd_fail_memory(ctx) : HD_OK;
}

static hd_status heat_sample(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_routes *r, uint64_t samples,
                             const struct heat_sums *h)
{
    struct heat_threads k = {0};
    hd_status s = heat_prepare(ctx, scratch, r, samples, h, &k);
    if (s == HD_OK) s = heat_run(ctx, r, samples, &k, h);
    for (int t = 0; k.own && t < k.n; t++) hd_arena_release(&k.own[t]);
    return s;
}

hd_status hd_advise_heat(struct hd_advising *a, struct hd_ctx *ctx, const struct hd_routes *r,
                         struct hd_report_option *o)
{
    struct hd_arena scratch = {0};
    size_t cells = (size_t)a->report->ngroup * a->report->ngroup;
    struct heat_sums h = {HD_NEW(&scratch, uint64_t, cells), HD_NEW(&scratch, uint32_t, cells), a->report->ngroup,
                          a->group_of};
    float *heat = hd_advise_alloc(a, cells, sizeof *heat);
    uint32_t split = hd_routes_select(r) == HD_SELECT_ALL ? hd_routes_variants(r) : 1;
    uint64_t samples = hd_work_samples(a, split);
    hd_status s = h.sum && h.n && heat ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) s = heat_sample(ctx, &scratch, r, samples < HD_HEAT_SAMPLES ? samples : HD_HEAT_SAMPLES, &h);
    for (size_t i = 0; s == HD_OK && i < cells; i++)
        heat[i] = h.n[i] ? (float)((double)h.sum[i] / h.n[i] / (1 << 30)) : NAN;
    if (s == HD_OK) o->heat = heat;
    hd_arena_release(&scratch);
    return hd_unsuited(s) ? HD_OK : s;
}
