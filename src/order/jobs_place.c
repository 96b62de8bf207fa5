/* SPDX-License-Identifier: BSD-2-Clause */
/* Placement among running jobs. hd_order_choose finds nodes that suit the job itself; here it is asked several times,
 * for all free nodes, for those of one subtree, and for those of the leaves whose up channels have least traffic, and
 * what it finds is judged by what the job and the others would lose: the slowdown of the job as in jobs_meet.c, or the
 * factor by which that of another one grows, whichever is larger. Among equals the one with the least load of its own
 * is taken, then the first, so all free nodes go before subtrees. At most CANDIDATES sets are tried, each in
 * O(leaves * n). */
#include "base/keyed.h"
#include "base/status.h"
#include "order/jobs_meet.h"
#include "order/order_check.h"
#include "order/shift_keys.h"

#include <stdio.h>
#include <string.h>

enum { CANDIDATES = 24, PER_LEVEL = 4, PLACE_BUDGET = 400000000 };

struct placer {
    struct hd_ctx *ctx;
    struct hd_arena scratch;
    const struct hd_routes *routes;
    const struct hd_jobs *jobs;
    const struct hd_nodes *free_nodes;
    uint32_t size;
    struct hd_job_use *use; /* of the running jobs */
    double *total;          /* [nchan] of them together */
    double *before;         /* [jobs] busiest channel of each, with the others */
    double *mine;           /* [nchan] of the candidate; 0 between candidates */
    double *dirt;           /* [n] traffic on the busiest channel of a node's leaf switch */
    uint32_t tried, most;   /* candidates */
    double slowdown, alone; /* of the best */
    uint32_t *best;
    struct hd_advice advice;
};

/* ---- judging -------------------------------------------------------------------------------- */

/* The slowdown of this job, or the largest factor by which it slows down another one. */
static double place_slowdown(struct placer *p, const struct hd_job_use *own)
{
    double worst = 1;
    for (uint32_t i = 0; i < own->n; i++) {
        uint32_t c = own->use[i].channel;
        p->mine[c] = own->use[i].load;
        if ((p->total[c] + p->mine[c]) / own->most > worst) worst = (p->total[c] + p->mine[c]) / own->most;
    }
    for (uint32_t j = 0; j < p->jobs->n; j++)
        for (uint32_t i = 0; i < p->use[j].n; i++) {
            uint32_t c = p->use[j].use[i].channel;
            double load = p->mine[c] > 0 ? (p->total[c] + p->mine[c]) / p->before[j] : 0;
            if (load > worst) worst = load;
        }
    for (uint32_t i = 0; i < own->n; i++) p->mine[own->use[i].channel] = 0;
    return worst;
}

/* Chooses among these of the free nodes; takes the result if it is better. */
static hd_status place_try(struct placer *p, const uint32_t *among, uint32_t n, const char *where)
{
    struct hd_arena a = {0};
    struct hd_nodes *some = NULL, *chosen = NULL;
    struct hd_job_use own;
    struct hd_advice advice;
    uint32_t *which = HD_NEW(&a, uint32_t, p->size);
    if (n < p->size || p->tried >= p->most) return HD_OK;
    p->tried++;
    hd_status s = which ? hd_nodes_pick(p->ctx, p->free_nodes, among, n, &some) : hd_fail_memory(p->ctx);
    if (s == HD_OK) s = hd_order_choose(p->ctx, p->routes, some, p->size, which, &advice);
    if (s == HD_OK) s = hd_nodes_pick(p->ctx, some, which, p->size, &chosen);
    if (s == HD_OK) s = hd_job_use_of(p->ctx, &a, p->routes, chosen, &own);
    if (s == HD_OK) {
        double slowdown = place_slowdown(p, &own);
        if (p->tried == 1 || slowdown < p->slowdown || (slowdown == p->slowdown && own.most < p->alone)) {
            for (uint32_t i = 0; i < p->size; i++) p->best[i] = among[which[i]];
            p->slowdown = slowdown;
            p->alone = own.most;
            p->advice = advice;
            snprintf(p->advice.why, sizeof p->advice.why, "%s: %.180s", where, advice.why);
        }
    }
    hd_nodes_free(some);
    hd_nodes_free(chosen);
    hd_arena_release(&a);
    return s;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static hd_status place_dirt(struct placer *p)
{
    const struct hd_net *net = hd_routes_net(p->routes);
    const struct hd_nodes *nodes = p->free_nodes;
    double *leaf = HD_NEW(&p->scratch, double, net->nsw);
    p->dirt = HD_NEW(&p->scratch, double, nodes->n);
    p->before = HD_NEW(&p->scratch, double, p->jobs->n);
    if (!leaf || !p->dirt || !p->before) return hd_fail_memory(p->ctx);
    for (uint32_t j = 0; j < p->jobs->n; j++)
        for (uint32_t i = 0; i < p->use[j].n; i++) p->total[p->use[j].use[i].channel] += p->use[j].use[i].load;
    for (uint32_t j = 0; j < p->jobs->n; j++) {
        p->before[j] = p->use[j].most;
        for (uint32_t i = 0; i < p->use[j].n; i++) {
            double load = p->total[p->use[j].use[i].channel];
            if (load > p->before[j]) p->before[j] = load;
        }
    }
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] < net->nsw && p->total[c] > leaf[net->tail[c]]) leaf[net->tail[c]] = p->total[c];
        if (net->head[c] < net->nsw && p->total[c] > leaf[net->head[c]]) leaf[net->head[c]] = p->total[c];
    }
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t k = 0; k < nodes->nrail; k++) {
            double d = leaf[hd_leaf(net, nodes->ep[(size_t)i * nodes->nrail + k])];
            if (d > p->dirt[i]) p->dirt[i] = d;
        }
    return HD_OK;
}

/* Subtrees of one height: those with least traffic and room for the job. */
static hd_status place_subtrees(struct placer *p, const struct hd_keys *keys, uint32_t l)
{
    uint32_t nsub = keys->nsub[l], *count = HD_NEW(&p->scratch, uint32_t, nsub), n = 0;
    uint32_t *among = HD_NEW(&p->scratch, uint32_t, keys->n);
    struct hd_scored *list = HD_NEW(&p->scratch, struct hd_scored, nsub);
    if (!count || !among || !list) return hd_fail_memory(p->ctx);
    for (uint32_t x = 0; x < nsub; x++) list[x] = (struct hd_scored){0, x};
    for (uint32_t i = 0; i < keys->n; i++) {
        struct hd_scored *x = &list[keys->sub[l][i]];
        count[keys->sub[l][i]]++;
        if (p->dirt[i] > x->score) x->score = p->dirt[i];
    }
    for (uint32_t x = 0; x < nsub; x++)
        if (count[x] >= p->size) list[n++] = list[x];
    hd_scored_sort(list, n);
    for (uint32_t x = 0; x < n && x < PER_LEVEL; x++) {
        uint32_t m = 0;
        for (uint32_t i = 0; i < keys->n; i++)
            if (keys->sub[l][keys->tree[i]] == list[x].value) among[m++] = keys->tree[i];
        HD_TRY(place_try(p, among, m, "in one subtree"));
    }
    return HD_OK;
}

/* Free nodes of the leaves with least traffic: as few leaves as hold the job, and twice as many nodes. */
static hd_status place_clean(struct placer *p, const struct hd_keys *keys)
{
    uint32_t n = keys->n, *among = HD_NEW(&p->scratch, uint32_t, n);
    struct hd_scored *list = HD_NEW(&p->scratch, struct hd_scored, n);
    if (!among || !list) return hd_fail_memory(p->ctx);
    for (uint32_t i = 0; i < n; i++) list[i] = (struct hd_scored){p->dirt[keys->tree[i]], i};
    hd_scored_sort(list, n);
    for (uint32_t factor = 1; factor <= 2; factor++) {
        uint64_t end = (uint64_t)p->size * factor;
        if (end > n) end = n;
        while (end < n && list[end].score == list[end - 1].score) end++;
        for (uint64_t i = 0; i < end; i++) among[i] = keys->tree[list[i].value];
        HD_TRY(place_try(p, among, (uint32_t)end, "on the leaves with least traffic"));
    }
    return HD_OK;
}

static hd_status place_all(struct placer *p)
{
    const struct hd_nodes *nodes = p->free_nodes;
    struct hd_job_view view;
    struct hd_keys keys;
    uint32_t nchan = nodes->net->nchan, *all = HD_NEW(&p->scratch, uint32_t, nodes->n);
    p->total = HD_NEW(&p->scratch, double, nchan);
    p->mine = HD_NEW(&p->scratch, double, nchan);
    p->best = HD_NEW(&p->scratch, uint32_t, p->size);
    if (!all || !p->total || !p->mine || !p->best) return hd_fail_memory(p->ctx);
    for (uint32_t i = 0; i < nodes->n; i++) all[i] = i;
    HD_TRY(hd_jobs_use(p->ctx, &p->scratch, p->routes, p->jobs, NULL, &p->use));
    HD_TRY(place_dirt(p));
    HD_TRY(hd_job_view_init(p->ctx, &p->scratch, p->routes, nodes, &view));
    HD_TRY(hd_keys_init(p->ctx, &p->scratch, &view, &keys));
    uint64_t affordable = PLACE_BUDGET / ((uint64_t)view.nleaf * nodes->n + 1);
    p->most = affordable < 3 ? 3 : affordable > CANDIDATES ? CANDIDATES : (uint32_t)affordable;
    HD_TRY(place_try(p, all, nodes->n, "of all free nodes"));
    HD_TRY(place_clean(p, &keys));
    for (uint32_t l = 0; l < keys.levels; l++) HD_TRY(place_subtrees(p, &keys, l));
    return HD_OK;
}

hd_status hd_jobs_place(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_jobs *jobs,
                        const struct hd_nodes *free_nodes, uint32_t size, uint32_t *which, struct hd_advice *advice)
{
    struct placer p = {.ctx = ctx, .routes = r, .jobs = jobs, .free_nodes = free_nodes, .size = size};
    HD_TRY(hd_nodes_check(ctx, free_nodes, hd_routes_net(r)));
    if (size > free_nodes->n) return hd_fail(ctx, HD_INPUT, "%u nodes wanted, %u are free", size, free_nodes->n);
    hd_status s = place_all(&p);
    if (s == HD_OK) {
        memcpy(which, p.best, size * sizeof *which);
        *advice = p.advice;
    }
    hd_arena_release(&p.scratch);
    return s;
}
