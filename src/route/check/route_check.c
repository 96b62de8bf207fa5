/* SPDX-License-Identifier: BSD-2-Clause */
/* Proving routes from the tables alone. For each (destination, variant) the row is walked once from all
 * switches with sources (row_walk.c): a leaf whose walk is as long as the distance is served and minimal, so what
 * a row counts is what its destination's leaf would count if all were, put right where one is not. Every switch
 * met tells its channel and the next one (check_credit.c). Proving everything so costs no more than reading the
 * table. Destinations are split over threads; sums and bit sets do not depend on how. */
#include "base/status.h"
#include "base/threads.h"
#include "route/check/check_vls.h"
#include "route/check/check_credit.h"
#include "route/core/switch_distance.h"

#include <string.h>

enum { UNSERVED = sizeof(((struct hd_check *)0)->unserved) / sizeof(struct hd_unserved) };

struct starts { /* switches with sources that use one variant, and how many */
    uint32_t n, *v, *sources;
};

struct common {
    const struct hd_routes *r;
    const uint8_t *dist;         /* [leaf * nsw + v] */
    const bool *selected;        /* [nep] */
    const struct starts *starts; /* [nvar]; NULL: chosen pair by pair */
    const bool *up;              /* as in check_credit.h */
};

struct expected { /* of all pairs towards a leaf that use a variant, were they minimal */
    uint32_t leaf, x;
    uint64_t pairs, hop_sum, hops[HD_MAX_HOPS + 1];
};

struct worker {
    const struct common *k;
    struct hd_check sum;
    uint64_t hop_sum, first; /* first: smallest (d, s) number of a fault, UINT64_MAX when none */
    struct expected all;
    struct hd_reach reach;
    struct hd_credit credit;
    struct starts own; /* room for those of one destination */
    uint8_t *row, *lane;
    uint32_t *stamp, pass; /* [nsw] for walks by lane */
};

/* ---- who sends ------------------------------------------------------------------------------------ */

static bool uses(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    return (r->select != HD_SELECT_SOURCE && r->select != HD_SELECT_PAIR) || hd_routes_variant(r, s, d) == x;
}

/* The first source at switch v that uses variant x towards d, d when there is none; and how many there are. */
static uint32_t first_source(const struct common *k, uint32_t v, uint32_t d, uint32_t x, uint32_t *n)
{
    const struct hd_net *net = k->r->net;
    uint32_t first = d;
    *n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t s = net->head[c] - net->nsw;
        if (net->head[c] < net->nsw || s == d || !k->selected[s] || !uses(k->r, s, d, x)) continue;
        if (!(*n)++) first = s;
    }
    return first;
}

static hd_status starts_init(struct hd_ctx *ctx, struct hd_arena *a, uint32_t n, struct starts *s)
{
    *s = (struct starts){0, HD_NEW(a, uint32_t, n), HD_NEW(a, uint32_t, n)};
    return s->v && s->sources ? HD_OK : hd_fail_memory(ctx);
}

/* Selected endpoints at each switch that use a variant; all variants share one list but where the source
 * decides. Pair by pair there is none. */
static hd_status find_starts(struct hd_ctx *ctx, struct hd_arena *a, const struct common *k, struct starts **out)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    bool by_source = r->select == HD_SELECT_SOURCE;
    struct starts *s = HD_NEW(a, struct starts, r->nvar);
    uint32_t *count = HD_NEW(a, uint32_t, (size_t)r->nleaf * (by_source ? r->nvar : 1));
    *out = NULL;
    if (!s || !count) return hd_fail_memory(ctx);
    if (r->select == HD_SELECT_PAIR) return HD_OK;
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i], leaf = r->leaf_of[hd_leaf(net, e)];
        count[by_source ? (size_t)r->source_class[e] * r->nleaf + leaf : leaf]++;
    }
    for (uint32_t x = 0; x < r->nvar; x++) {
        const uint32_t *each = count + (by_source ? (size_t)x * r->nleaf : 0);
        uint32_t n = 0;
        if (!by_source && x) {
            s[x] = s[0];
            continue;
        }
        for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) n += each[leaf] != 0;
        HD_TRY(starts_init(ctx, a, n, &s[x]));
        for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
            if (!each[leaf]) continue;
            s[x].v[s[x].n] = r->leaf[leaf];
            s[x].sources[s[x].n++] = each[leaf];
        }
    }
    *out = s;
    return HD_OK;
}

/* Those towards d: the shared list but for d itself, which does not send there. */
static const struct starts *starts_of(struct worker *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    uint32_t home = hd_leaf(r->net, d), n;
    if (w->k->starts) {
        const struct starts *s = &w->k->starts[x];
        if (r->select == HD_SELECT_SOURCE && r->source_class[d] != x) return s;
        w->own.n = s->n;
        uint32_t lo = 0, hi = s->n; /* d's switch is in the list */
        while (hi - lo > 1) *(s->v[(lo + hi) / 2] <= home ? &lo : &hi) = (lo + hi) / 2;
        if (s->sources[lo] > 1) return s;
        memcpy(w->own.v, s->v, lo * sizeof *s->v);
        memcpy(w->own.sources, s->sources, lo * sizeof *s->sources);
        memcpy(w->own.v + lo, s->v + lo + 1, (s->n - lo - 1) * sizeof *s->v);
        memcpy(w->own.sources + lo, s->sources + lo + 1, (s->n - lo - 1) * sizeof *s->sources);
        w->own.n = s->n - 1;
        return &w->own;
    }
    w->own.n = 0;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        first_source(w->k, r->leaf[leaf], d, x, &n);
        if (!n) continue;
        w->own.v[w->own.n] = r->leaf[leaf];
        w->own.sources[w->own.n++] = n;
    }
    return &w->own;
}

/* ---- how far ------------------------------------------------------------------------------------------ */

/* What all pairs towards leaf would count; kept, for destinations of one leaf come together. */
static void expect(struct worker *w, const struct starts *s, uint32_t leaf, uint32_t x)
{
    struct expected *e = &w->all;
    const uint8_t *dist = w->k->dist + (size_t)leaf * w->k->r->net->nsw;
    if (s != &w->own && e->leaf == leaf && e->x == x) return;
    *e = (struct expected){.leaf = s == &w->own ? UINT32_MAX : leaf, .x = x};
    for (uint32_t i = 0; i < s->n; i++)
        if (dist[s->v[i]] != HD_FAR) e->hops[dist[s->v[i]] + 2u] += s->sources[i];
    for (uint32_t h = 2; h <= HD_MAX_HOPS; h++) {
        e->pairs += e->hops[h];
        e->hop_sum += e->hops[h] * h;
    }
}

static void count_expected(struct worker *w)
{
    w->sum.pairs += w->all.pairs;
    w->hop_sum += w->all.hop_sum;
    for (uint32_t h = 2; h <= HD_MAX_HOPS; h++) w->sum.hops[h] += w->all.hops[h];
}

/* A worker meets them in order, so the first it meets are the first it has. */
static void name_unserved(struct hd_check *k, struct hd_unserved u)
{
    if (k->nunserved < UNSERVED) k->unserved[k->nunserved++] = u;
}

/* n pairs whose way is not as short as could be, counted above as if it were. Unsigned sums wrap round and
 * come out right. */
static void count_other(struct worker *w, uint32_t v, uint32_t d, uint32_t x, uint32_t n)
{
    const struct hd_routes *r = w->k->r;
    uint32_t dist = w->k->dist[(size_t)r->leaf_of[hd_leaf(r->net, d)] * r->net->nsw + v], some;
    uint16_t hops = w->reach.hops[v];
    if (dist == HD_FAR) return; /* another part of the network */
    w->sum.hops[dist + 2] -= n;
    w->hop_sum -= (uint64_t)n * (dist + 2);
    if (hops >= HD_REACH_LOOP) {
        *(hops == HD_REACH_LOOP ? &w->sum.loops : &w->sum.unreachable) += n;
        uint32_t s = first_source(w->k, v, d, x, &some);
        uint64_t at = (uint64_t)d << 32 | s;
        if (at < w->first) w->first = at;
        name_unserved(&w->sum, (struct hd_unserved){s, d, x, n});
        return;
    }
    uint32_t channels = hops + 1u; /* and the source's own cable */
    w->sum.nonminimal += n;
    if (channels > w->sum.max_hops) w->sum.max_hops = channels;
    w->hop_sum += (uint64_t)n * channels;
    w->sum.hops[channels < HD_MAX_HOPS ? channels : HD_MAX_HOPS] += n;
}

static void count_row(struct worker *w, const struct starts *s, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    uint32_t home = hd_leaf(r->net, d), leaf = r->leaf_of[home];
    const uint8_t *dist = w->k->dist + (size_t)leaf * r->net->nsw;
    /* In a shared list d's switch has more sources than d, which counts itself too, one hop away. */
    bool itself = s != &w->own && (r->select != HD_SELECT_SOURCE || r->source_class[d] == x);
    expect(w, s, leaf, x);
    count_expected(w);
    if (itself) {
        w->sum.pairs--;
        w->sum.hops[2]--;
        w->hop_sum -= 2;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (w->reach.hops[s->v[i]] != dist[s->v[i]] + 1)
            count_other(w, s->v[i], d, x, s->sources[i] - (itself && s->v[i] == home));
}

/* ---- one row ------------------------------------------------------------------------------------------ */

/* Lanes by leaf: walk once more from each, stopping at a switch its lane has passed already. */
static void add_leaf_lanes(struct worker *w, const struct starts *s, const uint8_t *row, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    const struct hd_net *net = r->net;
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        w->lane[i] = r->leaf_lane[((size_t)r->leaf_of[s->v[i]] * net->nep + d) * r->nvar + x];
        lanes |= 1u << w->lane[i];
    }
    for (uint32_t lane = 0; lanes >> lane; lane++) {
        if (!(lanes >> lane & 1)) continue;
        w->pass++;
        for (uint32_t i = 0; i < s->n; i++) {
            uint32_t v = s->v[i];
            if (w->lane[i] != lane) continue;
            while (v < net->nsw && w->stamp[v] != w->pass && net->off[v] + row[v] < net->off[v + 1]) {
                w->stamp[v] = w->pass;
                hd_credit_add(&w->credit, row, net->off[v] + row[v], lane);
                v = net->head[net->off[v] + row[v]];
            }
        }
    }
}

static void check_row(struct worker *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    const struct starts *s = starts_of(w, d, x);
    if (!s->n) return;
    double start = hd_seconds();
    const uint8_t *row = hd_routes_row(r, d, x, w->row);
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, row, d, s->v, s->n);
    count_row(w, s, d, x);
    double reached = hd_seconds();
    if (r->lane_rule == HD_LANE_LEAF)
        add_leaf_lanes(w, s, row, d, x);
    else
        hd_credit_row(&w->credit, &w->reach, row,
                      r->lane_rule == HD_LANE_DEST ? r->dest_lane[(size_t)d * r->nvar + x] : 0);
    w->sum.seconds[HD_CHECK_REACH] += reached - start;
    w->sum.seconds[HD_CHECK_DEPS] += hd_seconds() - reached;
}

/* ---- deadlock freedom --------------------------------------------------------------------------------- */

/* Whether the entries towards d make a dependency of the cycle that has no example yet. */
static bool may_help(const struct worker *w, const struct hd_check *k, uint32_t d)
{
    const struct hd_routes *r = w->k->r;
    const struct hd_net *net = r->net;
    for (uint32_t x = 0; x < r->nvar; x++) {
        const uint8_t *row = hd_routes_row(r, d, x, w->row);
        for (uint32_t j = 0; j < k->ncycle && j < 64; j++) {
            const struct hd_dependency *dep = &k->cycle[j];
            uint32_t v = net->tail[dep->c], u = net->tail[dep->next];
            if (dep->source == UINT32_MAX && net->off[v] + row[v] == dep->c && net->off[u] + row[u] == dep->next)
                return true;
        }
    }
    return false;
}

/* The channels of a pair against the cycle; how many dependencies it is the first example of. */
static uint32_t try_example(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, struct hd_check *k)
{
    uint32_t chan[HD_MAX_HOPS], n = hd_routes_path(r, s, d, x, chan), found = 0;
    for (uint32_t i = 0; i + 1 < n; i++)
        for (uint32_t j = 0; j < k->ncycle && j < 64; j++) {
            struct hd_dependency *dep = &k->cycle[j];
            if (dep->source != UINT32_MAX || dep->c != chan[i] || dep->next != chan[i + 1]) continue;
            dep->source = s;
            dep->dest = d;
            found++;
        }
    return found;
}

/* The smallest pair whose route makes each dependency of the cycle: one pass over the rows. */
static void find_examples(const struct worker *w, struct hd_check *k)
{
    const struct hd_routes *r = w->k->r;
    uint32_t found = 0, wanted = k->ncycle < 64 ? k->ncycle : 64, some;
    for (uint32_t d = 0; d < r->net->nep && found < wanted; d++) {
        if (!w->k->selected[d] || !may_help(w, k, d)) continue;
        for (uint32_t leaf = 0; leaf < r->nleaf && found < wanted; leaf++)
            for (uint32_t x = 0; x < r->nvar; x++) {
                uint32_t s = first_source(w->k, r->leaf[leaf], d, x, &some);
                if (s == d || (w->credit.deps.nlanes > 1 && hd_routes_lane(r, s, d, x) != k->cycle_lane)) continue;
                found += try_example(r, s, d, x, k);
            }
    }
}

static hd_status prove_deadlock_freedom(struct hd_ctx *ctx, struct hd_arena *a, const struct worker *w,
                                        struct hd_check *k)
{
    uint32_t *cycle;
    double start = hd_seconds();
    k->lanes = w->k->r->nlanes;
    k->deadlock_free = 1;
    if (w->credit.up) return HD_OK;
    HD_TRY(hd_deps_cycle(ctx, a, &w->credit.deps, &k->cycle_lane, &cycle, &k->ncycle));
    /* With lanes unknown one lane without a cycle still proves it: any use of more only splits it. */
    if (k->ncycle) k->deadlock_free = w->k->r->lane_rule == HD_LANE_UNKNOWN ? -1 : 0;
    if (k->ncycle == 0) k->cycle_lane = 0;
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++)
        k->cycle[i] =
            (struct hd_dependency){cycle[i], cycle[(i + 1) % k->ncycle], UINT32_MAX, UINT32_MAX, k->cycle_lane};
    if (k->ncycle) find_examples(w, k);
    k->seconds[HD_CHECK_ACYCLIC] = hd_seconds() - start;
    return HD_OK;
}

/* ---- all together ------------------------------------------------------------------------------------- */

static hd_status worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct common *k, struct worker *w)
{
    const struct hd_net *net = k->r->net;
    *w = (struct worker){.k = k, .first = UINT64_MAX, .all = {.leaf = UINT32_MAX}};
    w->stamp = HD_NEW(a, uint32_t, net->nsw);
    w->row = HD_NEW(a, uint8_t, net->nsw);
    w->lane = HD_NEW(a, uint8_t, k->r->nleaf);
    if (!w->stamp || !w->row || !w->lane) return hd_fail_memory(ctx);
    HD_TRY(starts_init(ctx, a, k->r->nleaf, &w->own));
    HD_TRY(hd_reach_init(ctx, a, net, &w->reach));
    return hd_credit_init(ctx, a, k->r, k->up, &w->credit);
}

/* By destination, variant and switch of the source. */
static bool comes_before(const struct hd_net *net, const struct hd_unserved *a, const struct hd_unserved *b)
{
    if (a->dest != b->dest) return a->dest < b->dest;
    if (a->variant != b->variant) return a->variant < b->variant;
    return hd_leaf(net, a->source) < hd_leaf(net, b->source);
}

static void merge_unserved(const struct hd_net *net, struct hd_check *a, const struct hd_check *b)
{
    struct hd_check both = {0};
    for (uint32_t i = 0, k = 0; both.nunserved < UNSERVED && (i < a->nunserved || k < b->nunserved);) {
        bool mine = k == b->nunserved || (i < a->nunserved && comes_before(net, &a->unserved[i], &b->unserved[k]));
        name_unserved(&both, mine ? a->unserved[i++] : b->unserved[k++]);
    }
    a->nunserved = both.nunserved;
    memcpy(a->unserved, both.unserved, sizeof a->unserved);
}

static void merge(struct worker *a, const struct worker *b)
{
    a->sum.pairs += b->sum.pairs;
    a->sum.unreachable += b->sum.unreachable;
    a->sum.loops += b->sum.loops;
    a->sum.nonminimal += b->sum.nonminimal;
    if (b->sum.max_hops > a->sum.max_hops) a->sum.max_hops = b->sum.max_hops;
    for (uint32_t i = 0; i <= HD_MAX_HOPS; i++) a->sum.hops[i] += b->sum.hops[i];
    for (uint32_t i = 0; i < HD_CHECK_PHASES; i++) a->sum.seconds[i] += b->sum.seconds[i];
    a->hop_sum += b->hop_sum;
    merge_unserved(a->k->r->net, &a->sum, &b->sum);
    if (b->first < a->first) a->first = b->first;
    hd_credit_merge(&a->credit, &b->credit);
}

static void sum_up(const struct worker *w, struct hd_check *out)
{
    const struct hd_net *net = w->k->r->net;
    *out = w->sum;
    uint64_t served = out->pairs - out->unreachable - out->loops;
    out->avg_hops = served ? (double)w->hop_sum / (double)served : 0;
    for (uint32_t h = 0; h <= HD_MAX_HOPS; h++)
        if (out->hops[h] && h > out->max_hops) out->max_hops = h;
    for (uint32_t c = 0; c < net->nchan; c++)
        out->unused += net->head[c] < net->nsw && net->tail[c] < net->nsw && !w->credit.used[c];
    if (w->first == UINT64_MAX) return;
    out->example[0] = (uint32_t)w->first;
    out->example[1] = (uint32_t)(w->first >> 32);
}

static hd_status run(struct hd_ctx *ctx, struct hd_arena *a, struct common *k, struct hd_check *out)
{
    const struct hd_routes *r = k->r;
    int threads = hd_threads(ctx);
    struct worker *w = HD_NEW(a, struct worker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) HD_TRY(worker_init(ctx, a, k, &w[t]));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t x = 0; k->selected[d] && x < r->nvar; x++) check_row(&w[hd_thread_id()], d, x);
    for (int t = 1; t < threads; t++) merge(&w[0], &w[t]);
    if (w[0].credit.turned) {
        k->up = NULL;
        return run(ctx, a, k, out);
    }
    sum_up(&w[0], out);
    return prove_deadlock_freedom(ctx, a, &w[0], out);
}

hd_status hd_routes_check(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *check)
{
    const struct hd_net *net = r->net;
    struct hd_arena a = {0};
    double start = hd_seconds(), ready = start;
    struct starts *starts;
    bool *selected = HD_NEW(&a, bool, net->nep);
    struct common k = {.r = r, .selected = selected};
    hd_status s = selected ? hd_dist_leaves(ctx, &a, net, &k.dist) : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_credit_levels(ctx, &a, net, &k.up);
    if (s == HD_OK) s = find_starts(ctx, &a, &k, &starts);
    if (s == HD_OK) {
        k.starts = starts;
        for (uint32_t i = 0; i < net->nsel; i++) selected[net->sel[i]] = true;
        ready = hd_seconds();
        s = run(ctx, &a, &k, check);
        /* Lanes by pair or hop were taken for one so far; no cycle in one is none in several. Which lanes hops
         * use nobody knows yet. */
        if (s == HD_OK && ((check->ncycle && r->lane_rule == HD_LANE_PAIR) || r->lane_rule == HD_LANE_HOP))
            s = hd_check_lanes(ctx, r, check);
    }
    if (s == HD_OK) check->seconds[HD_CHECK_SETUP] = ready - start;
    hd_arena_release(&a);
    return s;
}
