/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth of this machine: in each round a random bisection of the processes, drawn
 * as hd_eval draws it, in which partners exchange messages. With tables, each pair's share of a cable is predicted
 * from the loads of the same flows, and both are compared.
 * Hoefler, Schneider, Lumsdaine: Multistage switches are not crossbars. */
#include "base/arena.h"
#include "base/agree.h"
#include "base/comm.h"
#include "base/sized.h"
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "heddle/order.h"
#include "order/measure.h"
#include "tool/processes.h"

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
};

/* ---- rounds ----------------------------------------------------------------------------------- */

static const struct {
    const struct hd_pattern *pattern;
    bool placed; /* looks at where ranks are */
} known[] = {{&hd_pattern_bisect, false}, {&hd_pattern_permutation, false}, {&hd_pattern_dissemination, false},
             {&hd_pattern_ring, false},   {&hd_pattern_shift, false},       {&hd_pattern_bruck, false},
             {&hd_pattern_recdbl, false}, {&hd_pattern_binomial, false},    {&hd_pattern_tournament, false},
             {&hd_pattern_bridge, true},  {&hd_pattern_worst, true}};

const char *hd_measure_pattern_name(size_t i)
{
    return i < sizeof known / sizeof *known ? known[i].pattern->desc.name : NULL;
}

/* Patterns that look at places speak of endpoints: which rank each is. */
static hd_status number_owners(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_rounds_in *in,
                               struct hd_rounds *r)
{
    if (!in->ep)
        return hd_fail(ctx, HD_INPUT, "measure: pattern '%.40s' needs to know where ranks are: give NET and TABLE",
                       in->pattern);
    const struct hd_net *net = hd_routes_net(in->routes);
    if (!(r->owner = HD_NEW(a, uint32_t, net->nep))) return hd_fail_memory(ctx);
    memset(r->owner, 0xff, net->nep * sizeof *r->owner);
    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t *owner = &r->owner[in->ep[i]];
        if (*owner != UINT32_MAX)
            return hd_fail(ctx, HD_INPUT,
                           "measure: pattern '%.40s' needs an endpoint for each rank; %u and %u share %s", in->pattern,
                           *owner, i, hd_node_name(net, net->nsw + in->ep[i]));
        *owner = i;
    }
    return HD_OK;
}

hd_status hd_rounds_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_rounds_in *in, struct hd_rounds *r)
{
    static const uint64_t defaults[8];
    *r = (struct hd_rounds){.both = false};
    bool placed = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].pattern->desc.name, in->pattern ? in->pattern : hd_measure_pattern_name(0)) != 0) continue;
        r->pattern = known[i].pattern;
        placed = known[i].placed;
    }
    if (!r->pattern)
        return hd_fail(ctx, HD_INPUT, "measure: pattern '%.40s' cannot be run, or is not known", in->pattern);
    if (placed) HD_TRY(number_owners(ctx, a, in, r));
    r->both = r->pattern == &hd_pattern_bisect;
    uint32_t *self = HD_NEW(a, uint32_t, in->n);
    struct hd_ranks *ranks = HD_NEW(a, struct hd_ranks, 1);
    for (int i = 0; i < 3; i++)
        if (!(r->flows.buf[i] = HD_NEW(a, uint32_t, 2 * (size_t)in->n + 2))) return hd_fail_memory(ctx);
    if (!self || !ranks) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < in->n; i++) self[i] = placed ? in->ep[i] : i;
    *ranks = (struct hd_ranks){in->n, self};
    const struct hd_routes *routes = placed ? in->routes : NULL;
    HD_TRY(r->pattern->init(ctx, a, &(struct hd_pattern_in){routes, ranks, defaults}, &r->state));
    r->stages = r->pattern->stages ? r->pattern->stages(r->state) : 0;
    return HD_OK;
}

void hd_rounds_draw(struct hd_rounds *r, uint64_t seed, uint64_t round)
{
    struct hd_flows *f = &r->flows;
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_PATTERN, round);
    r->pattern->draw(r->state, &rng, r->stages ? round % r->stages : round, f);
    if (!r->owner) return;
    for (uint32_t i = 0; i < f->n; i++) {
        f->buf[0][i] = r->owner[f->src[i]];
        f->buf[1][i] = r->owner[f->dst[i]];
    }
    f->src = f->buf[0];
    f->dst = f->buf[1];
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
            return hd_fail_about(r->ctx, HD_INPUT, "nodes",
                                 "rank %u runs on '%.80s', which the fabric does not have: give nodes", rank, name);
        for (uint32_t i = 0; i < rank; i++) before += strcmp(names + (size_t)i * HD_COMM_NAME, name) == 0;
        r->ep[rank] = all->ep[(size_t)node * all->nrail + before % all->nrail];
    }
    return HD_OK;
}

static hd_status place_ranks(struct run *r)
{
    struct hd_nodes *nodes = NULL;
    char mine[HD_COMM_NAME], *names = HD_NEW(&r->scratch, char, (size_t)r->n *HD_COMM_NAME);
    if (!names) return hd_fail_memory(r->ctx);
    hd_comm_host(r->ctx->comm, mine);
    hd_comm_gather(r->ctx->comm, mine, sizeof mine, names);
    HD_TRY(hd_nodes_read(r->ctx, hd_routes_net(r->in->routes), r->in->nodes, 1, &nodes));
    hd_status s = r->in->nodes ? place_by_list(r, nodes) : place_by_name(r, nodes, names);
    hd_nodes_free(nodes);
    return s;
}

/* ---- one round -------------------------------------------------------------------------------- */

static void keep_round(struct run *r, uint32_t round)
{
    const struct hd_flows *f = &r->rounds.flows;
    struct hd_measurement *m = r->m;
    double sum = 0, least = INFINITY, most = 0, bytes = (double)r->in->bytes * r->in->messages;
    uint32_t n = 0;
    for (int way = 0; way < (r->rounds.both ? 2 : 1); way++)
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t s = way ? f->dst[i] : f->src[i], d = way ? f->src[i] : f->dst[i];
            double t = r->seconds[s] > r->seconds[d] ? r->seconds[s] : r->seconds[d],
                   mbps = t > 0 ? bytes / t * 1e-6 : 0;
            m->pair[m->npair++] = (struct hd_measure_pair){round, s, d, mbps, NAN};
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
    if (r->rounds.both && to_from[0] < 0)
        to_from[0] = to_from[1];
    else if (r->rounds.both)
        to_from[1] = to_from[0];
    if (hd_comm_exchange(r->ctx->comm, to_from, (size_t)r->in->bytes, r->in->messages, &mine) != HD_OK)
        return hd_fail_memory(r->ctx);
    hd_comm_gather(r->ctx->comm, &mine, sizeof mine, r->seconds);
    keep_round(r, round);
    return HD_OK;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static hd_status measure_prepare(struct run *r)
{
    struct hd_measurement *m = r->m;
    m->rounds = r->in->rounds;
    m->ranks = r->n;
    m->correlation = m->usual = NAN;
    m->min = INFINITY;
    m->round_average = HD_NEW(r->own, double, m->rounds);
    m->round_min = HD_NEW(r->own, double, m->rounds);
    m->round_max = HD_NEW(r->own, double, m->rounds);
    m->pair = HD_NEW(r->own, struct hd_measure_pair, (size_t)m->rounds * r->n);
    r->seconds = HD_NEW(&r->scratch, double, r->n);
    r->ep = m->ep = HD_NEW(r->own, uint32_t, r->n);
    if (!m->round_average || !m->round_min || !m->round_max || !m->pair || !r->seconds || !r->ep)
        return hd_fail_memory(r->ctx);
    return HD_OK;
}

static hd_status measure_run_all(struct run *r)
{
    HD_TRY(measure_prepare(r));
    HD_TRY(hd_agree(r->ctx, HD_OK, 0));
    if (r->in->routes) HD_TRY(place_ranks(r));
    struct hd_rounds_in rounds = {r->in->pattern, r->n, r->in->routes, r->in->routes ? r->ep : NULL};
    HD_TRY(hd_rounds_init(r->ctx, &r->scratch, &rounds, &r->rounds));
    for (uint32_t round = 0; round < r->in->rounds; round++) {
        hd_progress(r->ctx, "rounds", round, r->in->rounds);
        HD_TRY(run_round(r, round));
    }
    hd_progress(r->ctx, "rounds", r->in->rounds, r->in->rounds);
    r->m->average = r->m->npair ? r->m->average / (double)r->m->npair : 0;
    if (!r->m->npair) r->m->min = 0;
    return r->in->routes ? hd_measure_explain(r->ctx, r->own, r->in->routes, r->ep, r->m) : HD_OK;
}

hd_status hd_measure_sized(struct hd_ctx *ctx, const struct hd_measure_in *given, size_t size,
                           struct hd_measurement **m)
{
    struct hd_measure_in in;
    HD_TRY(HD_SIZED_IN(ctx, hd_measure_in, given, size, &in));
    if (!ctx->comm) return hd_fail(ctx, HD_LIMIT, "measure: needs MPI: run 'mpirun -n RANKS heddle-mpi measure'");
    struct run r = {.ctx = ctx, .in = &in, .n = (uint32_t)hd_comm_size(ctx->comm)};
    if (in.rounds < 1 || in.messages < 1 || in.bytes < 1 || in.bytes > (uint64_t)1 << 30)
        return hd_fail(ctx, HD_USAGE, "measure: expected rounds, messages, and messages of 1 byte to 1 GiB");
    if (r.n < 2) return hd_fail(ctx, HD_INPUT, "measure: needs at least 2 ranks, there is 1");
    r.m = hd_owned_new(sizeof *r.m, &r.own);
    if (!r.m) return hd_fail_memory(ctx);
    r.m->arena = r.own;
    hd_status s = measure_run_all(&r);
    hd_arena_release(&r.scratch);
    if (s == HD_OK)
        *m = r.m;
    else
        hd_measurement_free(r.m);
    return s;
}

void hd_measurement_free(struct hd_measurement *m)
{
    if (m) hd_owned_free(m->arena);
}
