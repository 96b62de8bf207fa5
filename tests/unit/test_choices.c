/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive routing: the groups of ar_updn and ar_ftree are proved on many fabrics, and groups that were changed at
 * random, so that packets turn from down to up, take detours, go around in loops or nowhere, are judged as a search
 * through every single path judges them. That search shares nothing with the proof. */
#include "testing.h"

#include "base/rng.h"
#include "flow/bound/best_split.h"
#include "load/rates.h"
#include "route/core/groups.h"

#include <math.h>
#include <stdio.h>

/* ---- every single path ---------------------------------------------------------------------------------- */

struct every {
    const struct hd_routes *r;
    uint32_t d, x;
    bool *on_path; /* [nsw] */
    bool *after;   /* [nchan * nchan] */
    bool loop, dead;
    uint32_t most;
};

/* By the row of a destination and variant, d * nvar + x. */
static bool may_take(const struct hd_routes *r, uint32_t row, uint32_t v, uint32_t slot)
{
    const uint32_t nsw = r->net->nsw, group = r->groups->of[row * nsw + v];
    if (!group) return r->table[row * nsw + v] == slot;
    return r->groups->at[v].set[group - 1].word[slot / 64] >> (slot % 64) & 1;
}

static void follow_every(struct every *e, uint32_t v, uint32_t came, uint32_t channels)
{
    const struct hd_net *net = e->r->net;
    const uint32_t row = e->d * e->r->nvar + e->x;
    bool any = false;
    e->on_path[v] = true;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!may_take(e->r, row, v, c - net->off[v])) continue;
        any = true;
        e->after[came * net->nchan + c] = true;
        if (net->head[c] == net->nsw + e->d) {
            e->most = channels + 1 > e->most ? channels + 1 : e->most;
        } else if (net->head[c] >= net->nsw) {
            e->dead = true;
        } else if (e->on_path[net->head[c]]) {
            e->loop = true;
            for (uint32_t n = net->off[net->head[c]]; n < net->off[net->head[c] + 1]; n++)
                if (may_take(e->r, row, net->head[c], n - net->off[net->head[c]])) e->after[c * net->nchan + n] = true;
        } else {
            follow_every(e, net->head[c], c, channels + 1);
        }
    }
    e->dead |= !any;
    e->on_path[v] = false;
}

/* Removes channels that wait for none until nothing changes; what is left has a cycle. */
static bool has_cycle(const bool *after, uint32_t n)
{
    bool *gone = calloc(n, 1), cycle = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < n; a++) {
            bool waits = false;
            for (uint32_t b = 0; b < n && !gone[a]; b++) waits |= after[a * n + b] && !gone[b];
            if (gone[a] || waits) continue;
            changed = gone[a] = true;
        }
    }
    for (uint32_t a = 0; a < n; a++) cycle |= !gone[a];
    free(gone);
    return cycle;
}

/* Channels of the shortest paths from an endpoint to all nodes, by relaxation. */
static void shortest(const struct hd_net *net, uint32_t s, uint32_t *far)
{
    memset(far, 0x3f, (net->nsw + net->nep) * sizeof *far);
    far[net->nsw + s] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < net->nchan; c++) {
            if (net->tail[c] >= net->nsw && net->tail[c] != net->nsw + s) continue;
            if (far[net->tail[c]] + 1 >= far[net->head[c]]) continue;
            far[net->head[c]] = far[net->tail[c]] + 1;
            changed = true;
        }
    }
}

static void judge_pair(struct every *e, uint32_t s, uint32_t least, struct hd_choice_check *out)
{
    const struct hd_net *net = e->r->net;
    uint32_t path[HD_MAX_HOPS], n = hd_routes_path(e->r, s, e->d, e->x, path);
    for (uint32_t i = 0; i + 1 < n; i++) e->after[path[i] * net->nchan + path[i + 1]] = true;
    e->loop = e->dead = false;
    e->most = 0;
    follow_every(e, net->head[net->off[net->nsw + s]], net->off[net->nsw + s], 1);
    out->pairs++;
    out->loops += e->loop;
    out->unreachable += !e->loop && e->dead;
    out->nonminimal += !e->loop && !e->dead && e->most > least;
    if (!e->loop && !e->dead && e->most > out->max_hops) out->max_hops = e->most;
}

static bool is_used(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    if (r->select == HD_SELECT_SOURCE) return r->source_class[s] == x;
    return r->select != HD_SELECT_PAIR || r->pair_variant[s * r->net->nep + d] == x;
}

static void judge(const struct hd_routes *r, struct hd_choice_check *out)
{
    const struct hd_net *net = r->net;
    struct every e = {.r = r, .on_path = calloc(net->nsw, 1), .after = calloc((size_t)net->nchan * net->nchan, 1)};
    uint32_t *far = malloc((net->nsw + net->nep) * sizeof *far);
    *out = (struct hd_choice_check){0};
    for (uint32_t v = 0; v < net->nsw; v++) {
        out->groups += r->groups->at[v].n;
        for (uint32_t row = 0; row < net->nep * r->nvar; row++) {
            uint32_t ports = 0;
            for (uint32_t slot = 0; slot < hd_degree(net, v); slot++) ports += may_take(r, row, v, slot);
            out->entries += ports > 1;
        }
    }
    for (uint32_t s = 0; s < net->nep; s++) {
        shortest(net, s, far);
        for (e.d = 0; e.d < net->nep; e.d++)
            for (e.x = 0; e.x < r->nvar; e.x++)
                if (s != e.d && far[net->nsw + e.d] < net->nchan && is_used(r, s, e.d, e.x))
                    judge_pair(&e, s, far[net->nsw + e.d], out);
    }
    out->deadlock_free = !has_cycle(e.after, net->nchan);
    free(far);
    free(e.on_path);
    free(e.after);
}

static void compare(const struct hd_routes *r, const char *what, struct hd_check *k)
{
    struct hd_ctx ctx;
    struct hd_choice_check want;
    hd_ctx_init(&ctx);
    judge(r, &want);
    assert_int_equal(hd_routes_check(&ctx, r, k), HD_OK);
    const struct hd_choice_check *got = &k->choices;
    assert_int_equal(got->groups, want.groups);
    assert_int_equal(got->entries, want.entries);
    if (!k->adaptive || got->pairs != want.pairs || got->unreachable != want.unreachable || got->loops != want.loops ||
        got->nonminimal != want.nonminimal || got->max_hops != want.max_hops ||
        got->deadlock_free != want.deadlock_free || k->deadlock_free != want.deadlock_free)
        fail_msg("%s: %llu pairs, %llu unreachable, %llu in loops, %llu not minimal, %u hops, deadlock-free %d; "
                 "expected %llu, %llu, %llu, %llu, %u, %d",
                 what, (unsigned long long)got->pairs, (unsigned long long)got->unreachable,
                 (unsigned long long)got->loops, (unsigned long long)got->nonminimal, got->max_hops, got->deadlock_free,
                 (unsigned long long)want.pairs, (unsigned long long)want.unreachable, (unsigned long long)want.loops,
                 (unsigned long long)want.nonminimal, want.max_hops, want.deadlock_free);
}

/* ---- fabrics --------------------------------------------------------------------------------------------- */

static const char *const trees[] = {"ft:m=4,n=2", "ft:m=4,n=3", "gft:n=3,m=2,r=4", "pgft:m=2x3,w=1x2,p=1x2",
                                    "rail:rails=2,units=2,hosts=2,spines=2"};
static const char *const others[] = {"torus:dims=3x3,hosts=1", "mesh:dims=2x3,hosts=1,cables=2",
                                     "dragonfly:a=3,p=1,h=1", "hypercube:n=3,hosts=1",
                                     "random:switches=7,ports=6,hosts=2,seed=%u"};

static void prove_generated(const char *spec, const char *engine, const char *fail)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    struct hd_routes *r = NULL;
    struct hd_check k;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_open(&ctx, spec, &(struct hd_open){.fail = fail}, &net);
    checked(&ctx, s, net, spec);
    s = hd_routes_open(&ctx, net, engine, &r);
    if (s == HD_OK) {
        assert_true(hd_routes_adaptive(r));
        compare(r, spec, &k);
        /* ar_ftree serves what has a path up and then down, others may lack one once cables failed */
        if (strcmp(engine, "ar_updn") == 0 && hd_check_faulty(&k)) fail_msg("%s, %s: a fault", spec, engine);
        assert_int_equal(k.choices.deadlock_free, 1);
        for (uint32_t i = 0; i < net->nep * net->nsw; i++) {
            const uint32_t group = r->groups->of[i], slot = r->table[i];
            if (group && !hd_set_has(&r->groups->at[i % net->nsw].set[group - 1], slot))
                fail_msg("%s, %s: a static port that is not in its group", spec, engine);
        }
        hd_routes_free(r);
    } else {
        assert_int_equal(s, HD_NA);
    }
    hd_net_free(net);
}

static void generated_groups_are_proved(void **state)
{
    char spec[96], fail[32];
    (void)state;
    for (unsigned i = 0; i < 50; i++) {
        const bool tree = i % 2;
        snprintf(spec, sizeof spec, tree ? trees[i / 2 % 5] : others[i / 2 % 5], i);
        snprintf(fail, sizeof fail, "links=%u,seed=%u", i % 3, i);
        prove_generated(spec, "ar_updn", i % 3 ? fail : NULL);
        if (tree) prove_generated(spec, "ar_ftree", i % 3 ? fail : NULL);
    }
}

/* Numbers of many sets, asked for again in another order: each set has one, and they count up. */
static void sets_are_numbered_once(void **state)
{
    enum { SETS = 3000 };
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net;
    struct hd_routes *r;
    uint16_t number;
    (void)state;
    assert_int_equal(hd_net_open(ctx, "ft:m=4,n=2", &(struct hd_open){0}, &net), HD_OK);
    assert_int_equal(hd_routes_open(ctx, net, "ar_ftree", &r), HD_OK);
    const uint32_t before = r->groups->at[0].n;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < SETS; i++) {
            const uint32_t k = pass ? i * 7 % SETS : i;
            const struct hd_port_set set = {{(uint64_t)k << 8, k % 3, 0, (uint64_t)1 << 40}};
            assert_int_equal(hd_groups_number(ctx, r, 0, &set, &number), HD_OK);
            assert_int_equal(number, before + k + 1);
        }
    assert_int_equal(r->groups->at[0].n, before + SETS);
    hd_routes_free(r);
    hd_net_free(net);
    hd_ctx_free(ctx);
}

/* ---- changed groups -------------------------------------------------------------------------------------- */

/* Adds a port to an entry, or takes all away, so that packets go where they should not. */
static void change_group(struct hd_ctx *ctx, struct hd_routes *r, struct hd_rng *rng)
{
    const struct hd_net *net = r->net;
    for (uint32_t changes = 1 + hd_rng_below(rng, 3); changes; changes--) {
        const uint32_t row = hd_rng_below(rng, net->nep * r->nvar), v = hd_rng_below(rng, net->nsw);
        uint16_t *of = &r->groups->of[row * net->nsw + v];
        struct hd_port_set set = {{0}};
        if (*of) set = r->groups->at[v].set[*of - 1];
        if (!*of && r->table[row * net->nsw + v] != HD_SLOT_NONE) hd_set_add(&set, r->table[row * net->nsw + v]);
        if (hd_rng_below(rng, 12) == 0)
            memset(&set, 0, sizeof set);
        else
            hd_set_add(&set, hd_rng_below(rng, hd_degree(net, v)));
        assert_int_equal(hd_groups_number(ctx, r, v, &set, of), HD_OK);
    }
}

static void changed_groups_are_judged_as_all_paths_are(void **state)
{
    struct hd_ctx ctx;
    struct hd_rng rng;
    struct hd_check k;
    uint32_t kinds[5] = {0};
    char spec[96];
    (void)state;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 7, HD_RNG_TEST, 0);
    for (unsigned i = 0; i < 200; i++) {
        snprintf(spec, sizeof spec, i % 2 ? trees[i / 2 % 5] : others[i / 2 % 5], i % 7);
        struct hd_net *net = make_net(spec);
        struct hd_routes *r = make_routes(net, "ar_updn");
        change_group(&ctx, r, &rng);
        compare(r, spec, &k);
        const bool fault = k.choices.unreachable || k.choices.loops;
        assert_int_equal(fault, k.choices.channel != UINT32_MAX);
        assert_int_equal(hd_check_faulty(&k), fault || k.deadlock_free == 0);
        for (uint32_t c = 0; c < k.ncycle && c < 64; c++) assert_true(k.cycle[c].source != UINT32_MAX);
        kinds[0] += k.choices.unreachable != 0;
        kinds[1] += k.choices.loops != 0;
        kinds[2] += k.choices.nonminimal != 0;
        kinds[3] += k.deadlock_free == 0;
        kinds[4] += k.deadlock_free == 0 && !fault;
        hd_routes_free(r);
        hd_net_free(net);
    }
    /* the changes are of every kind */
    for (int i = 0; i < 5; i++) assert_true(kinds[i] >= 5);
}

/* The choices of ar_updn in each of two variants, which are changed after that and used by the rule. */
static struct hd_routes *two_variants(struct hd_ctx *ctx, const struct hd_net *net, enum hd_select rule,
                                      struct hd_rng *rng)
{
    const uint32_t nsw = net->nsw;
    struct hd_routes *one = make_routes(net, "ar_updn"), *r;
    assert_int_equal(hd_routes_make(ctx, net, 2, &r), HD_OK);
    assert_int_equal(hd_groups_make(ctx, r), HD_OK);
    for (uint32_t i = 0; i < 2 * net->nep * nsw; i++) {
        const uint32_t v = i % nsw, was = i / nsw / 2 * nsw + v, group = one->groups->of[was];
        r->table[i] = one->table[was];
        if (!group) continue;
        const struct hd_port_set *set = &one->groups->at[v].set[group - 1];
        assert_int_equal(hd_groups_number(ctx, r, v, set, &r->groups->of[i]), HD_OK);
    }
    r->select = rule;
    r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
    r->pair_variant = HD_NEW(&r->arena, uint16_t, (size_t)net->nep * net->nep);
    assert_true(r->source_class && r->pair_variant);
    for (uint32_t e = 0; e < net->nep; e++) r->source_class[e] = (uint16_t)hd_rng_below(rng, 2);
    for (uint32_t i = 0; i < net->nep * net->nep; i++) r->pair_variant[i] = (uint16_t)hd_rng_below(rng, 2);
    hd_routes_free(one);
    return r;
}

/* Only sources that use a variant suffer from what is wrong in it. */
static void changed_variants_are_judged_by_those_that_use_them(void **state)
{
    static const enum hd_select rules[] = {HD_SELECT_SOURCE, HD_SELECT_PAIR, HD_SELECT_ALL};
    struct hd_ctx ctx;
    struct hd_rng rng;
    struct hd_check k;
    uint32_t faulty[3] = {0};
    char spec[96];
    (void)state;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, 8, HD_RNG_TEST, 0);
    for (unsigned i = 0; i < 90; i++) {
        snprintf(spec, sizeof spec, i % 2 ? trees[i / 2 % 5] : others[i / 2 % 5], i % 7);
        struct hd_net *net = make_net(spec);
        struct hd_routes *r = two_variants(&ctx, net, rules[i % 3], &rng);
        if (i % 10 > 2) change_group(&ctx, r, &rng);
        compare(r, spec, &k);
        faulty[i % 3] += hd_check_faulty(&k);
        hd_routes_free(r);
        hd_net_free(net);
    }
    for (int i = 0; i < 3; i++) assert_true(faulty[i] >= 5 && faulty[i] < 25);
}

/* ---- split flows ------------------------------------------------------------------------------------------ */

static void split(const struct hd_routes *r, uint32_t d, uint32_t v, double share, double *load)
{
    const struct hd_net *net = r->net;
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) n += may_take(r, d, v, c - net->off[v]);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!may_take(r, d, v, c - net->off[v])) continue;
        load[c] += share / n;
        if (net->head[c] < net->nsw) split(r, d, net->head[c], share / n, load);
    }
}

/* Mean over all shifts of the largest load. */
static double split_shifts(const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    double *load = malloc(net->nchan * sizeof *load), sum = 0;
    for (uint32_t by = 1; by < net->nep; by++) {
        double most = 0;
        for (uint32_t c = 0; c < net->nchan; c++) load[c] = 0;
        for (uint32_t s = 0; s < net->nep; s++) {
            load[net->off[net->nsw + s]] += 1;
            split(r, (s + by) % net->nep, net->head[net->off[net->nsw + s]], 1, load);
        }
        for (uint32_t c = 0; c < net->nchan; c++) most = load[c] > most ? load[c] : most;
        sum += most;
    }
    free(load);
    return sum / (net->nep - 1);
}

static void split_flows_load_as_followed_by_hand(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        struct hd_ctx ctx;
        struct hd_result result;
        char spec[96];
        snprintf(spec, sizeof spec, i % 2 ? trees[i / 2] : others[i / 2], i);
        struct hd_net *net = make_net(spec);
        struct hd_routes *r = make_routes(net, "ar_updn"), *fixed = make_routes(net, "updown");
        hd_ctx_init(&ctx);
        const struct hd_request q = {.pattern = "shift", .metric = "maxload"};
        assert_int_equal(hd_eval(&ctx, fixed, &q, &result), HD_OK);
        assert_true(isnan(result.fluid));
        const double value = result.value;
        assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
        assert_true(result.value == value);
        assert_int_equal(result.fluid_samples, result.samples);
        const double want = split_shifts(r);
        if (fabs(result.fluid - want) > 1e-5) fail_msg("%s: %f, expected %f", spec, result.fluid, want);
        hd_routes_free(fixed);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* Leaf 0 sends two flows to leaf 1 and two to leaf 2 over four spines, the first of which has no cable to leaf 1.
 * Even: the first spine carries half a flow, the others 1/2 + 2/3. Best: one flow each. */
static void best_split_fills_the_spine_that_one_leaf_lacks(void **state)
{
    static const uint32_t src[] = {0, 1, 2, 3}, dst[] = {4, 5, 8, 9};
    const struct hd_flows flows = {.n = 4, .src = src, .dst = dst, .simple = true};
    const struct hd_open open = {.fail = "link=L1-0001:5"};
    struct hd_arena a = {0};
    struct hd_splitter *w;
    struct hd_split split;
    struct hd_ctx ctx;
    struct hd_net *net;
    const struct hd_rates *rates;
    (void)state;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_net_open(&ctx, "gft:n=4,m=4,r=3", &open, &net), HD_OK);
    struct hd_routes *r = make_routes(net, "ar_updn");
    assert_int_equal(hd_rates_of(&ctx, net, &rates), HD_OK);
    const struct hd_split_in in = {r, rates, 1, 1};
    assert_int_equal(hd_splitter_make(&ctx, &a, &in, &w), HD_OK);
    assert_int_equal(hd_split_run(&ctx, w, &flows, &split), HD_OK);
    assert_true(split.served);
    assert_true(fabs(split.even - 6.0 / 7) < 1e-6);
    assert_true(split.best > 0.998);
    assert_true(fabs(split.bound - 1) < 1e-9);
    hd_arena_release(&a);
    hd_routes_free(r);
    hd_net_free(net);
}

/* One flow over two cables: whichever of them has half the rate is what it gets. */
static void best_split_sees_the_slow_cable_wherever_it_is(void **state)
{
    static const uint32_t src[] = {0}, dst[] = {1};
    const struct hd_flows flows = {.n = 1, .src = src, .dst = dst, .simple = true};
    struct hd_net *net = make_net("gft:n=1,m=1,r=2");
    struct hd_routes *r = make_routes(net, "ar_updn");
    struct hd_ctx ctx;
    (void)state;
    hd_ctx_init(&ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t factor[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2}, path[HD_MAX_HOPS];
        const struct hd_rates rates = {.scale = 2, .factor = factor};
        const struct hd_split_in in = {r, &rates, 1, 1};
        struct hd_arena a = {0};
        struct hd_splitter *w;
        struct hd_split split;
        assert_int_equal(net->nchan, 8);
        factor[c] = 4;
        assert_int_equal(hd_splitter_make(&ctx, &a, &in, &w), HD_OK);
        assert_int_equal(hd_split_run(&ctx, w, &flows, &split), HD_OK);
        bool on_path = false;
        for (uint32_t i = hd_routes_path(r, 0, 1, 0, path); i-- > 0;) on_path |= path[i] == c;
        assert_true(fabs(split.best - (on_path ? 0.5 : 1)) < 1e-9);
        hd_arena_release(&a);
    }
    hd_routes_free(r);
    hd_net_free(net);
}

/* The search for the best split begins with the even one and keeps the best that it has seen. */
static void best_splits_are_no_worse_than_even_ones(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        char fail[40];
        const struct hd_open open = {.fail = fail};
        uint32_t src[32], dst[32], to[32];
        struct hd_flows flows = {.src = src, .dst = dst, .simple = true};
        const struct hd_rates *rates;
        struct hd_splitter *w;
        struct hd_split split;
        struct hd_arena a = {0};
        struct hd_rng rng;
        struct hd_ctx ctx;
        struct hd_net *net;
        hd_ctx_init(&ctx);
        snprintf(fail, sizeof fail, "links=%u,seed=%u", (unsigned)(1 + seed % 4), (unsigned)seed);
        assert_int_equal(hd_net_open(&ctx, "xgft:m=4x4x2,w=1x4x2", &open, &net), HD_OK);
        struct hd_routes *r = make_routes(net, "ar_updn");
        hd_rng_init(&rng, seed, HD_RNG_TEST, 1);
        for (uint32_t e = 0; e < net->nep; e++) to[e] = e;
        hd_rng_shuffle(&rng, to, net->nep);
        for (uint32_t e = 0; e < net->nep; e++) {
            if (to[e] == e) continue;
            src[flows.n] = e;
            dst[flows.n++] = to[e];
        }
        assert_int_equal(hd_rates_of(&ctx, net, &rates), HD_OK);
        const struct hd_split_in in = {r, rates, 1, 1};
        assert_int_equal(hd_splitter_make(&ctx, &a, &in, &w), HD_OK);
        assert_int_equal(hd_split_run(&ctx, w, &flows, &split), HD_OK);
        if (split.best < split.even - 1e-9) fail_msg("%s: %.9f, even splits %.9f", fail, split.best, split.even);
        hd_arena_release(&a);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* On intact trees even splits are the best ones; on damaged ones the best split and its bound meet. */
static void best_splits_are_near_their_bounds(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        struct hd_ctx ctx;
        struct hd_net *net;
        struct hd_result result;
        char fail[32];
        snprintf(fail, sizeof fail, "links=%u,seed=%u", 4 + i, i);
        const struct hd_open open = {.fail = i % 3 ? fail : NULL};
        hd_ctx_init(&ctx);
        assert_int_equal(hd_net_open(&ctx, i % 2 ? "kary:k=4,n=3" : "gft:n=6,m=4,r=8", &open, &net), HD_OK);
        struct hd_routes *r = make_routes(net, "ar_updn");
        const struct hd_request q = {.pattern = "permutation", .metric = "minbw", .samples = 5};
        assert_int_equal(hd_eval(&ctx, r, &q, &result), HD_OK);
        assert_int_equal(result.split_samples, 5);
        assert_true(fabs(result.split_even - result.fluid) < 1e-5);
        assert_true(result.split_even <= result.split_best && result.split_best <= result.split_bound);
        assert_true(result.value <= result.split_bound + 1e-6);
        if (result.split_bound > 1.02 * result.split_best)
            fail_msg("%u: %f, but at most %f", i, result.split_best, result.split_bound);
        if (i % 6 == 3) assert_true(result.split_even == 1 && result.split_bound == 1);
        hd_routes_free(r);
        hd_net_free(net);
    }
}

/* ---- after a failure ---------------------------------------------------------------------------------------- */

/* Whether some choices lead from switch v to d. */
static bool some_path(const struct hd_routes *r, uint32_t d, uint32_t v)
{
    const struct hd_net *net = r->net;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!may_take(r, d, v, c - net->off[v])) continue;
        if (net->head[c] == net->nsw + d || (net->head[c] < net->nsw && some_path(r, d, net->head[c]))) return true;
    }
    return false;
}

static uint64_t count_dropped(const struct hd_routes *r)
{
    struct hd_ctx ctx;
    struct hd_sim_result result;
    const struct hd_sim_request q = {
        .pattern = "permutation", .selector = "ar", .model = "edr:size=32768", .samples = 2};
    hd_ctx_init(&ctx);
    assert_int_equal(hd_sim(&ctx, r, &q, &result), HD_OK);
    assert_int_equal(result.deadlocks, 0);
    return result.dropped;
}

/* Old tables lose packets at switches whose cable down is gone. Notifications take exactly those ports out of groups
 * behind which nothing leads to the destination, and no packet is lost any more. */
static void notified_switches_leave_out_what_leads_nowhere(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct hd_ctx ctx;
        struct hd_net *net, *now;
        struct hd_routes *old, *notified;
        struct hd_check k;
        uint64_t taken = 0;
        char fail[32];
        const char *spec = i % 2 ? "kary:k=3,n=3" : "gft:n=4,m=4,r=6";
        snprintf(fail, sizeof fail, "links=3,seed=%u", i + 1);
        const struct hd_open open = {.fail = fail};
        hd_ctx_init(&ctx);
        net = make_net(spec);
        assert_int_equal(hd_net_open(&ctx, spec, &open, &now), HD_OK);
        struct hd_routes *r = make_routes(net, "ar_updn");
        assert_int_equal(hd_routes_carry_groups(&ctx, r, now, false, &old), HD_OK);
        assert_int_equal(hd_routes_carry_groups(&ctx, r, now, true, &notified), HD_OK);
        for (uint32_t d = 0; d < now->nep; d++)
            for (uint32_t v = 0; v < now->nsw; v++)
                for (uint32_t c = now->off[v]; c < now->off[v + 1]; c++) {
                    const bool was = may_take(old, d, v, c - now->off[v]),
                               is = may_take(notified, d, v, c - now->off[v]);
                    const uint32_t u = now->head[c];
                    const bool leads = u < now->nsw ? some_path(old, d, u) : u == now->nsw + d;
                    if (old->groups->of[d * now->nsw + v] && some_path(old, d, v)) assert_int_equal(is, was && leads);
                    taken += was && !is;
                }
        assert_int_equal(hd_routes_check(&ctx, old, &k), HD_OK);
        assert_true(taken && k.choices.unreachable && !k.choices.loops);
        assert_int_equal(hd_routes_check(&ctx, notified, &k), HD_OK);
        assert_int_equal(k.choices.unreachable + k.choices.loops, 0);
        assert_int_equal(k.choices.deadlock_free, 1);
        assert_true(count_dropped(old) > 0);
        assert_int_equal(count_dropped(notified), 0);
        hd_routes_free(notified);
        hd_routes_free(old);
        hd_routes_free(r);
        hd_net_free(now);
        hd_net_free(net);
    }
}

/* Where a table says that a flow keeps its port, its packets arrive in order; where it says nothing they need not. */
static void flows_that_are_hashed_keep_their_port(void **state)
{
    (void)state;
    struct hd_net *net = make_net("xgft:m=4x4,w=1x4");
    struct hd_routes *r = make_routes(net, "ar_updn");
    uint64_t reordered[2];
    const size_t entries = (size_t)net->nep * net->nsw;
    for (int hash = 0; hash < 2; hash++) {
        struct hd_ctx ctx;
        struct hd_sim_result result;
        const struct hd_sim_request q = {
            .pattern = "permutation", .selector = "ar", .model = "edr:size=262144", .samples = 4};
        hd_ctx_init(&ctx);
        if (hash) {
            r->groups->state = HD_NEW(&r->arena, uint8_t, entries);
            assert_non_null(r->groups->state);
            memset(r->groups->state, HD_LID_HASH, entries);
        }
        assert_int_equal(hd_sim(&ctx, r, &q, &result), HD_OK);
        reordered[hash] = result.reordered;
    }
    assert_true(reordered[0] > 0);
    assert_int_equal(reordered[1], 0);
    hd_routes_free(r);
    hd_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(best_split_fills_the_spine_that_one_leaf_lacks),
                                       cmocka_unit_test(best_split_sees_the_slow_cable_wherever_it_is),
                                       cmocka_unit_test(best_splits_are_no_worse_than_even_ones),
                                       cmocka_unit_test(best_splits_are_near_their_bounds),
                                       cmocka_unit_test(notified_switches_leave_out_what_leads_nowhere),
                                       cmocka_unit_test(flows_that_are_hashed_keep_their_port),
                                       cmocka_unit_test(split_flows_load_as_followed_by_hand),
                                       cmocka_unit_test(generated_groups_are_proved),
                                       cmocka_unit_test(sets_are_numbered_once),
                                       cmocka_unit_test(changed_groups_are_judged_as_all_paths_are),
                                       cmocka_unit_test(changed_variants_are_judged_by_those_that_use_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
