/* SPDX-License-Identifier: BSD-2-Clause */
/* Several paths per destination (lmc=): the first is the single one of the engine, the others are shortest, and the
 * paths of a pair share as little as the network allows; loads and cycles are found by walking every path. */
#include "opensm_oracle.h"
#include "tiny.h"

/* Channels between switches that two variants of a pair share, over all pairs of variants. */
static uint32_t shared(const struct hd_routes *r, uint32_t s, uint32_t d)
{
    uint32_t path[8][HD_MAX_HOPS], n[8], same = 0;
    for (uint32_t x = 0; x < r->nvar; x++) n[x] = hd_routes_path(r, s, d, x, path[x]);
    for (uint32_t x = 0; x < r->nvar; x++)
        for (uint32_t y = 0; y < x; y++)
            for (uint32_t i = 1; i + 1 < n[x]; i++)
                for (uint32_t k = 1; k + 1 < n[y]; k++) same += path[x][i] == path[y][k];
    return same;
}

static double ebb_of(const struct hd_net *net, const char *table)
{
    struct hd_ctx ctx;
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = 400};
    struct hd_result result;
    struct hd_routes *r = make_routes(net, table);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
    hd_routes_free(r);
    return result.value;
}

/* Two switches apart on a ring of four there are two shortest paths, and both are used. */
static void test_ring(void **state)
{
    (void)state;
    struct hd_net *net = tiny("1 1 1 1", "0-1 1-2 2-3 3-0");
    struct hd_routes *r = make_routes(net, "settle:lmc=1");
    assert_int_equal(r->nvar, 2);
    assert_int_equal(hd_routes_paths_per_pair(r), 2);
    for (uint32_t s = 0; s < 4; s++) assert_int_equal(shared(r, s, (s + 2) % 4), 0);
    hd_routes_free(r);
    hd_net_free(net);
}

/* FT(8,3): four ports up at every switch, so the four paths of two endpoints of different subtrees are disjoint. */
static void test_tree(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=8,n=3");
    struct hd_routes *one = make_routes(net, "settle"), *r = make_routes(net, "settle:lmc=2");
    uint32_t chan[HD_MAX_HOPS], pairs = 0, overlap = 0;
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            if (s == d) continue;
            uint32_t n = hd_routes_path(one, s, d, 0, chan), also[HD_MAX_HOPS];
            assert_int_equal(hd_routes_path(r, s, d, 0, also), n);
            assert_memory_equal(chan, also, n * sizeof *chan);
            for (uint32_t x = 1; x < 4; x++) assert_int_equal(hd_routes_path(r, s, d, x, also), n);
            pairs += n > 2;
            overlap += shared(r, s, d);
        }
    assert_true(pairs > 0);
    assert_int_equal(overlap, 0);
    hd_routes_free(one);
    hd_routes_free(r);
    hd_net_free(net);
}

/* All paths of a pair are in one VL where there are enough of them; with one VL less than that they are not. */
static void test_vls(void **state)
{
    (void)state;
    static const struct {
        const char *net, *table;
        bool same;
    } cases[] = {{"dragonfly:a=4,p=2,h=2", "settle:lmc=2", true},
                 {"torus:dims=4x4,hosts=2", "settle:lmc=2", true},
                 {"torus:dims=4x4,hosts=2", "dfsssp:lmc=1", true},
                 {"torus:dims=4x4,hosts=2", "settle:lmc=2,maxlanes=3", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].net);
        struct hd_routes *r = make_routes(net, cases[i].table);
        struct hd_ctx ctx;
        struct hd_check k;
        bool same = true;
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++)
                for (uint32_t x = 1; x < r->nvar; x++)
                    same &=
                        hd_leaf(net, s) == hd_leaf(net, d) || hd_routes_lane(r, s, d, x) == hd_routes_lane(r, s, d, 0);
        assert_true(r->nlanes > 1);
        assert_int_equal(same, cases[i].same);
        hd_ctx_init(&ctx);
        assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
        assert_int_equal(k.deadlock_free, 1);
        assert_int_equal(k.unreachable + k.loops, 0);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Any network: complete, shortest, proved free of credit loops, and flows that spread over the paths get more. */
static void test_more_bandwidth(void **state)
{
    (void)state;
    static const struct {
        const char *net, *one, *many;
        double gain;
    } cases[] = {{"ft:m=8,n=2", "settle", "settle:lmc=2", 1.1},
                 {"torus:dims=5x5,hosts=2", "settle", "settle:lmc=1", 1.02},
                 {"random:switches=20,ports=12,hosts=5,seed=3", "settle", "settle:lmc=2", 1.05},
                 {"random:switches=20,ports=12,hosts=5,seed=3", "dfsssp", "dfsssp:lmc=2", 1.05},
                 {"dragonfly:a=4,p=2,h=2", "settle", "settle:lmc=1,maxlanes=2", 0.9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].net);
        struct hd_routes *r = make_routes_with(net, cases[i].many, 1), *again = make_routes_with(net, cases[i].many, 3);
        struct hd_ctx ctx;
        struct hd_check k;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
        assert_int_equal(k.pairs, (uint64_t)net->nep * (net->nep - 1) * r->nvar);
        assert_int_equal(k.unreachable + k.loops, 0);
        assert_int_equal(k.deadlock_free, 1);
        assert_memory_equal(r->table, again->table, (size_t)net->nep * r->nvar * net->nsw);
        double one = ebb_of(net, cases[i].one), many = ebb_of(net, cases[i].many);
        if (many < cases[i].gain * one)
            fail_msg("%s: %g with %s, %g with one path", net->spec, many, cases[i].many, one);
        hd_routes_free(r);
        hd_routes_free(again);
        hd_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ring), cmocka_unit_test(test_tree),
                                       cmocka_unit_test(test_vls), cmocka_unit_test(test_more_bandwidth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
