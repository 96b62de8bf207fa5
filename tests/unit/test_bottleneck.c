/* SPDX-License-Identifier: BSD-2-Clause */
/* Every strategy of the loader gives, flow by flow, what counting along the paths gives: on every topology under every
 * engine, complete and with cables missing, in closed form, compiled and walked. */
#include "testing.h"
#include "stored_routes.h"
#include "tiny.h"

#include "base/context.h"
#include "base/rng.h"
#include "load/load_strategy.h"
#include "route/engine/engine_lookup.h"

enum { MOST_ENDPOINTS = 600, ROUNDS = 3 };

static uint32_t trees_seen, tables_seen; /* strategies in use */

/* A random permutation of the endpoints, as flows; those that would send to themselves are left out. */
static void draw(const struct hd_net *net, uint64_t round, uint32_t *src, uint32_t *dst, struct hd_flows *f)
{
    struct hd_rng rng;
    uint32_t *to = malloc((net->nep + 1) * sizeof *to);
    hd_rng_init(&rng, 5, HD_RNG_TEST, round);
    for (uint32_t e = 0; e < net->nep; e++) to[e] = e;
    hd_rng_shuffle(&rng, to, net->nep);
    *f = (struct hd_flows){.src = src, .dst = dst, .simple = true};
    for (uint32_t e = 0; e < net->nep; e++) {
        if (to[e] == e) continue;
        src[f->n] = e;
        dst[f->n++] = to[e];
    }
    free(to);
}

/* Largest load on the path of each flow, walked and counted; relative to rates if factor is given. */
static void count_naively(const struct hd_routes *r, const uint32_t *factor, const struct hd_flows *f, uint32_t *most)
{
    uint32_t *load = calloc(hd_routes_net(r)->nchan, sizeof *load), path[HD_MAX_HOPS];
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t x = hd_routes_variant(r, f->src[i], f->dst[i]);
            uint32_t n = hd_routes_path(r, f->src[i], f->dst[i], x, path);
            if (pass == 1) most[i] = 0;
            for (uint32_t j = 0; j < n; j++) {
                uint32_t relative = load[path[j]] * (factor ? factor[path[j]] : 1);
                if (pass == 0)
                    load[path[j]]++;
                else if (relative > most[i])
                    most[i] = relative;
            }
        }
    free(load);
}

static const struct hd_loader *make_loader(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                                           const struct hd_rates *rates, enum hd_load_need need)
{
    struct hd_loader_in in = {.routes = r, .rates = rates, .need = need, .flows = UINT64_MAX};
    const struct hd_loader *loader = NULL;
    assert_int_equal(hd_loader_make(ctx, arena, &in, &loader), HD_OK);
    return loader;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* A path in the loader's places has the channels between switches that the walk has. */
static void compare_path(const struct hd_routes *r, const struct hd_loader *loader, uint32_t s, uint32_t d)
{
    const uint32_t nchan = hd_routes_net(r)->nchan, stride = hd_loader_stride(loader);
    uint32_t want[HD_MAX_HOPS], n = hd_routes_path(r, s, d, hd_routes_variant(r, s, d), want);
    uint32_t *got = malloc((stride + 1) * sizeof *got);
    hd_loader_path(loader, s, d, got);
    qsort(got, stride, sizeof *got, by_number);
    if (n) qsort(want + 1, n - 2, sizeof *want, by_number);
    for (uint32_t j = 0; j < stride; j++) assert_int_equal(got[j], j + 2 < n ? want[j + 1] : nchan);
    free(got);
}

static void compare_flows(const struct hd_routes *r, struct hd_loads *l, const struct hd_flows *f)
{
    uint32_t *want = malloc((f->n + 1) * sizeof *want);
    uint64_t largest = 0, unserved = 0;
    count_naively(r, l->loader->rates->factor, f, want);
    l->flows.n = f->n;
    l->flows.src = f->src;
    l->flows.dst = f->dst;
    l->flows.simple = true;
    hd_loads_run(l);
    assert_int_equal(l->npath, f->n);
    for (uint32_t i = 0; i < f->n; i++) {
        if (hd_bottleneck(l, i) != want[i])
            fail_msg("%s on %s, flow %u to %u: %u, counted %u", hd_routes_spec(r), hd_routes_net(r)->spec, f->src[i],
                     f->dst[i], (unsigned)hd_bottleneck(l, i), want[i]);
        largest = want[i] > largest ? want[i] : largest;
        unserved += want[i] == 0;
    }
    assert_int_equal(l->largest, largest);
    assert_int_equal(l->unserved, unserved);
    free(want);
}

/* Bottlenecks as above, and the load of every channel. */
static void compare_loads(const struct hd_routes *r, struct hd_loads *l, const struct hd_flows *f)
{
    const uint32_t nchan = hd_routes_net(r)->nchan;
    uint32_t *load = calloc(nchan + 1, sizeof *load), path[HD_MAX_HOPS];
    compare_flows(r, l, f);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t n = hd_routes_path(r, f->src[i], f->dst[i], hd_routes_variant(r, f->src[i], f->dst[i]), path);
        for (uint32_t j = 0; j < n; j++) load[path[j]]++;
    }
    assert_memory_equal(l->load, load, nchan * sizeof *load);
    free(load);
}

static void compare_rates(const struct hd_routes *r, const struct hd_rates *rates, uint64_t *flows)
{
    const struct hd_net *net = hd_routes_net(r);
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct hd_loads loads, of_channels;
    struct hd_flows f;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    if (r->select == HD_SELECT_ALL || r->select == HD_SELECT_PACKET) return; /* more than one path per pair */
    const struct hd_loader *loader = make_loader(&ctx, &arena, r, rates, HD_NEED_BOTTLENECKS),
                           *paths = make_loader(&ctx, &arena, r, rates, HD_NEED_PATHS),
                           *channels = make_loader(&ctx, &arena, r, rates, HD_NEED_LOADS);
    trees_seen += loader->how == &hd_load_tree;
    tables_seen += loader->how == &hd_load_table;
    assert_int_equal(hd_loads_init(&ctx, &arena, loader, net->nep, 1, &loads), HD_OK);
    assert_int_equal(hd_loads_init(&ctx, &arena, channels, net->nep, 1, &of_channels), HD_OK);
    assert_true(channels->how == paths->how); /* not walked unless pairs are not served */
    uint32_t *room = malloc((2 * (size_t)net->nep + 4) * sizeof *room);
    for (uint64_t round = 0; round < ROUNDS; round++) { /* more than one: counters must come back clean */
        draw(net, round, room, room + net->nep, &f);
        compare_flows(r, &loads, &f);
        compare_loads(r, &of_channels, &f);
        for (uint32_t i = 0; round == 0 && i < f.n; i++) compare_path(r, paths, f.src[i], f.dst[i]);
        *flows += loader->how == &hd_load_walk ? 0 : f.n;
    }
    free(room);
    hd_arena_release(&arena);
}

static void compare(const struct hd_routes *r, uint64_t *flows)
{
    compare_rates(r, NULL, flows);
}

static void compare_engines(const struct hd_net *net, uint64_t *flows)
{
    const struct hd_desc *d;
    for (size_t k = 0; (d = row_at(HD_ENGINES, k)); k++) {
        struct hd_ctx ctx;
        struct hd_routes *r = NULL, *stored = NULL;
        hd_ctx_init(&ctx);
        ctx.threads = 1;
        if (((const struct hd_engine *)d)->role == HD_ENGINE_EXTERNAL) continue;
        if (hd_routes_open(&ctx, net, d->name, &r) != HD_OK) continue;
        compare(r, flows);
        if (r->nvar <= 4) {
            stored = store_routes(&ctx, r);
            compare(stored, flows);
            hd_routes_free(stored);
        }
        hd_routes_free(r);
    }
}

static void every_engine_everywhere(void **state)
{
    (void)state;
    const struct hd_desc *d;
    uint64_t flows = 0;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++) {
        struct hd_net *net = make_net(d->name);
        if (net->nep <= MOST_ENDPOINTS) compare_engines(net, &flows);
        hd_net_free(net);
    }
    assert_true(flows > 100000);
    assert_true(trees_seen > 10 && tables_seen > 50);
}

static void odd_ones(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "kary:k=3,n=4",         "kary:k=2,n=6",         "pgft:m=4x4x3,w=1x2x3,p=1x2x1",
        "gft:n=4,m=4,r=8",      "torus:dims=7,hosts=1", "mesh:dims=2x9,hosts=3",
        "xgft:m=1,w=1",         "xgft:m=5,w=1",         "xgft:m=4x6,w=1x2,partial=endpoints:17",
        "hypercube:n=1,hosts=1"};
    uint64_t flows = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct hd_net *net = make_net(specs[i]);
        compare_engines(net, &flows);
        hd_net_free(net);
    }
    assert_true(flows > 1000);
}

/* Numbers and counters of every width: loads above 255 and above 65,535, more than 65,535 channels, more than 256
 * tails behind the leaves of one destination, paths as long as may be. */
static void every_width(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"xgft:m=250x2,w=1x1", "dmodk"},       {"xgft:m=200x4x2,w=1x1x1", "dmodk"},
        {"xgft:m=30x20x2,w=1x1x1", "dmodk"},   {"xgft:m=18x18x2,w=1x2x2", "smodk"},
        {"xgft:m=64x64x9,w=1x64x64", "dmodk"}, {"xgft:m=250x250x3x2,w=1x1x1x1", "dmodk"},
        {"xgft:m=1x20x30,w=1x10x2", "random"}, {"xgft:m=250x2,w=1x1", "minhop"},
        {"mesh:dims=20x20,hosts=2", "minhop"}, {"mesh:dims=253,hosts=1", "minhop"},
    };
    uint64_t flows = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_ctx ctx;
        struct hd_net *net = make_net(cases[i][0]);
        struct hd_routes *r = NULL;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_routes_open(&ctx, net, cases[i][1], &r), HD_OK);
        uint32_t before = trees_seen + tables_seen;
        compare(r, &flows);
        assert_int_equal(trees_seen + tables_seen, before + 1);
        hd_routes_free(r);
        hd_net_free(net);
    }
    assert_true(flows > 250000);
}

/* One row, not among those that lengths are guessed from, in which a leaf goes by way of another one. */
static void detours(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    uint64_t flows = 0;
    struct hd_net *net = make_net("xgft:m=6x6x4,w=1x3x3");
    struct hd_routes *r = NULL, *stored = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_open(&ctx, net, "dmodk", &r), HD_OK);
    stored = store_routes(&ctx, r);
    uint32_t d = 1, a = hd_leaf(net, 143), b = hd_leaf(net, 137), chan[HD_MAX_HOPS];
    uint8_t *row = hd_row(stored, d, 0);
    uint32_t mid = net->head[net->off[a] + row[a]];
    assert_int_not_equal(a, b);
    for (uint32_t c = net->off[mid]; c < net->off[mid + 1]; c++)
        if (net->head[c] == b) row[mid] = (uint8_t)(c - net->off[mid]);
    for (uint32_t c = net->off[b]; c < net->off[b + 1]; c++)
        if (net->head[c] < net->nsw && net->head[c] != mid) row[b] = (uint8_t)(c - net->off[b]);
    assert_int_equal(hd_routes_path(stored, 143, d, 0, chan), 8); /* two more than any other */
    compare(stored, &flows);
    assert_true(flows > 0);
    hd_routes_free(stored);
    hd_routes_free(r);
    hd_net_free(net);
}

/* Every third channel between switches is half as fast as all others. */
static struct hd_rates slow_channels(const struct hd_net *net)
{
    enum { SCALE = 3600 };
    uint32_t *factor = malloc((net->nchan + 1) * sizeof *factor);
    for (uint32_t c = 0; c <= net->nchan; c++) factor[c] = SCALE;
    for (uint32_t c = 0; c < net->off[net->nsw]; c += 3)
        if (net->head[c] < net->nsw) factor[c] = 2 * SCALE;
    return (struct hd_rates){.scale = SCALE, .factor = factor};
}

/* Holes and loops: flows without a path have no bottleneck and load nothing, whatever the rates. */
static void broken_tables(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_rng rng;
    uint64_t flows = 0, with_rates = 0;
    struct hd_net *net = make_net("xgft:m=6x6x4,w=1x3x3");
    struct hd_routes *r = NULL, *stored = NULL;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 1, HD_RNG_TEST, 0);
    struct hd_rates rates = slow_channels(net);
    assert_int_equal(hd_routes_open(&ctx, net, "dmodk", &r), HD_OK);
    stored = store_routes(&ctx, r);
    compare_rates(r, &rates, &with_rates);
    compare_rates(stored, &rates, &with_rates);
    assert_true(with_rates > 0); /* complete: not walked */
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t v = hd_rng_below(&rng, net->nsw), d = hd_rng_below(&rng, net->nep);
        uint32_t slot = i % 2 ? HD_SLOT_NONE : hd_rng_below(&rng, net->off[v + 1] - net->off[v]);
        hd_row(stored, d, 0)[v] = (uint8_t)slot;
    }
    compare(stored, &flows);
    assert_true(flows > 0);
    compare_rates(stored, &rates, &flows);
    free(rates.factor);
    hd_routes_free(stored);
    hd_routes_free(r);
    hd_net_free(net);
}

/* Flows that split over variants: more paths than 32 bits can number are refused, not wrapped around. */
static void too_many_paths(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    struct hd_arena arena = {0};
    struct hd_loads loads;
    struct hd_net *net = make_net("gft:m=4,n=2");
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_open(&ctx, net, "omrmn", &r), HD_OK);
    const struct hd_loader *loader = make_loader(&ctx, &arena, r, NULL, HD_NEED_BOTTLENECKS);
    assert_true(loader->nvar > 1);
    assert_int_equal(hd_loads_init(&ctx, &arena, loader, UINT32_MAX / loader->nvar + 1, 1, &loads), HD_LIMIT);
    assert_non_null(strstr(ctx.error, "paths"));
    hd_routes_free(r);
    hd_net_free(net);
    hd_arena_release(&arena);
}

/* Loads are plain counts unless some cable has another rate; the usual rate is that of most endpoints. */
static void rates_that_are_equal_have_no_factors(void **state)
{
    struct hd_ctx ctx;
    const struct hd_rates *rates;
    struct hd_net *net = make_net("ft:m=4,n=2");
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_rates_of(&ctx, net, &rates), HD_OK);
    assert_null(rates->factor);
    assert_int_equal(rates->scale, 1);
    assert_false(rates->ends_differ);
    hd_net_free(net);
    net = tiny("2 2", "0-1"); /* 4xEDR, all of them */
    assert_int_equal(hd_rates_of(&ctx, net, &rates), HD_OK);
    assert_null(rates->factor);
    hd_net_free(net);
}

/* A switch with n hosts on these links. */
static struct hd_net *star(const char *const links[], uint32_t n)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    uint32_t sw = hd_builder_switch(b, &(struct hd_switch_in){.name = "sw", .nports = 16});
    for (uint32_t i = 0; i < n; i++) hd_builder_host(b, sw, i + 1, hd_link_code(links[i], strlen(links[i])));
    assert_int_equal(hd_builder_finish(&ctx, b, "mixed", &net), HD_OK);
    return net;
}

/* 4xEDR and 2xHDR are both 100 Gb/s: together they are more than the cables of another rate. */
static void rates_are_counted_not_links(void **state)
{
    struct hd_ctx ctx;
    const struct hd_rates *rates;
    static const char *const links[] = {"4xQDR", "4xQDR", "4xQDR", "4xEDR", "4xEDR", "2xHDR", "2xHDR"};
    (void)state;
    hd_ctx_init(&ctx);
    struct hd_net *net = star(links, 7);
    assert_int_equal(hd_rates_of(&ctx, net, &rates), HD_OK);
    for (uint32_t e = 0; e < 7; e++)
        assert_int_equal(rates->factor[net->off[net->nsw + e]], e < 3 ? 25 * rates->scale / 8 : rates->scale);
    hd_net_free(net);
}

static void the_rate_of_most_endpoints_is_the_usual_one(void **state)
{
    struct hd_ctx ctx;
    const struct hd_rates *rates;
    static const char *const links[] = {"4xFDR10", "4xEDR", "4xEDR", "4xHDR", "4xEDR"};
    (void)state;
    hd_ctx_init(&ctx);
    struct hd_net *net = star(links, 5);
    assert_int_equal(hd_rates_of(&ctx, net, &rates), HD_OK);
    assert_true(rates->ends_differ);
    for (uint32_t e = 0; e < 5; e++) {
        const uint32_t c = net->off[net->nsw + e], want = e == 0 ? 5 * rates->scale / 2 : rates->scale / (1 + (e == 3));
        assert_int_equal(rates->factor[c], want);
        assert_int_equal(rates->factor[net->rev[c]], want);
    }
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_many_paths),
                                       cmocka_unit_test(every_engine_everywhere),
                                       cmocka_unit_test(odd_ones),
                                       cmocka_unit_test(every_width),
                                       cmocka_unit_test(detours),
                                       cmocka_unit_test(broken_tables),
                                       cmocka_unit_test(rates_that_are_equal_have_no_factors),
                                       cmocka_unit_test(rates_are_counted_not_links),
                                       cmocka_unit_test(the_rate_of_most_endpoints_is_the_usual_one)};
    return cmocka_run_group_tests_name("bottleneck", tests, NULL, NULL);
}
