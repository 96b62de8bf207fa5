/* SPDX-License-Identifier: BSD-2-Clause */
/* What must hold of hd_net_infer for any network: generated structure comes back from shuffled cables,
 * what was taken out is named, and where there is no structure nothing is made up. */
#include "grids.h"
#include "net/core/shape.h"
#include "shuffle.h"
#include "base/context.h"

/* ---- what generated structure determines --------------------------------------------------- */

struct tuple { /* digits that say where, then the one that is counted */
    uint64_t where;
    uint32_t digit;
};

static int by_where(const void *a, const void *b)
{
    const struct tuple *x = a, *y = b;
    if (x->where != y->where) return x->where < y->where ? -1 : 1;
    return (x->digit > y->digit) - (x->digit < y->digit);
}

static uint32_t most_digits(struct tuple *t, uint32_t n)
{
    uint32_t most = 1, run = 0;
    qsort(t, n, sizeof *t, by_where);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || t[i].where != t[i - 1].where)
            run = 1;
        else
            run += t[i].digit != t[i - 1].digit;
        if (run > most) most = run;
    }
    return most;
}

/* Distinct digits i of the nodes of levels `from` and below (a digits: where = the digits above) or above
 * (b digits: where = the digits below). */
static uint32_t count_digits(const struct hd_net *net, uint32_t i, bool a)
{
    struct tuple *t = calloc(net->nsw + net->nep + 1, sizeof *t);
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint16_t *x = hd_coord(net, v);
        if (a ? net->level[v] > i : net->level[v] <= i) continue;
        for (uint32_t k = 0; k < net->shape.n; k++)
            if (a ? k > i : k < i) t[n].where = t[n].where * 65537 + x[k];
        t[n++].digit = x[i];
    }
    uint32_t most = most_digits(t, n);
    free(t);
    return most;
}

/* The smallest PGFT that holds a generated tree. */
static struct hd_shape smallest_tree(const struct hd_net *net)
{
    struct hd_shape s = net->shape;
    for (uint32_t i = 0; i < s.n; i++) {
        s.m[i] = count_digits(net, i, true);
        s.w[i] = count_digits(net, i, false);
    }
    return s;
}

/* Extents in order, with every ring of four as two twos: what two names of one grid agree in. */
static uint32_t grid_factors(const struct hd_shape *s, uint32_t *factor)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        bool four = s->m[i] == 4 && s->w[i] == HD_RING;
        if (s->m[i] == 1) continue;
        factor[n++] = four ? 2 : s->m[i];
        if (four) factor[n++] = 2;
    }
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j > 0 && factor[j] < factor[j - 1]; j--) {
            uint32_t t = factor[j];
            factor[j] = factor[j - 1];
            factor[j - 1] = t;
        }
    return n;
}

static void expect_same_shape(const char *what, const struct hd_net *net, const struct hd_net *found)
{
    const struct hd_shape *s = &found->shape;
    if (s->kind != net->shape.kind)
        fail_msg("%s: kind %d, expected %d (%s)", what, s->kind, net->shape.kind, found->departs);
    if (s->kind == HD_SHAPE_TREE) {
        struct hd_shape want = smallest_tree(net);
        if (s->n != want.n) fail_msg("%s: %u levels, expected %u", what, s->n, want.n);
        for (uint32_t i = 0; i < want.n; i++)
            if (s->m[i] != want.m[i] || s->w[i] != want.w[i] || s->p[i] != want.p[i])
                fail_msg("%s: level %u: m %u w %u p %u, expected %u %u %u", what, i + 1, s->m[i], s->w[i], s->p[i],
                         want.m[i], want.w[i], want.p[i]);
    } else {
        uint32_t a[2 * HD_MAX_DIM], b[2 * HD_MAX_DIM], n = grid_factors(&net->shape, a);
        if (grid_factors(s, b) != n || memcmp(a, b, n * sizeof *a) != 0) fail_msg("%s: other extents", what);
    }
}

/* ---- missing cables ------------------------------------------------------------------------ */

struct missing {
    uint32_t nsw, *count; /* [nsw * nsw] what is expected, and then what is left of it */
    uint32_t wrong;
};

static void tick_off(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    struct missing *m = user;
    uint32_t *count = &m->count[(size_t)(u < v ? u : v) * m->nsw + (u < v ? v : u)];
    if (*count != k) m->wrong++;
    *count = 0;
}

/* The cables found missing must be just those taken. */
static void expect_missing(const char *what, const struct hd_net *net, const struct damage *d, const uint32_t *map,
                           const struct hd_net *found)
{
    struct hd_ctx ctx;
    struct missing m = {.nsw = found->nsw, .count = calloc((size_t)found->nsw * found->nsw, sizeof *m.count)};
    hd_ctx_init(&ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t u = net->tail[c], v = net->head[c];
        if (u >= net->nsw || v >= net->nsw || d->sw[u] || d->sw[v] || net->rev[c] < c || !is_gone(net, d, c)) continue;
        u = map[u];
        v = map[v];
        m.count[(size_t)(u < v ? u : v) * m.nsw + (u < v ? v : u)]++;
    }
    assert_int_equal(hd_shape_each_missing(&ctx, found, tick_off, &m), HD_OK);
    for (size_t i = 0; i < (size_t)m.nsw * m.nsw; i++) m.wrong += m.count[i] != 0;
    if (m.wrong || found->shape.missing != d->ncables)
        fail_msg("%s: %u cables missing, %u taken, %u pairs differ", what, found->shape.missing, d->ncables, m.wrong);
    free(m.count);
}

/* Shuffles, damages by percent of the switch cables, infers, compares. */
static void infer_damaged(const struct hd_net *net, const char *what, uint32_t percent, uint64_t seed)
{
    struct damage d;
    struct hd_rng rng;
    uint32_t cables = 0, *map = calloc(net->nsw, sizeof *map);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) cables += net->head[c] < net->nsw;
    hd_rng_init(&rng, seed, HD_RNG_TEST, 1);
    damage_init(&d, net);
    damage_cables(&d, net, (cables / 2 * percent + 99) / 100, &rng);
    struct hd_net *raw = shuffle_net(net, &d, seed, map), *found = infer_net(raw);
    expect_same_shape(what, net, found);
    expect_missing(what, net, &d, map, found);
    hd_net_free(found);
    hd_net_free(raw);
    damage_release(&d);
    free(map);
}

/* ---- levels, by brute force ---------------------------------------------------------------- */

/* No shape, but at most 3 % of the switch cables do not connect adjacent levels. */
static bool nearly_all_adjacent(const struct hd_net *net)
{
    uint32_t all = 0, off = 0;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        uint32_t l = net->level[net->tail[c]], m = net->level[net->head[c]];
        if (net->head[c] >= net->nsw) continue;
        all++;
        off += l != m + 1 && m != l + 1;
    }
    return net->shape.kind == HD_SHAPE_NONE && off * 100 <= all * 3;
}

static void expect_levels(const char *what, const struct hd_net *net)
{
    uint32_t *dist = calloc(net->nsw, sizeof *dist);
    bool hosts = false, again = true;
    for (uint32_t e = 0; e < net->nep; e++) hosts = hosts || net->ca_role[net->ca[e]] == HD_ROLE_HOST;
    for (uint32_t v = 0; v < net->nsw; v++) {
        dist[v] = HD_NO_LEVEL;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] >= net->nsw && (!hosts || net->ca_role[net->ca[net->head[c] - net->nsw]] == HD_ROLE_HOST))
                dist[v] = 1;
    }
    while (again) {
        again = false;
        for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
            uint32_t u = net->tail[c], v = net->head[c];
            if (v >= net->nsw || dist[u] + 1 >= dist[v]) continue;
            dist[v] = dist[u] + 1;
            again = true;
        }
    }
    bool layered = nearly_all_adjacent(net); /* then likeness may say better than distance */
    for (uint32_t v = 0; v < net->nsw && !layered; v++) {
        if (net->unplaced[v]) continue; /* no endpoint in reach */
        bool folded = net->shape.kind == HD_SHAPE_TREE && dist[v] > 1; /* an empty subtree may be lower */
        if (folded ? net->level[v] > dist[v] : net->level[v] != dist[v])
            fail_msg("%s: switch %u has level %u, not %u", what, v, net->level[v], dist[v]);
    }
    free(dist);
}

/* ---- levels by likeness -------------------------------------------------------------------- */

/* A director fabric with scrambled numbers and ports, some leaves without hosts and some cables missing: every switch
 * is found on the level it was built on. */
static void levels_of_directors(void **state)
{
    static const char *const specs[] = {
        "director:groups=4,leaves=16,directors=3,lines=4,spines=12,hosts=9,rails=3",
        "director:groups=3,leaves=9,directors=2,lines=3,spines=8,hosts=6,rails=2,sharp=on",
        "director:groups=5,leaves=6,directors=2,lines=2,spines=6,hosts=4,rails=1"};
    static const uint32_t leaves[] = {16, 9, 6};
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct hd_net *net = make_net(specs[seed % 3]);
        struct hd_rng rng;
        struct damage d;
        uint32_t *map = calloc(net->nsw, sizeof *map), spare = seed % 4;
        hd_rng_init(&rng, seed, HD_RNG_TEST, 2);
        damage_init(&d, net);
        for (uint32_t i = 0; i < spare; i++) { /* leaves are the first switches: one of each group loses its hosts */
            uint32_t v = i * leaves[seed % 3] + hd_rng_below(&rng, leaves[seed % 3]);
            for (uint32_t e = 0; e < net->nep; e++)
                if (hd_leaf(net, e) == v && net->ca_role[net->ca[e]] == HD_ROLE_HOST)
                    d.cable[net->off[net->nsw + e]] = true;
        }
        damage_cables(&d, net, seed % 3 ? net->nchan / 200 : 0, &rng);
        struct hd_net *raw = shuffle_net(net, &d, seed, map), *found = infer_net(raw);
        for (uint32_t v = 0; v < net->nsw; v++)
            if (map[v] != UINT32_MAX && found->level[map[v]] != net->level[v])
                fail_msg("%s, seed %llu: switch %u has level %u, not %u", net->spec, (unsigned long long)seed, v,
                         found->level[map[v]], net->level[v]);
        hd_net_free(found);
        hd_net_free(raw);
        damage_release(&d);
        free(map);
        hd_net_free(net);
    }
}

/* ---- properties ---------------------------------------------------------------------------- */

static void every_example_comes_back(void **state)
{
    const struct hd_desc *d;
    (void)state;
    for (size_t i = 0; (d = row_at(HD_TOPOLOGIES, i)); i++)
        for (const char *const *spec = d->examples; spec && *spec; spec++) {
            struct hd_net *net = make_net(*spec);
            if (net->shape.kind != HD_SHAPE_NONE && net->shape.missing == 0 && net->nsw > 1 && net->nsw < 2000)
                for (uint64_t seed = 1; seed <= 2; seed++) infer_damaged(net, *spec, 0, seed);
            hd_net_free(net);
        }
}

static void parts_of_trees_come_back(void **state)
{
    static const char *const specs[] = {
        "gft:n=5,m=3,r=7,partial=leaves:1",
        "gft:n=5,m=3,r=7,partial=endpoints:17",
        "gft:n=5,m=3,r=7,partial=random:4",
        "ft:m=6,n=3,partial=leaves:5",
        "ft:m=6,n=3,partial=subtrees:1",
        "ft:m=6,n=3,partial=endpoints:31",
        "ft:m=6,n=3,partial=random:8",
        "ft:m=6,n=4,partial=random:2",
        "kary:k=4,n=3,partial=leaves:6",
        "kary:k=4,n=3,partial=subtrees:2",
        "kary:k=4,n=3,partial=endpoints:1",
        "kary:k=2,n=6,partial=random:3",
        "xgft:m=3x3x4,w=1x2x4,partial=leaves:10",
        "xgft:m=3x3x4,w=1x2x4,partial=endpoints:11",
        "xgft:m=4x4x4,w=1x3x1,partial=random:20",
        "pgft:m=4x4x4,w=1x2x2,p=1x2x3,partial=leaves:9",
        "pgft:m=4x4x4,w=1x2x2,p=1x2x3,partial=random:9",
        "pgft:m=4x6,w=1x2,p=1x5,partial=subtrees:4",
        "xgft:m=2x2x2x2x2x2x2,w=1x2x1x2x1x2x1",
        "xgft:m=1x1x3,w=1x2x2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct hd_net *net = make_net(specs[i]);
        for (uint64_t seed = 1; seed <= 3; seed++) infer_damaged(net, specs[i], 0, seed);
        hd_net_free(net);
    }
}

static void damaged_trees_come_back(void **state)
{
    static const struct {
        const char *spec;
        uint32_t percent;
    } cases[] = {
        {"gft:n=16,m=16,r=32", 10},  {"ft:m=8,n=3", 10},           {"ft:m=16,n=3", 10},
        {"kary:k=4,n=3", 5},         {"kary:k=4,n=4", 3},          {"pgft:m=6x6x4,w=1x3x2,p=1x2x3", 10},
        {"xgft:m=4x4x4,w=1x2x2", 3}, {"xgft:m=6x6x6,w=1x3x3", 10}, {"ft:m=12,n=3,partial=leaves:20", 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        for (uint64_t seed = 1; seed <= 5; seed++) infer_damaged(net, cases[i].spec, cases[i].percent, seed);
        hd_net_free(net);
    }
}

/* Switches gone as well: parameters and missing cables stay those of the whole. */
static void dead_switches_leave_the_tree(void **state)
{
    struct hd_net *net = make_net("ft:m=8,n=3");
    uint32_t *map = calloc(net->nsw, sizeof *map);
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct damage d;
        struct hd_rng rng;
        hd_rng_init(&rng, seed, HD_RNG_TEST, 2);
        damage_init(&d, net);
        for (int i = 0; i < 3; i++) d.sw[hd_rng_below(&rng, net->nsw)] = true;
        damage_cables(&d, net, 8, &rng);
        struct hd_net *raw = shuffle_net(net, &d, seed, map), *found = infer_net(raw);
        expect_same_shape("ft:m=8,n=3", net, found);
        expect_missing("ft:m=8,n=3", net, &d, map, found);
        for (uint32_t v = 0; v < net->nsw; v++)
            if (!d.sw[v]) assert_int_equal(found->level[map[v]], net->level[v]);
        hd_net_free(found);
        hd_net_free(raw);
        damage_release(&d);
    }
    free(map);
    hd_net_free(net);
}

static void damaged_grids_come_back(void **state)
{
    static const struct {
        const char *grid;
        uint32_t percent;
    } cases[] = {
        {"ring 5 5", 2},           {"ring 6 6", 2},   {"ring 9 7", 2},        {"ring 16 16", 2},
        {"ring 5 5 5", 3},         {"ring 6 6 6", 2}, {"ring 4 5 6", 2},      {"line 2 2 2 2 2 2 2", 4},
        {"clique 6 6", 2},         {"clique 9", 2},   {"ring 7 clique 6", 1}, {"ring 8 8 cables 3", 5},
        {"line 5 5 5 hosts 0", 0}, {"ring 12", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hd_net *net = make_grid(cases[i].grid);
        for (uint64_t seed = 1; seed <= 10; seed++) infer_damaged(net, cases[i].grid, cases[i].percent, seed);
        hd_net_free(net);
    }
}

/* One cable at a time, every one; on a mesh those between switches that have all their neighbours. */
static void any_cable_of_a_grid_is_missed(void **state)
{
    static const char *const grids[] = {"ring 5 5",   "ring 4 5",   "ring 5 5 line 4",
                                        "line 2 2 2", "clique 4 4", "line 7 7"};
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        struct hd_net *net = make_grid(grids[i]);
        uint32_t *map = calloc(net->nsw, sizeof *map), tried = 0;
        for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
            uint32_t u = net->tail[c], v = net->head[c];
            if (v >= net->nsw || v < u ||
                (net->shape.w[0] == HD_LINE && net->shape.m[0] > 2 && hd_degree(net, u) + hd_degree(net, v) < 10))
                continue;
            struct damage d;
            damage_init(&d, net);
            d.cable[c] = true;
            d.ncables = 1;
            struct hd_net *raw = shuffle_net(net, &d, c, map), *found = infer_net(raw);
            expect_same_shape(grids[i], net, found);
            expect_missing(grids[i], net, &d, map, found);
            tried++;
            hd_net_free(found);
            hd_net_free(raw);
            damage_release(&d);
        }
        assert_true(tried >= 12);
        free(map);
        hd_net_free(net);
    }
}

/* ---- anything at all ----------------------------------------------------------------------- */

struct anything {
    struct hd_builder *b;
    struct hd_rng rng;
    uint32_t n, used[400];
};

static void join(struct anything *a, uint32_t u, uint32_t v)
{
    if (u != v && a->used[u] < HD_MAX_PORTS && a->used[v] < HD_MAX_PORTS)
        hd_builder_cable(a->b, u, ++a->used[u], v, ++a->used[v], 0);
}

/* Random multigraphs, sparse or dense; random trees; leaves below random spines; groups with one cable
 * between each two; layers; stars: with hosts here and there. */
static void wire(struct anything *a, uint32_t kind, uint32_t cables)
{
    uint32_t n = a->n, group = 2 + hd_rng_below(&a->rng, 5);
    for (uint32_t i = 0; i < cables; i++) {
        uint32_t u = hd_rng_below(&a->rng, n), v = hd_rng_below(&a->rng, n);
        switch (kind) {
        case 0: break;
        case 1: u = i % n, v = u ? hd_rng_below(&a->rng, u) : 0; break;
        case 2: u = u / 2, v = n / 2 + v / 2; break;
        case 3:
            if (i < n * (group - 1)) u = i / (group - 1), v = u / group * group + (u + 1 + i % (group - 1)) % group;
            break;
        case 4: v = (u + n / 4 + 1) % n; break;
        case 5: u = 0; break;
        default: v = (u + 1) % n; break;
        }
        if (v < n) join(a, u, v);
    }
}

static struct hd_net *make_anything(uint64_t seed)
{
    struct hd_ctx ctx;
    struct anything a = {0};
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_rng_init(&a.rng, seed, HD_RNG_TEST, 3);
    assert_int_equal(hd_builder_make(&ctx, &a.b), HD_OK);
    a.n = 1 + hd_rng_below(&a.rng, seed % 5 ? 24 : 300);
    for (uint32_t v = 0; v < a.n; v++) hd_builder_switch(a.b, &(struct hd_switch_in){.level = 0});
    uint32_t kind = hd_rng_below(&a.rng, 7), most = hd_rng_below(&a.rng, 4), of = 1 + hd_rng_below(&a.rng, 4);
    wire(&a, kind, hd_rng_below(&a.rng, 4 * a.n + 1));
    for (uint32_t v = 0; v < a.n; v++)
        for (uint32_t k = 0; k < most && a.used[v] < HD_MAX_PORTS; k++) {
            enum hd_role role = hd_rng_below(&a.rng, 8) ? HD_ROLE_HOST : HD_ROLE_AGGREGATION;
            if (hd_rng_below(&a.rng, of)) continue;
            uint32_t ca = hd_builder_adapter(a.b, &(struct hd_adapter_in){.role = role});
            hd_builder_cable(a.b, v, ++a.used[v], hd_builder_endpoint(a.b, ca, 1, 0, 0), 1, 0);
        }
    char spec[32];
    snprintf(spec, sizeof spec, "anything %llu", (unsigned long long)seed);
    hd_status s = hd_builder_finish(&ctx, a.b, spec, &net);
    return checked(&ctx, s, net, spec);
}

static void anything_has_levels(void **state)
{
    uint32_t shapes[3] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        struct hd_net *net = make_anything(seed), *found = infer_net(net), *again = infer_net(net);
        expect_levels(net->spec, found);
        shapes[found->shape.kind]++;
        if ((found->shape.n == 0) != (found->departs[0] != 0)) fail_msg("%s: departs: %s", net->spec, found->departs);
        assert_int_equal(found->nchan, net->nchan);
        assert_memory_equal(found->head, net->head, net->nchan * sizeof *net->head);
        assert_memory_equal(&again->shape, &found->shape, sizeof found->shape);
        if (found->shape.n)
            assert_memory_equal(again->coord, found->coord,
                                (net->nsw + net->nep) * found->shape.n * sizeof *found->coord);
        hd_net_free(again);
        hd_net_free(found);
        hd_net_free(net);
    }
    for (int i = 0; i < 3; i++)
        if (shapes[i] < 20) fail_msg("only %u of kind %d: the networks are too much alike", shapes[i], i);
}

/* Structure that is neither: no shape, and a reason. */
static void other_structure_is_not_made_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct hd_ctx ctx;
        struct anything a = {.n = 36};
        struct hd_net *net = NULL;
        hd_ctx_init(&ctx);
        hd_rng_init(&a.rng, seed, HD_RNG_TEST, 4);
        assert_int_equal(hd_builder_make(&ctx, &a.b), HD_OK);
        for (uint32_t v = 0; v < a.n; v++) {
            hd_builder_switch(a.b, &(struct hd_switch_in){.level = 0});
            hd_builder_host(a.b, v, ++a.used[v], 0);
        }
        /* nine groups of four, each two joined by one cable: a dragonfly */
        for (uint32_t g = 0; g < 9; g++)
            for (uint32_t i = 0; i < 4; i++) {
                for (uint32_t j = 0; j < i; j++) join(&a, 4 * g + i, 4 * g + j);
                for (uint32_t k = 0; k < 2; k++) {
                    uint32_t to = (g + 2 * i + k + 1) % 9;
                    if (to > g) join(&a, 4 * g + i, 4 * to + (7 - 2 * i - k) / 2);
                }
            }
        if (seed > 1) join(&a, hd_rng_below(&a.rng, 18), 18 + hd_rng_below(&a.rng, 18));
        hd_status s = hd_builder_finish(&ctx, a.b, "dragonfly", &net);
        struct hd_net *found = infer_net(checked(&ctx, s, net, "dragonfly"));
        assert_int_equal(found->shape.kind, HD_SHAPE_NONE);
        assert_non_null(strstr(found->departs, "connects two switches of level 1"));
        assert_non_null(strstr(found->departs, "not a grid either: switch 'sw-"));
        expect_levels("dragonfly", found);
        hd_net_free(found);
        hd_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_comes_back), cmocka_unit_test(parts_of_trees_come_back),
        cmocka_unit_test(damaged_trees_come_back),  cmocka_unit_test(dead_switches_leave_the_tree),
        cmocka_unit_test(damaged_grids_come_back),  cmocka_unit_test(any_cable_of_a_grid_is_missed),
        cmocka_unit_test(anything_has_levels),      cmocka_unit_test(other_structure_is_not_made_up),
        cmocka_unit_test(levels_of_directors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
