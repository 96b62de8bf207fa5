/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst permutation and the oblivious ratio: against trying every permutation, and against igraph channel by
 * channel. */
#include "metric_tools.h"

#include "base/rng.h"

#include "matching_oracle.h"
#include "base/context.h"

#include <math.h>
#include <stdio.h>

/* ---- networks and routes ------------------------------------------------------------------------------------ */

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

static struct hd_worst find_worst(struct hd_arena *a, const struct hd_routes *r, bool ratio, int threads)
{
    struct hd_ctx ctx;
    struct hd_worst w;
    struct hd_worst_in in = {.routes = r};
    const struct hd_cuts *cuts;
    const struct hd_net *net = hd_routes_net(r);
    hd_ctx_init(&ctx);
    ctx.threads = threads;
    assert_int_equal(hd_rates_of(&ctx, net, &in.rates), HD_OK);
    assert_int_equal(hd_cuts_of(&ctx, net, &cuts), HD_OK);
    if (ratio) in.cuts = cuts;
    struct hd_ranks all = {net->nsel, net->sel};
    in.among = &all;
    if (hd_worst_find(&ctx, a, &in, &w) != HD_OK) fail_msg("%s: %s", net->spec, ctx.error);
    return w;
}

/* ---- every permutation -------------------------------------------------------------------------------------- */

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
