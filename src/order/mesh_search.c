/* SPDX-License-Identifier: BSD-2-Clause */
/* Improves the order of the places of a mesh by swaps of nodes. The loads of every kind are kept, and a swap changes
 * those of the flows of two places. First channels that have more than the busiest adapter are looked at alone
 * (mesh_fit.c), from several starts. Where some remain, the whole is annealed: the largest load is what counts, but
 * nearly all swaps leave it as it is; so what is annealed is, per kind, the eighth root of the sum of eighth powers of
 * loads relative to the busiest adapter: it tends to the largest load and sees every channel. Then swaps that make the
 * step shorter are looked for, with the largest loads themselves. Moves take an end of the worst of a few flows to the
 * leaf of the other end, or anywhere, or swap stretches. O(flows of a place * hops) a move; O(channels) where largest
 * loads are counted. */
#include "base/status.h"
#include "order/mesh_search.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 8 };    /* flows among which the worst is moved */
enum { STALE = 1024 }; /* moves between two sums of the powers from scratch: rounding adds up */
enum { FIT_SHARE = 2, ANNEAL_SHARE = 4, POLISH_SHARE = 8 }; /* of the budget; two orders are polished */

static double eighth_power(double x)
{
    x *= x;
    x *= x;
    return x * x;
}

/* What a load, relative to the busiest adapter, adds to the sum of its kind. */
static inline double mesh_term(const struct hd_mesh_search *s, double load)
{
    return s->target > 0 ? fmax(load - s->target, 0) : eighth_power(load);
}

static double mesh_cost(const struct hd_mesh_search *s)
{
    double cost = 0;
    for (int k = 0; k < HD_MESH_KINDS && s->target > 0; k++) cost += s->excess[k] * s->sum[k];
    if (s->target > 0) return cost;
    for (int k = 0; k < HD_MESH_KINDS; k++)
        if (s->sum[k] > 0) cost += s->weight[k] * sqrt(sqrt(sqrt(s->sum[k])));
    return cost;
}

double hd_mesh_largest(struct hd_mesh_search *s)
{
    double step = 0;
    for (int k = 0; k < HD_MESH_KINDS; k++) {
        const uint64_t *load = s->load + (size_t)k * (s->matrix.nchan + 1);
        double most = s->first[k + 1] > s->first[k] ? 1 / s->unit[k] : 0; /* that of adapters does not change */
        for (uint32_t c = 0; c < s->matrix.nchan && s->first[k + 1] > s->first[k]; c++)
            if ((double)load[c] * s->scale[c] > most) most = (double)load[c] * s->scale[c];
        step += s->weight[k] * s->unit[k] * most;
    }
    s->anneal.spent += (uint64_t)s->matrix.nchan;
    return step;
}

/* The sums and the cost from scratch. */
static void mesh_sum_again(struct hd_mesh_search *s)
{
    for (int k = 0; k < HD_MESH_KINDS; k++) {
        const uint64_t *load = s->load + (size_t)k * (s->matrix.nchan + 1);
        s->sum[k] = 0;
        for (uint32_t c = 0; c < s->matrix.nchan && s->first[k + 1] > s->first[k]; c++)
            if (load[c]) s->sum[k] += mesh_term(s, (double)load[c] * s->scale[c] * s->unit[k]);
    }
    s->anneal.cost = mesh_cost(s);
}

static inline void change_mesh_flow(struct hd_mesh_search *s, uint32_t i, bool add)
{
    const struct hd_mesh_flow *f = &s->job->flow[i];
    const uint32_t *way = hd_path_matrix_at(&s->matrix, s->anneal.order[f->from], s->anneal.order[f->to], f->rail);
    uint64_t *load = s->load + (size_t)f->kind * (s->matrix.nchan + 1);
    for (uint32_t j = 0; j < s->matrix.width && way[j] != s->matrix.nchan; j++) {
        double x = s->scale[way[j]] * s->unit[f->kind], before = mesh_term(s, (double)load[way[j]] * x);
        load[way[j]] = add ? load[way[j]] + f->bytes : load[way[j]] - f->bytes;
        s->sum[f->kind] += mesh_term(s, (double)load[way[j]] * x) - before;
    }
}

static void change_places(struct hd_mesh_search *s, uint32_t p, uint32_t q, bool add)
{
    for (size_t i = s->at[p]; i < s->at[p + 1]; i++) change_mesh_flow(s, s->of[i], add);
    for (size_t i = s->at[q]; i < s->at[q + 1]; i++) {
        const struct hd_mesh_flow *f = &s->job->flow[s->of[i]];
        if (f->from != p && f->to != p) change_mesh_flow(s, s->of[i], add);
    }
    s->anneal.spent += (s->at[p + 1] - s->at[p] + s->at[q + 1] - s->at[q]) * s->matrix.width;
}

void hd_mesh_swap(struct hd_anneal *search, uint32_t p, uint32_t q)
{
    struct hd_mesh_search *s = (struct hd_mesh_search *)search; /* its first member */
    change_places(s, p, q, false);
    uint32_t x = search->order[p];
    search->order[p] = search->order[q];
    search->order[q] = x;
    s->place[search->order[p]] = p;
    s->place[search->order[q]] = q;
    change_places(s, p, q, true);
    if (++s->moves % STALE == 0)
        mesh_sum_again(s);
    else
        search->cost = mesh_cost(s);
}

/* The largest relative load on the path of a flow. */
static double worst_on_path(const struct hd_mesh_search *s, size_t i)
{
    const struct hd_mesh_flow *f = &s->job->flow[i];
    const uint32_t *way = hd_path_matrix_at(&s->matrix, s->anneal.order[f->from], s->anneal.order[f->to], f->rail);
    const uint64_t *load = s->load + (size_t)f->kind * (s->matrix.nchan + 1);
    double worst = 0;
    for (uint32_t j = 0; j < s->matrix.width && way[j] != s->matrix.nchan; j++)
        worst = fmax(worst, (double)load[way[j]] * s->scale[way[j]]);
    return worst;
}

static struct hd_stretch mesh_pick(const struct hd_anneal *search, struct hd_rng *rng)
{
    const struct hd_mesh_search *s = (const struct hd_mesh_search *)search;
    uint32_t n = search->n, p = hd_rng_below(rng, n), q = hd_rng_below(rng, n), what = hd_rng_below(rng, 8);
    if (what == 0) { /* stretches that begin at multiples of their length */
        uint32_t len = 1 + hd_rng_below(rng, n < 64 ? n / 2 : 32);
        return hd_stretch_apart(p / len * len, q / len * len, len, n);
    }
    size_t best = SIZE_MAX;
    double worst = 0;
    uint32_t kind = hd_rng_below(rng, HD_MESH_KINDS);
    while (s->first[kind] == s->first[kind + 1]) kind = (kind + 1) % HD_MESH_KINDS;
    for (int i = 0; i < LOOKS; i++) {
        size_t f = s->first[kind] + hd_rng_below(rng, (uint32_t)(s->first[kind + 1] - s->first[kind]));
        double load = worst_on_path(s, f);
        if (load <= worst) continue;
        worst = load;
        best = f;
    }
    if (best == SIZE_MAX) return (struct hd_stretch){p, q, 1};
    const struct hd_mesh_flow *f = &s->job->flow[best];
    bool back = hd_rng_below(rng, 2);
    uint32_t other = search->order[back ? f->from : f->to], leaf = s->view->leaf[(size_t)other * s->job->nrail];
    p = back ? f->to : f->from;
    if (what < 5)
        q = s->place[s->on_leaf[s->leaf_at[leaf] + hd_rng_below(rng, s->leaf_at[leaf + 1] - s->leaf_at[leaf])]];
    return (struct hd_stretch){p, q, 1};
}

/* ---- beginning ------------------------------------------------------------------------------ */

static hd_status list_flows(struct hd_ctx *ctx, struct hd_arena *a, struct hd_mesh_search *s)
{
    const struct hd_mesh_job *job = s->job;
    s->at = HD_NEW(a, size_t, (size_t)job->n + 2);
    s->of = HD_NEW(a, uint32_t, job->nflow * 2 + 1);
    if (!s->at || !s->of) return hd_fail_memory(ctx);
    for (size_t i = 0; i < job->nflow; i++) {
        s->at[job->flow[i].from + 2]++;
        s->at[job->flow[i].to + 2]++;
        s->first[job->flow[i].kind + 1] = i + 1;
    }
    for (int k = 1; k <= HD_MESH_KINDS; k++)
        if (!s->first[k]) s->first[k] = s->first[k - 1];
    for (uint32_t i = 2; i < job->n + 2; i++) s->at[i] += s->at[i - 1];
    for (size_t i = 0; i < job->nflow; i++) {
        s->of[s->at[job->flow[i].from + 1]++] = (uint32_t)i;
        s->of[s->at[job->flow[i].to + 1]++] = (uint32_t)i;
    }
    return HD_OK;
}

static hd_status list_leaves(struct hd_ctx *ctx, struct hd_arena *a, struct hd_mesh_search *s)
{
    uint32_t n = s->job->n, nleaf = s->view->nleaf, nrail = s->job->nrail;
    s->leaf_at = HD_NEW(a, uint32_t, (size_t)nleaf + 2);
    s->on_leaf = HD_NEW(a, uint32_t, n);
    s->place = HD_NEW(a, uint32_t, n);
    if (!s->leaf_at || !s->on_leaf || !s->place) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) s->leaf_at[s->view->leaf[(size_t)i * nrail] + 2]++;
    for (uint32_t i = 2; i < nleaf + 2; i++) s->leaf_at[i] += s->leaf_at[i - 1];
    for (uint32_t i = 0; i < n; i++) s->on_leaf[s->leaf_at[s->view->leaf[(size_t)i * nrail] + 1]++] = i;
    return HD_OK;
}

/* What the busiest adapter sends or receives in each kind, as bytes of the usual rate. */
static hd_status weigh_kinds(struct hd_ctx *ctx, struct hd_arena *a, struct hd_mesh_search *s)
{
    const struct hd_mesh_job *job = s->job;
    uint64_t *sent = HD_NEW(a, uint64_t, (size_t)job->n * job->nrail * 2);
    double total = 0;
    if (!sent) return hd_fail_memory(ctx);
    for (int k = 0; k < HD_MESH_KINDS; k++) {
        uint64_t most = 0;
        memset(sent, 0, (size_t)job->n * job->nrail * 2 * sizeof *sent);
        for (size_t i = s->first[k]; i < s->first[k + 1]; i++) {
            const struct hd_mesh_flow *f = &job->flow[i];
            uint64_t *x = &sent[((size_t)f->from * job->nrail + f->rail) * 2],
                     *y = &sent[((size_t)f->to * job->nrail + f->rail) * 2 + 1];
            *x += f->bytes;
            *y += f->bytes;
            if (*x > most) most = *x;
            if (*y > most) most = *y;
        }
        s->unit[k] = most ? 1 / (double)most : 0;
        s->weight[k] = (double)most;
        total += (double)most;
    }
    for (int k = 0; k < HD_MESH_KINDS; k++) s->weight[k] /= total;
    return HD_OK;
}

static hd_status mesh_begin(struct hd_ctx *ctx, struct hd_arena *a, struct hd_mesh_search *s, const uint32_t *order)
{
    const struct hd_rates *rates = s->view->rates;
    HD_TRY(hd_path_matrix_init(ctx, a, s->view, &s->matrix));
    HD_TRY(list_flows(ctx, a, s));
    HD_TRY(list_leaves(ctx, a, s));
    HD_TRY(weigh_kinds(ctx, a, s));
    s->load = HD_NEW(a, uint64_t, ((size_t)s->matrix.nchan + 1) * HD_MESH_KINDS);
    s->scale = HD_NEW(a, double, (size_t)s->matrix.nchan + 1);
    s->anneal.order = HD_NEW(a, uint32_t, s->job->n);
    if (!s->load || !s->scale || !s->anneal.order) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < s->matrix.nchan; c++)
        s->scale[c] = rates->factor ? (double)rates->factor[s->matrix.channel[c]] / rates->scale : 1;
    memcpy(s->anneal.order, order, s->job->n * sizeof *order);
    for (uint32_t i = 0; i < s->job->n; i++) s->place[order[i]] = i;
    for (size_t i = 0; i < s->job->nflow; i++) change_mesh_flow(s, (uint32_t)i, true);
    mesh_sum_again(s);
    return HD_OK;
}

void hd_mesh_restart(struct hd_mesh_search *s, const uint32_t *order)
{
    memcpy(s->anneal.order, order, s->job->n * sizeof *order);
    for (uint32_t i = 0; i < s->job->n; i++) s->place[order[i]] = i;
    memset(s->load, 0, ((size_t)s->matrix.nchan + 1) * HD_MESH_KINDS * sizeof *s->load);
    for (size_t i = 0; i < s->job->nflow; i++) change_mesh_flow(s, (uint32_t)i, true);
    mesh_sum_again(s);
}

/* ---- searching ------------------------------------------------------------------------------ */

static void mesh_apply(struct hd_mesh_search *s, struct hd_stretch m)
{
    for (uint32_t i = 0; i < m.len; i++) hd_mesh_swap(&s->anneal, m.p + i, m.q + i);
}

uint32_t hd_mesh_neighbour(const struct hd_mesh_search *s, uint32_t place, struct hd_rng *rng)
{
    uint32_t leaf = s->view->leaf[(size_t)s->anneal.order[place] * s->job->nrail];
    return s->place[s->on_leaf[s->leaf_at[leaf] + hd_rng_below(rng, s->leaf_at[leaf + 1] - s->leaf_at[leaf])]];
}

/* Moves that make the step shorter, or leave it and make the sum of powers smaller. */
static double mesh_polish(struct hd_mesh_search *s, uint64_t budget, struct hd_rng *rng)
{
    double step = hd_mesh_largest(s);
    s->anneal.spent = 0;
    while (s->anneal.spent < budget && !hd_stop_asked(s->anneal.ctx)) {
        struct hd_stretch m = mesh_pick(&s->anneal, rng);
        double cost = s->anneal.cost;
        s->anneal.spent++;
        if (m.p == m.q || m.len == 0) continue;
        mesh_apply(s, m);
        double now = hd_mesh_largest(s);
        if (now > step + 1e-12 || (now > step - 1e-12 && s->anneal.cost > cost))
            mesh_apply(s, m);
        else
            step = now;
    }
    return step;
}

/* Polishes an order; it replaces the best where that makes the step shorter. */
static double mesh_refine(struct hd_mesh_search *s, uint64_t budget, struct hd_rng *rng, const uint32_t *from,
                          double before, uint32_t *order)
{
    hd_mesh_restart(s, from);
    double after = mesh_polish(s, budget, rng);
    if (after < before) memcpy(order, s->anneal.order, s->job->n * sizeof *order);
    return fmin(before, after);
}

/* Fitted; where that does not reach what adapters need, a step of 1, the order is annealed too, and both are polished.
 * There is room for four orders behind this one. */
static void mesh_run(struct hd_mesh_search *s, uint64_t budget, const uint32_t *starts, uint32_t nstart,
                     uint32_t *order)
{
    static const struct hd_anneal_how how = {hd_mesh_swap, mesh_pick, .tries = 64, .batch = 4, .hot = 20, .cold = 4000};
    struct hd_rng rng;
    uint32_t n = s->job->n, *start = order + n, *work = order + 2 * (size_t)n;
    memcpy(start, order, n * sizeof *order);
    double step = hd_mesh_fit(s, budget / FIT_SHARE, starts, nstart, hd_mesh_largest(s), order, work);
    if (step <= 1 + 1e-9) return;
    hd_mesh_restart(s, start);
    s->moves = 0;
    hd_rng_init(&rng, s->anneal.ctx->seed, HD_RNG_SEARCH, 3);
    s->anneal.budget = budget / ANNEAL_SHARE;
    hd_anneal(&s->anneal, &how, &rng, work);
    step = mesh_refine(s, budget / POLISH_SHARE, &rng, work, step, order);
    memcpy(work, order, n * sizeof *order);
    mesh_refine(s, budget / POLISH_SHARE, &rng, work, step, order);
}

hd_status hd_mesh_search(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                         uint64_t budget, const uint32_t *starts, uint32_t nstart, uint32_t *order)
{
    struct hd_arena a = {0};
    struct hd_mesh_search s = {.view = view, .job = job, .anneal = {.n = job->n, .ctx = ctx}};
    if (job->n < 3 || !view->single || !job->nflow) return HD_OK;
    hd_status status = mesh_begin(ctx, &a, &s, order);
    uint32_t *work = status == HD_OK ? HD_NEW(&a, uint32_t, (size_t)job->n * 5) : NULL;
    if (status == HD_OK && !work) status = hd_fail_memory(ctx);
    if (status == HD_OK) {
        memcpy(work, order, job->n * sizeof *order);
        mesh_run(&s, budget, starts, nstart, work);
        memcpy(order, work, job->n * sizeof *order);
    }
    hd_arena_release(&a);
    return status;
}
