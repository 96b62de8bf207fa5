/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees grown inside acyclic turns: the graph of turns while trees come and go, the order of links it starts from, and
 * what engines make of them within one VL or a few, with an explicit search for cycles. */
#include "sssp_tools.h"

#include "route/kernel/betweenness.h"
#include "route/kernel/tree_growth.h"
#include "route/kernel/turn_order.h"
#include "route/kernel/updown_order.h"

/* ---- the graph ----------------------------------------------------------------------------------- */

/* Whether the turns that a lane has close a cycle. */
static bool lane_cyclic(const struct hd_turn_graph *g, uint32_t lane)
{
    const struct hd_links *l = &g->lanes.links;
    bool *edge = calloc((size_t)l->n * l->n + 1, 1), cyclic = false;
    uint8_t *mark = calloc(l->n + 1, 1);
    for (uint32_t a = 0; a < l->n; a++)
        for (uint32_t b = l->first[l->head[a]]; b < l->first[l->head[a] + 1]; b++)
            edge[(size_t)a * l->n + b] = g->lanes.in[hd_turn(l, a, b)] >> lane & 1;
    for (uint32_t a = 0; a < l->n; a++) cyclic |= mark[a] == 0 && closes(edge, l->n, a, mark);
    free(edge);
    free(mark);
    return cyclic;
}

static uint32_t turns_in(const struct hd_turn_graph *g, uint32_t lane)
{
    const struct hd_links *l = &g->lanes.links;
    uint32_t n = 0;
    for (uint32_t t = 0; t < l->turn[l->n]; t++) {
        bool in = g->lanes.in[t] >> lane & 1;
        assert_int_equal(in, g->uses[lane][t] != 0); /* nothing is on trial */
        n += in;
    }
    return n;
}

/* Turns one by one, some of which go again: refused as long as there is a cycle and no longer. */
static void refusals_last_as_long_as_their_cycle(void **state)
{
    (void)state;
    uint32_t again = 0, admitted = 0; /* turns that were refused before */
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct hd_arena arena = {0};
        struct hd_net *net = make_random(seed);
        struct hd_routes *r;
        struct hd_turn_graph g;
        struct hd_rng rng;
        hd_rng_init(&rng, seed, HD_RNG_TEST, 3);
        assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
        assert_int_equal(hd_turn_graph_init(&ctx, &arena, r, 2, &g), HD_OK);
        const struct hd_links *l = &g.lanes.links;
        bool *refused = HD_NEW(&arena, bool, 2 * (size_t)l->turn[l->n]);
        for (int i = 0; i < 1500; i++) {
            const uint32_t lane = hd_rng_below(&rng, 2), from = hd_rng_below(&rng, l->n), v = l->head[from];
            const uint32_t to = l->first[v] + hd_rng_below(&rng, l->first[v + 1] - l->first[v]);
            const uint32_t t = hd_turn(l, from, to), bit = 1u << lane;
            const bool in = g.lanes.in[t] & bit;
            g.lanes.in[t] ^= (uint16_t)bit;
            if (in) continue;
            const bool fits = !lane_cyclic(&g, lane);
            g.lanes.in[t] ^= (uint16_t)bit;
            assert_int_equal(hd_acyclic_add(&g.lanes, lane, (struct hd_turn){from, to}), fits);
            assert_int_equal(g.lanes.in[t] >> lane & 1, fits);
            again += refused[2 * t + lane] && !fits;
            admitted += refused[2 * t + lane] && fits;
            refused[2 * t + lane] = !fits;
        }
        hd_arena_release(&arena);
        hd_routes_free(r);
        hd_net_free(net);
    }
    assert_true(again > 100 && admitted > 100);
}

struct garden { /* trees that grow in two lanes */
    struct hd_arena arena;
    struct hd_net *net;
    struct hd_routes *r;
    struct hd_turn_graph g;
    struct hd_growth w;
    uint32_t *pairs;
    uint8_t *lane; /* [d * nleaf + leaf] */
};

static void garden_open(struct garden *k, uint64_t seed)
{
    struct hd_updown u;
    *k = (struct garden){.net = make_random(seed)};
    assert_int_equal(hd_routes_make(&ctx, k->net, 1, &k->r), HD_OK);
    assert_int_equal(hd_turn_graph_init(&ctx, &k->arena, k->r, 2, &k->g), HD_OK);
    assert_int_equal(hd_growth_init(&ctx, &k->arena, &k->g, &k->w), HD_OK);
    assert_int_equal(hd_updown_init(&ctx, &k->arena, k->net, NULL, &u), HD_OK);
    assert_int_equal(hd_turn_graph_reserve(&ctx, &k->g, 0, u.order, UINT32_MAX), HD_OK);
    k->pairs = HD_NEW(&k->arena, uint32_t, k->g.lanes.links.n);
    k->lane = HD_NEW(&k->arena, uint8_t, (size_t)k->net->nep * k->r->nleaf);
}

static void garden_close(struct garden *k)
{
    hd_arena_release(&k->arena);
    hd_routes_free(k->r);
    hd_net_free(k->net);
}

/* Grows the tree of d; over the reserved tree if it gets stuck. */
static void garden_plant(struct garden *k, uint32_t d, bool eager)
{
    const struct hd_growth_cost cost = {.hop = 1 << 20, .pairs = k->pairs, .eager = eager};
    uint32_t t = hd_leaf(k->net, d);
    uint8_t *lane = k->lane + (size_t)d * k->r->nleaf;
    hd_growth_reserved(&k->w, t, 0);
    uint32_t connected = k->w.n;
    hd_growth_run(&k->w, t, 3, &cost);
    if (k->w.n < connected) {
        hd_turn_settle(&k->g);
        hd_growth_reserved(&k->w, t, 0);
    }
    assert_int_equal(k->w.n, connected);
    assert_false(lane_cyclic(&k->g, 0) || lane_cyclic(&k->g, 1));
    for (uint32_t i = 0; i < k->r->nleaf; i++)
        lane[i] = (uint8_t)(k->w.hops[k->r->leaf[i]] == HD_FAR ? 0 : hd_growth_lane(&k->w, k->r->leaf[i]));
    hd_growth_row(&k->w, hd_row(k->r, d, 0));
    hd_turn_graph_count(&k->g, hd_row(k->r, d, 0), lane, 1);
    hd_turn_settle(&k->g);
}

static void trees_come_and_go(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= RANDOM_NETS; seed++) {
        struct garden k;
        garden_open(&k, seed);
        uint32_t reserved = turns_in(&k.g, 0), nep = k.net->nep;
        for (uint32_t d = 0; d < nep; d++) garden_plant(&k, d, d & 1);
        for (uint32_t d = 0; d < nep; d++) {
            uint8_t *lane = k.lane + (size_t)d * k.r->nleaf, *row = hd_row(k.r, d, 0);
            uint32_t before = turns_in(&k.g, 0) + turns_in(&k.g, 1);
            hd_turn_graph_remove(&k.g, row, lane, 1);
            hd_turn_graph_count(&k.g, row, lane, 1); /* what was there fits again */
            assert_int_equal(turns_in(&k.g, 0) + turns_in(&k.g, 1), before);
            assert_false(lane_cyclic(&k.g, 0) || lane_cyclic(&k.g, 1));
            hd_turn_graph_remove(&k.g, row, lane, 1);
            garden_plant(&k, d, true);
        }
        for (uint32_t d = 0; d < nep; d++)
            hd_turn_graph_remove(&k.g, hd_row(k.r, d, 0), k.lane + (size_t)d * k.r->nleaf, 1);
        assert_int_equal(turns_in(&k.g, 0), reserved);
        assert_int_equal(turns_in(&k.g, 1), 0);
        garden_close(&k);
    }
}

/* A spanning tree beside trees that are there: it is taken whole, or nothing changes. */
static void spanning_trees_join_or_leave_no_trace(void **state)
{
    uint32_t taken = 0, refused = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= RANDOM_NETS; seed++) {
        struct garden k;
        struct hd_updown u;
        uint32_t refusals;
        garden_open(&k, seed);
        assert_int_equal(hd_updown_init(&ctx, &k.arena, k.net, NULL, &u), HD_OK);
        for (uint32_t d = 0; d < k.net->nep; d++) garden_plant(&k, d, true);
        for (uint32_t i = 0; i < k.net->nsw; i++) {
            uint32_t root = u.order[i], before = turns_in(&k.g, 1), first = u.order[0];
            u.order[0] = root;
            u.order[i] = first;
            assert_int_equal(hd_turn_graph_join(&ctx, &k.g, 1, u.order, &refusals), HD_OK);
            bool fits = !refusals;
            u.order[i] = root;
            u.order[0] = first;
            assert_int_equal(k.g.reserved[1] != NULL, fits);
            assert_false(lane_cyclic(&k.g, 1));
            if (!fits) assert_int_equal(turns_in(&k.g, 1), before);
            taken += fits;
            refused += !fits;
            if (fits) break;
        }
        garden_close(&k);
    }
    assert_true(taken && refused);
}

/* ---- orders of links ----------------------------------------------------------------------------- */

static uint64_t forwards(const struct hd_links *l, const uint64_t *weight, const uint32_t *place, uint64_t least)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < l->n; a++)
        for (uint32_t b = l->first[l->head[a]]; b < l->first[l->head[a] + 1]; b++)
            if (place[a] < place[b] && weight[hd_turn(l, a, b)] >= least) sum += weight[hd_turn(l, a, b)];
    return sum;
}

static void orders_improve_and_keep_what_must_be(void **state)
{
    (void)state;
    const uint32_t dims[] = {6, 6};
    struct hd_net *net = make_torus(2, dims, 1);
    struct hd_arena a = {0};
    struct hd_links l;
    struct hd_rng rng;
    assert_int_equal(hd_links_init(&ctx, &a, net, &l), HD_OK);
    uint64_t *weight = HD_NEW(&a, uint64_t, l.turn[l.n]);
    uint32_t *place = HD_NEW(&a, uint32_t, l.n), *seen = HD_NEW(&a, uint32_t, l.n), musts = 0;
    hd_rng_init(&rng, 1, HD_RNG_TEST, 1);
    for (uint32_t i = 0; i < l.n; i++) place[i] = i;
    hd_rng_shuffle(&rng, place, l.n);
    for (uint32_t x = 0; x < l.n; x++)
        for (uint32_t y = l.first[l.head[x]]; y < l.first[l.head[x] + 1]; y++) {
            bool must = place[x] < place[y] && hd_rng_below(&rng, 8) == 0;
            weight[hd_turn(&l, x, y)] = y == l.back[x] ? 0 : must ? HD_TURN_MUST : 1;
            musts += must && y != l.back[x];
        }
    uint64_t before = forwards(&l, weight, place, 1);
    assert_int_equal(hd_turn_order(&ctx, &l, weight, 20, &rng, place), HD_OK);
    assert_true(forwards(&l, weight, place, 1) > before);
    assert_true(forwards(&l, weight, place, HD_TURN_MUST) == musts * HD_TURN_MUST);
    for (uint32_t i = 0; i < l.n; i++) assert_int_equal(seen[place[i]]++, 0);
    hd_arena_release(&a);
    hd_net_free(net);
}

/* ---- reserved trees ------------------------------------------------------------------------------- */

/* A tree joins all switches whatever its number of children, which is kept to where that can be, and leaves nothing
 * behind when it is released. */
static void reserved_trees_keep_to_their_children(void **state)
{
    (void)state;
    struct hd_net *net = make_net("slimfly:q=5"); /* 50 switches of 7 cables each: one root, all others have a parent */
    struct hd_routes *r;
    struct hd_arena a = {0};
    struct hd_turn_graph g;
    struct hd_updown u;
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    assert_int_equal(hd_turn_graph_init(&ctx, &a, r, 1, &g), HD_OK);
    assert_int_equal(hd_updown_init(&ctx, &a, net, NULL, &u), HD_OK);
    const struct hd_links *l = &g.lanes.links;
    for (uint32_t children = 1; children <= 8; children++) {
        uint32_t links = 0, over = 0;
        assert_int_equal(hd_turn_graph_reserve(&ctx, &g, 0, u.order, children), HD_OK);
        for (uint32_t v = 0; v < net->nsw; v++) {
            uint32_t at = 0;
            for (uint32_t x = l->first[v]; x < l->first[v + 1]; x++) {
                at += g.reserved[0][x];
                assert_int_equal(g.reserved[0][x], g.reserved[0][l->back[x]]);
            }
            links += at;
            over += at > children + (v != u.order[0]);
        }
        assert_int_equal(links, 2 * (net->nsw - 1));
        if (children > 2 && over) fail_msg("%u switches have more than %u children", over, children);
        assert_true(turns_in(&g, 0) > 0 && !lane_cyclic(&g, 0));
        hd_turn_graph_release(&g, 0);
        assert_null(g.reserved[0]);
        assert_int_equal(turns_in(&g, 0), 0);
    }
    hd_arena_release(&a);
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- betweenness --------------------------------------------------------------------------------- */

static void betweenness_counts_shortest_paths(void **state)
{
    (void)state;
    struct hd_net *line = make_net("mesh:dims=5,hosts=1"), *square = make_net("mesh:dims=2x2,hosts=1");
    static const double middle[] = {0, 6, 8, 6, 0}; /* ordered pairs that pass */
    bool end[] = {true, true, true, true, true};
    double score[5];
    struct hd_arena a = {0};
    struct hd_links l;
    assert_int_equal(hd_links_init(&ctx, &a, line, &l), HD_OK);
    assert_int_equal(hd_betweenness(&ctx, &l, end, score), HD_OK);
    for (int v = 0; v < 5; v++) assert_true(score[v] == middle[v]);
    end[1] = end[2] = end[3] = false; /* one pair, from end to end */
    assert_int_equal(hd_betweenness(&ctx, &l, end, score), HD_OK);
    for (int v = 0; v < 5; v++) assert_true(score[v] == (v > 0 && v < 4 ? 2 : 0));
    end[1] = end[2] = end[3] = true; /* a square: half of the two opposite pairs over each of the others */
    assert_int_equal(hd_links_init(&ctx, &a, square, &l), HD_OK);
    assert_int_equal(hd_betweenness(&ctx, &l, end, score), HD_OK);
    for (int v = 0; v < 4; v++) assert_true(score[v] == 1);
    hd_arena_release(&a);
    hd_net_free(line);
    hd_net_free(square);
}

/* ---- engines ------------------------------------------------------------------------------------- */

static void engines_keep_to_their_vls(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        uint32_t most;
    } cases[] = {{"settle:maxlanes=1", 1},
                 {"settle:maxlanes=2", 2},
                 {"settle:lanes=dest,maxlanes=2", 2},
                 {"settle:lanes=dest,maxlanes=1", 1},
                 {"nue", 1},
                 {"nue:maxlanes=3", 3},
                 {"nue:maxlanes=15,seed=7", 15}};
    const uint32_t dims[][2] = {{5, 1}, {9, 1}, {5, 5}, {4, 6}};
    for (uint64_t seed = 1; seed <= RANDOM_NETS + 4; seed++) {
        struct hd_net *net =
            seed <= RANDOM_NETS ? make_random(seed) : make_torus(2, dims[seed - RANDOM_NETS - 1], 1 + seed % 2);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct hd_routes *r = open_routes(net, cases[i].spec);
            assert_served_and_free(r, cases[i].most);
            hd_routes_free(r);
        }
        hd_net_free(net);
    }
}

static double ebb(const struct hd_net *net, const char *table)
{
    struct hd_routes *r = open_routes(net, table);
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = 300};
    struct hd_result result;
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
    hd_routes_free(r);
    return result.value;
}

/* No destination of this network needs escape paths, which one on which no neighbour takes another channel does. */
static void nue_leaves_an_impasse(void **state)
{
    (void)state;
    struct hd_net *net = make_net("random:switches=43,ports=24,hosts=12,seed=1");
    if (ebb(net, "nue") < 0.55) fail_msg("nue: escape paths in use");
    hd_net_free(net);
}

/* On a tree no turn is refused; the order of destinations that spreads them over the spines is among those tried. */
static void nue_spreads_over_spines(void **state)
{
    (void)state;
    static const char *const specs[] = {"gft:n=8,m=8,r=16", "ft:m=8,n=3"}, *const tables[] = {"nue", "nue:maxlanes=4"};
    for (size_t i = 0; i < 2; i++) {
        struct hd_net *net = make_net(specs[i]);
        double even = ebb(net, "dmodk");
        for (size_t k = 0; k < 2; k++) {
            double value = ebb(net, tables[k]);
            if (value < 0.995 * even) fail_msg("%s: %s %.4f, dmodk %.4f", specs[i], tables[k], value, even);
        }
        hd_net_free(net);
    }
}

/* VLs that change along the path allow shortest paths in two of them. */
static void hops_need_two_vls_on_a_torus(void **state)
{
    (void)state;
    struct hd_net *net = make_net("torus:dims=8x8,hosts=2");
    struct hd_routes *r = open_routes(net, "settle:lanes=hop,maxlanes=2");
    struct hd_check k = check_routes(r);
    assert_int_equal(k.nonminimal, 0);
    assert_int_equal(k.deadlock_free, 1);
    assert_int_equal(k.lanes, 2);
    hd_routes_free(r);
    hd_net_free(net);
}

/* In one VL, settle is at least half-way between updown and settle without a limit. */
static void one_vl_is_half_of_the_distance(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:dims=8x8,hosts=2", "random:switches=32,ports=12,hosts=5,seed=1",
                                        "slimfly:q=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct hd_net *net = make_net(specs[i]);
        double low = ebb(net, "updown"), one = ebb(net, "settle:maxlanes=1"), two = ebb(net, "settle:maxlanes=2"),
               high = ebb(net, "settle");
        if (one < (low + high) / 2 || two < 0.995 * one)
            fail_msg("%s: updown %.3f, one VL %.3f, two %.3f, no limit %.3f", specs[i], low, one, two, high);
        hd_net_free(net);
    }
}

/* The same from the best other engine in one VL, on a dragonfly: pairs do not crowd at the root of one tree. */
static void one_vl_is_half_of_the_distance_on_a_dragonfly(void **state)
{
    (void)state;
    static const char *const others[] = {"updown", "dfsssp:maxlanes=1"};
    struct hd_net *net = make_net("dragonfly:a=4,p=2,h=2");
    double low = 0.63798 /* of OpenSM's nue */, one = ebb(net, "settle:maxlanes=1"), high = ebb(net, "settle");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double value = ebb(net, others[i]);
        if (value > low) low = value;
    }
    if (one < (low + high) / 2) fail_msg("others %.4f, one VL %.4f, no limit %.4f", low, one, high);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_last_as_long_as_their_cycle),
        cmocka_unit_test(trees_come_and_go),
        cmocka_unit_test(spanning_trees_join_or_leave_no_trace),
        cmocka_unit_test(orders_improve_and_keep_what_must_be),
        cmocka_unit_test(reserved_trees_keep_to_their_children),
        cmocka_unit_test(betweenness_counts_shortest_paths),
        cmocka_unit_test(engines_keep_to_their_vls),
        cmocka_unit_test(nue_leaves_an_impasse),
        cmocka_unit_test(nue_spreads_over_spines),
        cmocka_unit_test(hops_need_two_vls_on_a_torus),
        cmocka_unit_test(one_vl_is_half_of_the_distance),
        cmocka_unit_test(one_vl_is_half_of_the_distance_on_a_dragonfly),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
