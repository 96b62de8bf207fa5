/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of ranks where nodes run several: what a library does that knows nothing of nodes. Ranks are numbered
 * node by node. A message between nodes leaves and arrives by the endpoints of the sender's rail (rank i of a node
 * uses rail i modulo the rails); one within a node meets no channel. Cables of endpoints count: ranks share them.
 * O(ranks^2) flows for a Shift. */
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "order/stage_count.h"
#include "order/order_check.h"

#include <math.h>

struct rank_count_counter {
    struct hd_ctx *ctx;
    const struct hd_job_view *view;
    const struct hd_pattern *pattern;
    uint32_t n;            /* ranks */
    uint32_t *node, *rail; /* [n] */
    void *state;
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
    return k->pattern->init(k->ctx, a, &(struct hd_pattern_in){NULL, ranks, defaults}, &k->state);
}

/* The flows of a stage between nodes, as endpoints. */
static void rank_count_draw(const void *user, uint64_t stage, struct hd_flows *of_ranks, struct hd_flows *f)
{
    const struct rank_count_counter *k = user;
    struct hd_rng rng;
    hd_rng_init(&rng, 0, HD_RNG_PATTERN, stage);
    k->pattern->draw(k->state, &rng, stage, of_ranks);
    hd_flows_begin(f, false);
    for (uint32_t i = 0; i < of_ranks->n; i++) {
        uint32_t s = of_ranks->src[i], d = of_ranks->dst[i];
        if (k->node[s] == k->node[d]) continue;
        f->buf[0][f->n] = hd_job_view_ep(k->view, k->node[s], k->rail[s]);
        f->buf[1][f->n++] = hd_job_view_ep(k->view, k->node[d], k->rail[s]);
    }
}

static hd_status count_case(struct rank_count_counter *k, struct hd_hsd *hsd)
{
    struct hd_arena a = {0};
    hd_status s = make_state(&a, k);
    struct hd_stage_flows in = {
        .flows = k->n, .room = k->n, .draw = rank_count_draw, .user = k, .idle = true, .is_long = true};
    if (s == HD_OK) in.stages = k->pattern->stages(k->state);
    if (s == HD_OK) s = hd_stage_count(k->ctx, k->view, &in, hsd);
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
    HD_TRY(hd_order_check(ctx, nodes, order));
    HD_TRY(hd_per_node_check(ctx, nodes, per_node));
    hd_status s = hd_job_view_init(ctx, &a, r, nodes, &view);
    if (s == HD_OK) s = number_ranks(&a, &k, order, per_node);
    if (s == HD_OK) s = rank_count_count_all(&a, &k, hsd, bound);
    hd_arena_release(&a);
    return s;
}
