/* SPDX-License-Identifier: BSD-2-Clause */
/* Topologies other than fat trees: small networks cable by cable, the properties the literature promises,
 * the machines of the routing paper, and what is refused. */
#include "testing.h"
#include "graph_tools.h"
#include "base/rng.h"

#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct cable {
    uint32_t u, uport, v, vport;
};

/* All cables between switches, and no others. */
static void assert_cables(const struct hd_net *net, const struct cable *cable, uint32_t n)
{
    uint32_t found = 0;
    for (uint32_t v = 0; v < net->nsw; v++) found += switch_cables(net, v);
    assert_int_equal(found, 2 * n);
    for (uint32_t i = 0; i < n; i++) assert_cable(net, cable[i].u, cable[i].uport, cable[i].v, cable[i].vport);
}

static void assert_hosts_first(const struct hd_net *net, uint32_t hosts)
{
    assert_int_equal(net->nep, net->nsw * hosts);
    for (uint32_t e = 0; e < net->nep; e++) assert_cable(net, e / hosts, e % hosts + 1, net->nsw + e, 1);
    for (uint32_t v = 0; v < net->nsw; v++) assert_int_equal(net->level[v], 1);
}

/* ---- grids --------------------------------------------------------------------------------- */

static void mesh_2x3(void **state)
{
    (void)state;
    static const struct cable cables[] = {{0, 2, 1, 2}, {2, 2, 3, 2}, {4, 2, 5, 2}, {0, 3, 2, 4},
                                          {1, 3, 3, 4}, {2, 3, 4, 4}, {3, 3, 5, 4}};
    struct hd_net *net = make_net("mesh:dims=2x3,hosts=1");
    assert_int_equal(net->nsw, 6);
    assert_cables(net, cables, COUNT(cables));
    assert_hosts_first(net, 1);
    for (uint32_t v = 0; v < 6; v++) {
        assert_int_equal(hd_coord(net, v)[0], v % 2);
        assert_int_equal(hd_coord(net, v)[1], v / 2);
        assert_int_equal(net->nports[v], 4);
    }
    assert_int_equal(net->shape.kind, HD_SHAPE_GRID);
    assert_int_equal(net->shape.w[0], HD_LINE);
    assert_int_equal(net->shape.missing, 0);
    hd_net_free(net);
}

static void torus_3x3(void **state)
{
    (void)state;
    struct hd_net *net = make_net("torus:dims=3x3,hosts=2");
    assert_hosts_first(net, 2);
    assert_int_equal(net->nchan, 2 * (18 + 18));
    for (uint32_t v = 0; v < 9; v++) {
        uint32_t x = v % 3, y = v / 3;
        assert_cable(net, v, 3, (x + 1) % 3 + 3 * y, 4);
        assert_cable(net, v, 5, x + 3 * ((y + 1) % 3), 6);
    }
    assert_int_equal(net->shape.w[0], HD_RING);
    assert_int_equal(net->shape.missing, 0);
    assert_int_equal(switch_diameter(net, 1), 2);
    hd_net_free(net);
}

static void hypercube_3(void **state)
{
    (void)state;
    struct hd_net *net = make_net("hypercube:n=3,hosts=1");
    assert_hosts_first(net, 1);
    assert_int_equal(net->nsw, 8);
    for (uint32_t v = 0; v < 8; v++) {
        assert_int_equal(hd_degree(net, v), 4);
        for (uint32_t bit = 0; bit < 3; bit++) {
            assert_cable(net, v, bit + 2, v ^ 1u << bit, bit + 2);
            assert_int_equal(hd_coord(net, v)[bit], v >> bit & 1);
        }
    }
    assert_int_equal(switch_diameter(net, 1), 3);
    hd_net_free(net);
}

static void hyperx_is_a_hamming_graph(void **state)
{
    (void)state;
    struct hd_net *net = make_net("hyperx:dims=4x2x3,hosts=1,cables=1x3x2");
    static const uint32_t cables[] = {1, 3, 2};
    assert_hosts_first(net, 1);
    for (uint32_t u = 0; u < net->nsw; u++)
        for (uint32_t v = 0; v < net->nsw; v++) {
            uint32_t differ = 0, at = 0;
            for (uint32_t i = 0; i < 3; i++)
                if (hd_coord(net, u)[i] != hd_coord(net, v)[i]) {
                    differ++;
                    at = i;
                }
            assert_int_equal(cables_between(net, u, v), differ == 1 ? cables[at] : 0);
        }
    for (uint32_t v = 0; v < net->nsw; v++) assert_int_equal(net->nports[v], hd_degree(net, v));
    assert_int_equal(switch_diameter(net, 1), 3);
    hd_net_free(net);
    /* Ports in the order of the other switch's digit. */
    net = make_net("hyperx:dims=4,hosts=2");
    static const struct cable clique[] = {{0, 3, 1, 3}, {0, 4, 2, 3}, {0, 5, 3, 3},
                                          {1, 4, 2, 4}, {1, 5, 3, 4}, {2, 5, 3, 5}};
    assert_cables(net, clique, COUNT(clique));
    hd_net_free(net);
}

/* What generates a grid is named, also where dimensions are trivial: a hypercube of n has 2^n switches. */
static void specs_of_narrow_grids(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"torus:dims=1", "torus:dims=1"},   {"mesh:dims=1x1", "torus:dims=1x1"},
                                           {"mesh:dims=2x1", "hypercube:n=1"}, {"torus:dims=1x4", "torus:dims=1x4"},
                                           {"mesh:dims=1x4", "mesh:dims=1x4"}, {"hypercube:n=3", "hypercube:n=3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HD_MAX_SPEC];
        struct hd_net *net = make_net(cases[i][0]);
        hd_shape_spec(&net->shape, text);
        assert_string_equal(text, cases[i][1]);
        hd_net_free(net);
    }
}

static void narrow_grids(void **state)
{
    (void)state;
    struct hd_net *net = make_net("torus:dims=2,hosts=1"); /* both neighbours are the same switch */
    assert_cables(net, &(struct cable){0, 2, 1, 2}, 1);
    assert_int_equal(net->shape.w[0], HD_LINE);
    hd_net_free(net);
    net = make_net("torus:dims=2,hosts=1,cables=2");
    assert_cables(net, (struct cable[]){{0, 2, 1, 2}, {0, 3, 1, 3}}, 2);
    hd_net_free(net);
    net = make_net("torus:dims=1x1,hosts=3");
    assert_int_equal(net->nsw, 1);
    assert_int_equal(net->nchan, 6);
    hd_net_free(net);
    net = make_net("torus:dims=1x4,hosts=0,cables=2");
    assert_int_equal(net->nep, 0);
    assert_int_equal(net->nchan, 2 * 8);
    assert_cable(net, 3, 2, 0, 4); /* second cable of the wrap-around */
    hd_net_free(net);
    net = make_net("mesh:dims=65535,hosts=0");
    assert_int_equal(net->nchan, 2 * 65534);
    assert_int_equal(hd_coord(net, 65534)[0], 65534);
    hd_net_free(net);
}

/* ---- low-diameter networks ----------------------------------------------------------------- */

static uint32_t common_neighbours(const struct hd_net *net, uint32_t u, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++)
        if (net->head[c] < net->nsw) n += cables_between(net, net->head[c], v);
    return n;
}

static void slimfly_5_is_hoffman_singleton(void **state)
{
    (void)state;
    struct hd_net *net = make_net("slimfly:q=5");
    assert_int_equal(net->nsw, 50);
    assert_hosts_first(net, 4);
    for (uint32_t v = 0; v < 50; v++) assert_int_equal(switch_cables(net, v), 7);
    /* The Moore graph of degree 7: no triangles, no squares, one path of two between all others. */
    for (uint32_t u = 0; u < 50; u++)
        for (uint32_t v = 0; v < 50; v++)
            if (u != v) assert_int_equal(common_neighbours(net, u, v) + cables_between(net, u, v), 1);
    hd_net_free(net);
}

static uint32_t smallest_generator(uint32_t q)
{
    for (uint32_t g = 1;; g++) {
        uint32_t order = 1;
        for (uint32_t a = g; a != 1; a = a * g % q) order++;
        if (order == q - 1) return g;
    }
}

/* For a prime the field is arithmetic modulo q: the definition, pair by pair. */
static void slimfly_of_primes(void **state)
{
    (void)state;
    static const struct {
        uint32_t q, exponents[8]; /* of the generator, in X0; a second 0 ends them */
    } rows[] = {{5, {0, 2}}, {13, {0, 2, 4, 6, 8, 10}}, {7, {0, 2, 3, 5}}, {11, {0, 2, 4, 5, 7, 9}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t q = rows[i].q, g = smallest_generator(q);
        bool in[2][16] = {{false}};
        for (uint32_t k = 0; k == 0 || rows[i].exponents[k]; k++) {
            uint32_t a = 1;
            for (uint32_t e = 0; e < rows[i].exponents[k]; e++) a = a * g % q;
            in[0][a] = in[1][a * g % q] = true;
        }
        char spec[64];
        snprintf(spec, sizeof spec, "slimfly:q=%u,hosts=1", q);
        struct hd_net *net = make_net(spec);
        for (uint32_t u = 0; u < net->nsw; u++)
            for (uint32_t v = 0; v < net->nsw; v++) {
                uint32_t s = u / (q * q), x = u / q % q, y = u % q, t = v / (q * q), m = v / q % q, c = v % q;
                bool joined = s == t   ? x == m && in[s][(y + q - c) % q]
                              : s == 0 ? y == (m * x + c) % q
                                       : c == (m * x + y) % q;
                assert_int_equal(cables_between(net, u, v), joined);
            }
        hd_net_free(net);
    }
}

/* Degree and diameter for every kind of q: primes and prime powers of remainder 1, 3 and 0. */
static void slimfly_has_diameter_2(void **state)
{
    (void)state;
    static const struct {
        uint32_t q, degree;
    } rows[] = {{3, 5},   {4, 6},   {5, 7},   {7, 11},  {8, 12},  {9, 13},  {11, 17}, {13, 19},
                {16, 24}, {17, 25}, {19, 29}, {23, 35}, {25, 37}, {27, 41}, {29, 43}, {32, 48}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "slimfly:q=%u,hosts=1", rows[i].q);
        struct hd_net *net = make_net(spec);
        assert_int_equal(net->nsw, 2 * rows[i].q * rows[i].q);
        for (uint32_t v = 0; v < net->nsw; v++) {
            assert_int_equal(switch_cables(net, v), rows[i].degree);
            if (v % 5 == 0) assert_int_equal(switch_eccentricity(net, v, 1), 2);
        }
        for (uint32_t c = 0; c < net->nchan; c++) assert_int_equal(cables_between(net, net->tail[c], net->head[c]), 1);
        hd_net_free(net);
    }
}

static void slimfly_at_its_limits(void **state)
{
    (void)state;
    struct hd_net *net = make_net("slimfly:q=113"); /* 169 to switches, 85 to endpoints */
    assert_int_equal(net->nports[0], 254);
    assert_int_equal(switch_eccentricity(net, 12345, 1), 2);
    hd_net_free(net);
    net = make_net("slimfly:q=169,hosts=1"); /* 13 squared */
    assert_int_equal(net->nports[0], 254);
    assert_int_equal(switch_eccentricity(net, 54321, 1), 2);
    hd_net_free(net);
}

static void dragonfly_small(void **state)
{
    (void)state;
    static const struct cable palmtree[] = {{0, 2, 1, 2}, {2, 2, 3, 2}, {4, 2, 5, 2},
                                            {0, 3, 5, 3}, {2, 3, 1, 3}, {4, 3, 3, 3}};
    static const struct cable consecutive[] = {{0, 2, 1, 2}, {2, 2, 3, 2}, {4, 2, 5, 2},
                                               {0, 3, 2, 3}, {1, 3, 4, 3}, {3, 3, 5, 3}};
    struct hd_net *net = make_net("dragonfly:h=1");
    assert_hosts_first(net, 1);
    assert_cables(net, palmtree, COUNT(palmtree));
    hd_net_free(net);
    net = make_net("dragonfly:h=1,global=consecutive");
    assert_cables(net, consecutive, COUNT(consecutive));
    hd_net_free(net);
}

static void dragonfly_default_is_balanced(void **state)
{
    (void)state;
    struct hd_net *net = make_net("dragonfly");
    assert_int_equal(net->nsw, 33 * 8);
    assert_hosts_first(net, 4);
    for (uint32_t v = 0; v < net->nsw; v++) assert_int_equal(hd_degree(net, v), 4 + 7 + 4);
    assert_int_equal(switch_diameter(net, 1), 3);
    hd_net_free(net);
    net = make_net("dragonfly:a=8,p=4,h=4,g=33"); /* the same, written out */
    assert_int_equal(net->nep, 1056);
    hd_net_free(net);
}

/* Cables between every two groups, counted; groups are consecutive switches from the given one on. */
static void group_cables(const struct hd_net *net, uint32_t first, uint32_t size, uint32_t *least, uint32_t *most)
{
    uint32_t groups = (net->nsw - first) / size;
    *least = UINT32_MAX;
    *most = 0;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t *n = zeroed(groups, sizeof *n);
        for (uint32_t v = first + g * size; v < first + (g + 1) * size; v++)
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
                if (net->head[c] >= first && net->head[c] < net->nsw) n[(net->head[c] - first) / size]++;
        for (uint32_t i = 0; i < groups; i++) {
            if (i == g) continue;
            if (n[i] < *least) *least = n[i];
            if (n[i] > *most) *most = n[i];
        }
        free(n);
    }
}

static void dragonfly_of_any_number_of_groups(void **state)
{
    (void)state;
    static const char *const global[] = {"palmtree", "consecutive"};
    uint32_t least, most;
    char spec[128];
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t a = 1; a <= 4; a++)
            for (uint32_t h = 1; h <= 3; h++)
                for (uint32_t g = 2; g <= a * h + 1; g++) {
                    snprintf(spec, sizeof spec, "dragonfly:a=%u,p=1,h=%u,g=%u,global=%s", a, h, g, global[i]);
                    struct hd_net *net = make_net(spec);
                    assert_int_equal(net->nsw, a * g);
                    group_cables(net, 0, a, &least, &most);
                    assert_true(least >= 1 && most <= least + 1);
                    if (g == a * h + 1) assert_int_equal(most, 1);
                    assert_true(switch_diameter(net, 1) <= 3);
                    uint32_t open = 0; /* only where ports left over and groups are both odd */
                    for (uint32_t v = 0; v < net->nsw; v++) open += a + h - switch_cables(net, v) - 1;
                    assert_int_equal(open, a * h % (g - 1) % 2 && g % 2 ? g : 0);
                    hd_net_free(net);
                }
}

static void dragonfly_plus(void **state)
{
    (void)state;
    uint32_t least, most;
    struct hd_net *net = make_net("dragonfly+");
    assert_int_equal(net->nep, 17 * 4 * 4);
    assert_int_equal(net->nsw, 17 * 8);
    for (uint32_t v = 0; v < net->nsw; v++) {
        assert_int_equal(net->level[v], v < 68 ? 1 : 2);
        assert_int_equal(hd_degree(net, v), 8);
    }
    for (uint32_t e = 0; e < net->nep; e++) assert_cable(net, e / 4, e % 4 + 1, net->nsw + e, 1);
    for (uint32_t v = 0; v < 68; v++)
        for (uint32_t j = 0; j < 4; j++) assert_cable(net, v, 5 + j, 68 + v / 4 * 4 + j, v % 4 + 1);
    group_cables(net, 68, 4, &least, &most);
    assert_int_equal(least, 1);
    assert_int_equal(most, 1);
    assert_int_equal(switch_diameter(net, 1), 3);
    hd_net_free(net);
    net = make_net("dragonfly+:leaves=3,spines=2,p=4,h=3,g=4");
    group_cables(net, 12, 2, &least, &most);
    assert_int_equal(least, 2);
    assert_int_equal(most, 2);
    assert_int_equal(net->nports[0], 6);
    assert_int_equal(net->nports[12], 6);
    hd_net_free(net);
}

/* ---- random -------------------------------------------------------------------------------- */

static struct hd_net *make_random(uint32_t switches, uint32_t ports, uint32_t hosts, uint32_t seed)
{
    char spec[128];
    snprintf(spec, sizeof spec, "random:switches=%u,ports=%u,hosts=%u,seed=%u", switches, ports, hosts, seed);
    return make_net(spec);
}

static void random_is_connected_and_uses_every_port(void **state)
{
    (void)state;
    for (uint32_t switches = 1; switches <= 12; switches++)
        for (uint32_t inner = 0; inner <= 5; inner++)
            for (uint32_t seed = 1; seed <= 25; seed++) {
                if (switches > 1 && switches * inner / 2 < switches - 1) continue;
                struct hd_net *net = make_random(switches, inner + 2, 2, seed);
                assert_int_equal(net->nsw, switches);
                assert_int_equal(net->nep, 2 * switches);
                assert_true(is_connected(net));
                uint32_t used = 0;
                for (uint32_t v = 0; v < net->nsw; v++) {
                    assert_int_equal(net->nports[v], inner + 2);
                    used += switch_cables(net, v);
                }
                assert_int_equal(used, switches == 1 ? 0 : switches * inner / 2 * 2);
                hd_net_free(net);
            }
}

/* With two ports each there is one ring: without mending, nearly every draw falls into several. */
static void random_rings(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct hd_net *net = make_random(500, 3, 1, seed);
        assert_true(is_connected(net));
        for (uint32_t v = 0; v < net->nsw; v++) assert_int_equal(switch_cables(net, v), 2);
        hd_net_free(net);
    }
}

static void random_same_seed_same_network(void **state)
{
    (void)state;
    struct hd_net *a = make_random(43, 24, 12, 1), *b = make_random(43, 24, 12, 1), *c = make_random(43, 24, 12, 2);
    assert_memory_equal(a->head, b->head, a->nchan * sizeof *a->head);
    assert_memory_equal(a->rev, b->rev, a->nchan * sizeof *a->rev);
    assert_int_equal(a->nchan, c->nchan);
    assert_memory_not_equal(a->head, c->head, a->nchan * sizeof *a->head);
    hd_net_free(a);
    hd_net_free(b);
    hd_net_free(c);
}

/* What a seed means must not change from one version to the next. The second network falls into at least
 * three parts before they are joined. */
static void random_golden(void **state)
{
    (void)state;
    static const struct cable cables[] = {{0, 3, 4, 4}, {0, 4, 2, 4}, {1, 2, 3, 4}, {1, 3, 4, 2},
                                          {1, 4, 3, 2}, {2, 2, 3, 3}, {2, 3, 4, 3}};
    static const struct cable ring[] = {{0, 2, 7, 2}, {0, 3, 5, 2}, {1, 2, 3, 3}, {1, 3, 5, 3}, {2, 2, 4, 2},
                                        {2, 3, 7, 3}, {3, 2, 8, 3}, {4, 3, 6, 3}, {6, 2, 8, 2}};
    struct hd_net *net = make_random(5, 4, 1, 1);
    assert_cables(net, cables, COUNT(cables));
    hd_net_free(net);
    net = make_random(9, 3, 1, 5);
    assert_cables(net, ring, COUNT(ring));
    hd_net_free(net);
}

/* Every two switches are as likely to be joined as any other two, within five standard deviations. */
static void random_is_fair(void **state)
{
    (void)state;
    enum { N = 6, SEEDS = 3000 };
    uint32_t joined[N][N] = {{0}};
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct hd_net *net = make_random(N, 4, 1, seed);
        for (uint32_t u = 0; u < N; u++)
            for (uint32_t v = 0; v < N; v++) joined[u][v] += cables_between(net, u, v);
        hd_net_free(net);
    }
    for (uint32_t u = 0; u < N; u++)
        for (uint32_t v = u + 1; v < N; v++)
            assert_in_range(joined[u][v], 1600, 2000); /* 9 cables over 15 pairs: 1800 */
}

/* ---- machines ------------------------------------------------------------------------------ */

static void machines(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t endpoints, switches, level[5];
    } rows[] = {{"odin", 128, 18, {0, 12, 6}},
                {"deimos", 724, 108, {0, 72, 36}},
                {"atlas", 1142, 240, {0, 96, 96, 48}},
                {"thunderbird", 4390, 568, {0, 280, 192, 96}},
                {"ranger", 4080, 1780, {0, 340, 576, 576, 288}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hd_net *net = make_net(rows[i].name);
        uint32_t level[5] = {0}, leaves = 0;
        assert_int_equal(net->nep, rows[i].endpoints);
        assert_int_equal(net->nsw, rows[i].switches);
        assert_true(is_connected(net));
        for (uint32_t v = 0; v < net->nsw; v++) {
            assert_true(hd_degree(net, v) <= 24 && net->nports[v] <= 24);
            assert_in_range(net->level[v], 1, 4);
            level[net->level[v]]++;
            leaves += net->level[v] == 1;
            if (net->level[v] > 1) assert_int_equal(switch_cables(net, v), hd_degree(net, v));
        }
        for (uint32_t l = 1; l < 5; l++) assert_int_equal(level[l], rows[i].level[l]);
        assert_int_equal(leaves, rows[i].level[1]);
        assert_int_equal(net->shape.kind, strcmp(rows[i].name, "deimos") ? HD_SHAPE_TREE : HD_SHAPE_NONE);
        assert_int_equal(net->shape.missing, 0);
        hd_net_free(net);
    }
}

static uint32_t random_bisection(const struct hd_net *net, uint64_t seed)
{
    bool *source = zeroed(net->nep, sizeof *source);
    uint32_t *order = zeroed(net->nep, sizeof *order);
    struct hd_rng rng;
    for (uint32_t e = 0; e < net->nep; e++) order[e] = e;
    hd_rng_init(&rng, seed, HD_RNG_TEST, 0);
    hd_rng_shuffle(&rng, order, net->nep);
    for (uint32_t i = 0; i < net->nep / 2; i++) source[order[i]] = true;
    uint32_t flow = max_flow(net, source);
    free(source);
    free(order);
    return flow;
}

/* The flow from the first endpoints to the others. */
static uint32_t cut(const struct hd_net *net, uint32_t first)
{
    bool *source = zeroed(net->nep, sizeof *source);
    for (uint32_t e = 0; e < first; e++) source[e] = true;
    uint32_t flow = max_flow(net, source);
    free(source);
    return flow;
}

static void full_bisection(void **state)
{
    (void)state;
    static const char *const specs[] = {"odin",   "odin:fill=even",   "atlas", "atlas:fill=first",
                                        "ranger", "ranger:fill=first"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        struct hd_net *net = make_net(specs[i]);
        assert_int_equal(cut(net, net->nep / 2), net->nep / 2);
        for (uint64_t seed = 1; seed <= 3; seed++) assert_int_equal(random_bisection(net, seed), net->nep / 2);
        hd_net_free(net);
    }
}

static void thunderbird_has_half(void **state)
{
    (void)state;
    struct hd_net *net = make_net("thunderbird");
    uint32_t least = 16, most = 0;
    for (uint32_t v = 0; v < 280; v++) {
        uint32_t hosts = hd_degree(net, v) - switch_cables(net, v);
        assert_int_equal(switch_cables(net, v), 8);
        if (hosts < least) least = hosts;
        if (hosts > most) most = hosts;
    }
    assert_int_equal(least, 15);
    assert_int_equal(most, 16);
    assert_int_equal(hd_leaf(net, 2194), 139);
    assert_int_equal(hd_leaf(net, 2195), 140);
    assert_int_equal(cut(net, 2195), 140 * 8); /* half the leaves, every uplink of theirs */
    hd_net_free(net);
    net = make_net("thunderbird:fill=first");
    assert_int_equal(hd_leaf(net, 4389), 4389 / 16);
    hd_net_free(net);
}

static uint32_t chassis_of(uint32_t v)
{
    return v < 72 ? v / 24 : (v - 72) / 12;
}

static void deimos_is_a_chain(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t ends, middle; /* most chain cables on a leaf; 0: not said */
    } rows[] = {{"deimos", 2, 3},
                {"deimos:placement=block", 12, 12},
                {"deimos:placement=random,seed=1", 0, 0},
                {"deimos:placement=random,seed=2,fill=first", 0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hd_net *net = make_net(rows[i].spec);
        uint32_t between[3][3] = {{0}}, most[3] = {0}, hosts[3] = {0};
        for (uint32_t v = 0; v < net->nsw; v++) {
            uint32_t chain = 0;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                uint32_t to = net->head[c];
                if (to >= net->nsw)
                    hosts[chassis_of(v)]++;
                else if (net->level[to] == 1 && net->level[v] == 1) {
                    between[chassis_of(v)][chassis_of(to)]++;
                    chain++;
                } else
                    assert_int_equal(chassis_of(v), chassis_of(to));
            }
            if (chain > most[chassis_of(v)]) most[chassis_of(v)] = chain;
        }
        assert_int_equal(between[0][1], 30);
        assert_int_equal(between[1][2], 30);
        assert_int_equal(between[0][2] + between[0][0] + between[1][1] + between[2][2], 0);
        assert_int_equal(hosts[0], 251);
        assert_int_equal(hosts[1], 222);
        assert_int_equal(hosts[2], 251);
        if (rows[i].ends) {
            assert_int_equal(most[0], rows[i].ends);
            assert_int_equal(most[1], rows[i].middle);
            assert_int_equal(most[2], rows[i].ends);
        }
        assert_int_equal(cut(net, 251), 30);
        assert_int_equal(cut(net, 251 + 222), 30);
        hd_net_free(net);
    }
    struct hd_net *net = make_net("deimos:hosts=144x0x144,cables=144"); /* the middle has no port left */
    assert_int_equal(cut(net, 144), 144);
    hd_net_free(net);
}

/* 258, 228 and 258 ports for 251, 222 and 251 endpoints: one port open here and there, or the last ones. */
static void deimos_open_ports(void **state)
{
    (void)state;
    struct hd_net *even = make_net("deimos:placement=random"), *first = make_net("deimos:placement=random,fill=first");
    for (uint32_t chassis = 0; chassis < 3; chassis++) {
        uint32_t open = 0, last = 0;
        for (uint32_t v = chassis * 24; v < chassis * 24 + 24; v++) {
            assert_true(hd_degree(even, v) >= 23);
            open += 24 - hd_degree(even, v);
            if (v % 24 < 22)
                assert_int_equal(hd_degree(first, v), 24);
            else
                last += 24 - hd_degree(first, v);
        }
        assert_int_equal(open, chassis == 1 ? 6 : 7);
        assert_int_equal(last, open);
    }
    hd_net_free(even);
    hd_net_free(first);
}

static void one_plane_is_the_tree_itself(void **state)
{
    struct hd_net *plain = make_net("ft:m=4,n=2"), *one = make_net("ft:m=4,n=2,planes=1");
    (void)state;
    assert_int_equal(one->nsw, plain->nsw);
    assert_int_equal(one->nep, plain->nep);
    assert_int_equal(one->nchan, plain->nchan);
    assert_string_equal(one->spec, plain->spec);
    hd_net_free(one);
    hd_net_free(plain);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void refusals(void **state)
{
    (void)state;
    refuse_net("torus:dims=4x4,hosts=252", "torus: a switch would have 256 ports: at most 254 can be routed");
    refuse_net("mesh:dims=4x4,hosts=255", "mesh: hosts=255: expected an integer from 0 to 254");
    refuse_net("mesh:dims=4x0,hosts=1",
               "mesh: dims=4x0: expected numbers separated by x, each an integer from 1 to 65535");
    refuse_net("torus:dims=4x4x4,cables=1x2",
               "torus: cables has 2 entries: expected one, or one for each of the 3 dimensions");
    refuse_net("torus:dims=65535x65535x65535x65535x65535x65535", "torus: more than 67108864 switches");
    refuse_net("mesh:dims=60000x1000,hosts=2", "mesh: more than 67108864 endpoints");
    refuse_net("mesh:dims=8000x8000,hosts=1", "mesh: more than 134217728 cables");
    refuse_net("hypercube:n=17", "hypercube: n=17: expected an integer from 1 to 16");
    refuse_net("hypercube:n=16,hosts=1,cables=16", "hypercube: a switch would have 257 ports");
    refuse_net("hyperx:dims=100x100,hosts=100", "hyperx: a switch would have 298 ports");
    refuse_net("random:switches=4,ports=8,hosts=9", "random: hosts=9 do not fit on ports=8");
    refuse_net("random:switches=4,ports=8,hosts=8",
               "random: switches=4 with ports=8 and hosts=8 cannot be connected: that "
               "takes 3 cables, the ports left are enough for 0");
    refuse_net("random:switches=3,ports=8,hosts=7", "that takes 2 cables, the ports left are enough for 1");
    refuse_net("random:switches=60000000,ports=3,hosts=0,seeds=1", "random: unknown key 'seeds', did you mean 'seed'?");
    refuse_net("random:switches=60000000,ports=24,hosts=2", "random: more than 67108864 endpoints");
    refuse_net("dragonfly:a=4,h=2,g=10",
               "dragonfly: g=10 groups need 9 global ports each to be connected, a group has 8");
    refuse_net("dragonfly:h=100", "dragonfly: a switch would have 399 ports");
    refuse_net("dragonfly+:spines=2,h=2,g=6", "dragonfly+: g=6 groups need 5 global ports each");
    refuse_net("dragonfly+:h=128", "dragonfly+: a switch would have 256 ports");
    refuse_net("slimfly:q=6", "slimfly: q=6: expected a prime power");
    refuse_net("slimfly:q=100", "slimfly: q=100: expected a prime power");
    refuse_net("slimfly:q=2", "slimfly: q=2: expected an integer from 3 to 169");
    refuse_net("slimfly:q=121", "slimfly: a switch would have 272 ports");
    refuse_net("odin:endpoints=145", "odin: endpoints=145: expected an integer from 1 to 144");
    refuse_net("deimos:hosts=200x200", "deimos: hosts has 2 entries: expected 3");
    refuse_net("deimos:hosts=250x229x250",
               "deimos: 229 endpoints and 60 cables to other switches do not fit on 288 ports");
    refuse_net("deimos:placement=near", "deimos: placement=near: expected one of spread|block|random");
    refuse_net("dragnfly", "did you mean 'dragonfly'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_2x3),
        cmocka_unit_test(torus_3x3),
        cmocka_unit_test(hypercube_3),
        cmocka_unit_test(hyperx_is_a_hamming_graph),
        cmocka_unit_test(narrow_grids),
        cmocka_unit_test(specs_of_narrow_grids),
        cmocka_unit_test(slimfly_5_is_hoffman_singleton),
        cmocka_unit_test(slimfly_of_primes),
        cmocka_unit_test(slimfly_has_diameter_2),
        cmocka_unit_test(slimfly_at_its_limits),
        cmocka_unit_test(dragonfly_small),
        cmocka_unit_test(dragonfly_default_is_balanced),
        cmocka_unit_test(dragonfly_of_any_number_of_groups),
        cmocka_unit_test(dragonfly_plus),
        cmocka_unit_test(random_is_connected_and_uses_every_port),
        cmocka_unit_test(random_rings),
        cmocka_unit_test(random_same_seed_same_network),
        cmocka_unit_test(random_golden),
        cmocka_unit_test(random_is_fair),
        cmocka_unit_test(machines),
        cmocka_unit_test(full_bisection),
        cmocka_unit_test(thunderbird_has_half),
        cmocka_unit_test(deimos_is_a_chain),
        cmocka_unit_test(deimos_open_ports),
        cmocka_unit_test(one_plane_is_the_tree_itself),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
