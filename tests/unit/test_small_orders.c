/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of seven or eight nodes against all orders there are. Every permutation is counted by a walker of this file,
 * from the paths of the pairs alone: the library must count the same, and its searches must find the best,
 * or for a Shift nearly so. */
#include "order_tools.h"

#include "order/shift_keys.h"

#include <math.h>

enum { MOST_NODES = 8 };

/* Channels of the path between two nodes of the job. */
struct pair_paths {
    uint32_t n, nchan;
    uint32_t hops[MOST_NODES][MOST_NODES], chan[MOST_NODES][MOST_NODES][HD_MAX_HOPS];
};

static void walk_pairs(const struct rig *g, const struct hd_nodes *nodes, struct pair_paths *p)
{
    p->n = nodes->n;
    p->nchan = g->net->nchan;
    for (uint32_t a = 0; a < p->n; a++)
        for (uint32_t b = 0; b < p->n; b++)
            if (a != b) p->hops[a][b] = hd_routes_path(g->r, nodes->ep[a], nodes->ep[b], 0, p->chan[a][b]);
}

/* Whom rank i sends to in a stage; UINT32_MAX: nobody. */
static uint32_t partner_of(enum hd_case use, uint32_t n, uint32_t stage, uint32_t i)
{
    if (use == HD_CASE_RECDBL) return (i ^ 1u << stage) < n ? i ^ 1u << stage : UINT32_MAX;
    return (i + (use == HD_CASE_SHIFT ? stage + 1 : 1)) % n;
}

/* Average over the stages of the largest load of a channel. */
static double walked_average(const struct pair_paths *p, const uint32_t *rank, enum hd_case use)
{
    static uint8_t load[4096];
    uint32_t stages = use == HD_CASE_RING ? 1 : use == HD_CASE_SHIFT ? p->n - 1 : 3, sum = 0;
    for (uint32_t stage = 0; stage < stages; stage++) {
        uint32_t most = 0;
        memset(load, 0, p->nchan);
        for (uint32_t i = 0; i < p->n; i++) {
            uint32_t to = partner_of(use, p->n, stage, i);
            if (to == UINT32_MAX) continue;
            uint32_t a = rank[i], b = rank[to];
            for (uint32_t j = 0; j < p->hops[a][b]; j++)
                if (++load[p->chan[a][b][j]] > most) most = load[p->chan[a][b][j]];
        }
        sum += most;
    }
    return (double)sum / stages;
}

/* The least average of all orders, by Heap's permutations; every 97th is counted by the library, too. */
static double least_average(struct rig *g, const struct hd_nodes *nodes, const struct pair_paths *p, enum hd_case use)
{
    uint32_t rank[MOST_NODES], c[MOST_NODES] = {0}, seen = 0;
    for (uint32_t i = 0; i < p->n; i++) rank[i] = i;
    double least = walked_average(p, rank, use);
    for (uint32_t i = 0; i < p->n;) {
        if (c[i] >= i) {
            c[i++] = 0;
            continue;
        }
        uint32_t j = i % 2 ? c[i] : 0, t = rank[j];
        rank[j] = rank[i];
        rank[i] = t;
        double now = walked_average(p, rank, use);
        if (seen++ % 97 == 0 && fabs(count(g, nodes, rank, use).average - now) > 1e-9)
            fail_msg("%s, %s: counted %g, walked %g", g->net->spec, hd_case_name(use),
                     count(g, nodes, rank, use).average, now);
        if (now < least) least = now;
        c[i]++;
        i = 0;
    }
    return least;
}

static const struct {
    const char *net, *table;
} fabrics[] = {
    {"torus:dims=3x3,hosts=1", "dor"},
    {"ft:m=4,n=3", "random"},
    {"gft:n=3,m=2,r=4", "dmodk"},
    {"random:switches=6,seed=3", "updown"},
};

static void check_goal(struct rig *g, const struct hd_nodes *nodes, enum hd_goal goal, enum hd_case use)
{
    static struct pair_paths p;
    walk_pairs(g, nodes, &p);
    struct hd_order *o = order_for(g, nodes, goal);
    double got = walked_average(&p, o->rank, use), least = least_average(g, nodes, &p, use), bound;
    /* the search for a Shift sees sums of loads: it may end with one more in one stage */
    double spare = use == HD_CASE_SHIFT ? 1.0 / (p.n - 1) : 0;
    if (got > least + spare + 1e-9)
        fail_msg("%s, %s: %g, and %g is possible", g->net->spec, hd_goal_name(goal), got, least);
    if (use == HD_CASE_SHIFT) {
        assert_int_equal(hd_order_bound(&g->ctx, g->r, nodes, &bound), HD_OK);
        assert_true(bound <= least + 1e-9);
        if (o->exact) assert_true(fabs(least - 1) < 1e-9); /* what is proved is so */
    }
    hd_order_free(o);
}

static void test_best_of_all_orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        struct rig g = rig(fabrics[i].net, fabrics[i].table);
        assert_true(g.all->n >= MOST_NODES);
        struct hd_nodes *seven = pick_random(&g, 7, i), *eight = pick_random(&g, 8, i);
        check_goal(&g, seven, HD_FOR_RING, HD_CASE_RING);
        check_goal(&g, seven, HD_FOR_ALLTOALL, HD_CASE_SHIFT);
        check_goal(&g, eight, HD_FOR_RECDBL, HD_CASE_RECDBL);
        hd_nodes_free(seven);
        hd_nodes_free(eight);
        done(&g);
    }
}

/* Under dmodk destinations share a key where they have the same remainder: of the ports up of a leaf, then of those of
 * a subtree, however many subtrees there are. */
static void test_keys_are_alike_in_all_subtrees(void **state)
{
    struct rig g = rig("xgft:m=4x4x4,w=1x4x4", "dmodk");
    struct hd_arena a = {0};
    struct hd_job_view view;
    struct hd_keys keys;
    (void)state;
    assert_int_equal(hd_job_view_init(&g.ctx, &a, g.r, g.all, &view), HD_OK);
    assert_int_equal(hd_keys_init(&g.ctx, &a, &view, &keys), HD_OK);
    assert_int_equal(keys.levels, 2);
    assert_int_equal(keys.nkey[0], 4);
    assert_int_equal(keys.nkey[1], 16);
    for (uint32_t i = 0; i < g.all->n; i++)
        for (uint32_t j = 0; j < i; j++)
            for (uint32_t l = 0, w = 4; l < 2; l++, w *= 4)
                assert_int_equal(keys.key[l][i] == keys.key[l][j], g.all->ep[i] % w == g.all->ep[j] % w);
    hd_arena_release(&a);
    done(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_of_all_orders),
        cmocka_unit_test(test_keys_are_alike_in_all_subtrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
