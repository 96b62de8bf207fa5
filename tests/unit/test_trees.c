/* SPDX-License-Identifier: BSD-2-Clause */
/* Fat trees against the papers: the recursive definition and Properties 1-5 of m-port n-trees, the
 * parallel-ports rule, the figures, parts of trees, and what makes a tree a real-life one. */
#include "testing.h"
#include "graph_tools.h"
#include "base/context.h"

#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct hd_net *make_ft(uint32_t m, uint32_t n)
{
    char spec[64];
    snprintf(spec, sizeof spec, "ft:m=%u,n=%u", m, n);
    return make_net(spec);
}

static const struct {
    uint32_t m, n;
} trees[] = {{4, 3}, {2, 3}, {6, 2}, {8, 2}, {6, 3}, {4, 4}, {10, 1}};

static uint64_t power(uint64_t base, uint32_t exponent)
{
    uint64_t p = 1;
    while (exponent--) p *= base;
    return p;
}

/* ---- FT(m,n) by its recursive definition --------------------------------------------------- */

struct uplink {
    uint32_t sw, port;
};

struct recursion {
    const struct hd_net *net;
    uint32_t m;
    uint32_t first[16]; /* first switch of a level, counted from 1 at the bottom */
    uint32_t built[16]; /* switches of a level built so far */
    uint32_t hosts;
    uint32_t cables; /* checked against the network */
};

/* SUBFT(m,l): what is built, cable by cable, must be in the network; up[] receives its up-link ports. */
static void subft(struct recursion *r, uint32_t l, struct uplink *up)
{
    uint32_t half = r->m / 2, tops = (uint32_t)power(half, l - 1), top = r->first[l] + r->built[l];
    r->built[l] += tops;
    if (l == 1) {
        for (uint32_t i = 0; i < half; i++, r->hosts++, r->cables++)
            assert_cable(r->net, top, i + 1, r->net->nsw + r->hosts, 1);
    } else {
        struct uplink *below = zeroed(tops, sizeof *below);
        for (uint32_t t = 0; t < half; t++) {
            subft(r, l - 1, below);
            for (uint32_t i = 0; i < tops; i++, r->cables++)
                assert_cable(r->net, top + i, t + 1, below[i].sw, below[i].port);
        }
        free(below);
    }
    for (uint32_t i = 0; i < tops * half; i++) up[i] = (struct uplink){top + i / half, half + i % half + 1};
}

static void ft_is_the_recursive_definition(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(trees); k++) {
        uint32_t m = trees[k].m, n = trees[k].n, roots = (uint32_t)power(m / 2, n - 1);
        struct hd_net *net = make_ft(m, n);
        struct recursion r = {.net = net, .m = m};
        for (uint32_t l = 2; l <= n; l++) r.first[l] = r.first[l - 1] + 2 * roots;
        if (n == 1) { /* one switch, all ports down */
            for (uint32_t i = 0; i < m; i++, r.cables++) assert_cable(net, 0, i + 1, net->nsw + i, 1);
        } else {
            struct uplink *up = zeroed(roots, sizeof *up);
            for (uint32_t t = 0; t < m; t++) {
                subft(&r, n - 1, up);
                for (uint32_t i = 0; i < roots; i++, r.cables++)
                    assert_cable(net, r.first[n] + i, t + 1, up[i].sw, up[i].port);
            }
            free(up);
        }
        assert_int_equal(net->nchan, 2 * r.cables);
        assert_int_equal(net->nep, m * roots);
        assert_int_equal(net->nsw, (2 * n - 1) * roots);
        for (uint32_t v = 0; v < net->nsw; v++) assert_int_equal(net->nports[v], m);
        hd_net_free(net);
    }
}

/* ---- its properties, by brute force -------------------------------------------------------- */

/* Parts of the network without the switches above level l (below = true), or with nothing else:
 * part[v], UINT32_MAX for what is left out. Returns their number. */
static uint32_t parts(const struct hd_net *net, uint32_t l, bool below, uint32_t *part)
{
    uint32_t nodes = net->nsw + net->nep, n = 0;
    uint32_t *stack = zeroed(nodes, sizeof *stack);
    memset(part, 0xff, nodes * sizeof *part);
    for (uint32_t v = 0; v < nodes; v++) {
        if (part[v] != UINT32_MAX || (net->level[v] <= l) != below) continue;
        uint32_t top = 0;
        part[stack[top++] = v] = n;
        while (top) {
            uint32_t u = stack[--top];
            for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
                uint32_t w = net->head[c];
                if (part[w] == UINT32_MAX && (net->level[w] <= l) == below) part[stack[top++] = w] = n;
            }
        }
        n++;
    }
    free(stack);
    return n;
}

/* Property 1: m (m/2)^(n-1-l) sub-fat-trees of l levels, each with (m/2)^l endpoints. */
static void property_1(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(trees); k++) {
        uint32_t m = trees[k].m, n = trees[k].n;
        struct hd_net *net = make_ft(m, n);
        uint32_t *part = zeroed(net->nsw + net->nep, sizeof *part);
        for (uint32_t l = 1; l < n; l++) {
            uint32_t found = parts(net, l, true, part), *size = zeroed(found, sizeof *size);
            assert_int_equal(found, m * power(m / 2, n - 1 - l));
            for (uint32_t e = 0; e < net->nep; e++) size[part[net->nsw + e]]++;
            for (uint32_t i = 0; i < found; i++) assert_int_equal(size[i], power(m / 2, l));
            free(size);
        }
        free(part);
        hd_net_free(net);
    }
}

/* Number of an up-link port in its sub-fat-tree of l levels. Top switches of a sub-fat-tree are numbered
 * from its first one. */
static uint32_t uplink_number(const struct hd_net *net, uint32_t c, uint32_t m, uint32_t l)
{
    uint32_t v = net->tail[c], first = v, tops = (uint32_t)power(m / 2, l - 1);
    while (first > 0 && net->level[first - 1] == l) first--;
    return (v - first) % tops * (m / 2) + net->port[c] - m / 2 - 1;
}

/* Property 2: through the switches above, up-link port j meets the ports j of the other sub-fat-trees. */
static void property_2(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(trees); k++) {
        uint32_t m = trees[k].m, n = trees[k].n;
        struct hd_net *net = make_ft(m, n);
        uint32_t *part = zeroed(net->nsw + net->nep, sizeof *part);
        for (uint32_t l = 1; l < n; l++) {
            uint32_t above = parts(net, l, false, part), subtrees = m * (uint32_t)power(m / 2, n - 1 - l);
            uint32_t *number = zeroed(above, sizeof *number), *meet = zeroed(above, sizeof *meet);
            assert_int_equal(above, power(m / 2, l));
            for (uint32_t c = 0; c < net->nchan; c++) {
                if (net->level[net->tail[c]] != l || net->level[net->head[c]] != l + 1) continue;
                uint32_t p = part[net->head[c]], j = uplink_number(net, c, m, l);
                if (meet[p]++ == 0) number[p] = j;
                assert_int_equal(number[p], j);
            }
            for (uint32_t p = 0; p < above; p++) assert_int_equal(meet[p], subtrees);
            free(number);
            free(meet);
        }
        free(part);
        hd_net_free(net);
    }
}

/* All distances and numbers of shortest paths. */
struct paths {
    uint32_t nodes, **dist;
    uint64_t **count;
};

static struct paths all_paths(const struct hd_net *net)
{
    struct paths p = {.nodes = net->nsw + net->nep};
    p.dist = zeroed(p.nodes, sizeof *p.dist);
    p.count = zeroed(p.nodes, sizeof *p.count);
    for (uint32_t s = 0; s < p.nodes; s++) {
        uint32_t *dist = p.dist[s] = distances(net, s);
        uint64_t *count = p.count[s] = zeroed(p.nodes, sizeof *count);
        count[s] = 1;
        for (uint32_t far = 0; far <= 2 * 16; far++)
            for (uint32_t c = 0; c < net->nchan; c++)
                if (dist[net->tail[c]] == far && dist[net->head[c]] == far + 1)
                    count[net->head[c]] += count[net->tail[c]];
    }
    return p;
}

static void free_paths(struct paths *p)
{
    for (uint32_t s = 0; s < p->nodes; s++) {
        free(p->dist[s]);
        free(p->count[s]);
    }
    free(p->dist);
    free(p->count);
}

static bool on_shortest(const struct hd_net *net, const struct paths *p, uint32_t s, uint32_t d, uint32_t c)
{
    return p->dist[s][net->tail[c]] + 1 + p->dist[net->head[c]][d] == p->dist[s][d];
}

/* Properties 3 and 4: (m/2)^(i-1) shortest paths inside the smallest common sub-fat-tree of i levels, and
 * (m/2)^(x-j) of the (m/2)^x on each link j levels above the endpoints. */
static void properties_3_and_4(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(trees); k++) {
        uint32_t m = trees[k].m, n = trees[k].n;
        struct hd_net *net = make_ft(m, n);
        struct paths p = all_paths(net);
        uint32_t **part = zeroed(n + 1, sizeof *part);
        for (uint32_t l = 1; l < n; l++) parts(net, l, true, part[l] = zeroed(p.nodes, sizeof **part));
        for (uint32_t s = net->nsw; s < p.nodes; s++)
            for (uint32_t d = net->nsw; d < p.nodes; d++) {
                if (s == d) continue;
                uint32_t i = 1;
                while (i < n && part[i][s] != part[i][d]) i++;
                assert_int_equal(p.count[s][d], power(m / 2, i - 1));
                for (uint32_t c = 0; c < net->nchan; c++) {
                    if (!on_shortest(net, &p, s, d, c)) continue;
                    uint32_t u = net->level[net->tail[c]], v = net->level[net->head[c]], j = u < v ? u : v;
                    assert_true(j <= i - 1);
                    assert_int_equal(p.count[s][net->tail[c]] * p.count[net->head[c]][d], power(m / 2, i - 1 - j));
                }
            }
        for (uint32_t l = 1; l < n; l++) free(part[l]);
        free(part);
        free_paths(&p);
        hd_net_free(net);
    }
}

/* Property 5: an up link j levels above the endpoints carries traffic of (m/2)^j sources, a down link to
 * as many destinations. The paper says at most; with all pairs it is exactly. */
static void property_5(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(trees); k++) {
        struct hd_net *net = make_ft(trees[k].m, trees[k].n);
        struct paths p = all_paths(net);
        for (uint32_t c = 0; c < net->nchan; c++) {
            uint32_t u = net->level[net->tail[c]], v = net->level[net->head[c]], n = 0;
            for (uint32_t e = net->nsw; e < p.nodes; e++) {
                bool used = false;
                for (uint32_t o = net->nsw; o < p.nodes && !used; o++)
                    used = o != e && (u < v ? on_shortest(net, &p, e, o, c) : on_shortest(net, &p, o, e, c));
                n += used;
            }
            assert_int_equal(n, power(trees[k].m / 2, u < v ? u : v));
        }
        free_paths(&p);
        hd_net_free(net);
    }
}

/* Figure 3 of the oblivious-routing paper. */
static void figure_ft_4_3(void **state)
{
    (void)state;
    struct hd_net *net = make_net("ft:m=4,n=3");
    assert_int_equal(net->nsw, 20);
    assert_int_equal(net->nep, 16);
    struct paths p = all_paths(net);
    assert_int_equal(p.count[net->nsw][net->nsw + 15], 4); /* nodes in different halves: four paths */
    assert_int_equal(p.dist[net->nsw][net->nsw + 15], 6);
    for (uint32_t v = 0; v < 20; v++) assert_int_equal(net->level[v], v < 8 ? 1 : v < 16 ? 2 : 3);
    free_paths(&p);
    hd_net_free(net);
}

/* ---- sizes the papers print ---------------------------------------------------------------- */

static void published_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t switches, endpoints, cables;
    } rows[] = {{"ft:m=16,n=3", 320, 1024, 3 * 1024},
                {"ft:m=32,n=2", 48, 512, 2 * 512},
                {"gft:n=16,m=16,r=32", 48, 512, 512 + 512},
                {"xgft:m=24x24x48,w=1x24x24", 2880, 27648, 3 * 27648},
                {"xgft:m=18x18x36,w=1x18x18", 1620, 11664, 3 * 11664},
                {"kary:k=4,n=3", 48, 64, 3 * 64},
                {"pgft:m=12x12,w=1x6,p=1x2", 18, 144, 144 + 144},
                {"pgft:m=18x18,w=1x9,p=1x2", 27, 324, 324 + 324},
                {"pgft:m=12x12x12,w=1x12x6,p=1x1x2", 360, 1728, 3 * 1728},
                {"pgft:m=18x18x6,w=1x18x3,p=1x1x6", 270, 1944, 3 * 1944}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hd_net *net = make_net(rows[i].spec);
        assert_int_equal(net->nsw, rows[i].switches);
        assert_int_equal(net->nep, rows[i].endpoints);
        assert_int_equal(net->nchan, 2 * rows[i].cables);
        assert_int_equal(net->shape.missing, 0);
        hd_net_free(net);
    }
}

/* T(n+m,r): endpoint i on bottom switch i/n, one cable between each bottom and each top switch. */
static void gft_cables(void **state)
{
    (void)state;
    struct hd_net *net = make_net("gft:n=3,m=2,r=4");
    assert_int_equal(net->nsw, 6);
    for (uint32_t e = 0; e < 12; e++) assert_cable(net, e / 3, e % 3 + 1, net->nsw + e, 1);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 2; j++) assert_cable(net, i, 3 + j + 1, 4 + j, i + 1);
    hd_net_free(net);
}

/* ---- parallel ports ------------------------------------------------------------------------ */

/* Figure 4: sixteen endpoints on 8-port switches, without and with parallel cables. */
static void figure_pgft(void **state)
{
    (void)state;
    struct hd_net *net = make_net("xgft:m=4x4,w=1x4"); /* (a): four spines, half their ports open on a real switch */
    assert_int_equal(net->nsw, 4 + 4);
    for (uint32_t v = 4; v < 8; v++) assert_int_equal(hd_degree(net, v), 4);
    hd_net_free(net);
    net = make_net("pgft:m=4x4,w=1x2,p=1x2"); /* (b): two spines */
    assert_int_equal(net->nep, 16);
    assert_int_equal(net->nsw, 4 + 2);
    for (uint32_t v = 0; v < 6; v++) assert_int_equal(hd_degree(net, v), 8);
    for (uint32_t v = 0; v < 4; v++)
        for (uint32_t b = 0; b < 2; b++) {
            assert_int_equal(cables_between(net, v, 4 + b), 2);
            assert_cable(net, v, 4 + b + 1, 4 + b, v + 1);         /* k = 0 */
            assert_cable(net, v, 4 + b + 2 + 1, 4 + b, v + 4 + 1); /* k = 1: q = b + w, r = a + m */
        }
    hd_net_free(net);
}

/* Figure 5 (b): levels 2 and 3 joined by two parallel ports. The lower node's third digit is 1, the upper's
 * 0: up port 0 with down port 1 first, then 0 + w3 with 1 + m3. */
static void figure_ports(void **state)
{
    (void)state;
    struct hd_net *net = make_net("pgft:m=2x2x2,w=1x2x2,p=1x1x2");
    uint32_t lower = UINT32_MAX, upper = UINT32_MAX;
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint16_t *x = hd_coord(net, v);
        if (net->level[v] == 2 && x[0] == 0 && x[1] == 1 && x[2] == 1) lower = v;
        if (net->level[v] == 3 && x[0] == 0 && x[1] == 1 && x[2] == 0) upper = v;
    }
    assert_true(lower != UINT32_MAX && upper != UINT32_MAX);
    assert_int_equal(cables_between(net, lower, upper), 2);
    assert_cable(net, lower, 2 + 0 + 1, upper, 1 + 1); /* two down ports come before the up ports */
    assert_cable(net, lower, 2 + 2 + 1, upper, 3 + 1);
    hd_net_free(net);
}

/* The rule on every cable, from the digits alone. */
static void ports_follow_the_rule(void **state)
{
    (void)state;
    static const char *const specs[] = {"pgft:m=3x2x2,w=1x2x3,p=1x3x2",
                                        "pgft:m=2x3x2x2,w=1x3x1x2,p=1x2x4x1",
                                        "pgft:m=12x12,w=1x6,p=1x2",
                                        "xgft:m=3x2x2x3,w=1x2x3x2",
                                        "odin",
                                        "atlas"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        struct hd_net *net = make_net(specs[i]);
        const struct hd_shape *t = &net->shape;
        for (uint32_t c = 0; c < net->nchan; c++) {
            uint32_t u = net->tail[c], v = net->head[c], l = net->level[u];
            if (net->level[v] != l + 1) continue;
            uint32_t down = l ? t->m[l - 1] * t->p[l - 1] : 0, q = net->port[c] - 1u - down,
                     r = net->port[net->rev[c]] - 1u;
            uint32_t a = hd_coord(net, u)[l], b = hd_coord(net, v)[l], k = q / t->w[l];
            assert_true(k < t->p[l]);
            assert_int_equal(q, b + k * t->w[l]);
            assert_int_equal(r, a + k * t->m[l]);
            for (uint32_t x = 0; x < t->n; x++)
                if (x != l) assert_int_equal(hd_coord(net, u)[x], hd_coord(net, v)[x]);
        }
        hd_net_free(net);
    }
}

/* ---- parts of trees ------------------------------------------------------------------------ */

static uint32_t at_level(const struct hd_net *net, uint32_t l)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) n += net->level[v] == l;
    return n;
}

static void parts_of_trees(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t endpoints, level[5];
    } rows[] = {{"xgft:m=4x4x4,w=1x2x2,partial=leaves:7", 28, {0, 7, 4, 4}},
                {"xgft:m=4x4x4,w=1x2x2,partial=leaves:1", 4, {0, 1, 2, 4}},
                {"xgft:m=4x4x4,w=1x2x2,partial=subtrees:3", 48, {0, 12, 6, 4}},
                {"xgft:m=4x4x4,w=1x2x2,partial=endpoints:5", 5, {0, 16, 8, 4}},
                {"xgft:m=4x4x4,w=1x2x2,partial=random:30,seed=3", 30, {0, 16, 8, 4}},
                {"xgft:m=4x4x4,w=1x2x2,partial=random:64", 64, {0, 16, 8, 4}},
                {"gft:n=4,m=4,r=8,partial=subtrees:3", 12, {0, 3, 4}},
                {"gft:n=4,m=4,r=8,partial=leaves:3", 12, {0, 3, 4}},
                {"ft:m=6,n=1,partial=subtrees:2", 2, {0, 1}},
                {"ft:m=6,n=1,partial=leaves:1", 6, {0, 1}},
                {"kary:k=3,n=2,partial=endpoints:1", 1, {0, 3, 3}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hd_net *net = make_net(rows[i].spec);
        assert_string_equal(net->spec, rows[i].spec); /* canonical as written */
        assert_int_equal(net->nep, rows[i].endpoints);
        for (uint32_t l = 1; l < 5; l++) assert_int_equal(at_level(net, l), rows[i].level[l]);
        assert_true(is_connected(net));
        hd_net_free(net);
    }
}

static uint32_t tree_number(const struct hd_net *net, uint32_t e)
{
    uint32_t rank = 0;
    for (uint32_t i = net->shape.n; i-- > 0;) rank = rank * net->shape.m[i] + hd_coord(net, net->nsw + e)[i];
    return rank;
}

/* The endpoints of a part keep the numbers they have in the full tree. */
static void parts_keep_their_numbers(void **state)
{
    (void)state;
    struct hd_net *net = make_net("pgft:m=6x6x4,w=1x3x2,p=1x2x3,partial=endpoints:50");
    for (uint32_t e = 0; e < 50; e++) assert_int_equal(tree_number(net, e), e);
    hd_net_free(net);
    uint32_t seen[144] = {0};
    for (uint32_t seed = 1; seed <= 200; seed++) { /* 50 of 144 each time: 69 times each, give or take */
        char spec[96];
        snprintf(spec, sizeof spec, "pgft:m=6x6x4,w=1x3x2,p=1x2x3,partial=random:50,seed=%u", seed);
        net = make_net(spec);
        assert_int_equal(net->nep, 50);
        for (uint32_t e = 0; e < 50; e++) {
            assert_true(e == 0 || tree_number(net, e) > tree_number(net, e - 1));
            assert_int_equal(hd_leaf(net, e), tree_number(net, e) / 6);
            seen[tree_number(net, e)]++;
        }
        hd_net_free(net);
    }
    for (uint32_t j = 0; j < 144; j++) assert_in_range(seen[j], 40, 100);
}

static void refusals(void **state)
{
    (void)state;
    refuse_net("xgft:m=4x4,w=1x2,partial=leaves:0", "xgft: partial=leaves:0: expected a number from 1 to 4");
    refuse_net("xgft:m=4x4,w=1x2,partial=leaves:5", "xgft: partial=leaves:5: expected a number from 1 to 4");
    refuse_net("ft:m=4,n=3,partial=subtrees:5", "ft: partial=subtrees:5: expected a number from 1 to 4");
    refuse_net("ft:m=4,n=3,partial=endpoints:17", "expected a number from 1 to 16");
    refuse_net("kary:k=2,n=2,partial=random:x", "kary: partial=random:x: expected a number from 1 to 4");
    refuse_net("gft:partial=leaf:3", "gft: partial=leaf:3: expected leaves:N, subtrees:N, endpoints:N or random:N");
    refuse_net("gft:partial=leaves", "expected leaves:N, subtrees:N, endpoints:N or random:N");
    refuse_net("ft:m=5,n=2", "ft: m=5: expected an even number of ports");
    refuse_net("xgft:m=4x4,w=1", "xgft: m has 2 levels, w 1: expected as many");
    refuse_net("pgft:m=4x4,w=1x2,p=1", "pgft: m has 2 levels, w 2, p another number: expected as many");
    refuse_net("xgft:m=4x4,w=2x2", "xgft: w and p must begin with 1: an endpoint has one cable");
    refuse_net("pgft:m=4x4,w=1x2,p=2x2", "pgft: w and p must begin with 1: an endpoint has one cable");
    refuse_net("gft:n=200,m=200,r=2", "gft: a switch of level 1 would have 400 ports: at most 254 can be routed");
    refuse_net("kary:k=100,n=5", "kary: more than 67108864 endpoints");
    refuse_net("xgft:m=1x1x1x1x1,w=1x100x100x100x100", "xgft: more than 67108864 switches");
}

/* ---- real-life fat trees ------------------------------------------------------------------- */

static void real_life_trees(void **state)
{
    (void)state;
    static const char *const specs[] = {"pgft:m=12x12,w=1x6,p=1x2",
                                        "pgft:m=18x18,w=1x9,p=1x2",
                                        "pgft:m=12x12x12,w=1x12x6,p=1x1x2",
                                        "pgft:m=18x18x6,w=1x18x3,p=1x1x6",
                                        "xgft:m=18x18x36,w=1x18x18",
                                        "ft:m=8,n=3",
                                        "xgft:m=36,w=1"};
    char why[160];
    for (size_t i = 0; i < COUNT(specs); i++) {
        struct hd_net *net = make_net(specs[i]);
        if (!hd_rlft_check(&net->shape, why)) fail_msg("%s: %s", specs[i], why);
        assert_string_equal(why, "");
        hd_net_free(net);
    }
}

static void broken_rules(void **state)
{
    (void)state;
    static const struct {
        struct hd_shape shape;
        const char *why;
    } rows[] = {
        {{.kind = HD_SHAPE_NONE}, "not a tree"},
        {{.kind = HD_SHAPE_GRID, .n = 2, .m = {4, 4}, .p = {1, 1}}, "not a tree"},
        {{.kind = HD_SHAPE_TREE, .n = 2, .m = {4, 8}, .w = {2, 4}, .p = {1, 1}}, "an endpoint has 2 x 1 cables"},
        {{.kind = HD_SHAPE_TREE, .n = 2, .m = {4, 8}, .w = {1, 8}, .p = {2, 1}}, "an endpoint has 1 x 2 cables"},
        {{.kind = HD_SHAPE_TREE, .n = 2, .m = {16, 24}, .w = {1, 8}, .p = {1, 1}},
         "switches of level 1 have 16 ports down and 8 up, expected as many up as down"},
        /* as printed in the paper's Table 3 */
        {{.kind = HD_SHAPE_TREE, .n = 2, .m = {12, 12}, .w = {1, 12}, .p = {1, 2}},
         "switches of level 1 have 12 ports down and 24 up, expected as many up as down"},
        {{.kind = HD_SHAPE_TREE, .n = 3, .m = {12, 12, 12}, .w = {1, 12, 12}, .p = {1, 1, 2}},
         "switches of level 2 have 12 ports down and 24 up, expected as many up as down"},
        {{.kind = HD_SHAPE_TREE, .n = 3, .m = {4, 6, 12}, .w = {1, 4, 6}, .p = {1, 1, 1}},
         "switches are not all alike: 8 ports at level 1 and 12 at level 2"},
        {{.kind = HD_SHAPE_TREE, .n = 2, .m = {4, 4}, .w = {1, 4}, .p = {1, 1}},
         "a top switch has 4 ports down, expected 8, which is what the other switches have in all"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {5}, .w = {1}, .p = {1}},
         "the only switch has 5 ports, expected an even number"},
        {{.kind = HD_SHAPE_TREE, .n = 1, .m = {1}, .w = {1}, .p = {1}},
         "the only switch has 1 port, expected an even number"},
        {{.kind = HD_SHAPE_TREE, .n = 2, .m = {1, 8}, .w = {1, 8}, .p = {1, 1}},
         "switches of level 1 have 1 port down and 8 up, expected as many up as down"},
        {{.kind = HD_SHAPE_TREE, .n = 2, .m = {4, 1}, .w = {1, 4}, .p = {1, 1}},
         "a top switch has 1 port down, expected 8, which is what the other switches have in all"},
    };
    char why[160];
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_false(hd_rlft_check(&rows[i].shape, why));
        if (!strstr(why, rows[i].why)) fail_msg("row %zu: expected '%s', got '%s'", i, rows[i].why, why);
    }
}

/* ---- the figures of the routing paper ------------------------------------------------------ */

struct drawing {
    const char *switches;     /* a letter each */
    const char *const *joins; /* "AB", ...; ends with NULL */
    const char *hosts;        /* by endpoint: the switch it is drawn at */
};

static struct hd_net *draw(const struct drawing *d)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    uint32_t used[8] = {0};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (const char *s = d->switches; *s; s++) hd_builder_switch(b, &(struct hd_switch_in){.name = (char[]){*s, 0}});
    for (const char *h = d->hosts; *h; h++) hd_builder_host(b, (uint32_t)(*h - 'A'), ++used[*h - 'A'], 0);
    for (size_t i = 0; d->joins[i]; i++) {
        uint32_t u = (uint32_t)(d->joins[i][0] - 'A'), v = (uint32_t)(d->joins[i][1] - 'A');
        hd_builder_cable(b, u, used[u] + 1, v, used[v] + 1, 0);
        used[u]++;
        used[v]++;
    }
    hd_status s = hd_builder_finish(&ctx, b, "drawing", &net);
    return checked(&ctx, s, net, "drawing");
}

/* A route as the paper writes it, "2DCBA0": endpoint, switches, endpoint. */
static void assert_route(const struct hd_net *net, const char *route, uint32_t hops)
{
    size_t n = strlen(route);
    assert_int_equal(n, hops + 1);
    for (size_t i = 0; i + 1 < n; i++) {
        uint32_t u = route[i] >= 'A' ? (uint32_t)(route[i] - 'A') : net->nsw + (uint32_t)(route[i] - '0');
        uint32_t v = route[i + 1] >= 'A' ? (uint32_t)(route[i + 1] - 'A') : net->nsw + (uint32_t)(route[i + 1] - '0');
        if (cables_between(net, u, v) != 1) fail_msg("route %s: no cable %c-%c", route, route[i], route[i + 1]);
    }
}

/* Figure 1: a ring of four crossbars of three ports; its three routes depend on one another in a circle. */
static void figure_credit_loop(void **state)
{
    (void)state;
    struct hd_net *net = draw(&(struct drawing){"ABCD", (const char *const[]){"AB", "BC", "CD", "DA", NULL}, "ABDC"});
    assert_string_equal(hd_node_name(net, 3), "D");
    for (uint32_t v = 0; v < 4; v++) assert_int_equal(hd_degree(net, v), 3);
    assert_route(net, "2DCBA0", 5);
    assert_route(net, "0ADC3", 4);
    assert_route(net, "1BAD2", 4);
    hd_net_free(net);
}

/* Figure 2: three endpoints, five crossbars; every pair has two shortest paths, by B and by D. */
static void figure_p_sssp(void **state)
{
    (void)state;
    struct hd_net *net =
        draw(&(struct drawing){"ABCDE", (const char *const[]){"AB", "AD", "EB", "ED", "CB", "CD", NULL}, "AEC"});
    static const char *const routes[] = {"1EBA0", "2CBA0", "0ADE1", "2CDE1", "0ABC2", "1EBC2",
                                         "1EDC2", "0ABE1", "0ADC2", "1EDA0", "2CDE1"};
    for (size_t i = 0; i < COUNT(routes); i++) assert_route(net, routes[i], 4);
    struct paths p = all_paths(net);
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t d = 0; d < 3; d++)
            if (s != d) {
                assert_int_equal(p.dist[net->nsw + s][net->nsw + d], 4);
                assert_int_equal(p.count[net->nsw + s][net->nsw + d], 2);
            }
    free_paths(&p);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ft_is_the_recursive_definition),
        cmocka_unit_test(property_1),
        cmocka_unit_test(property_2),
        cmocka_unit_test(properties_3_and_4),
        cmocka_unit_test(property_5),
        cmocka_unit_test(figure_ft_4_3),
        cmocka_unit_test(published_sizes),
        cmocka_unit_test(gft_cables),
        cmocka_unit_test(figure_pgft),
        cmocka_unit_test(figure_ports),
        cmocka_unit_test(ports_follow_the_rule),
        cmocka_unit_test(parts_of_trees),
        cmocka_unit_test(parts_keep_their_numbers),
        cmocka_unit_test(refusals),
        cmocka_unit_test(real_life_trees),
        cmocka_unit_test(broken_rules),
        cmocka_unit_test(figure_credit_loop),
        cmocka_unit_test(figure_p_sssp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
