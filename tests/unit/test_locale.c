/* SPDX-License-Identifier: BSD-2-Clause */
/* A process with a decimal comma gets the same results, the same text and the same JSON as one without. The locale is
 * made by localedef in a folder of its own, from a few lines, so that none need be installed; without localedef, or
 * with a C library that has no LOCPATH, the tests are skipped. */
#include "base/spec.h"
#include "base/status.h"
#include "testing.h"
#include "text_file.h"

#include <locale.h>

/* Characters that are missing are warnings: what the category of numbers needs is there. */
static const char comma_locale[] =
    "cd '%s' && printf 'LC_NUMERIC\\ndecimal_point \"<U002C>\"\\nthousands_sep \"<U002E>\"\\ngrouping 3;3\\n"
    "END LC_NUMERIC\\n' >numbers && "
    "printf '<code_set_name> ASCII\\n<mb_cur_min> 1\\n<mb_cur_max> 1\\nCHARMAP\\n"
    "<U002C> \\\\x2c COMMA\\n<U002E> \\\\x2e FULL STOP\\nEND CHARMAP\\n' >characters && "
    "localedef -c -i ./numbers -f ./characters ./comma >/dev/null 2>&1; test -e comma/LC_NUMERIC";

static char folder[] = "/tmp/heddle-locale-XXXXXX";
static bool have_comma;

static int make_comma(void **state)
{
    char command[1024];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, comma_locale, folder);
    have_comma = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_NUMERIC, "comma");
    setlocale(LC_NUMERIC, "C");
    return 0;
}

static int remove_comma(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void with_comma(void)
{
    char text[16];
    if (!have_comma) skip();
    assert_non_null(setlocale(LC_NUMERIC, "comma"));
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* or nothing is tested */
}

static int without_comma(void **state)
{
    (void)state;
    setlocale(LC_NUMERIC, "C");
    return 0;
}

/* Every default is text; it is read, printed and read again. */
static void defaults_are_read(void **state)
{
    struct hd_ctx ctx;
    char spec[HD_MAX_SPEC];
    const struct hd_desc *d;
    (void)state;
    with_comma();
    hd_ctx_init(&ctx);
    for (enum hd_registry kind = 0; kind < HD_REGISTRIES; kind++)
        for (size_t i = 0; (d = hd_registry_at(&ctx, kind, i)); i++) {
            struct hd_arena arena = {0};
            void *opt = HD_NEW(&arena, max_align_t, d->opt_size / sizeof(max_align_t) + 1);
            if (hd_opts_parse(&ctx, &arena, d, "", opt) != HD_OK) fail_msg("%s: %s", d->name, ctx.error);
            if (hd_opts_print(&ctx, d, opt, spec) != HD_OK) fail_msg("%s: %s", d->name, ctx.error);
            hd_arena_release(&arena);
        }
    struct hd_net *net = make_net("ft:m=4,n=2");
    struct hd_routes *r = make_routes(net, "settle:beta=0.25");
    assert_string_equal(hd_routes_spec(r), "settle:beta=0.25");
    hd_routes_free(r);
    hd_net_free(net);
}

static void messages_have_points(void **state)
{
    struct hd_ctx ctx;
    struct hd_net *net = make_net("ft:m=4,n=2");
    struct hd_routes *r = NULL;
    (void)state;
    with_comma();
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_open(&ctx, net, "settle:beta=0,5", &r), HD_INPUT);
    assert_int_equal(hd_fail(&ctx, HD_INPUT, "%.3f of %g", 0.915, 1e-7), HD_INPUT);
    assert_string_equal(ctx.error, "0.915 of 1e-07");
    hd_net_free(net);
}

static char *advice(int threads)
{
    struct hd_ctx ctx;
    struct hd_report *report;
    struct hd_out *o;
    struct hd_net *net = make_net("ft:m=4,n=2");
    const struct hd_advise_in in = {.net = net, .net_text = "ft:m=4,n=2", .command = "heddle advise ft:m=4,n=2"};
    hd_ctx_init(&ctx);
    ctx.threads = threads;
    if (hd_advise(&ctx, &in, &report) != HD_OK) fail_msg("%s", ctx.error);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_report_text(&ctx, report, false, o), HD_OK);
    assert_int_equal(hd_report_json(&ctx, report, o), HD_OK);
    assert_int_equal(hd_report_html(&ctx, report, o), HD_OK);
    char *text = strdup(hd_out_text(o, NULL));
    hd_out_drop(o);
    hd_report_free(report);
    hd_net_free(net);
    return text;
}

/* Worker threads too; and the locale of the process is what it was. */
static void advice_is_the_same(void **state)
{
    (void)state;
    char *usual = advice(1);
    with_comma();
    char *comma = advice(2);
    assert_true(strcmp(usual, comma) == 0);
    assert_string_equal(localeconv()->decimal_point, ",");
    free(usual);
    free(comma);
}

static void designs_are_the_same(void **state)
{
    struct hd_ctx ctx;
    struct hd_design *design[2];
    struct hd_design_in in = {.endpoints = 16, .radix = 8, .rails = 1, .racks = "width=0.8,endpoints=8"};
    (void)state;
    hd_ctx_init(&ctx);
    in.prices = text_file("optic 399.5\ncopper_metre 12.25\n");
    for (int i = 0; i < 2; i++) {
        if (i) with_comma();
        if (hd_design_make(&ctx, &in, &design[i]) != HD_OK) fail_msg("%s", ctx.error);
    }
    assert_int_equal(design[0]->nrow, design[1]->nrow);
    assert_true(design[1]->prices.optic == 399.5);
    for (uint32_t i = 0; i < design[0]->nrow; i++) {
        assert_string_equal(design[0]->row[i].spec, design[1]->row[i].spec);
        assert_true(design[0]->row[i].cost == design[1]->row[i].cost);
        assert_true(design[0]->row[i].ebb == design[1]->row[i].ebb);
    }
    hd_design_free(design[0]);
    hd_design_free(design[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(defaults_are_read, without_comma),
        cmocka_unit_test_teardown(messages_have_points, without_comma),
        cmocka_unit_test_teardown(advice_is_the_same, without_comma),
        cmocka_unit_test_teardown(designs_are_the_same, without_comma),
    };
    return cmocka_run_group_tests(tests, make_comma, remove_comma);
}
