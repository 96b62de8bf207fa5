/* SPDX-License-Identifier: BSD-2-Clause */
/* Designs against the networks that they name: counts, ports and the Pareto front; and their picture, whose dots must
 * be where the figures are. */
#include "testing.h"

#include "base/context.h"
#include "design/design_steps.h"
#include "heddle/design.h"
#include "sheet.h"
#include "text_file.h"

#include <math.h>

static uint32_t most_ports(const struct hd_net *net)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t used = net->off[v + 1] - net->off[v];
        most = used > most ? used : most;
    }
    return most;
}

static void check_row(const struct hd_design *d, const struct hd_design_row *r)
{
    struct hd_net *net = make_net(r->spec);
    uint32_t between = 0;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) between += net->head[c] < net->nsw && c < net->rev[c];
    assert_true(r->endpoints >= d->in.endpoints);
    assert_int_equal(r->endpoints, net->nep);
    assert_int_equal(r->switches, net->nsw);
    assert_int_equal(r->cables, net->nchan / 2);
    assert_int_equal(r->switch_cables, between);
    assert_true(most_ports(net) <= d->in.radix);
    assert_int_equal(r->copper + r->optical, r->cables);
    assert_int_equal(r->optics, 2 * r->optical);
    assert_true(r->grows_to >= r->endpoints);
    assert_true(r->ebb > 0 && r->ebb <= 1 && r->cost > 0 && r->watts > 0);
    hd_net_free(net);
}

static void rows_are_the_networks_they_name(void **state)
{
    struct hd_ctx ctx;
    struct hd_design *d;
    (void)state;
    hd_ctx_init(&ctx);
    const struct hd_design_in in = {.endpoints = 24, .radix = 8, .rails = 1, .racks = "endpoints=8"};
    if (hd_design_make(&ctx, &in, &d) != HD_OK) fail_msg("%s", ctx.error);
    assert_true(d->nrow > 2);
    for (uint32_t i = 0; i < d->nrow; i++) {
        const struct hd_design_row *r = &d->row[i];
        bool best = true;
        check_row(d, r);
        for (uint32_t j = 0; j < d->nrow; j++) best = best && !(d->row[j].cost < r->cost && d->row[j].ebb >= r->ebb);
        if (r->pareto) assert_true(best);
        if (i) assert_true(r->cost >= d->row[i - 1].cost);
        assert_true(r->longest > 0 && r->metres >= r->longest && r->metres <= r->longest * r->cables);
    }
    hd_design_free(d);
}

/* No two racks are further apart than the floor is long: those of hosts, and those of other switches between them. */
static void cables_stay_on_the_floor(void **state)
{
    struct hd_ctx ctx;
    struct hd_design *d;
    (void)state;
    hd_ctx_init(&ctx);
    const struct hd_design_in in = {
        .endpoints = 48, .radix = 8, .rails = 1, .racks = "endpoints=4,switches=2,row=4096,width=1,slack=0,inside=0.5"};
    if (hd_design_make(&ctx, &in, &d) != HD_OK) fail_msg("%s", ctx.error);
    assert_true(d->nrow > 2);
    for (uint32_t i = 0; i < d->nrow; i++) {
        struct hd_net *net = make_net(d->row[i].spec);
        uint32_t other = 0;
        for (uint32_t v = 0; v < net->nsw; v++) {
            bool hosts = false;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) hosts |= net->head[c] >= net->nsw;
            other += !hosts;
        }
        const uint32_t racks = (net->nhost + 3) / 4 + (other + 1) / 2;
        if (d->row[i].longest > racks - 1)
            fail_msg("%s: %g m, expected up to %u", d->row[i].spec, d->row[i].longest, racks - 1);
        hd_net_free(net);
    }
    hd_design_free(d);
}

/* Few endpoints: a tree of three levels would have one pod, and a note says that there is none. */
static void small_fabrics_have_no_third_level(void **state)
{
    struct hd_ctx ctx;
    struct hd_design *d;
    (void)state;
    hd_ctx_init(&ctx);
    const struct hd_design_in in = {.endpoints = 12, .radix = 8, .rails = 1};
    if (hd_design_make(&ctx, &in, &d) != HD_OK) fail_msg("%s", ctx.error);
    bool noted = false;
    for (uint32_t i = 0; i < d->nnote; i++) noted |= strstr(d->note[i], "with 8 ports: 3-level trees") != NULL;
    assert_true(noted);
    for (uint32_t i = 0; i < d->nrow; i++) assert_null(strstr(d->row[i].family, "3-level"));
    hd_design_free(d);
}

/* A line of a price file is a key and a value; a comment may follow. */
static void prices_are_read_or_refused(void **state)
{
    static const char *const bad[] = {"optic\n", "optic 600 700\n", "optic x\n", "optik 600\n"};
    struct hd_ctx ctx;
    struct hd_design *d;
    struct hd_design_in in = {.endpoints = 8, .radix = 8, .rails = 1};
    (void)state;
    hd_ctx_init(&ctx);
    in.prices = text_file("optic 625 # each\n# none of ours\nfibre 17\n");
    if (hd_design_make(&ctx, &in, &d) != HD_OK) fail_msg("%s", ctx.error);
    assert_true(d->prices.optic == 625 && d->prices.fibre == 17);
    hd_design_free(d);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        in.prices = text_file(bad[i]);
        assert_int_equal(hd_design_make(&ctx, &in, &d), HD_INPUT);
        if (!strstr(ctx.error, ":1: ")) fail_msg("%s: %s", bad[i], ctx.error);
    }
}

/* Lines of the grid that end with this command. */
static uint32_t lines_to(const char *svg, char end)
{
    uint32_t n = 0;
    for (const char *p = svg; (p = strstr(p, "<path class=\"grid\"")); p++) {
        const char *d = strstr(p, " d=\"") + 4;
        n += d[strcspn(d, "HV")] == end;
    }
    return n;
}

/* Dots are as far apart as the figures are, from the left by cost and from the bottom by bandwidth, and the axes have
 * round steps, neither few nor many. */
static void dots_are_where_the_figures_are(void **state)
{
    static const double cost[][3] = {{10, 20, 30}, {1500, 1750, 4000}, {3e6, 9.5e6, 2.3e7}, {0.2, 0.5, 0.9}};
    (void)state;
    for (size_t i = 0; i < sizeof cost / sizeof cost[0]; i++) {
        struct hd_ctx ctx;
        struct hd_out *o;
        struct hd_design_row row[5];
        memset(row, 0, sizeof row);
        for (int k = 0; k < 3; k++)
            row[k] =
                (struct hd_design_row){.family = "tree", .cost = cost[i][k], .ebb = 0.31 + 0.2 * k, .pareto = k != 1};
        row[3] = (struct hd_design_row){.family = "torus", .cost = 1e9, .ebb = NAN}; /* not measured: no dot */
        row[4] = row[0];                                                             /* the last one is row[nrow - 1] */
        struct hd_design d = {.nrow = 4, .row = row, .in = {.endpoints = 24, .radix = 8}};
        hd_ctx_init(&ctx);
        assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
        assert_int_equal(hd_design_chart(&ctx, &d, o), HD_OK);
        const char *svg = hd_out_text(o, &(size_t){0}), *dot = svg;
        double x[3], y[3];
        for (int k = 0; k < 3; k++) {
            assert_non_null(dot = strstr(dot + 1, "<circle"));
            assert_true(sheet_value(dot, "cx", &x[k]) && sheet_value(dot, "cy", &y[k]));
        }
        assert_null(strstr(dot + 1, "<circle"));
        const char *front = strstr(strstr(svg, "class=\"front\""), " d=\"M");
        assert_ptr_equal(strchr(front, 'L'), strrchr(svg, 'L')); /* a line from the first to the third */
        assert_true(strchr(front, 'L') < strchr(front + 5, '"'));
        assert_float_equal((x[1] - x[0]) / (x[2] - x[0]), (cost[i][1] - cost[i][0]) / (cost[i][2] - cost[i][0]), 0.01);
        assert_float_equal((y[0] - y[1]) / (y[0] - y[2]), 0.5, 0.01);
        assert_true(x[2] - x[0] > 400 && y[0] - y[2] > 180);
        assert_in_range(lines_to(svg, 'V'), 4, 8);
        assert_in_range(lines_to(svg, 'H'), 4, 8);
        struct sheet s = sheet_of(svg);
        assert_true(s.left >= 0 && s.right <= s.width && s.top >= 0 && s.bottom <= s.height);
        hd_out_drop(o);
    }
}

/* From the left, where every design costs the same. */
static double dot_of_one_cost(double cost)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    struct hd_design_row row[2];
    double x = 0;
    for (int k = 0; k < 2; k++)
        row[k] = (struct hd_design_row){.family = "tree", .cost = cost, .ebb = 0.4 + 0.2 * k, .pareto = true};
    struct hd_design d = {.nrow = 2, .row = row, .in = {.endpoints = 24, .radix = 8}};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    assert_int_equal(hd_design_chart(&ctx, &d, o), HD_OK);
    const char *svg = hd_out_text(o, &(size_t){0});
    assert_true(sheet_value(strstr(svg, "<circle"), "cx", &x));
    assert_true(lines_to(svg, 'V') >= 2);
    hd_out_drop(o);
    return x;
}

/* Prices may be in any unit: a chart in thousands or millions differs by its labels alone. */
static void units_of_cost_do_not_move_dots(void **state)
{
    static const double cost[] = {0.000043, 0.0043, 0.43, 43, 4300, 4.3e9};
    (void)state;
    for (size_t i = 0; i < sizeof cost / sizeof cost[0]; i++)
        assert_float_equal(dot_of_one_cost(cost[i]), dot_of_one_cost(4.3), 1);
}

/* A long side saves some switches and wastes bandwidth, and beyond 254 channels there is no route: whatever the number
 * of endpoints, and whatever its factors, a torus is nearly a cube. */
static void tori_are_balanced(void **state)
{
    static const uint64_t radix[] = {8, 12, 36, 64};
    uint32_t tori = 0;
    (void)state;
    for (uint64_t n = 16; n < 70000; n += 1 + n / 7)
        for (size_t i = 0; i < sizeof radix / sizeof *radix; i++) {
            struct hd_ctx ctx;
            struct hd_arena a = {0};
            struct hd_design_list list;
            const struct hd_design_in in = {.endpoints = n, .radix = radix[i], .rails = 1};
            hd_ctx_init(&ctx);
            assert_int_equal(hd_design_candidates(&ctx, &in, &a, &list), HD_OK);
            for (uint32_t k = 0; k < list.n; k++) {
                unsigned long long x, y, z, hosts;
                if (sscanf(list.row[k].spec, "torus:dims=%llux%llux%llu,hosts=%llu", &x, &y, &z, &hosts) != 4) continue;
                tori++;
                assert_true(x >= y && y >= z && z > 1 && x <= 2 * z);
                assert_true(x * y * z * hosts >= n);
                assert_true(x * y * (z - 1) * hosts < n || z == 2); /* no layer too many */
            }
            hd_arena_release(&a);
        }
    assert_true(tori > 100);
}

/* A fabric that no engine can route has no figures, and a note says why. */
static void what_cannot_be_routed_is_left_out(void **state)
{
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_design d = {.in = {.endpoints = 256, .radix = 4, .rails = 1}};
    struct hd_designing g = {.ctx = &ctx, .arena = &a, .d = &d};
    const struct hd_design_candidate from = {.kind = HD_DESIGN_OTHER, .planes = 1};
    struct hd_design_row row = {.spec = "mesh:dims=256,hosts=1", .planes = 1};
    struct hd_net *net = make_net(row.spec);
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_design_measure(&g, net, &from, &row), HD_OK);
    assert_true(isnan(row.ebb) && isnan(row.worst) && isnan(row.ebb_lost) && !row.table && !row.lost);
    assert_int_equal(g.refused, 1);
    assert_non_null(strstr(g.why, "shortest paths of more than 254 channels"));
    hd_net_free(net);
    hd_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_networks_they_name),
        cmocka_unit_test(cables_stay_on_the_floor),
        cmocka_unit_test(small_fabrics_have_no_third_level),
        cmocka_unit_test(prices_are_read_or_refused),
        cmocka_unit_test(dots_are_where_the_figures_are),
        cmocka_unit_test(units_of_cost_do_not_move_dots),
        cmocka_unit_test(tori_are_balanced),
        cmocka_unit_test(what_cannot_be_routed_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
