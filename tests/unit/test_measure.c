/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring a machine: rounds are the samples of eval, and slow pairs and cables are named. */
#include "order_tools.h"

#include "base/rng.h"
#include "base/context.h"

#include <math.h>

/* ---- measuring --------------------------------------------------------------------------------- */

/* Who sends and who receives in sample 0 of hd_eval, told by the loads of the endpoints' cables. */
static void test_rounds_are_samples(void **state)
{
    (void)state;
    static const char *const patterns[] = {"bisect", "permutation", "dissemination"};
    struct rig g = rig("ft:m=8,n=2", "dmodk");
    struct hd_arena a = {0};
    uint32_t n = g.net->nep;
    for (int k = 0; k < 3; k++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct hd_rounds rounds;
            struct hd_result e;
            uint64_t *sum = calloc(g.net->nchan, sizeof *sum), *mine = calloc(g.net->nchan, sizeof *mine);
            uint32_t *max = calloc(g.net->nchan, sizeof *max), chan[HD_MAX_HOPS];
            g.ctx.seed = seed;
            struct hd_request q = {
                .pattern = patterns[k], .metric = "maxload", .samples = seed, .load_sum = sum, .load_max = max};
            assert_int_equal(hd_eval(&g.ctx, g.r, &q, &e), HD_OK);
            assert_int_equal(
                hd_rounds_init(&g.ctx, &a, &(struct hd_rounds_in){.pattern = patterns[k], .n = n}, &rounds), HD_OK);
            for (uint64_t round = 0; round < seed; round++) {
                hd_rounds_draw(&rounds, seed, round);
                for (uint32_t i = 0; i < rounds.flows.n; i++) {
                    uint32_t hops = hd_routes_path(g.r, rounds.flows.src[i], rounds.flows.dst[i], 0, chan);
                    for (uint32_t j = 0; j < hops; j++) mine[chan[j]]++;
                }
            }
            assert_memory_equal(mine, sum, g.net->nchan * sizeof *sum);
            free(sum);
            free(mine);
            free(max);
        }
    hd_arena_release(&a);
    done(&g);
}

static void test_rank_correlation(void **state)
{
    (void)state;
    struct hd_arena a = {0};
    const double x[] = {1, 2, 3, 4, 5}, up[] = {2, 3, 9, 11, 50}, down[] = {9, 7, 5, 4, 1}, ties[] = {1, 1, 2, 2, 3},
                 flat[] = {3, 3, 3, 3, 3};
    assert_true(fabs(hd_rank_correlation(&a, x, up, 5) - 1) < 1e-12);
    assert_true(fabs(hd_rank_correlation(&a, x, down, 5) + 1) < 1e-12);
    assert_true(fabs(hd_rank_correlation(&a, x, ties, 5) - 0.9486832980505138) < 1e-12);
    assert_true(isnan(hd_rank_correlation(&a, x, flat, 5)));
    hd_arena_release(&a);
    struct hd_ctx ctx;
    struct hd_measurement *m;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_measure(&ctx, &(struct hd_measure_in){.rounds = 1, .messages = 1, .bytes = 8}, &m), HD_LIMIT);
}

/* A machine made up: every pair gets its share of its tightest channel, give or take 5 %; pairs over one cable get
 * 0.3 of that, and one pair 0.2 for no reason. */
struct machine {
    struct hd_measurement m;
    uint32_t *ep;
    uint32_t cable;
    uint64_t over; /* pairs over the cable */
    double *share;
};

static bool crosses(struct rig *g, const uint32_t *ep, const struct hd_measure_pair *p, uint32_t cable)
{
    uint32_t chan[HD_MAX_HOPS], hops = hd_routes_path(g->r, ep[p->from], ep[p->to], 0, chan);
    for (uint32_t j = 0; j < hops; j++)
        if (chan[j] == cable) return true;
    return false;
}

/* Shares of one round's pairs from the loads of hd_routes_path. */
static void share_round(struct rig *g, const struct machine *k, uint64_t first)
{
    uint32_t *load = calloc(g->net->nchan, sizeof *load), chan[HD_MAX_HOPS];
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = first; i < k->m.npair; i++) {
            const struct hd_measure_pair *p = &k->m.pair[i];
            uint32_t hops = hd_routes_path(g->r, k->ep[p->from], k->ep[p->to], 0, chan), most = 0;
            for (uint32_t j = 0; j < hops; j++) {
                if (pass == 0) load[chan[j]]++;
                if (load[chan[j]] > most) most = load[chan[j]];
            }
            k->share[i] = 1.0 / most;
        }
    free(load);
}

static void run_machine(struct rig *g, uint32_t rounds, struct hd_arena *a, struct machine *k)
{
    struct hd_rounds draws;
    struct hd_rng rng;
    uint32_t n = g->all->n;
    k->ep = HD_NEW(a, uint32_t, n);
    k->share = HD_NEW(a, double, (size_t)rounds *n);
    k->m.pair = HD_NEW(a, struct hd_measure_pair, (size_t)rounds * n);
    for (uint32_t i = 0; i < n; i++) k->ep[i] = (i * 7 + 3) % n; /* ranks are not in the order of endpoints */
    assert_int_equal(hd_rounds_init(&g->ctx, a, &(struct hd_rounds_in){.n = n}, &draws), HD_OK);
    hd_rng_init(&rng, 5, HD_RNG_TEST, 0);
    for (uint32_t round = 0; round < rounds; round++) {
        uint64_t first = k->m.npair;
        hd_rounds_draw(&draws, 1, round);
        for (uint32_t i = 0; i < draws.flows.n; i++)
            for (int back = 0; back < 2; back++)
                k->m.pair[k->m.npair++] =
                    (struct hd_measure_pair){round, back ? draws.flows.dst[i] : draws.flows.src[i],
                                             back ? draws.flows.src[i] : draws.flows.dst[i], 0, 0};
        share_round(g, k, first);
        for (uint64_t i = first; i < k->m.npair; i++) {
            struct hd_measure_pair *p = &k->m.pair[i];
            bool slow = crosses(g, k->ep, p, k->cable);
            p->mbps = 3000 * k->share[i] * (0.95 + 0.1 * hd_rng_real(&rng)) * (slow ? 0.3 : 1);
            k->over += slow;
        }
    }
}

static void test_slow_pairs_and_cables_are_named(void **state)
{
    (void)state;
    struct rig g = rig(RLFT[0], "dmodk");
    struct hd_arena a = {0};
    struct machine k = {.cable = UINT32_MAX};
    uint32_t leaf = hd_leaf(g.net, 30);
    for (uint32_t c = g.net->off[leaf]; c < g.net->off[leaf + 1]; c++)
        if (g.net->head[c] < g.net->nsw) k.cable = c; /* the last one up */
    run_machine(&g, 20, &a, &k);
    uint64_t odd = 777;
    while (crosses(&g, k.ep, &k.m.pair[odd], k.cable)) odd++;
    k.m.pair[odd].mbps *= 0.2;
    assert_int_equal(hd_measure_explain(&g.ctx, &a, g.r, k.ep, &k.m), HD_OK);
    assert_true(fabs(k.m.usual - 3000) < 50);
    assert_true(k.m.correlation > 0.8);
    for (uint64_t i = 0; i < k.m.npair; i++) assert_true(fabs(k.m.pair[i].predicted - k.share[i]) < 1e-12);
    assert_true(k.over > 20);
    assert_int_equal(k.m.nslow_pair, k.over + 1);
    for (uint64_t i = 0; i < k.m.nslow_pair; i++) {
        uint64_t at = k.m.slow_pair[i];
        assert_true(at == odd || crosses(&g, k.ep, &k.m.pair[at], k.cable));
    }
    assert_int_equal(k.m.nslow, 1);
    assert_int_equal(k.m.slow[0], k.cable);
    hd_arena_release(&a);
    a = (struct hd_arena){0};
    struct machine well = {.cable = UINT32_MAX}; /* nothing to say of a machine that does as predicted */
    run_machine(&g, 5, &a, &well);
    assert_int_equal(hd_measure_explain(&g.ctx, &a, g.r, well.ep, &well.m), HD_OK);
    assert_int_equal(well.m.nslow, 0);
    assert_int_equal(well.m.nslow_pair, 0);
    hd_arena_release(&a);
    done(&g);
}

/* Patterns that look at places, told in ranks; they need to know the places, and one rank at each. */
static void test_rounds_with_places(void **state)
{
    (void)state;
    struct rig g = rig(RLFT[0], "dmodk");
    struct hd_arena a = {0};
    uint32_t ep[24], flows = 0;
    for (uint32_t i = 0; i < 24; i++) ep[i] = 23 - i; /* the first two leaves */
    struct hd_rounds_in in = {"bridge", 24, g.r, ep};
    struct hd_rounds rounds;
    assert_int_equal(hd_rounds_init(&g.ctx, &a, &in, &rounds), HD_OK);
    hd_rounds_draw(&rounds, 1, 0);
    for (uint32_t i = 0; i < rounds.flows.n; i++, flows++) {
        assert_true(rounds.flows.src[i] < 24 && rounds.flows.dst[i] < 24);
        assert_true(hd_leaf(g.net, ep[rounds.flows.src[i]]) != hd_leaf(g.net, ep[rounds.flows.dst[i]]));
    }
    assert_int_equal(flows, 24);
    in.pattern = "worst";
    assert_int_equal(hd_rounds_init(&g.ctx, &a, &in, &rounds), HD_OK);
    hd_rounds_draw(&rounds, 1, 0);
    assert_true(rounds.flows.n >= 1);
    ep[3] = ep[9];
    assert_int_equal(hd_rounds_init(&g.ctx, &a, &in, &rounds), HD_INPUT);
    assert_non_null(strstr(g.ctx.error, "needs an endpoint for each rank; 3 and 9 share"));
    in.ep = NULL;
    assert_int_equal(hd_rounds_init(&g.ctx, &a, &in, &rounds), HD_INPUT);
    assert_non_null(strstr(g.ctx.error, "give NET and TABLE"));
    in.pattern = "uniform";
    assert_int_equal(hd_rounds_init(&g.ctx, &a, &in, &rounds), HD_INPUT);
    hd_arena_release(&a);
    done(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_are_samples),
        cmocka_unit_test(test_rank_correlation),
        cmocka_unit_test(test_slow_pairs_and_cables_are_named),
        cmocka_unit_test(test_rounds_with_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
