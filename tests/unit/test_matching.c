/* SPDX-License-Identifier: BSD-2-Clause */
/* Matchings and edge colourings: against igraph, against trying everything, and checked for what they claim. */
#include "testing.h"

#include "base/rng.h"
#include "flow/bound/matching.h"
#include "edge_colouring.h"
#include "matching_oracle.h"
#include "base/context.h"

struct random_graph {
    uint32_t nl, nr, n;
    uint32_t u[4096], v[4096], w[4096], used[4096], lcap[128], rcap[128];
};

static void draw_graph(struct random_graph *g, uint64_t seed, uint32_t most, uint32_t top_cap, uint32_t top_weight)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_TEST, 0);
    g->nl = 1 + hd_rng_below(&rng, most);
    g->nr = 1 + hd_rng_below(&rng, most);
    g->n = 0;
    uint32_t chance = 1 + hd_rng_below(&rng, 100);
    for (uint32_t i = 0; i < g->nl; i++)
        for (uint32_t j = 0; j < g->nr; j++) {
            if (hd_rng_below(&rng, 100) >= chance || g->n == 4096) continue;
            g->u[g->n] = i;
            g->v[g->n] = j;
            g->w[g->n++] = hd_rng_below(&rng, top_weight + 1);
        }
    for (uint32_t i = 0; i < g->nl; i++) g->lcap[i] = top_cap > 1 ? hd_rng_below(&rng, top_cap + 1) : 1;
    for (uint32_t i = 0; i < g->nr; i++) g->rcap[i] = top_cap > 1 ? hd_rng_below(&rng, top_cap + 1) : 1;
}

static struct hd_bipartite plain(struct random_graph *g, bool weighted)
{
    return (struct hd_bipartite){{g->nl, g->nl, g->lcap, NULL},
                                 {g->nr, g->nr, g->rcap, NULL},
                                 g->n,
                                 g->u,
                                 g->v,
                                 weighted ? g->w : NULL,
                                 g->used};
}

/* What is matched obeys every capacity, and adds up to what was reported. */
static void check_use(const struct hd_bipartite *b, uint64_t reported, bool weighted)
{
    uint64_t sum = 0, *l = calloc(b->left.nodes + 1, sizeof *l), *r = calloc(b->right.nodes + 1, sizeof *r);
    for (uint32_t e = 0; e < b->nedge; e++) {
        sum += (uint64_t)b->used[e] * (weighted ? b->weight[e] : 1);
        for (uint32_t i = b->u[e]; i != HD_NO_GROUP; i = b->left.parent ? b->left.parent[i] : HD_NO_GROUP)
            l[i] += b->used[e];
        for (uint32_t i = b->v[e]; i != HD_NO_GROUP; i = b->right.parent ? b->right.parent[i] : HD_NO_GROUP)
            r[i] += b->used[e];
    }
    for (uint32_t i = 0; i < b->left.nodes; i++) assert_true(l[i] <= b->left.cap[i]);
    for (uint32_t i = 0; i < b->right.nodes; i++) assert_true(r[i] <= b->right.cap[i]);
    assert_int_equal(sum, reported);
    free(l);
    free(r);
}

static void most_is_igraphs(void **state)
{
    (void)state;
    static struct random_graph g;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint64_t size;
        draw_graph(&g, seed, seed % 10 ? 20 : 60, 1, 1);
        struct hd_bipartite b = plain(&g, false);
        assert_int_equal(hd_matching_most(&ctx, &b, UINT64_MAX, &size), HD_OK);
        check_use(&b, size, false);
        if ((double)size != igraph_says(g.nl, g.nr, g.n, g.u, g.v, NULL))
            fail_msg("seed %d: %d matched, igraph matches more or less", (int)seed, (int)size);
    }
}

static void heaviest_is_igraphs(void **state)
{
    (void)state;
    static struct random_graph g;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint64_t weight;
        draw_graph(&g, seed, seed % 10 ? 12 : 40, 1, seed % 3 ? 5 : 1000);
        struct hd_bipartite b = plain(&g, true);
        assert_int_equal(hd_matching_heaviest(&ctx, &b, &weight), HD_OK);
        check_use(&b, weight, true);
        double expected = igraph_says(g.nl, g.nr, g.n, g.u, g.v, g.w);
        if ((double)weight != expected)
            fail_msg("seed %d: weight %d, igraph finds %g", (int)seed, (int)weight, expected);
    }
}

/* Stopping early stops exactly there. */
static void enough_is_enough(void **state)
{
    (void)state;
    static struct random_graph g;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    for (uint64_t seed = 0; seed < 50; seed++) {
        uint64_t all, some;
        draw_graph(&g, seed, 20, 3, 1);
        struct hd_bipartite b = plain(&g, false);
        assert_int_equal(hd_matching_most(&ctx, &b, UINT64_MAX, &all), HD_OK);
        for (uint64_t enough = 0; enough <= all + 1; enough++) {
            assert_int_equal(hd_matching_most(&ctx, &b, enough, &some), HD_OK);
            assert_int_equal(some, enough < all ? enough : all);
            check_use(&b, some, false);
        }
    }
}

/* ---- groups, against trying every way to use the edges ------------------------------------------------- */

struct everything {
    const struct hd_bipartite *b;
    uint32_t l[64], r[64]; /* use so far */
    uint64_t best;
    bool weighted;
};

static bool add_use(uint32_t *use, const struct hd_side *s, uint32_t v, bool undo)
{
    bool fits = true;
    for (uint32_t i = v; i != HD_NO_GROUP; i = s->parent ? s->parent[i] : HD_NO_GROUP) {
        if (undo)
            use[i]--;
        else
            fits = ++use[i] <= s->cap[i] && fits;
    }
    return fits;
}

static void try_edges(struct everything *t, uint32_t e, uint64_t sum)
{
    const struct hd_bipartite *b = t->b;
    if (sum > t->best) t->best = sum;
    if (e == b->nedge) return;
    try_edges(t, e + 1, sum);
    bool left = add_use(t->l, &b->left, b->u[e], false), right = add_use(t->r, &b->right, b->v[e], false);
    if (left && right) try_edges(t, e, sum + (t->weighted ? b->weight[e] : 1)); /* the same edge again, or on */
    add_use(t->l, &b->left, b->u[e], true);
    add_use(t->r, &b->right, b->v[e], true);
}

static void draw_groups(struct hd_rng *rng, uint32_t n, uint32_t *cap, uint32_t *parent, struct hd_side *side)
{
    uint32_t groups = 1 + hd_rng_below(rng, 3), nodes = n + groups;
    for (uint32_t i = 0; i < nodes; i++) {
        cap[i] = 1 + hd_rng_below(rng, i < n ? 2 : 3);
        uint32_t above = i < n ? n : i + 1; /* groups are nested in later ones */
        parent[i] =
            above >= nodes || hd_rng_below(rng, 4) == 0 ? HD_NO_GROUP : above + hd_rng_below(rng, nodes - above);
    }
    *side = (struct hd_side){n, nodes, cap, parent};
}

static void groups_are_obeyed(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct hd_rng rng;
        uint32_t cap[2][16], parent[2][16], u[8], v[8], w[8], used[8], n = 8;
        hd_rng_init(&rng, seed, HD_RNG_TEST, 1);
        struct hd_bipartite b = {.nedge = n, .u = u, .v = v, .weight = w, .used = used};
        draw_groups(&rng, 3, cap[0], parent[0], &b.left);
        draw_groups(&rng, 4, cap[1], parent[1], &b.right);
        for (uint32_t e = 0; e < n; e++) {
            u[e] = hd_rng_below(&rng, 3);
            v[e] = hd_rng_below(&rng, 4);
            w[e] = hd_rng_below(&rng, 6);
        }
        for (int weighted = 0; weighted < 2; weighted++) {
            struct everything t = {.b = &b, .weighted = weighted};
            uint64_t got;
            try_edges(&t, 0, 0);
            hd_status s =
                weighted ? hd_matching_heaviest(&ctx, &b, &got) : hd_matching_most(&ctx, &b, UINT64_MAX, &got);
            assert_int_equal(s, HD_OK);
            check_use(&b, got, weighted);
            if (got != t.best) fail_msg("seed %d: %d, trying everything finds %d", (int)seed, (int)got, (int)t.best);
        }
    }
}

static void nothing_to_match(void **state)
{
    (void)state;
    struct hd_ctx ctx;
    uint32_t cap[1] = {1}, used[1], end[1] = {0};
    uint64_t n = 7;
    hd_ctx_init(&ctx);
    struct hd_bipartite b = {{0, 0, cap, NULL}, {0, 0, cap, NULL}, 0, end, end, end, used};
    assert_int_equal(hd_matching_most(&ctx, &b, UINT64_MAX, &n), HD_OK);
    assert_int_equal(n, 0);
    n = 7;
    assert_int_equal(hd_matching_heaviest(&ctx, &b, &n), HD_OK);
    assert_int_equal(n, 0);
    b = (struct hd_bipartite){{1, 1, cap, NULL}, {1, 1, cap, NULL}, 1, end, end, end, used}; /* an edge of weight 0 */
    assert_int_equal(hd_matching_heaviest(&ctx, &b, &n), HD_OK);
    assert_int_equal(n, 0);
    assert_int_equal(hd_matching_most(&ctx, &b, UINT64_MAX, &n), HD_OK);
    assert_int_equal(n, 1);
    assert_int_equal(used[0], 1);
}

/* ---- colours ---------------------------------------------------------------------------------------------- */

static void check_colours(uint32_t nl, uint32_t nr, uint32_t n, const uint32_t *u, const uint32_t *v)
{
    struct hd_ctx ctx;
    uint32_t *colour = calloc(n + 1, sizeof *colour), colours = 99, *degree = calloc(nl + nr + 1, sizeof *degree),
             most = 0;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_edge_colour(&ctx, &(struct hd_edges){nl, nr, n, u, v}, colour, &colours), HD_OK);
    for (uint32_t e = 0; e < n; e++) {
        if (++degree[u[e]] > most) most = degree[u[e]];
        if (++degree[nl + v[e]] > most) most = degree[nl + v[e]];
    }
    assert_int_equal(colours, most); /* the fewest there can be */
    bool *taken = calloc((size_t)(nl + nr + 1) * (most + 1), 1);
    for (uint32_t e = 0; e < n; e++) {
        assert_true(colour[e] < most);
        bool *l = &taken[(size_t)u[e] * most + colour[e]], *r = &taken[(size_t)(nl + v[e]) * most + colour[e]];
        if (*l || *r) fail_msg("edge %u of %u: colour %u is taken", e, n, colour[e]);
        *l = *r = true;
    }
    free(taken);
    free(colour);
    free(degree);
}

static void colours_differ_at_vertices(void **state)
{
    (void)state;
    static uint32_t u[5000], v[5000];
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct hd_rng rng;
        hd_rng_init(&rng, seed, HD_RNG_TEST, 2);
        uint32_t nl = 1 + hd_rng_below(&rng, seed % 5 ? 12 : 100), nr = 1 + hd_rng_below(&rng, seed % 7 ? 12 : 100);
        uint32_t n = hd_rng_below(&rng, seed % 3 ? 60 : 5000);
        for (uint32_t e = 0; e < n; e++) { /* with many parallel edges; every fourth graph leans to one vertex */
            u[e] = seed % 4 == 0 && hd_rng_below(&rng, 2) ? 0 : hd_rng_below(&rng, nl);
            v[e] = hd_rng_below(&rng, nr);
        }
        check_colours(nl, nr, n, u, v);
    }
}

/* Regular graphs of every small degree, where nothing is merged or filled up. */
static void regular_graphs(void **state)
{
    (void)state;
    uint32_t u[32 * 17], v[32 * 17];
    for (uint32_t degree = 1; degree <= 17; degree++)
        for (uint32_t n = 1; n <= 32; n += 7) {
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < degree; j++) {
                    u[i * degree + j] = i;
                    v[i * degree + j] = (i * 5 + j * j) % n;
                }
            check_colours(n, n, n * degree, u, v);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_is_igraphs),  cmocka_unit_test(heaviest_is_igraphs),
        cmocka_unit_test(enough_is_enough), cmocka_unit_test(groups_are_obeyed),
        cmocka_unit_test(nothing_to_match), cmocka_unit_test(colours_differ_at_vertices),
        cmocka_unit_test(regular_graphs),
    };
    return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
