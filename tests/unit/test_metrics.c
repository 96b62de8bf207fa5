/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics on everything there is, with unequal rates, on next to nothing, and of pairs that are not served. */
#include "metric_tools.h"

#include "load/all_pairs.h"
#include "base/context.h"

#include <math.h>

/* ---- rates ----------------------------------------------------------------------------------- */

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

/* ---- everything there is --------------------------------------------------------------------- */

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
    for (size_t i = 0; (t = row_at(HD_TOPOLOGIES, i)); i++)
        for (size_t k = 0; t->examples && t->examples[k]; k++) {
            struct hd_net *net = make_net(t->examples[k]);
            for (size_t j = 0; net->nep <= MAX_ENDPOINTS && (e = row_at(HD_ENGINES, j)); j++) {
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

/* ---- degenerate ------------------------------------------------------------------------------ */

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
        cmocka_unit_test(rates_count),
        cmocka_unit_test(everything_there_is),
        cmocka_unit_test(nearly_nothing),
        cmocka_unit_test(unserved_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
