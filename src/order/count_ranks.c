/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of ranks where nodes run several: what a library does that knows nothing of nodes. Ranks are numbered
 * node by node. A message between nodes leaves and arrives by the endpoints of the sender's rail (rank i of a node
 * uses rail i modulo the rails); one within a node meets no channel. Cables of endpoints count: ranks share them.
 * O(ranks^2) flows for a Shift. */
#include "base/status.h"
#include "base/threads.h"
#include "flow/pattern/all_patterns.h"
#include "order/job_view.h"

#include <math.h>

struct rank_count_counter {
    struct hd_ctx *ctx;
    const struct hd_job_view *view;
    const struct hd_pattern *pattern;
    uint32_t n;            /* ranks */
    uint32_t *node, *rail; /* [n] */
    void *state;
    struct hd_loads *loads; /* one per thread */
    struct hd_flows *flows; /* one per thread: of ranks */
    struct hd_arena *own;   /* one per thread */
    int threads;
    uint64_t stages;
};

static const struct hd_pattern *const patterns[HD_CASES] = {[HD_CASE_RING] = &hd_pattern_ring,
                                                            [HD_CASE_SHIFT] = &hd_pattern_shift,
                                                            [HD_CASE_RECDBL] = &hd_pattern_recdbl,
                                                            [HD_CASE_BINOMIAL] = &hd_pattern_binomial};

static hd_status number_ranks(struct hd_arena *a, struct rank_count_counter *k, const uint32_t *order,
                              const uint32_t *per_node)
{
    const struct hd_nodes *nodes = k->view->nodes;
    uint64_t n = 0;
    for (uint32_t i = 0; i < nodes->n; i++) n += per_node[i];
    if (n > 1u << 30)
        return hd_fail(k->ctx, HD_LIMIT, "%llu ranks are more than can be counted", (unsigned long long)n);
    k->node = HD_NEW(a, uint32_t, n);
    k->rail = HD_NEW(a, uint32_t, n);
    if (!k->node || !k->rail) return hd_fail_memory(k->ctx);
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t j = 0; j < per_node[i]; j++) {
            k->node[k->n] = order ? order[i] : i;
            k->rail[k->n++] = j % nodes->nrail;
        }
    return HD_OK;
}

static hd_status make_state(struct hd_arena *a, struct rank_count_counter *k)
{
    static const uint64_t defaults[8]; /* every option of these patterns is off or first when zero */
    uint32_t *self = HD_NEW(a, uint32_t, k->n);
    struct hd_ranks *ranks = HD_NEW(a, struct hd_ranks, 1);
    if (!self || !ranks) return hd_fail_memory(k->ctx);
    for (uint32_t i = 0; i < k->n; i++) self[i] = i;
    *ranks = (struct hd_ranks){k->n, self};
    HD_TRY(k->pattern->init(k->ctx, a, &(struct hd_pattern_in){NULL, ranks, defaults}, &k->state));
    k->stages = k->pattern->stages(k->state);
    return HD_OK;
}

static hd_status rank_count_make_threads(struct hd_arena *a, struct rank_count_counter *k)
{
    k->threads = k->stages * k->n < 200000 ? 1 : hd_threads(k->ctx);
    if ((uint64_t)k->threads > k->stages) k->threads = k->stages ? (int)k->stages : 1;
    k->loads = HD_NEW(a, struct hd_loads, (size_t)k->threads);
    k->flows = HD_NEW(a, struct hd_flows, (size_t)k->threads);
    k->own = HD_NEW(a, struct hd_arena, (size_t)k->threads);
    if (!k->loads || !k->flows || !k->own) return hd_fail_memory(k->ctx);
    for (int t = 0; t < k->threads; t++) {
        HD_TRY(hd_loads_init(k->ctx, &k->own[t], k->view->loader, k->n, 1, &k->loads[t]));
        for (int i = 0; i < 3; i++)
            if (!(k->flows[t].buf[i] = HD_NEW(a, uint32_t, (size_t)k->n + 2))) return hd_fail_memory(k->ctx);
    }
    return HD_OK;
}

/* The flows of a stage between nodes, as endpoints. */
static void rank_count_draw(const struct rank_count_counter *k, int t, uint64_t stage)
{
    struct hd_flows *out = &k->loads[t].flows, *f = &k->flows[t];
    struct hd_rng rng;
    hd_rng_init(&rng, 0, HD_RNG_PATTERN, stage);
    k->pattern->draw(k->state, &rng, stage, f);
    out->n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t s = f->src[i], d = f->dst[i];
        if (k->node[s] == k->node[d]) continue;
        out->buf[0][out->n] = hd_job_view_ep(k->view, k->node[s], k->rail[s]);
        out->buf[1][out->n++] = hd_job_view_ep(k->view, k->node[d], k->rail[s]);
    }
    out->src = out->buf[0];
    out->dst = out->buf[1];
    out->weight = NULL;
    out->simple = false;
}

/* Largest number of flows on a channel of the current stage; 1 where no flow enters the network. */
static uint64_t most_flows(const struct hd_loads *l)
{
    uint64_t most = hd_loads_count(l);
    return most > l->unit ? most : l->unit;
}

static hd_status rank_count_count_stages(const struct rank_count_counter *k, struct hd_hsd *hsd)
{
    uint64_t sum = 0, most = 0, time = 0, stages = k->stages;
    const uint32_t *factor = k->view->rates->factor;
#pragma omp parallel for schedule(dynamic, 4) num_threads(k->threads) reduction(+ : sum, time) reduction(max : most)
    for (uint64_t stage = 0; stage < stages; stage++) {
        int t = hd_thread_id();
        struct hd_loads *l = &k->loads[t];
        rank_count_draw(k, t, stage);
        hd_loads_run(l);
        uint64_t degree = most_flows(l), slow = factor ? l->largest : degree;
        sum += degree;
        time += slow ? slow : (uint64_t)l->unit * k->view->rates->scale;
        if (degree > most) most = degree;
    }
    for (int t = 0; t < k->threads; t++)
        if (k->loads[t].failed) return hd_fail_memory(k->ctx);
    double unit = k->loads[0].unit, scale = factor ? unit * k->view->rates->scale : unit;
    *hsd = (struct hd_hsd){stages ? (double)sum / unit / (double)stages : 1, (double)most / unit,
                           time ? (double)stages * scale / (double)time : 1, stages};
    return HD_OK;
}

static hd_status count_case(struct rank_count_counter *k, struct hd_hsd *hsd)
{
    struct hd_arena a = {0};
    k->loads = NULL;
    k->own = NULL;
    hd_status s = make_state(&a, k);
    if (s == HD_OK) s = rank_count_make_threads(&a, k);
    if (s == HD_OK) s = rank_count_count_stages(k, hsd);
    for (int t = 0; k->own && t < k->threads; t++) hd_arena_release(&k->own[t]);
    hd_arena_release(&a);
    return s;
}

/* Messages of an all-to-all of the ranks on the fullest channel, over its stages. */
static hd_status rank_count_bound_of(struct hd_arena *a, const struct rank_count_counter *k, double *bound)
{
    const struct hd_job_view *view = k->view;
    uint32_t n = view->nodes->n, nrail = view->nodes->nrail, chan[HD_MAX_HOPS];
    uint64_t *load = HD_NEW(a, uint64_t, (size_t)view->net->nchan + 1), most = k->n - 1;
    uint64_t *sends = HD_NEW(a, uint64_t, (size_t)n * nrail), *ranks = HD_NEW(a, uint64_t, n);
    if (!load || !sends || !ranks) return hd_fail_memory(k->ctx);
    for (uint32_t i = 0; i < k->n; i++) {
        sends[(size_t)k->node[i] * nrail + k->rail[i]]++;
        ranks[k->node[i]]++;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t rail = 0; rail < nrail && i != j; rail++) {
                uint64_t flows = sends[(size_t)i * nrail + rail] * ranks[j];
                uint32_t s = hd_job_view_ep(view, i, rail), d = hd_job_view_ep(view, j, rail);
                if (!flows) continue;
                uint32_t hops = hd_routes_path(view->routes, s, d, hd_routes_variant(view->routes, s, d), chan);
                for (uint32_t h = 0; h < hops; h++) load[chan[h]] += flows;
            }
    for (uint32_t c = 0; c < view->net->nchan; c++)
        if (load[c] > most) most = load[c];
    *bound = (double)most / (double)(k->n - 1);
    return HD_OK;
}

static hd_status rank_count_count_all(struct hd_arena *a, struct rank_count_counter *k, struct hd_hsd hsd[HD_CASES],
                                      double *bound)
{
    for (int c = 0; c < HD_CASES; c++) {
        hsd[c] = (struct hd_hsd){1, 1, 1, 0};
        if (!(k->pattern = patterns[c])) hsd[c] = (struct hd_hsd){NAN, NAN, NAN, 0};
        if (k->pattern && k->n > 1) HD_TRY(count_case(k, &hsd[c]));
    }
    if (bound) *bound = 1;
    return bound && k->n > 1 && k->view->single ? rank_count_bound_of(a, k, bound) : HD_OK;
}

hd_status hd_order_count_ranks(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                               const uint32_t *order, const uint32_t *per_node, struct hd_hsd hsd[HD_CASES],
                               double *bound)
{
    struct hd_arena a = {0};
    struct hd_job_view view;
    struct rank_count_counter k = {.ctx = ctx, .view = &view};
    hd_status s = hd_job_view_init(ctx, &a, r, nodes, &view);
    if (s == HD_OK) s = number_ranks(&a, &k, order, per_node);
    if (s == HD_OK) s = rank_count_count_all(&a, &k, hsd, bound);
    hd_arena_release(&a);
    return s;
}
