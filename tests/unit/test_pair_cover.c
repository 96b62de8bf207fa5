/* SPDX-License-Identifier: BSD-2-Clause */
/* Covers of pairs by rectangles: every pair has a top, no side is longer than promised or shorter than possible; and
 * what opt makes of them: the worst permutation by igraph's matchings, and by trying all of them on small trees. */
#include "variant_tools.h"

#include "matching_oracle.h"

#include "flow/bound/bound.h"
#include "route/kernel/pair_cover.h"

/* Sources and destinations of every top, counted from what the cover says of each pair. */
static uint32_t longest_side(const struct hd_pair_cover *c)
{
    uint32_t longest = 0;
    for (uint32_t t = 0; t < c->m; t++) {
        uint32_t rows = 0, columns = 0;
        for (uint32_t i = 0; i < c->n; i++) {
            bool row = false, column = false;
            for (uint32_t j = 0; j < c->n; j++) {
                row |= c->top[c->point[0][i] * c->points + c->point[1][j]] == t;
                column |= c->top[c->point[0][j] * c->points + c->point[1][i]] == t;
            }
            rows += row;
            columns += column;
        }
        longest = rows > longest ? rows : columns > longest ? columns : longest;
    }
    return longest;
}

static void covers_of_all_sizes(void **state)
{
    (void)state;
    uint32_t better = 0, least = 0;
    for (uint32_t n = 1; n <= 20; n++)
        for (uint32_t m = 1; m <= 24; m++) {
            struct hd_ctx ctx;
            struct hd_arena a = {0};
            struct hd_pair_cover c;
            uint32_t grid = (n + root(m) - 1) / root(m);
            hd_ctx_init(&ctx);
            assert_int_equal(hd_pair_cover_find(&ctx, &a, n, m, grid, &c), HD_OK);
            if (c.side) {
                better++;
                assert_true(c.side < grid);
                for (uint32_t i = 0; i < c.points * c.points; i++) assert_true(c.top[i] < m);
                if (longest_side(&c) > c.side)
                    fail_msg("n %u m %u: side %u, promised %u", n, m, longest_side(&c), c.side);
            }
            assert_true(hd_pair_cover_bound(n, m) <= (c.side ? c.side : grid));
            least += hd_pair_cover_bound(n, m) == (c.side ? c.side : grid);
            hd_arena_release(&a);
        }
    assert_int_equal(better, 72);
    assert_true(least >= 473); /* of 480 no smaller side is possible */
}

static uint32_t igraph_worst_of(const struct hd_routes *r)
{
    struct usage u = usage_of(r);
    double most = 0;
    for (uint32_t c = 0; c < r->net->nchan; c++)
        most = fmax(most, igraph_says(r->net->nep, r->net->nep, (uint32_t)(u.first[c + 1] - u.first[c]),
                                      u.s + u.first[c], u.d + u.first[c], NULL));
    usage_free(&u);
    return (uint32_t)most;
}

/* T(n+m,r): sizes in which m is no square, what the grid has, and what a cover has. */
static void worst_by_igraph(void **state)
{
    (void)state;
    const uint32_t sizes[][5] = {{7, 7, 14, 4, 3},   {13, 13, 26, 5, 4}, {21, 21, 42, 6, 5}, {31, 31, 62, 7, 6},
                                 {26, 13, 39, 9, 8}, {24, 8, 32, 12, 9}, {16, 8, 24, 8, 6},  {8, 8, 16, 4, 3},
                                 {12, 3, 12, 12, 8}, {14, 7, 21, 7, 6},  {14, 14, 28, 5, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "gft:n=%u,m=%u,r=%u", sizes[i][0], sizes[i][1], sizes[i][2]);
        struct hd_net *net = make_net(spec);
        struct hd_routes *r = make_routes(net, "opt");
        uint32_t counted;
        assert_int_equal(worst(r, &counted), sizes[i][4]);
        assert_int_equal(counted,
                         sizes[i][4]); /* no channel has more sources and destinations: no matching is needed */
        assert_int_equal(igraph_worst_of(r), sizes[i][4]);
        hd_routes_free(r);
        hd_net_free(net);
        assert_worst(spec, "opt:balance=none", sizes[i][3]);
    }
}

/* Three levels: the worst case of the channels between subtrees and roots, or the endpoints of a leaf; and the least
 * that any routing can have. */
static void worst_on_three_levels(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        uint32_t grid, cover, least;
    } cases[] = {{"xgft:m=4x4x8,w=1x2x4", 8, 6, 6}, {"xgft:m=3x7x8,w=1x1x7", 11, 9, 8},
                 {"xgft:m=4x2x6,w=1x2x4", 4, 4, 3}, {"xgft:m=3x3x6,w=1x3x3", 3, 3, 3},
                 {"xgft:m=5x5x9,w=1x3x5", 9, 7, 7}, {"ft:m=8,n=3", 4, 4, 4},
                 {"xgft:m=4x6x8,w=1x2x4", 12, 9, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        struct hd_routes *r = make_routes(net, "opt");
        assert_int_equal(igraph_worst_of(r), cases[i].cover);
        assert_int_equal((uint32_t)ceil(hd_bound_pairs(&net->shape) - 1e-9), cases[i].least);
        hd_routes_free(r);
        hd_net_free(net);
        assert_worst(cases[i].spec, "opt:balance=none", cases[i].grid);
    }
}

/* Puts every permutation on the network. */
static uint32_t worst_by_trying(const struct hd_routes *r)
{
    uint32_t n = r->net->nep, to[16], turn[16] = {0}, worst = 0, chan[HD_MAX_HOPS];
    uint32_t *load = calloc(r->net->nchan, sizeof *load);
    for (uint32_t e = 0; e < n; e++) to[e] = e;
    for (uint32_t i = 0; i < n;) { /* Heap's algorithm */
        memset(load, 0, r->net->nchan * sizeof *load);
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t h = 0, hops = s == to[s] ? 0 : route_of(r, s, to[s], chan); h < hops; h++)
                if (++load[chan[h]] > worst) worst = load[chan[h]];
        for (i = 0; i < n && turn[i] >= i; i++) turn[i] = 0;
        if (i == n) break;
        uint32_t j = i % 2 ? turn[i] : 0, swap = to[i];
        to[i] = to[j];
        to[j] = swap;
        turn[i]++;
    }
    free(load);
    return worst;
}

static void worst_by_brute_force(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        uint32_t worst;
    } cases[] = {{"gft:n=3,m=3,r=2", 2}, {"gft:n=4,m=3,r=2", 3}, {"gft:n=2,m=3,r=4", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        struct hd_routes *r = make_routes(net, "opt");
        uint32_t bound;
        assert_int_equal(worst_by_trying(r), cases[i].worst);
        assert_int_equal(worst(r, &bound), cases[i].worst);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ceil(n / sqrt m): below it no routing is, where there are more than 2 sqrt m leaves. */
static uint32_t least_of_all(uint32_t n, uint32_t m)
{
    uint32_t k = 1;
    while (k * k * m < n * n) k++;
    return k;
}

/* One CSV line per size up to `largest`: longest side of the grid and of the cover found, the least that a cover can
 * have, and the least worst case of any single-path routing. */
static int print_table(uint32_t largest)
{
    printf("n,m,grid,cover,least cover,least routing\n");
    for (uint32_t n = 1; n <= largest; n++)
        for (uint32_t m = 1; m <= largest; m++) {
            struct hd_ctx ctx;
            struct hd_arena a = {0};
            struct hd_pair_cover c;
            uint32_t grid = (n + root(m) - 1) / root(m);
            hd_ctx_init(&ctx);
            if (hd_pair_cover_find(&ctx, &a, n, m, grid, &c) != HD_OK) return 1;
            printf("%u,%u,%u,%u,%u,%u\n", n, m, grid, c.side ? c.side : grid, hd_pair_cover_bound(n, m),
                   least_of_all(n, m));
            hd_arena_release(&a);
        }
    return 0;
}

/* With a number: prints the table of all sizes up to it instead. */
int main(int argc, char **argv)
{
    if (argc > 1) return print_table((uint32_t)atoi(argv[1]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_of_all_sizes),
        cmocka_unit_test(worst_by_igraph),
        cmocka_unit_test(worst_on_three_levels),
        cmocka_unit_test(worst_by_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
