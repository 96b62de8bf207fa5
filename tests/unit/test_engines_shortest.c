/* SPDX-License-Identifier: BSD-2-Clause */
/* minhop, random, updown, dor and lash: shortest or legal paths followed pair by pair, minhop and updown against
 * tables of the real OpenSM. */
#include "engine_tools.h"
#include "tiny.h"

#include "base/rng.h"
#include "route/kernel/acyclic_order.h"
#include "base/context.h"

#include <unistd.h>

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
        struct hd_ctx ctx;
        hd_ctx_init(&ctx);
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
            if (to_switch) assert_int_equal(hd_routes_switch_row(&ctx, r, d, row), HD_OK);
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

/* Lengths under the plain rule that is easy to see correct: down wherever there is a path down, else up. */
static uint16_t *plain_lengths(const struct hd_net *net, const uint32_t *place)
{
    size_t n = net->nsw;
    uint16_t *length = legal_lengths(net, place, false);
    for (uint32_t at = 0; at < n; at++) { /* front of the line first */
        uint32_t v = 0;
        while (place[v] != at) v++;
        for (size_t t = 0; t < n; t++) {
            uint16_t best = NEVER;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                uint32_t u = net->head[c];
                if (u < n && place[u] < at && length[u * n + t] < best - 1) best = (uint16_t)(length[u * n + t] + 1);
            }
            if (length[v * n + t] == NEVER) length[v * n + t] = best;
        }
    }
    return length;
}

/* Each path climbs and then descends, is no shorter than the shortest such path, and no longer than with
 * the plain rule. Returns the channels saved over the plain rule. */
static uint64_t check_updown_paths(const struct hd_net *net, const struct hd_routes *r, const uint32_t *place)
{
    uint16_t *best = legal_lengths(net, place, true), *plain = plain_lengths(net, place);
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

/* Two trees whose tops have nothing above both: with both roots some pairs have no path, so one is dropped. */
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
    fail_routes(net, "updown:roots=a+nobody", HD_INPUT, "roots=a+nobody");
    fail_routes(net, "updown:roots=/no/such/file", HD_INPUT, "/no/such/file");
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
    fail_routes(net, spec, HD_INPUT, engine);
    unlink(path);
    hd_net_free(net);
}

/* A ring of five switches with 3, 1, 2, 1 and 1 hosts. From s1 exactly three quarters of them are within one hop, from
 * no other switch; by half of them, by more than three quarters or by the sum of distances the root would be s0. Under
 * root s1 the one turn from down to up is at s4, so it lengthens 0 -> 3 and not 4 -> 2. */
static void test_updown_root_is_near_three_quarters(void **state)
{
    (void)state;
    struct hd_net *net = tiny("3 1 2 1 1", "0-1 1-2 2-3 3-4 4-0");
    struct hd_routes *r = make_routes(net, "updown");
    uint32_t host[5], chan[HD_MAX_HOPS];
    for (uint32_t e = 0; e < net->nep; e++) host[hd_leaf(net, e)] = e;
    assert_int_equal(hd_routes_path(r, host[0], host[3], 0, chan), 5);
    assert_int_equal(hd_routes_path(r, host[4], host[2], 0, chan), 4);
    hd_routes_free(r);
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

/* The lowest dimension first among the shortest paths that are left. */
static void check_damaged_dor(struct hd_net *less)
{
    struct hd_routes *r = make_routes(less, "dor");
    uint16_t *dist = all_distances(less);
    check_minimal(less, "dor", false);
    for (uint32_t d = 0; d < less->nep; d++) {
        const uint8_t *row = hd_routes_row(r, d, 0, NULL);
        uint32_t t = hd_leaf(less, d);
        for (uint32_t v = 0; v < less->nsw; v++) {
            if (v == t || row[v] == HD_SLOT_NONE) continue;
            uint32_t took = less->shape.n, best = less->shape.n;
            for (uint32_t c = less->off[v]; c < less->off[v + 1]; c++) {
                uint32_t u = less->head[c], i = 0;
                if (u >= less->nsw || dist[(size_t)u * less->nsw + t] + 1 != dist[(size_t)v * less->nsw + t]) continue;
                while (hd_coord(less, u)[i] == hd_coord(less, v)[i]) i++;
                if (i < best) best = i;
                if (c == less->off[v] + row[v]) took = i;
            }
            assert_int_equal(took, best);
        }
    }
    free(dist);
    hd_routes_free(r);
    hd_net_free(less);
}

static void test_damaged_dor(void **state)
{
    (void)state;
    struct hd_net *net = make_grid("torus", 2, (uint32_t[]){4, 3}, HD_RING, 1, 1), *tree;
    for (uint64_t seed = 0; seed < 10; seed++) check_damaged_dor(degrade(net, 200, seed));
    bool keep[12] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    check_damaged_dor(net_keeping(net, (struct keep){.sw = keep}, "less a switch"));
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
    refuse_routes(net, "lash:maxlanes=4", "needs more than 4 VLs");
    refuse_routes(net, "lash:lanes=dest,maxlanes=2", "needs more than 2 VLs");
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

/* Turns at random against depth-first search; some are taken out again. */
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
        assert_int_equal(hd_acyclic_init(&ctx, &arena, net, &a), HD_OK);
        assert_int_equal(hd_acyclic_open(&ctx, &a, 1, NULL), HD_OK);
        const struct hd_links *l = &a.links;
        for (int i = 0; i < 400; i++) {
            uint32_t from = hd_rng_below(&rng, l->n), v = l->head[from];
            uint32_t to = l->first[v] + hd_rng_below(&rng, l->first[v + 1] - l->first[v]), t = hd_turn(l, from, to);
            if (a.in[t]) continue;
            struct graph g;
            graph_init(&g, l->n);
            graph_add(&g, from, to);
            for (uint32_t x = 0; x < l->n; x++)
                for (uint32_t y = l->first[l->head[x]]; y < l->first[l->head[x] + 1]; y++)
                    if (a.in[hd_turn(l, x, y)]) graph_add(&g, x, y);
            bool closes = graph_cyclic(&g), fits;
            graph_free(&g);
            a.turn[0] = (struct hd_turn){from, to};
            a.nturn = 1;
            hd_acyclic_begin(&a);
            assert_int_equal(hd_acyclic_try(&ctx, &a, 1, &fits), HD_OK);
            assert_int_equal(fits, !closes);
            assert_int_equal(a.in[t], closes ? 0 : 2);
            assert_int_equal(a.blocked[t] != 0, closes);
            if (hd_rng_below(&rng, 4) == 0) hd_acyclic_undo(&a);
            refused += closes;
        }
        assert_true(refused > 0);
        hd_arena_release(&arena);
        hd_net_free(net);
    }
}

/* Heights s0 0, s1 1, s2 2, s3 1, s4 0, s5 0; s5 hangs on s0 and s4 by cables between equal heights. */
static void test_dnup(void **state)
{
    (void)state;
    struct hd_net *net = tiny("1 0 0 0 1 1", "0-1 1-2 2-3 3-4 0-5 5-4");
    struct hd_routes *r = make_routes(net, "dnup");
    uint16_t *dist = all_distances(net);
    struct pairs p = follow_all(r, dist);
    assert_int_equal(p.unserved, 0);
    pairs_free(&p);
    free(dist);
    hd_routes_free(r);
    hd_net_free(net);
    /* Two summits, s1 and s3, with endpoints between them: from h0 to h2 one would climb again. */
    net = tiny("1 0 1 0 1", "0-1 1-2 2-3 3-4");
    r = make_routes(net, "dnup");
    uint32_t chan[HD_MAX_HOPS];
    assert_int_equal(hd_routes_path(r, 0, 2, 0, chan), 0);
    assert_int_equal(hd_routes_path(r, 0, 1, 0, chan), 4);
    assert_int_equal(hd_routes_path(r, 2, 1, 0, chan), 4);
    hd_routes_free(r);
    hd_net_free(net);
    static const char *const as_minhop[] = {/* of equal height, or layered */
                                            "torus:dims=4x5,hosts=2", "random:switches=12,ports=6,hosts=2,seed=4",
                                            "ft:m=4,n=3", "pgft:m=3x4x5,w=1x2x3,p=1x3x2"};
    for (size_t i = 0; i < COUNT(as_minhop); i++) {
        net = make_net(as_minhop[i]);
        struct hd_routes *a = make_routes(net, "dnup"), *b = make_routes(net, "minhop");
        same_rows(a, b);
        hd_routes_free(a);
        hd_routes_free(b);
        hd_net_free(net);
    }
}

/* Distances are bytes: what they cannot say is refused, never left out. */
static void test_far_apart(void **state)
{
    (void)state;
    static const char *const engines[] = {"minhop", "updown", "dor", "lash", "psssp", "random", "settle"};
    struct hd_net *net = make_net("mesh:dims=256,hosts=1");
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        refuse_routes(net, engines[i], "shortest paths of more than 254 channels between switches are not supported");
    hd_net_free(net);
    net = make_net("mesh:dims=255,hosts=1");
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        struct hd_routes *r = make_routes(net, engines[i]);
        struct hd_check k;
        struct hd_ctx ctx;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
        assert_int_equal(k.pairs, 255 * 254);
        assert_int_equal(k.unreachable + k.loops, 0);
        assert_int_equal(k.max_hops, 256);
        hd_routes_free(r);
    }
    hd_net_free(net);
    net = make_net("torus:dims=300,hosts=1"); /* up to 150 apart, but one way round is closed to up/down */
    refuse_routes(net, "updown", "would need a path of more than 254 channels");
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minhop_is_opensm),
        cmocka_unit_test(test_minimal_on_random_networks),
        cmocka_unit_test(test_ring_is_cyclic),
        cmocka_unit_test(test_random_seeds),
        cmocka_unit_test(test_updown_on_random_networks),
        cmocka_unit_test(test_updown_on_rnd516),
        cmocka_unit_test(test_updown_roots),
        cmocka_unit_test(test_updown_root_is_near_three_quarters),
        cmocka_unit_test(test_updown_on_trees),
        cmocka_unit_test(test_dnup),
        cmocka_unit_test(test_dor),
        cmocka_unit_test(test_dor_loads),
        cmocka_unit_test(test_damaged_dor),
        cmocka_unit_test(test_lash),
        cmocka_unit_test(test_acyclic),
        cmocka_unit_test(test_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
