/* SPDX-License-Identifier: BSD-2-Clause */
/* psssp and p2sssp against slow literal versions: every entry is compared with what the definition says. */
#include "sssp_tools.h"
#include "graph_tools.h"
#include "base/context.h"

/* ---- literal versions ------------------------------------------------------------------------ */

/* Replays the engine's destinations in order: each entry must lead along a least key. Among equals it
 * must be the first one, unless ties are drawn. */
static void verify_psssp(const struct hd_net *net, const char *spec, const struct hd_sssp_opt *o)
{
    struct hd_routes *r = open_routes(net, spec);
    uint32_t *load = calloc(net->nchan + 1, sizeof *load), *order = calloc(net->nep + 1, sizeof *order);
    struct key *key = calloc(net->nsw + 1, sizeof *key);
    assert_int_equal(hd_sssp_order(&ctx, net, o, order), HD_OK);
    for (uint32_t i = 0; i < net->nep; i++) {
        uint32_t d = order[i], t = hd_leaf(net, d);
        const uint8_t *row = hd_row(r, d, 0);
        find_keys(net, t, load, o->minimal, key);
        assert_int_equal(net->head[net->off[t] + row[t]], net->nsw + d);
        for (uint32_t v = 0; v < net->nsw; v++) {
            if (v == t) continue;
            uint32_t first = HD_SLOT_NONE;
            bool least = false;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                uint32_t u = net->head[c];
                if (u >= net->nsw || key[v].load == UINT32_MAX || key[u].load == UINT32_MAX) continue;
                struct key k = longer(key[u], load[c], o->minimal);
                if (less(key[v], k)) continue;
                if (first == HD_SLOT_NONE) first = c - net->off[v];
                least |= c - net->off[v] == row[v];
            }
            if (key[v].load == UINT32_MAX)
                assert_int_equal(row[v], HD_SLOT_NONE);
            else if (o->tie == HD_SSSP_FIRST)
                assert_int_equal(row[v], first);
            else
                assert_true(least);
        }
        walk_sources(r, d, load);
    }
    free(load);
    free(order);
    free(key);
    hd_routes_free(r);
}

/* All shortest paths from v to t that keep the entries there are, in order of slots; the best is kept. */
struct search {
    const struct hd_net *net;
    const uint8_t *row;
    const struct key *dist;
    const uint32_t *load;
    uint32_t path[64], best[64], nbest;
    uint64_t least;
};

static void try_paths(struct search *s, uint32_t v, uint32_t t, uint32_t n, uint64_t sum)
{
    if (v == t) {
        if (sum >= s->least) return;
        s->least = sum;
        s->nbest = n;
        memcpy(s->best, s->path, sizeof s->best);
        return;
    }
    for (uint32_t c = s->net->off[v]; c < s->net->off[v + 1]; c++) {
        uint32_t u = s->net->head[c];
        if (u >= s->net->nsw || s->dist[u].hops + 1 != s->dist[v].hops) continue;
        if (s->row[v] != HD_SLOT_NONE && s->row[v] != c - s->net->off[v]) continue;
        s->path[n] = c;
        try_paths(s, u, t, n + 1, sum + s->load[c]);
    }
}

static uint8_t *literal_p2sssp(const struct hd_net *net, uint32_t *load)
{
    uint8_t *table = malloc((size_t)net->nep * net->nsw + 1);
    uint32_t *zero = calloc(net->nchan + 1, sizeof *zero);
    struct key *dist = calloc(net->nsw + 1, sizeof *dist);
    memset(table, HD_SLOT_NONE, (size_t)net->nep * net->nsw);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t x = hd_leaf(net, s), t = hd_leaf(net, d);
            uint8_t *row = table + (size_t)d * net->nsw;
            find_keys(net, t, zero, true, dist);
            if (x == t || dist[x].load == UINT32_MAX) continue;
            struct search find = {.net = net, .row = row, .dist = dist, .load = load, .least = UINT64_MAX};
            try_paths(&find, x, t, 0, 0);
            for (uint32_t i = 0; i < find.nbest; i++) {
                uint32_t c = find.best[i];
                row[net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
                load[c]++;
            }
        }
    free(zero);
    free(dist);
    return table;
}

/* ---- psssp ------------------------------------------------------------------------------------ */

static void psssp_follows_its_definition(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        struct hd_sssp_opt opt;
    } cases[] = {
        {"psssp", {HD_SSSP_INDEX, HD_SSSP_FIRST, true, 0, HD_SSSP_HEDDLE}},
        {"psssp:order=leaf", {HD_SSSP_LEAF, HD_SSSP_FIRST, true, 0, HD_SSSP_HEDDLE}},
        {"psssp:order=random,seed=9", {HD_SSSP_RANDOM, HD_SSSP_FIRST, true, 9, HD_SSSP_HEDDLE}},
        {"psssp:tie=random", {HD_SSSP_INDEX, HD_SSSP_ANY, true, 0, HD_SSSP_HEDDLE}},
        {"psssp:minimal=off", {HD_SSSP_INDEX, HD_SSSP_FIRST, false, 0, HD_SSSP_HEDDLE}},
        {"psssp:minimal=off,tie=random,order=random", {HD_SSSP_RANDOM, HD_SSSP_ANY, false, 0, HD_SSSP_HEDDLE}},
    };
    for (uint64_t seed = 1; seed <= RANDOM_NETS; seed++) {
        struct hd_net *net = make_random(seed);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) verify_psssp(net, cases[i].spec, &cases[i].opt);
        hd_net_free(net);
    }
    struct hd_net *torus = make_torus(3, (const uint32_t[]){4, 3, 2}, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) verify_psssp(torus, cases[i].spec, &cases[i].opt);
    hd_net_free(torus);
}

static void psssp_is_minimal_and_complete(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= RANDOM_NETS; seed++) {
        struct hd_net *net = make_random(seed);
        const char *specs[] = {"psssp", "psssp:order=random,tie=random", "psssp:minimal=off", "p2sssp",
                               "p2sssp:tie=random"};
        for (size_t i = 0; i < 4; i++) {
            struct hd_routes *r = open_routes(net, specs[i]);
            struct hd_check k = check_routes(r);
            assert_int_equal(k.unreachable + k.loops, 0);
            if (i != 2) assert_int_equal(k.nonminimal, 0);
            hd_routes_free(r);
        }
        hd_net_free(net);
    }
}

/* Order by leaf: every endpoint once, fuller leaves first, a leaf's endpoints together. */
static void orders_are_permutations(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= RANDOM_NETS; seed++) {
        struct hd_net *net = make_random(seed);
        uint32_t order[64], count[64] = {0};
        for (uint32_t e = 0; e < net->nep; e++) count[hd_leaf(net, e)]++;
        for (int kind = HD_SSSP_INDEX; kind <= HD_SSSP_LEAF; kind++) {
            bool seen[64] = {0};
            assert_int_equal(hd_sssp_order(&ctx, net, &(struct hd_sssp_opt){.order = kind, .seed = 3}, order), HD_OK);
            for (uint32_t i = 0; i < net->nep; i++) {
                assert_false(seen[order[i]]);
                seen[order[i]] = true;
                if (kind != HD_SSSP_LEAF || i == 0) continue;
                uint32_t a = hd_leaf(net, order[i - 1]), b = hd_leaf(net, order[i]);
                assert_true(count[a] > count[b] || (count[a] == count[b] && a <= b));
            }
        }
        hd_net_free(net);
    }
}

/* A minimal=off path may be longer than a shortest one when those are loaded: two switches connected by a
 * cable and by a detour, with more than two endpoints each. */
static void psssp_detours_when_allowed(void **state)
{
    (void)state;
    const char *const cables[] = {"AB", "AC", "CB", "A0", "A1", "A2", "B3", "B4", "B5", NULL};
    struct hd_net *net = make_drawn("triangle", 3, 6, cables);
    struct hd_routes *any = open_routes(net, "psssp:minimal=off"), *minimal = open_routes(net, "psssp");
    assert_true(check_routes(any).nonminimal > 0);
    assert_int_equal(check_routes(minimal).nonminimal, 0);
    hd_routes_free(any);
    hd_routes_free(minimal);
    hd_net_free(net);
}

/* ---- p2sssp ----------------------------------------------------------------------------------- */

static void p2sssp_follows_its_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= RANDOM_NETS + 2; seed++) {
        struct hd_net *net =
            seed <= RANDOM_NETS ? make_random(seed) : make_torus(2, (const uint32_t[]){4, seed % 2 ? 3 : 4}, 2);
        uint32_t *load = calloc(net->nchan + 1, sizeof *load), *ours = calloc(net->nchan + 1, sizeof *ours);
        uint8_t *table = literal_p2sssp(net, load);
        struct hd_routes *r = open_routes(net, "p2sssp");
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t *far = distances(net, hd_leaf(net, d));
            for (uint32_t v = 0; v < net->nsw; v++) {
                if (table[(size_t)d * net->nsw + v] != HD_SLOT_NONE)
                    assert_int_equal(hd_row(r, d, 0)[v], table[(size_t)d * net->nsw + v]);
                else if (far[v] != FAR && v != hd_leaf(net, d)) /* no source has passed: a shortest path as well */
                    assert_int_equal(far[net->head[net->off[v] + hd_row(r, d, 0)[v]]], far[v] - 1);
            }
            free(far);
            walk_sources(r, d, ours);
        }
        assert_memory_equal(ours, load, net->nchan * sizeof *load);
        free(table);
        free(load);
        free(ours);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- degenerate networks, threads --------------------------------------------------------------- */

static void degenerate_networks_are_routed(void **state)
{
    (void)state;
    const char *const one_switch[] = {"A0", NULL}, *const pair[] = {"A0", "A1", NULL};
    const char *const parts[] = {"A0", "B1", "CD", "C2", "D3", NULL};
    const char *const bare[] = {"AB", "BC", "CA", NULL}, *const doubled[] = {"AB", "AB", "AB", "A0", "B1", NULL};
    const struct {
        uint32_t nsw, nep;
        const char *const *cables;
    } nets[] = {{1, 1, one_switch}, {1, 2, pair}, {4, 4, parts}, {3, 0, bare}, {2, 2, doubled}, {2, 1, one_switch}};
    const char *specs[] = {"psssp",  "psssp:minimal=off", "psssp:form=opensm", "p2sssp",
                           "dfsssp", "dfsssp:maxlanes=1", "dfsssp:form=opensm"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_drawn("degenerate", nets[i].nsw, nets[i].nep, nets[i].cables);
        for (size_t j = 0; j < sizeof specs / sizeof *specs; j++) {
            struct hd_routes *r = open_routes(net, specs[j]);
            assert_served_and_free(r, 1);
            hd_routes_free(r);
        }
        hd_net_free(net);
    }
}

static void routes_do_not_depend_on_threads(void **state)
{
    (void)state;
    struct hd_net *net = make_torus(2, (const uint32_t[]){6, 5}, 2);
    const char *specs[] = {"psssp:tie=random", "p2sssp", "p2sssp:tie=random", "dfsssp", "dfsssp:maxlanes=2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ctx.threads = 1;
        struct hd_routes *first = open_routes(net, specs[i]);
        for (ctx.threads = 2; ctx.threads <= 3; ctx.threads++) {
            struct hd_routes *r = open_routes(net, specs[i]);
            assert_memory_equal(r->table, first->table, (size_t)net->nep * net->nsw);
            assert_int_equal(r->nlanes, first->nlanes);
            if (r->leaf_lane) assert_memory_equal(r->leaf_lane, first->leaf_lane, (size_t)net->nep * r->nleaf);
            hd_routes_free(r);
        }
        hd_routes_free(first);
    }
    ctx.threads = 1;
    hd_net_free(net);
}

static void seeds_change_the_draw(void **state)
{
    (void)state;
    struct hd_net *net = make_torus(2, (const uint32_t[]){6, 5}, 2);
    struct hd_routes *a = open_routes(net, "psssp:tie=random,seed=1"), *b = open_routes(net, "psssp:tie=random,seed=2");
    struct hd_routes *c = open_routes(net, "psssp:tie=random");
    assert_memory_not_equal(a->table, b->table, (size_t)net->nep * net->nsw);
    assert_memory_equal(a->table, c->table, (size_t)net->nep * net->nsw); /* the context's seed is 1 */
    hd_routes_free(a);
    hd_routes_free(b);
    hd_routes_free(c);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(psssp_follows_its_definition),    cmocka_unit_test(psssp_is_minimal_and_complete),
        cmocka_unit_test(orders_are_permutations),         cmocka_unit_test(psssp_detours_when_allowed),
        cmocka_unit_test(p2sssp_follows_its_definition),   cmocka_unit_test(degenerate_networks_are_routed),
        cmocka_unit_test(routes_do_not_depend_on_threads), cmocka_unit_test(seeds_change_the_draw),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
