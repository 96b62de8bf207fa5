/* SPDX-License-Identifier: BSD-2-Clause */
/* Monte Carlo: samples are numbered, each draws from a stream of its own, and folds are whole numbers,
 * so any split of the samples over threads and processes gives the same result. A stopping rule is only looked at
 * after 1000, 2000, 4000, ... samples. */
#include "flow/eval/eval.h"
#include "base/agree.h"
#include "base/comm.h"
#include "base/hash.h"
#include "base/rows.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/threads.h"
#include "flow/bound/best_split.h"
#include "flow/bound/bound.h"
#include "flow/eval/checkpoint.h"
#include "tool/processes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 1000, CAP = 1024000, BATCH = 1000, BATCH_FLOWS = 1 << 22 };

struct eval {
    const struct hd_job *job;
    const struct hd_request *q;
    void *state;     /* of the pattern */
    uint64_t stages; /* of a fixed sequence; 0: random samples */
    const struct hd_rates *rates;
    struct hd_metric_in in;
    struct hd_loads *loads; /* one per thread */
    struct hd_arena *own;   /* one per thread, behind its loads */
    struct hd_fold *folds;  /* one per thread, then one per process */
    uint64_t *values;       /* of one batch, when the caller wants every sample */
    uint64_t *load_sum;     /* [threads * nchan], when the caller wants loads */
    uint32_t *load_max;
    int threads;
    uint64_t batch; /* samples between two looks at progress: fewer where they are large */
    struct hd_checkpoint *checkpoint;
    uint64_t hash;
    bool fluid; /* flows are split over the groups of adaptive routing */
};

static uint64_t one_sample(struct eval *e, struct hd_loads *l, uint64_t i, uint64_t seed)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_PATTERN, i);
    e->job->pattern->draw(e->state, &rng, i, &l->flows);
    hd_loads_run(l);
    return e->job->metric->value(l, &e->in);
}

static void keep_loads(struct eval *e, const struct hd_loads *l, int t)
{
    uint32_t nchan = hd_routes_net(e->job->routes)->nchan;
    uint64_t *sum = e->load_sum + (size_t)t * nchan;
    uint32_t *max = e->load_max + (size_t)t * nchan;
    for (uint32_t c = 0; c < nchan; c++) {
        sum[c] += l->load[c];
        if (l->load[c] > max[c]) max[c] = l->load[c];
    }
}

/* Samples from .. to of this process, split over its threads; the fold lands in folds[0]. */
static hd_status run_samples(struct hd_ctx *ctx, struct eval *e, uint64_t from, uint64_t to, uint64_t batch)
{
    int threads = e->threads;
    uint64_t seed = ctx->seed;
    for (int t = 0; t < threads; t++) hd_fold_init(&e->folds[t]);
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (uint64_t i = from; i < to; i++) {
        int t = hd_thread_id();
        struct hd_loads *l = &e->loads[t];
        uint64_t v = one_sample(e, l, i, seed);
        l->failed |= v == HD_NO_VALUE;
        hd_fold_add(&e->folds[t], e->job->metric, v, l->unserved);
        if (e->values) e->values[i - batch] = v;
        if (e->load_sum) keep_loads(e, l, t);
    }
    for (int t = 0; t < threads; t++) {
        if (e->loads[t].failed) return hd_fail_memory(ctx);
        if (t > 0) hd_fold_merge(&e->folds[0], &e->folds[t]);
    }
    return HD_OK;
}

/* One batch over all processes: each takes a stretch of it, and folds are merged in rank order. */
static hd_status eval_run_batch(struct hd_ctx *ctx, struct eval *e, uint64_t from, uint64_t to, struct hd_fold *total)
{
    uint64_t rank = (uint64_t)hd_comm_rank(ctx->comm), size = (uint64_t)hd_comm_size(ctx->comm), n = to - from;
    if (e->values) memset(e->values, 0, BATCH * sizeof *e->values);
    HD_TRY(run_samples(ctx, e, from + n * rank / size, from + n * (rank + 1) / size, from));
    struct hd_fold mine = e->folds[0];
    hd_comm_gather(ctx->comm, &mine, sizeof mine, e->folds);
    for (uint64_t r = 0; r < size; r++) hd_fold_merge(total, &e->folds[r]);
    if (!e->values) return HD_OK;
    hd_comm_sum_u64(ctx->comm, e->values, n); /* others hold 0 */
    for (uint64_t i = 0; i < n; i++) e->q->sample(e->q->user, from + i, (double)e->values[i] / (double)HD_ONE);
    return HD_OK;
}

/* Samples or stages, as far as they are known before the first. */
static uint64_t first_samples(const struct hd_request *q, uint64_t stages)
{
    if (stages) return stages;
    if (q->ci > 0 || !q->samples) return FIRST;
    return q->samples;
}

/* All stages of a sequence, a fixed number of samples, or as many as the stopping rule wants. Work is
 * cut into batches for progress and checkpoints; where they are cut changes nothing. */
static hd_status run_all(struct hd_ctx *ctx, struct eval *e, struct hd_result *result)
{
    const struct hd_request *q = e->q;
    const uint64_t cap = q->max_samples ? q->max_samples : CAP;
    uint64_t want = first_samples(q, e->stages), done = 0;
    struct hd_fold total;
    bool stop = false;
    hd_fold_init(&total);
    if (e->checkpoint) hd_checkpoint_find(e->checkpoint, e->hash, &done, &total);
    for (;;) {
        if (done > want && q->ci <= 0)
            return hd_fail(ctx, HD_INPUT, "%s: holds %llu samples, more than the %llu asked for", q->checkpoint,
                           (unsigned long long)done, (unsigned long long)want);
        while (done < want) {
            uint64_t to = want - done < e->batch ? want : done + e->batch;
            hd_progress(ctx, "samples", done, want);
            HD_TRY(eval_run_batch(ctx, e, done, to, &total));
            done = to;
            if (e->checkpoint) HD_TRY(hd_checkpoint_save(ctx, e->checkpoint, e->hash, done, &total));
            if ((stop = done < want && hd_stop_asked(ctx))) break;
        }
        hd_progress(ctx, "samples", done, want);
        hd_fold_report(&total, e->job->metric, e->stages == 0, result);
        if (e->stages || q->ci <= 0 || (done == want && result->ci < q->ci * result->value) || want >= cap || stop)
            return HD_OK;
        want = 2 * want < cap ? 2 * want : cap;
    }
}

static void gather_loads(struct hd_ctx *ctx, const struct eval *e, uint32_t nchan)
{
    const struct hd_request *q = e->q;
    for (uint32_t c = 0; c < nchan; c++) {
        q->load_sum[c] = q->load_max[c] = 0;
        for (int t = 0; t < e->threads; t++) {
            q->load_sum[c] += e->load_sum[(size_t)t * nchan + c];
            if (e->load_max[(size_t)t * nchan + c] > q->load_max[c])
                q->load_max[c] = e->load_max[(size_t)t * nchan + c];
        }
    }
    hd_comm_sum_u64(ctx->comm, q->load_sum, nchan);
    hd_comm_max_u32(ctx->comm, q->load_max, nchan);
}

static hd_status make_results(struct hd_ctx *ctx, struct hd_arena *a, struct eval *e)
{
    const struct hd_request *q = e->q;
    size_t nchan = hd_routes_net(e->job->routes)->nchan, threads = (size_t)e->threads;
    size_t processes = (size_t)hd_comm_size(ctx->comm);
    bool failed = !(e->folds = HD_NEW(a, struct hd_fold, threads > processes ? threads : processes));
    if (q->sample) failed |= !(e->values = HD_NEW(a, uint64_t, BATCH));
    if (q->load_sum)
        failed |= !(e->load_sum = HD_NEW(a, uint64_t, threads * nchan)) ||
                  !(e->load_max = HD_NEW(a, uint32_t, threads * nchan));
    return failed ? hd_fail_memory(ctx) : HD_OK;
}

static hd_status make_loads(struct hd_ctx *ctx, struct hd_arena *a, struct eval *e)
{
    const struct hd_job *job = e->job;
    const struct hd_pattern *pattern = job->pattern;
    const uint32_t flows = pattern->max_flows(e->state), weight = pattern->unit ? pattern->unit(e->state) : 1;
    const struct hd_loader *loader;
    struct hd_loader_in in = {.routes = job->routes,
                              .rates = job->metric->counts_flows ? NULL : e->rates,
                              .need = e->q->load_sum ? HD_NEED_LOADS : HD_NEED_BOTTLENECKS,
                              .flows = first_samples(e->q, e->stages) * flows,
                              .fluid = e->fluid};
    e->batch = BATCH;
    while (e->batch > 16 && e->batch * flows > BATCH_FLOWS) e->batch /= 2;
    e->loads = HD_NEW(a, struct hd_loads, (size_t)e->threads);
    e->own = HD_NEW(a, struct hd_arena, (size_t)e->threads);
    if (!e->loads || !e->own) return hd_fail_memory(ctx);
    HD_TRY(hd_loader_make(ctx, a, &in, &loader));
    for (int t = 0; t < e->threads; t++) HD_TRY(hd_loads_init(ctx, &e->own[t], loader, flows, weight, &e->loads[t]));
    return HD_OK;
}

static hd_status prepare(struct hd_ctx *ctx, struct hd_arena *a, struct eval *e, struct hd_result *result)
{
    const struct hd_job *job = e->job;
    e->threads = hd_threads(ctx);
    if (e->stages && e->stages < (uint64_t)e->threads) e->threads = (int)e->stages;
    HD_TRY(hd_rates_of(ctx, hd_routes_net(job->routes), &e->rates));
    HD_TRY(make_results(ctx, a, e));
    HD_TRY(make_loads(ctx, a, e));
    e->in = (struct hd_metric_in){job->routes, e->rates, job->metric_opt, NULL};
    return job->metric->init ? job->metric->init(ctx, a, &e->in, result) : HD_OK;
}

static hd_status add_bound(struct hd_ctx *ctx, const struct eval *e, const struct hd_ranks *ranks,
                           struct hd_result *result)
{
    const struct hd_job *job = e->job;
    struct hd_bound_in in = {job, ranks, e->state, e->rates};
    HD_TRY(hd_bound_samples(ctx, &in, &e->loads[0].flows, result));
    if (job->metric->cap && result->bound > job->metric->cap(job->metric_opt)) {
        result->bound = job->metric->cap(job->metric_opt);
        snprintf(result->bound_name, sizeof result->bound_name, "hosts");
    }
    return HD_OK;
}

/* ---- the best split ------------------------------------------------------------------------------------------ */

struct split_job {
    struct eval *e;
    struct hd_splitter **splitter; /* one per thread */
    struct hd_split *found;        /* [samples] */
};

static hd_status split_samples(struct hd_ctx *ctx, struct split_job *job, uint64_t from, uint64_t to)
{
    struct eval *e = job->e;
    const uint64_t seed = ctx->seed;
    hd_status failed = HD_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(e->threads)
    for (uint64_t i = from; i < to; i++) {
        struct hd_ctx own = *ctx;
        struct hd_flows *flows = &e->loads[hd_thread_id()].flows;
        struct hd_rng rng;
        hd_rng_init(&rng, seed, HD_RNG_PATTERN, i);
        e->job->pattern->draw(e->state, &rng, i, flows);
        const hd_status s = hd_split_run(&own, job->splitter[hd_thread_id()], flows, &job->found[i]);
#pragma omp critical(split)
        if (s != HD_OK) failed = s;
    }
    return failed == HD_OK ? HD_OK : hd_fail_memory(ctx);
}

/* How many samples: all, or as many as a number of steps allows after what the first has taken. */
static uint64_t split_count(uint64_t samples, uint64_t steps)
{
    const uint64_t most = ((uint64_t)1 << 27) / (steps ? steps : 1);
    return samples <= most + 1 ? samples : most + 1;
}

static void split_report(const struct hd_split *found, uint64_t n, struct hd_result *result)
{
    double even = 0, best = 0, bound = 0;
    uint64_t served = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!found[i].served) continue;
        even += found[i].even;
        best += found[i].best;
        bound += found[i].bound;
        served++;
    }
    if (!served) return;
    const double digits = (double)(1 << 20); /* the last digits are not the same everywhere */
    result->split_even = rint(even / (double)served * digits) / digits;
    result->split_best = rint(best / (double)served * digits) / digits;
    result->split_bound = rint(bound / (double)served * digits) / digits;
    result->split_samples = served;
}

/* The first samples of a fluid evaluation once more, with the best split of each. */
static hd_status eval_split(struct hd_ctx *ctx, struct hd_arena *a, struct eval *e, struct hd_result *result)
{
    const uint64_t samples = result->samples;
    const struct hd_split_in in = {e->job->routes, e->rates, e->loads[0].nvar, e->loads[0].unit};
    struct split_job job = {.e = e, .splitter = HD_NEW(a, struct hd_splitter *, (size_t)e->threads)};
    job.found = HD_NEW(a, struct hd_split, samples);
    if (!job.splitter || !job.found) return hd_fail_memory(ctx);
    for (int t = 0; t < e->threads; t++) HD_TRY(hd_splitter_make(ctx, &e->own[t], &in, &job.splitter[t]));
    if (!samples) return HD_OK;
    HD_TRY(split_samples(ctx, &job, 0, 1));
    uint64_t steps = 0;
    for (int t = 0; t < e->threads; t++) steps += hd_split_steps(job.splitter[t]);
    const uint64_t n = split_count(samples, steps);
    HD_TRY(split_samples(ctx, &job, 1, n));
    split_report(job.found, n, result);
    return HD_OK;
}

/* ---- evaluations ----------------------------------------------------------------------------------------------- */

static hd_status eval_ranks(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r,
                            const struct hd_request *q, struct hd_ranks *ranks)
{
    if (!q->endpoint) return hd_ranks_make(ctx, a, r, q->ranks ? q->ranks : "natural", ranks);
    if (q->ranks) return hd_fail(ctx, HD_USAGE, "evaluation: expected ranks or endpoints, not both");
    const uint32_t nep = hd_routes_net(r)->nep;
    uint32_t *ep = HD_NEW(a, uint32_t, q->nendpoint);
    bool *seen = HD_NEW(a, bool, nep);
    if (!ep || !seen) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < q->nendpoint; i++) {
        ep[i] = q->endpoint[i];
        if (ep[i] >= nep) return hd_fail(ctx, HD_USAGE, "evaluation: no endpoint %u", ep[i]);
        if (seen[ep[i]]) return hd_fail(ctx, HD_USAGE, "evaluation: endpoint %u is there twice", ep[i]);
        seen[ep[i]] = true;
    }
    *ranks = (struct hd_ranks){q->nendpoint, ep};
    return HD_OK;
}

static hd_status evaluate(struct hd_ctx *ctx, struct hd_arena *a, struct eval *e, struct hd_result *result)
{
    const struct hd_job *job = e->job;
    const struct hd_request *q = e->q;
    struct hd_ranks ranks;
    const uint64_t before = ctx->read;
    ctx->read = 0;
    HD_TRY(eval_ranks(ctx, a, job->routes, q, &ranks));
    struct hd_pattern_in in = {job->routes, &ranks, job->pattern_opt};
    HD_TRY(job->pattern->init(ctx, a, &in, &e->state));
    e->stages = job->pattern->stages ? job->pattern->stages(e->state) : 0;
    HD_TRY(prepare(ctx, a, e, result));
    if (q->checkpoint || hd_comm_size(ctx->comm) > 1) e->hash = hd_request_hash(ctx, job, &ranks, result);
    ctx->read = hd_hash_mix(before ^ ctx->read);
    if (q->checkpoint) HD_TRY(hd_checkpoint_open(ctx, a, q->checkpoint, &e->checkpoint));
    HD_TRY(hd_agree(ctx, HD_OK, e->hash));
    HD_TRY(run_all(ctx, e, result));
    if (q->load_sum) gather_loads(ctx, e, hd_routes_net(job->routes)->nchan);
    return e->fluid ? eval_split(ctx, a, e, result) : add_bound(ctx, e, &ranks, result);
}

static void eval_release(struct hd_arena *a, const struct eval *e)
{
    for (int t = 0; e->own && t < e->threads; t++) hd_arena_release(&e->own[t]);
    hd_arena_release(a);
}

/* Samples of split flows: as many as of whole ones, or fewer where following them would take too many steps. */
static uint64_t fluid_samples(const struct hd_net *net, uint64_t samples)
{
    enum { STEPS = 1 << 28, LEAST = 10 };
    const uint64_t each = (uint64_t)net->nsel * (net->nchan / (net->nep + 1u) + 8) * 4;
    const uint64_t most = STEPS / (each ? each : 1);
    if (samples <= LEAST || samples <= most) return samples;
    return most > LEAST ? most : LEAST;
}

/* The same samples again, or the first of them, with flows that switches split. */
static hd_status eval_fluid(struct hd_ctx *ctx, const struct hd_job *job, const struct hd_request *q,
                            struct hd_result *result)
{
    struct hd_arena a = {0};
    struct hd_result fluid = *result;
    const struct hd_request again = {.pattern = q->pattern,
                                     .metric = q->metric,
                                     .ranks = q->ranks,
                                     .endpoint = q->endpoint,
                                     .nendpoint = q->nendpoint,
                                     .samples = fluid_samples(hd_routes_net(job->routes), result->samples)};
    struct eval e = {.job = job, .q = &again, .fluid = true};
    hd_status s = evaluate(ctx, &a, &e, &fluid);
    if (s == HD_OK) {
        result->fluid = fluid.value;
        result->fluid_samples = fluid.samples;
    }
    if (s == HD_OK && !fluid.unserved) { /* flows without a path get nothing, however the others are split */
        result->split_even = fluid.split_even;
        result->split_best = fluid.split_best;
        result->split_bound = fluid.split_bound;
        result->split_samples = fluid.split_samples;
    }
    eval_release(&a, &e);
    return s;
}

hd_status hd_eval_job(struct hd_ctx *ctx, const struct hd_job *job, const struct hd_request *q,
                      struct hd_result *result)
{
    if (!job->metric->value) return job->metric->measure(ctx, job->routes, job->metric_opt, result);
    struct hd_arena a = {0};
    struct eval e = {.job = job, .q = q};
    hd_status s = evaluate(ctx, &a, &e, result);
    eval_release(&a, &e);
    if (s == HD_OK && hd_routes_adaptive(job->routes) && !job->metric->init && !job->metric->counts_flows)
        s = eval_fluid(ctx, job, q, result);
    return s;
}

/* Numbers as the command takes them: a width that is no number, or cannot be reached, would draw every sample. */
static hd_status eval_check(struct hd_ctx *ctx, const struct hd_request *q)
{
    const uint64_t most = 1000000000000;
    if (!q->metric) return hd_fail(ctx, HD_USAGE, "evaluation: expected a metric");
    if (q->ci != 0 && !(q->ci >= HD_LEAST_CI && q->ci <= 1))
        return hd_fail(ctx, HD_USAGE, "evaluation: ci is %g: expected 0, or a number from %g to 1", q->ci, HD_LEAST_CI);
    if (q->samples > most || q->max_samples > most)
        return hd_fail(ctx, HD_USAGE, "evaluation: expected at most 10^12 samples");
    if (!q->load_sum != !q->load_max)
        return hd_fail(ctx, HD_USAGE, "evaluation: expected both load_sum and load_max, or neither");
    return HD_OK;
}

hd_status hd_eval_sized(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_request *given, size_t q_size,
                        struct hd_result *result, size_t size)
{
    struct hd_request q;
    struct hd_arena scratch = {0};
    struct hd_job job = {.routes = r};
    struct hd_result res = {.bound = NAN, .fluid = NAN, .split_even = NAN, .split_best = NAN, .split_bound = NAN};
    struct hd_spec metric = {0}, pattern = {0};
    HD_TRY(HD_SIZED_IN(ctx, hd_request, given, q_size, &q));
    HD_TRY(eval_check(ctx, &q));
    hd_status s = hd_spec_open(ctx, &scratch, HD_METRICS, q.metric, &metric, res.metric);
    job.metric = (const struct hd_metric *)metric.desc;
    job.metric_opt = metric.opt;
    if (s == HD_OK && job.metric->value) { /* others need no pattern and do not look at one */
        s = q.pattern ? hd_spec_open(ctx, &scratch, HD_PATTERNS, q.pattern, &pattern, res.pattern)
                      : hd_fail(ctx, HD_USAGE, "metric %s needs a pattern", metric.desc->name);
        job.pattern = (const struct hd_pattern *)pattern.desc;
        job.pattern_opt = pattern.opt;
    }
    if (s == HD_OK) s = hd_eval_job(ctx, &job, &q, &res);
    if (s == HD_OK) hd_sized_out(result, size, &res, sizeof res);
    hd_arena_release(&scratch);
    return s;
}
