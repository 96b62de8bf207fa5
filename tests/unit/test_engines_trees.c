/* SPDX-License-Identifier: BSD-2-Clause */
/* dmodc and ftree: the closed form on whole trees, what is left of damaged ones, loads, and the Shift that ftree is
 * made for. */
#include "engine_tools.h"
#include "shuffle.h"
#include "tiny.h"

#include "base/rng.h"
#include "base/context.h"

#include <unistd.h>

/* ---- dmodc and ftree ----------------------------------------------------------------------- */

static void check_dmodc_is_dmodk(const char *spec)
{
    struct hd_net *net = make_net(spec), *bare = forget_shape(net);
    uint64_t full = 1;
    if (net->shape.kind == HD_SHAPE_TREE && !net->shape.missing && net->nsel == net->nep) { /* no aggregation nodes */
        struct hd_routes *k = make_routes(net, "dmodk"), *c = make_routes(net, "dmodc");
        same_rows(c, k);
        for (uint32_t i = 0; i < net->shape.n; i++) full *= net->shape.m[i];
        if (full == net->nep) { /* a whole tree is recognised from its levels alone */
            struct hd_routes *b = make_routes(bare, "dmodc");
            same_rows(k, b);
            hd_routes_free(b);
        }
        hd_routes_free(k);
        hd_routes_free(c);
    }
    hd_net_free(bare);
    hd_net_free(net);
}

static void test_dmodc_is_dmodk(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(tree_specs); i++) check_dmodc_is_dmodk(tree_specs[i]);
    const struct hd_desc *t;
    for (size_t i = 0; (t = row_at(HD_TOPOLOGIES, i)); i++)
        for (size_t k = 0; t->examples && t->examples[k]; k++) check_dmodc_is_dmodk(t->examples[k]);
}

static void place_by_level(const struct hd_net *net, uint32_t *place)
{
    for (uint32_t v = 0; v < net->nsw; v++) place[v] = 255u - net->level[v];
}

/* Serves exactly what has a path up and down, by a shortest such path, without a cycle. */
static void check_tree_engine(const struct hd_net *net, const char *engine)
{
    uint32_t *place = malloc(net->nsw * sizeof *place);
    place_by_level(net, place);
    uint16_t *length = legal_lengths(net, place, true);
    struct hd_routes *r = make_routes(net, engine);
    /* Beside endpoints that are not selected, pairs without a path up and down may have another, without a cycle. */
    for (size_t i = 0; i < (size_t)net->nsw * net->nsw && net->nsel < net->nep; i++)
        if (length[i] == NEVER) length[i] = ANY_LENGTH;
    struct pairs p = follow_all(r, length);
    if (p.cyclic) fail_msg("%s on %s: the dependencies have a cycle", engine, net->spec);
    for (uint32_t t = 0; t < r->nleaf; t++) { /* switches that no pair needs have entries too, and they lead there */
        const uint8_t *row = NULL;
        for (uint32_t e = 0; e < net->nep && !row; e++)
            if (hd_leaf(net, e) == r->leaf[t]) row = hd_routes_row(r, e, 0, NULL);
        for (uint32_t v = 0; v < net->nsw; v++) {
            uint16_t left = length[(size_t)v * net->nsw + r->leaf[t]];
            uint32_t u = v;
            if (left == ANY_LENGTH) { /* no entry at all, or entries that lead there */
                for (uint32_t k = 0; k < net->nsw && u < net->nsw && u != r->leaf[t] && row[u] != HD_SLOT_NONE; k++)
                    u = net->head[net->off[u] + row[u]];
                if (u != v || row[v] != HD_SLOT_NONE) assert_int_equal(u, r->leaf[t]);
                continue;
            }
            for (uint32_t k = 0; left != NEVER && k < left; k++) u = net->head[net->off[u] + row[u]];
            if (left == NEVER)
                assert_int_equal(row[v], HD_SLOT_NONE);
            else
                assert_int_equal(u, r->leaf[t]);
        }
    }
    agree_with_check(r, &p);
    pairs_free(&p);
    hd_routes_free(r);
    free(length);
    free(place);
}

static void test_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(tree_specs); i++) {
        struct hd_net *net = make_net(tree_specs[i]), *bare = forget_shape(net);
        check_minimal(net, "dmodc", true);
        check_minimal(net, "ftree", true);
        check_tree_engine(net, "dmodc");
        check_tree_engine(net, "ftree");
        check_tree_engine(bare, "dmodc");
        check_tree_engine(bare, "ftree");
        hd_net_free(bare);
        hd_net_free(net);
    }
}

/* Switches in any order, leaf switches last among them, and ports in any order, as a fabric is found. */
static void test_shuffled_trees(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct hd_net *net = make_net("pgft:m=6x6x2,w=1x6x1,p=1x1x6");
        uint32_t *new_sw = calloc(net->nsw, sizeof *new_sw);
        struct hd_net *found = shuffle_net(net, NULL, seed, new_sw), *tree = infer_net(found);
        check_tree_engine(tree, "dmodc");
        check_tree_engine(tree, "ftree");
        hd_net_free(tree);
        hd_net_free(found);
        hd_net_free(net);
        free(new_sw);
    }
}

static void test_degraded_trees(void **state)
{
    const char *const specs[] = {"xgft:m=4x4x6,w=1x4x4", "pgft:m=4x4x4,w=1x2x2,p=1x2x2", "xgft:m=2x2x2x3,w=1x2x2x2",
                                 "gft:n=3,m=3,r=6", "xgft:m=4x4x6,w=1x4x4,partial=random:60"};
    uint32_t cut = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            struct hd_net *net = make_net(specs[i]), *less = degrade(net, seed < 4 ? 50 : 300, seed),
                          *bare = forget_shape(less);
            cut += less->nchan < net->nchan;
            check_tree_engine(less, "dmodc");
            check_tree_engine(less, "ftree");
            check_tree_engine(bare, "dmodc");
            check_tree_engine(bare, "ftree");
            hd_net_free(bare);
            hd_net_free(less);
            hd_net_free(net);
        }
    assert_true(cut > 30);
}

/* Every tree there is a name for and the trees of real machines, with up to one cable in twenty gone: a pair is
 * served exactly where there is a path up and then down, and there is no credit loop. */
static void test_all_degraded_trees(void **state)
{
    const char *const rlfts[] = {"pgft:m=12x12,w=1x6,p=1x2", "pgft:m=18x18,w=1x9,p=1x2", "pgft:m=4x4x4,w=1x4x2,p=1x1x2",
                                 "pgft:m=6x6x2,w=1x6x1,p=1x1x6"};
    const struct hd_desc *t;
    uint32_t trees = 0, cut = 0;
    (void)state;
    for (size_t i = 0; (t = row_at(HD_TOPOLOGIES, i)); i++)
        for (size_t k = 0; t->examples && t->examples[k]; k++) {
            struct hd_net *net = make_net(t->examples[k]);
            bool tree = net->shape.kind == HD_SHAPE_TREE && net->nep <= 400 && net->nsw <= 200;
            trees += tree;
            for (uint64_t seed = 0; tree && seed < 3; seed++) {
                struct hd_net *less = degrade(net, 10 + 20 * (uint32_t)seed, 70 + seed);
                cut += less->nchan < net->nchan;
                check_tree_engine(less, "dmodc");
                check_tree_engine(less, "ftree");
                hd_net_free(less);
            }
            hd_net_free(net);
        }
    for (size_t i = 0; i < COUNT(rlfts); i++) {
        struct hd_net *net = make_net(rlfts[i]), *less = degrade(net, 50, 80 + i);
        cut += less->nchan < net->nchan;
        check_tree_engine(less, "dmodc");
        check_tree_engine(less, "ftree");
        hd_net_free(less);
        hd_net_free(net);
    }
    assert_true(trees >= 15 && cut >= 15);
}

/* Targets come in blocks of 64, each on one thread; what is counted in one says nothing in another. */
static void test_threads_and_damage(void **state)
{
    struct hd_net *net = make_net("gft:n=1,m=5,r=240");
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct hd_net *less = degrade(net, 200, seed);
        for (int k = 0; k < 2; k++) {
            struct hd_routes *a = make_routes_with(less, k ? "ftree" : "dmodc", 1),
                             *b = make_routes_with(less, k ? "ftree" : "dmodc", 4);
            same_rows(a, b);
            hd_routes_free(a);
            hd_routes_free(b);
        }
        hd_net_free(less);
    }
    hd_net_free(net);
}

/* Levels that are no PGFT: leaves of unequal size, unequal numbers of parents, endpoints on a spine, a
 * spine that is cabled to some leaves only, two cables here and one there. */
static void test_uneven_tree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct hd_builder *b = builder();
        struct hd_rng rng;
        uint32_t level[20], port[20];
        hd_rng_init(&rng, seed, HD_RNG_TEST, 3);
        for (uint32_t v = 0; v < 20; v++) {
            level[v] = v < 10 ? 1 : v < 16 ? 2 : 3;
            hd_builder_switch(b, &(struct hd_switch_in){.level = (uint8_t)level[v]});
            uint32_t hosts = level[v] == 1 ? hd_rng_below(&rng, 6) : hd_rng_below(&rng, 8) == 0;
            for (port[v] = 1; port[v] <= hosts; port[v]++) hd_builder_host(b, v, port[v], LINK);
        }
        for (uint32_t v = 0; v < 20; v++)
            for (uint32_t u = v + 1; u < 20; u++)
                for (uint32_t k = level[u] == level[v] + 1 ? hd_rng_below(&rng, 3) : 0; k > 0; k--)
                    hd_builder_cable(b, v, port[v]++, u, port[u]++, LINK);
        struct hd_net *net = finish(b, "uneven tree");
        check_tree_engine(net, "dmodc");
        check_tree_engine(net, "ftree");
        hd_net_free(net);
    }
}

static void test_trees_refuse(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    for (uint8_t v = 0; v < 3; v++) hd_builder_switch(b, &(struct hd_switch_in){.level = v < 2 ? 1 : 2});
    hd_builder_cable(b, 0, 1, 2, 1, LINK);
    hd_builder_cable(b, 1, 1, 2, 2, LINK);
    hd_builder_cable(b, 0, 2, 1, 2, LINK);
    struct hd_net *net = finish(b, "siblings");
    refuse_routes(net, "ftree", "'L1-0000' and 'L1-0001' does not connect neighbouring levels");
    refuse_routes(net, "dmodc", "dmodc: does not apply to siblings");
    hd_net_free(net);
    net = make_random(1, 5, 3, 2, 1);
    refuse_routes(net, "ftree", "level of");
    hd_net_free(net);
}

/* A leaf with two cables to one spine and none to another has the right number of cables, but not of parents. */
static void test_miscabled_tree(void **state)
{
    (void)state;
    static const char *const engines[] = {"dmodk", "smodk", "omrmn", "mlid", "wsr", "opt"};
    struct hd_net *net = tiny("2 2 2 0 0", "0-4 0-4 1-3 1-4 2-3 2-4"), *tree = infer_net(net);
    assert_int_equal(tree->shape.kind, HD_SHAPE_TREE);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        refuse_routes(tree, engines[i], "up cables missing: 1");
    check_tree_engine(tree, "dmodc");
    check_tree_engine(tree, "ftree");
    hd_net_free(tree);
    hd_net_free(net);
}

static void check_loads(const char *spec, const char *engine, uint64_t most, uint64_t percent)
{
    struct hd_net *net = make_net(spec);
    struct hd_routes *r = make_routes(net, engine);
    struct pairs p = follow_all(r, NULL);
    uint64_t over;
    if (largest_load(net, &p, 0, 0, NULL) > most)
        fail_msg("%s on %s: largest load %llu, expected %llu at most", engine, spec,
                 (unsigned long long)largest_load(net, &p, 0, 0, NULL), (unsigned long long)most);
    for (uint32_t l = 1; l < net->shape.n; l++)
        for (int up = 0; up < 2; up++) {
            uint64_t load = largest_load(net, &p, up ? l : l + 1, up ? l + 1 : l, &over);
            if (over > percent)
                fail_msg("%s on %s: level %u %s: largest load %llu is %llu %% of the average", engine, spec, l,
                         up ? "up" : "down", (unsigned long long)load, (unsigned long long)over);
        }
    pairs_free(&p);
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_tree_loads(void **state)
{
    const char *const engines[] = {"ftree", "dmodc", "dmodk", "settle"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        check_loads("ft:m=16,n=3", engines[i], 1016, 110);
        check_loads("xgft:m=6x6x12,w=1x6x6", engines[i], 426, 110);
        check_loads("pgft:m=6x6x4,w=1x6x2,p=1x1x3", engines[i], 6 * 138 / 6, 110);
        check_loads("pgft:m=12x12,w=1x6,p=1x2", engines[i], 132, 110);
    }
}

/* The larger of OpenSM's figures, by the check of loads that is fast enough for it. */
static void test_ftree_on_1944(void **state)
{
    (void)state;
    struct hd_net *net = make_net("pgft:m=18x18x6,w=1x18x6,p=1x1x3");
    struct hd_routes *r = make_routes(net, "ftree");
    uint64_t *load = calloc(net->nchan, sizeof *load);
    uint32_t chan[HD_MAX_HOPS], hosts = 18;
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t s = 0; s < net->nep;
             s += hosts) { /* endpoints of a leaf share their path but for the first cable */
            uint32_t first = s == d ? s + 1 : s, n = hd_routes_path(r, first, d, 0, chan);
            assert_int_equal(n > 2, hd_leaf(net, s) != hd_leaf(net, d));
            for (uint32_t i = 1; i + 1 < n; i++) load[chan[i]] += hosts;
        }
    for (uint32_t c = 0; c < net->nchan; c++) assert_true(load[c] <= 1926);
    free(load);
    hd_routes_free(r);
    hd_net_free(net);
}

/* Largest number of flows on a channel while endpoint i sends to i + k, over all k. */
static uint32_t worst_shift(const struct hd_net *net, const struct hd_routes *r)
{
    uint32_t *load = calloc(net->nchan, sizeof *load), chan[HD_MAX_HOPS], worst = 0;
    for (uint32_t k = 1; k < net->nep; k++) {
        memset(load, 0, net->nchan * sizeof *load);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t n = hd_routes_path(r, s, (s + k) % net->nep, 0, chan); n-- > 0;)
                if (++load[chan[n]] > worst) worst = load[chan[n]];
    }
    free(load);
    return worst;
}

/* On real-life trees every down cable serves one destination, and no Shift collides. */
static void test_ftree_shift(void **state)
{
    const char *const specs[] = {"pgft:m=12x12,w=1x6,p=1x2", "pgft:m=4x4x4,w=1x4x2,p=1x1x2", "ft:m=6,n=3",
                                 "gft:n=4,m=4,r=8"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        struct hd_net *net = make_net(specs[i]);
        struct hd_routes *r = make_routes(net, "ftree");
        struct pairs p = follow_all(r, NULL);
        for (uint32_t c = 0; c < net->nchan; c++)
            if (net->tail[c] < net->nsw && net->level[net->head[c]] < net->level[net->tail[c]])
                assert_int_equal(p.dests[c], 1);
        assert_int_equal(worst_shift(net, r), 1);
        pairs_free(&p);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Dummies: with one endpoint missing on every other leaf the others keep the paths they have in the full
 * tree, so a Shift of the full tree's ranks among those present still does not collide. */
static void test_ftree_dummies(void **state)
{
    (void)state;
    struct hd_net *full = make_net("gft:n=4,m=4,r=8"), *less = NULL;
    struct hd_ctx ctx;
    bool keep[32];
    hd_ctx_init(&ctx);
    for (uint32_t e = 0; e < 32; e++) keep[e] = e % 8 != 7 && e / 4 != 5; /* and one leaf with none */
    less = net_keeping(full, (struct keep){.ep = keep}, "with holes");
    struct hd_routes *a = make_routes(full, "ftree"), *b = make_routes(less, "ftree");
    for (uint32_t e = 0, d = 0; e < 32; e++) {
        if (!keep[e]) continue;
        for (uint32_t v = 0; v < 8; v++) { /* leaves name the same top switch */
            if (v == hd_leaf(full, e)) continue;
            uint8_t x = hd_routes_row(a, e, 0, NULL)[v], y = hd_routes_row(b, d, 0, NULL)[v];
            assert_int_equal(full->head[full->off[v] + x], less->head[less->off[v] + y]);
        }
        d++;
    }
    hd_routes_free(a);
    hd_routes_free(b);
    hd_net_free(full);
    hd_net_free(less);
}

static void test_order_files(void **state)
{
    char path[] = "/tmp/heddle-order-XXXXXX", engine[64];
    (void)state;
    struct hd_net *net = make_net("pgft:m=4x4,w=1x2,p=1x2");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (uint32_t e = net->nep; e-- > 8;) dprintf(fd, "%s\n", hd_node_name(net, net->nsw + e));
    close(fd);
    const char *const options[] = {"ftree:order", "dmodc:index"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(engine, sizeof engine, "%s=%s", options[i], path);
        check_minimal(net, engine, true);
        struct hd_routes *r = make_routes(net, engine);
        /* the first two listed go by the first two up cables of leaf 0, whichever endpoints they are */
        uint32_t up = 4;
        assert_int_equal(hd_routes_row(r, 15, 0, NULL)[0], up);
        assert_int_equal(hd_routes_row(r, 14, 0, NULL)[0], up + 1);
        hd_routes_free(r);
        snprintf(engine, sizeof engine, "%s=/no/such/file", options[i]);
        fail_routes(net, engine, HD_INPUT, "/no/such/file");
    }
    unlink(path);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dmodc_is_dmodk),     cmocka_unit_test(test_trees),
        cmocka_unit_test(test_degraded_trees),     cmocka_unit_test(test_all_degraded_trees),
        cmocka_unit_test(test_uneven_tree),        cmocka_unit_test(test_trees_refuse),
        cmocka_unit_test(test_miscabled_tree),     cmocka_unit_test(test_tree_loads),
        cmocka_unit_test(test_ftree_on_1944),      cmocka_unit_test(test_ftree_shift),
        cmocka_unit_test(test_ftree_dummies),      cmocka_unit_test(test_order_files),
        cmocka_unit_test(test_threads_and_damage), cmocka_unit_test(test_shuffled_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
