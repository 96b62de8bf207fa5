/* SPDX-License-Identifier: BSD-2-Clause */
/* The best that any routing can do for given flows: trees in closed form, a linear program elsewhere, permutations
 * routed without a collision. */
#include "metric_tools.h"

#include "base/rng.h"
#include "flow/bound/optimum.h"
#include "flow/bound/throughput_bound.h"
#include "base/context.h"
#include "rearrange_pairs.h"

#include <math.h>

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

/* ---- optimum --------------------------------------------------------------------------------- */

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
        struct hd_optimum o;
        struct hd_net *net = make_net(nets[i]);
        hd_ctx_init(&ctx);
        assert_int_equal(hd_optimum_init(&ctx, &a, net, &o), HD_OK);
        assert_true(o.cuts->exact && !o.program);
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
            double program = hd_optimum_program(o.cuts, o.rates, &f, least);
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
    struct hd_optimum o;
    struct hd_net *net = make_barbell();
    uint32_t src[] = {0, 1, 2}, dst[] = {3, 4, 5};
    struct hd_flows f = {.n = 3, .src = src, .dst = dst, .simple = true};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_optimum_init(&ctx, &a, net, &o), HD_OK);
    assert_false(o.cuts->exact);
    assert_true(fabs(hd_cuts_load(o.cuts, &o.sums[0], &f) - 3) < 1e-12); /* the cut through the bar */
#ifdef HD_HAVE_CLP
    assert_true(fabs(hd_optimum_load(&o, 0, &f) - 3) < 1e-6);
#endif
    hd_net_free(net);
    net = make_ring(4, 3); /* three flows to the opposite switch over two ways */
    assert_int_equal(hd_optimum_init(&ctx, &a, net, &o), HD_OK);
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
    const struct hd_cuts *cuts;
    struct hd_cut_sums sums;
    struct hd_net *net = make_ring(8, 2);
    uint32_t src[16], dst[16];
    for (uint32_t i = 0; i < 16; i++) {
        src[i] = i;
        dst[i] = (i + 8) % 16;
    }
    struct hd_flows f = {.n = 16, .src = src, .dst = dst, .simple = true};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_cuts_of(&ctx, net, &cuts), HD_OK);
    assert_int_equal(hd_cut_sums_init(&ctx, &a, cuts, &sums), HD_OK);
    assert_true(hd_cuts_load(cuts, &sums, &f) == 4); /* 16 * 4 hops on 16 channels */
    assert_true(hd_cuts_share(cuts, &sums, &f) == 0.25);
    double tub;
    struct hd_ranks all = {net->nsel, net->sel};
    assert_int_equal(hd_tub_load(&ctx, cuts, &all, &tub), HD_OK);
    assert_true(tub == 4);
    hd_net_free(net);
    hd_arena_release(&a);
}

/* ---- one permutation, routed as well as can be ----------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_splitting_is_optimal), cmocka_unit_test(optimum_of_trees),
        cmocka_unit_test(optimum_elsewhere),         cmocka_unit_test(optimum_by_distance),
        cmocka_unit_test(permutations_are_routed),   cmocka_unit_test(permutations_need_cables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
