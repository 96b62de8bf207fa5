/* SPDX-License-Identifier: BSD-2-Clause */
/* psssp, p2sssp, dfsssp and the kernels under them against slow literal versions: every entry is
 * compared with what the definition says, lanes with an explicit search for cycles. */
#include "testing.h"

#include <stdio.h>

#include "base/rng.h"
#include "route/lanes.h"
#include "route/sssp.h"
#include "route/updown.h"

static struct hd_ctx ctx;

static int setup(void **state)
{
    (void)state;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.seed = 1;
    return 0;
}

/* ---- networks ------------------------------------------------------------------------------ */

static struct hd_net *finish(struct hd_builder *b, const char *spec)
{
    struct hd_net *net = NULL;
    hd_status s = hd_builder_finish(&ctx, b, spec, &net);
    return checked(&ctx, s, net, spec);
}

/* A torus (lines where an extent is 2) with its coordinates. */
static struct hd_net *make_torus(uint32_t n, const uint32_t *m, uint32_t hosts)
{
    struct hd_builder *b;
    struct hd_shape shape = {.kind = HD_SHAPE_GRID, .n = n};
    uint32_t nsw = 1, stride = 1;
    char spec[64] = "grid";
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < n; nsw *= m[i++]) {
        shape.m[i] = m[i];
        shape.w[i] = m[i] > 2 ? HD_RING : HD_LINE;
        shape.p[i] = 1;
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%c%u", i ? 'x' : ':', m[i]);
    }
    hd_builder_shape(b, &shape);
    for (uint32_t v = 0; v < nsw; v++) {
        uint16_t x[HD_MAX_DIM];
        for (uint32_t i = 0, rest = v; i < n; rest /= m[i++]) x[i] = (uint16_t)(rest % m[i]);
        hd_builder_switch(b, &(struct hd_switch_in){.nports = hosts + 2 * n, .level = 1});
        hd_builder_coord(b, v, x);
        for (uint32_t h = 0; h < hosts; h++) hd_builder_coord(b, hd_builder_host(b, v, h + 1, 0), x);
    }
    for (uint32_t i = 0; i < n; stride *= m[i++])
        for (uint32_t v = 0; v < nsw; v++) {
            uint32_t x = v / stride % m[i];
            if (m[i] == 1 || (x + 1 == m[i] && m[i] == 2)) continue;
            hd_builder_cable(b, v, hosts + 2 * i + 1, x + 1 < m[i] ? v + stride : v - x * stride, hosts + 2 * i + 2, 0);
        }
    return finish(b, spec);
}

static struct hd_net *make_ring(uint32_t n, uint32_t hosts)
{
    return make_torus(1, &n, hosts);
}

/* Anything: parallel cables, several parts, switches without endpoints, leaves of unequal size. */
static struct hd_net *make_random(uint64_t seed)
{
    struct hd_rng rng;
    struct hd_builder *b;
    uint32_t port[16] = {0};
    char spec[32];
    hd_rng_init(&rng, seed, HD_RNG_TEST, 0);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    uint32_t nsw = 1 + hd_rng_below(&rng, 12), nep = hd_rng_below(&rng, 25), ncable = hd_rng_below(&rng, 3 * nsw);
    for (uint32_t v = 0; v < nsw; v++) hd_builder_switch(b, &(struct hd_switch_in){.nports = 200});
    if (seed % 4) /* mostly connected */
        for (uint32_t v = 1; v < nsw; v++) {
            uint32_t u = hd_rng_below(&rng, v);
            hd_builder_cable(b, u, ++port[u], v, ++port[v], 0);
        }
    for (uint32_t i = 0; i < ncable && nsw > 1; i++) {
        uint32_t u = hd_rng_below(&rng, nsw), v = hd_rng_below(&rng, nsw - 1);
        v += v >= u;
        hd_builder_cable(b, u, ++port[u], v, ++port[v], 0);
    }
    for (uint32_t e = 0; e < nep; e++) {
        uint32_t v = hd_rng_below(&rng, nsw);
        hd_builder_host(b, v, ++port[v], 0);
    }
    snprintf(spec, sizeof spec, "random-%llu", (unsigned long long)seed);
    return finish(b, spec);
}

enum { RANDOM_NETS = 60 };

/* Cables by name: "AB" joins switches A and B, "A1" puts endpoint 1 on A. Ports in the order given. */
static struct hd_net *make_drawn(const char *spec, uint32_t nsw, uint32_t nep, const char *const *cables)
{
    struct hd_builder *b;
    uint32_t port[26] = {0}, host[10] = {0};
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < nsw; v++)
        hd_builder_switch(b, &(struct hd_switch_in){.name = (char[]){(char)('A' + v), 0}, .nports = 16});
    for (uint32_t e = 0; e < nep; e++) {
        uint32_t ca = hd_builder_adapter(b, &(struct hd_adapter_in){.name = (char[]){(char)('0' + e), 0}, .nports = 1});
        host[e] = hd_builder_endpoint(b, ca, 1, 0, 0);
    }
    for (; *cables; cables++) {
        uint32_t u = (uint32_t)((*cables)[0] - 'A');
        if ((*cables)[1] >= 'A') {
            uint32_t v = (uint32_t)((*cables)[1] - 'A');
            hd_builder_cable(b, u, ++port[u], v, ++port[v], 0);
        } else {
            hd_builder_cable(b, u, ++port[u], host[(*cables)[1] - '0'], 1, 0);
        }
    }
    return finish(b, spec);
}

static uint32_t channel(const struct hd_net *net, char from, char to)
{
    for (uint32_t c = net->off[from - 'A']; c < net->off[from - 'A' + 1]; c++)
        if (net->head[c] == (uint32_t)(to - 'A')) return c;
    fail_msg("no cable %c%c", from, to);
    return 0;
}

static struct hd_routes *open_routes(const struct hd_net *net, const char *engine)
{
    struct hd_routes *r = NULL;
    if (hd_routes_open(&ctx, net, engine, &r) != HD_OK) fail_msg("%s on %s: %s", engine, net->spec, ctx.error);
    return r;
}

static struct hd_check check_routes(const struct hd_routes *r)
{
    struct hd_check k;
    if (hd_routes_check(&ctx, r, &k) != HD_OK) fail_msg("%s", ctx.error);
    return k;
}

/* ---- literal versions ------------------------------------------------------------------------ */

struct key {
    uint64_t hops, load;
};

static bool less(struct key a, struct key b)
{
    return a.hops < b.hops || (a.hops == b.hops && a.load < b.load);
}

static struct key longer(struct key k, uint32_t load, bool minimal)
{
    if (minimal) return (struct key){k.hops + 1, k.load + load};
    return (struct key){0, k.load + 1 + load};
}

/* Keys of all switches towards t under these loads: relax every channel until nothing changes. */
static void find_keys(const struct hd_net *net, uint32_t t, const uint32_t *load, bool minimal, struct key *key)
{
    for (uint32_t v = 0; v < net->nsw; v++) key[v] = (struct key){UINT32_MAX, UINT32_MAX};
    key[t] = (struct key){0, 0};
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < net->nchan; c++) {
            uint32_t u = net->tail[c], v = net->head[c];
            if (u >= net->nsw || v >= net->nsw || key[v].load == UINT32_MAX) continue;
            struct key k = longer(key[v], load[c], minimal);
            if (!less(k, key[u])) continue;
            key[u] = k;
            changed = true;
        }
    }
}

/* Every pair of d walks its path and adds one to each channel between switches. */
static void walk_sources(const struct hd_routes *r, uint32_t d, uint32_t *load)
{
    const struct hd_net *net = r->net;
    uint32_t chan[HD_MAX_HOPS];
    for (uint32_t s = 0; s < net->nep; s++) {
        if (s == d) continue;
        uint32_t n = hd_routes_path(r, s, d, 0, chan);
        for (uint32_t i = 1; i + 1 < n; i++) load[chan[i]]++;
    }
}

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

/* ---- lanes by brute force --------------------------------------------------------------------- */

static bool closes(const bool *edge, uint32_t n, uint32_t c, uint8_t *mark)
{
    mark[c] = 1;
    for (uint32_t x = 0; x < n; x++)
        if (edge[(size_t)c * n + x] && (mark[x] == 1 || (mark[x] == 0 && closes(edge, n, x, mark)))) return true;
    mark[c] = 2;
    return false;
}

/* Dependencies of all pairs of endpoints, lane by lane; false when one has a cycle. */
static bool lanes_acyclic(const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    uint32_t n = net->nchan, chan[HD_MAX_HOPS];
    bool *edge = calloc((size_t)n * n + 1, 1), free_of_cycles = true;
    uint8_t *mark = calloc(n + 1, 1);
    for (uint32_t lane = 0; lane < r->nlanes; lane++) {
        memset(edge, 0, (size_t)n * n);
        memset(mark, 0, n);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++) {
                if (s == d || hd_routes_lane(r, s, d, 0) != lane) continue;
                uint32_t hops = hd_routes_path(r, s, d, 0, chan);
                for (uint32_t i = 0; i + 1 < hops; i++) edge[(size_t)chan[i] * n + chan[i + 1]] = true;
            }
        for (uint32_t c = 0; c < n; c++)
            if (mark[c] == 0 && closes(edge, n, c, mark)) free_of_cycles = false;
    }
    free(edge);
    free(mark);
    return free_of_cycles;
}

static void assert_served_and_free(const struct hd_routes *r, uint32_t maxlanes)
{
    struct hd_check k = check_routes(r);
    if (k.unreachable || k.loops || k.deadlock_free != 1 || k.lanes > maxlanes || !lanes_acyclic(r))
        fail_msg("%s on %s: %llu unreachable, %llu loops, deadlock_free %d, %u lanes", r->spec, r->net->spec,
                 (unsigned long long)k.unreachable, (unsigned long long)k.loops, k.deadlock_free, k.lanes);
}

/* ---- psssp ------------------------------------------------------------------------------------ */

static void psssp_follows_its_definition(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        struct hd_sssp_opt opt;
    } cases[] = {
        {"psssp", {HD_SSSP_INDEX, HD_SSSP_FIRST, true, 0}},
        {"psssp:order=leaf", {HD_SSSP_LEAF, HD_SSSP_FIRST, true, 0}},
        {"psssp:order=random,seed=9", {HD_SSSP_RANDOM, HD_SSSP_FIRST, true, 9}},
        {"psssp:tie=random", {HD_SSSP_INDEX, HD_SSSP_ANY, true, 0}},
        {"psssp:minimal=off", {HD_SSSP_INDEX, HD_SSSP_FIRST, false, 0}},
        {"psssp:minimal=off,tie=random,order=random", {HD_SSSP_RANDOM, HD_SSSP_ANY, false, 0}},
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
        const char *specs[] = {"psssp", "psssp:order=random,tie=random", "psssp:minimal=off", "p2sssp"};
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

/* A minimal=off path may be longer than a shortest one when those are loaded: two switches joined by a
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
            for (uint32_t v = 0; v < net->nsw; v++)
                if (table[(size_t)d * net->nsw + v] != HD_SLOT_NONE)
                    assert_int_equal(hd_row(r, d, 0)[v], table[(size_t)d * net->nsw + v]);
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

/* ---- the paper's examples ---------------------------------------------------------------------- */

static void set_path(struct hd_routes *r, const char *switches, uint32_t d)
{
    const struct hd_net *net = r->net;
    uint8_t *row = hd_row(r, d, 0);
    for (; switches[1]; switches++)
        row[switches[0] - 'A'] = (uint8_t)(channel(net, switches[0], switches[1]) - net->off[switches[0] - 'A']);
    uint32_t c = net->rev[net->off[net->nsw + d]];
    row[net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
}

/* Figure 1: three routes on a ring of four wait for each other in a circle; any lane rule that splits them
 * helps, and lanes.c finds one. */
static void figure_1_has_a_credit_loop(void **state)
{
    (void)state;
    const char *const cables[] = {"AB", "BC", "CD", "DA", "A0", "B1", "D2", "C3", NULL};
    const char *const loop[] = {"DC", "CB", "BA", "AD"};
    struct hd_net *net = make_drawn("figure 1", 4, 4, cables);
    struct hd_routes *r;
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    set_path(r, "DCBA", 0);
    set_path(r, "ADC", 3);
    set_path(r, "BAD", 2);
    struct hd_check k = check_routes(r);
    assert_int_equal(k.deadlock_free, 0);
    assert_int_equal(k.ncycle, 4);
    uint32_t found = 0;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++) found += k.cycle[i].c == channel(net, loop[j][0], loop[j][1]);
    assert_int_equal(found, 4);

    struct hd_arena a = {0};
    struct hd_lanes lanes;
    assert_int_equal(hd_lanes_assign(&ctx, &a, r, &(struct hd_lanes_opt){HD_LANES_PATH, 8, NULL, false}, &lanes),
                     HD_OK);
    assert_int_equal(lanes.nleft, 0);
    assert_int_equal(r->nlanes, 2);
    assert_true(lanes_acyclic(r));
    hd_arena_release(&a);
    hd_routes_free(r);
    hd_net_free(net);
}

static void assert_loads(const struct hd_routes *r, const char *const *pairs, const uint32_t *expected, uint32_t n)
{
    const struct hd_net *net = r->net;
    uint32_t load[64] = {0}, total = 0, sum = 0;
    for (uint32_t d = 0; d < net->nep; d++) walk_sources(r, d, load);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = channel(net, pairs[i][0], pairs[i][1]);
        if (load[c] != expected[i]) fail_msg("load of %s is %u, expected %u", pairs[i], load[c], expected[i]);
        sum += expected[i];
    }
    for (uint32_t c = 0; c < net->nchan; c++) total += load[c];
    assert_int_equal(total, sum); /* and nothing elsewhere */
}

/* Figure 2: endpoints 0, 1, 2 on A, E, C; B and D join them. The routes depend on ties, which port order
 * decides; the printed (1,E,B,C,2) must be (1,E,D,C,2) for the maxima the text states. */
static void figure_2_has_the_stated_loads(void **state)
{
    (void)state;
    const char *const edges[] = {"BA", "DE", "EB", "CB", "AD", "CD", "AB", "BC", "ED", "DC"};
    const uint32_t psssp_loads[] = {2, 2, 1, 1, 1, 1, 1, 1, 1, 1};
    const char *const d_first_at_a[] = {"AD", "AB", "EB", "ED", "CB", "CD", "A0", "E1", "C2", NULL};
    struct hd_net *net = make_drawn("figure 2", 5, 3, d_first_at_a);
    struct hd_routes *r = open_routes(net, "psssp");
    assert_loads(r, edges, psssp_loads, 10);
    hd_routes_free(r);
    hd_net_free(net);

    const char *const all[] = {"AB", "BE", "AD", "DC", "ED", "DA", "EB", "BC", "CB", "BA", "CD", "DE"};
    const uint32_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const char *const b_first_at_a[] = {"AB", "AD", "ED", "EB", "CB", "CD", "A0", "E1", "C2", NULL};
    net = make_drawn("figure 3", 5, 3, b_first_at_a);
    r = open_routes(net, "p2sssp");
    assert_loads(r, all, ones, 12);
    hd_routes_free(r);
    hd_net_free(net);
}

/* Sum over all orders of the endpoints of the shares 1 / max load, times 60, pairs being neighbours in
 * the order: the effective bisection bandwidth, exactly. */
static uint64_t exact_ebb(const struct hd_routes *r, uint32_t *rank, uint32_t at)
{
    const struct hd_net *net = r->net;
    uint64_t sum = 0;
    if (at < net->nep) {
        for (uint32_t i = at; i < net->nep; i++) {
            uint32_t x = rank[at];
            rank[at] = rank[i];
            rank[i] = x;
            sum += exact_ebb(r, rank, at + 1);
            rank[i] = rank[at];
            rank[at] = x;
        }
        return sum;
    }
    uint32_t load[64] = {0}, chan[4][HD_MAX_HOPS], n[4];
    for (uint32_t i = 0; i < net->nep / 2; i++) {
        n[i] = hd_routes_path(r, rank[2 * i], rank[2 * i + 1], 0, chan[i]);
        for (uint32_t j = 0; j < n[i]; j++) load[chan[i][j]]++;
    }
    for (uint32_t i = 0; i < net->nep / 2; i++) {
        uint32_t most = 1;
        for (uint32_t j = 0; j < n[i]; j++)
            if (load[chan[i][j]] > most) most = load[chan[i][j]];
        sum += 60 / most;
    }
    return sum;
}

static uint32_t largest_load(const struct hd_routes *r)
{
    uint32_t load[64] = {0}, most = 0;
    for (uint32_t d = 0; d < r->net->nep; d++) walk_sources(r, d, load);
    for (uint32_t c = 0; c < r->net->nchan; c++)
        if (load[c] > most) most = load[c];
    return most;
}

/* Figure 6's point: p2sssp evens out the routes to one destination over both ways round, which lowers the
 * largest load and, since such routes never meet in a pattern of pairs, lowers their bandwidth too. The
 * text leaves the drawing open; this ring of six was found by search. */
static void figure_6_lower_load_is_not_more_bandwidth(void **state)
{
    (void)state;
    const char *const cables[] = {"AB", "FA", "CD", "EF", "DE", "BC", "E0", "F1", "B2", "C3", "F4", "E5", NULL};
    struct hd_net *net = make_drawn("figure 6", 6, 6, cables);
    struct hd_routes *p = open_routes(net, "psssp"), *p2 = open_routes(net, "p2sssp");
    uint32_t rank[6] = {0, 1, 2, 3, 4, 5};
    assert_int_equal(largest_load(p), 6);
    assert_int_equal(largest_load(p2), 5);
    assert_int_equal(exact_ebb(p, rank, 0), 118080);  /* .9111 of 720 orders x 3 pairs x 60 */
    assert_int_equal(exact_ebb(p2, rank, 0), 114840); /* .8861 */
    hd_routes_free(p);
    hd_routes_free(p2);
    hd_net_free(net);
}

/* ---- up/down rows ------------------------------------------------------------------------------ */

static void updown_rows_are_legal_and_complete(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= RANDOM_NETS; seed++) {
        struct hd_net *net = make_random(seed);
        struct hd_arena a = {0};
        struct hd_updown u;
        uint8_t row[16];
        struct key dist[16];
        uint32_t *load = calloc(net->nchan + 1, sizeof *load);
        assert_int_equal(hd_updown_init(&ctx, &a, net, NULL, &u), HD_OK);
        for (uint32_t t = 0; t < net->nsw; t++) {
            find_keys(net, t, load, true, dist);
            hd_updown_row(&u, t, NULL, row);
            assert_int_equal(row[t], HD_SLOT_NONE);
            for (uint32_t x = 0; x < net->nsw; x++) {
                bool reachable = dist[x].load != UINT32_MAX, down = false;
                assert_int_equal(x == t || row[x] != HD_SLOT_NONE, reachable);
                uint32_t hops = 0;
                for (uint32_t v = x; reachable && v != t; hops++) {
                    uint32_t c = net->off[v] + row[v];
                    assert_true(hops < net->nsw);
                    assert_false(down && hd_updown_up(&u, c));
                    down |= !hd_updown_up(&u, c);
                    v = net->head[c];
                }
                if (reachable) assert_int_equal(hops, u.cost[x]);
            }
        }
        free(load);
        hd_arena_release(&a);
        hd_net_free(net);
    }
}

/* Given ranks win over found ones, and load decides among equals: a square whose first corner is last. */
static void updown_takes_ranks_and_loads(void **state)
{
    (void)state;
    const char *const cables[] = {"AB", "AC", "BD", "CD", "A0", "D1", NULL};
    struct hd_net *net = make_drawn("square", 4, 2, cables);
    struct hd_arena a = {0};
    struct hd_updown u;
    uint32_t rank[] = {2, 1, 1, 0}, load[16] = {0};
    uint8_t row[4];
    assert_int_equal(hd_updown_init(&ctx, &a, net, rank, &u), HD_OK);
    assert_int_equal(u.order[0], 3);
    assert_int_equal(u.order[3], 0);
    hd_updown_row(&u, 3, load, row);
    assert_int_equal(net->off[0] + row[0], channel(net, 'A', 'B'));
    load[channel(net, 'A', 'B')] = 1;
    hd_updown_row(&u, 3, load, row);
    assert_int_equal(net->off[0] + row[0], channel(net, 'A', 'C'));
    hd_arena_release(&a);
    hd_net_free(net);
}

/* ---- dfsssp and lanes --------------------------------------------------------------------------- */

static void dfsssp_is_free_of_credit_loops(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        uint32_t most;
    } cases[] = {{"dfsssp", 8},
                 {"dfsssp:lanes=dest", 8},
                 {"dfsssp:maxlanes=2", 2},
                 {"dfsssp:lanes=dest,maxlanes=2", 2},
                 {"dfsssp:maxlanes=1", 1},
                 {"dfsssp:lanes=dest,maxlanes=1", 1}};
    for (uint64_t seed = 1; seed <= RANDOM_NETS + 4; seed++) {
        struct hd_net *net = seed <= RANDOM_NETS       ? make_random(seed)
                             : seed == RANDOM_NETS + 1 ? make_ring(5, 2)
                             : seed == RANDOM_NETS + 2 ? make_ring(8, 1)
                             : seed == RANDOM_NETS + 3 ? make_torus(2, (const uint32_t[]){5, 4}, 1)
                                                       : make_torus(2, (const uint32_t[]){4, 6}, 1);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct hd_routes *r = open_routes(net, cases[i].spec);
            assert_served_and_free(r, cases[i].most);
            if (cases[i].most == 8) assert_int_equal(check_routes(r).nonminimal, 0);
            hd_routes_free(r);
        }
        hd_net_free(net);
    }
}

/* psssp alone has a credit loop here, so the lanes are needed; and two are enough. */
static void rings_need_two_lanes(void **state)
{
    (void)state;
    for (uint32_t n = 5; n < 12; n++) {
        struct hd_net *net = make_ring(n, 1);
        struct hd_routes *p = open_routes(net, "psssp"), *r = open_routes(net, "dfsssp");
        assert_int_equal(check_routes(p).deadlock_free, 0);
        assert_false(lanes_acyclic(p));
        assert_int_equal(r->nlanes, 2);
        assert_memory_equal(p->table, r->table, (size_t)net->nep * net->nsw);
        assert_served_and_free(r, 2);
        hd_routes_free(p);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* One lane on a ring: every route must be an up/down route, for one more turn would close the ring. */
static void one_lane_on_a_ring_is_up_down(void **state)
{
    (void)state;
    for (uint32_t n = 5; n < 12; n++) {
        struct hd_net *net = make_ring(n, 2);
        struct hd_routes *r = open_routes(net, "dfsssp:maxlanes=1");
        struct hd_arena a = {0};
        struct hd_updown u;
        uint32_t chan[HD_MAX_HOPS];
        assert_served_and_free(r, 1);
        assert_int_equal(r->lane_rule, HD_LANE_ONE);
        assert_true(check_routes(r).nonminimal > 0);
        assert_int_equal(hd_updown_init(&ctx, &a, net, NULL, &u), HD_OK);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++) {
                uint32_t hops = s == d ? 0 : hd_routes_path(r, s, d, 0, chan);
                for (uint32_t i = 1; i + 2 < hops; i++)
                    assert_false(!hd_updown_up(&u, chan[i]) && i + 3 < hops && hd_updown_up(&u, chan[i + 1]));
            }
        hd_arena_release(&a);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Where OpenSM's dfsssp asks for nine lanes and gives up. */
static void dfsssp_routes_a_4x4x4_torus_in_eight_lanes(void **state)
{
    (void)state;
    struct hd_net *net = make_torus(3, (const uint32_t[]){4, 4, 4}, 2);
    const char *specs[] = {"dfsssp", "dfsssp:order=random,tie=random,seed=5", "dfsssp:lanes=dest"};
    for (size_t i = 0; i < 3; i++) {
        struct hd_routes *r = open_routes(net, specs[i]);
        struct hd_check k = check_routes(r);
        assert_int_equal(k.unreachable + k.loops + k.nonminimal, 0);
        assert_int_equal(k.deadlock_free, 1);
        assert_true(r->nlanes <= 8);
        if (i == 0) assert_true(r->nlanes <= 6);
        hd_routes_free(r);
    }
    hd_net_free(net);
}

/* Without a reserve the rows that do not fit are named, and the others are free of cycles. */
static void lanes_name_what_does_not_fit(void **state)
{
    (void)state;
    struct hd_net *net = make_torus(2, (const uint32_t[]){5, 5}, 1);
    for (int mode = HD_LANES_PATH; mode <= HD_LANES_DEST; mode++) {
        struct hd_arena a = {0};
        struct hd_lanes lanes;
        struct hd_routes *r = open_routes(net, "psssp:order=random,tie=random,seed=2");
        struct hd_lanes_opt opt = {.mode = (enum hd_lanes_mode)mode, .maxlanes = 1};
        assert_int_equal(hd_lanes_assign(&ctx, &a, r, &opt, &lanes), HD_OK);
        assert_true(lanes.nleft > 0 && lanes.nleft < net->nep);
        for (uint32_t i = 0; i < lanes.nleft; i++) {
            assert_true(i == 0 || lanes.left[i - 1] < lanes.left[i]);
            memset(hd_row(r, lanes.left[i], 0), HD_SLOT_NONE, net->nsw);
        }
        assert_true(lanes_acyclic(r));
        hd_arena_release(&a);
        hd_routes_free(r);
        hd_net_free(net);
        net = make_torus(2, (const uint32_t[]){5, 5}, 1);
    }
    hd_net_free(net);
}

/* Lanes for routes with several variants: a lane for each (leaf, destination, variant). */
static void lanes_take_variants(void **state)
{
    (void)state;
    struct hd_net *net = make_ring(7, 1);
    struct hd_routes *one = open_routes(net, "psssp"), *two = open_routes(net, "psssp:order=random,tie=random"), *r;
    struct hd_arena a = {0};
    struct hd_lanes lanes;
    assert_int_equal(hd_routes_make(&ctx, net, 2, &r), HD_OK);
    r->select = HD_SELECT_ALL;
    for (uint32_t d = 0; d < net->nep; d++) {
        memcpy(hd_row(r, d, 0), hd_row(one, d, 0), net->nsw);
        memcpy(hd_row(r, d, 1), hd_row(two, d, 0), net->nsw);
    }
    assert_int_equal(check_routes(r).deadlock_free, 0);
    for (int mode = HD_LANES_PATH; mode <= HD_LANES_DEST; mode++) {
        struct hd_lanes_opt opt = {.mode = (enum hd_lanes_mode)mode, .maxlanes = 8};
        assert_int_equal(hd_lanes_assign(&ctx, &a, r, &opt, &lanes), HD_OK);
        assert_int_equal(lanes.nleft, 0);
        assert_int_equal(check_routes(r).deadlock_free, 1);
    }
    hd_arena_release(&a);
    hd_routes_free(one);
    hd_routes_free(two);
    hd_routes_free(r);
    hd_net_free(net);
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
    const char *specs[] = {"psssp", "psssp:minimal=off", "p2sssp", "dfsssp", "dfsssp:maxlanes=1"};
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
    const char *specs[] = {"psssp:tie=random", "p2sssp", "dfsssp", "dfsssp:maxlanes=2"};
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
        cmocka_unit_test(psssp_follows_its_definition),
        cmocka_unit_test(psssp_is_minimal_and_complete),
        cmocka_unit_test(orders_are_permutations),
        cmocka_unit_test(psssp_detours_when_allowed),
        cmocka_unit_test(p2sssp_follows_its_definition),
        cmocka_unit_test(figure_1_has_a_credit_loop),
        cmocka_unit_test(figure_2_has_the_stated_loads),
        cmocka_unit_test(figure_6_lower_load_is_not_more_bandwidth),
        cmocka_unit_test(updown_rows_are_legal_and_complete),
        cmocka_unit_test(updown_takes_ranks_and_loads),
        cmocka_unit_test(dfsssp_is_free_of_credit_loops),
        cmocka_unit_test(rings_need_two_lanes),
        cmocka_unit_test(one_lane_on_a_ring_is_up_down),
        cmocka_unit_test(dfsssp_routes_a_4x4x4_torus_in_eight_lanes),
        cmocka_unit_test(lanes_name_what_does_not_fit),
        cmocka_unit_test(lanes_take_variants),
        cmocka_unit_test(degenerate_networks_are_routed),
        cmocka_unit_test(routes_do_not_depend_on_threads),
        cmocka_unit_test(seeds_change_the_draw),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
