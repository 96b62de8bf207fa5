/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank orders: counted against hd_eval and by walking every flow, closed forms, searches, choice of nodes. */
#include "order_tools.h"

#include "base/rng.h"
#include "order/anneal.h"
#include "order/shift_count.h"
#include "order/shift_keys.h"
#include "tiny.h"
#include "base/context.h"

#include <math.h>
#include <stdio.h>

/* ---- rails ------------------------------------------------------------------------------------ */

/* Largest load of a channel over all rails or ranks of one stage i -> i + s, walked path by path. per 0: of nodes,
 * on every rail, between switches; else of so many ranks a node, cables of endpoints too. */
static uint32_t shift_degree(struct rig *g, const uint32_t *rank, uint32_t per, uint32_t s)
{
    const struct hd_nodes *v = g->all;
    uint32_t n = v->n * (per ? per : v->nrail), each = per ? per : v->nrail, most = 1, chan[HD_MAX_HOPS];
    uint32_t *load = calloc(g->net->nchan, sizeof *load);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = i / each, rail = i % each % v->nrail;
        uint32_t to = per ? (i + s) % n / each : (from + s) % v->n;
        if (from == to) continue;
        uint32_t hops =
            hd_routes_path(g->r, v->ep[rank[from] * v->nrail + rail], v->ep[rank[to] * v->nrail + rail], 0, chan);
        assert_true(hops > 0);
        for (uint32_t j = 0; j < hops; j++)
            if (++load[chan[j]] > most) most = load[chan[j]];
    }
    free(load);
    return most;
}

/* Several rails, and several ranks a node, against walking every flow. */
static void test_rails_and_ranks_by_walking(void **state)
{
    (void)state;
    struct rig g;
    struct hd_rng rng;
    uint32_t rank[12], per_node[12];
    hd_ctx_init(&g.ctx);
    g.net = rail_trees();
    assert_int_equal(hd_nodes_read(&g.ctx, g.net, NULL, 1, &g.all), HD_OK);
    assert_int_equal(g.all->nrail, 2);
    assert_int_equal(hd_routes_open(&g.ctx, g.net, "minhop", &g.r), HD_OK);
    hd_rng_init(&rng, 9, HD_RNG_TEST, 0);
    for (uint32_t i = 0; i < 12; i++) rank[i] = i;
    for (uint32_t trial = 0; trial < 12; trial++) {
        uint32_t per = trial % 4; /* 0: nodes */
        struct hd_hsd h[HD_CASES];
        double bound;
        hd_rng_shuffle(&rng, rank, 12);
        for (uint32_t i = 0; i < 12; i++) per_node[i] = per;
        if (per == 0) {
            h[HD_CASE_SHIFT] = count(&g, g.all, rank, HD_CASE_SHIFT);
            h[HD_CASE_RING] = count(&g, g.all, rank, HD_CASE_RING);
            struct hd_arena scratch = {0};
            struct hd_job_view view;
            struct hd_hsd at_once;
            assert_int_equal(hd_job_view_init(&g.ctx, &scratch, g.r, g.all, &view), HD_OK);
            assert_int_equal(hd_shift_count(&g.ctx, &view, rank, &at_once), HD_OK);
            assert_memory_equal(&at_once, &h[HD_CASE_SHIFT], sizeof at_once);
            hd_arena_release(&scratch);
        } else if (hd_order_count_ranks(&g.ctx, g.r, g.all, rank, per_node, h, &bound) != HD_OK) {
            fail_msg("%s", g.ctx.error);
        }
        uint32_t stages = 12 * (per ? per : 1) - 1, most = 0, sum = 0;
        for (uint32_t s = 1; s <= stages; s++) {
            uint32_t degree = shift_degree(&g, rank, per, s);
            sum += degree;
            if (degree > most) most = degree;
        }
        assert_true(h[HD_CASE_RING].max == shift_degree(&g, rank, per, 1));
        assert_true(h[HD_CASE_SHIFT].max == most);
        assert_true(fabs(h[HD_CASE_SHIFT].average - (double)sum / stages) < 1e-9);
        if (per) assert_true(bound <= h[HD_CASE_SHIFT].average + 1e-9 && isnan(h[HD_CASE_RECDBL_TREE].average));
        if (per == 3) assert_true(bound >= 2 * 33.0 / 35); /* two of three ranks use the first rail of a node */
    }
    /* an order made for these rails is one for both */
    struct hd_order *o = order_for(&g, g.all, HD_FOR_ALLTOALL), *tree = order_for(&g, g.all, HD_FOR_TREE);
    assert_true(count(&g, g.all, o->rank, HD_CASE_SHIFT).average <=
                count(&g, g.all, tree->rank, HD_CASE_SHIFT).average);
    hd_order_free(o);
    hd_order_free(tree);
    done(&g);
}

/* ---- counting --------------------------------------------------------------------------------- */

static void test_count_is_eval(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"pgft:m=12x12,w=1x6,p=1x2", "dmodk"},
                                           {"ft:m=8,n=3", "smodk"},
                                           {"torus:dims=4x3,hosts=2", "psssp"},
                                           {"ft:m=4,n=3", "mlid"},
                                           {"xgft:m=4x4,w=1x2", "omrmn"}};
    static const char *const patterns[HD_CASES] = {"ring", "shift", "recdbl", "recdbl-tree", "binomial"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig g = {.net = NULL};
        hd_ctx_init(&g.ctx);
        struct hd_net *net = make_net(cases[i][0]);
        struct hd_routes *r;
        if (hd_routes_open(&g.ctx, net, cases[i][1], &r) != HD_OK) { /* an engine that does not apply proves nothing */
            hd_net_free(net);
            continue;
        }
        hd_routes_free(r);
        hd_net_free(net);
        g = rig(cases[i][0], cases[i][1]);
        struct hd_nodes *nodes = pick_random(&g, g.all->n * 2 / 3, i);
        FILE *f = fopen(list_file, "w");
        for (uint32_t k = 0; k < nodes->n; k++) fprintf(f, "%s\n", hd_host_name(g.net, nodes->host[k]));
        fclose(f);
        for (int c = 0; c < HD_CASES; c++) {
            struct hd_result e;
            struct hd_request q = {.pattern = patterns[c], .metric = "hsd", .ranks = list_file};
            struct hd_hsd h = count(&g, nodes, NULL, (enum hd_case)c);
            if (hd_eval(&g.ctx, g.r, &q, &e) != HD_OK) {
                assert_true(isnan(h.average));
                continue;
            }
            if (fabs(h.average - e.value) > 1e-9 || h.max != e.max)
                fail_msg("%s %s %s: counted %g (%g), hd_eval says %g (%g)", cases[i][0], cases[i][1], patterns[c],
                         h.average, h.max, e.value, e.max);
            assert_true(fabs(h.bandwidth * h.average - 1) < 1e-9); /* one rate everywhere */
        }
        hd_nodes_free(nodes);
        done(&g);
    }
}

/* Many stages at once against one after the other: all nodes and some, in tree order and in others, cables of several
 * rates. */
static void expect_shift(struct rig *g, const struct hd_nodes *nodes, const uint32_t *order, bool pays)
{
    struct hd_arena scratch = {0};
    struct hd_job_view view;
    struct hd_hsd stages[HD_CASES], at_once;
    uint32_t *one = malloc(nodes->n * sizeof *one);
    for (uint32_t i = 0; i < nodes->n; i++) one[i] = 1;
    assert_int_equal(hd_order_count_ranks(&g->ctx, g->r, nodes, order, one, stages, NULL), HD_OK);
    assert_int_equal(hd_job_view_init(&g->ctx, &scratch, g->r, nodes, &view), HD_OK);
    assert_int_equal(hd_shift_count_pays(&view, order), pays);
    for (g->ctx.threads = 1; g->ctx.threads <= 3; g->ctx.threads++) {
        assert_int_equal(hd_shift_count(&g->ctx, &view, order, &at_once), HD_OK);
        assert_memory_equal(&at_once, &stages[HD_CASE_SHIFT], sizeof at_once);
    }
    g->ctx.threads = 1;
    free(one);
    hd_arena_release(&scratch);
}

static void test_shift_stages_at_once(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"pgft:m=18x6,w=1x9,p=1x2", "dmodk"},
                                           {"pgft:m=6x4x3,w=1x3x2,p=1x1x1", "minhop"},
                                           {"torus:dims=4x3,hosts=7", "dfsssp"},
                                           {"ft:m=8,n=3", "lash"}};
    for (size_t i = 0; i < 3 * sizeof cases / sizeof *cases; i++) {
        struct rig g = {.net = make_net(cases[i / 3][0])};
        hd_ctx_init(&g.ctx);
        for (uint32_t c = 0; i % 3 && c < g.net->nchan; c++) { /* some cables between switches are slow, or any */
            bool inner = g.net->head[c] < g.net->nsw && g.net->tail[c] < g.net->nsw;
            uint8_t *link = (uint8_t *)g.net->link;
            if (c % 5 == 0 && (inner || i % 3 == 2)) link[c] = link[g.net->rev[c]] = hd_link_code("1xEDR", 5);
        }
        if (hd_routes_open(&g.ctx, g.net, cases[i / 3][1], &g.r) != HD_OK) fail_msg("%s", g.ctx.error);
        assert_int_equal(hd_nodes_read(&g.ctx, g.net, NULL, 1, &g.all), HD_OK);
        uint32_t which[200], n = 0;
        for (uint32_t k = 0; k < g.all->n && n < 200; k++)
            if (k % 7) which[n++] = k;
        struct hd_nodes *some = pick(&g, which, n), *mixed = pick_random(&g, g.all->n * 3 / 4, i);
        expect_shift(&g, g.all, NULL, true);
        expect_shift(&g, some, NULL, i / 3 != 3); /* three of a leaf, or four */
        for (uint32_t k = 0; k < n; k++) which[k] = n - 1 - k;
        expect_shift(&g, some, which, i / 3 != 3);
        expect_shift(&g, mixed, NULL, false);
        hd_nodes_free(some);
        hd_nodes_free(mixed);
        done(&g);
    }
}

/* Mean over a few random orders. */
static double random_mean(struct rig *g, const struct hd_nodes *nodes, enum hd_case c, uint64_t orders)
{
    double sum = 0;
    for (g->ctx.seed = 1; g->ctx.seed <= orders; g->ctx.seed++) {
        struct hd_order *any = order_for(g, nodes, HD_FOR_RANDOM);
        sum += count(g, nodes, any->rank, c).average;
        hd_order_free(any);
    }
    g->ctx.seed = 1;
    return sum / (double)orders;
}

/* Zahavi, Table 3: HSD 1 in tree order, and the published averages in random order, of all nodes and of the first
 * ones. 0: not comparable, 1.98 is a misprint and 4.47 beyond all random orders. */
static void test_table3(void **state)
{
    (void)state;
    static const uint32_t some[4] = {120, 288, 1584, 1296};
    static const double shift[2][4] = {{3.75, 4.32, 5.24, 5.41}, {3.50, 4.28, 0, 5.22}};
    static const double doubling[2][4] = {{2.9, 3.25, 4.26, 4.26}, {2.8, 3.7, 0, 4.06}};
    for (int i = 0; i < 4; i++)
        for (int part = 0; part < 2; part++) {
            struct rig g = rig(RLFT[i], "dmodk");
            uint32_t k = part ? some[i] : g.all->n, *which = malloc(k * sizeof *which);
            for (uint32_t j = 0; j < k; j++) which[j] = j;
            struct hd_nodes *nodes = pick(&g, which, k);
            struct hd_order *tree = order_for(&g, nodes, HD_FOR_TREE);
            assert_true(tree->exact && strstr(tree->claim, "HSD 1 for every Shift stage, because"));
            assert_true(count(&g, nodes, tree->rank, HD_CASE_SHIFT).max == 1);
            assert_true(count(&g, nodes, tree->rank, HD_CASE_RING).max == 1);
            assert_true(count(&g, nodes, tree->rank, HD_CASE_RECDBL_TREE).max == 1);
            double a = random_mean(&g, nodes, HD_CASE_SHIFT, i < 2 ? 8 : 1);
            double b = random_mean(&g, nodes, HD_CASE_RECDBL_TREE, 60);
            print_message("# %s, %u nodes: Shift %.2f, published %.2f; recursive doubling %.2f, published %.2f\n",
                          RLFT[i], k, a, shift[part][i], b, doubling[part][i]);
            if (shift[part][i] > 0 && fabs(a / shift[part][i] - 1) > 0.05)
                fail_msg("%s: Shift in random order has %g, published %g", RLFT[i], a, shift[part][i]);
            if (doubling[part][i] > 0 && fabs(b / doubling[part][i] - 1) > 0.06)
                fail_msg("%s: doubling in random order has %g, published %g", RLFT[i], b, doubling[part][i]);
            hd_order_free(tree);
            hd_nodes_free(nodes);
            free(which);
            done(&g);
        }
}

/* ---- closed forms ------------------------------------------------------------------------------ */

/* Every leaf holds 5 of its 12 nodes, any 5: round the leaves is exact, tree order is not. */
static void test_round_the_leaves(void **state)
{
    (void)state;
    struct rig g = rig(RLFT[0], "dmodk");
    struct hd_rng rng;
    uint32_t which[60], n = 0;
    hd_rng_init(&rng, 3, HD_RNG_TEST, 0);
    for (uint32_t leaf = 0; leaf < 12; leaf++) {
        uint32_t place[12];
        for (uint32_t i = 0; i < 12; i++) place[i] = i;
        hd_rng_shuffle(&rng, place, 12);
        for (uint32_t i = 0; i < 5; i++) which[n++] = leaf * 12 + place[i];
    }
    struct hd_nodes *nodes = pick(&g, which, n);
    struct hd_order *tree = order_for(&g, nodes, HD_FOR_TREE), *best = order_for(&g, nodes, HD_FOR_ALLTOALL);
    assert_true(count(&g, nodes, tree->rank, HD_CASE_SHIFT).average > 1);
    assert_false(tree->exact);
    assert_true(best->exact);
    assert_non_null(strstr(best->claim, "every leaf in use holds 5 of the nodes"));
    assert_true(count(&g, nodes, best->rank, HD_CASE_SHIFT).max == 1);
    hd_order_free(tree);
    hd_order_free(best);
    hd_nodes_free(nodes);
    done(&g);
}

/* Leaves with residues {0,1,2},{1,2},{1,2}: no order of these seven reaches 1 although the bound is 1. */
static void test_no_order_reaches_one(void **state)
{
    (void)state;
    struct rig g = rig(RLFT[0], "dmodk");
    const uint32_t which[7] = {0, 1, 2, 13, 14, 25, 26};
    struct hd_nodes *nodes = pick(&g, which, 7);
    uint32_t p[7] = {0, 1, 2, 3, 4, 5, 6}, c[7] = {0};
    double least = count(&g, nodes, p, HD_CASE_SHIFT).average, bound;
    for (uint32_t i = 0; i < 7;) { /* Heap's permutations, all 5,040 */
        if (c[i] < i) {
            uint32_t j = i % 2 ? c[i] : 0, t = p[j];
            p[j] = p[i];
            p[i] = t;
            double now = count(&g, nodes, p, HD_CASE_SHIFT).average;
            if (now < least) least = now;
            c[i]++;
            i = 0;
        } else {
            c[i++] = 0;
        }
    }
    assert_int_equal(hd_order_bound(&g.ctx, g.r, nodes, &bound), HD_OK);
    assert_true(bound == 1);
    assert_true(least > 1);
    struct hd_order *best = order_for(&g, nodes, HD_FOR_ALLTOALL);
    assert_true(count(&g, nodes, best->rank, HD_CASE_SHIFT).average == least); /* the search finds the best there is */
    assert_false(best->exact);
    assert_non_null(strstr(best->claim, "holds 3 of the nodes where most leaves hold 2"));
    hd_order_free(best);
    hd_nodes_free(nodes);
    done(&g);
}

/* The cost by distances is the number of pairs of flows that meet on up channels, counted one by one. */
static void test_distance_cost(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct rig g = rig(i ? "pgft:m=4x4x2,w=1x4x1,p=1x1x4" : "pgft:m=4x4,w=1x2,p=1x2", "dmodk");
        struct hd_nodes *nodes = pick_random(&g, g.all->n / 2 + 1, 5);
        struct hd_arena a = {0};
        struct hd_job_view scene;
        struct hd_keys keys;
        uint64_t cost, pairs = 0;
        uint32_t n = nodes->n, *rank = malloc(n * sizeof *rank);
        for (uint32_t k = 0; k < n; k++) rank[k] = k;
        assert_int_equal(hd_job_view_init(&g.ctx, &a, g.r, nodes, &scene), HD_OK);
        assert_int_equal(hd_keys_init(&g.ctx, &a, &scene, &keys), HD_OK);
        assert_int_equal(hd_keys_cost(&g.ctx, &keys, rank, &cost), HD_OK);
        for (uint32_t l = 0; l < keys.levels; l++)
            for (uint32_t s = 1; s < n; s++)
                for (uint32_t x = 0; x < n; x++)
                    for (uint32_t y = 0; y < n; y++)
                        pairs += x != y && keys.sub[l][x] == keys.sub[l][y] &&
                                 keys.key[l][(x + s) % n] == keys.key[l][(y + s) % n];
        /* stage 0 of the sum over distances is the pairs' own: x - y = 0 is excluded, s = 0 is not */
        for (uint32_t l = 0; l < keys.levels; l++)
            for (uint32_t x = 0; x < n; x++)
                for (uint32_t y = 0; y < n; y++)
                    pairs += x != y && keys.sub[l][x] == keys.sub[l][y] && keys.key[l][x] == keys.key[l][y];
        assert_int_equal(cost, pairs);
        hd_arena_release(&a);
        free(rank);
        hd_nodes_free(nodes);
        done(&g);
    }
}

/* ---- searches ---------------------------------------------------------------------------------- */

static void test_never_worse(void **state)
{
    (void)state;
    static const char *const nets[][2] = {
        {"pgft:m=12x12,w=1x6,p=1x2", "dmodk"}, {"xgft:m=6x6,w=1x3", "dmodk"}, {"torus:dims=4x4,hosts=2", "psssp"}};
    for (size_t i = 0; i < 3; i++) {
        struct rig g = rig(nets[i][0], nets[i][1]);
        struct hd_nodes *nodes = pick_random(&g, g.all->n / 2, i);
        struct hd_order *tree = order_for(&g, nodes, HD_FOR_TREE), *shift = order_for(&g, nodes, HD_FOR_ALLTOALL);
        struct hd_order *ring = order_for(&g, nodes, HD_FOR_RING), *recdbl = order_for(&g, nodes, HD_FOR_RECDBL),
                        *again;
        assert_true(count(&g, nodes, shift->rank, HD_CASE_SHIFT).average <=
                    count(&g, nodes, tree->rank, HD_CASE_SHIFT).average);
        assert_true(count(&g, nodes, ring->rank, HD_CASE_RING).average <=
                    count(&g, nodes, tree->rank, HD_CASE_RING).average);
        assert_true(count(&g, nodes, recdbl->rank, HD_CASE_RECDBL).average <=
                    count(&g, nodes, tree->rank, HD_CASE_RECDBL).average);
        if (i < 2) assert_true(count(&g, nodes, ring->rank, HD_CASE_RING).max == 1);
        if (i == 0) assert_true(count(&g, nodes, recdbl->rank, HD_CASE_RECDBL).average <= 1.7);
        g.ctx.threads = 3;
        again = order_for(&g, nodes, HD_FOR_ALLTOALL);
        assert_memory_equal(again->rank, shift->rank, nodes->n * sizeof *shift->rank);
        hd_order_free(again);
        hd_order_free(tree);
        hd_order_free(shift);
        hd_order_free(ring);
        hd_order_free(recdbl);
        hd_nodes_free(nodes);
        done(&g);
    }
}

/* ---- schedules --------------------------------------------------------------------------------- */

static void test_degenerate(void **state)
{
    (void)state;
    static const char *const hosts[] = {"1", "2", "1 1", "3 0", "2 1 0"};
    static const char *const cables[] = {"", "", "0-1 0-1", "0-1", "0-1 1-2"};
    for (int i = 0; i < 5; i++) {
        struct rig g;
        hd_ctx_init(&g.ctx);
        g.net = tiny(hosts[i], cables[i]);
        assert_int_equal(hd_routes_open(&g.ctx, g.net, "minhop", &g.r), HD_OK);
        assert_int_equal(hd_nodes_read(&g.ctx, g.net, NULL, 1, &g.all), HD_OK);
        for (int goal = 0; hd_goal_name((enum hd_goal)goal); goal++)
            hd_order_free(order_for(&g, g.all, (enum hd_goal)goal));
        struct hd_order *o = order_for(&g, g.all, HD_FOR_TREE);
        struct hd_schedule *s;
        assert_int_equal(hd_schedule_alltoall(&g.ctx, g.r, g.all, o->rank, &s), HD_OK);
        check_alltoall(&g, g.all, o->rank, s);
        hd_schedule_free(s);
        hd_order_free(o);
        done(&g);
    }
    struct rig g; /* two parts: the pair that has no path is named */
    hd_ctx_init(&g.ctx);
    g.net = tiny("1 1", "");
    struct hd_order *o;
    assert_int_equal(hd_routes_open(&g.ctx, g.net, "minhop", &g.r), HD_OK);
    assert_int_equal(hd_nodes_read(&g.ctx, g.net, NULL, 1, &g.all), HD_OK);
    assert_int_equal(hd_order_make(&g.ctx, g.r, g.all, HD_FOR_TREE, &o), HD_INPUT);
    assert_non_null(strstr(g.ctx.error, "no path from node h0 to node h1"));
    done(&g);
}

/* ---- allocation -------------------------------------------------------------------------------- */

static void test_choose(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i += 2) {
        struct rig g = rig(RLFT[i], "dmodk");
        struct hd_nodes *nodes = pick_random(&g, g.all->n / 2, 9), *job;
        uint32_t size = i ? 96 : 40, *which = malloc(size * sizeof *which);
        struct hd_advice advice;
        assert_int_equal(hd_order_choose(&g.ctx, g.r, nodes, size, which, &advice), HD_OK);
        bool *seen = calloc(nodes->n, 1);
        for (uint32_t k = 0; k < size; k++) {
            assert_true(which[k] < nodes->n && !seen[which[k]]);
            seen[which[k]] = true;
        }
        assert_int_equal(hd_nodes_pick(&g.ctx, nodes, which, size, &job), HD_OK);
        struct hd_order *o = order_for(&g, job, HD_FOR_ALLTOALL);
        struct hd_schedule *s;
        assert_int_equal(hd_schedule_slots(&g.ctx, g.r, job, o->rank, &s), HD_OK);
        assert_true(s->stages < advice.slots); /* what was promised */
        check_alltoall(&g, job, o->rank, s);
        if (advice.slots == size) assert_true(count(&g, job, o->rank, HD_CASE_SHIFT).max == 1);
        assert_int_equal(hd_order_choose(&g.ctx, g.r, nodes, nodes->n + 1, which, &advice), HD_INPUT);
        hd_schedule_free(s);
        hd_order_free(o);
        hd_nodes_free(job);
        free(seen);
        free(which);
        hd_nodes_free(nodes);
        done(&g);
    }
}

/* Shared channels, against all pairs of both jobs walked one by one. */
static void test_shared(void **state)
{
    (void)state;
    struct rig g = rig("ft:m=4,n=3", "dmodk");
    uint32_t one[4] = {0, 1, 2, 3}, two[4] = {4, 5, 6, 7}, three[4] = {8, 5, 10, 15}, *set[3] = {one, two, three};
    for (int x = 0; x < 3; x++)
        for (int y = x + 1; y < 3; y++) {
            struct hd_nodes *a = pick(&g, set[x], 4), *b = pick(&g, set[y], 4);
            struct hd_shared shared;
            hd_status s = hd_order_shared(&g.ctx, g.r, a, b, &shared);
            if (x == 1 && y == 2) {
                assert_int_equal(s, HD_INPUT);
                assert_non_null(strstr(g.ctx.error, "node node-00005 is in both jobs"));
            } else {
                assert_int_equal(s, HD_OK);
                uint8_t *use = calloc(g.net->nchan, 1);
                uint32_t chan[HD_MAX_HOPS], both = 0;
                for (int job = 0; job < 2; job++)
                    for (int i = 0; i < 4; i++)
                        for (int j = 0; j < 4; j++) {
                            const struct hd_nodes *q = job ? b : a;
                            uint32_t hops = i == j ? 0 : hd_routes_path(g.r, q->ep[i], q->ep[j], 0, chan);
                            for (uint32_t k = 1; k + 1 < hops; k++) use[chan[k]] |= (uint8_t)(1 << job);
                        }
                for (uint32_t c = 0; c < g.net->nchan; c++) both += use[c] == 3;
                assert_int_equal(shared.channels, both);
                if (x == 0 && y == 1) assert_int_equal(both, 0); /* different pods */
                free(use);
            }
            hd_nodes_free(a);
            hd_nodes_free(b);
        }
    done(&g);
}

struct counted_search {
    struct hd_anneal anneal;
    uint64_t swaps;
};

static void counted_swap(struct hd_anneal *search, uint32_t p, uint32_t q)
{
    uint32_t x = search->order[p];
    search->order[p] = search->order[q];
    search->order[q] = x;
    search->cost = 1;
    for (uint32_t i = 0; i < search->n; i++) search->cost += search->order[i] != i;
    ((struct counted_search *)search)->swaps++;
}

static struct hd_stretch counted_pick(const struct hd_anneal *search, struct hd_rng *rng)
{
    return (struct hd_stretch){hd_rng_below(rng, search->n), hd_rng_below(rng, search->n), 1};
}

/* Four nodes have 24 orders: whatever the budget, the search ends after as many moves as so few can need. */
static void test_search_of_few_nodes_ends(void **state)
{
    static const struct hd_anneal_how how = {counted_swap, counted_pick, 64, 1, 200, 2000};
    uint32_t order[4] = {3, 2, 1, 0}, best[4];
    struct hd_ctx ctx;
    struct counted_search s = {.anneal = {.n = 4, .order = order, .ctx = &ctx, .cost = 5, .budget = UINT64_MAX}};
    struct hd_rng rng;
    (void)state;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 1, HD_RNG_SEARCH, 0);
    hd_anneal(&s.anneal, &how, &rng, best);
    assert_in_range(s.swaps, 100, 1000000);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(best[i], i);
}

/* A gain below 2 % is none. */
static void test_gains_that_count(void **state)
{
    (void)state;
    static const struct {
        double gain;
        int sign;
    } cases[] = {{1, 0}, {1.019, 0}, {1.03, 1}, {1.5, 1}, {40, 1}, {0.981, 0}, {0.97, -1}, {0.1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(hd_gain_sign(cases[i].gain), cases[i].sign);
}

static uint64_t last_told, told_of, stops_at;

static void tell(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)user;
    assert_string_equal(what, "stages");
    assert_true(done > last_told || total != told_of);
    last_told = done;
    told_of = total;
}

static bool has_enough(void *user)
{
    (void)user;
    return stops_at && last_told >= stops_at;
}

/* Patterns of many ranks take long: how far they are is told, and a stop ends them. */
static void test_ranks_told_and_stopped(void **state)
{
    (void)state;
    struct rig g = rig("ft:m=4,n=2", "minhop");
    struct hd_hsd h[HD_CASES];
    uint32_t per_node[8];
    for (int i = 0; i < 8; i++) per_node[i] = 400;
    hd_ctx_set_progress(&g.ctx, tell, NULL);
    assert_int_equal(hd_order_count_ranks(&g.ctx, g.r, g.all, NULL, per_node, h, NULL), HD_OK);
    assert_int_equal(told_of, 3199);
    assert_int_equal(last_told, told_of);
    last_told = 0;
    stops_at = 1;
    hd_ctx_set_stop(&g.ctx, has_enough, NULL);
    assert_int_equal(hd_order_count_ranks(&g.ctx, g.r, g.all, NULL, per_node, h, NULL), HD_LIMIT);
    assert_true(last_told < told_of);
    hd_ctx_set_stop(&g.ctx, NULL, NULL);
    done(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_of_few_nodes_ends),
        cmocka_unit_test(test_rails_and_ranks_by_walking),
        cmocka_unit_test(test_count_is_eval),
        cmocka_unit_test(test_shift_stages_at_once),
        cmocka_unit_test(test_table3),
        cmocka_unit_test(test_round_the_leaves),
        cmocka_unit_test(test_no_order_reaches_one),
        cmocka_unit_test(test_distance_cost),
        cmocka_unit_test(test_never_worse),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_gains_that_count),
        cmocka_unit_test(test_ranks_told_and_stopped),
    };
    return cmocka_run_group_tests(tests, make_list_file, drop_list_file);
}
