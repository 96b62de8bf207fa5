/* SPDX-License-Identifier: BSD-2-Clause */
/* Hot spots: topology-aware recursive doubling, the hot-spot degree on real-life fat trees, jobs on part of
 * a tree, the worst ring, and the published averages under random ranking. */
#include "testing.h"
#include "drawing.h"
#include "base/context.h"

#include <math.h>

static const char *const rlft[] = {
    "pgft:m=12x12,w=1x6,p=1x2",         /* 144 */
    "pgft:m=18x18,w=1x9,p=1x2",         /* 324 */
    "pgft:m=12x12x12,w=1x12x6,p=1x1x2", /* 1728 */
    "pgft:m=18x18x6,w=1x18x3,p=1x1x6",  /* 1944 */
};

/* Flows on each channel in a stage, counted path by path. */
static uint32_t *count_loads(const struct drawing *d, const struct hd_flows *f)
{
    uint32_t *load = calloc(d->net->nchan, sizeof *load), chan[HD_MAX_HOPS];
    assert_non_null(load);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t n =
            hd_routes_path(d->routes, f->src[i], f->dst[i], hd_routes_variant(d->routes, f->src[i], f->dst[i]), chan);
        assert_true(n >= 2);
        for (uint32_t j = 0; j < n; j++) load[chan[j]]++;
    }
    return load;
}

static uint32_t largest(const struct drawing *d, const uint32_t *load)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < d->net->nchan; c++) most = load[c] > most ? load[c] : most;
    return most;
}

static struct hd_result evaluate(const struct hd_routes *r, const char *pattern, const char *ranks)
{
    struct hd_ctx ctx;
    struct hd_result result;
    struct hd_request q = {.pattern = pattern, .metric = "hsd", .ranks = ranks};
    hd_ctx_init(&ctx);
    if (hd_eval(&ctx, r, &q, &result) != HD_OK)
        fail_msg("%s, ranks %s: %s", pattern, ranks ? ranks : "natural", ctx.error);
    return result;
}

/* ---- the metric ----------------------------------------------------------------------------- */

static void hsd_is_the_largest_count(void **state)
{
    static const char *const patterns[] = {"shift", "recdbl", "alltoall", "binomial"};
    (void)state;
    for (size_t k = 0; k < COUNT(patterns); k++) {
        struct drawing d;
        start_drawing(&d, "pgft:m=4x3x2,w=1x3x2,p=1x1x2", "dmodk", "random:seed=6");
        set_pattern(&d, patterns[k]);
        uint64_t stages = stage_count(&d);
        uint32_t sum = 0, max = 0;
        for (uint64_t s = 0; s < stages; s++) {
            uint32_t *load = count_loads(&d, draw_stage(&d, s)), most = largest(&d, load);
            sum += most;
            max = most > max ? most : max;
            free(load);
        }
        struct hd_result r = evaluate(d.routes, patterns[k], "random:seed=6");
        assert_int_equal(r.samples, stages);
        assert_true(fabs(r.value - sum / (double)stages) < 1e-9);
        assert_true(r.max == max);
        stop_drawing(&d);
    }
}

/* Two switches, two hosts each, one cable of twice the rate between them. */
static void hsd_counts_flows_not_rates(void **state)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    struct hd_routes *r;
    uint32_t sw[2];
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (int i = 0; i < 2; i++) sw[i] = hd_builder_switch(b, &(struct hd_switch_in){.nports = 8});
    for (int i = 0; i < 4; i++) hd_builder_host(b, sw[i / 2], (uint32_t)(i % 2 + 1), hd_link_code("4xSDR", 5));
    hd_builder_cable(b, sw[0], 3, sw[1], 3, hd_link_code("4xDDR", 5));
    hd_status s = hd_builder_finish(&ctx, b, "pair", &net);
    checked(&ctx, s, net, "pair");
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t v = 0; v < 2; v++) hd_row(r, d, 0)[v] = (uint8_t)(d / 2 == v ? d % 2 : 2);
    struct hd_result hsd = evaluate(r, "bridge", NULL), load;
    struct hd_request q = {.pattern = "bridge", .metric = "maxload"};
    assert_int_equal(hd_eval(&ctx, r, &q, &load), HD_OK);
    assert_true(hsd.value == 2 && load.value == 1);
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- recursive doubling on trees ------------------------------------------------------------ */

/* Equations 3-7 on a full tree: whether i sends to j in this stage of level l (from 1). */
static bool tree_sends(const struct hd_shape *t, uint32_t l, int s, uint64_t i, uint64_t j)
{
    uint64_t inner = 1, power = 1;
    for (uint32_t k = 1; k < l; k++) inner *= t->m[k - 1];
    while (2 * power <= t->m[l - 1]) power *= 2;
    uint64_t m = inner * t->m[l - 1], e = inner * power;
    if (s < 0) return i % m >= e && j == i - e;            /* before */
    if (1u << s == power) return j % m >= e && i == j - e; /* after */
    return i % m < e && j == i / m * m + ((i % m / inner) ^ 1u << s) * inner + i % inner;
}

static void compare_tree_stage(struct drawing *d, uint64_t stage, uint32_t l, int s)
{
    const struct hd_flows *f = draw_stage(d, stage);
    uint32_t n = d->ranks.n, expected = 0;
    for (uint32_t k = 0; k < f->n; k++) {
        uint32_t i = d->rank_of[f->src[k]], j = d->rank_of[f->dst[k]];
        if (!tree_sends(&d->net->shape, l, s, i, j)) fail_msg("%s: level %u, %d: %u -> %u", d->net->spec, l, s, i, j);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) expected += i != j && tree_sends(&d->net->shape, l, s, i, j);
    assert_int_equal(f->n, expected); /* all of them are defined, so all that are defined are there */
}

static void tree_stages_are_the_equations(void **state)
{
    static const char *const nets[] = {"pgft:m=3x5x2,w=1x2x2,p=1x1x1",
                                       "kary:k=4,n=3",
                                       "pgft:m=6x3x4,w=1x3x2,p=1x1x1",
                                       "gft:n=12,m=6,r=1",
                                       "gft:n=1,m=2,r=7",
                                       "pgft:m=12x12,w=1x6,p=1x2"};
    (void)state;
    for (size_t k = 0; k < COUNT(nets); k++) {
        struct drawing d;
        start_drawing(&d, nets[k], NULL, "random:seed=8"); /* by rank number, wherever ranks are */
        set_pattern(&d, "recdbl-tree");
        uint64_t stage = 0;
        for (uint32_t l = 1; l <= d.net->shape.n; l++) {
            uint32_t m = d.net->shape.m[l - 1], power = 0;
            while (2u << power <= m) power++;
            if (m != 1u << power) compare_tree_stage(&d, stage++, l, -1);
            for (uint32_t s = 0; s < power; s++) compare_tree_stage(&d, stage++, l, (int)s);
            if (m != 1u << power) compare_tree_stage(&d, stage++, l, (int)power);
        }
        assert_int_equal(stage_count(&d), stage);
        stop_drawing(&d);
    }
}

/* Leaving out whole subtrees gives the stages of the smaller tree. */
static void whole_subtrees_may_be_missing(void **state)
{
    struct drawing part, full;
    (void)state;
    start_drawing(&part, "pgft:m=3x4x6,w=1x3x2,p=1x1x1", NULL, NULL);
    start_drawing(&full, "pgft:m=3x3x5,w=1x3x2,p=1x1x1", NULL, NULL);
    uint32_t *ep = HD_NEW(&part.arena, uint32_t, 72), n = 0;
    for (uint32_t e = 0; e < 72; e++) { /* one pod, and one leaf of each other pod, stay away */
        uint32_t pod = e / 12, leaf = e / 3 % 4;
        if (pod != 2 && leaf != pod % 4) ep[n++] = e;
    }
    part.ranks = (struct hd_ranks){n, ep};
    assert_int_equal(n, full.ranks.n);
    set_pattern(&part, "recdbl-tree");
    set_pattern(&full, "recdbl-tree");
    assert_int_equal(stage_count(&part), stage_count(&full));
    for (uint64_t s = 0; s < stage_count(&part); s++) {
        const struct hd_flows *a = draw_stage(&part, s), *b = draw_stage(&full, s);
        assert_int_equal(a->n, b->n);
        for (uint32_t i = 0; i < a->n; i++) {
            assert_int_equal(part.rank_of[a->src[i]], full.rank_of[b->src[i]]);
            assert_int_equal(part.rank_of[a->dst[i]], full.rank_of[b->dst[i]]);
        }
    }
    stop_drawing(&part);
    stop_drawing(&full);
}

/* What an all-reduce does with the stages: know[i][j], whether rank i's value holds rank j's contribution. In an
 * exchange nothing may be counted twice; a one-way flow adds something new or brings a complete result. */
static void everybody_ends_with_everything(struct drawing *d)
{
    uint32_t n = d->ranks.n;
    uint8_t *know = calloc(n, n), *then = malloc((size_t)n * n);
    assert_true(know && then);
    for (uint32_t i = 0; i < n; i++) know[i * n + i] = 1;
    for (uint64_t s = 0; s < stage_count(d); s++) {
        const struct hd_flows *f = draw_stage(d, s);
        memcpy(then, know, (size_t)n * n);
        for (uint32_t k = 0; k < f->n; k++) {
            uint32_t i = d->rank_of[f->src[k]], j = d->rank_of[f->dst[k]], both = 0, only = 0;
            for (uint32_t x = 0; x < n; x++) {
                both += then[i * n + x] && then[j * n + x];
                only += then[j * n + x] && !then[i * n + x];
                know[j * n + x] |= then[i * n + x];
            }
            if (both && only) fail_msg("%s: stage %u: rank %u gets twice what it has", d->net->spec, (unsigned)s, j);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (!know[i * n + j])
                fail_msg("%s: %u of its ranks: rank %u never hears of rank %u", d->net->spec, n, i, j);
    free(know);
    free(then);
}

static void any_set_of_ranks_is_complete(void **state)
{
    static const char *const nets[] = {"pgft:m=5x4x3,w=1x2x2,p=1x1x1", "pgft:m=3x3x2x3,w=1x2x2x1,p=1x1x1x1",
                                       "gft:n=7,m=3,r=5", "gft:n=9,m=1,r=1"};
    (void)state;
    for (size_t k = 0; k < COUNT(nets); k++)
        for (uint64_t seed = 1; seed <= 40; seed++) {
            struct drawing d;
            struct hd_rng rng;
            start_drawing(&d, nets[k], NULL, NULL);
            hd_rng_init(&rng, seed, HD_RNG_TEST, k);
            keep_ranks(&d, 2 + hd_rng_below(&rng, d.ranks.n - 1), seed);
            set_pattern(&d, seed % 2 ? "recdbl-tree" : "recdbl-tree:place=tree");
            everybody_ends_with_everything(&d);
            stop_drawing(&d);
        }
}

static void plain_doubling_is_complete(void **state)
{
    (void)state;
    for (uint32_t n = 2; n < 40; n++) {
        struct drawing d;
        start_drawing(&d, "gft:n=10,m=2,r=4", NULL, NULL);
        keep_ranks(&d, n, n);
        set_pattern(&d, "recdbl");
        everybody_ends_with_everything(&d);
        set_pattern(&d, "rechalf");
        everybody_ends_with_everything(&d);
        stop_drawing(&d);
    }
}

/* place=tree does not care for the order of the ranks. */
static void place_is_rank_or_tree(void **state)
{
    struct drawing d, e;
    (void)state;
    start_drawing(&d, "pgft:m=3x4,w=1x3,p=1x1", NULL, "random:seed=5");
    start_drawing(&e, "pgft:m=3x4,w=1x3,p=1x1", NULL, NULL);
    set_pattern(&d, "recdbl-tree:place=tree");
    set_pattern(&e, "recdbl-tree");
    for (uint64_t s = 0; s < stage_count(&e); s++) {
        const struct hd_flows *a = draw_stage(&d, s), *b = draw_stage(&e, s);
        assert_int_equal(a->n, b->n);
        assert_memory_equal(a->src, b->src, a->n * sizeof *a->src);
        assert_memory_equal(a->dst, b->dst, a->n * sizeof *a->dst);
    }
    stop_drawing(&d);
    stop_drawing(&e);
    start_drawing(&d, "torus:dims=3x3,hosts=1", NULL, NULL);
    fail_pattern(&d, "recdbl-tree", HD_NA, "does not apply to torus:dims=3x3,hosts=1: not a tree");
    stop_drawing(&d);
}

/* ---- no hot spot on real-life fat trees ----------------------------------------------------- */

static void ordered_ranks_never_meet(void **state)
{
    static const uint32_t sizes[] = {144, 324, 1728, 1944};
    (void)state;
    for (size_t k = 0; k < COUNT(rlft); k++) {
        static const char *const patterns[] = {"shift",     "recdbl-tree", "ring",     "bruck",
                                               "rev-bruck", "tournament",  "binomial", "binomial:direction=in"};
        struct drawing d;
        char why[160];
        start_drawing(&d, rlft[k], "dmodk", NULL);
        if (!hd_rlft_check(&d.net->shape, why)) fail_msg("%s: %s", rlft[k], why);
        assert_int_equal(d.ranks.n, sizes[k]);
        for (size_t p = 0; p < COUNT(patterns); p++) {
            struct hd_result r = evaluate(d.routes, patterns[p], NULL);
            if (r.max != 1 || r.value != 1)
                fail_msg("%s, %s: hot-spot degree %g, up to %g", rlft[k], patterns[p], r.value, r.max);
            if (p == 0) assert_int_equal(r.samples, sizes[k] - 1);
        }
        stop_drawing(&d);
    }
}

/* Whole top-level subtrees may be left out of the topology-aware form. */
static void whole_pods_never_meet(void **state)
{
    static const uint32_t kept[] = {120, 288, 1584, 1296};
    (void)state;
    for (size_t k = 0; k < COUNT(rlft); k++) {
        struct drawing d;
        start_drawing(&d, rlft[k], "dmodk", NULL);
        keep_ranks(&d, kept[k], 0);
        struct hd_result r = evaluate(d.routes, "recdbl-tree", rank_file(&d));
        if (r.max != 1) fail_msg("%u of %s: hot-spot degree up to %g", kept[k], rlft[k], r.max);
        stop_drawing(&d);
    }
}

/* Shift of a random set of nodes in order, with the tables numbered for it. */
static struct hd_result shift_of_set(size_t k, uint32_t n, uint64_t seed)
{
    struct drawing d;
    char table[128];
    struct hd_routes *r;
    start_drawing(&d, rlft[k], NULL, NULL);
    keep_ranks(&d, n, seed);
    sort_ranks(&d);
    const char *file = rank_file(&d);
    snprintf(table, sizeof table, "dmodk:index=%s", file);
    assert_int_equal(hd_routes_open(&d.ctx, d.net, table, &r), HD_OK);
    struct hd_result result = evaluate(r, "shift", file);
    hd_routes_free(r);
    stop_drawing(&d);
    return result;
}

static void renumbered_tables_serve_any_set_of_the_right_size(void **state)
{
    static const struct {
        uint32_t period, sizes[4];
    } safe[] = {{12, {24, 72, 132, 144}},
                {18, {36, 90, 216, 306}},
                {144, {288, 864, 1296, 1584}},
                {324, {324, 972, 1296, 1620}}};
    (void)state;
    for (size_t k = 0; k < COUNT(safe); k++)
        for (int z = 0; z < 4; z++) {
            uint32_t n = safe[k].sizes[z];
            assert_int_equal(n % safe[k].period, 0);
            for (uint64_t seed = 1; seed <= (k < 2 ? 10 : 1); seed++) {
                struct hd_result r = shift_of_set(k, n, seed);
                if (r.max != 1)
                    fail_msg("%u of %s, set %u: hot-spot degree up to %g", n, rlft[k], (unsigned)seed, r.max);
            }
        }
}

/* The product of w alone, 6 on the tree of 144, is not enough with parallel cables; nor are other sizes. */
static void other_sizes_have_hot_spots(void **state)
{
    double sum = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double value = shift_of_set(0, 138, seed).value;
        assert_true(value > 1.2);
        sum += value;
    }
    if (fabs(sum / 10 - 1.76) > 0.05) fail_msg("138 of 144: %g, 1.76 expected", sum / 10);
    static const uint32_t sizes[] = {90, 101, 127, 143};
    for (size_t z = 0; z < COUNT(sizes); z++) assert_true(shift_of_set(0, sizes[z], 1).max > 1);
    assert_true(shift_of_set(1, 315, 1).max > 1);  /* a multiple of 9 */
    assert_true(shift_of_set(2, 1656, 1).max > 1); /* a multiple of 72 */
    assert_true(shift_of_set(3, 1674, 1).max > 1); /* a multiple of 54 */
}

/* ---- figures -------------------------------------------------------------------------------- */

/* Figure 1: destination = source + 4 modulo 16 on four leaves of four, with four links up each. */
static void figure_1(void **state)
{
    struct drawing d;
    (void)state;
    start_drawing(&d, "pgft:m=4x4,w=1x2,p=1x2", "dmodk", NULL);
    set_pattern(&d, "shift");
    /* "the left most switch routes packets to destinations 4, 8 and 12 on the first link" */
    uint32_t chan[HD_MAX_HOPS];
    hd_routes_path(d.routes, 0, 4, 0, chan);
    for (uint32_t e = 4; e < 16; e++) {
        uint32_t other[HD_MAX_HOPS];
        hd_routes_path(d.routes, 0, e, 0, other);
        assert_int_equal(other[1] == chan[1], e % 4 == 0);
    }
    uint32_t *load = count_loads(&d, draw_stage(&d, 3));
    assert_int_equal(largest(&d, load), 1);
    free(load);
    /* The random order of the figure is not printed; orders with just its three links of two flows exist. */
    uint32_t like_it = 0, worse = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct hd_ranks natural = d.ranks;
        keep_ranks(&d, 16, seed);
        set_pattern(&d, "shift");
        load = count_loads(&d, draw_stage(&d, 3));
        uint32_t hot = 0;
        for (uint32_t c = 0; c < d.net->nchan; c++)
            hot += load[c] == 2 && d.net->tail[c] < d.net->nsw && d.net->level[d.net->tail[c]] == 1;
        like_it += hot == 3 && largest(&d, load) == 2;
        worse += largest(&d, load) > 1;
        free(load);
        d.ranks = natural;
    }
    assert_true(like_it > 0);
    assert_true(worse > 150);
    stop_drawing(&d);
}

/* Figure 6: "traffic traverses the node at level 1 through port 1 and then the node at level 2 through port 2". */
static void figure_6(void **state)
{
    struct drawing d;
    uint32_t chan[HD_MAX_HOPS];
    (void)state;
    start_drawing(&d, "xgft:m=4x4x8,w=1x4x4", "dmodk", NULL);
    const struct hd_net *net = d.net;
    for (uint32_t e = 0; e < 16; e++) {
        assert_int_equal(hd_routes_path(d.routes, 127, e, 0, chan), 6);
        assert_int_equal(net->port[chan[1]], 4 + 1 + e % 4); /* up ports come behind four down ports */
        assert_int_equal(net->port[chan[2]], 4 + 1 + e / 4 % 4);
    }
    hd_routes_path(d.routes, 127, 9, 0, chan);
    assert_true(net->port[chan[1]] == 5 + 1 && net->port[chan[2]] == 5 + 2);
    stop_drawing(&d);
}

/* ---- the worst ring ------------------------------------------------------------------------- */

/* Flows of the ring on the busiest channel out of each leaf; returns the fewest over leaves. */
static uint32_t least_crowded_leaf(struct drawing *d)
{
    set_pattern(d, "ring");
    const struct hd_flows *f = draw_stage(d, 0);
    uint8_t *seen = calloc(d->net->nep, 1);
    assert_non_null(seen);
    for (uint32_t i = 0; i < f->n; i++) assert_int_equal(seen[f->src[i]]++, 0);
    free(seen);
    uint32_t *load = count_loads(d, f), least = UINT32_MAX;
    for (uint32_t v = 0; v < d->net->nsw; v++) {
        uint32_t most = 0;
        if (d->net->level[v] != 1) continue;
        for (uint32_t c = d->net->off[v]; c < d->net->off[v + 1]; c++)
            if (d->net->head[c] < d->net->nsw && load[c] > most) most = load[c];
        least = most < least ? most : least;
    }
    free(load);
    return least;
}

static void adversarial_ring_meets_everywhere(void **state)
{
    /* With L leaves one residue has one destination on each, so a leaf of K finds at most L - 1 elsewhere. */
    static const uint32_t most[] = {11, 17, 12, 18};
    (void)state;
    for (size_t k = 0; k < COUNT(rlft); k++) {
        struct drawing d;
        start_drawing(&d, rlft[k], "dmodk", "adversarial");
        assert_int_equal(d.ranks.n, d.net->nep);
        struct hd_result r = evaluate(d.routes, "ring", "adversarial");
        assert_true(r.value == most[k]);
        uint32_t least = least_crowded_leaf(&d);
        if (k >= 2) assert_int_equal(least, most[k]); /* on every leaf, all of its flows */
        stop_drawing(&d);
    }
}

static void adversarial_orders_on_other_networks(void **state)
{
    static const char *const nets[] = {"gft:n=5,m=2,r=3", "gft:n=6,m=4,r=1", "xgft:m=4x4x8,w=1x4x4", "gft:n=1,m=3,r=6",
                                       "ft:m=4,n=3"};
    static const uint32_t least[] = {3, 0, 4, 1, 2};
    (void)state;
    for (size_t k = 0; k < COUNT(nets); k++) {
        struct drawing d;
        start_drawing(&d, nets[k], "dmodk", "adversarial");
        assert_int_equal(d.ranks.n, d.net->nep);
        assert_int_equal(least_crowded_leaf(&d), least[k]);
        stop_drawing(&d);
    }
    struct hd_ctx ctx;
    struct hd_net *net = make_net("gft:n=4,m=2,r=3");
    struct hd_routes *r;
    struct hd_result result;
    struct hd_request q = {.pattern = "ring", .metric = "hsd", .ranks = "adversarial"};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_routes_open(&ctx, net, "smodk", &r), HD_OK);
    assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_INPUT);
    assert_non_null(strstr(ctx.error, "adversarial: needs one path to a destination, smodk has 2 variants"));
    hd_routes_free(r);
    hd_net_free(net);
}

/* ---- published averages --------------------------------------------------------------------- */

/* Mean over random rankings of the first n endpoints. */
static double random_ranking(size_t k, uint32_t n, const char *pattern, uint32_t orders)
{
    struct drawing d;
    double sum = 0;
    start_drawing(&d, rlft[k], "dmodk", NULL);
    struct hd_ranks all = d.ranks;
    for (uint64_t seed = 1; seed <= orders; seed++) {
        d.ranks = (struct hd_ranks){n, all.ep};
        keep_ranks(&d, n, seed);
        sum += evaluate(d.routes, pattern, rank_file(&d)).value;
    }
    stop_drawing(&d);
    return sum / orders;
}

static void table_3_shift(void **state)
{
    static const struct {
        size_t net;
        uint32_t n;
        double published;
    } rows[] = {{0, 144, 3.75}, {1, 324, 4.32}, {0, 120, 3.50}, {1, 288, 4.28}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double ours = random_ranking(rows[i].net, rows[i].n, "shift", 10);
        if (fabs(ours / rows[i].published - 1) > 0.04)
            fail_msg("%u of %s: %g, published %g", rows[i].n, rlft[rows[i].net], ours, rows[i].published);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hsd_is_the_largest_count),
        cmocka_unit_test(hsd_counts_flows_not_rates),
        cmocka_unit_test(tree_stages_are_the_equations),
        cmocka_unit_test(whole_subtrees_may_be_missing),
        cmocka_unit_test(any_set_of_ranks_is_complete),
        cmocka_unit_test(plain_doubling_is_complete),
        cmocka_unit_test(place_is_rank_or_tree),
        cmocka_unit_test(ordered_ranks_never_meet),
        cmocka_unit_test(whole_pods_never_meet),
        cmocka_unit_test(renumbered_tables_serve_any_set_of_the_right_size),
        cmocka_unit_test(other_sizes_have_hot_spots),
        cmocka_unit_test(figure_1),
        cmocka_unit_test(figure_6),
        cmocka_unit_test(adversarial_ring_meets_everywhere),
        cmocka_unit_test(adversarial_orders_on_other_networks),
        cmocka_unit_test(table_3_shift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
