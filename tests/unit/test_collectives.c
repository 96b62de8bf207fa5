/* SPDX-License-Identifier: BSD-2-Clause */
/* Collective operations do what they are for: messages carry all that their sender knew before the stage, and when the
 * last stage is over everybody who should know something does. Nothing here looks at how a sequence is made, so it
 * holds for any number of ranks at any places of a tree. */
#include "testing.h"
#include "drawing.h"

enum { MOST_RANKS = 64 };

/* know[i]: the ranks whose contribution rank i has, as bits, after all stages. */
static void run_stages(struct drawing *d, uint64_t know[MOST_RANKS])
{
    uint64_t before[MOST_RANKS];
    assert_true(d->ranks.n <= MOST_RANKS);
    for (uint32_t i = 0; i < d->ranks.n; i++) know[i] = (uint64_t)1 << i;
    for (uint64_t stage = 0; stage < stage_count(d); stage++) {
        const struct hd_flows *f = draw_stage(d, stage);
        memcpy(before, know, sizeof before);
        for (uint32_t i = 0; i < f->n; i++) know[d->rank_of[f->dst[i]]] |= before[d->rank_of[f->src[i]]];
    }
}

static uint64_t everybody(const struct drawing *d)
{
    return d->ranks.n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << d->ranks.n) - 1;
}

static void all_know_all(struct drawing *d, const char *spec)
{
    uint64_t know[MOST_RANKS];
    set_pattern(d, spec);
    run_stages(d, know);
    for (uint32_t i = 0; i < d->ranks.n; i++)
        if (know[i] != everybody(d))
            fail_msg("%s, %u ranks of %s: rank %u has not heard from all", spec, d->ranks.n, d->net->spec, i);
}

static uint32_t floor_log2(uint32_t n)
{
    uint32_t l = 0;
    while (n >>= 1) l++;
    return l;
}

/* Recursive doubling along the tree, on whole trees and with ranks missing anywhere. */
static void reductions_along_trees(void **state)
{
    (void)state;
    static const char *const nets[] = {"ft:m=4,n=3",
                                       "pgft:m=3x5x2,w=1x3x2,p=1x1x1",
                                       "pgft:m=4x4,w=1x4,p=1x1",
                                       "xgft:m=2x2x2x2,w=1x2x2x2",
                                       "gft:n=5,m=3,r=7",
                                       "gft:n=6,m=2,r=1"};
    for (size_t k = 0; k < COUNT(nets); k++) {
        struct drawing d;
        start_drawing(&d, nets[k], NULL, NULL);
        struct hd_ranks all = d.ranks;
        all_know_all(&d, "recdbl-tree");
        for (uint32_t n = 2; n < all.n; n++) {
            d.ranks = all;
            keep_ranks(&d, n, n % 3); /* the first ones, or some in random order */
            all_know_all(&d, "recdbl-tree");
            /* as fast as possible where every level has a power of two; never faster than one doubling per stage */
            assert_true(stage_count(&d) >= floor_log2(n));
        }
        stop_drawing(&d);
    }
}

/* A full binary tree needs no more than the doublings themselves, and partners are as near as possible first. */
static void doublings_of_a_full_tree(void **state)
{
    (void)state;
    struct drawing d;
    start_drawing(&d, "xgft:m=4x2x4,w=1x2x2", NULL, NULL);
    set_pattern(&d, "recdbl-tree");
    assert_int_equal(d.ranks.n, 32);
    assert_int_equal(stage_count(&d), 5);
    for (uint64_t stage = 0; stage < 5; stage++) {
        const struct hd_flows *f = draw_stage(&d, stage);
        assert_int_equal(f->n, 32);
        for (uint32_t i = 0; i < f->n; i++) assert_int_equal(f->src[i] ^ f->dst[i], 1u << stage);
    }
    stop_drawing(&d);
}

static void everybody_hears(void **state)
{
    (void)state;
    static const char *const specs[] = {"recdbl",
                                        "rev-bruck",
                                        "collective:op=barrier,alg=tree",
                                        "collective:op=barrier,alg=tournament",
                                        "bruck",
                                        "collective:op=allreduce",
                                        "collective:op=allreduce,size=small",
                                        "collective:op=barrier,alg=doubling",
                                        "collective:op=allgather,size=small",
                                        "collective:op=allreduce,alg=rabenseifner"};
    struct drawing d;
    start_drawing(&d, "gft:n=5,m=2,r=8", NULL, NULL);
    struct hd_ranks all = d.ranks;
    for (uint32_t n = 2; n <= 33; n++) {
        d.ranks = all;
        keep_ranks(&d, n, 7);
        for (size_t k = 0; k < COUNT(specs); k++) all_know_all(&d, specs[k]);
    }
    stop_drawing(&d);
}

/* One to all, and all to one: rank 0. */
static void one_and_all(void **state)
{
    (void)state;
    struct drawing d;
    start_drawing(&d, "gft:n=5,m=2,r=8", NULL, NULL);
    struct hd_ranks all = d.ranks;
    for (uint32_t n = 2; n <= 33; n++) {
        uint64_t know[MOST_RANKS];
        d.ranks = all;
        keep_ranks(&d, n, 7);
        set_pattern(&d, "binomial");
        run_stages(&d, know);
        for (uint32_t i = 0; i < n; i++) assert_true(know[i] & 1);
        set_pattern(&d, "collective:op=reduce,size=small");
        run_stages(&d, know);
        assert_true(know[0] == everybody(&d));
    }
    stop_drawing(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_along_trees),
        cmocka_unit_test(doublings_of_a_full_tree),
        cmocka_unit_test(everybody_hears),
        cmocka_unit_test(one_and_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
