/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth of the machine at hand: in each round a random bisection of the processes, drawn
 * as hd_eval draws it, in which partners exchange messages. With tables, each pair's share of a cable is predicted
 * from the loads of the same flows, and both are compared.
 * Hoefler, Schneider, Lumsdaine: Multistage switches are not crossbars. */
#include "base/arena.h"
#include "base/comm.h"
#include "base/status.h"
#include "flow/load.h"
#include "flow/patterns.h"
#include "heddle/order.h"
#include "order/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct hd_ctx *ctx;
    const struct hd_measure_in *in;
    struct hd_arena scratch;
    struct hd_measurement *m;
    struct hd_arena *own;
    struct hd_rounds rounds;
    uint32_t n;
    uint32_t *ep;    /* [n] endpoint of a rank */
    double *seconds; /* [n] of a round */
    struct hd_rates rates;
    struct hd_loads loads;
    double *ratio_sum; /* [nchan] largest measured / predicted of a pair over the channel, and how many */
    uint32_t *ratio_n;
};

/* ---- rounds ----------------------------------------------------------------------------------- */

hd_status hd_rounds_init(struct hd_ctx *ctx, struct hd_arena *a, const char *pattern, uint32_t n, struct hd_rounds *r)
{
    static const struct hd_pattern *const known[] = {
        &hd_pattern_bisect, &hd_pattern_permutation, &hd_pattern_dissemination, &hd_pattern_ring,       &hd_pattern_shift,
        &hd_pattern_bruck,  &hd_pattern_recdbl,      &hd_pattern_binomial,      &hd_pattern_tournament};
    static const uint64_t defaults[8];
    *r = (struct hd_rounds){.both = true};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i]->desc.name, pattern ? pattern : "bisect") == 0) r->pattern = known[i];
    if (!r->pattern) return hd_fail(ctx, HD_INPUT, "measure: pattern '%.40s' cannot be run, or is not known", pattern);
    r->both = r->pattern == &hd_pattern_bisect;
    uint32_t *self = HD_NEW(a, uint32_t, n);
    struct hd_ranks *ranks = HD_NEW(a, struct hd_ranks, 1);
    for (int i = 0; i < 3; i++)
        if (!(r->flows.buf[i] = HD_NEW(a, uint32_t, 2 * (size_t)n + 2))) return hd_fail_memory(ctx);
    if (!self || !ranks) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) self[i] = i;
    *ranks = (struct hd_ranks){n, self};
    HD_TRY(r->pattern->init(ctx, a, &(struct hd_pattern_in){NULL, ranks, defaults}, &r->state));
    r->stages = r->pattern->stages ? r->pattern->stages(r->state) : 0;
    return HD_OK;
}

void hd_rounds_draw(struct hd_rounds *r, uint64_t seed, uint64_t round)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_PATTERN, round);
    r->pattern->draw(r->state, &rng, r->stages ? round % r->stages : round, &r->flows);
}

/* ---- where ranks are -------------------------------------------------------------------------- */

/* Rank k of a node uses rail k. */
static hd_status place_by_list(struct run *r, const struct hd_nodes *nodes)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t k = 0; k < nodes->slots[i] && rank < r->n; k++)
            r->ep[rank++] = nodes->ep[(size_t)i * nodes->nrail + k % nodes->nrail];
    if (rank == r->n) return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%u ranks on nodes that have %u slots", r->n, rank);
}

static hd_status place_by_name(struct run *r, const struct hd_nodes *all, const char *names)
{
    const struct hd_net *net = all->net;
    for (uint32_t rank = 0; rank < r->n; rank++) {
        const char *name = names + (size_t)rank * HD_COMM_NAME;
        uint32_t node = UINT32_MAX, before = 0;
        for (uint32_t i = 0; i < all->n && node == UINT32_MAX; i++) {
            const char *host = hd_host_name(net, all->host[i]);
            size_t x = strcspn(host, "."), y = strcspn(name, ".");
            if (strcmp(host, name) == 0 || (x == y && memcmp(host, name, x) == 0 && (!host[x] || !name[y]))) node = i;
        }
        if (node == UINT32_MAX)
            return hd_fail(r->ctx, HD_INPUT, "rank %u runs on '%.80s', which the fabric does not have: give --nodes", rank, name);
        for (uint32_t i = 0; i < rank; i++) before += strcmp(names + (size_t)i * HD_COMM_NAME, name) == 0;
        r->ep[rank] = all->ep[(size_t)node * all->nrail + before % all->nrail];
    }
    return HD_OK;
}

static hd_status place_ranks(struct run *r)
{
    struct hd_nodes *nodes = NULL;
    char mine[HD_COMM_NAME], *names = HD_NEW(&r->scratch, char, (size_t)r->n * HD_COMM_NAME);
    if (!names) return hd_fail_memory(r->ctx);
    hd_comm_host(r->ctx->comm, mine);
    hd_comm_gather(r->ctx->comm, mine, sizeof mine, names);
    HD_TRY(hd_nodes_read(r->ctx, hd_routes_net(r->in->routes), r->in->nodes, 1, &nodes));
    hd_status s = r->in->nodes ? place_by_list(r, nodes) : place_by_name(r, nodes, names);
    hd_nodes_free(nodes);
    return s;
}

/* ---- one round -------------------------------------------------------------------------------- */

/* All flows of a round, the way back included, as endpoints; ranks of one machine do not meet the network. */
static void load_round(struct run *r)
{
    const struct hd_flows *f = &r->rounds.flows;
    const struct hd_net *net = hd_routes_net(r->in->routes);
    struct hd_flows *g = &r->loads.flows;
    g->n = 0;
    for (int way = 0; way < (r->rounds.both ? 2 : 1); way++)
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t s = r->ep[way ? f->dst[i] : f->src[i]], d = r->ep[way ? f->src[i] : f->dst[i]];
            if (net->host[s] == net->host[d]) continue;
            g->buf[0][g->n] = s;
            g->buf[1][g->n++] = d;
        }
    g->src = g->buf[0];
    g->dst = g->buf[1];
    g->weight = NULL;
    g->simple = false; /* several ranks may share an endpoint */
    hd_loads_run(&r->loads);
}

/* Share of each flow, in the order of load_round; and what its channels saw. */
static double predict(struct run *r, uint32_t k, double mbps)
{
    struct hd_loads *l = &r->loads;
    uint64_t most = hd_loads_bottleneck(l, k);
    if (!most) return NAN;
    double share = (double)l->unit * r->rates.scale / (double)most;
    for (uint32_t j = l->at[k]; j < l->at[k + 1]; j++) {
        uint32_t c = l->chan[j];
        if (mbps / share > r->ratio_sum[c]) r->ratio_sum[c] = mbps / share;
        r->ratio_n[c]++;
    }
    return share;
}

static void keep_round(struct run *r, uint32_t round)
{
    const struct hd_flows *f = &r->rounds.flows;
    struct hd_measurement *m = r->m;
    double sum = 0, least = INFINITY, most = 0, bytes = (double)r->in->bytes * r->in->messages;
    uint32_t k = 0, n = 0;
    for (int way = 0; way < (r->rounds.both ? 2 : 1); way++)
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t s = way ? f->dst[i] : f->src[i], d = way ? f->src[i] : f->dst[i];
            double t = r->seconds[s] > r->seconds[d] ? r->seconds[s] : r->seconds[d], mbps = t > 0 ? bytes / t * 1e-6 : 0;
            double share = NAN;
            if (r->in->routes && hd_routes_net(r->in->routes)->host[r->ep[s]] != hd_routes_net(r->in->routes)->host[r->ep[d]])
                share = predict(r, k++, mbps);
            m->pair[m->npair++] = (struct hd_measure_pair){round, s, d, mbps, share};
            sum += mbps;
            n++;
            if (mbps < least) least = mbps;
            if (mbps > most) most = mbps;
        }
    m->round_average[round] = n ? sum / n : 0;
    m->round_min[round] = n ? least : 0;
    m->round_max[round] = most;
    m->average += sum;
    if (n && least < m->min) m->min = least;
    if (most > m->max) m->max = most;
}

static hd_status run_round(struct run *r, uint32_t round)
{
    int me = hd_comm_rank(r->ctx->comm), to_from[2] = {-1, -1};
    const struct hd_flows *f = &r->rounds.flows;
    double mine;
    hd_rounds_draw(&r->rounds, r->ctx->seed, round);
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->src[i] == (uint32_t)me) to_from[0] = (int)f->dst[i];
        if (f->dst[i] == (uint32_t)me) to_from[1] = (int)f->src[i];
    }
    if (r->rounds.both && to_from[0] < 0) to_from[0] = to_from[1];
    else if (r->rounds.both) to_from[1] = to_from[0];
    if (hd_comm_exchange(r->ctx->comm, to_from, (size_t)r->in->bytes, r->in->messages, &mine) != HD_OK)
        return hd_fail_memory(r->ctx);
    hd_comm_gather(r->ctx->comm, &mine, sizeof mine, r->seconds);
    if (r->in->routes) load_round(r);
    keep_round(r, round);
    if (r->in->routes) hd_loads_clear(&r->loads);
    return HD_OK;
}

/* ---- what it says ----------------------------------------------------------------------------- */

struct ranked {
    double value;
    uint64_t i;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

/* Ranks from 0, equal values share the mean of theirs. */
static void rank_values(struct ranked *list, uint64_t n, double *rank)
{
    qsort(list, n, sizeof *list, by_value);
    for (uint64_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && list[j].value == list[i].value; j++) continue;
        for (uint64_t k = i; k < j; k++) rank[list[k].i] = (double)(i + j - 1) / 2;
    }
}

double hd_rank_correlation(struct hd_arena *a, const double *x, const double *y, uint64_t n)
{
    struct ranked *list = HD_NEW(a, struct ranked, n);
    double *rx = HD_NEW(a, double, n), *ry = HD_NEW(a, double, n), mean = (double)(n - 1) / 2, xy = 0, xx = 0, yy = 0;
    if (!list || !rx || !ry || n < 2) return NAN;
    for (uint64_t i = 0; i < n; i++) list[i] = (struct ranked){x[i], i};
    rank_values(list, n, rx);
    for (uint64_t i = 0; i < n; i++) list[i] = (struct ranked){y[i], i};
    rank_values(list, n, ry);
    for (uint64_t i = 0; i < n; i++) {
        xy += (rx[i] - mean) * (ry[i] - mean);
        xx += (rx[i] - mean) * (rx[i] - mean);
        yy += (ry[i] - mean) * (ry[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN; /* one value only: nothing to correlate */
}

static hd_status compare(struct run *r)
{
    struct hd_measurement *m = r->m;
    const struct hd_net *net = hd_routes_net(r->in->routes);
    double *x = HD_NEW(&r->scratch, double, m->npair), *y = HD_NEW(&r->scratch, double, m->npair);
    struct ranked *ratio = HD_NEW(&r->scratch, struct ranked, m->npair);
    uint64_t n = 0;
    m->slow = HD_NEW(r->own, uint32_t, net->nchan);
    if (!x || !y || !ratio || !m->slow) return hd_fail_memory(r->ctx);
    for (uint64_t i = 0; i < m->npair; i++)
        if (!isnan(m->pair[i].predicted)) {
            x[n] = m->pair[i].predicted;
            y[n] = m->pair[i].mbps;
            ratio[n] = (struct ranked){y[n] / x[n], n};
            n++;
        }
    if (n == 0) return HD_OK;
    m->correlation = hd_rank_correlation(&r->scratch, x, y, n);
    qsort(ratio, n, sizeof *ratio, by_value);
    m->usual = ratio[n / 2].value;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (r->ratio_n[c] > 1 && r->ratio_sum[c] < 0.7 * m->usual) m->slow[m->nslow++] = c;
    return HD_OK;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static hd_status prepare(struct run *r)
{
    struct hd_measurement *m = r->m;
    HD_TRY(hd_rounds_init(r->ctx, &r->scratch, r->in->pattern, r->n, &r->rounds));
    m->rounds = r->in->rounds;
    m->ranks = r->n;
    m->correlation = m->usual = NAN;
    m->min = INFINITY;
    m->round_average = HD_NEW(r->own, double, m->rounds);
    m->round_min = HD_NEW(r->own, double, m->rounds);
    m->round_max = HD_NEW(r->own, double, m->rounds);
    m->pair = HD_NEW(r->own, struct hd_measure_pair, (size_t)m->rounds * r->n);
    r->seconds = HD_NEW(&r->scratch, double, r->n);
    r->ep = HD_NEW(&r->scratch, uint32_t, r->n);
    if (!m->round_average || !m->round_min || !m->round_max || !m->pair || !r->seconds || !r->ep) return hd_fail_memory(r->ctx);
    if (!r->in->routes) return HD_OK;
    const struct hd_net *net = hd_routes_net(r->in->routes);
    r->ratio_sum = HD_NEW(&r->scratch, double, net->nchan);
    r->ratio_n = HD_NEW(&r->scratch, uint32_t, net->nchan);
    if (!r->ratio_sum || !r->ratio_n) return hd_fail_memory(r->ctx);
    HD_TRY(hd_rates_init(r->ctx, &r->scratch, net, &r->rates));
    HD_TRY(hd_loads_init(r->ctx, &r->scratch, r->in->routes, &r->rates, 2 * r->n, &r->loads));
    if (r->loads.nvar > 1)
        return hd_fail(r->ctx, HD_INPUT, "measure: does not apply to %.200s: pairs use several paths at once",
                       hd_routes_spec(r->in->routes));
    return place_ranks(r);
}

static hd_status run_all(struct run *r)
{
    HD_TRY(prepare(r));
    for (uint32_t round = 0; round < r->in->rounds; round++) {
        hd_progress(r->ctx, "rounds", round, r->in->rounds);
        HD_TRY(run_round(r, round));
    }
    hd_progress(r->ctx, "rounds", r->in->rounds, r->in->rounds);
    r->m->average = r->m->npair ? r->m->average / (double)r->m->npair : 0;
    if (!r->m->npair) r->m->min = 0;
    return r->in->routes ? compare(r) : HD_OK;
}

hd_status hd_measure(struct hd_ctx *ctx, const struct hd_measure_in *in, struct hd_measurement **m)
{
    if (!ctx->comm)
        return hd_fail(ctx, HD_LIMIT, "measure: needs MPI: run 'mpirun -n RANKS heddle-mpi measure'");
    struct hd_arena first = {0};
    struct run r = {.ctx = ctx, .in = in, .n = (uint32_t)hd_comm_size(ctx->comm)};
    if (r.n < 2) return hd_fail(ctx, HD_INPUT, "measure: needs at least 2 ranks, there is 1");
    r.m = HD_NEW(&first, struct hd_measurement, 1);
    r.own = HD_NEW(&first, struct hd_arena, 1);
    if (!r.m || !r.own) {
        hd_arena_release(&first);
        return hd_fail_memory(ctx);
    }
    *r.own = first;
    r.m->arena = r.own;
    hd_status s = run_all(&r);
    hd_arena_release(&r.scratch);
    if (s == HD_OK) *m = r.m;
    else hd_measurement_free(r.m);
    return s;
}

void hd_measurement_free(struct hd_measurement *m)
{
    if (!m) return;
    struct hd_arena a = *(struct hd_arena *)m->arena;
    hd_arena_release(&a);
}
