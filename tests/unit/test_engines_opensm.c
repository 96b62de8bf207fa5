/* SPDX-License-Identifier: BSD-2-Clause */
/* minhop, updown, dor, lash, ftree, dmodc and random, against the real OpenSM's tables and against
 * oracles that follow every pair. */
#include "opensm_oracle.h"

#include "route/acyclic.h"

#include <unistd.h>

static const char *const tree_specs[] = {"gft:n=4,m=4,r=8",
                                         "ft:m=4,n=3",
                                         "ft:m=8,n=2",
                                         "ft:m=6,n=1",
                                         "xgft:m=4x4x8,w=1x4x4",
                                         "xgft:m=3x2x2x3,w=1x2x3x2",
                                         "xgft:m=4x4x4,w=1x2x2,partial=leaves:7",
                                         "pgft:m=4x4,w=1x2,p=1x2",
                                         "pgft:m=6x6x4,w=1x3x2,p=1x2x3,partial=random:50",
                                         "pgft:m=3x4x5,w=1x2x3,p=1x3x2",
                                         "kary:k=2,n=4",
                                         "kary:k=3,n=2,partial=endpoints:7"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- minhop -------------------------------------------------------------------------------- */

static uint32_t node_of_guid(const struct hd_net *net, bool sw, uint64_t guid)
{
    uint32_t v = sw ? 0 : net->nsw, end = sw ? net->nsw : net->nsw + net->nep;
    while (v < end && net->guid[v] != guid) v++;
    assert_true(v < end);
    return v;
}

static void test_minhop_is_opensm(void **state)
{
    const char *const names[] = {"t4", "ft8x3", "torus444", "pgft-random50", "rnd516"};
    (void)state;
    for (size_t k = 0; k < COUNT(names); k++) {
        struct hd_net *net = read_ibsim(names[k]);
        struct hd_routes *r = make_routes(net, "minhop");
        gzFile f = open_data(names[k], "minhop.lfts");
        char line[512];
        unsigned long long guid;
        unsigned port;
        uint32_t v = 0;
        uint64_t entries = 0;
        uint8_t *row = malloc(net->nsw);
        while (gzgets(f, line, sizeof line)) {
            const char *at = strstr(line, "guid 0x");
            if (!at) continue;
            assert_int_equal(sscanf(at, "guid 0x%llx", &guid), 1);
            if (strncmp(line, "Unicast", 7) == 0) {
                v = node_of_guid(net, true, guid);
                continue;
            }
            bool to_switch = strstr(line, "# Switch");
            uint32_t d = node_of_guid(net, to_switch, guid);
            assert_int_equal(sscanf(line, "0x%*x %u", &port), 1);
            if (to_switch) hd_routes_switch_row(r, d, row);
            uint8_t slot = to_switch ? row[v] : hd_routes_row(r, d - net->nsw, 0, row)[v];
            uint32_t mine = d == v ? 0 : slot == HD_SLOT_NONE ? 999 : net->port[net->off[v] + slot];
            if (mine != port)
                fail_msg("%s: %s to %s: port %u, OpenSM has %u", names[k], hd_node_name(net, v), hd_node_name(net, d),
                         mine, port);
            entries++;
        }
        assert_int_equal(entries, (uint64_t)net->nsw * (net->nsw + net->nep));
        gzclose(f);
        free(row);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- shortest paths everywhere -------------------------------------------------------------- */

static void check_minimal(const struct hd_net *net, const char *engine, bool acyclic)
{
    uint16_t *dist = all_distances(net);
    struct hd_routes *r = make_routes(net, engine);
    struct pairs p = follow_all(r, dist);
    agree_with_check(r, &p);
    if (acyclic && p.cyclic) fail_msg("%s on %s: the dependencies have a cycle", engine, net->spec);
    pairs_free(&p);
    hd_routes_free(r);
    free(dist);
}

static void test_minimal_on_random_networks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct hd_net *net = make_random(seed, 1 + seed % 13, seed % 4 * 6, 3, 1 + (seed % 13 > 4 && seed % 5 == 0));
        check_minimal(net, "minhop", false);
        check_minimal(net, "random", false);
        check_minimal(net, "lash", true);
        hd_net_free(net);
    }
}

/* The oracle finds cycles where there are some: shortest paths round a ring. */
static void test_ring_is_cyclic(void **state)
{
    const uint32_t m[] = {6};
    (void)state;
    struct hd_net *net = make_grid("ring", 1, m, HD_RING, 1, 2);
    const char *const engines[] = {"minhop", "dor", "random"};
    for (size_t i = 0; i < 3; i++) {
        struct hd_routes *r = make_routes(net, engines[i]);
        struct pairs p = follow_all(r, NULL);
        assert_true(p.cyclic);
        agree_with_check(r, &p);
        pairs_free(&p);
        hd_routes_free(r);
    }
    hd_net_free(net);
}

static void test_random_seeds(void **state)
{
    (void)state;
    struct hd_net *net = make_net("gft:n=4,m=4,r=8");
    struct hd_routes *r[] = {make_routes(net, "random:seed=5"), make_routes(net, "random:seed=5"),
                             make_routes(net, "random:seed=6")};
    size_t cells = (size_t)net->nsw * net->nep;
    assert_memory_equal(r[0]->table, r[1]->table, cells);
    assert_memory_not_equal(r[0]->table, r[2]->table, cells);
    uint32_t hits[4] = {0}; /* every one of the four tops is drawn about as often */
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t v = 0; v < 8; v++)
            if (hd_leaf(net, d) != v) hits[r[0]->table[(size_t)d * net->nsw + v] - 4]++;
    for (int i = 0; i < 4; i++) assert_in_range(hits[i], 35, 77); /* 224 / 4 = 56, deviation 6.5 */
    for (int i = 0; i < 3; i++) hd_routes_free(r[i]);
    hd_net_free(net);
}

/* ---- updown -------------------------------------------------------------------------------- */

static void place_from(const struct hd_net *net, const uint16_t *dist, uint32_t root, uint32_t *place)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        place[v] = 0;
        for (uint32_t u = 0; u < net->nsw; u++) {
            uint16_t a = dist[(size_t)root * net->nsw + u], b = dist[(size_t)root * net->nsw + v];
            place[v] += a < b || (a == b && u < v);
        }
    }
}

/* Lengths under the plain rule that is easy to see correct: down wherever there is a way down, else up. */
static uint16_t *plain_ways(const struct hd_net *net, const uint32_t *place)
{
    size_t n = net->nsw;
    uint16_t *way = ways(net, place, false);
    for (uint32_t at = 0; at < n; at++) { /* front of the line first */
        uint32_t v = 0;
        while (place[v] != at) v++;
        for (size_t t = 0; t < n; t++) {
            uint16_t best = NEVER;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                uint32_t u = net->head[c];
                if (u < n && place[u] < at && way[u * n + t] < best - 1) best = (uint16_t)(way[u * n + t] + 1);
            }
            if (way[v * n + t] == NEVER) way[v * n + t] = best;
        }
    }
    return way;
}

/* Each path climbs and then descends, is no shorter than the shortest such way, and no longer than with
 * the plain rule. Returns the channels saved over the plain rule. */
static uint64_t check_updown_paths(const struct hd_net *net, const struct hd_routes *r, const uint32_t *place)
{
    uint16_t *best = ways(net, place, true), *plain = plain_ways(net, place);
    uint32_t chan[HD_MAX_HOPS];
    uint64_t saved = 0;
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            if (s == d) continue;
            size_t i = (size_t)hd_leaf(net, s) * net->nsw + hd_leaf(net, d);
            uint32_t hops = hd_routes_path(r, s, d, 0, chan);
            bool descending = false;
            if (hops < best[i] + 2u || hops > plain[i] + 2u)
                fail_msg("%s: %u to %u: %u channels, expected %u to %u", net->spec, s, d, hops, best[i] + 2u,
                         plain[i] + 2u);
            saved += plain[i] + 2u - hops;
            for (uint32_t k = 1; k + 1 < hops; k++) {
                bool down = place[net->head[chan[k]]] > place[net->tail[chan[k]]];
                if (descending && !down) fail_msg("%s: %u to %u turns from down to up", net->spec, s, d);
                descending = down;
            }
        }
    free(best);
    free(plain);
    return saved;
}

static void test_updown_on_random_networks(void **state)
{
    uint64_t saved = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 250; seed++) {
        uint32_t parts = seed % 7 == 0 ? 2 : 1, n = parts + (uint32_t)(seed % 17);
        struct hd_net *net = make_random(seed, n, (uint32_t)(seed % 5) * n / 2, 3, parts);
        uint16_t *dist = all_distances(net);
        struct hd_routes *r = make_routes(net, "updown");
        struct pairs p = follow_all(r, NULL);
        uint64_t possible = 0;
        if (p.cyclic) fail_msg("updown on %s: a cycle", net->spec);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++)
                possible += s != d && dist[(size_t)hd_leaf(net, s) * n + hd_leaf(net, d)] != NEVER;
        assert_int_equal(p.served, possible);
        agree_with_check(r, &p);
        pairs_free(&p);
        hd_routes_free(r);
        if (parts == 1) {
            uint32_t root = (uint32_t)(seed % n), place[64];
            char engine[300];
            if (seed % 2)
                snprintf(engine, sizeof engine, "updown:roots=%s", hd_node_name(net, root));
            else
                snprintf(engine, sizeof engine, "updown:roots=0x%016llx", (unsigned long long)net->guid[root]);
            place_from(net, dist, root, place);
            r = make_routes(net, engine);
            saved += check_updown_paths(net, r, place);
            hd_routes_free(r);
        }
        free(dist);
        hd_net_free(net);
    }
    assert_true(saved > 0); /* the rule is better than the plain one, not just different */
}

/* The fabric on which OpenSM's updn has a credit loop. */
static void test_updown_on_rnd516(void **state)
{
    (void)state;
    struct hd_net *net = read_ibsim("rnd516");
    uint16_t *dist = all_distances(net);
    uint32_t *place = malloc(net->nsw * sizeof *place);
    struct hd_routes *r = make_routes(net, "updown:roots=sw-0000");
    struct pairs p = follow_all(r, NULL);
    assert_false(p.cyclic);
    assert_int_equal(p.unserved, 0);
    place_from(net, dist, node_of_guid(net, true, 0x2c90000100000), place);
    check_updown_paths(net, r, place);
    assert_true(largest_load(net, &p, 0, 0, NULL) <= 3324); /* what OpenSM's has */
    pairs_free(&p);
    hd_routes_free(r);
    free(place);
    free(dist);
    hd_net_free(net);
}

/* Two trees whose tops have nothing above both: with both roots some pairs have no way, so one is dropped. */
static void test_updown_roots(void **state)
{
    (void)state;
    struct hd_builder *b = builder();
    for (int i = 0; i < 4; i++)
        hd_builder_switch(b, &(struct hd_switch_in){.name = (const char *[]){"a", "b", "c", "d"}[i]});
    hd_builder_host(b, 0, 1, LINK);
    hd_builder_host(b, 3, 1, LINK);
    for (uint32_t i = 0; i < 3; i++) hd_builder_cable(b, i, 2, i + 1, 3, LINK); /* a - b - c - d */
    struct hd_net *net = finish(b, "chain");
    const char *const engines[] = {"updown", "updown:roots=a+d", "updown:roots=b+c", "updown:roots=d"};
    for (size_t i = 0; i < COUNT(engines); i++) check_minimal(net, engines[i], true);
    refuse_routes(net, "updown:roots=a+nobody", "roots=a+nobody");
    refuse_routes(net, "updown:roots=/no/such/file", "/no/such/file");
    char path[] = "/tmp/heddle-roots-XXXXXX", engine[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    dprintf(fd, "# tops\n b \n\n0x%llx\n", (unsigned long long)net->guid[2]);
    close(fd);
    snprintf(engine, sizeof engine, "updown:roots=%s", path);
    check_minimal(net, engine, true);
    FILE *f = fopen(path, "a");
    fprintf(f, "nobody\n");
    fclose(f);
    snprintf(engine, sizeof engine, "%s:5:", path);
    char spec[64];
    snprintf(spec, sizeof spec, "updown:roots=%s", path);
    refuse_routes(net, spec, engine);
    unlink(path);
    hd_net_free(net);
}

/* On trees the top level is found, with or without levels, and loads are as even as can be. */
static void test_updown_on_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(tree_specs); i++) {
        struct hd_net *net = make_net(tree_specs[i]), *bare = forget_shape(net);
        check_minimal(net, "updown", true);
        check_minimal(bare, "updown", true);
        hd_net_free(bare);
        hd_net_free(net);
    }
    struct hd_net *net = make_net("ft:m=8,n=3");
    struct hd_routes *r = make_routes(net, "updown");
    struct pairs p = follow_all(r, NULL);
    assert_int_equal(largest_load(net, &p, 0, 0, NULL), 4 * (128 - 4) / 4);
    pairs_free(&p);
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- dor ----------------------------------------------------------------------------------- */

static void check_dor(struct hd_net *net, bool acyclic)
{
    struct hd_routes *r = make_routes(net, "dor");
    uint32_t chan[HD_MAX_HOPS];
    check_minimal(net, "dor", acyclic);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t n = s == d ? 0 : hd_routes_path(r, s, d, 0, chan), dim = 0;
            for (uint32_t k = 1; k + 1 < n; k++) { /* each hop changes one digit, never a lower one than before */
                const uint16_t *x = hd_coord(net, net->tail[chan[k]]), *y = hd_coord(net, net->head[chan[k]]);
                uint32_t i = 0;
                while (x[i] == y[i]) i++;
                assert_true(i >= dim);
                dim = i;
            }
        }
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_dor(void **state)
{
    (void)state;
    check_dor(make_grid("mesh", 2, (uint32_t[]){3, 4}, HD_LINE, 1, 2), true);
    check_dor(make_grid("line", 1, (uint32_t[]){5}, HD_LINE, 3, 1), true);
    check_dor(make_grid("hypercube", 4, (uint32_t[]){2, 2, 2, 2}, HD_LINE, 1, 1), true);
    check_dor(make_grid("hyperx", 2, (uint32_t[]){4, 3}, HD_CLIQUE, 2, 3), true);
    check_dor(make_grid("flat", 3, (uint32_t[]){1, 3, 1}, HD_CLIQUE, 1, 0), true);
    check_dor(make_grid("torus", 2, (uint32_t[]){3, 3}, HD_RING, 1, 2), true);
    check_dor(make_grid("torus", 2, (uint32_t[]){5, 4}, HD_RING, 2, 2), false);
    check_dor(make_grid("torus", 3, (uint32_t[]){2, 3, 6}, HD_RING, 1, 1), false);
    check_dor(make_grid("one", 1, (uint32_t[]){1}, HD_RING, 1, 3), true);
}

static void test_dor_loads(void **state)
{
    (void)state;
    struct hd_net *net = make_grid("torus", 3, (uint32_t[]){4, 4, 4}, HD_RING, 1, 2);
    struct hd_routes *r = make_routes(net, "dor");
    struct pairs p = follow_all(r, NULL);
    for (uint32_t c = 0; c < net->nchan; c++) /* OpenSM's dor: 64 to 192 */
        if (net->tail[c] < net->nsw && net->head[c] < net->nsw) assert_int_equal(p.load[c], 128);
    pairs_free(&p);
    hd_routes_free(r);
    hd_net_free(net);
    net = make_grid("hyperx", 2, (uint32_t[]){4, 4}, HD_CLIQUE, 2, 4); /* both cables of a pair are used alike */
    r = make_routes(net, "dor");
    p = follow_all(r, NULL);
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->tail[c] < net->nsw && net->head[c] < net->nsw) assert_int_equal(p.load[c], 32);
    pairs_free(&p);
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_dor_refuses(void **state)
{
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    struct hd_net *net = make_grid("torus", 2, (uint32_t[]){4, 3}, HD_RING, 1, 1), *less = degrade(net, 200, 3), *tree;
    char words[64];
    assert_true(less->shape.missing > 0);
    snprintf(words, sizeof words, "%u cables of the grid are missing", less->shape.missing);
    refuse_routes(less, "dor", words);
    hd_net_free(less);
    bool keep[12] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    less = NULL;
    hd_status s = hd_net_copy(&ctx, net, &(struct hd_keep){.sw = keep}, "less a switch", &less);
    checked(&ctx, s, less, "copy");
    refuse_routes(less, "dor", "1 switches of the grid are missing");
    hd_net_free(less);
    tree = make_net("ft:m=4,n=2");
    refuse_routes(tree, "dor", "not a grid");
    hd_net_free(tree);
    hd_net_free(net);
}

/* ---- lash ---------------------------------------------------------------------------------- */

static void check_lash(struct hd_net *net, uint32_t lanes)
{
    check_minimal(net, "lash", true);
    struct hd_routes *r = make_routes(net, "lash");
    assert_int_equal(hd_routes_lanes(r), lanes);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < s; d++) assert_int_equal(hd_routes_lane(r, s, d, 0), hd_routes_lane(r, d, s, 0));
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_lash(void **state)
{
    (void)state;
    /* the numbers of lanes OpenSM's lash needs on the same networks */
    check_lash(read_ibsim("torus444"), 5);
    check_lash(read_ibsim("rnd516"), 2);
    check_lash(read_ibsim("t4"), 1);
    check_lash(make_net("ft:m=4,n=3"), 1);
    struct hd_net *net = read_ibsim("torus444");
    refuse_routes(net, "lash:maxlanes=4", "needs more than 4 lanes");
    refuse_routes(net, "lash:lanes=dest,maxlanes=2", "needs more than 2 lanes");
    check_minimal(net, "lash:lanes=dest", true); /* the walk over all pairs finds no cycle in any lane */
    struct hd_routes *r = make_routes(net, "lash:lanes=dest");
    assert_int_equal(hd_routes_lane_rule(r), HD_LANE_DEST);
    assert_in_range(hd_routes_lanes(r), 3, 8);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) /* a switch's endpoints share their tree, so their lane too */
            if (s != d && hd_leaf(net, d) == hd_leaf(net, 0))
                assert_int_equal(hd_routes_lane(r, s, d, 0), hd_routes_lane(r, s, s ? 0 : d, 0));
    hd_routes_free(r);
    hd_net_free(net);
}

/* Additions and removals at random against depth-first search. */
static void test_acyclic(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct hd_net *net = make_random(seed, 9, 16, 0, 1);
        struct hd_arena arena = {0};
        struct hd_acyclic a;
        struct hd_ctx ctx;
        struct hd_rng rng;
        uint32_t refused = 0;
        hd_ctx_init(&ctx);
        hd_rng_init(&rng, seed, HD_RNG_TEST, 2);
        assert_int_equal(hd_acyclic_init(&ctx, &arena, net, 2, &a), HD_OK);
        for (int i = 0; i < 400; i++) {
            uint32_t c = hd_rng_below(&rng, net->nchan), lane = 1, v = net->head[c];
            uint32_t next = net->off[v] + hd_rng_below(&rng, hd_degree(net, v)), slot = next - net->off[v];
            if (hd_deps_has(&a.deps, c, lane, slot)) {
                if (hd_rng_below(&rng, 4) == 0) hd_acyclic_remove(&a, lane, c, next);
                continue;
            }
            struct graph g;
            graph_init(&g, net->nchan);
            graph_add(&g, c, next);
            for (uint32_t x = 0; x < net->nchan; x++)
                for (uint32_t y = 0; y < hd_degree(net, net->head[x]); y++)
                    if (hd_deps_has(&a.deps, x, lane, y)) graph_add(&g, x, net->off[net->head[x]] + y);
            bool closes = graph_cyclic(&g);
            graph_free(&g);
            assert_int_equal(hd_acyclic_add(&a, lane, c, next), !closes);
            assert_int_equal(hd_deps_has(&a.deps, c, lane, slot), !closes);
            assert_false(hd_deps_has(&a.deps, c, 0, slot));
            refused += closes;
        }
        assert_true(refused > 0);
        hd_arena_release(&arena);
        hd_net_free(net);
    }
}

/* ---- dmodc and ftree ----------------------------------------------------------------------- */

static void same_rows(const struct hd_routes *a, const struct hd_routes *b)
{
    const struct hd_net *net = hd_routes_net(a);
    uint8_t *x = malloc(net->nsw), *y = malloc(net->nsw);
    for (uint32_t d = 0; d < net->nep; d++)
        if (memcmp(hd_routes_row(a, d, 0, x), hd_routes_row(b, d, 0, y), net->nsw) != 0)
            fail_msg("%s: %s and %s differ towards endpoint %u", net->spec, hd_routes_spec(a), hd_routes_spec(b), d);
    free(x);
    free(y);
}

static void check_dmodc_is_dmodk(const char *spec)
{
    struct hd_net *net = make_net(spec), *bare = forget_shape(net);
    uint64_t full = 1;
    if (net->shape.kind == HD_SHAPE_TREE && !net->shape.missing) {
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
    for (size_t i = 0; (t = hd_registry_at(HD_TOPOLOGIES, i)); i++)
        for (size_t k = 0; t->examples && t->examples[k]; k++) check_dmodc_is_dmodk(t->examples[k]);
}

static void place_by_level(const struct hd_net *net, uint32_t *place)
{
    for (uint32_t v = 0; v < net->nsw; v++) place[v] = 255u - net->level[v];
}

/* Serves exactly what has a way up and down, by a shortest such way, without a cycle. */
static void check_tree_engine(const struct hd_net *net, const char *engine)
{
    uint32_t *place = malloc(net->nsw * sizeof *place);
    place_by_level(net, place);
    uint16_t *way = ways(net, place, true);
    struct hd_routes *r = make_routes(net, engine);
    struct pairs p = follow_all(r, way);
    if (p.cyclic) fail_msg("%s on %s: the dependencies have a cycle", engine, net->spec);
    for (uint32_t t = 0; t < r->nleaf; t++) { /* switches that no pair needs have entries too, and they lead there */
        const uint8_t *row = NULL;
        for (uint32_t e = 0; e < net->nep && !row; e++)
            if (hd_leaf(net, e) == r->leaf[t]) row = hd_routes_row(r, e, 0, NULL);
        for (uint32_t v = 0; v < net->nsw; v++) {
            uint16_t left = way[(size_t)v * net->nsw + r->leaf[t]];
            uint32_t u = v;
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
    free(way);
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
 * served exactly where there is a way up and then down, and nothing waits in a circle. */
static void test_all_degraded_trees(void **state)
{
    const char *const rlfts[] = {"pgft:m=12x12,w=1x6,p=1x2", "pgft:m=18x18,w=1x9,p=1x2", "pgft:m=4x4x4,w=1x4x2,p=1x1x2",
                                 "pgft:m=6x6x2,w=1x6x1,p=1x1x6"};
    const struct hd_desc *t;
    uint32_t trees = 0, cut = 0;
    (void)state;
    for (size_t i = 0; (t = hd_registry_at(HD_TOPOLOGIES, i)); i++)
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
    refuse_routes(net, "ftree", "'L1-0000' and 'L1-0001' does not join neighbouring levels");
    refuse_routes(net, "dmodc", "dmodc: does not apply to siblings");
    hd_net_free(net);
    net = make_random(1, 5, 3, 2, 1);
    refuse_routes(net, "ftree", "level of");
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

/* Dummies: with one endpoint missing on every other leaf the others keep the ways they have in the full
 * tree, so a Shift of the full tree's ranks among those present still does not collide. */
static void test_ftree_dummies(void **state)
{
    (void)state;
    struct hd_net *full = make_net("gft:n=4,m=4,r=8"), *less = NULL;
    struct hd_ctx ctx;
    bool keep[32];
    hd_ctx_init(&ctx);
    for (uint32_t e = 0; e < 32; e++) keep[e] = e % 8 != 7 && e / 4 != 5; /* and one leaf with none */
    hd_status s = hd_net_copy(&ctx, full, &(struct hd_keep){.ep = keep}, "with holes", &less);
    checked(&ctx, s, less, "copy");
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
        refuse_routes(net, engine, "/no/such/file");
    }
    unlink(path);
    hd_net_free(net);
}

/* ---- all of them --------------------------------------------------------------------------- */

static const char *const engines[] = {"minhop", "updown", "dor", "lash", "ftree", "dmodc", "random"};

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
        const struct hd_desc *d = hd_registry_find(HD_ENGINES, engines[i]);
        assert_non_null(d);
        assert_non_null(d->text);
        assert_non_null(d->examples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered),
        cmocka_unit_test(test_minhop_is_opensm),
        cmocka_unit_test(test_minimal_on_random_networks),
        cmocka_unit_test(test_ring_is_cyclic),
        cmocka_unit_test(test_random_seeds),
        cmocka_unit_test(test_updown_on_random_networks),
        cmocka_unit_test(test_updown_on_rnd516),
        cmocka_unit_test(test_updown_roots),
        cmocka_unit_test(test_updown_on_trees),
        cmocka_unit_test(test_dor),
        cmocka_unit_test(test_dor_loads),
        cmocka_unit_test(test_dor_refuses),
        cmocka_unit_test(test_lash),
        cmocka_unit_test(test_acyclic),
        cmocka_unit_test(test_dmodc_is_dmodk),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_degraded_trees),
        cmocka_unit_test(test_all_degraded_trees),
        cmocka_unit_test(test_uneven_tree),
        cmocka_unit_test(test_trees_refuse),
        cmocka_unit_test(test_tree_loads),
        cmocka_unit_test(test_ftree_on_1944),
        cmocka_unit_test(test_ftree_shift),
        cmocka_unit_test(test_ftree_dummies),
        cmocka_unit_test(test_order_files),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_small_networks),
    };
    return cmocka_run_group_tests_name("engines_opensm", tests, NULL, NULL);
}
