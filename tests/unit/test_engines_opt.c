/* SPDX-License-Identifier: BSD-2-Clause */
/* OPT against its definition, the worst cases printed in Table I, and the bound that balance=keep promises. */
#include "variant_tools.h"

#include "base/rng.h"

#include <stdio.h>

/* ---- OPT ------------------------------------------------------------------------------------ */

struct tuple {
    uint32_t n, m, r, opt, dmodk;
};

static const struct tuple table1[] = {/* worst-case loads as published: Nienaber et al., Table I */
                                      {9, 9, 18, 3, 9},    {16, 16, 32, 4, 16}, {25, 25, 50, 5, 25},
                                      {12, 12, 24, 4, 12}, {24, 24, 48, 6, 24}, {12, 4, 16, 6, 12},
                                      {24, 9, 33, 8, 24},  {24, 16, 40, 6, 24}, {16, 8, 24, 8, 16},
                                      {24, 8, 32, 12, 24}, {8, 16, 24, 2, 8},   {12, 16, 24, 3, 12},
                                      {10, 25, 35, 2, 10}, {8, 24, 32, 2, 8},   {16, 32, 48, 4, 16}};

static const char *gft(uint32_t n, uint32_t m, uint32_t r)
{
    static char spec[64];
    snprintf(spec, sizeof spec, "gft:n=%u,m=%u,r=%u", n, m, r);
    return spec;
}

static void test_opt_table1(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table1 / sizeof *table1; i++) {
        const struct tuple *t = &table1[i];
        uint32_t g = (t->n + root(t->m) - 1) / root(t->m);
        assert_int_equal(g, t->opt);
        struct hd_net *net = make_net(gft(t->n, t->m, t->r));
        const char *engines[] = {"opt:balance=keep", "opt:balance=none"};
        for (int e = 0; e < 2; e++) {
            struct hd_routes *r = make_routes(net, engines[e]);
            uint32_t bound, w = worst(r, &bound);
            if (w != t->opt || bound != t->opt)
                fail_msg("%s on %s: worst %u, most sources or destinations %u, expected %u", engines[e], net->spec, w,
                         bound, t->opt);
            hd_routes_free(r);
        }
        hd_net_free(net);
        assert_worst(gft(t->n, t->m, t->r), "dmodk", t->dmodk);
    }
}

static void test_opt_published_breaks(void **state)
{
    (void)state;
    assert_worst("gft:n=12,m=12,r=24", "opt:balance=published", 12);
    assert_worst("gft:n=24,m=24,r=48", "opt:balance=published", 12);
    assert_worst("gft:n=8,m=24,r=32", "opt:balance=published", 4);
    assert_worst("gft:n=9,m=9,r=18", "opt:balance=published", 3); /* nothing idle: plain OPT */
}

static void test_opt_none_is_figure_2(void **state)
{
    (void)state;
    const uint32_t sizes[][3] = {{4, 4, 3}, {5, 7, 4}, {7, 3, 3}, {1, 5, 4}, {6, 1, 2}, {10, 30, 3}};
    for (size_t i = 0; i < 6; i++) {
        uint32_t n = sizes[i][0], m = sizes[i][1], k = root(m), g = n / k + (n % k != 0);
        struct hd_net *net = make_net(gft(n, m, sizes[i][2]));
        struct hd_routes *r = make_routes(net, "opt:balance=none");
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++)
                if (s / n != d / n) assert_int_equal(top_of(r, s, d), s % n / g * k + d % n / g);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Top by top, as the definition says; the engine walks all pairs once instead. */
static void test_opt_published_by_definition(void **state)
{
    (void)state;
    const uint32_t sizes[][3] = {{5, 7, 4}, {12, 12, 6}, {8, 24, 5}, {16, 8, 4}, {4, 17, 3}};
    for (size_t i = 0; i < 5; i++) {
        uint32_t n = sizes[i][0], m = sizes[i][1], k = root(m), g = n / k + (n % k != 0), nused = 0, nidle = 0;
        uint32_t used[64], idle[64];
        struct hd_net *net = make_net(gft(n, m, sizes[i][2]));
        struct hd_routes *r = make_routes(net, "opt:balance=published");
        for (uint32_t t = 0; t < m; t++) {
            bool is_used = t / k * g < n && t % k * g < n && t < k * k;
            if (is_used)
                used[nused++] = t;
            else
                idle[nidle++] = t;
        }
        for (uint32_t ti = 0; ti < nused; ti++) {
            uint32_t c = 0;
            for (uint32_t s = 0; s < net->nep; s++)
                for (uint32_t d = 0; d < net->nep; d++) {
                    if (s / n == d / n || s % n / g * k + d % n / g != used[ti]) continue;
                    bool moves = (c + 1) * nidle / m > c * nidle / m;
                    c++;
                    assert_int_equal(top_of(r, s, d), moves ? idle[ti % nidle] : used[ti]);
                }
        }
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Every size: the bound holds on every channel, and every top that can help is used. */
static void test_opt_keep_bound(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 9; n++)
        for (uint32_t m = 1; m <= 40; m++) {
            struct hd_net *net = make_net(gft(n, m, 3));
            struct hd_routes *r = make_routes(net, "opt:balance=keep");
            uint32_t bound, g = (n + root(m) - 1) / root(m);
            bool used[64] = {false};
            uint32_t nused = 0;
            worst(r, &bound);
            if (bound > g)
                fail_msg("%s: a channel has %u sources and destinations, expected at most %u", net->spec, bound, g);
            for (uint32_t s = 0; s < n; s++)
                for (uint32_t d = n; d < net->nep; d++) used[top_of(r, s, d)] = true;
            for (uint32_t t = 0; t < m; t++) nused += used[t];
            if (nused != (m < n * n ? m : n * n)) fail_msg("%s: %u tops are used", net->spec, nused);
            hd_routes_free(r);
            hd_net_free(net);
        }
}

/* Largest load of a pattern. */
static uint32_t pattern_load(const struct hd_routes *r, const uint32_t *to, uint32_t *load)
{
    uint32_t chan[HD_MAX_HOPS], most = 1;
    memset(load, 0, r->net->nchan * 4);
    for (uint32_t s = 0; s < r->net->nep; s++) {
        if (to[s] == s) continue;
        for (uint32_t i = 0, n = route_of(r, s, to[s], chan); i < n; i++)
            if (++load[chan[i]] > most) most = load[chan[i]];
    }
    return most;
}

/* Average share under random permutations, bisections and pairings: not below plain OPT's. */
static void test_opt_keep_average(void **state)
{
    (void)state;
    /* halved: no grid has smaller cells than plain OPT's, which are halved: no pattern may get slower */
    const struct {
        uint32_t n, m;
        bool halved;
    } sizes[] = {{12, 12, false}, {24, 24, false}, {16, 8, false}, {24, 8, false}, {8, 24, true}, {16, 32, false},
                 {13, 13, false}, {10, 12, false}, {14, 27, true}, {16, 17, true}, {9, 10, true}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct hd_net *net = make_net(gft(sizes[i].n, sizes[i].m, 12));
        struct hd_routes *keep = make_routes(net, "opt:balance=keep"), *plain = make_routes(net, "opt:balance=none");
        uint32_t n = net->nep, *order = malloc(n * 4), *to = malloc(n * 4), *load = malloc(net->nchan * 4);
        double sum[3][2] = {{0}};
        struct hd_rng rng;
        hd_rng_init(&rng, 1, HD_RNG_TEST, 2);
        for (uint32_t e = 0; e < n; e++) order[e] = e;
        for (int round = 0; round < 150; round++) {
            hd_rng_shuffle(&rng, order, n);
            for (int kind = 0; kind < 3; kind++) {
                for (uint32_t e = 0; e < n; e++) to[e] = kind == 0 ? order[e] : e;
                for (uint32_t e = 0; kind && e + 1 < n; e += 2) {
                    to[order[e]] = order[e + 1];
                    if (kind == 2) to[order[e + 1]] = order[e];
                }
                uint32_t k = pattern_load(keep, to, load), p = pattern_load(plain, to, load);
                sum[kind][0] += 1.0 / k;
                sum[kind][1] += 1.0 / p;
                if (sizes[i].halved) assert_true(k <= p);
            }
        }
        for (int kind = 0; kind < 3; kind++)
            if (sum[kind][0] < sum[kind][1])
                fail_msg("%s, pattern %d: keep %f below plain %f", net->spec, kind, sum[kind][0] / 150,
                         sum[kind][1] / 150);
        free(order);
        free(to);
        free(load);
        hd_routes_free(keep);
        hd_routes_free(plain);
        hd_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opt_table1),           cmocka_unit_test(test_opt_published_breaks),
        cmocka_unit_test(test_opt_none_is_figure_2), cmocka_unit_test(test_opt_published_by_definition),
        cmocka_unit_test(test_opt_keep_bound),       cmocka_unit_test(test_opt_keep_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
