/* SPDX-License-Identifier: BSD-2-Clause */
/* Many runs: each has its own pattern, random stream and queue; threads and processes take runs as they come.
 * What a run found is a record of whole numbers at its place, so nothing depends on who ran it. */
#include "base/agree.h"
#include "base/comm.h"
#include "base/rows.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/threads.h"
#include "base/rng.h"
#include "flow/core/rank_map.h"
#include "heddle/sim.h"
#include "route/core/routes_view.h"
#include "route/core/switch_distance.h"
#include "sim/predict.h"
#include "sim/selector.h"
#include "sim/sim_model.h"
#include "sim/sim_state.h"
#include "tool/processes.h"

#include <math.h>
#include <string.h>

#define ONE (1ull << 40)  /* shares are kept in this fixed point, */
#define MBPS (1ull << 20) /* and MB/s in this */

/* Of one run. */
enum runs_record {
    SHARE,
    SHARE_MIN,
    SHARE_MAX,
    FAIRNESS,
    BANDWIDTH,
    TIME,
    SETTLED,
    SETTLED_BYTES,
    LATENCY_MIN,
    LATENCY_MAX,
    LATENCY_SUM,
    DEADLOCK,
    NCYCLE,
    CYCLE_LANE,
    PREDICTED,
    CUT, /* 1: ended before its work was done */
    PACKETS,
    EVENTS,
    BYTES,
    REORDERED,
    DROPPED,
    UNSERVED,
    CHANGES,
    PROBES,
    RECORD
};

struct runs_job {
    const struct hd_routes *routes;
    const struct hd_pattern *pattern; /* NULL: a trace */
    const void *pattern_opt;
    const struct hd_selector *selector;
    const void *selector_opt;
    const struct hd_desc *model;
    struct hd_model_opt *model_opt; /* size and messages are taken from the request */
};

struct runs_worker { /* of one thread */
    struct hd_sim sim;
    struct hd_arena arena, run; /* the state; what one run needs */
    struct hd_flows flows;
    uint64_t *latency; /* [HD_LATENCY_BINS] */
    struct hd_ctx ctx;
    hd_status status;  /* of its first run that failed */
    uint64_t bad;      /* which one, plus one; 0: none */
    uint64_t cycle_of; /* first run of its that deadlocked, plus one; 0: none */
    uint32_t cycle[HD_CYCLE];
};

struct runs {
    const struct runs_job *job;
    const struct hd_sim_request *q;
    const struct hd_ranks *ranks;
    void *state; /* of the pattern */
    uint64_t stages, samples;
    struct hd_workload trace;
    struct runs_worker *worker;
    int threads;
    const uint8_t *dist; /* of switches to leaves, where switches choose */
    struct hd_ctx *ctx;
    bool stop;                     /* no more are begun */
    uint64_t from, to, next, done; /* the runs of this process: which, the first not yet taken, how many are over */
    uint64_t shown;                /* progress in parts of runs, never less than before */
    uint64_t *record;              /* [samples * RECORD] */
    uint32_t *cycle;               /* [HD_CYCLE] channels, plus one: of the first run that deadlocks */
};

/* ---- one run -------------------------------------------------------------------------------- */

static hd_status runs_make_work(struct hd_ctx *ctx, const struct runs *runs, struct runs_worker *w, uint64_t sample,
                                struct hd_workload *work)
{
    const struct runs_job *job = runs->job;
    const struct hd_pattern *p = job->pattern;
    struct hd_flow_list list = {0};
    if (!p) {
        *work = runs->trace;
        return HD_OK;
    }
    uint32_t unit = p->unit ? p->unit(runs->state) : 1;
    for (uint64_t s = 0; s < (runs->stages ? runs->stages : 1); s++) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx->seed, HD_RNG_PATTERN, runs->stages ? s : sample);
        p->draw(runs->state, &rng, runs->stages ? s : sample, &w->flows);
        HD_TRY(hd_flow_list_add(ctx, &w->run, &list, &w->flows, job->model_opt->size, unit));
    }
    bool exchange = job->model_opt->progress == HD_ON_EXCHANGE;
    return hd_workload_make(ctx, &w->run, hd_routes_net(job->routes)->nep, &list, exchange, work);
}

/* ns in which what arrived is counted: of runs that end at a time, and of those that were cut. 0: till all is sent. */
static uint64_t runs_span(const struct hd_sim *sim)
{
    const struct hd_model_opt *m = sim->m;
    const uint64_t end = sim->cut ? sim->cut : m->duration;
    return m->duration ? (end > m->warmup ? end - m->warmup : 1) : end;
}

/* Share of what the sender would get alone, in ONEs. A sender that did not finish has none, and what no path carries
 * counts as nothing. Offered loads are measured by what arrives: time that is not spent on such messages is free. */
static uint64_t runs_share(const struct hd_sim *sim, uint32_t e)
{
    const struct hd_model_opt *m = sim->m;
    const struct hd_nic *nic = &sim->nic[e];
    const uint64_t span = runs_span(sim);
    const double wanted = (double)(nic->bytes + sim->missed[e]);
    double part;
    if (span && (m->duration || nic->busy)) {
        part = (double)nic->arrived * (double)hd_nic_time(sim, e) / (double)m->packet / (double)span;
        if (!sim->pending) part *= (double)nic->bytes / wanted;
    } else {
        uint64_t end = nic->finish + (m->progress == HD_ON_TRACE ? 0 : m->gap);
        if (nic->busy || !nic->arrived) return 0;
        part = (double)hd_nic_least(sim, e) / (double)end * ((double)nic->arrived / wanted);
    }
    return (uint64_t)(part * (double)ONE + 0.5);
}

/* MB/s of messages of the size asked for without contention, from endpoint e. */
static double lone_rate(const struct hd_sim *sim, uint32_t e)
{
    const struct hd_model_opt *m = sim->m;
    uint64_t time = hd_nic_ideal(sim, e, m->size), pause = m->duration ? 0 : m->gap;
    double in_turn = (double)(time + pause) / (double)hd_nic_window(m);
    return (double)m->size * 1000 / (in_turn > (double)time ? in_turn : (double)time);
}

static void record_shares(const struct hd_sim *sim, uint64_t *r)
{
    uint64_t n = 0, sum = 0, end = 0;
    double squares = 0, total = 0, rate = 0;
    r[SHARE_MIN] = UINT64_MAX;
    for (uint32_t e = 0; e < sim->net->nep; e++) {
        if (!sim->nic[e].bytes && !sim->missed[e]) continue;
        uint64_t s = runs_share(sim, e);
        double x = (double)s / (double)ONE;
        n++;
        sum += s;
        total += x;
        squares += x * x;
        rate += x * lone_rate(sim, e);
        if (s < r[SHARE_MIN]) r[SHARE_MIN] = s;
        if (s > r[SHARE_MAX]) r[SHARE_MAX] = s;
        if (sim->nic[e].finish > end) end = sim->nic[e].finish;
    }
    if (!n) r[SHARE_MIN] = 0;
    r[SHARE] = n ? sum / n : 0;
    r[FAIRNESS] = squares > 0 ? (uint64_t)(total * total / ((double)n * squares) * (double)ONE + 0.5) : 0;
    r[BANDWIDTH] = n ? (uint64_t)(rate / (double)n * (double)MBPS + 0.5) : 0;
    r[TIME] = sim->cut ? sim->cut : end;
}

/* Bytes a sender had sent when its route last changed, mean over senders that changed theirs. */
static void record_settling(const struct hd_sim *sim, uint64_t *r)
{
    uint64_t sum = 0, n = 0;
    for (uint32_t e = 0; e < sim->net->nep; e++) {
        sum += sim->nic[e].moved_at;
        n += sim->nic[e].moved_at > 0;
    }
    r[SETTLED] = sim->settled;
    r[SETTLED_BYTES] = n ? sum / n : 0;
}

static void keep_record(struct runs *runs, struct runs_worker *w, uint64_t sample)
{
    const struct hd_sim *sim = &w->sim;
    const struct hd_sim_count *n = &sim->count;
    uint64_t *r = runs->record + sample * RECORD;
    record_shares(sim, r);
    record_settling(sim, r);
    r[LATENCY_MIN] = sim->latency_min;
    r[LATENCY_MAX] = sim->latency_max;
    r[LATENCY_SUM] = sim->latency_sum;
    r[DEADLOCK] = sim->deadlock;
    r[NCYCLE] = sim->ncycle;
    r[CYCLE_LANE] = sim->cycle_lane;
    const uint64_t counts[] = {n->packets, n->events,   n->bytes,   n->reordered,
                               n->dropped, n->unserved, n->changes, n->probes};
    memcpy(r + PACKETS, counts, sizeof counts);
    for (uint32_t i = 0; i < HD_LATENCY_BINS; i++) w->latency[i] += sim->latency[i];
    if (!sim->deadlock || (w->cycle_of && w->cycle_of <= sample)) return;
    w->cycle_of = sample + 1;
    memcpy(w->cycle, sim->cycle, sizeof w->cycle);
}

static hd_status run_one(struct runs *runs, struct runs_worker *w, uint64_t sample)
{
    struct hd_workload work;
    struct hd_mark mark = hd_arena_mark(&w->run);
    HD_TRY(runs_make_work(&w->ctx, runs, w, sample, &work));
    w->sim.round = HD_NEW(&w->run, uint32_t, work.nmsg);
    w->sim.ready = runs->job->pattern ? NULL : HD_NEW(&w->run, uint32_t, work.nmsg);
    w->sim.in_stage = HD_NEW(&w->run, uint64_t, work.nstage);
    if (!w->sim.round || !w->sim.in_stage || (!w->sim.ready && !runs->job->pattern)) return hd_fail_memory(&w->ctx);
    uint64_t *predicted = &runs->record[sample * RECORD + PREDICTED];
    HD_TRY(hd_sim_predict(&w->ctx, &w->run, &w->sim, &work, predicted));
    HD_TRY(hd_sim_run(&w->ctx, &w->sim, &work, sample));
    if (w->sim.cut) *predicted = 0; /* it is for all of the work */
    runs->record[sample * RECORD + CUT] = w->sim.cut > 0;
    keep_record(runs, w, sample);
    hd_arena_rewind(&w->run, mark);
    return HD_OK;
}

/* ---- all runs ------------------------------------------------------------------------------- */

/* In the worker's own thread: the memory it uses is near it. */
static hd_status init_worker(const struct runs *runs, struct runs_worker *w)
{
    const struct runs_job *job = runs->job;
    const struct hd_net *net = hd_routes_net(job->routes);
    const struct hd_sim_request *q = runs->q;
    const struct hd_selector_opt *so = job->selector_opt;
    struct hd_sim *sim = &w->sim;
    uint32_t nvar = hd_routes_variants(job->routes), lanes = hd_routes_lanes(job->routes);
    *sim = (struct hd_sim){.net = net,
                           .routes = job->routes,
                           .m = job->model_opt,
                           .selector = job->selector,
                           .groups = hd_routes_adaptive(job->routes),
                           .opt = so,
                           .dist = runs->dist,
                           .leaf_of = hd_routes_leaf_of(job->routes),
                           .seed = w->ctx.seed};
    sim->lanes = job->model_opt->lanes ? (uint32_t)job->model_opt->lanes : lanes ? lanes : 1;
    sim->nroute = job->selector->one || job->selector->per_switch ? 1
                  : so->routes && so->routes < nvar               ? (uint32_t)so->routes
                                                                  : nvar;
    bool failed = !(w->latency = HD_NEW(&w->arena, uint64_t, HD_LATENCY_BINS));
    if (q->busy) failed |= !(sim->busy = HD_NEW(&w->arena, uint64_t, net->nchan));
    if (q->blocked) failed |= !(sim->stall = HD_NEW(&w->arena, uint64_t, net->nchan));
    if (q->series) failed |= !(sim->series = HD_NEW(&w->arena, uint64_t, q->nseries));
    sim->interval = q->interval;
    sim->nseries = q->nseries;
    uint32_t flows = job->pattern ? (job->pattern->max_flows(runs->state) + 1) & ~1u : 0;
    for (int i = 0; i < 3; i++) failed |= !(w->flows.buf[i] = HD_NEW(&w->arena, uint32_t, flows));
    return failed ? hd_fail_memory(&w->ctx) : hd_sim_init(&w->ctx, &w->arena, sim);
}

/* Shows how far all runs are, when the run of the first thread is so far; those of the others are taken to be, too. */
static void runs_tell(void *user, const char *what, uint64_t part, uint64_t whole)
{
    struct runs *runs = user;
    uint64_t done, total = runs->to - runs->from;
    (void)what;
#pragma omp atomic read
    done = runs->done;
    uint64_t running = total - done < (uint64_t)runs->threads ? total - done : (uint64_t)runs->threads;
    uint64_t at = done * whole + part * running;
    if (at > runs->shown) runs->shown = at;
    hd_progress(runs->ctx, "runs", runs->shown, total * whole);
}

/* Whether runs are to end, those included that are under way: the caller is asked by the first thread alone. */
static bool runs_stop_asked(void *user)
{
    struct runs *runs = user;
    bool stop;
    const bool ask = hd_thread_id() == 0 && hd_stop_asked(runs->ctx);
#pragma omp critical(hd_sim_next)
    stop = runs->stop = runs->stop || ask;
    return stop;
}

/* One thread: runs as they come, until one of its own fails. */
static void work(struct runs *runs, int t)
{
    struct runs_worker *w = &runs->worker[t];
    uint64_t i, n;
    w->status = init_worker(runs, w);
    if (w->status != HD_OK) w->bad = runs->from + 1;
    while (!w->bad) {
#pragma omp critical(hd_sim_next) /* all runs that were begun have a record: the first ones */
        i = runs->stop || runs->next == runs->to ? runs->to : runs->next++;
        if (i == runs->to) return;
        w->status = run_one(runs, w, i);
        if (w->status != HD_OK) w->bad = i + 1;
#pragma omp atomic capture
        n = ++runs->done;
        if (t == 0) runs_tell(runs, NULL, 0, HD_RUN_PARTS);
        if (t == 0 && n < runs->to && w->ctx.stop) runs_stop_asked(runs);
    }
}

/* The runs of this process; the message of the first that fails is the one that counts. */
static hd_status run_mine(struct hd_ctx *ctx, struct runs *runs)
{
    uint64_t rank = (uint64_t)hd_comm_rank(ctx->comm), size = (uint64_t)hd_comm_size(ctx->comm);
    const struct runs_worker *bad = NULL;
    runs->ctx = ctx;
    runs->next = runs->from = runs->samples * rank / size;
    runs->to = runs->samples * (rank + 1) / size;
    int team = 1;
#pragma omp parallel num_threads(runs->threads)
    {
        if (hd_thread_id() == 0) team = hd_thread_team();
        work(runs, hd_thread_id());
    }
    runs->threads = team;
    for (int t = 0; t < runs->threads; t++) {
        const struct runs_worker *w = &runs->worker[t];
        if (w->bad && (!bad || w->bad < bad->bad)) bad = w;
    }
    hd_progress(ctx, "runs", (runs->to - runs->from) * HD_RUN_PARTS, (runs->to - runs->from) * HD_RUN_PARTS);
    if (runs->stop) runs->samples = runs->next;
    if (!bad) return HD_OK;
    hd_error_copy(ctx, &bad->ctx);
    return bad->status;
}

/* ---- results -------------------------------------------------------------------------------- */

/* What lies at or below the bin that holds this part of all packets. */
static uint64_t percentile(const uint64_t *bin, uint64_t total, double part)
{
    uint64_t want = (uint64_t)((double)total * part), seen = 0;
    for (uint32_t i = 0; i < HD_LATENCY_BINS; i++)
        if ((seen += bin[i]) > want) return hd_latency_value(i);
    return 0;
}

static void report_latency(const struct runs *runs, const uint64_t *bin, struct hd_sim_result *r)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < HD_LATENCY_BINS; i++) total += bin[i];
    r->latency_min = UINT64_MAX;
    for (uint64_t i = 0; i < runs->samples; i++) {
        const uint64_t *rec = runs->record + i * RECORD;
        if (rec[LATENCY_MIN] < r->latency_min) r->latency_min = rec[LATENCY_MIN];
        if (rec[LATENCY_MAX] > r->latency_max) r->latency_max = rec[LATENCY_MAX];
    }
    for (uint64_t i = 0; i < runs->samples; i++) r->latency_mean += (double)runs->record[i * RECORD + LATENCY_SUM];
    r->latency_mean = total ? r->latency_mean / (double)total : 0;
    if (!total) r->latency_min = 0;
    uint64_t *const at[] = {&r->latency_p50, &r->latency_p95, &r->latency_p99};
    static const double share[] = {0.5, 0.95, 0.99};
    for (size_t i = 0; i < 3; i++) { /* the value of a bin may be outside what was measured */
        uint64_t value = percentile(bin, total, share[i]);
        *at[i] = value < r->latency_min ? r->latency_min : value > r->latency_max ? r->latency_max : value;
    }
}

static void report_sample(const struct runs *runs, uint64_t i)
{
    const uint64_t *rec = runs->record + i * RECORD;
    struct hd_sim_sample s = {.fraction = (double)rec[SHARE] / (double)ONE,
                              .min = (double)rec[SHARE_MIN] / (double)ONE,
                              .max = (double)rec[SHARE_MAX] / (double)ONE,
                              .fairness = (double)rec[FAIRNESS] / (double)ONE,
                              .time = rec[TIME],
                              .packets = rec[PACKETS],
                              .events = rec[EVENTS],
                              .changes = rec[CHANGES],
                              .settled = rec[SETTLED],
                              .deadlock = rec[DEADLOCK] != 0};
    runs->q->sample(runs->q->user, i, &s);
}

static void report_deadlock(const struct runs *runs, struct hd_sim_result *r)
{
    for (uint64_t i = 0; i < runs->samples; i++) {
        const uint64_t *rec = runs->record + i * RECORD;
        if (!rec[DEADLOCK]) continue;
        if (!r->deadlocks++) {
            r->deadlock_sample = i;
            r->ncycle = (uint32_t)rec[NCYCLE];
            r->cycle_lane = (uint32_t)rec[CYCLE_LANE];
        }
    }
    for (uint32_t i = 0; i < r->ncycle && i < HD_CYCLE; i++) r->cycle[i] = runs->cycle[i] - 1;
}

/* Full width of the 99 % confidence interval of the mean share, by Student's t; NaN of a single run. */
static double runs_ci(const struct runs *runs, double mean)
{
    static const double t[] = {NAN,   63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
                               3.106, 3.055,  3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845};
    uint64_t freedom = runs->samples - 1, last = sizeof t / sizeof *t - 1;
    double squares = 0;
    for (uint64_t i = 0; i < runs->samples; i++) {
        double x = (double)runs->record[i * RECORD + SHARE] / (double)ONE - mean;
        squares += x * x;
    }
    if (!freedom) return NAN;
    return 2 *
           (freedom < last ? t[freedom]
            : freedom < 60 ? t[last]
                           : 2.66) *
           sqrt(squares / (double)freedom / (double)runs->samples);
}

/* Times of runs that were completed; where none was, how far they came. */
static void report_times(const struct runs *runs, double completed, struct hd_sim_result *r)
{
    uint64_t time = 0, predicted = 0;
    for (uint64_t i = 0; i < runs->samples; i++) {
        const uint64_t *rec = runs->record + i * RECORD;
        if (completed > 0 && rec[CUT]) continue;
        time += rec[TIME];
        predicted += rec[PREDICTED];
        r->time_max = rec[TIME] > r->time_max ? rec[TIME] : r->time_max;
    }
    r->time = (double)time / (completed > 0 ? completed : (double)runs->samples);
    r->predicted = predicted ? (double)predicted / completed : NAN;
}

static void report(const struct runs *runs, struct hd_sim_result *r)
{
    uint64_t sum[RECORD] = {0}, low = UINT64_MAX, high = 0, least = UINT64_MAX, most = 0;
    for (uint64_t i = 0; i < runs->samples; i++) {
        const uint64_t *rec = runs->record + i * RECORD;
        for (int k = 0; k < RECORD; k++) sum[k] += rec[k];
        low = rec[SHARE] < low ? rec[SHARE] : low;
        high = rec[SHARE] > high ? rec[SHARE] : high;
        least = rec[SHARE_MIN] < least ? rec[SHARE_MIN] : least;
        most = rec[SHARE_MAX] > most ? rec[SHARE_MAX] : most;
        if (runs->q->sample) report_sample(runs, i);
    }
    double n = (double)runs->samples;
    report_times(runs, n - (double)sum[CUT], r);
    r->samples = runs->samples;
    r->fraction = (double)sum[SHARE] / (double)ONE / n;
    r->ci = runs_ci(runs, r->fraction);
    r->min = (double)low / (double)ONE;
    r->max = (double)high / (double)ONE;
    r->sender_min = (double)least / (double)ONE;
    r->sender_max = (double)most / (double)ONE;
    r->fairness = (double)sum[FAIRNESS] / (double)ONE / n;
    r->settled = (double)sum[SETTLED] / n;
    r->settled_bytes = (double)sum[SETTLED_BYTES] / n;
    uint64_t *counts[] = {&r->packets, &r->events,   &r->bytes,   &r->reordered,
                          &r->dropped, &r->unserved, &r->changes, &r->probes};
    for (int k = 0; k < RECORD - PACKETS; k++) *counts[k] = sum[PACKETS + k];
    report_deadlock(runs, r);
}

/* The cycle of the first run that has one, on whichever thread it ran; channels are counted from 1 on the way. */
static void gather_cycle(struct hd_ctx *ctx, struct runs *runs)
{
    uint64_t first = 0;
    while (first < runs->samples && !runs->record[first * RECORD + DEADLOCK]) first++;
    uint64_t n = first < runs->samples ? runs->record[first * RECORD + NCYCLE] : 0;
    for (int t = 0; t < runs->threads; t++) {
        const struct runs_worker *w = &runs->worker[t];
        if (w->cycle_of != first + 1) continue;
        for (uint64_t i = 0; i < n && i < HD_CYCLE; i++) runs->cycle[i] = w->cycle[i] + 1;
    }
    hd_comm_max_u32(ctx->comm, runs->cycle, HD_CYCLE);
}

/* Sums over threads and processes; every process then holds the same. */
static hd_status runs_gather(struct hd_ctx *ctx, struct hd_arena *a, struct runs *runs, struct hd_sim_result *result)
{
    const struct hd_sim_request *q = runs->q;
    size_t nchan = hd_routes_net(runs->job->routes)->nchan;
    uint64_t *latency = HD_NEW(a, uint64_t, HD_LATENCY_BINS);
    if (!latency) return hd_fail_memory(ctx);
    const struct {
        uint64_t *out;
        size_t n, of; /* the counters of a thread: offset of the pointer to them in its struct */
    } sums[] = {{latency, HD_LATENCY_BINS, offsetof(struct runs_worker, latency)},
                {q->busy, nchan, offsetof(struct runs_worker, sim.busy)},
                {q->blocked, nchan, offsetof(struct runs_worker, sim.stall)},
                {q->series, q->nseries, offsetof(struct runs_worker, sim.series)}};
    for (int k = 0; k < 4; k++) {
        if (!sums[k].out) continue;
        memset(sums[k].out, 0, sums[k].n * sizeof *sums[k].out);
        for (int t = 0; t < runs->threads; t++) {
            const uint64_t *own = *(uint64_t *const *)(const void *)((const char *)&runs->worker[t] + sums[k].of);
            for (size_t i = 0; i < sums[k].n; i++) sums[k].out[i] += own[i];
        }
        hd_comm_sum_u64(ctx->comm, sums[k].out, sums[k].n);
    }
    hd_comm_sum_u64(ctx->comm, runs->record, runs->samples * RECORD); /* others hold 0 */
    gather_cycle(ctx, runs);
    report(runs, result);
    report_latency(runs, latency, result);
    return HD_OK;
}

/* What ranks get alone, on average, and what they got. Of hosts that are alike no mean is taken, which would round. */
static void report_rates(const struct runs *runs, struct hd_sim_result *r)
{
    const struct hd_sim *sim = &runs->worker[0].sim;
    const struct hd_ranks *ranks = runs->ranks;
    double sum = 0, first = ranks->n ? lone_rate(sim, ranks->ep[0]) : 0, got = 0;
    bool alike = true;
    for (uint32_t i = 0; i < ranks->n; i++) {
        double rate = lone_rate(sim, ranks->ep[i]);
        alike = alike && rate == first;
        sum += rate;
    }
    for (uint64_t i = 0; i < runs->samples; i++) got += (double)runs->record[i * RECORD + BANDWIDTH] / (double)MBPS;
    r->ceiling = alike ? first : sum / ranks->n;
    r->bandwidth = alike ? r->fraction * r->ceiling : got / (double)runs->samples;
}

/* Packets that switches send wherever groups allow must not go around, or a run would never end. Those that come to a
 * switch without a port are dropped, where inputs have queues per output. */
static hd_status check_groups(struct hd_ctx *ctx, const struct hd_routes *r, bool drops)
{
    struct hd_check k;
    HD_TRY(hd_routes_check(ctx, r, &k));
    if (!k.choices.loops && (drops || !k.choices.unreachable)) return HD_OK;
    return hd_fail(ctx, HD_INPUT,
                   "sim: %.200s: some choices of its groups of ports do not arrive, heddle check names one",
                   hd_routes_spec(r));
}

static hd_status runs_prepare(struct hd_ctx *ctx, struct hd_arena *a, struct runs *runs)
{
    const struct runs_job *job = runs->job;
    const uint8_t *dist = NULL;
    uint64_t threads = (uint64_t)hd_threads(ctx);
    if (threads > runs->samples) threads = runs->samples;
    runs->threads = (int)threads;
    runs->worker = HD_NEW(a, struct runs_worker, threads);
    runs->record = HD_NEW(a, uint64_t, runs->samples * RECORD);
    runs->cycle = HD_NEW(a, uint32_t, HD_CYCLE);
    if (!runs->worker || !runs->record || !runs->cycle) return hd_fail_memory(ctx);
    if (job->selector->per_switch) HD_TRY(hd_dist_leaves(ctx, a, hd_routes_net(job->routes), &dist));
    if (job->selector->per_switch && hd_routes_adaptive(job->routes))
        HD_TRY(check_groups(ctx, job->routes, job->model_opt->queue != HD_FIFO));
    runs->dist = dist;
    for (uint64_t t = 0; t < threads; t++) {
        runs->worker[t].ctx = *ctx;
        runs->worker[t].ctx.progress = NULL;
        const bool alone = hd_comm_size(ctx->comm) == 1; /* otherwise the others would go on */
        hd_ctx_set_stop(&runs->worker[t].ctx, ctx->stop && alone ? runs_stop_asked : NULL, runs);
    }
    if (ctx->progress) hd_ctx_set_progress(&runs->worker[0].ctx, runs_tell, runs);
    return HD_OK;
}

static hd_status set_up_pattern(struct hd_ctx *ctx, struct hd_arena *a, struct runs *runs)
{
    const struct runs_job *job = runs->job;
    const struct hd_sim_request *q = runs->q;
    if (!job->pattern) {
        runs->samples = q->samples ? q->samples : 1;
        return hd_workload_trace(ctx, a, hd_routes_net(job->routes), runs->ranks, q->trace, &runs->trace);
    }
    struct hd_pattern_in in = {job->routes, runs->ranks, job->pattern_opt};
    HD_TRY(job->pattern->init(ctx, a, &in, &runs->state));
    runs->stages = job->pattern->stages ? job->pattern->stages(runs->state) : 0;
    runs->samples = q->samples ? q->samples : runs->stages ? 1 : 10;
    if (q->stages && q->stages < runs->stages) runs->stages = q->stages;
    return HD_OK;
}

static hd_status runs_all(struct hd_ctx *ctx, const struct runs_job *job, const struct hd_sim_request *q,
                          struct hd_sim_result *result)
{
    struct hd_arena a = {0};
    struct hd_ranks ranks;
    struct runs runs = {.job = job, .q = q, .ranks = &ranks};
    struct hd_model_opt *m = job->model_opt;
    if (q->size) m->size = q->size;
    if (q->messages) m->messages = q->messages;
    HD_TRY(hd_model_check(ctx, m));
    hd_model_print(job->model, m, result->parameters, sizeof result->parameters);
    if (!job->pattern) m->progress = HD_ON_TRACE;
    const char *fits = hd_model_fitting((const struct hd_model *)job->model, m, hd_routes_net(job->routes));
    if (fits)
        hd_note(ctx,
                "sim: model %s is of other switches than those of this fabric, whose links are of model %s; rates are "
                "those of the links",
                job->model->name, fits);
    if (hd_routes_lane_rule(job->routes) == HD_LANE_HOP)
        hd_note(
            ctx,
            "sim: the VLs of these routes change along the path, which is not simulated: a service level keeps its VL");
    hd_status s = hd_ranks_make(ctx, &a, job->routes, q->ranks ? q->ranks : "natural", &ranks);
    if (s == HD_OK) s = set_up_pattern(ctx, &a, &runs);
    if (s == HD_OK) s = runs_prepare(ctx, &a, &runs);
    if (s == HD_OK) s = hd_agree(ctx, HD_OK, hd_routes_hash(job->routes));
    if (s == HD_OK) s = hd_agree(ctx, run_mine(ctx, &runs), 0);
    if (s == HD_OK) s = runs_gather(ctx, &a, &runs, result);
    if (s == HD_OK) report_rates(&runs, result);
    for (int t = 0; runs.worker && t < runs.threads; t++) {
        hd_arena_release(&runs.worker[t].arena);
        hd_arena_release(&runs.worker[t].run);
    }
    hd_arena_release(&a);
    return s;
}

/* Numbers as the command takes them: no product of two overflows. */
static hd_status sim_check(struct hd_ctx *ctx, const struct hd_sim_request *q)
{
    const uint64_t most = 1000000000000, largest = 1000 * most;
    if (!q->pattern == !q->trace) return hd_fail(ctx, HD_USAGE, "simulation: expected either a pattern or a trace");
    if (q->samples > most || q->stages > most || q->messages > most || q->size > largest)
        return hd_fail(ctx, HD_USAGE, "simulation: expected at most 10^12 samples, stages and messages of 10^15 bytes");
    if (q->series && !q->interval) return hd_fail(ctx, HD_USAGE, "simulation: a series needs an interval");
    return HD_OK;
}

hd_status hd_sim_sized(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_sim_request *given, size_t q_size,
                       struct hd_sim_result *result, size_t size)
{
    struct hd_sim_request q;
    struct hd_arena scratch = {0};
    struct hd_sim_result res = {0};
    struct hd_spec pattern = {0}, selector = {0}, model = {0};
    HD_TRY(HD_SIZED_IN(ctx, hd_sim_request, given, q_size, &q));
    HD_TRY(sim_check(ctx, &q));
    hd_status s = hd_spec_open(ctx, &scratch, HD_MODELS, q.model ? q.model : "infiniband", &model, res.model);
    const char *usual = s == HD_OK ? ((const struct hd_model *)model.desc)->selector : NULL;
    if (!q.selector) q.selector = usual ? usual : "static";
    if (s == HD_OK) s = hd_spec_open(ctx, &scratch, HD_SELECTORS, q.selector, &selector, res.selector);
    if (s == HD_OK && q.pattern) s = hd_spec_open(ctx, &scratch, HD_PATTERNS, q.pattern, &pattern, res.pattern);
    /* desc is the first member of a row of any kind */
    struct runs_job job = {.routes = r,
                           .pattern = (const struct hd_pattern *)pattern.desc,
                           .pattern_opt = pattern.opt,
                           .selector = (const struct hd_selector *)selector.desc,
                           .selector_opt = selector.opt,
                           .model = model.desc,
                           .model_opt = model.opt};
    if (s == HD_OK) s = runs_all(ctx, &job, &q, &res);
    if (s == HD_OK) hd_sized_out(result, size, &res, sizeof res);
    hd_arena_release(&scratch);
    return s;
}
