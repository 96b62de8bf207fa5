/* SPDX-License-Identifier: BSD-2-Clause */
/* Monte Carlo: samples are numbered, each draws from a stream of its own, and folds are whole numbers,
 * so any split of the samples over threads and processes gives the same result. A stopping rule is only looked at
 * after 1000, 2000, 4000, ... samples. */
#include "flow/eval/eval.h"
#include "base/comm.h"
#include "base/rows.h"
#include "base/status.h"
#include "base/threads.h"
#include "flow/bound/bound.h"
#include "flow/eval/checkpoint.h"
#include "tool/processes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 1000, CAP = 1024000, BATCH = 1000, BATCH_FLOWS = 1 << 22 };

struct run {
    const struct hd_job *job;
    const struct hd_request *q;
    void *state; /* of the pattern */
    struct hd_rates rates;
    struct hd_paths *paths;
    struct hd_bottlenecks *fast;
    struct hd_loads *loads; /* one a thread */
    struct hd_fold *folds;  /* one a thread, then one a process */
    uint64_t *values;       /* of one batch, when the caller wants every sample */
    uint64_t *load_sum;     /* [threads * nchan], when the caller wants loads */
    uint32_t *load_max;
    int threads;
    uint64_t batch; /* samples between two looks at progress: fewer where they are large */
    struct hd_checkpoint *checkpoint;
    uint64_t hash;
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

static void keep_loads(struct run *run, const struct hd_loads *l, int t)
{
    uint32_t nchan = hd_routes_net(l->routes)->nchan;
    uint64_t *sum = run->load_sum + (size_t)t * nchan;
    uint32_t *max = run->load_max + (size_t)t * nchan;
    for (uint32_t c = 0; c < nchan; c++) {
        sum[c] += l->load[c];
        if (l->load[c] > max[c]) max[c] = l->load[c];
    }
}

/* Samples from .. to of this process, split over its threads; the fold lands in folds[0]. */
static hd_status run_samples(struct hd_ctx *ctx, struct run *run, uint64_t from, uint64_t to, uint64_t batch)
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
        if (run->values) run->values[i - batch] = v;
        if (run->load_sum) keep_loads(run, l, t);
        hd_loads_clear(l);
    }
    for (int t = 0; t < threads; t++) {
        if (run->loads[t].failed) return hd_fail_memory(ctx);
        if (t > 0) hd_fold_merge(&run->folds[0], &run->folds[t]);
    }
    return HD_OK;
}

/* One batch over all processes: each takes a stretch of it, and folds are merged in rank order. */
static hd_status run_batch(struct hd_ctx *ctx, struct run *run, uint64_t from, uint64_t to, struct hd_fold *total)
{
    uint64_t rank = (uint64_t)hd_comm_rank(ctx->comm), size = (uint64_t)hd_comm_size(ctx->comm), n = to - from;
    if (run->values) memset(run->values, 0, BATCH * sizeof *run->values);
    HD_TRY(run_samples(ctx, run, from + n * rank / size, from + n * (rank + 1) / size, from));
    struct hd_fold mine = run->folds[0];
    hd_comm_gather(ctx->comm, &mine, sizeof mine, run->folds);
    for (uint64_t r = 0; r < size; r++) hd_fold_merge(total, &run->folds[r]);
    if (!run->values) return HD_OK;
    hd_comm_sum_u64(ctx->comm, run->values, n); /* others hold 0 */
    for (uint64_t i = 0; i < n; i++) run->q->sample(run->q->user, from + i, (double)run->values[i] / (double)HD_ONE);
    return HD_OK;
}

/* All stages of a sequence, a fixed number of samples, or as many as the stopping rule wants. Work is
 * cut into batches for progress and checkpoints; where they are cut changes nothing. */
static hd_status run_all(struct hd_ctx *ctx, struct run *run, uint64_t stages, struct hd_result *result)
{
    const struct hd_request *q = run->q;
    uint64_t cap = q->max_samples ? q->max_samples : CAP;
    uint64_t want = stages ? stages : q->ci > 0 ? FIRST : q->samples ? q->samples : FIRST, done = 0;
    struct hd_fold total;
    hd_fold_init(&total);
    if (run->checkpoint) hd_checkpoint_find(run->checkpoint, run->hash, &done, &total);
    for (;;) {
        if (done > want && q->ci <= 0)
            return hd_fail(ctx, HD_INPUT, "%s: holds %llu samples, more than the %llu asked for", q->checkpoint,
                           (unsigned long long)done, (unsigned long long)want);
        while (done < want) {
            uint64_t to = want - done < run->batch ? want : done + run->batch;
            hd_progress(ctx, "samples", done, want);
            HD_TRY(run_batch(ctx, run, done, to, &total));
            done = to;
            if (run->checkpoint) HD_TRY(hd_checkpoint_save(ctx, run->checkpoint, run->hash, done, &total));
        }
        hd_progress(ctx, "samples", done, want);
        hd_fold_report(&total, run->job->metric, stages == 0, result);
        if (stages || q->ci <= 0 || (done == want && result->ci < q->ci * result->value) || want >= cap) return HD_OK;
        want = 2 * want < cap ? 2 * want : cap;
    }
}

static void gather_loads(struct hd_ctx *ctx, const struct run *run, uint32_t nchan)
{
    const struct hd_request *q = run->q;
    for (uint32_t c = 0; c < nchan; c++) {
        q->load_sum[c] = q->load_max[c] = 0;
        for (int t = 0; t < run->threads; t++) {
            q->load_sum[c] += run->load_sum[(size_t)t * nchan + c];
            if (run->load_max[(size_t)t * nchan + c] > q->load_max[c])
                q->load_max[c] = run->load_max[(size_t)t * nchan + c];
        }
    }
    hd_comm_sum_u64(ctx->comm, q->load_sum, nchan);
    hd_comm_max_u32(ctx->comm, q->load_max, nchan);
}

static hd_status prepare(struct hd_ctx *ctx, struct hd_arena *a, struct run *run, uint64_t stages)
{
    const struct hd_job *job = run->job;
    const struct hd_request *q = run->q;
    size_t nchan = hd_routes_net(job->routes)->nchan, threads = (size_t)hd_threads(ctx);
    size_t processes = (size_t)hd_comm_size(ctx->comm);
    if (stages && stages < threads) threads = (size_t)stages;
    run->threads = (int)threads;
    HD_TRY(hd_rates_init(ctx, a, hd_routes_net(job->routes), &run->rates));
    uint32_t flows = job->pattern->max_flows(run->state);
    run->batch = BATCH;
    while (run->batch > 16 && run->batch * flows > BATCH_FLOWS) run->batch /= 2;
    run->loads = HD_NEW(a, struct hd_loads, threads);
    run->folds = HD_NEW(a, struct hd_fold, threads > processes ? threads : processes);
    struct hd_arena *own = HD_NEW(a, struct hd_arena, threads);
    bool failed = !run->loads || !run->folds || !own;
    if (q->sample) failed |= !(run->values = HD_NEW(a, uint64_t, BATCH));
    if (q->load_sum)
        failed |= !(run->load_sum = HD_NEW(a, uint64_t, threads * nchan)) ||
                  !(run->load_max = HD_NEW(a, uint32_t, threads * nchan));
    if (failed) return hd_fail_memory(ctx);
    uint64_t samples = stages ? stages : q->samples ? q->samples : FIRST;
    /* Fast forms leave endpoint cables out: not when the loads of all cables are asked for. */
    if (!q->load_sum && job->metric->bottlenecks && !run->rates.factor)
        HD_TRY(hd_bottlenecks_init(ctx, a, job->routes, samples * flows, &run->fast));
    if (!q->load_sum && !run->fast) HD_TRY(hd_paths_init(ctx, a, job->routes, samples * flows, &run->paths));
    for (size_t t = 0; t < threads; t++) {
        HD_TRY(hd_loads_init(ctx, &own[t], job->routes, &run->rates, flows, &run->loads[t]));
        run->loads[t].paths = run->paths;
        if (run->fast) HD_TRY(hd_loads_use(ctx, &run->loads[t], run->fast, flows));
        if (job->pattern->unit) run->loads[t].unit *= job->pattern->unit(run->state);
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

hd_status hd_eval_job(struct hd_ctx *ctx, const struct hd_job *job, const struct hd_request *q,
                      struct hd_result *result)
{
    if (!job->metric->value) return job->metric->measure(ctx, job->routes, job->metric_opt, result);
    struct hd_arena a = {0};
    struct run run = {.job = job, .q = q};
    struct hd_ranks ranks;
    hd_status s = hd_ranks_make(ctx, &a, job->routes, q->ranks ? q->ranks : "natural", &ranks);
    struct hd_pattern_in in = {job->routes, &ranks, job->pattern_opt};
    if (s == HD_OK) s = job->pattern->init(ctx, &a, &in, &run.state);
    uint64_t stages = s == HD_OK && job->pattern->stages ? job->pattern->stages(run.state) : 0;
    if (s == HD_OK) s = prepare(ctx, &a, &run, stages);
    if (s == HD_OK) s = share(ctx, &a, &run, result);
    if (s == HD_OK && q->checkpoint) {
        run.hash = hd_request_hash(ctx, job, &ranks, result);
        s = hd_checkpoint_open(ctx, &a, q->checkpoint, &run.checkpoint);
    }
    if (s == HD_OK) s = run_all(ctx, &run, stages, result);
    if (s == HD_OK && q->load_sum) gather_loads(ctx, &run, hd_routes_net(job->routes)->nchan);
    struct hd_bound_in bound = {job, &ranks, run.state, &run.rates};
    if (s == HD_OK) s = hd_bound_samples(ctx, &bound, &run.loads[0].flows, result);
    if (s == HD_OK && job->metric->cap && result->bound > job->metric->cap(job->metric_opt)) {
        result->bound = job->metric->cap(job->metric_opt);
        snprintf(result->bound_name, sizeof result->bound_name, "hosts");
    }
    for (int t = 0; run.loads && t < run.threads; t++)
        if (run.loads[t].arena) hd_arena_release(run.loads[t].arena);
    hd_arena_release(&a);
    return s;
}

hd_status hd_eval(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_request *q, struct hd_result *result)
{
    struct hd_arena scratch = {0};
    struct hd_job job = {.routes = r};
    struct hd_result res = {.bound = NAN};
    struct hd_spec metric = {0}, pattern = {0};
    hd_status s = hd_spec_open(ctx, &scratch, HD_METRICS, q->metric, &metric, res.metric);
    job.metric = (const struct hd_metric *)metric.desc;
    job.metric_opt = metric.opt;
    if (s == HD_OK && job.metric->value) { /* others need no pattern and do not look at one */
        s = q->pattern ? hd_spec_open(ctx, &scratch, HD_PATTERNS, q->pattern, &pattern, res.pattern)
                       : hd_fail(ctx, HD_USAGE, "metric %s needs a pattern", metric.desc->name);
        job.pattern = (const struct hd_pattern *)pattern.desc;
        job.pattern_opt = pattern.opt;
    }
    if (s == HD_OK) s = hd_eval_job(ctx, &job, q, &res);
    if (s == HD_OK) *result = res;
    hd_arena_release(&scratch);
    return s;
}
