/* SPDX-License-Identifier: BSD-2-Clause */
/* Engines with path variants on trees, held against their definitions, against brute force, and against the worst
 * cases their papers state. */
#include "variant_tools.h"
#include "stored_routes.h"

#include "base/rng.h"
#include "base/context.h"

#include <stdio.h>

static void fail_with(hd_status status, const char *spec, const char *engine, const char *words)
{
    struct hd_ctx ctx;
    struct hd_net *net = make_net(spec);
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_routes_open(&ctx, net, engine, &r);
    if (s != status) fail_msg("%s on %s: status %d, expected %d", engine, spec, s, status);
    if (!strstr(hd_ctx_reason(&ctx), words))
        fail_msg("%s on %s: expected '%s' in the reason, got: %s", engine, spec, words, hd_ctx_reason(&ctx));
    assert_null(r);
    hd_net_free(net);
}

static void refuse(const char *spec, const char *engine, const char *words)
{
    fail_with(HD_NA, spec, engine, words);
}

/* ---- worst case of a permutation: the largest matching among the pairs of one channel ------- */

/* The matching itself, against all subsets of small random graphs' edges. */
static uint32_t brute_matching(const struct edges *g, uint32_t s, uint32_t taken)
{
    if (s == g->ns) return 0;
    uint32_t best = brute_matching(g, s + 1, taken);
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
        if (!(taken >> g->to[e] & 1)) {
            uint32_t size = 1 + brute_matching(g, s + 1, taken | 1u << g->to[e]);
            if (size > best) best = size;
        }
    return best;
}

static void test_matching(void **state)
{
    (void)state;
    struct hd_rng rng;
    hd_rng_init(&rng, 1, HD_RNG_TEST, 1);
    for (int round = 0; round < 300; round++) {
        uint32_t first[8], to[64], a[8], b[8], c[8], d[8], e[8];
        struct edges g = {.ns = 1 + hd_rng_below(&rng, 6),
                          .nd = 1 + hd_rng_below(&rng, 6),
                          .first = first,
                          .to = to,
                          .mate_s = a,
                          .mate_d = b,
                          .dist = c,
                          .queue = d,
                          .next = e};
        for (uint32_t s = 0; s < g.ns; s++) {
            first[s] = g.n;
            for (uint32_t t = 0; t < g.nd; t++)
                if (hd_rng_below(&rng, 3) == 0) to[g.n++] = t;
        }
        first[g.ns] = g.n;
        assert_int_equal(max_matching(&g), brute_matching(&g, 0, 0));
    }
}

/* ---- m-port trees --------------------------------------------------------------------------- */

static void test_osrm2_ratio(void **state)
{
    (void)state;
    char spec[64];
    for (uint32_t m = 2; m <= 64; m += 2) {
        uint32_t h = m / 2, z = root(h);
        snprintf(spec, sizeof spec, m <= 20 ? "ft:m=%u,n=2" : "ft:m=%u,n=2,partial=leaves:9", m);
        assert_worst(spec, "osrm2:balance=none", z * z == h ? z : (h + z - 1) / z);
    }
    /* No routing is below sqrt(m/2); where the grid is above it, other groups reach it for these m. */
    const uint32_t better[][2] = {{14, 3}, {16, 3}, {26, 4}, {28, 4}, {42, 5}, {62, 6}};
    for (size_t i = 0; i < sizeof better / sizeof *better; i++) {
        uint32_t h = better[i][0] / 2, ratio = better[i][1];
        snprintf(spec, sizeof spec, "ft:m=%u,n=2", better[i][0]);
        assert_true(ratio * ratio >= h && (ratio - 1) * (ratio - 1) < h);
        assert_worst(spec, "osrm2", ratio);
    }
    assert_worst("ft:m=32,n=2", "osrm2", 4);
}

static void test_osrm3_ratio(void **state)
{
    (void)state;
    char spec[64];
    for (uint32_t m = 4; m <= 16; m += 2) {
        snprintf(spec, sizeof spec, m <= 12 ? "ft:m=%u,n=3" : "ft:m=%u,n=3,partial=subtrees:5", m);
        assert_worst(spec, "osrm3", m / 2);
    }
}

static void test_mlid_wsr_ratio(void **state)
{
    (void)state;
    char spec[64];
    for (uint32_t m = 4; m <= 16; m += 2) {
        snprintf(spec, sizeof spec, "ft:m=%u,n=2", m);
        assert_worst(spec, "mlid", m / 2);
        assert_worst(spec, "wsr", m / 2);
    }
    for (uint32_t m = 4; m <= 8; m += 2) {
        snprintf(spec, sizeof spec, "ft:m=%u,n=3", m);
        assert_worst(spec, "mlid", m - 1);
        assert_worst(spec, "wsr", m - 1);
    }
}

/* Digits of the paper: endpoint (s0, s1) is the s1-th of leaf s0; top switches are numbered 0 .. h-1. */
static void test_osrm2_by_definition(void **state)
{
    (void)state;
    char spec[64];
    for (uint32_t h = 1; h <= 13; h++) {
        snprintf(spec, sizeof spec, "ft:m=%u,n=2,partial=leaves:2", 2 * h);
        struct hd_net *net = make_net(spec);
        struct hd_routes *r = make_routes(net, "osrm2:balance=none");
        uint32_t z = root(h), zs = z * (z + 1) <= h ? z + 1 : z, ns = (h + zs - 1) / zs, nd = (h + z - 1) / z;
        for (uint32_t s = 0; s < h; s++)
            for (uint32_t d = 0; d < h; d++) {
                uint32_t top = s / ns * z + d / nd;
                assert_true(top < h);
                assert_int_equal(top_of(r, s, h + d), top);
                assert_int_equal(top_of(r, h + s, d), top);
            }
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void test_osrm3_by_definition(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=6,n=3");
    struct hd_routes *r = make_routes(net, "osrm3");
    uint32_t chan[HD_MAX_HOPS];
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            uint32_t s0 = s / 9, s1 = s / 3 % 3, s2 = s % 3, d0 = d / 9, d1 = d / 3 % 3, d2 = d % 3,
                     n = route_of(r, s, d, chan);
            if (s == d || (s0 == d0 && s1 == d1)) continue;
            const uint16_t *first = hd_coord(net, net->head[chan[1]]); /* ((s0, s2), 1): digits a_3 = s0, b_2 = s2 */
            assert_int_equal(first[2], s0);
            assert_int_equal(first[1], s2);
            assert_int_equal(n, s0 == d0 ? 4 : 6);
            if (s0 == d0) continue;
            const uint16_t *top = hd_coord(net, net->head[chan[2]]); /* ((s2, d2), 0) */
            assert_int_equal(top[1], s2);
            assert_int_equal(top[2], d2);
            assert_int_equal(hd_coord(net, net->head[chan[3]])[1], s2);
        }
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_mlid_is_smodk(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=6,n=3");
    struct hd_routes *a = make_routes(net, "mlid"), *b = make_routes(net, "smodk");
    uint8_t *x = malloc(net->nsw), *y = malloc(net->nsw);
    assert_int_equal(hd_routes_variants(a), 9);
    assert_int_equal(hd_routes_variants(b), 9);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t v = 0; v < 9; v++)
            assert_memory_equal(hd_routes_row(a, d, v, x), hd_routes_row(b, d, v, y), net->nsw);
    for (uint32_t s = 0; s < net->nep; s++) assert_int_equal(hd_routes_variant(a, s, 0), s % 9);
    free(x);
    free(y);
    hd_routes_free(a);
    hd_routes_free(b);
    hd_net_free(net);
}

/* ---- WSR: all variants of every pair, weighed link by link ---------------------------------- */

static void test_wsr_by_definition(void **state)
{
    (void)state;
    const char *specs[] = {"ft:m=4,n=3", "xgft:m=3x2x2,w=1x3x2", "xgft:m=2x3x2x2,w=1x2x1x3",
                           "gft:n=3,m=5,r=4,partial=endpoints:10", "ft:m=6,n=1"};
    for (size_t i = 0; i < 5; i++) {
        struct hd_net *net = make_net(specs[i]);
        struct hd_routes *r = make_routes(net, "wsr");
        uint64_t *weight = calloc(net->nchan, 8);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++) {
                if (s == d) continue;
                uint64_t best = UINT64_MAX;
                uint32_t path[HD_MAX_HOPS], chan[HD_MAX_HOPS], n = 0;
                /* First found: lowest up port at the leaf, then above. Compare paths by their ports. */
                for (uint32_t x = 0; x < r->nvar; x++) {
                    uint64_t sum = 0;
                    uint32_t len = hd_routes_path(r, s, d, x, chan), first = 0;
                    for (uint32_t k = 0; k < len; k++) sum += weight[chan[k]];
                    while (n && first < len && chan[first] == path[first]) first++;
                    bool earlier = n && first < len && net->port[chan[first]] < net->port[path[first]];
                    if (sum > best || (sum == best && !earlier)) continue;
                    best = sum;
                    memcpy(path, chan, (n = len) * 4);
                }
                for (uint32_t k = 0; k < n; k++) weight[path[k]]++;
                assert_int_equal(route_of(r, s, d, chan), n);
                assert_memory_equal(chan, path, n * 4);
            }
        free(weight);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- OMRMN ---------------------------------------------------------------------------------- */

/* On FT(m,n) the shares of all sources (or all destinations) on a channel sum to at most 1. */
static void test_omrmn_ratio(void **state)
{
    (void)state;
    const char *specs[] = {"ft:m=4,n=3", "ft:m=6,n=3", "ft:m=8,n=2", "pgft:m=4x4,w=1x2,p=1x2",
                           "pgft:m=2x3x4,w=1x2x3,p=1x1x2"};
    for (size_t i = 0; i < 5; i++) {
        struct hd_net *net = make_net(specs[i]);
        struct hd_routes *r = make_routes(net, "omrmn");
        uint32_t n = net->nep, chan[HD_MAX_HOPS], *share = calloc(net->nchan, 4);
        /* most[c * n + e]: largest number of variants on c of a pair that e takes part in */
        uint32_t *by_s = calloc((size_t)net->nchan * n, 4), *by_d = calloc((size_t)net->nchan * n, 4);
        assert_int_equal(r->select, HD_SELECT_ALL);
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t d = 0; d < n; d++) {
                memset(share, 0, net->nchan * 4);
                for (uint32_t x = 0; s != d && x < r->nvar; x++)
                    for (uint32_t k = 0, len = hd_routes_path(r, s, d, x, chan); k < len; k++) share[chan[k]]++;
                for (uint32_t c = 0; c < net->nchan; c++) {
                    if (share[c] > by_s[c * n + s]) by_s[c * n + s] = share[c];
                    if (share[c] > by_d[c * n + d]) by_d[c * n + d] = share[c];
                }
            }
        for (uint32_t c = 0; c < net->nchan; c++) {
            uint32_t sum_s = 0, sum_d = 0;
            for (uint32_t e = 0; e < n; e++) {
                sum_s += by_s[c * n + e];
                sum_d += by_d[c * n + e];
            }
            if (sum_s > r->nvar && sum_d > r->nvar)
                fail_msg("%s: channel %u can carry more than one pair's traffic", specs[i], c);
            assert_true(sum_s > 0);
        }
        free(share);
        free(by_s);
        free(by_d);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void test_omrmn_all_paths(void **state)
{
    (void)state;
    struct hd_net *net = make_net("xgft:m=2x2x3,w=1x3x2");
    struct hd_routes *r = make_routes(net, "omrmn");
    uint32_t a[HD_MAX_HOPS], b[HD_MAX_HOPS];
    assert_int_equal(r->nvar, 6);
    for (uint32_t x = 0; x < 6; x++)
        for (uint32_t y = 0; y < x; y++) { /* endpoints 0 and 11 meet at the top: six different paths */
            assert_int_equal(hd_routes_path(r, 0, 11, x, a), 6);
            assert_int_equal(hd_routes_path(r, 0, 11, y, b), 6);
            assert_memory_not_equal(a, b, 24);
        }
    hd_routes_free(r);
    hd_net_free(net);
}

static void test_omrmn_cap(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=12,n=3");
    struct hd_routes *one = make_routes(net, "omrmn:cap=1"), *d = make_routes(net, "dmodk"),
                     *r = make_routes(net, "omrmn:cap=20");
    uint8_t *x = malloc(net->nsw), *y = malloc(net->nsw);
    uint32_t chan[HD_MAX_HOPS], *load = calloc(net->nchan, 4), least = UINT32_MAX, most = 0;
    assert_int_equal(one->nvar, 1);
    for (uint32_t e = 0; e < net->nep; e++)
        assert_memory_equal(hd_routes_row(one, e, 0, x), hd_routes_row(d, e, 0, y), net->nsw);
    /* 6 x 3 of 6 x 6 paths: each leaf port 3 times, each port above it at most once, and all ports of the
     * network alike when every endpoint is a destination. */
    assert_int_equal(r->nvar, 18);
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t here[2][6] = {{0}};
        for (uint32_t v = 0; v < 18; v++) {
            uint32_t n = hd_routes_path(r, 0, e, v, chan);
            for (uint32_t k = 0; k < n; k++) load[chan[k]]++;
            if (n == 6)
                here[0][hd_coord(net, net->head[chan[1]])[1]]++, here[1][hd_coord(net, net->head[chan[2]])[2]]++;
        }
        for (uint32_t q = 0; e >= 36 && q < 6; q++) {
            assert_int_equal(here[0][q], 3);
            assert_true(here[1][q] == 6 || here[1][q] == 0);
        }
    }
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->level[net->tail[c]] != 2 || net->level[net->head[c]] != 3 || !load[c])
            continue;
        if (load[c] < least) least = load[c];
        if (load[c] > most) most = load[c];
    }
    assert_int_equal(least, most);
    free(x);
    free(y);
    free(load);
    hd_routes_free(one);
    hd_routes_free(d);
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Rows and paths agree, every pair is served by shortest paths, and nothing can deadlock. */
static void check_all(const struct hd_net *net, const char *engine)
{
    struct hd_ctx ctx;
    struct hd_check k;
    struct hd_routes *r = make_routes(net, engine), *stored;
    uint32_t a[HD_MAX_HOPS], b[HD_MAX_HOPS];
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    if (k.unreachable || k.loops || k.nonminimal || k.deadlock_free != 1)
        fail_msg("%s on %s: %llu unreachable, %llu loops, %llu not minimal, deadlock free %d", engine, net->spec,
                 (unsigned long long)k.unreachable, (unsigned long long)k.loops, (unsigned long long)k.nonminimal,
                 k.deadlock_free);
    stored = store_routes(&ctx, r);
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            if (s == d) continue;
            assert_true(hd_routes_variant(r, s, d) < hd_routes_variants(r));
            for (uint32_t x = 0; x < r->nvar; x++) {
                uint32_t n = hd_routes_path(r, s, d, x, a);
                assert_true(n > 0);
                assert_int_equal(hd_routes_path(stored, s, d, x, b), n);
                assert_memory_equal(a, b, n * 4);
            }
        }
    hd_routes_free(stored);
    hd_routes_free(r);
}

static void test_every_engine_serves(void **state)
{
    (void)state;
    const char *two[] = {"opt",        "opt:balance=published", "opt:balance=none", "osrm2", "mlid", "wsr", "omrmn",
                         "omrmn:cap=3"};
    const char *two_nets[] = {"ft:m=6,n=2",
                              "ft:m=2,n=2",
                              "gft:n=1,m=1,r=1",
                              "gft:n=2,m=2,r=1",
                              "gft:n=4,m=4,r=5,partial=random:9",
                              "gft:n=3,m=3,r=4,partial=endpoints:1",
                              "gft:n=3,m=3,r=7,partial=leaves:2",
                              "kary:k=3,n=2,partial=endpoints:7"};
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++) {
            struct hd_net *net = make_net(two_nets[j]);
            check_all(net, two[i]);
            hd_net_free(net);
        }
    const char *three[] = {"osrm3", "mlid", "wsr", "omrmn", "omrmn:cap=3", "opt", "opt:balance=keep"};
    const char *three_nets[] = {"ft:m=6,n=3", "ft:m=2,n=3", "kary:k=2,n=3,partial=random:5",
                                "ft:m=4,n=3,partial=endpoints:1"};
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 4; j++) {
            struct hd_net *net = make_net(three_nets[j]);
            check_all(net, three[i]);
            hd_net_free(net);
        }
    const char *other[][2] = {{"gft:n=5,m=7,r=4", "opt"}, {"gft:n=7,m=2,r=3", "opt"},
                              {"ft:m=6,n=1", "mlid"},     {"ft:m=6,n=1", "wsr"},
                              {"ft:m=6,n=1", "omrmn"},    {"pgft:m=4x4x2,w=1x2x2,p=1x2x3", "omrmn"},
                              {"ft:m=4,n=4", "mlid"},     {"xgft:m=3x2x2x3,w=1x2x3x2", "wsr"}};
    for (size_t i = 0; i < 8; i++) {
        struct hd_net *net = make_net(other[i][0]);
        check_all(net, other[i][1]);
        hd_net_free(net);
    }
}

/* The same tree with switches, endpoints and ports in another order: what a fabric file gives. */
static struct hd_net *shuffled(const struct hd_net *net, uint64_t seed)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *out = NULL;
    struct hd_rng rng;
    uint32_t nodes = net->nsw + net->nep, *order = malloc(nodes * 4), *handle = malloc(nodes * 4),
             *port = malloc(net->nchan * 4);
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, seed, HD_RNG_TEST, 3);
    for (uint32_t v = 0; v < nodes; v++) order[v] = v;
    hd_rng_shuffle(&rng, order, net->nsw);
    hd_rng_shuffle(&rng, order + net->nsw, net->nep);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_shape(b, &net->shape);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t v = order[i], n = hd_degree(net, v);
        if (v < net->nsw)
            handle[v] = hd_builder_switch(b, &(struct hd_switch_in){.level = net->level[v]});
        else
            handle[v] = hd_builder_endpoint(b, hd_builder_adapter(b, &(struct hd_adapter_in){0}), 1, 0, 0);
        hd_builder_coord(b, handle[v], hd_coord(net, v));
        for (uint32_t k = 0; k < n; k++) port[net->off[v] + k] = k + 1;
        hd_rng_shuffle(&rng, port + net->off[v], n);
    }
    for (uint32_t c = 0; c < net->nchan; c++)
        if (c < net->rev[c])
            hd_builder_cable(b, handle[net->tail[c]], port[c], handle[net->head[c]], port[net->rev[c]], 0);
    free(order);
    free(handle);
    free(port);
    hd_status s = hd_builder_finish(&ctx, b, "shuffled", &out);
    return checked(&ctx, s, out, "shuffled");
}

static void test_any_order_of_nodes(void **state)
{
    (void)state;
    const struct {
        const char *spec, *engine;
        uint32_t worst;
    } cases[] = {{"gft:n=12,m=12,r=8", "opt", 4},
                 {"gft:n=8,m=24,r=8", "opt", 2},
                 {"ft:m=18,n=2", "osrm2", 3},
                 {"ft:m=6,n=3", "osrm3", 3},
                 {"ft:m=6,n=3", "mlid", 5},
                 {"ft:m=6,n=3", "wsr", 5},
                 {"gft:n=12,m=12,r=24", "opt:balance=published", 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *plain = make_net(cases[i].spec), *net = shuffled(plain, i);
        struct hd_routes *r = make_routes(net, cases[i].engine);
        uint32_t bound;
        assert_int_equal(worst(r, &bound), cases[i].worst);
        if (net->nep < 100) check_all(net, cases[i].engine);
        hd_routes_free(r);
        hd_net_free(net);
        hd_net_free(plain);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    refuse("ft:m=4,n=4", "opt", "4 levels of switches, expected 2 or 3");
    refuse("ft:m=4,n=3", "opt:balance=published", "3 levels of switches, expected 2");
    refuse("ft:m=32,n=3", "opt", "256 endpoints in a subtree and 256 roots, at most 254");
    refuse("pgft:m=4x4,w=1x2,p=1x2", "opt", "2 parallel cables above level 1");
    refuse("pgft:m=4x4x4,w=1x4x2,p=1x1x2", "opt", "2 parallel cables above level 2");
    refuse("gft:n=16,m=4,r=8", "osrm2", "a switch of level 1 has 16 ports down and 4 up, expected 16 of each");
    refuse("ft:m=4,n=3", "osrm2", "3 levels of switches, expected 2");
    refuse("xgft:m=4x2x4,w=1x4x2", "osrm3", "a switch of level 2 has 2 ports down and 2 up, expected 4 of each");
    refuse("pgft:m=4x4x4,w=1x4x2,p=1x1x2", "mlid", "2 parallel cables above level 2");
    refuse("pgft:m=4x4,w=1x2,p=1x2", "wsr", "2 parallel cables above level 1");
    refuse("ft:m=48,n=3", "wsr", "27648 endpoints");
    refuse("gft:n=100,m=1,r=82", "opt:balance=published", "at most 8192 endpoints");
    fail_with(HD_INPUT, "ft:m=4,n=2", "opt:balance=all", "balance");
    fail_with(HD_INPUT, "ft:m=4,n=2", "omrmn:cap=0", "cap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching),
        cmocka_unit_test(test_osrm2_ratio),
        cmocka_unit_test(test_osrm3_ratio),
        cmocka_unit_test(test_mlid_wsr_ratio),
        cmocka_unit_test(test_osrm2_by_definition),
        cmocka_unit_test(test_osrm3_by_definition),
        cmocka_unit_test(test_mlid_is_smodk),
        cmocka_unit_test(test_wsr_by_definition),
        cmocka_unit_test(test_omrmn_ratio),
        cmocka_unit_test(test_omrmn_all_paths),
        cmocka_unit_test(test_omrmn_cap),
        cmocka_unit_test(test_every_engine_serves),
        cmocka_unit_test(test_any_order_of_nodes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
