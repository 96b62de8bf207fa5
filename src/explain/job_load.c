/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicted loads of jobs that run at the same time. Their stages are not synchronised with each other, so moments are
 * drawn: in moment k every job has drawn a sample of its pattern, or is in the stage that lies k / MOMENTS through its
 * sequence. Loads of one moment add up over jobs; waiting begins where they exceed what a channel carries, so it is the
 * mean excess that says whether a job (or only several of them) explains it, not the mean load. The rails of a job are
 * loaded one by one, since what ranks exchange stays on its rail. Serial, so that sums do not depend on threads.
 * Cost: O(moments * flows * hops) time, O(moments * channels) memory. */
#include "explain/job_load.h"
#include "base/rng.h"
#include "base/rows.h"
#include "base/spec.h"
#include "base/status.h"
#include "flow/core/rank_map.h"
#include "load/loader.h"

#include <stdio.h>
#include <string.h>

enum { MOMENTS = 64, FLUID_MOMENTS = 16, BUDGET = 1 << 28 /* loads to keep */ };

#define NO_JOB UINT32_MAX

struct job_loads {
    struct hd_ctx *ctx;
    const struct hd_routes *r;
    const struct hd_rates *rates;
    uint32_t nchan, moments;
    float *all;    /* [moments * nchan] of all jobs so far */
    float *one;    /* [moments * nchan] of the job being loaded */
    uint32_t *hit; /* channels it loads at all */
    uint32_t nhit;
    bool *is_hit;
    struct hd_job_load *load;
};

struct job_pattern {
    const struct hd_pattern *pattern;
    void *state;
    uint64_t stages; /* 0: random samples */
    struct hd_loads loads;
    uint64_t stream; /* of random numbers */
};

static void job_hit(struct job_loads *w, uint32_t c)
{
    if (w->is_hit[c]) return;
    w->is_hit[c] = true;
    w->hit[w->nhit++] = c;
}

/* Relative load of one unit on a channel. */
static float job_scale(const struct job_loads *w, uint32_t c, double unit)
{
    const uint32_t *factor = w->rates->factor;
    return (float)((factor ? (double)factor[c] / w->rates->scale : 1) / unit);
}

static hd_status job_moment(struct job_loads *w, struct job_pattern *p, uint32_t k)
{
    struct hd_rng rng;
    struct hd_loads *l = &p->loads;
    float *one = w->one + (size_t)k * w->nchan;
    const uint64_t stage = p->stages ? p->stages * k / w->moments : 0;
    hd_rng_init(&rng, w->ctx->seed, HD_RNG_PATTERN, p->stream + k);
    p->pattern->draw(p->state, &rng, stage, &l->flows);
    hd_loads_run(l);
    if (l->failed) return hd_fail_memory(w->ctx);
    const uint64_t *part = hd_loads_parts(l);
    const double unit = part ? (double)l->unit * HD_FLUID_WHOLE : l->unit;
    for (size_t j = 0; j < l->at[l->npath]; j++) {
        const uint32_t c = l->chan[j];
        if (c == w->nchan) continue;
        job_hit(w, c);
        if (part) one[c] += (float)part[j] * job_scale(w, c, unit);
    }
    for (uint32_t i = 0; !part && i < w->nhit; i++)
        one[w->hit[i]] += (float)l->load[w->hit[i]] * job_scale(w, w->hit[i], unit);
    return HD_OK;
}

static hd_status job_rail(struct job_loads *w, struct hd_arena *a, const char *spec, const struct hd_ranks *ranks,
                          uint64_t stream)
{
    char canonical[HD_MAX_SPEC];
    struct hd_spec opened;
    struct job_pattern p = {.stream = stream};
    const struct hd_loader *loader;
    HD_TRY(hd_spec_open(w->ctx, a, HD_PATTERNS, spec, &opened, canonical));
    p.pattern = (const struct hd_pattern *)opened.desc;
    const struct hd_pattern_in in = {w->r, ranks, opened.opt};
    HD_TRY(p.pattern->init(w->ctx, a, &in, &p.state));
    p.stages = p.pattern->stages ? p.pattern->stages(p.state) : 0;
    const bool fluid = hd_routes_adaptive(w->r);
    const struct hd_loader_in how = {.routes = w->r,
                                     .rates = w->rates,
                                     .need = fluid ? HD_NEED_BOTTLENECKS : HD_NEED_CHANNELS,
                                     .flows = (uint64_t)w->moments * ranks->n,
                                     .fluid = fluid};
    HD_TRY(hd_loader_make(w->ctx, a, &how, &loader));
    HD_TRY(hd_loads_init(w->ctx, a, loader, p.pattern->max_flows(p.state),
                         p.pattern->unit ? p.pattern->unit(p.state) : 1, &p.loads));
    for (uint32_t k = 0; k < w->moments; k++) HD_TRY(job_moment(w, &p, k));
    return HD_OK;
}

/* Adds the loads of one job to those of all. */
static void job_add(struct job_loads *w, uint32_t job)
{
    for (uint32_t i = 0; i < w->nhit; i++) {
        const uint32_t c = w->hit[i];
        struct hd_job_load *l = &w->load[c];
        float mean = 0, own = 0, peak = 0;
        for (uint32_t k = 0; k < w->moments; k++) {
            float *one = &w->one[(size_t)k * w->nchan + c];
            mean += *one;
            own += *one > 1 ? *one - 1 : 0;
            peak = *one > peak ? *one : peak;
            w->all[(size_t)k * w->nchan + c] += *one;
            *one = 0;
        }
        mean /= (float)w->moments;
        own /= (float)w->moments;
        if (own > l->own) {
            l->own = own;
            l->own_peak = peak;
            l->alone = job;
        }
        l->njob += mean > 0;
        if (mean > l->part[0]) {
            l->part[1] = l->part[0];
            l->job[1] = l->job[0];
        }
        if (mean > l->part[1]) {
            const int at = mean > l->part[0] ? 0 : 1;
            l->part[at] = mean;
            l->job[at] = job;
        }
        w->is_hit[c] = false;
    }
    w->nhit = 0;
}

static void job_sum(struct job_loads *w)
{
    for (uint32_t c = 0; c < w->nchan; c++) {
        struct hd_job_load *l = &w->load[c];
        for (uint32_t k = 0; k < w->moments; k++) {
            const float all = w->all[(size_t)k * w->nchan + c];
            l->mean += all / (float)w->moments;
            l->peak = all > l->peak ? all : l->peak;
            l->excess += all > 1 ? (all - 1) / (float)w->moments : 0;
        }
    }
}

static hd_status job_load_one(struct job_loads *w, const struct hd_jobs *jobs, uint32_t job)
{
    const struct hd_running_job *j = &jobs->job[job];
    const char *spec = j->pattern ? j->pattern : "permutation";
    char why[700];
    for (uint32_t rail = 0; rail < j->nodes->nrail; rail++) {
        struct hd_arena a = {0};
        uint32_t *ep = HD_NEW(&a, uint32_t, j->nodes->n);
        hd_status s = ep ? HD_OK : hd_fail_memory(w->ctx);
        for (uint32_t i = 0; ep && i < j->nodes->n; i++) ep[i] = j->nodes->ep[(size_t)i * j->nodes->nrail + rail];
        const struct hd_ranks ranks = {j->nodes->n, ep};
        if (s == HD_OK && ranks.n > 1) s = job_rail(w, &a, spec, &ranks, ((uint64_t)job << 16 | rail) * MOMENTS);
        hd_arena_release(&a);
        if (s == HD_OK) continue;
        if (s == HD_LIMIT) return s;
        snprintf(why, sizeof why, "%s", hd_ctx_error(w->ctx));
        return hd_fail(w->ctx, s, "job %.80s: %s", j->name, why);
    }
    job_add(w, job);
    return HD_OK;
}

/* All selected endpoints as one job. */
static hd_status job_load_everyone(struct job_loads *w)
{
    const struct hd_net *net = hd_routes_net(w->r);
    struct hd_arena a = {0};
    const struct hd_ranks ranks = {net->nsel, net->sel};
    hd_status s = net->nsel > 1 ? job_rail(w, &a, "permutation", &ranks, 0) : HD_OK;
    hd_arena_release(&a);
    if (s == HD_OK) job_add(w, 0);
    return s;
}

static hd_status job_loads_run(struct job_loads *w, struct hd_arena *a, const struct hd_jobs *jobs)
{
    w->all = HD_NEW(a, float, (size_t)w->moments * w->nchan);
    w->one = HD_NEW(a, float, (size_t)w->moments * w->nchan);
    w->hit = HD_NEW(a, uint32_t, w->nchan);
    w->is_hit = HD_NEW(a, bool, w->nchan);
    if (!w->all || !w->one || !w->hit || !w->is_hit) return hd_fail_memory(w->ctx);
    for (uint32_t c = 0; c < w->nchan; c++) w->load[c] = (struct hd_job_load){.job = {NO_JOB, NO_JOB}, .alone = NO_JOB};
    HD_TRY(hd_rates_of(w->ctx, hd_routes_net(w->r), &w->rates));
    if (!jobs) HD_TRY(job_load_everyone(w));
    for (uint32_t i = 0; jobs && i < jobs->n; i++) HD_TRY(job_load_one(w, jobs, i));
    job_sum(w);
    return HD_OK;
}

hd_status hd_job_loads(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_jobs *jobs,
                       struct hd_job_load *load)
{
    struct hd_arena a = {0};
    struct job_loads w = {.ctx = ctx, .r = r, .load = load, .nchan = hd_routes_net(r)->nchan};
    w.moments = hd_routes_adaptive(r) ? FLUID_MOMENTS : MOMENTS;
    while (w.moments > 4 && (uint64_t)w.moments * w.nchan > BUDGET / 8) w.moments /= 2;
    const hd_status s = job_loads_run(&w, &a, jobs);
    hd_arena_release(&a);
    return s;
}
