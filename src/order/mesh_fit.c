/* SPDX-License-Identifier: BSD-2-Clause */
/* Improves the order of the places of a mesh by looking only at channels that have more than the busiest adapter, which
 * no order can relieve. Loads are small multiples of the flows of a kind, so few channels do, and what they have too
 * much, in flows, is annealed at a low temperature. Only flows that use such a channel are moved: their node is
 * exchanged with one of its own leaf switch, which leaves who meets whom and changes paths, with one of the leaf switch
 * of the other end, with any, or, together with all nodes of its leaf switch, with those of another. The flows are
 * listed once for many moves. Flows of all kinds count alike, whatever their bytes: counted by time the smaller ones
 * are never reached. O(flows of a place * hops) a move. */
#include "base/status.h"
#include "order/mesh_search.h"

#include <math.h>
#include <string.h>

enum { SHARES = 16 };      /* of the budget: one for the order and each start, */
enum { ROUND = 2 };        /* so many for each round from what came closest to the target */
enum { LISTED = 4096 };    /* flows that exceed, */
enum { TRIES = 4 };        /* moves for each of them until they are listed again, */
enum { LEAST_TRIES = 64 }; /* and at least so many */
enum { BLOCK = 8 };        /* nodes of a leaf switch that are moved together at most */

#define HOT 1.0 /* temperatures, in flows too many */
#define COLD 0.1
#define EQUAL 1e-9

struct mesh_fit {
    struct hd_mesh_search *s;
    struct hd_rng rng;
    uint32_t flow[LISTED], nflow;
    uint32_t *best;     /* [n] order with the least cost of the round */
    uint32_t *closest;  /* [n] of all */
    double least, step; /* its cost; the shortest step */
};

struct fit_move { /* places whose nodes are exchanged */
    uint32_t n, p[BLOCK], q[BLOCK];
};

/* ---- flows that exceed ---------------------------------------------------------------------- */

static bool flow_exceeds(const struct mesh_fit *fit, size_t i)
{
    const struct hd_mesh_search *s = fit->s;
    const struct hd_mesh_flow *f = &s->job->flow[i];
    const uint32_t *way = hd_path_matrix_at(&s->matrix, s->anneal.order[f->from], s->anneal.order[f->to], f->rail);
    const uint64_t *load = s->load + (size_t)f->kind * (s->matrix.nchan + 1);
    const double most = s->target / s->unit[f->kind];
    for (uint32_t j = 0; j < s->matrix.width && way[j] != s->matrix.nchan; j++)
        if ((double)load[way[j]] * s->scale[way[j]] > most) return true;
    return false;
}

/* From a drawn flow on, so that all have their turn where there are more than the list holds. */
static void list_exceeding(struct mesh_fit *fit)
{
    const size_t n = fit->s->job->nflow, from = hd_rng_below(&fit->rng, (uint32_t)n);
    fit->nflow = 0;
    for (size_t i = 0; i < n && fit->nflow < LISTED; i++) {
        const size_t at = from + i < n ? from + i : from + i - n;
        if (flow_exceeds(fit, at)) fit->flow[fit->nflow++] = (uint32_t)at;
    }
    fit->s->anneal.spent += n * fit->s->matrix.width;
}

/* ---- moves ---------------------------------------------------------------------------------- */

static void fit_apply(struct hd_mesh_search *s, const struct fit_move *m)
{
    for (uint32_t i = 0; i < m->n; i++) hd_mesh_swap(&s->anneal, m->p[i], m->q[i]);
}

/* All nodes of the leaf switch of a place with those of another that has as many; false: it has not. */
static bool pick_leaves(struct mesh_fit *fit, uint32_t place, struct fit_move *m)
{
    const struct hd_mesh_search *s = fit->s;
    const uint32_t nrail = s->job->nrail, other = hd_rng_below(&fit->rng, s->job->n);
    const uint32_t a = s->view->leaf[(size_t)s->anneal.order[place] * nrail], b = s->view->leaf[(size_t)other * nrail];
    m->n = s->leaf_at[a + 1] - s->leaf_at[a];
    if (a == b || m->n > BLOCK || m->n != s->leaf_at[b + 1] - s->leaf_at[b]) return false;
    const uint32_t turn = hd_rng_below(&fit->rng, m->n);
    for (uint32_t i = 0; i < m->n; i++) {
        m->p[i] = s->place[s->on_leaf[s->leaf_at[a] + i]];
        m->q[i] = s->place[s->on_leaf[s->leaf_at[b] + (i + turn) % m->n]];
    }
    return true;
}

/* Mostly the receiver is moved: tables choose by destination. */
static bool fit_pick(struct mesh_fit *fit, const struct hd_mesh_flow *f, struct fit_move *m)
{
    const bool back = hd_rng_below(&fit->rng, 4) == 0;
    const uint32_t p = back ? f->from : f->to, other = back ? f->to : f->from, how = hd_rng_below(&fit->rng, 8);
    if (how < 4) return pick_leaves(fit, p, m);
    m->n = 1;
    m->p[0] = p;
    m->q[0] = how < 6    ? hd_mesh_neighbour(fit->s, p, &fit->rng)
              : how == 6 ? hd_mesh_neighbour(fit->s, other, &fit->rng)
                         : hd_rng_below(&fit->rng, fit->s->job->n);
    return m->p[0] != m->q[0];
}

/* ---- rounds --------------------------------------------------------------------------------- */

static void fit_try(struct mesh_fit *fit, double temperature, double *least)
{
    struct hd_mesh_search *s = fit->s;
    const uint32_t i = fit->flow[hd_rng_below(&fit->rng, fit->nflow)];
    const double before = s->anneal.cost;
    struct fit_move m;
    s->anneal.spent += s->matrix.width;
    if (!flow_exceeds(fit, i) || !fit_pick(fit, &s->job->flow[i], &m)) return;
    fit_apply(s, &m);
    if (s->anneal.cost > before && hd_rng_real(&fit->rng) >= exp((before - s->anneal.cost) / temperature)) {
        fit_apply(s, &m);
    } else if (s->anneal.cost < *least - EQUAL) {
        *least = s->anneal.cost;
        memcpy(fit->best, s->anneal.order, s->job->n * sizeof *fit->best);
    }
}

/* Anneals what exceeds the target; best and the loads are those of the order that had least of it; returns that. */
static double fit_round(struct mesh_fit *fit, uint64_t budget, const uint32_t *from)
{
    struct hd_mesh_search *s = fit->s;
    s->target = 1 + EQUAL;
    hd_mesh_restart(s, from);
    memcpy(fit->best, s->anneal.order, s->job->n * sizeof *fit->best);
    double least = s->anneal.cost;
    s->anneal.spent = 0;
    while (s->anneal.spent < budget && least > EQUAL && !hd_stop_asked(s->anneal.ctx)) {
        const double done = (double)s->anneal.spent / (double)budget;
        list_exceeding(fit);
        if (!fit->nflow) break;
        for (uint32_t i = 0; i < TRIES * fit->nflow || i < LEAST_TRIES; i++)
            fit_try(fit, HOT * pow(COLD / HOT, done), &least);
    }
    s->target = 0;
    hd_mesh_restart(s, fit->best);
    return least;
}

/* A flow too many, the smallest of its kind, costs 1. */
static void fit_weigh(struct hd_mesh_search *s)
{
    for (int k = 0; k < HD_MESH_KINDS; k++) {
        double smallest = INFINITY;
        for (size_t i = s->first[k]; i < s->first[k + 1]; i++)
            smallest = fmin(smallest, (double)s->job->flow[i].bytes * s->unit[k]);
        s->excess[k] = 1 / smallest;
    }
}

/* One round from an order: sets order where the step becomes shorter, and closest where less exceeds than ever. */
static void fit_from(struct mesh_fit *fit, uint64_t budget, const uint32_t *from, uint32_t *order)
{
    const size_t bytes = fit->s->job->n * sizeof *order;
    const double left = fit_round(fit, budget, from), step = hd_mesh_largest(fit->s);
    if (left < fit->least) {
        fit->least = left;
        memcpy(fit->closest, fit->best, bytes);
    }
    if (step >= fit->step) return;
    fit->step = step;
    memcpy(order, fit->best, bytes);
}

double hd_mesh_fit(struct hd_mesh_search *s, uint64_t budget, const uint32_t *starts, uint32_t nstart, double before,
                   uint32_t *order, uint32_t *work)
{
    const uint32_t n = s->job->n;
    struct mesh_fit fit = {.s = s, .best = work, .closest = work + n, .step = before, .least = INFINITY};
    fit_weigh(s);
    hd_rng_init(&fit.rng, s->anneal.ctx->seed, HD_RNG_SEARCH, 16);
    for (uint32_t i = 0; i <= nstart && fit.step > 1 + EQUAL; i++)
        fit_from(&fit, budget / SHARES, i ? starts + (size_t)(i - 1) * n : order, order);
    for (uint32_t i = nstart + 1; i < SHARES && fit.step > 1 + EQUAL; i += ROUND)
        fit_from(&fit, budget / SHARES * ROUND, fit.closest, order);
    return fit.step;
}
