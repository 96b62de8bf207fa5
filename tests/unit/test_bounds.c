/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds that no routing can beat: as printed in the papers, cuts worked out by hand, and held against what patterns
 * really get. */
#include "metric_tools.h"

#include "flow/bound/bound.h"
#include "flow/bound/throughput_bound.h"
#include "net/edit/net_with.h"
#include "base/context.h"

#include <math.h>
#include <stdio.h>

/* ---- the papers ------------------------------------------------------------------------------------------------- */

/* Nienaber, Mahapatra, Yuan, Table I: the worst case of D-mod-K is n on all of these. */
static const uint32_t table1[][3] = {{9, 9, 18},  {16, 16, 32}, {25, 25, 50}, {12, 12, 24}, {24, 24, 48},
                                     {12, 4, 16}, {24, 9, 33},  {24, 16, 40}, {16, 8, 24},  {24, 8, 32},
                                     {8, 16, 24}, {12, 16, 24}, {10, 25, 35}, {8, 24, 32},  {16, 32, 48}};

static void dmodk_of_table1(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table1 / sizeof *table1; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "gft:n=%u,m=%u,r=%u", table1[i][0], table1[i][1], table1[i][2]);
        struct hd_net *net = make_net(spec);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result worst = evaluate(r, NULL, "worst"), replay = evaluate(r, "worst", "maxload"),
                         theorem = evaluate(r, "worst:by=theorem2", "maxload");
        if (worst.value != table1[i][0]) fail_msg("%s: worst %g, printed %u", spec, worst.value, table1[i][0]);
        if (replay.value != worst.value)
            fail_msg("%s: the permutation of the worst case loads a channel %g times, not %g", spec, replay.value,
                     worst.value);
        if (theorem.value < table1[i][0])
            fail_msg("%s: Theorem 2's permutation loads a channel %g times only", spec, theorem.value);
        assert_true(worst.bound <= worst.value);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void theorem2_needs_room(void **state)
{
    (void)state;
    const char *refused[][2] = {{"gft:n=16,m=16,r=16", "(r n - i m) / m >= n"},
                                {"ft:m=4,n=3", "not a whole two-level tree"},
                                {"torus", "not a whole two-level tree"}};
    for (int i = 0; i < 3; i++) {
        struct hd_ctx ctx;
        struct hd_result result;
        struct hd_net *net = make_net(refused[i][0]);
        struct hd_routes *r = random_routes(net, 1);
        hd_ctx_init(&ctx);
        hd_status s =
            hd_eval(&ctx, r, &(struct hd_request){.pattern = "worst:by=theorem2", .metric = "maxload"}, &result);
        assert_int_equal(s, HD_NA);
        if (!strstr(ctx.error, refused[i][1])) fail_msg("expected '%s' in: %s", refused[i][1], ctx.error);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static struct hd_shape shape_of(const char *spec)
{
    struct hd_net *net = make_net(spec);
    struct hd_shape s = net->shape;
    hd_net_free(net);
    return s;
}

static void bounds_of_the_papers(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        double theorem1, lemma12, lemma9, pairs;
    } cases[] = {
        {"gft:n=16,m=16,r=32", 4, 4, 4, 4},
        {"gft:n=24,m=24,r=48", 4, 4.898979485566356, 4.898979485566356, 4.898979485566356},
        {"gft:n=24,m=9,r=33", 8, 0, 0, 8},
        {"gft:n=12,m=16,r=24", 3, 0, 0, 3},
        {"gft:n=24,m=8,r=32", 8, 0, 0, 8.48528137423857}, /* 24 / 2.83 = 8.49 */
        {"gft:n=4,m=16,r=16", 0, 0, 0, 0},                /* m < n^2 fails */
        {"gft:n=16,m=16,r=15", 0, 0, 0, 4},               /* r >= n fails */
        {"gft:n=4,m=6,r=4", 0, 0, 0, 0},                  /* (r-1) n > 2m fails */
        {"pgft:m=16x32,w=1x8,p=1x2", 0, 0, 0, 0},
        {"ft:m=4,n=3", 0, 2, 2, 1.5}, /* subtrees as leaves: 4 min(1/2, 3/8) */
        {"ft:m=8,n=3", 0, 4, 4, 3.5},
        {"ft:m=4,n=4", 0, 2, 2, 1.5},
        {"ft:m=8,n=5", 0, 4, 8, 3.5},                         /* 4^1 and 4^(3/2) */
        {"ft:m=4,n=6", 0, 2, 4, 1.5},                         /* 2^1 and 2^2 */
        {"ft:m=4,n=7", 0, 4, 4, 1.5},                         /* 2^2 and 2^(4/2) */
        {"ft:m=4,n=9", 0, 4, 8, 1.5},                         /* 2^2 and 2^3 */
        {"xgft:m=4x4x8,w=1x2x4", 0, 0, 0, 5.656854249492381}, /* 16 / sqrt 8 */
        {"pgft:m=4x4x4,w=1x4x2,p=1x1x2", 0, 0, 0, 0},
        {"torus:dims=4x4,hosts=1", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_shape s = shape_of(cases[i].spec);
        double got[] = {hd_bound_theorem1(&s), hd_bound_lemma12(&s), hd_bound_lemma9(&s), hd_bound_pairs(&s)},
               want[] = {cases[i].theorem1, cases[i].lemma12, cases[i].lemma9, cases[i].pairs};
        for (int j = 0; j < 4; j++)
            if (fabs(got[j] - want[j]) > 1e-12)
                fail_msg("%s: bound %d is %.17g, expected %.17g", cases[i].spec, j, got[j], want[j]);
    }
}

/* Islands of switches that all know each other, with hosts on each, in a chain of single cables; numbered in turn,
 * so that numbers tell nothing of the islands. */
static struct hd_net *make_islands(uint32_t islands, uint32_t switches, uint32_t hosts)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < islands * switches; i++) hd_builder_switch(b, &(struct hd_switch_in){0});
    for (uint32_t i = 0; i < islands; i++)
        for (uint32_t u = 0; u < switches; u++) {
            for (uint32_t v = u + 1; v < switches; v++)
                hd_builder_cable(b, u * islands + i, 1 + v, v * islands + i, 1 + u, 0);
            for (uint32_t h = 0; h < hosts; h++) hd_builder_host(b, u * islands + i, 40 + h, 0);
        }
    for (uint32_t i = 0; i + 1 < islands; i++) hd_builder_cable(b, i, 30, i + 1, 31, 0);
    hd_status s = hd_builder_finish(&ctx, b, "islands", &net);
    return checked(&ctx, s, net, "islands");
}

/* Two islands of 16 with one cable: of 16 flows 16 * 16 / 31 = 8.26 cross, two get through. Four of 12 in a chain:
 * what the cut in the middle lets through of 24 flows, and less where all three cables are looked at together. */
static void cuts_between_islands(void **state)
{
    (void)state;
    const struct {
        uint32_t islands, switches, hosts;
        double bound;
    } cases[] = {
        {2, 4, 4, 1 - (16 * 16.0 / 31 - 2) / 16},
        /* ends send 1 out, inner islands 2 */
        {4, 4, 3, (24 * 11.0 / 47 + 6) / 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_islands(cases[i].islands, cases[i].switches, cases[i].hosts);
        struct hd_routes *r = make_routes(net, "minhop");
        struct hd_result x = evaluate(r, "bisect", "ebb");
        assert_float_equal(x.bound, cases[i].bound, 1e-9);
        assert_true(x.value <= x.bound);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

static void bounds_in_results(void **state)
{
    (void)state;
    const struct {
        const char *spec, *metric;
        double bound;
        const char *name, *note;
    } cases[] = {
        {"gft:n=24,m=24,r=48", "worst", 5, "Yuan et al., Lemma 10", "Nienaber et al., Theorem 1 gives 4"},
        {"gft:n=24,m=24,r=48", "oblivious", 5, "Yuan et al., Lemma 10", "any permutation can be routed with load 1"},
        {"gft:n=24,m=8,r=32", "worst", 9, "counting pairs", "Theorem 1 gives 8"}, /* 8.49: loads are whole */
        {"gft:n=24,m=9,r=33", "worst", 8, "Nienaber et al., Theorem 1", ""},
        {"gft:n=24,m=9,r=33", "oblivious", 8, "Nienaber et al., Theorem 1", "slimmed tree"},
        {"gft:n=12,m=4,r=16", "oblivious", 4, "Nienaber et al., Theorem 1",
         "slimmed tree"}, /* 6 flows, 4 top switches */
        {"ft:m=8,n=3", "worst", 4, "Yuan et al., Lemma 11", ""},
        {"ft:m=2,n=6", "worst", 1, "Yuan et al., Lemma 12", ""},
        {"ft:m=4,n=5", "worst", 3, "Yuan et al., Lemma 9", "Lemma 12 gives 2"},
        {"xgft:m=4x8,w=1x1", "worst", 4, "Nienaber et al., Theorem 1", ""},
        {"xgft:m=4x4x4,w=1x2x2", "worst", 6, "counting pairs", ""},     /* 16 endpoints, 4 roots: 16 * 3/8 */
        {"xgft:m=4x4x4,w=1x2x2", "oblivious", 2, "counting pairs", ""}, /* 6 flows, 2 ports up from a leaf */
        {"xgft:m=4x4x4,w=1x2x2,partial=leaves:6", "worst", 2, "cuts", ""},
        {"gft:n=1,m=1,r=1", "worst", NAN, "", "no pair"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result x = evaluate(r, NULL, cases[i].metric);
        if (isnan(cases[i].bound) ? !isnan(x.bound) : !(fabs(x.bound - cases[i].bound) < 1e-12))
            fail_msg("%s %s: bound %.17g, expected %.17g", cases[i].spec, cases[i].metric, x.bound, cases[i].bound);
        assert_string_equal(x.bound_name, cases[i].name);
        if (!strstr(x.note, cases[i].note))
            fail_msg("%s: expected '%s' in note: %s", cases[i].spec, cases[i].note, x.note);
        if (!isnan(x.bound)) assert_true(x.value >= x.bound);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- shares and loads of given flows ------------------------------------------------------------ */

/* What endpoints, their switches and distances allow, worked out flow by flow: a switch lets out as many flows as it
 * has cables, and a flow needs as many channels as it has hops, so near ones first serve most. */
struct allowed {
    double share, load;
};

static struct allowed allow(const struct hd_net *net, const struct hd_flows *f)
{
    uint32_t channels = 0, *cables = calloc(net->nsw, sizeof *cables);
    double *out = calloc(net->nsw, sizeof *out), *in = calloc(net->nsw, sizeof *in), far[64] = {0}, hops = 0;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->head[c] < net->nsw && net->tail[c] < net->nsw) cables[net->tail[c]]++, channels++;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t a = hd_leaf(net, f->src[i]), b = hd_leaf(net, f->dst[i]), *dist = distances(net, a);
        if (a != b) out[a]++, in[b]++;
        far[dist[b]]++;
        hops += dist[b];
        free(dist);
    }
    double sent = far[0], got = far[0], near = far[0], left = channels, load = fmax(1, hops / channels);
    for (uint32_t v = 0; v < net->nsw; v++) {
        sent += fmin(out[v], cables[v]);
        got += fmin(in[v], cables[v]);
        if (cables[v]) load = fmax(load, fmax(out[v], in[v]) / cables[v]);
    }
    for (uint32_t d = 1; d < 64; d++) {
        double n = fmin(far[d], left / d);
        near += n;
        left -= n * d;
    }
    free(cables);
    free(out);
    free(in);
    return (struct allowed){fmin(fmin(sent, got), near) / f->n, load};
}

/* Cuts through the middle of a network may allow less still, never more; where there is none to find, it is equal. */
static void shares_of_given_flows(void **state)
{
    (void)state;
    static const char *const nets[] = {"random:switches=9,ports=8,hosts=4,seed=1",
                                       "random:switches=7,ports=7,hosts=3,seed=4", "hyperx:dims=5,hosts=3",
                                       "torus:dims=3x3,hosts=2"};
    uint32_t equal_share = 0, equal_load = 0, tried = 0;
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        struct hd_net *net = make_net(nets[k]);
        struct hd_ctx ctx;
        struct hd_arena a = {0};
        struct hd_cut_sums sums;
        const struct hd_cuts *cuts;
        uint32_t to[64], from[64];
        hd_ctx_init(&ctx);
        assert_true(net->nep <= 64);
        assert_int_equal(hd_cuts_of(&ctx, net, &cuts), HD_OK);
        assert_int_equal(hd_cut_sums_init(&ctx, &a, cuts, &sums), HD_OK);
        for (uint64_t seed = 1; seed <= 12; seed++, tried++) {
            struct hd_rng rng;
            struct hd_flows f = {.src = from, .dst = to, .n = 0, .simple = true};
            uint32_t order[64], n = seed % 2 ? net->nep : net->nep / 2;
            for (uint32_t i = 0; i < net->nep; i++) order[i] = i;
            hd_rng_init(&rng, seed, HD_RNG_TEST, 0);
            hd_rng_shuffle(&rng, order, net->nep);
            for (uint32_t i = 0; i < n; i++) /* a ring through all of them: nobody sends to itself */
                from[f.n] = order[i], to[f.n++] = order[(i + 1) % net->nep];
            struct allowed most = allow(net, &f);
            double share = hd_cuts_share(cuts, &sums, &f), load = hd_cuts_load(cuts, &sums, &f);
            if (share > most.share + 1e-12 || load < most.load - 1e-12)
                fail_msg("%s: share %g of at most %g, load %g of at least %g", nets[k], share, most.share, load,
                         most.load);
            equal_share += fabs(share - most.share) < 1e-12;
            equal_load += fabs(load - most.load) < 1e-12;
        }
        hd_arena_release(&a);
        hd_net_free(net);
    }
    if (equal_share * 2 < tried || equal_load * 2 < tried)
        fail_msg("equal to what is worked out here: %u shares and %u loads of %u", equal_share, equal_load, tried);
}

/* ---- optimum --------------------------------------------------------------------------------- */

/* TUB's permutation is the farthest there is, and no routing does better on its worst one. */
static void tub_is_a_bound(void **state)
{
    (void)state;
    const char *nets[] = {"torus:dims=3x2,hosts=1", "mesh:dims=2x3,hosts=1", "random:switches=6,ports=5,hosts=1,seed=2",
                          "mesh:dims=4,hosts=2"};
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_ctx ctx;
        struct hd_arena a = {0};
        const struct hd_cuts *cuts, *again;
        struct hd_net *net = make_net(nets[i]);
        struct hd_ranks all = {net->nsel, net->sel};
        uint32_t order[8], most = 0, channels = 0;
        double tub;
        hd_ctx_init(&ctx);
        assert_int_equal(hd_cuts_of(&ctx, net, &cuts), HD_OK);
        assert_int_equal(hd_cuts_of(&ctx, net, &again), HD_OK);
        assert_ptr_equal(cuts, again); /* kept with the network */
        assert_int_equal(hd_tub_load(&ctx, cuts, &all, &tub), HD_OK);
        for (uint32_t c = 0; c < net->nchan; c++) channels += net->head[c] < net->nsw && net->tail[c] < net->nsw;
        /* Heap's algorithm over all orders */
        uint32_t stack[8] = {0}, hops[8][8], n = net->nep;
        for (uint32_t s = 0; s < n; s++) {
            uint32_t *dist = distances(net, hd_leaf(net, s));
            for (uint32_t d = 0; d < n; d++) hops[s][d] = dist[hd_leaf(net, d)];
            free(dist);
            order[s] = s;
        }
        for (uint32_t k = 0; k < n;) {
            uint32_t sum = 0;
            for (uint32_t s = 0; s < n; s++) sum += hops[s][order[s]];
            if (sum > most) most = sum;
            while (k < n && stack[k] >= k) stack[k++] = 0;
            if (k == n) break;
            uint32_t j = k % 2 ? stack[k] : 0, swap = order[j];
            order[j] = order[k];
            order[k] = swap;
            stack[k]++;
            k = 0;
        }
        if (fabs(tub - (double)most / channels) > 1e-12)
            fail_msg("%s: TUB %g, trying everything gives %u / %u", nets[i], tub, most, channels);
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct hd_routes *r = random_routes(net, seed);
            struct hd_result worst = evaluate(r, NULL, "worst");
            assert_true(worst.value >= worst.bound - 1e-12 && worst.bound >= tub);
            hd_routes_free(r);
        }
        hd_net_free(net);
        hd_arena_release(&a);
    }
}

/* ---- bounds of samples ----------------------------------------------------------------------- */

static void bounds_of_patterns(void **state)
{
    (void)state;
    const struct {
        const char *spec, *pattern, *metric;
        double bound;
        const char *name;
    } cases[] = {
        {"gft:n=8,m=8,r=6", "bisect", "ebb", 1, "rearrangeable"},
        {"gft:n=8,m=8,r=6", "permutation", "minbw", 1, "rearrangeable"},
        {"gft:n=8,m=8,r=6", "dissemination", "maxload", 1, "rearrangeable"},
        /* 8 flows among 16 ranks: 64/15 of them within a leaf... each leaf sends 8/15 * 4 = 2.13 out, 1 gets through:
         * (8 * 7/15 + 2) / 8 */
        {"gft:n=8,m=1,r=2", "bisect", "ebb", (8 * 7 / 15.0 + 2) / 8, "cuts"},
        {"gft:n=8,m=1,r=2", "bisect", "minbw", (8 * 7 / 15.0 + 2) / 8, "cuts"},
        {"gft:n=8,m=1,r=2", "permutation", "ebb", (16 * 7 / 15.0 + 2) / 16, "cuts"},
        {"gft:n=8,m=1,r=2", "bisect", "maxload", 8 / (8 * 7 / 15.0 + 2), "cuts"},
        {"gft:n=8,m=4,r=4", "worst", "maxload", 2,
         "cuts"}, /* six flows out of a leaf with four cables: 1.5, but whole */
        {"gft:n=8,m=4,r=4", "worst", "minbw", 0.5, "cuts"},
        {"gft:n=8,m=4,r=4", "worst", "ebb", 4 / 6.0, "cuts"},
        {"gft:n=8,m=3,r=4", "worst", "maxload", 3, "cuts"}, /* 8/3, and flows are whole */
        {"gft:n=8,m=8,r=4", "worst", "ebb", 1, "rearrangeable"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_net *net = make_net(cases[i].spec);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result x = evaluate(r, cases[i].pattern, cases[i].metric);
        if (!(fabs(x.bound - cases[i].bound) < 1e-12))
            fail_msg("%s %s %s: bound %g, expected %g", cases[i].spec, cases[i].pattern, cases[i].metric, x.bound,
                     cases[i].bound);
        assert_string_equal(x.bound_name, cases[i].name);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* A ring of 16: a permutation has 32/15 flows at each distance from 1 to 7, and 32 channels. Serving those of
 * distance 1 to 5, 32/15 * 15 hops, fills them: 5 * 32/15 of 16 flows. */
static void bound_by_distance(void **state)
{
    (void)state;
    struct hd_net *net = make_ring(16, 1);
    struct hd_routes *r = random_routes(net, 1);
    struct hd_result ebb = evaluate(r, "permutation", "ebb"), load = evaluate(r, "permutation", "maxload");
    assert_true(fabs(ebb.bound - 2 / 3.0) < 1e-9 && fabs(load.bound - 1.5) < 1e-9);
    assert_string_equal(ebb.bound_name, "cuts");
    hd_routes_free(r);
    hd_net_free(net);
}

/* Every pattern on trees of all kinds and a grid: values keep to their bounds, exactly where nothing is drawn. */
static void bounds_hold_for_every_pattern(void **state)
{
    (void)state;
    const char *nets[] = {"gft:n=4,m=4,r=4", "gft:n=6,m=2,r=4", "xgft:m=2x2x4,w=1x1x2", "pgft:m=4x4,w=1x2,p=1x2",
                          "torus:dims=4x4,hosts=1"};
    const struct hd_desc *d;
    uint32_t bounded = 0;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct hd_net *net = make_net(nets[i]);
        struct hd_routes *r = random_routes(net, i);
        for (size_t j = 0; (d = row_at(HD_PATTERNS, j)); j++)
            for (size_t k = 0; d->examples && d->examples[k]; k++) {
                const char *metrics[] = {"ebb", "minbw", "maxload", "hsd"};
                for (int m = 0; m < 4; m++) {
                    struct hd_ctx ctx;
                    struct hd_result x;
                    hd_ctx_init(&ctx);
                    ctx.threads = 1;
                    if (!row_of(HD_METRICS, metrics[m])) continue;
                    struct hd_request q = {.pattern = d->examples[k], .metric = metrics[m], .samples = 100};
                    if (hd_eval(&ctx, r, &q, &x) != HD_OK || isnan(x.bound)) continue;
                    double room = ((const struct hd_pattern *)d)->uniform ? 1.05 : 1 + 1e-9;
                    if (m < 2 ? x.value > x.bound * room : x.value * room < x.bound)
                        fail_msg("%s, %s: %s is %g, its bound %g (%s)", nets[i], d->examples[k], metrics[m], x.value,
                                 x.bound, x.bound_name);
                    bounded++;
                }
            }
        hd_routes_free(r);
        hd_net_free(net);
    }
    assert_true(bounded >= 60);
}

/* ---- unequal rates ------------------------------------------------------------------------------ */

/* The network with other links: those of endpoints first, then between switches from level 1, 2, ..., the last of them
 * for all above. With rng, each cable has one of them at random. */
static struct hd_net *net_at(const char *spec, const char *const links[], uint32_t n, struct hd_rng *rng)
{
    struct hd_ctx ctx;
    struct hd_arena a = {0};
    struct hd_net *net = make_net(spec), *out = NULL;
    uint8_t *link = malloc(net->nchan);
    struct hd_net_changes changes = {.link = link};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_remaining_init(&ctx, &a, net, &changes.remaining), HD_OK);
    for (uint32_t c = 0; c < net->nchan; c++) {
        const uint32_t u = net->level[net->tail[c]], v = net->level[net->head[c]], low = u < v ? u : v;
        const char *name = links[rng ? hd_rng_below(rng, n) : low < n ? low : n - 1];
        if (c < net->rev[c]) link[c] = link[net->rev[c]] = hd_link_code(name, strlen(name));
    }
    hd_status s = hd_net_with(&ctx, net, &changes, &out);
    hd_arena_release(&a);
    hd_net_free(net);
    free(link);
    return checked(&ctx, s, out, spec);
}

/* The theorems count flows; what a flow takes of a channel depends on its rate. */
static void theorems_know_rates(void **state)
{
    (void)state;
    const struct {
        const char *spec, *links[4];
        double worst;
        const char *worst_by, *note;
        double oblivious;
    } cases[] = {
        {"pgft:m=4x8,w=1x2,p=1x1", {"4xEDR", "4xEDR"}, 3, "counting pairs", "Theorem 1 gives 2", 2},
        {"pgft:m=4x8,w=1x2,p=1x1", {"4xEDR", "4xHDR"}, 1.5, "counting pairs", "Theorem 1 gives 1", 1.5},
        {"pgft:m=4x8,w=1x2,p=1x1", {"4xEDR", "2xEDR"}, 6, "counting pairs", "Theorem 1 gives 4", 2},
        {"pgft:m=4x2,w=1x1,p=1x1", {"4xEDR", "4xNDR"}, 1, "cuts", "", 1},
        {"ft:m=8,n=3", {"4xEDR", "4xEDR", "4xEDR"}, 4, "Yuan et al., Lemma 11", "", 4},
        {"ft:m=8,n=3", {"4xEDR", "4xHDR", "4xHDR"}, 2, "Yuan et al., Lemma 11", "", 2},
        {"ft:m=8,n=3", {"4xEDR", "4xHDR", "4xEDR"}, 4, "counting pairs", "Lemma 11 gives 2", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t n = 0;
        while (cases[i].links[n]) n++;
        struct hd_net *net = net_at(cases[i].spec, cases[i].links, n, NULL);
        struct hd_routes *r = make_routes(net, "dmodk");
        struct hd_result x = evaluate(r, NULL, "worst"), y = evaluate(r, NULL, "oblivious");
        if (fabs(x.bound - cases[i].worst) > 1e-12 || strcmp(x.bound_name, cases[i].worst_by) != 0 ||
            !strstr(x.note, cases[i].note))
            fail_msg("%s at %s: bound %g (%s; %s)", cases[i].spec, cases[i].links[1], x.bound, x.bound_name, x.note);
        if (fabs(y.bound - cases[i].oblivious) > 1e-12)
            fail_msg("%s at %s: bound of the ratio %g", cases[i].spec, cases[i].links[1], y.bound);
        assert_true(x.bound <= x.value && y.bound <= y.value);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Every engine that applies, on a network that is used up. */
static uint32_t no_bound_is_above(struct hd_net *net)
{
    static const char *const metrics[] = {"worst", "oblivious"};
    const struct hd_desc *d;
    uint32_t bounded = 0;
    for (size_t i = 0; (d = row_at(HD_ENGINES, i)); i++) {
        struct hd_ctx ctx;
        struct hd_routes *r;
        hd_ctx_init(&ctx);
        ctx.threads = 1;
        if (hd_routes_open(&ctx, net, d->name, &r) != HD_OK) continue;
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
            struct hd_result x = evaluate(r, NULL, metrics[m]);
            if (x.value < x.bound - 1e-9)
                fail_msg("%s, %s: %s is %.9g, its bound %.9g (%s)", net->spec, d->name, metrics[m], x.value, x.bound,
                         x.bound_name);
            bounded += !isnan(x.bound);
        }
        hd_routes_free(r);
    }
    hd_net_free(net);
    return bounded;
}

/* Rates that do not divide each other, drawn level by level or cable by cable. */
static void bounds_hold_at_all_rates(void **state)
{
    (void)state;
    static const char *const rates[] = {"4xQDR", "4xFDR", "4xEDR", "2xHDR", "4xHDR", "4xNDR"};
    static const char *const nets[] = {"gft:n=3,m=2,r=4",
                                       "pgft:m=4x8,w=1x2,p=1x1",
                                       "pgft:m=3x4,w=1x2,p=1x2",
                                       "ft:m=4,n=3",
                                       "xgft:m=2x2x3,w=1x2x1",
                                       "xgft:m=6x2,w=1x1",
                                       "mesh:dims=3x2,hosts=2",
                                       "torus:dims=4,hosts=2",
                                       "random:switches=5,ports=6,hosts=2"};
    enum { RATES = sizeof rates / sizeof *rates };
    struct hd_rng rng;
    uint32_t bounded = 0;
    hd_rng_init(&rng, 5, HD_RNG_TEST, 0);
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (int draw = 0; draw < 4; draw++) {
            const char *links[3];
            for (int l = 0; l < 3; l++) links[l] = rates[hd_rng_below(&rng, RATES)];
            bounded += no_bound_is_above(net_at(nets[i], links, 3, draw % 2 ? &rng : NULL));
        }
    assert_true(bounded > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dmodk_of_table1),       cmocka_unit_test(theorem2_needs_room),
        cmocka_unit_test(bounds_of_the_papers),  cmocka_unit_test(cuts_between_islands),
        cmocka_unit_test(shares_of_given_flows), cmocka_unit_test(bounds_in_results),
        cmocka_unit_test(tub_is_a_bound),        cmocka_unit_test(bounds_of_patterns),
        cmocka_unit_test(bound_by_distance),     cmocka_unit_test(bounds_hold_for_every_pattern),
        cmocka_unit_test(theorems_know_rates),   cmocka_unit_test(bounds_hold_at_all_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
