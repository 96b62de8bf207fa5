/* SPDX-License-Identifier: BSD-2-Clause */
/* Schedules: every pair once, no rank twice in a stage, near the bound. */
#include "order_tools.h"

/* ---- schedules --------------------------------------------------------------------------------- */

static void test_schedules(void **state)
{
    (void)state;
    static const char *const nets[][2] = {{"pgft:m=12x12,w=1x6,p=1x2", "dmodk"},
                                          {"xgft:m=8x8,w=1x4", "dmodk"},
                                          {"ft:m=8,n=3", "ftree"},
                                          {"torus:dims=4x4,hosts=1", "psssp"}};
    for (size_t i = 0; i < 4; i++)
        for (uint32_t half = 1; half <= 2; half++) {
            struct rig g = rig(nets[i][0], nets[i][1]);
            struct hd_nodes *nodes = pick_random(&g, g.all->n / half, i);
            struct hd_order *o = order_for(&g, nodes, HD_FOR_TREE);
            struct hd_schedule *s, *again;
            struct hd_hsd h;
            assert_int_equal(hd_schedule_alltoall(&g.ctx, g.r, nodes, o->rank, &s), HD_OK);
            check_alltoall(&g, nodes, o->rank, s);
            if (s->stages < s->bound)
                fail_msg("%s: %llu stages, below the bound", nets[i][0], (unsigned long long)s->stages);
            if (i < 2 && s->stages * 10 > s->bound * 11)
                fail_msg("%s: %llu stages, bound %llu", nets[i][0], (unsigned long long)s->stages,
                         (unsigned long long)s->bound);
            assert_int_equal(hd_schedule_count(&g.ctx, g.r, nodes, o->rank, s, &h), HD_OK);
            assert_true(h.max == 1);
            assert_int_equal(hd_schedule_alltoall(&g.ctx, g.r, nodes, o->rank, &again), HD_OK);
            assert_int_equal(again->stages, s->stages);
            hd_schedule_free(again);
            hd_schedule_free(s);
            if (i == 0) { /* virtual slots: a formula, of HSD 1 on RLFTs */
                assert_int_equal(hd_schedule_slots(&g.ctx, g.r, nodes, o->rank, &s), HD_OK);
                check_alltoall(&g, nodes, o->rank, s);
                hd_schedule_free(s);
            }
            hd_order_free(o);
            hd_nodes_free(nodes);
            done(&g);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
