/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic matrices from files: both forms, units, and every refusal with its line. */
#include "testing.h"
#include "drawing.h"
#include "base/context.h"
#include "load/traffic_file.h"

#include <math.h>

#define NET "gft:n=3,m=3,r=2" /* endpoints 0 1 2 | 3 4 5 */

static const char *spec_for(const char *text, const char *more)
{
    static char spec[256];
    snprintf(spec, sizeof spec, "file:path=%s%s", text_file(text), more);
    return spec;
}

static void refuse_file(struct drawing *d, const char *text, const char *more, const char *words)
{
    refuse_pattern(d, spec_for(text, more), words);
}

/* Weight from rank i to rank j in flows; asserts that no pair stands twice. */
static double weight_of(struct drawing *d, uint32_t i, uint32_t j)
{
    const struct hd_flows *f = draw_stage(d, 0);
    double found = 0;
    for (uint32_t k = 0; k < f->n; k++) {
        if (d->rank_of[f->src[k]] != i || d->rank_of[f->dst[k]] != j) continue;
        assert_true(found == 0);
        found = (f->weight ? f->weight[k] : 1) / (double)d->pattern->unit(d->state);
    }
    return found;
}

static void both_forms(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, NET, NULL, "random:seed=4");
    keep_ranks(&d, 4, 9);
    set_pattern(&d, spec_for("# dense\n0 1 0.5 0\n0 0 0 2\n\n1e-1, 0,0 ,3\n0\t0 0 0\n", ""));
    assert_int_equal(stage_count(&d), 1);
    assert_int_equal(draw_stage(&d, 0)->n, 5);
    assert_true(weight_of(&d, 0, 1) == 1 && weight_of(&d, 0, 2) == 0.5 && weight_of(&d, 1, 3) == 2 &&
                weight_of(&d, 2, 3) == 3);
    assert_true(fabs(weight_of(&d, 2, 0) - 0.1) <= 0x1p-17 && weight_of(&d, 2, 0) > 0);
    assert_false(draw_stage(&d, 0)->simple);

    char text[400];
    const struct hd_net *net = d.net;
    snprintf(text, sizeof text, "0 1 2\n\"%s\" %s 1.5\n# again\n0,1,1\n0x%llx 3 0\n",
             hd_node_name(net, net->nsw + d.ranks.ep[3]), hd_node_name(net, net->nsw + d.ranks.ep[2]),
             (unsigned long long)net->guid[net->nsw + d.ranks.ep[1]]);
    set_pattern(&d, spec_for(text, ""));
    assert_int_equal(draw_stage(&d, 0)->n, 2); /* a weight of 0 is no flow, the same pair twice is one */
    assert_true(weight_of(&d, 0, 1) == 3 && weight_of(&d, 3, 2) == 1.5);
    stop_drawing(&d);
}

static void units_and_simple_flows(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, NET, NULL, NULL);
    set_pattern(&d, spec_for("0 3 1\n1 4 1\n3 0 1\n", ""));
    assert_true(draw_stage(&d, 0)->simple);
    assert_null(draw_stage(&d, 0)->weight);
    set_pattern(&d, spec_for("0 3 1\n1 3 1\n", "")); /* received twice */
    assert_false(draw_stage(&d, 0)->simple);
    set_pattern(&d, spec_for("0 3 2\n1 4 2\n", ""));
    assert_false(draw_stage(&d, 0)->simple);
    set_pattern(&d, spec_for("0 3 2\n1 4 2\n", ",unit=2"));
    assert_true(draw_stage(&d, 0)->simple);
    set_pattern(&d, spec_for("0 3 1e9\n1 4 5e8\n", ",unit=1e9"));
    assert_true(weight_of(&d, 0, 3) == 1 && weight_of(&d, 1, 4) == 0.5);
    set_pattern(&d, spec_for("0 3 1e-12\n1 4 1\n", "")); /* kept, as the smallest step there is */
    assert_true(weight_of(&d, 0, 3) == 0x1p-16);
    set_pattern(&d, spec_for("0 3 4000000.5\n1 4 1\n", "")); /* coarser where the total is large */
    assert_true(fabs(weight_of(&d, 0, 3) - 4000000.5) <= 0.01);
    refuse_file(&d, "0 3 1e9\n", "", "add up to 1e+09 flows, more than can be counted: raise unit=");
    refuse_file(&d, "0 3 1\n", ",unit=0", "expected a number from");
    refuse_file(&d, "0 3 1e-300\n1 4 2e-300\n", "", "the largest weight of ");
    refuse_file(&d, "0 3 0.0039\n", "", "comes to 0.0039 flows, too little to be counted: lower unit=");
    refuse_file(&d, "0 3 5e-324\n", ",unit=1e18", "too little to be counted"); /* not read as nothing */
    set_pattern(&d, spec_for("0 3 0.00390625\n1 4 5e-324\n", ""));
    assert_true(weight_of(&d, 0, 3) == 0x1p-8 && weight_of(&d, 1, 4) == 0x1p-16);
    stop_drawing(&d);
}

static void too_many_lines(void **state)
{
    struct drawing d;
    struct hd_arena a = {0};
    struct hd_traffic t;
    (void)state;
    start_drawing(&d, NET, NULL, NULL);
    struct hd_traffic_in in = {.path = text_file("0 1 1\n0 1 1\n2 3 0\n"),
                               .unit = 1,
                               .net = d.net,
                               .ep = d.ranks.ep,
                               .n = d.ranks.n,
                               .most = 2};
    assert_int_equal(hd_traffic_read(&d.ctx, &a, &in, &t), HD_OK);
    in.most = 1;
    assert_int_equal(hd_traffic_read(&d.ctx, &a, &in, &t), HD_INPUT);
    assert_non_null(strstr(d.ctx.error, ":2: more than 1 weights above 0"));
    hd_arena_release(&a);
    stop_drawing(&d);
}

static void refusals(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, NET, NULL, NULL);
    refuse_file(&d, "0 1 1\n0 2 -1\n", "", ":2: '-1': expected a weight, a finite number from 0");
    refuse_file(&d, "0 1 1\n\n0 2 nan\n", "", ":3: 'nan': expected a weight, a finite number from 0");
    refuse_file(&d, "0 1 inf\n", "", ":1: 'inf': expected a weight");
    refuse_file(&d, "0 1 1e999\n", "", ":1: '1e999': expected a weight, a finite number from 0");
    refuse_file(&d, "0 1 1.2.3\n", "", ":1: '1.2.3': expected a weight");
    refuse_file(&d, "0 1 1\n0 6 1\n", "", ":2: rank 6: there are 6 ranks, numbered from 0");
    refuse_file(&d, "0 1 1\n0 nobody 1\n", "", ":2: 'nobody': no endpoint of that name");
    refuse_file(&d, "0 0xdead 1\n", "", ":1: '0xdead': no endpoint of that name or port GUID");
    refuse_file(&d, "3 3 1\n", "", ":1: '3' sends to itself");
    refuse_file(&d, "0 1 1\n0 1\n", "", ":2: expected: source destination weight");
    refuse_file(&d, "0 1 1\n0 1 1 1\n", "", ":2: expected: source destination weight");
    refuse_file(&d, "0 1\n", "", ":1: 2 fields: expected 'source destination weight', or a weight for each of 6 ranks");
    refuse_file(&d, "0 1 0\n", "", "no traffic");
    refuse_file(&d, "# nothing\n", "", "no traffic");
    refuse_file(&d, "0 0 0 0 0 0\n0 1 0 0 0 0\n", "", ":2: rank 1 sends to itself: expected 0 in column 2");
    refuse_file(&d, "0 0 0 0 0 1\n0 0 0 0 0\n", "", ":2: 5 weights, expected one for each of 6 ranks");
    refuse_file(&d, "0 0 0 0 0 1\n0 0 0 0 0 0 0\n", "", ":2: more than 6 weights");
    refuse_file(&d, "0 0 0 0 0 1\n", "", ":1: the matrix ends after 1 lines");
    refuse_file(&d, "0 1 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n", "",
                ":7: more than 6 lines");
    refuse_file(&d, "0 1 1 \n", ",format=dense", ":1: 3 weights, expected one for each of 6 ranks");
    refuse_pattern(&d, "file", "expected path=FILE");
    refuse_pattern(&d, "file:path=/nonexistent/matrix", "/nonexistent/matrix");
    keep_ranks(&d, 3, 0);
    refuse_file(&d, "0 1 1\n", "", "may be a matrix or a list: give format=dense or format=sparse");
    char text[100];
    snprintf(text, sizeof text, "0 %s 1\n", hd_node_name(d.net, d.net->nsw + 5));
    refuse_file(&d, text, "", "is not one of the 3 ranks");
    set_pattern(&d, spec_for("0 1 1\n1 0 0\n0 0 0\n", ",format=dense"));
    assert_int_equal(draw_stage(&d, 0)->n, 3);
    set_pattern(&d, spec_for("0 1 1\n1 0 2\n", ",format=sparse"));
    assert_int_equal(draw_stage(&d, 0)->n, 2);
    stop_drawing(&d);
}

/* Loads come out in flows, whatever the steps weights were kept in. */
static void loads_are_told_in_flows(void **state)
{
    struct hd_ctx ctx;
    struct hd_net *net = make_net(NET);
    struct hd_routes *r;
    struct hd_result result;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_open(&ctx, net, "dmodk", &r), HD_OK);
    /* 0 and 1 send to 3 over top 0; 2 sends 0.75 to 4 over top 1. */
    const char *spec = spec_for("0 3 0.5\n1 3 1.25\n2 4 0.75\n", "");
    struct hd_request q = {.pattern = spec, .metric = "maxload"};
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
    assert_true(result.value == 1.75);
    q.metric = "hsd";
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
    assert_true(result.value == 1.75);
    q.metric = "minbw";
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
    assert_true(fabs(result.value - 1 / 1.75) < 1e-9);
    q.metric = "ebb"; /* loads of 1 and less leave a flow alone */
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
    assert_true(fabs(result.value - (2 / 1.75 + 1) / 3) < 1e-9);
    hd_routes_free(r);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms),
        cmocka_unit_test(units_and_simple_flows),
        cmocka_unit_test(too_many_lines),
        cmocka_unit_test(refusals),
        cmocka_unit_test(loads_are_told_in_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
