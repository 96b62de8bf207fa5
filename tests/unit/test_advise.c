/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of the advice, each on figures set by hand: what work is predicted, which option is recommended, what the
 * headline says. tests/golden/advise.sh runs all of it. */
#include "advice_tools.h"

static void set_figure(struct hd_report_option *o, enum hd_advise_quantity q, double value)
{
    o->figure[q].value = value;
}

/* Ranks the options and returns the recommended table, "" where there is none. */
static const char *best_of(struct advice *x)
{
    assert_int_equal(hd_advise_ranking(&x->a), HD_OK);
    return x->report.best == UINT32_MAX ? "" : x->option[x->report.best].table;
}

/* The tables as they are sorted, "a b c". */
static void assert_sorted(const struct advice *x, const char *expected)
{
    char text[200] = "";
    for (uint32_t i = 0; i < x->report.noption; i++) {
        strcat(text, i ? " " : "");
        strcat(text, x->option[i].table);
    }
    assert_string_equal(text, expected);
}

static void assert_note(const struct advice *x, const char *words)
{
    for (uint32_t i = 0; i < x->report.nnote; i++)
        if (strstr(x->report.note[i], words)) return;
    fail_msg("no note says: %s", words);
}

/* ---- predicted work ------------------------------------------------------------------------------ */

/* As many samples in the failure analysis as in the comparison, fewer where endpoints are many; never more. */
static void test_case_samples(void **state)
{
    (void)state;
    struct hd_net net = {.nsel = 500};
    struct hd_advising a = {.net = &net, .info = {.mean_distance = 3}};
    assert_int_equal(hd_work_samples(&a, 1), 1000);
    assert_int_equal(hd_work_case_samples(&a, 20), 1000);
    net.nsel = 10000;
    assert_int_equal(hd_work_samples(&a, 1), 1000);
    assert_int_equal(hd_work_case_samples(&a, 20), 200);
    net.nsel = 5000000;
    assert_int_equal(hd_work_samples(&a, 1), 50);
    assert_int_equal(hd_work_case_samples(&a, 20), 50);
}

/* N = 100 endpoints, S = 10 switches, C = 400 channels, L = 5 leaves, h = 4 hops: the documented costs. */
static void test_predicted_work(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    struct hd_net net = {.nsel = 100, .nsw = 10, .nchan = 400};
    struct hd_advising a = {.ctx = &ctx, .net = &net, .nleaf = 5, .info = {.mean_distance = 2}};
    const double table = 100 * 400, vls = 4 * 100 * 5 * 4;
    const struct {
        const char *engine;
        double work;
    } expected[] = {{"dmodk", table},
                    {"minhop", table},
                    {"updown", table},
                    {"wsr", 100.0 * 100 * 100},
                    {"p2sssp", 100.0 * 100 * 10 / 10},
                    {"settle", 10 * table + vls},
                    {"settle:start=shortest", 10 * table + vls},
                    {"dfsssp", table + vls},
                    {"lash", table + vls},
                    {"lashx", table}, /* a file; no engine is known by the first letters of its name */
                    {"some.lft", table}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (hd_work_build(&a, expected[i].engine) != expected[i].work)
            fail_msg("%s: %g steps, expected %g", expected[i].engine, hd_work_build(&a, expected[i].engine),
                     expected[i].work);
    assert_float_equal(hd_work_check(&a, 1), 100 * 10 + 100 * 5 * 4, 0);
    assert_float_equal(hd_work_check(&a, 2), 100 * 10 + 100 * 5 * 4 * 2 * 4, 0);
}

/* Runs of the simulator and samples fall with the size of the network, and never below what an interval needs. */
static void test_runs_and_samples_fall_with_size(void **state)
{
    (void)state;
    static const struct {
        uint32_t endpoints;
        uint64_t runs, packets, adaptive, samples, split;
    } expected[] = {{512, 8, 128, 8, 1000, 200},
                    {1944, 5, 128, 5, 1000, 50},
                    {8000, 4, 64, 4, 1000, 50},
                    {11664, 0, 0, 4, 1000, 50},
                    {27648, 0, 0, 4, 1000, 50}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct hd_ctx ctx;
        hd_ctx_init(&ctx);
        struct hd_net net = {.nsel = expected[i].endpoints, .nsw = 10, .nchan = 400};
        struct hd_advising a = {.ctx = &ctx, .net = &net, .nleaf = 5, .info = {.mean_distance = 3.7}};
        const struct hd_work_packets each = hd_work_runs(&a, false), once = hd_work_runs(&a, true);
        assert_int_equal(each.runs, expected[i].runs);
        assert_int_equal(each.packets, expected[i].packets);
        assert_int_equal(once.runs, expected[i].adaptive);
        assert_int_equal(hd_work_samples(&a, 1), expected[i].samples);
        assert_int_equal(hd_work_samples(&a, 126), expected[i].split);
    }
}

static void test_too_much_work_leaves_an_option_out(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, NULL);
    struct hd_report_option *o = add_option(&x, "wsr", NAN);
    assert_true(hd_work_fits(&x.a, o, "making the table", 2e10));
    assert_int_equal(o->state, HD_OPTION_MEASURED);
    assert_false(hd_work_fits(&x.a, o, "making the table", 2.5e10));
    assert_int_equal(o->state, HD_OPTION_TOO_MUCH_WORK);
    assert_string_equal(o->why_not, "left out: making the table would take about 2.5e+10 steps, more than 2e+10");
    hd_work_notes(&x.a);
    assert_note(&x, "wsr is left out: making the table");
    advice_end(&x);
}

/* ---- ranking ------------------------------------------------------------------------------------- */

static void test_the_best_score_is_recommended(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "random");
    add_option(&x, "a", 0.5);
    add_option(&x, "b", 0.8);
    add_option(&x, "c", 0.7);
    assert_string_equal(best_of(&x), "b");
    assert_sorted(&x, "b c a");
    assert_float_equal(x.option[0].score, 1, 0);
    assert_float_equal(x.option[2].score, 0.5 / 0.8, 1e-12);
    advice_end(&x);
}

/* Within half a per cent of the best, fewer VLs are preferred to a larger score; beyond it they are not. */
static void test_then_fewest_vls(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "random");
    add_option(&x, "four", 0.8)->lanes = 4;
    add_option(&x, "two", 0.797)->lanes = 2;
    add_option(&x, "three", 0.799)->lanes = 3;
    add_option(&x, "one", 0.795)->lanes = 1;
    assert_string_equal(best_of(&x), "two");
    assert_sorted(&x, "two four three one");
    advice_end(&x);
    advice_begin(&x, "random"); /* exactly half a per cent is as good */
    add_option(&x, "four", 1)->lanes = 4;
    add_option(&x, "one", HD_SAME_SCORE)->lanes = 1;
    assert_string_equal(best_of(&x), "one");
    advice_end(&x);
}

/* As many VLs: the larger EBB, though the score of another may be larger. */
static void test_then_largest_ebb(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "worst");
    set_figure(add_option(&x, "a", 0.5), HD_Q_WORST, 10);
    set_figure(add_option(&x, "b", 0.6), HD_Q_WORST, 10.02);
    set_figure(add_option(&x, "c", 0.7), HD_Q_WORST, 10.2);
    assert_string_equal(best_of(&x), "b");
    advice_end(&x);
}

static void test_the_current_table_is_kept_within_half_a_per_cent(void **state)
{
    static const struct {
        double current;
        const char *best;
    } cases[] = {{0.797, "now"}, {0.795, "new"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct advice x;
        advice_begin(&x, "random");
        struct hd_report_option *now = add_option(&x, "now", cases[i].current);
        now->current = true;
        now->lanes = 8;
        add_option(&x, "new", 0.8);
        add_option(&x, "old", 0.4);
        assert_string_equal(best_of(&x), cases[i].best);
        assert_sorted(&x, "now new old"); /* the current table comes first, whatever it is worth */
        advice_end(&x);
    }
}

/* The score is of the better rank order, the current or the suggested one. */
static void test_goals(void **state)
{
    static const struct {
        const char *goal, *best;
    } cases[] = {{"balanced", "a"}, {"alltoall", "b"}, {"ring", "c"}, {"random", "a"}, {"worst", "d"}};
    static const struct {
        const char *table;
        double ebb, permutation, alltoall_now, alltoall, ring_now, ring, worst;
    } tables[] = {{"a", 0.8, 0.4, 4, 2, 9, 4, 9},
                  {"b", 0.4, 0.2, 1.5, 3, 9, 4, 9},
                  {"c", 0.4, 0.2, 4, 3, 2, 3, 9},
                  {"d", 0.4, 0.2, 4, 3, 9, 4, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice x;
        advice_begin(&x, cases[i].goal);
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
            struct hd_report_option *o = add_option(&x, tables[k].table, tables[k].ebb);
            set_figure(o, HD_Q_PERMUTATION, tables[k].permutation);
            set_figure(o, HD_Q_ALLTOALL_NOW, tables[k].alltoall_now);
            set_figure(o, HD_Q_ALLTOALL, tables[k].alltoall);
            set_figure(o, HD_Q_RING_NOW, tables[k].ring_now);
            set_figure(o, HD_Q_RING, tables[k].ring);
            set_figure(o, HD_Q_WORST, tables[k].worst);
        }
        if (strcmp(best_of(&x), cases[i].best) != 0) fail_msg("%s: %s is recommended", cases[i].goal, best_of(&x));
        if (i == 0) assert_float_equal(x.option[1].score, cbrt(0.5 * 0.5 * (2 / 1.5)), 1e-12);
        advice_end(&x);
    }
    assert_null(hd_advise_goal("speed"));
    assert_string_equal(hd_advise_goal(NULL)->name, "balanced");
}

/* A failure inside, on a copy of the context, is reported whole: the text and the parameters that it names. */
static void test_unknown_goal(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_net *net = make_net("mesh:dims=2,hosts=1");
    struct hd_report *report = NULL;
    hd_ctx_init(&ctx);
    hd_fail_na(&ctx, "lash", "a network", "the failure before this one");
    struct hd_advise_in in = {.net = net, .net_text = "mesh", .goal = "speed"};
    assert_int_equal(hd_advise(&ctx, &in, &report), HD_USAGE);
    assert_null(report);
    assert_non_null(strstr(hd_ctx_error(&ctx), "goal speed: expected balanced"));
    assert_string_equal(hd_ctx_reason(&ctx), hd_ctx_error(&ctx));
    assert_non_null(hd_ctx_about(&ctx));
    assert_string_equal(hd_ctx_about(&ctx), "goal");
    hd_net_free(net);
}

/* What was measured for no option, or is 0 for all, is left out of the mean. */
static void test_quantities_without_a_figure_are_left_out(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "balanced");
    set_figure(add_option(&x, "a", 0.8), HD_Q_PERMUTATION, 0);
    set_figure(add_option(&x, "b", 0.4), HD_Q_PERMUTATION, 0);
    assert_string_equal(best_of(&x), "a");
    assert_float_equal(x.option[1].score, 0.5, 1e-12);
    advice_end(&x);
}

static void test_what_cannot_be_loaded_is_marked(void **state)
{
    static const struct {
        struct hd_report_option set;
        const char *mark;
    } cases[] = {{{.deadlock_free = 1, .lanes = 1, .variants = 1, .unreachable = 2}, "pairs do not arrive"},
                 {{.deadlock_free = 1, .lanes = 1, .variants = 1, .loops = 1}, "pairs do not arrive"},
                 {{.deadlock_free = 0, .lanes = 1, .variants = 1}, "can deadlock"},
                 {{.deadlock_free = -1, .lanes = 0, .variants = 1}, "VLs not known"},
                 {{.deadlock_free = 1, .lanes = 1, .variants = 16}, "needs 16 LIDs"},
                 {{.deadlock_free = 1, .lanes = 9, .variants = 1}, "needs 9 VLs"},
                 {{.deadlock_free = 1, .lanes = 8, .variants = 1}, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice x;
        advice_begin(&x, "random");
        struct hd_report_option *o = add_option(&x, "good", 0.9);
        o->deadlock_free = cases[i].set.deadlock_free;
        o->lanes = cases[i].set.lanes;
        o->variants = cases[i].set.variants;
        o->unreachable = cases[i].set.unreachable;
        o->loops = cases[i].set.loops;
        add_option(&x, "plain", 0.5);
        assert_string_equal(best_of(&x), cases[i].mark ? "plain" : "good");
        const char *mark = x.option[cases[i].mark ? 1 : 0].mark;
        if (cases[i].mark)
            assert_string_equal(mark, cases[i].mark);
        else
            assert_null(mark);
        advice_end(&x);
    }
}

/* LIDs that the fabric has are no obstacle. */
static void test_lids_of_the_fabric_count(void **state)
{
    (void)state;
    struct advice x;
    for (uint8_t least = 3; least <= 4; least++) { /* each endpoint must have them */
        advice_begin(&x, "random");
        x.net.lmc = x.lmc_of[0] = 4;
        x.lmc_of[1] = least;
        x.lid[2] = 16;
        x.lid[3] = 32;
        add_option(&x, "many", 0.9)->variants = 16;
        add_option(&x, "one", 0.5);
        assert_string_equal(best_of(&x), least == 4 ? "many" : "one");
        advice_end(&x);
    }
}

static void test_order_of_all_options(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "random");
    struct hd_report_option *o = add_option(&x, "refused", NAN);
    o->state = HD_OPTION_NOT_APPLICABLE;
    o->why_not = "does not apply: not a tree";
    add_option(&x, "unmeasured", NAN);
    add_option(&x, "marked", 0.9)->deadlock_free = 0;
    add_option(&x, "second", 0.5);
    add_option(&x, "first", 0.6);
    add_option(&x, "now", 0.1)->current = true;
    assert_string_equal(best_of(&x), "first");
    assert_sorted(&x, "now first second marked unmeasured refused");
    advice_end(&x);
}

static void test_better_tables_that_cannot_be_loaded_are_noted(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "random");
    add_option(&x, "plain", 0.5);
    add_option(&x, "many", 0.6)->variants = 16;
    assert_string_equal(best_of(&x), "plain");
    assert_note(&x, "many would score 20 % higher (EBB 0.6) but needs 16 LIDs per endpoint (LMC 4)");
    advice_end(&x);
    advice_begin(&x, "random");
    add_option(&x, "plain", 0.5);
    add_option(&x, "many", 0.524)->variants = 16; /* less than 5 % */
    assert_string_equal(best_of(&x), "plain");
    assert_int_equal(x.report.nnote, 0);
    advice_end(&x);
}

static void test_reason(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "random");
    add_option(&x, "a", 0.8);
    add_option(&x, "b", 0.799);
    add_option(&x, "c", 0.5);
    best_of(&x);
    assert_string_equal(x.report.reason,
                        "a reaches EBB 0.8 with 1 VL; b scores the same; next best is c with EBB 0.5.");
    advice_end(&x);
    advice_begin(&x, "random");
    add_option(&x, "a", 0.8)->deadlock_free = 0;
    assert_string_equal(best_of(&x), "");
    assert_string_equal(x.report.reason, "No table that was tried serves every pair without deadlock.");
    advice_end(&x);
}

static void test_reason_has_the_figures_of_the_table(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "alltoall");
    const char *const names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; i++) add_option(&x, names[i], 0.8)->figure[HD_Q_ALLTOALL].value = 2;
    struct hd_report_option *last = add_option(&x, "last", 0.8);
    last->figure[HD_Q_ALLTOALL].value = 3.03;
    last->figure[HD_Q_ALLTOALL_NOW].value = 2.84;
    best_of(&x);
    assert_string_equal(x.report.reason, "a reaches all-to-all 2 with 1 VL; 4 others score the same; next "
                                         "best is last with all-to-all 3.03 (2.84 in the current order).");
    advice_end(&x);
}

/* ---- headline ------------------------------------------------------------------------------------ */

static const char *headline_of(struct advice *x)
{
    best_of(x);
    hd_advise_choices(&x->a);
    hd_advise_headline(&x->a);
    return x->report.headline;
}

static void test_headline_compares_with_the_current_table(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, NULL);
    add_option(&x, "old.lft", 0.5)->current = true;
    add_option(&x, "usual", 0.4)->usual = true;
    add_option(&x, "new", 0.75);
    assert_string_equal(headline_of(&x),
                        "Use new (plug-in or file): random pairs get 0.75 of a link instead of 0.5 (+50 %) with the "
                        "current table.");
    advice_end(&x);
    advice_begin(&x, NULL);
    add_option(&x, "old.lft", 0.75)->current = true;
    add_option(&x, "new", 0.75);
    assert_string_equal(headline_of(&x),
                        "Keep the current table: nothing that can be loaded is better by more than half a per cent.");
    advice_end(&x);
}

static void test_headline_compares_with_the_default(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, "alltoall");
    struct hd_report_option *usual = add_option(&x, "minhop", 0.4), *new = add_option(&x, "new", 0.5);
    usual->usual = true;
    usual->deadlock_free = 0;
    set_figure(usual, HD_Q_ALLTOALL, 4);
    set_figure(new, HD_Q_ALLTOALL, 2);
    assert_string_equal(headline_of(&x), "Use new (plug-in or file): 2 flows on the busiest cable of an all-to-all "
                                         "instead of 4 (-50 %) with OpenSM's default, minhop, which can deadlock.");
    advice_end(&x);
    advice_begin(&x, NULL);
    add_option(&x, "minhop", 0.797)->usual = true;
    add_option(&x, "new", 0.8);
    assert_string_equal(headline_of(&x), "Not worth a change: with new, random pairs get 0.8 of a link instead of "
                                         "0.797 (+0 %) with OpenSM's default, minhop.");
    advice_end(&x);
    /* What is behind by a little in the main figure, and ahead by far in another: no cheaper choice comes near it. */
    advice_begin(&x, NULL);
    usual = add_option(&x, "minhop", 0.8);
    usual->usual = true;
    usual->native = "minhop";
    new = add_option(&x, "new", 0.79);
    set_figure(usual, HD_Q_ALLTOALL, 4);
    set_figure(new, HD_Q_ALLTOALL, 2);
    assert_string_equal(headline_of(&x), "Use new (plug-in or file): it scores 41 % higher than OpenSM's default, "
                                         "minhop, though random pairs get 0.79 of a link instead of 0.8 (-1 %).");
    assert_string_equal(hd_advise_taken(&x.report)->name, "plug-in");
    advice_end(&x);
    /* What is ahead by a little is no objection. */
    advice_begin(&x, NULL);
    usual = add_option(&x, "minhop", 0.8);
    usual->usual = true;
    usual->native = "minhop";
    new = add_option(&x, "new", 0.81);
    set_figure(usual, HD_Q_ALLTOALL, 4);
    set_figure(new, HD_Q_ALLTOALL, 2);
    assert_string_equal(headline_of(&x), "Use new (plug-in or file): it scores 42 % higher than OpenSM's default, "
                                         "minhop, and random pairs get 0.81 of a link instead of 0.8 (+1 %).");
    advice_end(&x);
    advice_begin(&x, "random");
    struct hd_report_option *own = add_option(&x, "minhop", 0.5);
    own->usual = true;
    own->native = "minhop";
    add_option(&x, "theirs", 0.79)->native = "dfsssp";
    add_option(&x, "new", 0.8);
    assert_string_equal(headline_of(&x), "Use theirs (opensm.conf): random pairs get 0.79 of a link instead of 0.5 "
                                         "(+58 %) with OpenSM's default, minhop. With new it is 0.8 (+60 %).");
    advice_end(&x);
    advice_begin(&x, "random");
    own = add_option(&x, "minhop", 0.79);
    own->usual = true;
    own->native = "minhop";
    add_option(&x, "new", 0.8);
    assert_string_equal(headline_of(&x), "Stay with OpenSM's default, minhop: nothing that can be loaded is better by "
                                         "much. With new it is 0.8 (+1 %).");
    advice_end(&x);
}

/* A table that serves next to nothing gives no percentage. */
static void test_headline_without_a_percentage(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, NULL);
    add_option(&x, "old.lft", 0.01)->current = true;
    add_option(&x, "new", 0.8);
    assert_string_equal(headline_of(&x),
                        "Use new (plug-in or file): random pairs get 0.8 of a link instead of 0.01 with the current "
                        "table.");
    advice_end(&x);
}

static void test_headline_faults_come_first(void **state)
{
    static const struct {
        const char *subject, *words;
    } cases[] = {{"deadlock", "The current table can deadlock: it has a credit loop. Use new."},
                 {"current table", "The current table does not serve every pair. Use new."},
                 {"connectivity", "The fabric is split. Use new."}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice x;
        advice_begin(&x, NULL);
        add_option(&x, "new", 0.8);
        hd_advise_finding(&x.a, HD_WARN, "slow cables", "one");
        hd_advise_finding(&x.a, HD_FAIL, cases[i].subject, "text");
        assert_string_equal(headline_of(&x), cases[i].words);
        assert_int_equal(x.report.verdict, HD_FAIL);
        advice_end(&x);
    }
}

static void test_headline_of_small_fabrics(void **state)
{
    (void)state;
    struct advice x;
    advice_begin(&x, NULL);
    x.net.nsel = 1;
    assert_string_equal(headline_of(&x), "Nothing to route: fewer than two endpoints.");
    assert_non_null(hd_advise_needless(&x.a));
    x.net = (struct hd_net){.nsw = 1, .nsel = 7};
    assert_string_equal(headline_of(&x), "One switch: any table will do, and every pattern runs at full rate.");
    assert_non_null(hd_advise_needless(&x.a));
    x.net.nsw = 2;
    assert_string_equal(headline_of(&x), "No routing was found that serves every pair without deadlock.");
    assert_null(hd_advise_needless(&x.a));
    advice_end(&x);
}

/* The rank order is mentioned from 5 % on, in the collective of the goal. */
static void test_headline_mentions_rank_orders_that_gain(void **state)
{
    static const struct {
        const char *goal;
        double after;
        const char *words;
    } cases[] = {
        {"ring", 1, " In the suggested rank order, a ring has 1 flow on its busiest cable instead of 4."},
        {"balanced", 2, " In the suggested rank order, an all-to-all has 2 flows on its busiest cable instead of 4."},
        {"balanced", 3.85, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice x;
        advice_begin(&x, cases[i].goal);
        struct hd_report_before_after rows[] = {
            {.use = HD_CASE_RING, .before = {.average = 4}, .after = {.average = cases[i].after}},
            {.use = HD_CASE_SHIFT, .before = {.average = 4}, .after = {.average = cases[i].after}}};
        x.report.before_after = rows;
        x.report.nbefore_after = 2;
        x.report.order_better = true;
        x.net.nsw = 1;
        const char *text = strchr(headline_of(&x), '.') + 1;
        assert_string_equal(text, cases[i].words);
        advice_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_samples),
        cmocka_unit_test(test_predicted_work),
        cmocka_unit_test(test_runs_and_samples_fall_with_size),
        cmocka_unit_test(test_too_much_work_leaves_an_option_out),
        cmocka_unit_test(test_the_best_score_is_recommended),
        cmocka_unit_test(test_then_fewest_vls),
        cmocka_unit_test(test_then_largest_ebb),
        cmocka_unit_test(test_the_current_table_is_kept_within_half_a_per_cent),
        cmocka_unit_test(test_goals),
        cmocka_unit_test(test_unknown_goal),
        cmocka_unit_test(test_quantities_without_a_figure_are_left_out),
        cmocka_unit_test(test_what_cannot_be_loaded_is_marked),
        cmocka_unit_test(test_lids_of_the_fabric_count),
        cmocka_unit_test(test_order_of_all_options),
        cmocka_unit_test(test_better_tables_that_cannot_be_loaded_are_noted),
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_reason_has_the_figures_of_the_table),
        cmocka_unit_test(test_headline_compares_with_the_current_table),
        cmocka_unit_test(test_headline_compares_with_the_default),
        cmocka_unit_test(test_headline_without_a_percentage),
        cmocka_unit_test(test_headline_faults_come_first),
        cmocka_unit_test(test_headline_of_small_fabrics),
        cmocka_unit_test(test_headline_mentions_rank_orders_that_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
