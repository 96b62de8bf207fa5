/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds for every engine OpenSM has: threads change nothing, small and registered networks are routed. */
#include "engine_tools.h"

/* ---- all of them --------------------------------------------------------------------------- */

static void test_threads_change_nothing(void **state)
{
    (void)state;
    struct hd_net *tree = make_net("xgft:m=6x6x12,w=1x6x6"),
                  *grid = make_grid("torus", 2, (uint32_t[]){9, 9}, HD_RING, 1, 2);
    struct hd_net *nets[] = {tree, grid};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < COUNT(engines); k++) {
            bool tree_only = strcmp(engines[k], "ftree") == 0 || strcmp(engines[k], "dmodc") == 0;
            if (i == 0 ? strcmp(engines[k], "dor") == 0 : tree_only) continue;
            struct hd_routes *a = make_routes_with(nets[i], engines[k], 1),
                             *b = make_routes_with(nets[i], engines[k], 3);
            same_rows(a, b);
            if (a->switch_table)
                assert_memory_equal(a->switch_table, b->switch_table, (size_t)nets[i]->nsw * nets[i]->nsw);
            hd_routes_free(a);
            hd_routes_free(b);
        }
    hd_net_free(tree);
    hd_net_free(grid);
}

/* Few of everything: `hosts` on each switch of two parallel chains of `length` (0: one switch only). */
static struct hd_net *make_small(uint32_t hosts, uint32_t chains, uint32_t length, uint32_t cables)
{
    struct hd_builder *b = builder();
    uint32_t port[16] = {0};
    char spec[64];
    for (uint32_t v = 0; v < chains * length; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.level = (uint8_t)(1 + v % length)});
        for (uint32_t h = 0; v % length == 0 && h < hosts; h++) hd_builder_host(b, v, ++port[v], LINK);
    }
    for (uint32_t v = 0; v < chains * length; v++)
        for (uint32_t k = 0; v % length + 1 < length && k < cables; k++)
            hd_builder_cable(b, v, ++port[v], v + 1, ++port[v + 1], LINK);
    snprintf(spec, sizeof spec, "%u chains of %u, %u hosts, %u cables", chains, length, hosts, cables);
    return finish(b, spec);
}

static void test_small_networks(void **state)
{
    (void)state;
    for (uint32_t hosts = 0; hosts < 3; hosts++)
        for (uint32_t chains = 1; chains < 4; chains++)
            for (uint32_t length = 1; length < 4; length++)
                for (size_t k = 0; k < COUNT(engines); k++) {
                    if (strcmp(engines[k], "dor") == 0) continue;
                    struct hd_net *net = make_small(hosts, chains, length, 1 + hosts);
                    check_minimal(net, engines[k], true);
                    hd_net_free(net);
                }
    struct hd_net *net = make_grid("one switch", 1, (uint32_t[]){1}, HD_LINE, 1, 0);
    check_minimal(net, "dor", true);
    hd_net_free(net);
}

static void test_registered(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(engines); i++) {
        const struct hd_desc *d = row_of(HD_ENGINES, engines[i]);
        assert_non_null(d);
        assert_non_null(d->text);
        assert_non_null(d->examples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_small_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
