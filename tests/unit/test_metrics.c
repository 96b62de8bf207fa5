/* SPDX-License-Identifier: BSD-2-Clause */
/* Worst cases, ratios and bounds: against trying every permutation, against igraph and a linear program, and
 * against numbers worked out by hand or printed in the papers. */
#include "testing.h"

#include "base/rng.h"
#include "flow/allpairs.h"
#include "flow/bound.h"
#include "flow/optimum.h"
#include "flow/rearrange.h"
#include "flow/tub.h"
#include "flow/worst.h"
#include "graph_tools.h"
#include "matching_oracle.h"
#include "route/routes.h"

#include <math.h>
#include <stdio.h>

/* ---- networks and routes ------------------------------------------------------------------------------------ */

static struct hd_routes *make_routes(const struct hd_net *net, const char *engine)
{
    struct hd_ctx ctx;
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    if (hd_routes_open(&ctx, net, engine, &r) != HD_OK) fail_msg("%s on %s: %s", engine, net->spec, ctx.error);
    return r;
}

/* On one thread: what threads do is looked at once, below. */
static struct hd_result evaluate(const struct hd_routes *r, const char *pattern, const char *metric)
{
    struct hd_ctx ctx;
    struct hd_result result;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    struct hd_request q = {.pattern = pattern, .metric = metric, .samples = strcmp(metric, "ratio") ? 40 : 10};
    if (hd_eval(&ctx, r, &q, &result) != HD_OK)
        fail_msg("%s of %s on %s: %s", metric, hd_routes_spec(r), hd_routes_net(r)->spec, ctx.error);
    return result;
}

/* Switches in a circle with hosts each; port 1 leads on, port 2 back, hosts follow. */
static struct hd_net *make_ring(uint32_t switches, uint32_t hosts)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < switches; i++) hd_builder_switch(b, &(struct hd_switch_in){0});
    for (uint32_t i = 0; i < switches; i++) hd_builder_cable(b, i, 1, (i + 1) % switches, 2, 0);
    for (uint32_t i = 0; i < switches * hosts; i++) hd_builder_host(b, i / hosts, 3 + i % hosts, 0);
    hd_status s = hd_builder_finish(&ctx, b, "ring", &net);
    return checked(&ctx, s, net, "ring");
}

/* Variant x of every destination goes round the ring: onwards where onward[x], else back. Odd destinations look at
 * onward[x + 1] instead, so that channels get unequal shares of pairs that use all variants. */
static struct hd_routes *ring_routes(const struct hd_net *net, uint32_t nvar, const bool *onward)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, nvar, &r), HD_OK);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < nvar; x++)
            for (uint32_t v = 0; v < net->nsw; v++) {
                uint32_t c = v == hd_leaf(net, d) ? net->rev[net->off[net->nsw + d]]
                                                  : channel_at(net, v, onward[x + d % 2] ? 1 : 2);
                hd_row(r, d, x)[v] = (uint8_t)(c - net->off[v]);
            }
    return r;
}

/* Random shortest paths, destination by destination. */
static struct hd_routes *random_routes(const struct hd_net *net, uint64_t seed)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    struct hd_rng rng;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, seed, HD_RNG_TEST, 3);
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    for (uint32_t d = 0; d < net->nep; d++) {
        uint32_t *dist = distances(net, net->nsw + d);
        for (uint32_t v = 0; v < net->nsw; v++)
            for (uint32_t c = net->off[v], seen = 0; c < net->off[v + 1]; c++)
                if (dist[v] != FAR && dist[net->head[c]] + 1 == dist[v] && hd_rng_below(&rng, ++seen) == 0)
                    hd_row(r, d, 0)[v] = (uint8_t)(c - net->off[v]);
        free(dist);
    }
    return r;
}

static struct hd_worst find_worst(struct hd_arena *a, const struct hd_routes *r, bool ratio, int threads)
{
    struct hd_ctx ctx;
    struct hd_worst w;
    struct hd_rates rates;
    struct hd_cuts cuts;
    const struct hd_net *net = hd_routes_net(r);
    hd_ctx_init(&ctx);
    ctx.threads = threads;
    assert_int_equal(hd_rates_init(&ctx, a, net, &rates), HD_OK);
    assert_int_equal(hd_cuts_init(&ctx, a, net, &rates, &cuts), HD_OK);
    struct hd_ranks all = {net->nsel, net->sel};
    if (hd_worst_find(&ctx, a, &(struct hd_worst_in){r, &all, &rates, ratio ? &cuts : NULL}, &w) != HD_OK)
        fail_msg("%s: %s", net->spec, ctx.error);
    return w;
}

/* ---- every permutation -------------------------------------------------------------------------------------- */

/* Number of the subtree of l levels of switches an endpoint is in. */
static uint32_t subtree(const struct hd_net *net, uint32_t l, uint32_t e)
{
    uint32_t key = 0;
    for (uint32_t i = net->shape.n; i-- > l;) key = key * net->shape.m[i] + hd_coord(net, net->nsw + e)[i];
    return key;
}

/* The optimum on an intact tree by the book: traffic out of (into) every subtree over its cables upwards. */
static double tree_optimum(const struct hd_net *net, const uint32_t *src, const uint32_t *dst, const uint32_t *weight,
                           uint32_t n)
{
    const struct hd_shape *s = &net->shape;
    double most = 0, cables = 1, sum[2][64];
    for (uint32_t l = 0; l < s->n; l++) {
        if (l) cables *= s->w[l - 1];
        memset(sum, 0, sizeof sum);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = subtree(net, l, src[i]), b = subtree(net, l, dst[i]);
            assert_true(a < 64 && b < 64);
            sum[0][a] += a == b ? 0 : weight ? weight[i] : 1;
            sum[1][b] += a == b ? 0 : weight ? weight[i] : 1;
        }
        for (uint32_t i = 0; i < 64; i++) most = fmax(most, fmax(sum[0][i], sum[1][i]) / (cables * s->w[l] * s->p[l]));
    }
    return most;
}

struct brute {
    const struct hd_net *net;
    uint32_t unit, *path[8][8], len[8][8], *load;
    uint32_t src[8], dst[8], n;
    bool taken[8], ratio;
    double best;
};

static void load_pair(struct brute *b, uint32_t s, uint32_t d, uint32_t change)
{
    for (uint32_t j = 0; j < b->len[s][d]; j++) b->load[b->path[s][d][j]] += change;
}

static void look(struct brute *b)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < b->net->nchan; c++)
        if (b->load[c] > most) most = b->load[c];
    double load = (double)most / b->unit;
    if (load > b->best && b->ratio) load /= fmax(1, tree_optimum(b->net, b->src, b->dst, NULL, b->n));
    if (load > b->best) b->best = load;
}

/* Endpoint s sends to anyone who does not receive yet; to itself means it is idle. */
static void every_permutation(struct brute *b, uint32_t s)
{
    if (s == b->net->nep) {
        look(b);
        return;
    }
    for (uint32_t d = 0; d < b->net->nep; d++) {
        if (b->taken[d]) continue;
        b->taken[d] = true;
        b->src[b->n] = s;
        b->dst[b->n] = d;
        b->n += s != d;
        load_pair(b, s, d, 1);
        every_permutation(b, s + 1);
        load_pair(b, s, d, (uint32_t)-1);
        b->n -= s != d;
        b->taken[d] = false;
    }
}

static double brute_force(const struct hd_routes *r, bool ratio)
{
    const struct hd_net *net = hd_routes_net(r);
    bool all = r->select == HD_SELECT_ALL;
    struct brute b = {
        .net = net, .unit = all ? r->nvar : 1, .load = zeroed(net->nchan, sizeof(uint32_t)), .ratio = ratio};
    assert_true(net->nep <= 8);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            b.path[s][d] = zeroed((size_t)b.unit * HD_MAX_HOPS, sizeof(uint32_t));
            for (uint32_t x = 0; s != d && x < b.unit; x++)
                b.len[s][d] +=
                    hd_routes_path(r, s, d, all ? x : hd_routes_variant(r, s, d), b.path[s][d] + b.len[s][d]);
        }
    every_permutation(&b, 0);
    for (uint32_t i = 0; i < net->nep * net->nep; i++) free(b.path[i / net->nep][i % net->nep]);
    free(b.load);
    return b.best;
}

/* A permutation among endpoints that really puts the load it is said to on the channel. */
static void check_witness(const struct hd_routes *r, const struct hd_worst *w)
{
    const struct hd_net *net = hd_routes_net(r);
    bool *sends = zeroed(net->nep, 1), *receives = zeroed(net->nep, 1), all = r->select == HD_SELECT_ALL;
    uint32_t on = 0, path[HD_MAX_HOPS];
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->src[i] == w->dst[i] || sends[w->src[i]] || receives[w->dst[i]])
            fail_msg("%s: pair %u to %u: not a permutation", net->spec, w->src[i], w->dst[i]);
        sends[w->src[i]] = receives[w->dst[i]] = true;
        for (uint32_t x = 0; x < (all ? r->nvar : 1); x++) {
            uint32_t len =
                hd_routes_path(r, w->src[i], w->dst[i], all ? x : hd_routes_variant(r, w->src[i], w->dst[i]), path);
            for (uint32_t j = 0; j < len; j++) on += path[j] == w->chan;
        }
    }
    double load = (double)on / (all ? r->nvar : 1);
    if (load != w->load) fail_msg("%s: the pairs load the channel %g times, said %g", net->spec, load, w->load);
    free(sends);
    free(receives);
}

static void same_as_brute_force(const struct hd_routes *r, bool ratio)
{
    struct hd_arena a = {0};
    struct hd_worst w = find_worst(&a, r, ratio, 1);
    double expected = brute_force(r, ratio);
    if (fabs(w.load - expected) > 1e-12)
        fail_msg("%s on %s: %s %g, trying every permutation gives %g", hd_routes_spec(r), hd_routes_net(r)->spec,
                 ratio ? "ratio" : "worst", w.load, expected);
    check_witness(r, &w);
    hd_arena_release(&a);
}

static const char *const tiny_trees[] = {
    "gft:n=2,m=2,r=3",
    "gft:n=4,m=4,r=2",
    "gft:n=4,m=2,r=2",
    "gft:n=3,m=2,r=2",
    "gft:n=2,m=1,r=4",
    "gft:n=2,m=3,r=3",
    "gft:n=3,m=1,r=2",
    "xgft:m=2x2x2,w=1x2x2",
    "xgft:m=2x2x2,w=1x1x1",
    "xgft:m=2x2x2,w=1x2x1",
    "xgft:m=1x2x3,w=1x2x2",
    "xgft:m=2x2x2,w=1x1x2",
    "pgft:m=2x2x2,w=1x1x1,p=1x2x1",
    "pgft:m=2x2x2,w=1x1x2,p=1x2x1",
    "pgft:m=2x4,w=1x1,p=1x2",
    "ft:m=4,n=2",
    "kary:k=2,n=3",
    "gft:n=1,m=1,r=1",
    "gft:n=1,m=1,r=2",
    "gft:n=2,m=1,r=1",
    "gft:n=3,m=2,r=4,partial=leaves:2",
    "kary:k=2,n=3,partial=endpoints:7",
    "xgft:m=2x2x2,w=1x1x2,partial=random:5",
};

static void worst_of_tiny_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tiny_trees / sizeof *tiny_trees; i++) {
        struct hd_net *net = make_net(tiny_trees[i]);
        const char *engines[] = {"dmodk", "smodk"};
        for (int e = 0; e < 2; e++) {
            struct hd_routes *r = make_routes(net, engines[e]);
            same_as_brute_force(r, false);
            same_as_brute_force(r, true);
            hd_routes_free(r);
        }
        hd_net_free(net);
    }
}

static void worst_of_random_routes(void **state)
{
    (void)state;
    const char *nets[] = {"xgft:m=2x2x2,w=1x2x1", "gft:n=2,m=2,r=3", "torus:dims=3x2,hosts=1", "mesh:dims=2x2,hosts=2",
                          "gft:n=3,m=3,r=2"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct hd_net *net = make_net(nets[i]);
            struct hd_routes *r = random_routes(net, seed);
            same_as_brute_force(r, false);
            if (net->shape.kind == HD_SHAPE_TREE) same_as_brute_force(r, true);
            hd_routes_free(r);
            hd_net_free(net);
        }
}

/* One way round: the channel out of switch 0 is used from 0 to 1, 2, 3, from 3 to 1, 2 and from 2 to 1. */
static void worst_of_a_ring(void **state)
{
    (void)state;
    struct hd_arena a = {0};
    struct hd_net *net = make_ring(4, 1);
    struct hd_routes *r = ring_routes(net, 1, (const bool[]){true, true});
    assert_true(find_worst(&a, r, false, 1).load == 3);
    same_as_brute_force(r, false);
    hd_routes_free(r);
    hd_net_free(net);
    net = make_ring(3, 2);
    r = ring_routes(net, 1, (const bool[]){true, true});
    assert_true(find_worst(&a, r, false, 1).load == 4); /* all endpoints but those of the switch it leads from, or to */
    same_as_brute_force(r, false);
    hd_routes_free(r);
    hd_net_free(net);
    hd_arena_release(&a);
}

/* An entry that leads away from the destination's own switch makes a loop for all who come there. */
static void worst_with_loops(void **state)
{
    (void)state;
    for (uint32_t hosts = 1; hosts <= 2; hosts++) {
        struct hd_arena a = {0};
        struct hd_net *net = make_ring(3, hosts);
        struct hd_routes *r = ring_routes(net, 2, (const bool[]){true, true, true});
        r->select = HD_SELECT_SOURCE;
        r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
        hd_row(r, 0, 1)[0] = (uint8_t)(channel_at(net, 0, 1) - net->off[0]);
        for (uint32_t e = 0; e < net->nep; e++) r->source_class[e] = e % 2;
        same_as_brute_force(r, false);
        assert_int_equal(find_worst(&a, r, false, 1).unserved, hosts == 1 ? 1 : 3); /* odd endpoints to endpoint 0 */
        hd_arena_release(&a);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Three parallel cables out of a leaf switch, one out of the subtree around it, which holds one endpoint more;
 * two other subtrees with two endpoints each. A channel out of the leaf switch can be given the flow to the
 * neighbour and one to the outside: two, not three, though each of the other subtrees could take one. */
static void ratio_under_larger_subtrees(void **state)
{
    (void)state;
    const int seeds[] = {25, 28, 39, 46};
    const char *trees[] = {"m=3x2x3,w=1x1x1,p=1x3x1",
                           "m=3x2x3x1,w=1x1x1x1,p=1x3x1x1"}; /* and one with another level on top */
    for (int i = 0; i < 8; i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "pgft:%s,partial=random:8,seed=%d", trees[i / 4], seeds[i % 4]);
        struct hd_net *net = make_net(spec);
        for (int up = 0; up < 2; up++) { /* all by the first cable of three on the way up, or down */
            struct hd_arena a = {0};
            struct hd_routes *r = random_routes(net, 1);
            for (uint32_t d = 0; d < net->nep; d++)
                for (uint32_t v = 0; v < net->nsw; v++) {
                    uint32_t c = net->off[v] + hd_row(r, d, 0)[v], to = net->head[c], cable = up ? 0 : d % 3;
                    if (to >= net->nsw || net->level[v] + net->level[to] != 3) continue;
                    if (net->level[v] == 2) cable = up ? d % 3 : 0;
                    for (c = net->off[v]; net->head[c] != to || cable-- > 0;) c++;
                    hd_row(r, d, 0)[v] = (uint8_t)(c - net->off[v]);
                }
            assert_true(find_worst(&a, r, true, 1).load == 2);
            same_as_brute_force(r, true);
            hd_arena_release(&a);
            hd_routes_free(r);
        }
        hd_net_free(net);
    }
}

static void worst_with_variants(void **state)
{
    (void)state;
    const bool ways[][4] = {
        {true, false, false, false}, {true, true, false, true}, {true, true, true, true}, {true, true, false, false}};
    for (uint32_t hosts = 1; hosts <= 2; hosts++)
        for (int i = 0; i < 4; i++)
            for (int rule = 0; rule < 3; rule++) {
                struct hd_net *net = make_ring(hosts == 1 ? 5 : 4, hosts);
                struct hd_routes *r = ring_routes(net, 3, ways[i]);
                struct hd_rng rng;
                hd_rng_init(&rng, (uint64_t)i, HD_RNG_TEST, 4);
                r->select = rule == 0 ? HD_SELECT_ALL : rule == 1 ? HD_SELECT_SOURCE : HD_SELECT_PAIR;
                r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
                r->pair_variant = HD_NEW(&r->arena, uint16_t, (size_t)net->nep * net->nep);
                for (uint32_t e = 0; e < net->nep; e++) r->source_class[e] = (uint16_t)hd_rng_below(&rng, 3);
                for (uint32_t e = 0; e < net->nep * net->nep; e++) r->pair_variant[e] = (uint16_t)hd_rng_below(&rng, 3);
                same_as_brute_force(r, false);
                hd_routes_free(r);
                hd_net_free(net);
            }
}

/* ---- larger networks, channel by channel with igraph ---------------------------------------------------------- */

static double igraph_worst(const struct hd_routes *r)
{
    const struct hd_net *net = hd_routes_net(r);
    size_t room = (size_t)net->nep * net->nep;
    uint32_t *u = zeroed(room, sizeof *u), *v = zeroed(room, sizeof *v), path[HD_MAX_HOPS];
    uint32_t *len = zeroed(room, sizeof *len), **paths = zeroed(room, sizeof *paths);
    double worst = 0;
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            size_t i = (size_t)s * net->nep + d;
            len[i] = s == d ? 0 : hd_routes_path(r, s, d, hd_routes_variant(r, s, d), path);
            paths[i] = zeroed(len[i], sizeof **paths);
            memcpy(paths[i], path, len[i] * sizeof **paths);
        }
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t n = 0;
        for (size_t i = 0; i < room; i++)
            for (uint32_t j = 0; j < len[i]; j++)
                if (paths[i][j] == c) {
                    u[n] = (uint32_t)(i / net->nep);
                    v[n++] = (uint32_t)(i % net->nep);
                }
        worst = fmax(worst, igraph_says(net->nep, net->nep, n, u, v, NULL));
    }
    for (size_t i = 0; i < room; i++) free(paths[i]);
    free(paths);
    free(len);
    free(u);
    free(v);
    return worst;
}

static void worst_is_igraphs(void **state)
{
    (void)state;
    const char *cases[][2] = {{"gft:n=6,m=5,r=7", "dmodk"},
                              {"gft:n=6,m=5,r=7", "smodk"},
                              {"gft:n=6,m=4,r=9,partial=random:40", "dmodk"},
                              {"xgft:m=3x3x4,w=1x3x2", "dmodk"},
                              {"xgft:m=3x3x4,w=1x2x3", "smodk"},
                              {"pgft:m=4x4x2,w=1x2x2,p=1x2x2", "dmodk"},
                              {"torus:dims=4x3,hosts=3", NULL},
                              {"random:switches=9,ports=8,hosts=4,seed=3", NULL},
                              {"xgft:m=3x3x4,w=1x3x2", NULL},
                              {"hypercube:n=3,hosts=4", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_arena a = {0};
        struct hd_net *net = make_net(cases[i][0]);
        struct hd_routes *r = cases[i][1] ? make_routes(net, cases[i][1]) : random_routes(net, i);
        struct hd_worst w = find_worst(&a, r, false, 1);
        double expected = igraph_worst(r);
        if (w.load != expected) fail_msg("%s: worst %g, igraph finds %g", net->spec, w.load, expected);
        check_witness(r, &w);
        hd_routes_free(r);
        hd_net_free(net);
        hd_arena_release(&a);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const char *nets[] = {"xgft:m=3x3x4,w=1x3x2", "torus:dims=4x3,hosts=3"};
    for (int i = 0; i < 2; i++)
        for (int ratio = 0; ratio < 2; ratio++) {
            struct hd_arena a = {0};
            struct hd_net *net = make_net(nets[i]);
            struct hd_routes *r = random_routes(net, 9);
            struct hd_worst one = find_worst(&a, r, ratio, 1);
            for (int threads = 2; threads <= 5; threads++) {
                struct hd_worst w = find_worst(&a, r, ratio, threads);
                assert_true(w.load == one.load && w.chan == one.chan && w.n == one.n);
                assert_memory_equal(w.src, one.src, w.n * sizeof *w.src);
                assert_memory_equal(w.dst, one.dst, w.n * sizeof *w.dst);
            }
            hd_routes_free(r);
            hd_net_free(net);
            hd_arena_release(&a);
        }
}

/* ---- the papers ------------------------------------------------------------------------------------------------- */

/* Nienaber, Mahapatra, Yuan, Table I: the worst case of D-mod-K is n on all of these. */
static const uint32_t table1[][3] = {{9, 9, 18},  {16, 16, 32}, {25, 25, 50}, {12, 12, 24}, {24, 24, 48},
                                     {12, 4, 16}, {24, 9, 33},  {24, 16, 40}, {16, 8, 24},  {24, 8, 32},
                                     {8, 16, 24}, {12, 16, 24}, {10, 25, 35}, {8, 24, 32},  {16, 32, 48}};

static void dmodk_of_table1(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table1 / sizeof *table1; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "gft:n=%u,m=%u,r=%u", table1[i][0], table1[i][1], table1[i][2]);
        struct hd_net *net = make_net(spec);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result worst = evaluate(r, NULL, "worst"), replay = evaluate(r, "worst", "maxload"),
                         theorem = evaluate(r, "worst:by=theorem2", "maxload");
        if (worst.value != table1[i][0]) fail_msg("%s: worst %g, printed %u", spec, worst.value, table1[i][0]);
        if (replay.value != worst.value)
            fail_msg("%s: the permutation of the worst case loads a channel %g times, not %g", spec, replay.value,
                     worst.value);
        if (theorem.value < table1[i][0])
            fail_msg("%s: Theorem 2's permutation loads a channel %g times only", spec, theorem.value);
        assert_true(worst.bound <= worst.value);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void theorem2_needs_room(void **state)
{
    (void)state;
    const char *refused[][2] = {{"gft:n=16,m=16,r=16", "(r n - i m) / m >= n"},
                                {"ft:m=4,n=3", "not a whole two-level tree"},
                                {"torus", "not a whole two-level tree"}};
    for (int i = 0; i < 3; i++) {
        struct hd_ctx ctx;
        struct hd_result result;
        struct hd_net *net = make_net(refused[i][0]);
        struct hd_routes *r = random_routes(net, 1);
        hd_ctx_init(&ctx);
        hd_status s =
            hd_eval(&ctx, r, &(struct hd_request){.pattern = "worst:by=theorem2", .metric = "maxload"}, &result);
        assert_int_equal(s, HD_INPUT);
        if (!strstr(ctx.error, refused[i][1])) fail_msg("expected '%s' in: %s", refused[i][1], ctx.error);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static struct hd_shape shape_of(const char *spec)
{
    struct hd_net *net = make_net(spec);
    struct hd_shape s = net->shape;
    hd_net_free(net);
    return s;
}

static void bounds_of_the_papers(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        double theorem1, lemma12, lemma9;
    } cases[] = {
        {"gft:n=16,m=16,r=32", 4, 4, 4},
        {"gft:n=24,m=24,r=48", 4, 4.898979485566356, 4.898979485566356},
        {"gft:n=24,m=9,r=33", 8, 0, 0},
        {"gft:n=12,m=16,r=24", 3, 0, 0},
        {"gft:n=24,m=8,r=32", 8, 0, 0},  /* 24 / 2.83 = 8.49 */
        {"gft:n=4,m=16,r=16", 0, 0, 0},  /* m < n^2 fails */
        {"gft:n=16,m=16,r=15", 0, 0, 0}, /* r >= n fails */
        {"gft:n=4,m=6,r=4", 0, 0, 0},    /* (r-1) n > 2m fails */
        {"pgft:m=16x32,w=1x8,p=1x2", 0, 0, 0},
        {"ft:m=4,n=3", 0, 2, 2},
        {"ft:m=8,n=3", 0, 4, 4},
        {"ft:m=4,n=4", 0, 2, 2},
        {"ft:m=8,n=5", 0, 4, 8}, /* 4^1 and 4^(3/2) */
        {"ft:m=4,n=6", 0, 2, 4}, /* 2^1 and 2^2 */
        {"ft:m=4,n=7", 0, 4, 4}, /* 2^2 and 2^(4/2) */
        {"ft:m=4,n=9", 0, 4, 8}, /* 2^2 and 2^3 */
        {"torus:dims=4x4,hosts=1", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_shape s = shape_of(cases[i].spec);
        double got[] = {hd_bound_theorem1(&s), hd_bound_lemma12(&s), hd_bound_lemma9(&s)},
               want[] = {cases[i].theorem1, cases[i].lemma12, cases[i].lemma9};
        for (int j = 0; j < 3; j++)
            if (fabs(got[j] - want[j]) > 1e-12)
                fail_msg("%s: bound %d is %.17g, expected %.17g", cases[i].spec, j, got[j], want[j]);
    }
}

/* Islands of switches that all know each other, with hosts on each, in a chain of single cables; numbered in turn,
 * so that numbers tell nothing of the islands. */
static struct hd_net *make_islands(uint32_t islands, uint32_t switches, uint32_t hosts)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < islands * switches; i++) hd_builder_switch(b, &(struct hd_switch_in){0});
    for (uint32_t i = 0; i < islands; i++)
        for (uint32_t u = 0; u < switches; u++) {
            for (uint32_t v = u + 1; v < switches; v++)
                hd_builder_cable(b, u * islands + i, 1 + v, v * islands + i, 1 + u, 0);
            for (uint32_t h = 0; h < hosts; h++) hd_builder_host(b, u * islands + i, 40 + h, 0);
        }
    for (uint32_t i = 0; i + 1 < islands; i++) hd_builder_cable(b, i, 30, i + 1, 31, 0);
    hd_status s = hd_builder_finish(&ctx, b, "islands", &net);
    return checked(&ctx, s, net, "islands");
}

/* Two islands of 16 with one cable: of 16 flows 16 * 16 / 31 = 8.26 cross, two get through. Four of 12 in a chain:
 * what the cut in the middle lets through of 24 flows, and less where all three cables are looked at together. */
static void cuts_between_islands(void **state)
{
    (void)state;
    const struct {
        uint32_t islands, switches, hosts;
        double bound;
    } cases[] = {
        {2, 4, 4, 1 - (16 * 16.0 / 31 - 2) / 16},
        /* ends send 1 out, inner islands 2 */
        {4, 4, 3, (24 * 11.0 / 47 + 6) / 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_islands(cases[i].islands, cases[i].switches, cases[i].hosts);
        struct hd_routes *r = make_routes(net, "minhop");
        struct hd_result x = evaluate(r, "bisect", "ebb");
        assert_float_equal(x.bound, cases[i].bound, 1e-9);
        assert_true(x.value <= x.bound);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void bounds_in_results(void **state)
{
    (void)state;
    const struct {
        const char *spec, *metric;
        double bound;
        const char *name, *note;
    } cases[] = {
        {"gft:n=24,m=24,r=48", "worst", 4, "Nienaber et al., Theorem 1", "Lemma 10 gives 4.898"},
        {"gft:n=24,m=24,r=48", "oblivious", 4.898979485566356, "Yuan et al., Lemma 10",
         "any permutation can be routed with load 1"},
        {"gft:n=24,m=9,r=33", "worst", 8, "Nienaber et al., Theorem 1", ""},
        {"gft:n=24,m=9,r=33", "oblivious", 8, "Nienaber et al., Theorem 1", "slimmed tree"},
        {"gft:n=12,m=4,r=16", "oblivious", 4, "Nienaber et al., Theorem 1",
         "slimmed tree"}, /* 6 flows, 4 top switches */
        {"ft:m=8,n=3", "worst", 4, "Yuan et al., Lemma 11", ""},
        {"ft:m=2,n=6", "worst", 1, "Yuan et al., Lemma 12", ""},
        {"ft:m=4,n=5", "worst", 2.8284271247461903, "Yuan et al., Lemma 9", "Lemma 12 gives 2"},
        {"xgft:m=4x8,w=1x1", "worst", 4, "Nienaber et al., Theorem 1", ""},
        {"xgft:m=4x4x4,w=1x2x2", "worst", 4, "cuts", ""}, /* 16 endpoints, 4 cables */
        {"xgft:m=4x4x4,w=1x2x2", "oblivious", 1, "the optimum itself", ""},
        {"xgft:m=4x4x4,w=1x2x2,partial=leaves:6", "worst", 2, "cuts", ""},
        {"gft:n=1,m=1,r=1", "worst", NAN, "", "no pair"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result x = evaluate(r, NULL, cases[i].metric);
        if (isnan(cases[i].bound) ? !isnan(x.bound) : !(fabs(x.bound - cases[i].bound) < 1e-12))
            fail_msg("%s %s: bound %.17g, expected %.17g", cases[i].spec, cases[i].metric, x.bound, cases[i].bound);
        assert_string_equal(x.bound_name, cases[i].name);
        if (!strstr(x.note, cases[i].note))
            fail_msg("%s: expected '%s' in note: %s", cases[i].spec, cases[i].note, x.note);
        if (!isnan(x.bound)) assert_true(x.value >= x.bound);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- all shortest paths in equal shares ------------------------------------------------------------------------- */

/* The variants of S-mod-K are all up-port choices equally often; used together they are the even split. */
static void even_splitting_is_optimal(void **state)
{
    (void)state;
    const char *nets[] = {"gft:n=4,m=4,r=5",
                          "gft:n=6,m=2,r=4",
                          "xgft:m=3x2x4,w=1x3x2",
                          "xgft:m=4x4x3,w=1x2x1",
                          "pgft:m=4x4x2,w=1x2x2,p=1x2x2",
                          "pgft:m=3x2x3,w=1x1x1,p=1x3x1",
                          "xgft:m=4x4x3,w=1x2x2,partial=random:20"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        struct hd_routes *r = make_routes(net, "smodk");
        r->select = HD_SELECT_ALL;
        struct hd_result oblivious = evaluate(r, NULL, "oblivious"), worst = evaluate(r, NULL, "worst");
        if (oblivious.value != 1) fail_msg("%s: oblivious ratio %g, expected 1", nets[i], oblivious.value);
        if (!(fabs(worst.value - worst.bound) < 1e-9))
            fail_msg("%s: worst %g, the cuts impose %g", nets[i], worst.value, worst.bound);
        const char *patterns[] = {"bisect", "permutation"};
        for (int p = 0; p < 2; p++) {
            struct hd_result x = evaluate(r, patterns[p], "ratio");
            if (fabs(x.min - 1) > 1e-9 || fabs(x.max - 1) > 1e-9)
                fail_msg("%s %s: ratio %g to %g, expected 1", nets[i], patterns[p], x.min, x.max);
        }
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- optimum ------------------------------------------------------------------------------------------------------ */

static void random_flows(struct hd_rng *rng, uint32_t nep, uint32_t n, uint32_t *src, uint32_t *dst, uint32_t *weight,
                         struct hd_flows *f)
{
    for (uint32_t i = 0; i < n; i++) {
        src[i] = hd_rng_below(rng, nep);
        dst[i] = (src[i] + 1 + hd_rng_below(rng, nep - 1)) % nep;
        weight[i] = 1 + hd_rng_below(rng, 5);
    }
    *f = (struct hd_flows){.n = n, .src = src, .dst = dst, .weight = weight};
}

/* Three ways to the same number on intact trees: the cuts, the formula, the linear program. */
static void optimum_of_trees(void **state)
{
    (void)state;
    const char *nets[] = {"gft:n=3,m=2,r=4",
                          "gft:n=2,m=3,r=3",
                          "xgft:m=2x2x3,w=1x2x1",
                          "xgft:m=2x3x2,w=1x1x2",
                          "pgft:m=2x2x2,w=1x1x1,p=1x3x1",
                          "pgft:m=4x4,w=1x2,p=1x2",
                          "ft:m=4,n=3",
                          "gft:n=5,m=1,r=1",
                          "xgft:m=2x2x3,w=1x2x1,partial=leaves:5"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_ctx ctx;
        struct hd_arena a = {0};
        struct hd_rates rates;
        struct hd_optimum o;
        struct hd_net *net = make_net(nets[i]);
        hd_ctx_init(&ctx);
        assert_int_equal(hd_rates_init(&ctx, &a, net, &rates), HD_OK);
        assert_int_equal(hd_optimum_init(&ctx, &a, net, &rates, &o), HD_OK);
        assert_true(o.cuts.exact && !o.program);
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct hd_rng rng;
            struct hd_flows f;
            uint32_t src[20], dst[20], weight[20];
            hd_rng_init(&rng, seed, HD_RNG_TEST, 5);
            random_flows(&rng, net->nep, 1 + hd_rng_below(&rng, 20), src, dst, weight, &f);
            double cuts = hd_optimum_load(&o, 0, &f), book = tree_optimum(net, src, dst, weight, f.n);
            if (fabs(cuts - book) > 1e-12) fail_msg("%s: optimum %g, by the formula %g", nets[i], cuts, book);
#ifdef HD_HAVE_CLP
            double least = 0; /* endpoint cables are no part of the program */
            for (uint32_t e = 0; e < net->nep; e++) {
                double out = 0, in = 0;
                for (uint32_t j = 0; j < f.n; j++) {
                    out += src[j] == e ? weight[j] : 0;
                    in += dst[j] == e ? weight[j] : 0;
                }
                least = fmax(least, fmax(out, in));
            }
            double program = hd_optimum_program(&o.cuts, &rates, &f, least);
            if (fabs(cuts - program) > 1e-6) fail_msg("%s: optimum %g, by linear program %g", nets[i], cuts, program);
#endif
        }
        hd_net_free(net);
        hd_arena_release(&a);
    }
}

/* Two triangles of switches joined by one cable: that cut is around no switch, so only the program sees it. */
static struct hd_net *make_barbell(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < 6; i++) hd_builder_switch(b, &(struct hd_switch_in){0});
    for (uint32_t i = 0; i < 6; i++) hd_builder_cable(b, i, 1, i / 3 * 3 + (i + 1) % 3, 2, 0);
    hd_builder_cable(b, 0, 3, 3, 3, 0);
    for (uint32_t i = 0; i < 6; i++) hd_builder_host(b, i, 4, 0);
    hd_status s = hd_builder_finish(&ctx, b, "barbell", &net);
    return checked(&ctx, s, net, "barbell");
}

static void optimum_elsewhere(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_rates rates;
    struct hd_optimum o;
    struct hd_net *net = make_barbell();
    uint32_t src[] = {0, 1, 2}, dst[] = {3, 4, 5};
    struct hd_flows f = {.n = 3, .src = src, .dst = dst, .simple = true};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_rates_init(&ctx, &a, net, &rates), HD_OK);
    assert_int_equal(hd_optimum_init(&ctx, &a, net, &rates, &o), HD_OK);
    assert_false(o.cuts.exact);
    assert_true(fabs(hd_cuts_load(&o.cuts, &o.sums[0], &f) - 3) < 1e-12); /* the cut through the bar */
#ifdef HD_HAVE_CLP
    assert_true(fabs(hd_optimum_load(&o, 0, &f) - 3) < 1e-6);
#endif
    hd_net_free(net);
    net = make_ring(4, 3); /* three flows to the opposite switch over two ways */
    assert_int_equal(hd_optimum_init(&ctx, &a, net, &rates, &o), HD_OK);
    uint32_t s3[] = {0, 1, 2}, d3[] = {6, 7, 8};
    f = (struct hd_flows){.n = 3, .src = s3, .dst = d3, .simple = true};
    assert_true(fabs(hd_optimum_load(&o, 0, &f) - 1.5) < 1e-6);
    hd_net_free(net);
    hd_arena_release(&a);
}

/* Far flows fill the channels: on a ring of 8, all to the opposite switch, 4 hops each. */
static void optimum_by_distance(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_rates rates;
    struct hd_cuts cuts;
    struct hd_cut_sums sums;
    struct hd_net *net = make_ring(8, 2);
    uint32_t src[16], dst[16];
    for (uint32_t i = 0; i < 16; i++) {
        src[i] = i;
        dst[i] = (i + 8) % 16;
    }
    struct hd_flows f = {.n = 16, .src = src, .dst = dst, .simple = true};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_rates_init(&ctx, &a, net, &rates), HD_OK);
    assert_int_equal(hd_cuts_init(&ctx, &a, net, &rates, &cuts), HD_OK);
    assert_int_equal(hd_cut_sums_init(&ctx, &a, &cuts, &sums), HD_OK);
    assert_true(hd_cuts_load(&cuts, &sums, &f) == 4); /* 16 * 4 hops on 16 channels */
    assert_true(hd_cuts_share(&cuts, &sums, &f) == 0.25);
    double tub;
    struct hd_ranks all = {net->nsel, net->sel};
    assert_int_equal(hd_tub_load(&ctx, &cuts, &all, &tub), HD_OK);
    assert_true(tub == 4);
    hd_net_free(net);
    hd_arena_release(&a);
}

/* TUB's permutation is the farthest there is, and no routing does better on its worst one. */
static void tub_is_a_bound(void **state)
{
    (void)state;
    const char *nets[] = {"torus:dims=3x2,hosts=1", "mesh:dims=2x3,hosts=1", "random:switches=6,ports=5,hosts=1,seed=2",
                          "mesh:dims=4,hosts=2"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_ctx ctx;
        struct hd_arena a = {0};
        struct hd_rates rates;
        struct hd_cuts cuts;
        struct hd_net *net = make_net(nets[i]);
        struct hd_ranks all = {net->nsel, net->sel};
        uint32_t order[8], most = 0, channels = 0;
        double tub;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_rates_init(&ctx, &a, net, &rates), HD_OK);
        assert_int_equal(hd_cuts_init(&ctx, &a, net, &rates, &cuts), HD_OK);
        assert_int_equal(hd_tub_load(&ctx, &cuts, &all, &tub), HD_OK);
        for (uint32_t c = 0; c < net->nchan; c++) channels += net->head[c] < net->nsw && net->tail[c] < net->nsw;
        /* Heap's algorithm over all orders */
        uint32_t stack[8] = {0}, hops[8][8], n = net->nep;
        for (uint32_t s = 0; s < n; s++) {
            uint32_t *dist = distances(net, hd_leaf(net, s));
            for (uint32_t d = 0; d < n; d++) hops[s][d] = dist[hd_leaf(net, d)];
            free(dist);
            order[s] = s;
        }
        for (uint32_t k = 0; k < n;) {
            uint32_t sum = 0;
            for (uint32_t s = 0; s < n; s++) sum += hops[s][order[s]];
            if (sum > most) most = sum;
            while (k < n && stack[k] >= k) stack[k++] = 0;
            if (k == n) break;
            uint32_t j = k % 2 ? stack[k] : 0, swap = order[j];
            order[j] = order[k];
            order[k] = swap;
            stack[k]++;
            k = 0;
        }
        if (fabs(tub - (double)most / channels) > 1e-12)
            fail_msg("%s: TUB %g, trying everything gives %u / %u", nets[i], tub, most, channels);
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct hd_routes *r = random_routes(net, seed);
            struct hd_result worst = evaluate(r, NULL, "worst");
            assert_true(worst.value >= worst.bound - 1e-12 && worst.bound >= tub);
            hd_routes_free(r);
        }
        hd_net_free(net);
        hd_arena_release(&a);
    }
}

/* ---- rates --------------------------------------------------------------------------------------------------------- */

/* Two switches with three hosts each, joined by a cable of twice a host's rate; one host may be slow. */
static struct hd_net *make_pair_of_switches(const char *slow)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    uint8_t edr = hd_link_code("4xEDR", 5), hdr = hd_link_code("4xHDR", 5);
    hd_ctx_init(&ctx);
    assert_true(edr && hdr && hd_link_mbps(hdr) == 2 * hd_link_mbps(edr));
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < 2; i++) hd_builder_switch(b, &(struct hd_switch_in){0});
    hd_builder_cable(b, 0, 1, 1, 1, hdr);
    for (uint32_t i = 0; i < 6; i++)
        hd_builder_host(b, i / 3, 2 + i % 3, slow && i == 0 ? hd_link_code(slow, strlen(slow)) : edr);
    hd_status s = hd_builder_finish(&ctx, b, "pair", &net);
    return checked(&ctx, s, net, "pair");
}

static void rates_count(void **state)
{
    (void)state;
    struct hd_net *net = make_pair_of_switches(NULL);
    struct hd_routes *r = random_routes(net, 1);
    assert_true(fabs(evaluate(r, NULL, "worst").value - 1.5) < 1e-9); /* three flows on a cable for two */
    assert_true(fabs(evaluate(r, "worst", "maxload").value - 1.5) < 1e-9);
    /* Any routing must put them there: the optimum for those three flows is 1.5 too. */
    assert_true(fabs(evaluate(r, NULL, "oblivious").value - 1) < 1e-9);
    assert_true(fabs(evaluate(r, "bisect", "ratio").max - 1) < 1e-6);
    hd_routes_free(r);
    hd_net_free(net);
    net = make_pair_of_switches("1xEDR");
    r = random_routes(net, 1);
    struct hd_result worst = evaluate(r, NULL, "worst");
    assert_true(fabs(worst.value - 4) < 1e-9); /* the slow host's own cable */
    assert_true(fabs(evaluate(r, "worst", "maxload").value - 4) < 1e-9);
    assert_true(fabs(evaluate(r, NULL, "oblivious").value - 1) < 1e-9);
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- one permutation, routed as well as can be --------------------------------------------------------------------- */

static void check_paths(const struct hd_net *net, const struct hd_flows *f, const struct hd_path_list *p)
{
    uint8_t *load = zeroed(net->nchan, 1);
    for (uint32_t i = 0; i < f->n; i++) {
        const uint32_t *chan = p->chan + p->at[i];
        uint32_t n = (uint32_t)(p->at[i + 1] - p->at[i]);
        assert_true(n >= 2);
        assert_int_equal(net->tail[chan[0]], net->nsw + f->src[i]);
        assert_int_equal(net->head[chan[n - 1]], net->nsw + f->dst[i]);
        for (uint32_t j = 1; j < n; j++) assert_int_equal(net->head[chan[j - 1]], net->tail[chan[j]]);
        for (uint32_t j = 0; j < n; j++)
            if (++load[chan[j]] > 1) fail_msg("%s: channel %u carries two flows", net->spec, chan[j]);
    }
    free(load);
}

static void permutations_are_routed(void **state)
{
    (void)state;
    const char *nets[] = {"ft:m=8,n=2",
                          "ft:m=8,n=3",
                          "ft:m=4,n=4",
                          "xgft:m=6x6x12,w=1x6x6",
                          "gft:n=16,m=16,r=32",
                          "gft:n=5,m=7,r=6",
                          "pgft:m=6x3x4,w=1x3x2,p=1x2x3",
                          "pgft:m=12x12,w=1x6,p=1x2",
                          "ft:m=6,n=1",
                          "xgft:m=6x6x12,w=1x6x6,partial=leaves:50"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        uint32_t *src = zeroed(net->nep, sizeof *src), *dst = zeroed(net->nep, sizeof *dst);
        for (uint64_t seed = 0; seed < 6; seed++) {
            struct hd_ctx ctx;
            struct hd_arena a = {0};
            struct hd_rng rng;
            struct hd_path_list paths;
            struct hd_flows f = {.src = src, .dst = dst, .simple = true};
            hd_ctx_init(&ctx);
            hd_rng_init(&rng, seed, HD_RNG_TEST, 6);
            for (uint32_t e = 0; e < net->nep; e++) dst[e] = e;
            hd_rng_shuffle(&rng, dst, net->nep);
            if (seed == 0) /* everybody to the next leaf: all flows of a leaf meet again */
                for (uint32_t e = 0; e < net->nep; e++) dst[e] = (e + net->shape.m[0]) % net->nep;
            for (uint32_t e = 0; e < net->nep; e++)
                if (dst[e] != e) { /* those who would send to themselves idle */
                    src[f.n] = e;
                    dst[f.n++] = dst[e];
                }
            if (hd_route_permutation(&ctx, &a, net, &f, &paths) != HD_OK) fail_msg("%s: %s", nets[i], ctx.error);
            assert_int_equal(paths.n, f.n);
            check_paths(net, &f, &paths);
            hd_arena_release(&a);
        }
        free(src);
        free(dst);
        hd_net_free(net);
    }
}

static void permutations_need_cables(void **state)
{
    (void)state;
    const char *refused[][2] = {{"gft:n=4,m=3,r=4", "cables upwards"},
                                {"torus:dims=4x4,hosts=1", "not an intact tree"}};
    for (int i = 0; i < 2; i++) {
        struct hd_ctx ctx;
        struct hd_arena a = {0};
        struct hd_path_list paths;
        struct hd_net *net = make_net(refused[i][0]);
        uint32_t src[16], dst[16];
        for (uint32_t e = 0; e < 16; e++) {
            src[e] = e;
            dst[e] = (e + 4) % 16;
        }
        hd_ctx_init(&ctx);
        assert_int_equal(
            hd_route_permutation(&ctx, &a, net, &(struct hd_flows){.n = 16, .src = src, .dst = dst}, &paths), HD_INPUT);
        if (!strstr(ctx.error, refused[i][1])) fail_msg("expected '%s' in: %s", refused[i][1], ctx.error);
        hd_net_free(net);
        hd_arena_release(&a);
    }
}

/* ---- bounds of samples ----------------------------------------------------------------------------------------------- */

static void bounds_of_patterns(void **state)
{
    (void)state;
    const struct {
        const char *spec, *pattern, *metric;
        double bound;
        const char *name;
    } cases[] = {
        {"gft:n=8,m=8,r=6", "bisect", "ebb", 1, "rearrangeable"},
        {"gft:n=8,m=8,r=6", "permutation", "minbw", 1, "rearrangeable"},
        {"gft:n=8,m=8,r=6", "dissemination", "maxload", 1, "rearrangeable"},
        /* 8 flows among 16 ranks: 64/15 of them within a leaf... each leaf sends 8/15 * 4 = 2.13 out, 1 gets through:
         * (8 * 7/15 + 2) / 8 */
        {"gft:n=8,m=1,r=2", "bisect", "ebb", (8 * 7 / 15.0 + 2) / 8, "cuts"},
        {"gft:n=8,m=1,r=2", "bisect", "minbw", (8 * 7 / 15.0 + 2) / 8, "cuts"},
        {"gft:n=8,m=1,r=2", "permutation", "ebb", (16 * 7 / 15.0 + 2) / 16, "cuts"},
        {"gft:n=8,m=1,r=2", "bisect", "maxload", 8 / (8 * 7 / 15.0 + 2), "cuts"},
        {"gft:n=8,m=4,r=4", "worst", "maxload", 2,
         "cuts"}, /* six flows out of a leaf with four cables: 1.5, but whole */
        {"gft:n=8,m=4,r=4", "worst", "minbw", 0.5, "cuts"},
        {"gft:n=8,m=4,r=4", "worst", "ebb", 4 / 6.0, "cuts"},
        {"gft:n=8,m=3,r=4", "worst", "maxload", 3, "cuts"}, /* 8/3, and flows are whole */
        {"gft:n=8,m=8,r=4", "worst", "ebb", 1, "rearrangeable"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result x = evaluate(r, cases[i].pattern, cases[i].metric);
        if (!(fabs(x.bound - cases[i].bound) < 1e-12))
            fail_msg("%s %s %s: bound %g, expected %g", cases[i].spec, cases[i].pattern, cases[i].metric, x.bound,
                     cases[i].bound);
        assert_string_equal(x.bound_name, cases[i].name);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* A ring of 16: a permutation has 32/15 flows at each distance from 1 to 7, and 32 channels. Serving those of
 * distance 1 to 5, 32/15 * 15 hops, fills them: 5 * 32/15 of 16 flows. */
static void bound_by_distance(void **state)
{
    (void)state;
    struct hd_net *net = make_ring(16, 1);
    struct hd_routes *r = random_routes(net, 1);
    struct hd_result ebb = evaluate(r, "permutation", "ebb"), load = evaluate(r, "permutation", "maxload");
    assert_true(fabs(ebb.bound - 2 / 3.0) < 1e-9 && fabs(load.bound - 1.5) < 1e-9);
    assert_string_equal(ebb.bound_name, "cuts");
    hd_routes_free(r);
    hd_net_free(net);
}

/* Every pattern on trees of all kinds and a grid: values keep to their bounds, exactly where nothing is drawn. */
static void bounds_hold_for_every_pattern(void **state)
{
    (void)state;
    const char *nets[] = {"gft:n=4,m=4,r=4", "gft:n=6,m=2,r=4", "xgft:m=2x2x4,w=1x1x2", "pgft:m=4x4,w=1x2,p=1x2",
                          "torus:dims=4x4,hosts=1"};
    const struct hd_desc *d;
    uint32_t bounded = 0;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        struct hd_routes *r = random_routes(net, i);
        for (size_t j = 0; (d = hd_registry_at(HD_PATTERNS, j)); j++)
            for (size_t k = 0; d->examples && d->examples[k]; k++) {
                const char *metrics[] = {"ebb", "minbw", "maxload", "hsd"};
                for (int m = 0; m < 4; m++) {
                    struct hd_ctx ctx;
                    struct hd_result x;
                    hd_ctx_init(&ctx);
                    ctx.threads = 1;
                    if (!hd_registry_find(HD_METRICS, metrics[m])) continue;
                    struct hd_request q = {.pattern = d->examples[k], .metric = metrics[m], .samples = 100};
                    if (hd_eval(&ctx, r, &q, &x) != HD_OK || isnan(x.bound)) continue;
                    double room = ((const struct hd_pattern *)d)->uniform ? 1.05 : 1 + 1e-9;
                    if (m < 2 ? x.value > x.bound * room : x.value * room < x.bound)
                        fail_msg("%s, %s: %s is %g, its bound %g (%s)", nets[i], d->examples[k], metrics[m], x.value,
                                 x.bound, x.bound_name);
                    bounded++;
                }
            }
        hd_routes_free(r);
        hd_net_free(net);
    }
    assert_true(bounded >= 60);
}

/* ---- everything there is --------------------------------------------------------------------------------------------- */

/* Loads add up to path lengths, and no value passes its bound: every topology's examples with every engine. */
static void check_case(const struct hd_net *net, const struct hd_routes *r)
{
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_allpairs all;
    uint64_t loads = 0, hops = 0;
    uint32_t path[HD_MAX_HOPS];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_allpairs_load(&ctx, &a, r, &all), HD_OK);
    for (uint32_t c = 0; c < net->nchan; c++) loads += all.load[c];
    for (uint32_t i = 0; i < net->nsel; i++)
        for (uint32_t j = 0; j < net->nsel; j++)
            for (uint32_t x = 0; i != j && x < all.unit; x++)
                hops += hd_routes_path(r, net->sel[i], net->sel[j],
                                       all.unit > 1 ? x : hd_routes_variant(r, net->sel[i], net->sel[j]), path);
    if (loads != hops || all.hops != hops)
        fail_msg("%s on %s: loads add up to %llu, paths to %llu", hd_routes_spec(r), net->spec,
                 (unsigned long long)loads, (unsigned long long)hops);
    hd_arena_release(&a);
    struct hd_result worst = evaluate(r, NULL, "worst"), oblivious = evaluate(r, NULL, "oblivious");
    if (worst.value < worst.bound - 1e-9)
        fail_msg("%s on %s: worst %g is below its bound %g", hd_routes_spec(r), net->spec, worst.value, worst.bound);
    if (oblivious.value < oblivious.bound - 1e-9)
        fail_msg("%s on %s: oblivious %g is below its bound %g", hd_routes_spec(r), net->spec, oblivious.value,
                 oblivious.bound);
    if (oblivious.value > worst.value + 1e-9)
        fail_msg("%s on %s: oblivious %g is above worst %g", hd_routes_spec(r), net->spec, oblivious.value,
                 worst.value);
    if (net->nsel < 2 || worst.value == 0) return;
    struct hd_result replay = evaluate(r, "worst:full=on", "maxload");
    if (fabs(replay.value - worst.value) > 1e-9)
        fail_msg("%s on %s: worst is %g, its permutation gives %g", hd_routes_spec(r), net->spec, worst.value,
                 replay.value);
    const char *patterns[] = {"bisect", "permutation", "worst"};
    for (int p = 0; p < 3; p++) {
        struct hd_result ebb = evaluate(r, patterns[p], "ebb"), minbw = evaluate(r, patterns[p], "minbw"),
                         load = evaluate(r, patterns[p], "maxload");
        /* the bound of random patterns is one of the expected value: leave room for chance */
        double room = p < 2 ? 1.05 : 1 + 1e-9;
        if (ebb.value > ebb.bound * room || minbw.value > minbw.bound * room || load.value * room < load.bound)
            fail_msg("%s on %s, %s: ebb %g (bound %g), minbw %g (%g), maxload %g (%g)", hd_routes_spec(r), net->spec,
                     patterns[p], ebb.value, ebb.bound, minbw.value, minbw.bound, load.value, load.bound);
    }
    if (net->nsel > 40) return;
    struct hd_result ratio = evaluate(r, "bisect", "ratio");
    if (ratio.min < 1 - 1e-6) fail_msg("%s on %s: ratio %g is below 1", hd_routes_spec(r), net->spec, ratio.min);
    if (ratio.max > oblivious.value + 1e-6)
        fail_msg("%s on %s: ratio %g is above the oblivious one, %g", hd_routes_spec(r), net->spec, ratio.max,
                 oblivious.value);
}

static void everything_there_is(void **state)
{
    (void)state;
    enum { MAX_ENDPOINTS = 70 };
    struct hd_ctx ctx;
    const struct hd_desc *t, *e;
    uint32_t done = 0;
    for (size_t i = 0; (t = hd_registry_at(HD_TOPOLOGIES, i)); i++)
        for (size_t k = 0; t->examples && t->examples[k]; k++) {
            struct hd_net *net = make_net(t->examples[k]);
            for (size_t j = 0; net->nep <= MAX_ENDPOINTS && (e = hd_registry_at(HD_ENGINES, j)); j++) {
                struct hd_routes *r;
                hd_ctx_init(&ctx);
                ctx.threads = 1;
                if (hd_routes_open(&ctx, net, e->name, &r) != HD_OK) continue; /* does not apply */
                check_case(net, r);
                hd_routes_free(r);
                done++;
            }
            hd_net_free(net);
        }
    assert_true(done >= 20);
}

/* ---- degenerate ------------------------------------------------------------------------------------------------------ */

static void nearly_nothing(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        double worst;
    } cases[] = {{"gft:n=1,m=1,r=1", 0}, {"gft:n=2,m=1,r=1", 1}, {"gft:n=1,m=1,r=2", 1}, {"xgft:m=5,w=1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result worst = evaluate(r, NULL, "worst"), oblivious = evaluate(r, NULL, "oblivious");
        assert_true(worst.value == cases[i].worst && oblivious.value == cases[i].worst);
        assert_int_equal(worst.unserved, 0);
        if (net->nep > 1) assert_true(evaluate(r, "bisect", "ratio").value == 1);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Routes that serve nobody, and two parts that only serve themselves. */
static void unserved_pairs(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_routes *r;
    struct hd_result result;
    struct hd_net *net = make_ring(4, 2);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    result = evaluate(r, NULL, "worst");
    assert_true(result.value == 0 && result.unserved == 56 && strstr(result.note, "no pair has a path"));
    hd_status s = hd_eval(&ctx, r, &(struct hd_request){.pattern = "worst", .metric = "maxload"}, &result);
    assert_int_equal(s, HD_INPUT);
    assert_non_null(strstr(ctx.error, "no pair has a path"));
    result = evaluate(r, "bisect", "ratio");
    assert_true(result.value == 1 && result.unserved == 10 * 4);
    hd_routes_free(r);
    /* Only within halves {0,1} and {2,3}: the cable between 0 and 1 carries two flows at worst. */
    r = random_routes(net, 1);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t v = 0; v < net->nsw; v++)
            if (v / 2 != hd_leaf(net, d) / 2) hd_row(r, d, 0)[v] = HD_SLOT_NONE;
    result = evaluate(r, NULL, "worst");
    assert_true(result.value == 2 && result.unserved == 32);
    result = evaluate(r, "permutation", "ratio");
    assert_true(result.unserved > 0 && result.min >= 1 - 1e-6 && result.max <= 2);
    result = evaluate(r, "permutation", "minbw");
    assert_true(isnan(result.bound));
    hd_routes_free(r);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worst_of_tiny_trees),
        cmocka_unit_test(worst_of_random_routes),
        cmocka_unit_test(worst_of_a_ring),
        cmocka_unit_test(worst_with_loops),
        cmocka_unit_test(ratio_under_larger_subtrees),
        cmocka_unit_test(worst_with_variants),
        cmocka_unit_test(worst_is_igraphs),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(dmodk_of_table1),
        cmocka_unit_test(theorem2_needs_room),
        cmocka_unit_test(bounds_of_the_papers),
        cmocka_unit_test(cuts_between_islands),
        cmocka_unit_test(bounds_in_results),
        cmocka_unit_test(even_splitting_is_optimal),
        cmocka_unit_test(optimum_of_trees),
        cmocka_unit_test(optimum_elsewhere),
        cmocka_unit_test(optimum_by_distance),
        cmocka_unit_test(tub_is_a_bound),
        cmocka_unit_test(rates_count),
        cmocka_unit_test(permutations_are_routed),
        cmocka_unit_test(permutations_need_cables),
        cmocka_unit_test(bounds_of_patterns),
        cmocka_unit_test(bound_by_distance),
        cmocka_unit_test(bounds_hold_for_every_pattern),
        cmocka_unit_test(everything_there_is),
        cmocka_unit_test(nearly_nothing),
        cmocka_unit_test(unserved_pairs),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
