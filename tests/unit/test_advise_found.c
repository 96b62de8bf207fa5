/* SPDX-License-Identifier: BSD-2-Clause */
/* The advice on small networks: what is found wrong, what is to be repaired, and that nothing is computed twice. */
#include "advice_tools.h"
#include "base/rows.h"
#include "base/rng.h"
#include "flow/pattern/all_patterns.h"
#include "heddle/metric.h"

/* ---- findings and repairs ------------------------------------------------------------------------ */

struct found {
    struct advice x;
    struct hd_net *whole, *net;
};

/* fail: as --fail; NULL: nothing. */
static void found_begin(struct found *f, const char *spec, const char *fail)
{
    advice_begin(&f->x, NULL);
    f->whole = make_net(spec);
    f->net = NULL;
    if (fail && hd_net_fail(&f->x.ctx, f->whole, fail, &f->net) != HD_OK) fail_msg("%s: %s", fail, f->x.ctx.error);
    f->x.a.net = f->x.report.net = fail ? f->net : f->whole;
    f->x.in.net_text = spec;
    assert_int_equal(hd_net_describe(&f->x.ctx, f->x.a.net, &f->x.a.info), HD_OK);
    assert_int_equal(hd_advise_facts(&f->x.a), HD_OK);
    assert_int_equal(hd_advise_cables(&f->x.a), HD_OK);
    assert_int_equal(hd_advise_findings(&f->x.a), HD_OK);
}

static void found_end(struct found *f)
{
    advice_end(&f->x);
    hd_net_free(f->net);
    hd_net_free(f->whole);
}

static const char *finding_of(const struct found *f, const char *subject, enum hd_verdict verdict)
{
    for (uint32_t i = 0; i < f->x.report.nfinding; i++)
        if (strcmp(f->x.report.finding[i].subject, subject) == 0) {
            assert_int_equal(f->x.report.finding[i].verdict, verdict);
            return f->x.report.finding[i].text;
        }
    fail_msg("no finding on %s", subject);
    return NULL;
}

static bool has_finding(const struct found *f, const char *subject)
{
    for (uint32_t i = 0; i < f->x.report.nfinding; i++)
        if (strcmp(f->x.report.finding[i].subject, subject) == 0) return true;
    return false;
}

static void test_an_intact_tree_passes(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "ft:m=8,n=2", NULL);
    assert_int_equal(f.x.report.verdict, HD_PASS);
    assert_string_equal(finding_of(&f, "connectivity", HD_PASS), "every endpoint is connected to every other");
    assert_string_equal(finding_of(&f, "missing cables", HD_PASS), "none: all 32 switch-to-switch cables are present");
    assert_string_equal(finding_of(&f, "equal leaves", HD_PASS), "8 with 4 endpoints each");
    assert_string_equal(finding_of(&f, "oversubscription", HD_PASS),
                        "none: as much capacity up as down at every level");
    assert_string_equal(f.x.report.fact_text[0], "2-level fat tree, full bisection: pgft:m=4x8,w=1x4,p=1x1");
    assert_int_equal(f.x.report.nrepair, 0);
    assert_null(f.x.a.cabling);
    hd_advise_todo(&f.x.a);
    assert_int_equal(f.x.report.nstep, 0);
    found_end(&f);
}

static void test_missing_cables_are_to_be_repaired(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "ft:m=8,n=2", "link=L1-0000:5");
    assert_int_equal(f.x.report.verdict, HD_WARN);
    assert_string_equal(finding_of(&f, "missing cables", HD_WARN),
                        "1 of 32 switch-to-switch cables: L1-0000 port 5 - L2-0008 port 1");
    assert_int_equal(f.x.report.nrepair, 1);
    assert_string_equal(f.x.report.repair[0].kind, "missing");
    assert_string_equal(f.x.a.cabling, "put back 1 missing cable: L1-0000 port 5 - L2-0008 port 1");
    hd_advise_todo(&f.x.a);
    assert_int_equal(f.x.report.nstep, 1);
    assert_true(f.x.report.step[0].cables);
    assert_string_equal(f.x.report.step[0].what,
                        "Repair the cabling: put back 1 missing cable: L1-0000 port 5 - L2-0008 port 1. Then run "
                        "advise again");
    found_end(&f);
}

/* A switch that took all its cables with it, where nothing says which one it was. */
static void test_uplinks_that_lead_nowhere(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "xgft:m=2x3,w=1x2", "switch=L2-0003");
    assert_string_equal(finding_of(&f, "missing switches", HD_WARN),
                        "3 uplinks of the tree lead to switches that are not present");
    assert_string_equal(f.x.a.cabling, "restore the switches to which 3 uplinks led");
    found_end(&f);
    found_begin(&f, "xgft:m=2x2,w=1x3", "switch=L1-0000+L2-0002");
    assert_string_equal(finding_of(&f, "missing switches", HD_WARN),
                        "1 uplink of the tree leads to switches that are not present");
    assert_string_equal(f.x.a.cabling, "restore the switches to which 1 uplink led");
    found_end(&f);
}

/* What is left without a dead switch may be whole by its shape, and lacks the cables that led there all the same. */
static void test_cables_of_dead_switches_are_not_present(void **state)
{
    (void)state;
    static const char *const damaged[][2] = {{"gft:n=6,m=6,r=10", "switch=L2-0012"},
                                             {"torus:dims=5x4,hosts=1", "switch=L1-0007"},
                                             {"dragonfly:h=2", "switch=L1-0010"}};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct found f;
        found_begin(&f, damaged[i][0], damaged[i][1]);
        assert_non_null(strstr(finding_of(&f, "dead switches", HD_WARN), "1: "));
        assert_false(has_finding(&f, "missing cables"));
        found_end(&f);
    }
}

/* What repairing brings: the recommended engine over the repaired network, compared over as many samples. */
static void test_repair_is_measured(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "ft:m=8,n=2", "link=L1-0000:5");
    struct hd_report_option *o = add_option(&f.x, "ftree", 0.25);
    f.x.report.best = 0;
    o->nsample = (uint32_t)hd_work_case_samples(&f.x.a, 1); /* measured already: taken as it is */
    assert_int_equal(hd_advise_repair(&f.x.a), HD_OK);
    assert_string_equal(f.x.report.repair_table, "ftree");
    assert_float_equal(f.x.report.repair_before, 0.25, 0);
    struct hd_routes *r = make_routes(f.whole, "ftree");
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = f.x.report.repair_samples};
    struct hd_result result;
    assert_int_equal(hd_eval(&f.x.ctx, r, &q, &result), HD_OK);
    assert_float_equal(f.x.report.repair_after, result.value, 0);
    hd_routes_free(r);
    found_end(&f);
}

static void test_a_split_fabric_fails(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "torus:dims=4,hosts=1", "links=2");
    assert_int_equal(f.x.report.verdict, HD_FAIL);
    assert_string_equal(finding_of(&f, "connectivity", HD_FAIL),
                        "2 components that are not connected to each other: 2 endpoints with node-00000, "
                        "2 endpoints with node-00001");
    found_end(&f);
}

/* The neighbours at its leaf show which cable of a host is missing: that is one task, with both ends, and no host that
 * is off. What led to a dead switch is none. */
static void test_a_missing_cable_of_a_host_is_one_task(void **state)
{
    (void)state;
    static const struct {
        const char *net, *fail, *todo, *rails;
    } rows[] = {
        {"rail:rails=4,units=2,hosts=8,spines=4,uplinks=8", "link=leaf-1-2:2",
         "put back 1 missing cable: leaf-1-2 port 2 - node-1 mlx5_1",
         "1 of 16 hosts has fewer than 4 ports: node-1 has 3"},
        {"rail:rails=4,units=2,hosts=8,spines=4,uplinks=8", "link=leaf-1-2:8",
         "cable the missing port of 1 host: node-7 lacks rail 1 (mlx5_1)",
         "1 of 16 hosts has fewer than 4 ports: node-7 has 3"},
        {"rail:rails=4,units=2,hosts=8,spines=4,uplinks=8", "link=leaf-1-2:2+leaf-1-2:8",
         "put back 1 missing cable: leaf-1-2 port 2 - node-1 mlx5_1; "
         "cable the missing port of 1 host: node-7 lacks rail 1 (mlx5_1)",
         "2 of 16 hosts have fewer than 4 ports: node-1 has 3, node-7 has 3; 2 of them lack rail 1 (mlx5_1)"},
        {"rail:rails=8,units=4,hosts=8,spines=4,uplinks=8", "switch=leaf-1-3,link=leaf-1-2:2+leaf-1-2:8",
         "restore 1 dead switch: leaf-1-3, which is not in the fabric, 8 cables led to it: spine-1 port 3, "
         "spine-1 port 35, spine-2 port 3 and 5 more; put back 1 missing cable: leaf-1-2 port 2 - node-1 mlx5_1; "
         "cable the missing port of 1 host: node-7 lacks rail 1 (mlx5_1)",
         "8 of 32 hosts have fewer than 8 ports: node-0 has 7, node-1 has 6, node-2 has 7 and 5 more; 8 of them lack "
         "rail 2 (mlx5_2); 6 lack nothing but what led to dead switches"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct found f;
        found_begin(&f, rows[i].net, rows[i].fail);
        assert_string_equal(f.x.a.cabling, rows[i].todo);
        assert_string_equal(finding_of(&f, "rails", HD_WARN), rows[i].rails);
        assert_false(has_finding(&f, "missing hosts"));
        assert_false(has_finding(&f, "host cables"));
        found_end(&f);
    }
}

/* A host that is of another kind by the number of its ports, or was lost with all of them. */
static void test_missing_hosts_and_cables_of_hosts(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "rail:rails=4,units=2,hosts=8,spines=4,uplinks=8",
                "link=leaf-1-2:2+leaf-1-3:2+leaf-1-4:2+leaf-2-1:3+leaf-2-2:3+leaf-2-3:3+leaf-2-4:3");
    assert_string_equal(
        finding_of(&f, "host cables", HD_WARN),
        "3 missing: leaf-1-2 port 2 - node-1 mlx5_1, leaf-1-3 port 2 - node-1 mlx5_2, leaf-1-4 port 2 - "
        "node-1 mlx5_3");
    assert_string_equal(
        finding_of(&f, "missing hosts", HD_WARN),
        "4: leaf-2-1 port 3 - node-10 mlx5_0, which is not in the fabric, leaf-2-2 port 3 - node-10 "
        "mlx5_1, which is not in the fabric, leaf-2-3 port 3 - node-10 mlx5_2, which is not in the fabric "
        "and 1 more");
    found_end(&f);
}

/* Groups of switches are a form too. */
static void test_only_trees_have_levels(void **state)
{
    (void)state;
    static const struct {
        const char *net;
        bool tree;
    } rows[] = {{"ft:m=4,n=2", true},
                {"director:groups=3,leaves=6,hosts=2", true},
                {"dragonfly:a=4,p=2,h=2", false},
                {"slimfly:q=5", false},
                {"torus:dims=3x3,hosts=1", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct found f;
        found_begin(&f, rows[i].net, NULL);
        assert_int_equal(has_finding(&f, "tree"), rows[i].tree);
        found_end(&f);
    }
}

static void test_unequal_leaves_are_named(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "odin", NULL);
    assert_string_equal(finding_of(&f, "unequal leaves", HD_WARN),
                        "most have 12 endpoints, 1 of 11 does not: L1-0010 8");
    found_end(&f);
}

static void test_hosts_that_lack_a_rail_are_named(void **state)
{
    (void)state;
    struct found f;
    found_begin(&f, "director:groups=2,leaves=2,directors=1,lines=2,spines=2,hosts=4,rails=2",
                "link=node-0 mlx5_1:1+node-3 mlx5_1:1+node-4 mlx5_0:1");
    assert_string_equal(finding_of(&f, "rails", HD_WARN),
                        "3 of 8 hosts have fewer than 2 ports: node-0 has 1, node-3 has 1, node-4 has 1; "
                        "2 of them lack rail 1 (mlx5_1)");
    found_end(&f);
}

/* Leaves that are gone take a rail from half of the hosts, from most, or from all of them. */
static void test_hosts_of_lost_leaves_lack_a_rail(void **state)
{
    (void)state;
    static const struct {
        const char *net, *fail;
        enum hd_verdict verdict;
        const char *text;
    } rows[] = {
        {"rail:rails=2,units=2,hosts=8,spines=2,uplinks=4", "switch=leaf-1-2", HD_WARN,
         "8 of 16 hosts have fewer than 2 ports: node-0 has 1, node-1 has 1, node-2 has 1 and 5 more; 8 of them lack "
         "rail 1 (mlx5_1)"},
        {"rail:rails=8,units=2,hosts=4,spines=4,uplinks=8", "switch=leaf-1-3", HD_WARN,
         "4 of 8 hosts have fewer than 8 ports: node-0 has 7, node-1 has 7, node-2 has 7 and 1 more; 4 of them lack "
         "rail 2 (mlx5_2); 4 lack nothing but what led to dead switches"},
        {"rail:rails=8,units=4,hosts=8,spines=4,uplinks=8", "switch=leaf-1-3+leaf-2-5", HD_WARN,
         "16 of 32 hosts have fewer than 8 ports: node-0 has 7, node-1 has 7, node-2 has 7 and 13 more; 16 lack "
         "nothing but what led to dead switches"},
        {"rail:rails=8,units=4,hosts=8,spines=4,uplinks=8", "switch=leaf-1-3+leaf-2-3+leaf-3-3", HD_WARN,
         "24 of 32 hosts have fewer than 8 ports: node-0 has 7, node-1 has 7, node-2 has 7 and 21 more; 24 of them "
         "lack rail 2 (mlx5_2); 24 lack nothing but what led to dead switches"},
        {"rail:rails=8,units=4,hosts=8,spines=4,uplinks=8", "switch=leaf-1-3+leaf-2-5+leaf-3-1+leaf-4-2", HD_WARN,
         "32 of 32 hosts have fewer than 8 ports: node-0 has 7, node-1 has 7, node-2 has 7 and 29 more"},
        {"rail:rails=8,units=1,hosts=4,spines=4,uplinks=8", "switch=leaf-1-3", HD_WARN,
         "4 of 4 hosts have fewer than 8 ports: node-0 has 7, node-1 has 7, node-2 has 7 and 1 more; 4 of them lack "
         "rail 2"},
        {"rail:rails=8,units=2,hosts=4,spines=4,uplinks=8", "switch=leaf-1-3+leaf-2-4", HD_WARN,
         "every host has 7 of the 8 rails, and every leaf serves one rail"},
        {"rail:rails=2,units=2,hosts=8,spines=2,uplinks=4", "switch=leaf-1-2+leaf-2-1", HD_PASS,
         "every host has 1 of the 2 rails"},
        {"rail:rails=8,units=2,hosts=4,spines=4,uplinks=8",
         "link=node-0 mlx5_0:1+node-1 mlx5_1:1+node-2 mlx5_2:1+node-3 mlx5_3:1+node-4 mlx5_4:1", HD_WARN,
         "5 of 8 hosts have fewer than 8 ports: node-1 has 7, node-2 has 7, node-3 has 7 and 2 more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct found f;
        found_begin(&f, rows[i].net, rows[i].fail);
        assert_string_equal(finding_of(&f, "rails", rows[i].verdict), rows[i].text);
        found_end(&f);
    }
}

/* ---- computed once ------------------------------------------------------------------------------- */

/* Bandwidth from leaf to leaf: a leaf's own endpoints do not get into each other's way, all others share, and the mean
 * over the pairs of endpoints is the effective bisection bandwidth, up to what other samples differ by. */
static void check_heat(const struct hd_report *r, const struct hd_report_option *o, double endpoints)
{
    double sum = 0, pairs = 0;
    assert_non_null(o->heat);
    for (uint32_t i = 0; i < r->ngroup; i++)
        for (uint32_t j = 0; j < r->ngroup; j++) {
            double share = o->heat[(size_t)i * r->ngroup + j], weight = endpoints * (endpoints - (i == j));
            if (i == j) assert_float_equal(share, 1, 1e-6);
            assert_true(share > 0.2 && share <= 1);
            sum += share * weight;
            pairs += weight;
        }
    assert_float_equal(sum / pairs, o->figure[HD_Q_EBB].value, 0.02);
}

/* The same by hand, from 200 random bisections: each flow gets its share of the busiest channel on its path. */
static void check_heat_by_paths(const struct hd_report *r, const struct hd_report_option *o, uint32_t endpoints)
{
    enum { LEAVES = 8, SAMPLES = 200 };
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_routes *routes = make_routes(r->net, o->table);
    struct hd_ranks ranks = {r->net->nsel, r->net->sel};
    struct hd_pattern_in in = {.routes = routes, .ranks = &ranks};
    void *state;
    double sum[LEAVES][LEAVES] = {{0}};
    uint32_t n[LEAVES][LEAVES] = {{0}}, chan[HD_MAX_HOPS];
    uint32_t *load = HD_NEW(&a, uint32_t, r->net->nchan);
    hd_ctx_init(&ctx);
    assert_int_equal(hd_pattern_bisect.init(&ctx, &a, &in, &state), HD_OK);
    struct hd_flows f = {0};
    for (int i = 0; i < 3; i++) f.buf[i] = HD_NEW(&a, uint32_t, hd_pattern_bisect.max_flows(state));
    for (uint64_t sample = 0; sample < SAMPLES; sample++) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx.seed, HD_RNG_PATTERN, sample);
        hd_pattern_bisect.draw(state, &rng, sample, &f);
        memset(load, 0, r->net->nchan * sizeof *load);
        for (uint32_t i = 0; i < f.n; i++)
            for (uint32_t k = hd_routes_path(routes, f.src[i], f.dst[i], 0, chan); k--;) load[chan[k]]++;
        for (uint32_t i = 0; i < f.n; i++) {
            uint32_t most = 1, s = f.src[i] / endpoints, d = f.dst[i] / endpoints;
            for (uint32_t k = hd_routes_path(routes, f.src[i], f.dst[i], 0, chan); k--;)
                if (load[chan[k]] > most) most = load[chan[k]];
            sum[s][d] += 1.0 / most;
            n[s][d]++;
        }
    }
    for (uint32_t s = 0; s < LEAVES; s++)
        for (uint32_t d = 0; d < LEAVES; d++) assert_float_equal(o->heat[s * LEAVES + d], sum[s][d] / n[s][d], 1e-6);
    hd_arena_release(&a);
    hd_routes_free(routes);
}

/* Later steps use the routes and figures of the comparison. */
static void test_routes_of_the_recommended_table_are_kept(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_report *r;
    struct hd_net *net = make_net("ft:m=8,n=2");
    const char *const engines[] = {"minhop", "ftree"};
    struct hd_advise_in in = {.net = net, .net_text = "ft:m=8,n=2", .engine = engines, .nengine = 2};
    hd_ctx_init(&ctx);
    if (hd_advise(&ctx, &in, &r) != HD_OK) fail_msg("%s", ctx.error);
    assert_true(r->best < r->noption);
    assert_non_null(r->routes);
    assert_string_equal(hd_routes_spec(r->routes), r->option[r->best].table);
    assert_int_equal(r->ngroup, 8);
    for (uint32_t i = 0; i < 2; i++) check_heat(r, &r->option[i], 4);
    for (uint32_t i = 0; i < 2; i++) check_heat_by_paths(r, &r->option[i], 4);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(r->option[i].usual, strcmp(r->option[i].table, "minhop") == 0);
    assert_int_equal(r->nwhat_if, 2);
    assert_float_equal(r->what_if[0].ebb_before, r->option[r->best].figure[HD_Q_EBB].value, 0);
    assert_float_equal(r->what_if[0].ci, r->option[r->best].figure[HD_Q_EBB].ci, 0);
    hd_report_free(r);
    hd_net_free(net);
}

/* ---- equal tables ---------------------------------------------------------------------------------- */

static uint64_t samples_seen; /* by a metric that counts them */

static uint64_t count_sample(const struct hd_loads *l, const struct hd_metric_in *in)
{
    (void)l;
    (void)in;
    samples_seen++;
    return HD_ONE;
}

/* Engines that make the same table are measured once: as many samples as of one of them, the same figures, commands of
 * their own. */
static void test_equal_tables_are_measured_once(void **state)
{
    (void)state;
    static const struct hd_metric counter = {
        .desc = {.name = "counter", .summary = "samples"}, .bin_max = 1, .value = count_sample};
    static const char *const engines[] = {"dmodk", "minhop", "dmodc"};
    struct hd_net *net = make_net("pgft:m=6x4,w=1x3,p=1x2");
    uint64_t seen[3];
    for (uint32_t n = 1; n <= 3; n++) {
        struct hd_ctx ctx;
        struct hd_report *r;
        struct hd_advise_in in = {.net = net, .net_text = "net", .engine = engines, .nengine = n};
        hd_ctx_init(&ctx);
        ctx.threads = 1;
        assert_int_equal(hd_registry_add(&ctx, HD_METRICS, &counter.desc, sizeof counter), HD_OK);
        samples_seen = 0;
        if (hd_advise(&ctx, &in, &r) != HD_OK) fail_msg("%s", ctx.error);
        seen[n - 1] = samples_seen;
        const struct hd_report_option *first = NULL, *same = NULL;
        for (uint32_t i = 0; i < r->noption; i++) {
            if (strcmp(r->option[i].table, "dmodk") == 0) first = &r->option[i];
            if (strcmp(r->option[i].table, "dmodc") == 0) same = &r->option[i];
        }
        assert_int_equal(same != NULL, n == 3);
        for (uint32_t q = 0; same && q < r->nquantity; q++) {
            const struct hd_report_figure *x = &first->figure[q], *y = &same->figure[q];
            assert_true((isnan(x->value) && isnan(y->value)) || x->value == y->value);
            assert_int_equal(x->command != NULL, y->command != NULL);
            if (x->command && q != HD_Q_ADAPTIVE) assert_non_null(strstr(y->command, " net dmodc"));
        }
        hd_report_free(r);
        hd_registry_release(&ctx);
    }
    assert_true(seen[0] > 0);
    assert_int_equal(seen[1], 2 * seen[0]);
    assert_int_equal(seen[2], seen[1]);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_intact_tree_passes),
        cmocka_unit_test(test_missing_cables_are_to_be_repaired),
        cmocka_unit_test(test_uplinks_that_lead_nowhere),
        cmocka_unit_test(test_cables_of_dead_switches_are_not_present),
        cmocka_unit_test(test_repair_is_measured),
        cmocka_unit_test(test_a_split_fabric_fails),
        cmocka_unit_test(test_only_trees_have_levels),
        cmocka_unit_test(test_a_missing_cable_of_a_host_is_one_task),
        cmocka_unit_test(test_missing_hosts_and_cables_of_hosts),
        cmocka_unit_test(test_unequal_leaves_are_named),
        cmocka_unit_test(test_hosts_that_lack_a_rail_are_named),
        cmocka_unit_test(test_hosts_of_lost_leaves_lack_a_rail),
        cmocka_unit_test(test_routes_of_the_recommended_table_are_kept),
        cmocka_unit_test(test_equal_tables_are_measured_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
