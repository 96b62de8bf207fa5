/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rows of engines say about them: role, predicted cost, and what takes over after failures. */
#include "route/engine/engine_lookup.h"
#include "testing.h"

#include <stdio.h>

static double cost_of(const char *spec)
{
    static const struct hd_sizes sizes = {.endpoints = 1000, .switches = 50, .channels = 3000, .leaves = 40, .hops = 5};
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    return hd_engine_cost(&ctx, spec, &sizes);
}

/* Steps written out, for the sizes above: the table takes 3e6, the lanes 8e5. */
static void costs_follow_the_rows(void **state)
{
    (void)state;
    assert_true(cost_of("minhop") == 3e6);
    assert_true(cost_of("dmodk:index=jobs") == 3e6);
    assert_true(cost_of("opensm.lfts") == 3e6);
    assert_true(cost_of("settle.lft") == 3e6); /* a file, whatever it is called */
    assert_true(cost_of("settle:tries=1") == 30.8e6);
    assert_true(cost_of("dfsssp") == 3.8e6);
    assert_true(cost_of("lash:lanes=dest") == 3.8e6);
    assert_true(cost_of("wsr") == 1e8);
    assert_true(cost_of("p2sssp") == 5e6);
}

/* Every fallback is an engine that runs by its name, and following them ends. */
static void fallbacks_end(void **state)
{
    struct hd_ctx ctx;
    const struct hd_desc *d;
    (void)state;
    hd_ctx_init(&ctx);
    for (size_t i = 0; (d = hd_registry_at(&ctx, HD_ENGINES, i)); i++) {
        int steps = 0;
        for (const char *next = d->name; (next = hd_engine_fallback(&ctx, next)); steps++) {
            assert_non_null(hd_engine_of(&ctx, next));
            assert_int_not_equal(hd_engine_of(&ctx, next)->role, HD_ENGINE_EXTERNAL);
            assert_true(steps < 4);
        }
    }
    assert_null(hd_engine_fallback(&ctx, "settle"));
    assert_string_equal(hd_engine_fallback(&ctx, "settle:weights=jobs"), "settle");
    assert_null(hd_engine_fallback(&ctx, "opensm.lfts"));
}

/* A damaged tree is served by what the engines that need it whole fall back to. */
static void fallbacks_serve_what_is_left(void **state)
{
    static const char *const cases[][3] = {{"ft:m=6,n=3", "dmodk", "dmodc"}, {"gft:n=4,m=4,r=8", "opt", "dmodc"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_ctx ctx;
        struct hd_net *net;
        struct hd_routes *r = NULL;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_net_open(&ctx, cases[i][0], &(struct hd_open){.fail = "links=1"}, &net), HD_OK);
        assert_int_equal(hd_routes_open(&ctx, net, cases[i][1], &r), HD_NA);
        const char *next = hd_engine_fallback(&ctx, cases[i][1]);
        assert_string_equal(next, cases[i][2]);
        assert_int_equal(hd_routes_open(&ctx, net, next, &r), HD_OK);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void roles(void **state)
{
    static const struct {
        const char *engine;
        enum hd_engine_role role;
    } known[] = {{"dmodk", HD_ENGINE_CANDIDATE},
                 {"minhop", HD_ENGINE_DEFAULT},
                 {"random", HD_ENGINE_BASELINE},
                 {"opensm", HD_ENGINE_EXTERNAL},
                 {"file", HD_ENGINE_EXTERNAL}};
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(hd_engine_of(&ctx, known[i].engine)->role, known[i].role);
    assert_null(hd_engine_of(&ctx, "dmod"));
}

static hd_status route_nothing(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)ctx, (void)opt, (void)scratch, (void)r;
    return HD_OK;
}

static hd_status route_no_variant(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt, (void)scratch;
    return hd_routes_table(ctx, r, 0);
}

/* An added engine that leaves the routes without a table is refused, and there are no routes to free. */
static void added_engines_must_make_a_table(void **state)
{
    static const struct hd_engine rows[] = {
        {.desc = {.name = "nothing", .summary = "forgets its table"}, .route = route_nothing},
        {.desc = {.name = "no-variant", .summary = "an empty table"}, .route = route_no_variant}};
    static const char *const said[] = {"nothing: the engine made no table", "a table needs one variant at least"};
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    struct hd_net *net = make_net("mesh:dims=2,hosts=1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hd_routes *r = NULL;
        assert_int_equal(hd_registry_add(&ctx, HD_ENGINES, &rows[i].desc, sizeof rows[i]), HD_OK);
        assert_int_equal(hd_routes_open(&ctx, net, rows[i].desc.name, &r), HD_INPUT);
        assert_null(r);
        assert_non_null(strstr(hd_ctx_error(&ctx), said[i]));
    }
    /* Advice goes on without them, and says so: they failed, which is not to say that they do not apply. */
    struct hd_report *report;
    struct hd_out *o;
    const struct hd_advise_in in = {.net = net, .net_text = "mesh:dims=2,hosts=1", .command = "heddle advise"};
    assert_int_equal(hd_advise(&ctx, &in, &report), HD_OK);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_report_json(&ctx, report, o), HD_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char note[100];
        snprintf(note, sizeof note, "%s is left out: it failed: %s", rows[i].desc.name, said[i]);
        assert_non_null(strstr(hd_out_text(o, NULL), note));
    }
    hd_out_drop(o);
    hd_report_free(report);
    hd_net_free(net);
    hd_ctx_release(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs_follow_the_rows), cmocka_unit_test(fallbacks_end),
                                       cmocka_unit_test(fallbacks_serve_what_is_left), cmocka_unit_test(roles),
                                       cmocka_unit_test(added_engines_must_make_a_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
