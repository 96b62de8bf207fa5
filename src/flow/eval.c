/* SPDX-License-Identifier: BSD-2-Clause */
/* Monte Carlo: samples are numbered, each draws from a stream of its own, and folds are whole numbers,
 * so any split of the samples over threads gives the same result. A stopping rule is only looked at
 * after 1000, 2000, 4000, ... samples. */
#include "flow/eval.h"
#include "base/status.h"
#include "base/threads.h"
#include "flow/bound.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 1000, CAP = 1024000 };

struct run {
    const struct hd_job *job;
    const struct hd_request *q;
    void *state; /* of the pattern */
    struct hd_rates rates;
    struct hd_paths *paths;
    struct hd_loads *loads; /* one a thread */
    struct hd_fold *folds;
    uint64_t *values;       /* of one batch, when the caller wants every sample */
    int threads;
};

static uint64_t one_sample(struct run *run, struct hd_loads *l, uint64_t i, uint64_t seed)
{
    const struct hd_job *job = run->job;
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_PATTERN, i);
    job->pattern->draw(run->state, &rng, i, &l->flows);
    hd_loads_run(l);
    return job->metric->value(l, job->metric_opt);
}

static hd_status run_samples(struct hd_ctx *ctx, struct run *run, uint64_t from, uint64_t to, struct hd_fold *total)
{
    int threads = run->threads;
    uint64_t seed = ctx->seed;
    for (int t = 0; t < threads; t++) hd_fold_init(&run->folds[t]);
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (uint64_t i = from; i < to; i++) {
        int t = hd_thread_id();
        struct hd_loads *l = &run->loads[t];
        uint64_t v = one_sample(run, l, i, seed);
        hd_fold_add(&run->folds[t], run->job->metric, v, l->unserved);
        if (run->values) run->values[i - from] = v;
        hd_loads_clear(l);
    }
    for (int t = 0; t < threads; t++) {
        if (run->loads[t].failed) return hd_fail_memory(ctx);
        hd_fold_merge(total, &run->folds[t]);
    }
    for (uint64_t i = from; run->values && i < to; i++)
        run->q->sample(run->q->user, i, (double)run->values[i - from] / (double)HD_ONE);
    return HD_OK;
}

/* All stages of a sequence, a fixed number of samples, or as many as the stopping rule wants. Work is
 * cut into batches so that progress shows; where they are cut changes nothing. */
static hd_status run_all(struct hd_ctx *ctx, struct run *run, uint64_t stages, struct hd_result *result)
{
    enum { BATCH = 1000 };
    const struct hd_request *q = run->q;
    uint64_t cap = q->max_samples ? q->max_samples : CAP;
    uint64_t want = stages ? stages : q->ci > 0 ? FIRST : q->samples ? q->samples : FIRST, done = 0;
    struct hd_fold total;
    hd_fold_init(&total);
    for (;;) {
        while (done < want) {
            uint64_t to = want - done < BATCH ? want : done + BATCH;
            hd_progress(ctx, "samples", done, want);
            HD_TRY(run_samples(ctx, run, done, to, &total));
            done = to;
        }
        hd_progress(ctx, "samples", done, want);
        hd_fold_report(&total, run->job->metric, stages == 0, result);
        if (stages || q->ci <= 0 || result->ci < q->ci * result->value || want >= cap) return HD_OK;
        want = 2 * want < cap ? 2 * want : cap;
    }
}

static hd_status prepare(struct hd_ctx *ctx, struct hd_arena *a, struct run *run)
{
    const struct hd_job *job = run->job;
    HD_TRY(hd_rates_init(ctx, a, hd_routes_net(job->routes), &run->rates));
    run->threads = hd_threads(ctx);
    uint32_t flows = job->pattern->max_flows(run->state);
    run->loads = HD_NEW(a, struct hd_loads, (size_t)run->threads);
    run->folds = HD_NEW(a, struct hd_fold, (size_t)run->threads);
    if (run->q->sample) run->values = HD_NEW(a, uint64_t, 1000);
    if (!run->loads || !run->folds || (run->q->sample && !run->values)) return hd_fail_memory(ctx);
    struct hd_arena *own = HD_NEW(a, struct hd_arena, (size_t)run->threads);
    if (!own) return hd_fail_memory(ctx);
    HD_TRY(hd_paths_init(ctx, a, job->routes, (run->q->samples ? run->q->samples : FIRST) * flows, &run->paths));
    for (int t = 0; t < run->threads; t++) {
        HD_TRY(hd_loads_init(ctx, &own[t], job->routes, &run->rates, flows, &run->loads[t]));
        run->loads[t].paths = run->paths;
    }
    return HD_OK;
}

static hd_status share(struct hd_ctx *ctx, struct hd_arena *a, struct run *run, struct hd_result *result)
{
    const struct hd_job *job = run->job;
    struct hd_metric_in in = {job->routes, &run->rates, job->metric_opt};
    void *shared = NULL;
    if (job->metric->init) HD_TRY(job->metric->init(ctx, a, &in, result, &shared));
    for (int t = 0; t < run->threads; t++) run->loads[t].shared = shared;
    return HD_OK;
}

hd_status hd_eval_job(struct hd_ctx *ctx, const struct hd_job *job, const struct hd_request *q, struct hd_result *result)
{
    if (!job->metric->value) return job->metric->measure(ctx, job->routes, job->metric_opt, result);
    struct hd_arena a = {0};
    struct run run = {.job = job, .q = q};
    struct hd_ranks ranks;
    hd_status s = hd_ranks_make(ctx, &a, job->routes, q->ranks ? q->ranks : "natural", &ranks);
    struct hd_pattern_in in = {job->routes, &ranks, job->pattern_opt};
    if (s == HD_OK) s = job->pattern->init(ctx, &a, &in, &run.state);
    if (s == HD_OK) s = prepare(ctx, &a, &run);
    if (s == HD_OK) s = share(ctx, &a, &run, result);
    if (s == HD_OK) s = run_all(ctx, &run, job->pattern->stages ? job->pattern->stages(run.state) : 0, result);
    struct hd_bound_in bound = {job, &ranks, run.state, &run.rates};
    if (s == HD_OK) s = hd_bound_samples(ctx, &bound, &run.loads[0].flows, result);
    for (int t = 0; run.loads && t < run.threads; t++)
        if (run.loads[t].arena) hd_arena_release(run.loads[t].arena);
    hd_arena_release(&a);
    return s;
}
