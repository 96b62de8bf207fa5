/* SPDX-License-Identifier: BSD-2-Clause */
/* dfsssp, its lanes and the up/down rows it falls back to, with an explicit search for cycles. */
#include "sssp_tools.h"

#include "route/kernel/vl_assign.h"

/* ---- networks ------------------------------------------------------------------------------ */

static struct hd_net *make_ring(uint32_t n, uint32_t hosts)
{
    return make_torus(1, &n, hosts);
}

/* ---- up/down rows ------------------------------------------------------------------------------ */

static void updown_rows_are_legal_and_complete(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= RANDOM_NETS; seed++) {
        struct hd_net *net = make_random(seed);
        struct hd_arena a = {0};
        struct hd_updown u;
        uint8_t row[16];
        struct key dist[16];
        uint32_t *load = calloc(net->nchan + 1, sizeof *load);
        assert_int_equal(hd_updown_init(&ctx, &a, net, NULL, &u), HD_OK);
        for (uint32_t t = 0; t < net->nsw; t++) {
            find_keys(net, t, load, true, dist);
            hd_updown_row(&u, t, NULL, row);
            assert_int_equal(row[t], HD_SLOT_NONE);
            for (uint32_t x = 0; x < net->nsw; x++) {
                bool reachable = dist[x].load != UINT32_MAX, down = false;
                assert_int_equal(x == t || row[x] != HD_SLOT_NONE, reachable);
                uint32_t hops = 0;
                for (uint32_t v = x; reachable && v != t; hops++) {
                    uint32_t c = net->off[v] + row[v];
                    assert_true(hops < net->nsw);
                    assert_false(down && hd_updown_up(&u, c));
                    down |= !hd_updown_up(&u, c);
                    v = net->head[c];
                }
                if (reachable) assert_int_equal(hops, u.cost[x]);
            }
        }
        free(load);
        hd_arena_release(&a);
        hd_net_free(net);
    }
}

/* Given ranks win over found ones, and load decides among equals: a square whose first corner is last. */
static void updown_takes_ranks_and_loads(void **state)
{
    (void)state;
    const char *const cables[] = {"AB", "AC", "BD", "CD", "A0", "D1", NULL};
    struct hd_net *net = make_drawn("square", 4, 2, cables);
    struct hd_arena a = {0};
    struct hd_updown u;
    uint32_t rank[] = {2, 1, 1, 0}, load[16] = {0};
    uint8_t row[4];
    assert_int_equal(hd_updown_init(&ctx, &a, net, rank, &u), HD_OK);
    assert_int_equal(u.order[0], 3);
    assert_int_equal(u.order[3], 0);
    hd_updown_row(&u, 3, load, row);
    assert_int_equal(net->off[0] + row[0], channel(net, 'A', 'B'));
    load[channel(net, 'A', 'B')] = 1;
    hd_updown_row(&u, 3, load, row);
    assert_int_equal(net->off[0] + row[0], channel(net, 'A', 'C'));
    hd_arena_release(&a);
    hd_net_free(net);
}

/* ---- dfsssp and lanes --------------------------------------------------------------------------- */

static void dfsssp_is_free_of_credit_loops(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        uint32_t most;
    } cases[] = {{"dfsssp", 8},
                 {"dfsssp:lanes=dest", 8},
                 {"dfsssp:maxlanes=2", 2},
                 {"dfsssp:lanes=dest,maxlanes=2", 2},
                 {"dfsssp:maxlanes=1", 1},
                 {"dfsssp:lanes=dest,maxlanes=1", 1}};
    for (uint64_t seed = 1; seed <= RANDOM_NETS + 4; seed++) {
        struct hd_net *net = seed <= RANDOM_NETS       ? make_random(seed)
                             : seed == RANDOM_NETS + 1 ? make_ring(5, 2)
                             : seed == RANDOM_NETS + 2 ? make_ring(8, 1)
                             : seed == RANDOM_NETS + 3 ? make_torus(2, (const uint32_t[]){5, 4}, 1)
                                                       : make_torus(2, (const uint32_t[]){4, 6}, 1);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct hd_routes *r = open_routes(net, cases[i].spec);
            assert_served_and_free(r, cases[i].most);
            if (cases[i].most == 8) assert_int_equal(check_routes(r).nonminimal, 0);
            hd_routes_free(r);
        }
        hd_net_free(net);
    }
}

/* psssp alone has a credit loop here, so the lanes are needed; and two are enough. */
static void rings_need_two_lanes(void **state)
{
    (void)state;
    for (uint32_t n = 5; n < 12; n++) {
        struct hd_net *net = make_ring(n, 1);
        struct hd_routes *p = open_routes(net, "psssp"), *r = open_routes(net, "dfsssp");
        assert_int_equal(check_routes(p).deadlock_free, 0);
        assert_false(lanes_acyclic(p));
        assert_int_equal(r->nlanes, 2);
        assert_memory_equal(p->table, r->table, (size_t)net->nep * net->nsw);
        assert_served_and_free(r, 2);
        hd_routes_free(p);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* One lane on a ring: every route must be an up/down route, for one more turn would close the ring. */
static void one_lane_on_a_ring_is_up_down(void **state)
{
    (void)state;
    for (uint32_t n = 5; n < 12; n++) {
        struct hd_net *net = make_ring(n, 2);
        struct hd_routes *r = open_routes(net, "dfsssp:maxlanes=1");
        struct hd_arena a = {0};
        struct hd_updown u;
        uint32_t chan[HD_MAX_HOPS];
        assert_served_and_free(r, 1);
        assert_int_equal(r->lane_rule, HD_LANE_ONE);
        assert_true(check_routes(r).nonminimal > 0);
        assert_int_equal(hd_updown_init(&ctx, &a, net, NULL, &u), HD_OK);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++) {
                uint32_t hops = s == d ? 0 : hd_routes_path(r, s, d, 0, chan);
                for (uint32_t i = 1; i + 2 < hops; i++)
                    assert_false(!hd_updown_up(&u, chan[i]) && i + 3 < hops && hd_updown_up(&u, chan[i + 1]));
            }
        hd_arena_release(&a);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Where OpenSM's dfsssp asks for nine lanes and gives up. */
static void dfsssp_routes_a_4x4x4_torus_in_eight_lanes(void **state)
{
    (void)state;
    struct hd_net *net = make_torus(3, (const uint32_t[]){4, 4, 4}, 2);
    const char *specs[] = {"dfsssp", "dfsssp:order=random,tie=random,seed=5", "dfsssp:lanes=dest"};
    for (size_t i = 0; i < 3; i++) {
        struct hd_routes *r = open_routes(net, specs[i]);
        struct hd_check k = check_routes(r);
        assert_int_equal(k.unreachable + k.loops + k.nonminimal, 0);
        assert_int_equal(k.deadlock_free, 1);
        assert_true(r->nlanes <= 8);
        if (i == 0) assert_true(r->nlanes <= 6);
        hd_routes_free(r);
    }
    hd_net_free(net);
}

/* Without a reserve the rows that do not fit are named, and the others are free of cycles. */
static void lanes_name_what_does_not_fit(void **state)
{
    (void)state;
    struct hd_net *net = make_torus(2, (const uint32_t[]){5, 5}, 1);
    for (int mode = HD_LANES_PATH; mode <= HD_LANES_DEST; mode++) {
        struct hd_arena a = {0};
        struct hd_lanes lanes;
        struct hd_routes *r = open_routes(net, "psssp:order=random,tie=random,seed=2");
        struct hd_lanes_opt opt = {.mode = (enum hd_lanes_mode)mode, .maxlanes = 1};
        assert_int_equal(hd_lanes_assign(&ctx, &a, r, &opt, &lanes), HD_OK);
        assert_true(lanes.nleft > 0 && lanes.nleft < net->nep);
        for (uint32_t i = 0; i < lanes.nleft; i++) {
            assert_true(i == 0 || lanes.left[i - 1] < lanes.left[i]);
            memset(hd_row(r, lanes.left[i], 0), HD_SLOT_NONE, net->nsw);
        }
        assert_true(lanes_acyclic(r));
        hd_arena_release(&a);
        hd_routes_free(r);
        hd_net_free(net);
        net = make_torus(2, (const uint32_t[]){5, 5}, 1);
    }
    hd_net_free(net);
}

/* Lanes for routes with several variants: a lane for each (leaf, destination, variant). */
static void lanes_take_variants(void **state)
{
    (void)state;
    struct hd_net *net = make_ring(7, 1);
    struct hd_routes *one = open_routes(net, "psssp"), *two = open_routes(net, "psssp:order=random,tie=random"), *r;
    struct hd_arena a = {0};
    struct hd_lanes lanes;
    assert_int_equal(hd_routes_make(&ctx, net, 2, &r), HD_OK);
    r->select = HD_SELECT_ALL;
    for (uint32_t d = 0; d < net->nep; d++) {
        memcpy(hd_row(r, d, 0), hd_row(one, d, 0), net->nsw);
        memcpy(hd_row(r, d, 1), hd_row(two, d, 0), net->nsw);
    }
    assert_int_equal(check_routes(r).deadlock_free, 0);
    for (int mode = HD_LANES_PATH; mode <= HD_LANES_DEST; mode++) {
        struct hd_lanes_opt opt = {.mode = (enum hd_lanes_mode)mode, .maxlanes = 8};
        assert_int_equal(hd_lanes_assign(&ctx, &a, r, &opt, &lanes), HD_OK);
        assert_int_equal(lanes.nleft, 0);
        assert_int_equal(check_routes(r).deadlock_free, 1);
    }
    hd_arena_release(&a);
    hd_routes_free(one);
    hd_routes_free(two);
    hd_routes_free(r);
    hd_net_free(net);
}

/* Every dependency of a credit loop is shown with a pair that has it in the VL of the loop. One destination is alone in
 * VL 0, where its paths have dependencies of the loop too. */
static void examples_are_pairs_of_the_vl(void **state)
{
    (void)state;
    struct hd_net *net = make_ring(5, 2);
    struct hd_routes *r;
    struct hd_check k;
    if (hd_routes_open(&ctx, net, "minhop", &r) != HD_OK) fail_msg("%s", ctx.error);
    r->lane_rule = HD_LANE_DEST;
    r->nlanes = 2;
    r->dest_lane = HD_NEW(&r->arena, uint8_t, net->nep);
    assert_non_null(r->dest_lane);
    for (uint32_t d = 1; d < net->nep; d++) r->dest_lane[d] = 1;
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, 0);
    assert_int_equal(k.cycle_lane, 1);
    assert_int_equal(k.ncycle, 5);
    for (uint32_t i = 0; i < k.ncycle; i++) {
        uint32_t chan[HD_MAX_HOPS], n = hd_routes_path(r, k.cycle[i].source, k.cycle[i].dest, 0, chan), at = 0;
        assert_true(k.cycle[i].dest != 0);
        while (at < n && chan[at] != k.cycle[i].c) at++;
        assert_true(at + 1 < n && chan[at + 1] == k.cycle[i].next);
    }
    hd_routes_free(r);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updown_rows_are_legal_and_complete),
        cmocka_unit_test(updown_takes_ranks_and_loads),
        cmocka_unit_test(dfsssp_is_free_of_credit_loops),
        cmocka_unit_test(examples_are_pairs_of_the_vl),
        cmocka_unit_test(rings_need_two_lanes),
        cmocka_unit_test(one_lane_on_a_ring_is_up_down),
        cmocka_unit_test(dfsssp_routes_a_4x4x4_torus_in_eight_lanes),
        cmocka_unit_test(lanes_name_what_does_not_fit),
        cmocka_unit_test(lanes_take_variants),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
