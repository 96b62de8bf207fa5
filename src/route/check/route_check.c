/* SPDX-License-Identifier: BSD-2-Clause */
/* The proof of routes from the tables alone: which pairs are served, which by shortest paths, and that no credit loop
 * exists.
 *
 * For each (destination, variant) the row is walked once from all leaf switches with sources (row_walk.c), which gives
 * the path length from each leaf. Usually all of them equal the distances, so what a row contributes is the same for
 * all destinations of a leaf switch: that total is computed once per leaf and added per row, and only leaves whose path
 * is longer, loops or is missing are then corrected one by one. Each switch that the walk visits adds one dependency,
 * its channel and the next one (check_credit.c). The whole proof so costs O(table), as much as reading it.
 *
 * Endpoints are of three kinds: selected ones, whose pairs are counted and measured; others, of storage, management,
 * routers and gateways, whose paths are proved just so and counted apart; and aggregation nodes. These need paths
 * from and to nodes of their own and of adjacent switches alone, and their credit loops are searched for apart: where
 * a tree has lost cables, up and down leads no further, and no table that leads further may be free of them.
 * Only other kinds that exist cost anything.
 *
 * Destinations are split over threads; sums and bit sets do not depend on how. */
#include "base/status.h"
#include "base/sized.h"
#include "base/threads.h"
#include "route/check/check_choices.h"
#include "route/check/check_drops.h"
#include "route/check/check_everyone.h"
#include "route/check/check_levels.h"
#include "route/check/check_lids.h"
#include "route/check/check_vls.h"
#include "route/check/check_credit.h"
#include "route/core/switch_distance.h"

#include <string.h>

enum { STARTS = 512 }; /* channels to look for a cycle from: enough to meet a shortest one in practice */
enum { UNSERVED = sizeof(((struct hd_check *)0)->unserved) / sizeof(struct hd_unserved) };

struct check_starts { /* switches with sources that use one variant, increasing, and the number of sources at each */
    uint32_t n, *v, *sources;
};

struct check_job {
    const struct hd_routes *r;
    const uint8_t *dist;                         /* [leaf * nsw + v] */
    const uint8_t *kind;                         /* [nep] enum hd_proof_kind */
    uint32_t count[HD_PROOF_KINDS];              /* endpoints of each */
    struct check_starts *starts[HD_PROOF_KINDS]; /* of each kind [nvar]; NULL: the variant is chosen pair by pair */
    const bool *up;                              /* as in check_credit.h */
    const uint32_t *all;                         /* [nsw] all switches */
    const uint8_t *last;                         /* [nsw] last slot of switches without endpoints; UINT8_MAX: others */
};

struct check_expected { /* totals of all pairs towards a leaf that use a variant, if all were minimal */
    uint32_t leaf, x;
    uint64_t pairs, hop_sum, hops[HD_MAX_HOPS + 1];
};

struct check_worker {
    const struct check_job *k;
    struct hd_check sum;
    uint64_t hop_sum, first; /* first: smallest (d, s) of an unserved pair, UINT64_MAX: none */
    struct check_expected all;
    uint64_t first_other;      /* as first, of pairs that are not of selected endpoints */
    uint64_t first_unanswered; /* smallest (d, switch), UINT64_MAX: none */
    struct hd_reach reach;
    struct hd_credit credit;      /* of all paths but those from and to aggregation nodes */
    struct hd_credit aggregation; /* those, if there are any */
    struct check_starts own;      /* room for those of one destination */
    uint8_t *row, *lane;
    uint32_t *stamp, pass; /* [nsw] for walks by VL */
};

/* ---- sources ------------------------------------------------------------------------------------ */

/* The first source of a kind at switch v that uses variant x towards d, d if there is none; *n is their number. */
static uint32_t first_source(const struct check_job *k, uint32_t kind, uint32_t v, uint32_t d, uint32_t x, uint32_t *n)
{
    const struct hd_net *net = k->r->net;
    uint32_t first = d;
    *n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t s = net->head[c] - net->nsw;
        if (net->head[c] < net->nsw || s == d || k->kind[s] != kind || !hd_routes_uses(k->r, s, d, x)) continue;
        if (!(*n)++) first = s;
    }
    return first;
}

static hd_status starts_init(struct hd_ctx *ctx, struct hd_arena *a, uint32_t n, struct check_starts *s)
{
    *s = (struct check_starts){0, HD_NEW(a, uint32_t, n), HD_NEW(a, uint32_t, n)};
    return s->v && s->sources ? HD_OK : hd_fail_memory(ctx);
}

/* The endpoints of a kind at each switch that use a variant. All variants share one list unless the source selects;
 * there is none if each pair does. */
static hd_status find_starts(struct hd_ctx *ctx, struct hd_arena *a, const struct check_job *k, uint32_t kind,
                             struct check_starts **out)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    bool by_source = r->select == HD_SELECT_SOURCE;
    struct check_starts *s = HD_NEW(a, struct check_starts, r->nvar);
    uint32_t *count = HD_NEW(a, uint32_t, (size_t)r->nleaf * (by_source ? r->nvar : 1));
    *out = NULL;
    if (!s || !count) return hd_fail_memory(ctx);
    if (r->select == HD_SELECT_PAIR) return HD_OK;
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t leaf = r->leaf_of[hd_leaf(net, e)];
        if (k->kind[e] != kind) continue;
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

/* Index of a switch that is in the list. */
static uint32_t starts_find(const struct check_starts *s, uint32_t v)
{
    uint32_t lo = 0, hi = s->n;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->v[mid] <= v)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static void starts_copy_without(const struct check_starts *s, uint32_t skip, struct check_starts *out)
{
    uint32_t rest = s->n - skip - 1;
    memcpy(out->v, s->v, skip * sizeof *s->v);
    memcpy(out->sources, s->sources, skip * sizeof *s->sources);
    memcpy(out->v + skip, s->v + skip + 1, rest * sizeof *s->v);
    memcpy(out->sources + skip, s->sources + skip + 1, rest * sizeof *s->sources);
    out->n = s->n - 1;
}

/* Where the sources of a kind towards d are: the shared list, without the switch of d if d is the only source there. */
static const struct check_starts *starts_of(struct check_worker *w, uint32_t kind, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    uint32_t home = hd_leaf(r->net, d), n;
    if (w->k->starts[kind]) {
        const struct check_starts *s = &w->k->starts[kind][x];
        if (w->k->kind[d] != kind) return s;
        if (r->select == HD_SELECT_SOURCE && r->source_class[d] != x) return s;
        uint32_t at = starts_find(s, home);
        if (s->sources[at] > 1) return s;
        starts_copy_without(s, at, &w->own);
        return &w->own;
    }
    w->own.n = 0;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        first_source(w->k, kind, r->leaf[leaf], d, x, &n);
        if (!n) continue;
        w->own.v[w->own.n] = r->leaf[leaf];
        w->own.sources[w->own.n++] = n;
    }
    return &w->own;
}

/* ---- path lengths ------------------------------------------------------------------------------------------ */

/* Totals of all pairs towards leaf; kept, because the destinations of a leaf follow each other. */
static void expect_leaf(struct check_worker *w, const struct check_starts *s, uint32_t leaf, uint32_t x)
{
    struct check_expected *e = &w->all;
    const uint8_t *dist = w->k->dist + (size_t)leaf * w->k->r->net->nsw;
    if (s != &w->own && e->leaf == leaf && e->x == x) return;
    *e = (struct check_expected){.leaf = s == &w->own ? UINT32_MAX : leaf, .x = x};
    for (uint32_t i = 0; i < s->n; i++)
        if (dist[s->v[i]] != HD_FAR) e->hops[dist[s->v[i]] + 2u] += s->sources[i];
    for (uint32_t h = 2; h <= HD_MAX_HOPS; h++) {
        e->pairs += e->hops[h];
        e->hop_sum += e->hops[h] * h;
    }
}

static void count_expected(struct check_worker *w)
{
    w->sum.pairs += w->all.pairs;
    w->hop_sum += w->all.hop_sum;
    for (uint32_t h = 2; h <= HD_MAX_HOPS; h++) w->sum.hops[h] += w->all.hops[h];
}

/* A worker meets unserved pairs in order, so it keeps the first ones. */
static void name_unserved(struct hd_check *k, struct hd_unserved u)
{
    if (k->nunserved < UNSERVED) k->unserved[k->nunserved++] = u;
}

/* Corrects the totals for n pairs that were counted as minimal but are not. Unsigned sums may wrap in between; the
 * result is exact. */
static void count_exception(struct check_worker *w, uint32_t v, uint32_t d, uint32_t x, uint32_t n)
{
    const struct hd_routes *r = w->k->r;
    uint32_t dist = w->k->dist[(size_t)r->leaf_of[hd_leaf(r->net, d)] * r->net->nsw + v], some;
    uint16_t hops = w->reach.hops[v];
    if (dist == HD_FAR) return; /* another component */
    w->sum.hops[dist + 2] -= n;
    w->hop_sum -= (uint64_t)n * (dist + 2);
    if (hops >= HD_REACH_LOOP) {
        *(hops == HD_REACH_LOOP ? &w->sum.loops : &w->sum.unreachable) += n;
        uint32_t s = first_source(w->k, HD_PROOF_SELECTED, v, d, x, &some);
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

static void route_check_count_row(struct check_worker *w, const struct check_starts *s, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    uint32_t home = hd_leaf(r->net, d), leaf = r->leaf_of[home];
    const uint8_t *dist = w->k->dist + (size_t)leaf * r->net->nsw;
    /* In a shared list the switch of d has other sources, and the totals include d itself, two channels away. */
    bool itself = s != &w->own && (r->select != HD_SELECT_SOURCE || r->source_class[d] == x);
    expect_leaf(w, s, leaf, x);
    count_expected(w);
    if (itself) {
        w->sum.pairs--;
        w->sum.hops[2]--;
        w->hop_sum -= 2;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (w->reach.hops[s->v[i]] != dist[s->v[i]] + 1)
            count_exception(w, s->v[i], d, x, s->sources[i] - (itself && s->v[i] == home));
}

/* Pairs of which an endpoint is not selected, n of them from switch v; what the row does is known. */
static void count_other(struct check_worker *w, uint32_t kind, uint32_t v, uint32_t d, uint32_t x, uint32_t n)
{
    const struct check_job *k = w->k;
    struct hd_other_check *sum = &w->sum.others;
    const uint32_t dist = k->dist[(size_t)k->r->leaf_of[hd_leaf(k->r->net, d)] * k->r->net->nsw + v];
    const uint16_t hops = w->reach.hops[v];
    uint32_t some;
    if (dist == HD_FAR) return;
    sum->pairs += n;
    if (hops < HD_REACH_LOOP) return;
    if (dist > 1 && (kind == HD_PROOF_AGGREGATION || k->kind[d] == HD_PROOF_AGGREGATION)) {
        sum->aggregation_unserved += n;
        return;
    }
    *(hops == HD_REACH_LOOP ? &sum->loops : &sum->unreachable) += n;
    uint64_t at = (uint64_t)d << 32 | first_source(k, kind, v, d, x, &some);
    if (at < w->first_other) w->first_other = at;
}

static void count_others(struct check_worker *w, const struct check_starts *s, uint32_t kind, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    const uint32_t home = hd_leaf(r->net, d);
    const bool itself =
        s != &w->own && w->k->kind[d] == kind && (r->select != HD_SELECT_SOURCE || r->source_class[d] == x);
    for (uint32_t i = 0; i < s->n; i++)
        count_other(w, kind, s->v[i], d, x, s->sources[i] - (itself && s->v[i] == home));
}

/* ---- one row ------------------------------------------------------------------------------------------ */

/* VLs by leaf: walks again from each leaf, up to a switch that its VL has visited already. */
static void add_leaf_vls(struct check_worker *w, struct hd_credit *credit, const struct check_starts *s,
                         const uint8_t *row, uint32_t d, uint32_t x)
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
                hd_credit_add(credit, row, net->off[v] + row[v], lane);
                v = net->head[net->off[v] + row[v]];
            }
        }
    }
}

/* The dependencies of a row whose switches were met since the beginning. */
static void check_row_credit(struct check_worker *w, struct hd_credit *credit, const uint8_t *row, uint32_t d,
                             uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    if (r->lane_rule == HD_LANE_LEAF) return; /* from each leaf by itself */
    hd_credit_row(credit, &w->reach, row, r->lane_rule == HD_LANE_DEST ? r->dest_lane[(size_t)d * r->nvar + x] : 0);
}

/* The paths from all sources of a kind, after those of the kinds before. Returns whether there are any. */
static bool check_row_kind(struct check_worker *w, uint32_t kind, const uint8_t *row, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->k->r;
    const struct check_starts *s = starts_of(w, kind, d, x);
    const bool apart = kind == HD_PROOF_AGGREGATION || w->k->kind[d] == HD_PROOF_AGGREGATION;
    if (!s->n) return false;
    hd_reach_follow(&w->reach, row, r->net->nsw + d, s->v, s->n);
    if (kind == HD_PROOF_SELECTED && w->k->kind[d] == HD_PROOF_SELECTED)
        route_check_count_row(w, s, d, x);
    else
        count_others(w, s, kind, d, x);
    if (r->lane_rule == HD_LANE_LEAF) add_leaf_vls(w, apart ? &w->aggregation : &w->credit, s, row, d, x);
    return true;
}

/* Entries that switches without endpoints lack, and those that lead nowhere, if any is missing. A row rarely lacks one,
 * which one comparison per switch tells. What the row has for pairs is known before. */
static void count_unanswered(struct check_worker *w, const uint8_t *row, uint32_t d)
{
    const struct check_job *k = w->k;
    const uint32_t nsw = k->r->net->nsw;
    const uint8_t *dist = k->dist + (size_t)k->r->leaf_of[hd_leaf(k->r->net, d)] * nsw;
    uint32_t n = 0;
    for (uint32_t v = 0; v < nsw; v++) n += row[v] > k->last[v];
    if (n) hd_reach_follow(&w->reach, row, nsw + d, k->all, nsw);
    for (uint32_t v = 0; n && v < nsw; v++) {
        const uint64_t at = (uint64_t)d << 32 | v;
        if (k->last[v] == UINT8_MAX || dist[v] == HD_FAR || w->reach.hops[v] < HD_REACH_LOOP) continue;
        w->sum.unanswered++;
        if (at < w->first_unanswered) w->first_unanswered = at;
    }
}

static void check_row_paths(struct check_worker *w, const uint8_t *row, uint32_t d, uint32_t x)
{
    const struct check_job *k = w->k;
    const double start = hd_seconds();
    bool any = false;
    hd_reach_begin(&w->reach);
    for (uint32_t kind = HD_PROOF_SELECTED; kind < HD_PROOF_AGGREGATION; kind++)
        if (k->count[kind]) any |= check_row_kind(w, kind, row, d, x);
    const double reached = hd_seconds();
    if (any && k->kind[d] != HD_PROOF_AGGREGATION) check_row_credit(w, &w->credit, row, d, x);
    w->sum.seconds[HD_CHECK_REACH] += reached - start;
    w->sum.seconds[HD_CHECK_DEPS] += hd_seconds() - reached;
    if (!k->count[HD_PROOF_AGGREGATION]) return;
    check_row_kind(w, HD_PROOF_AGGREGATION, row, d, x);
    check_row_credit(w, &w->aggregation, row, d, x);
}

static void check_row(struct check_worker *w, uint32_t d, uint32_t x)
{
    const uint8_t *row = hd_routes_row(w->k->r, d, x, w->row);
    check_row_paths(w, row, d, x);
    if (w->k->kind[d] != HD_PROOF_AGGREGATION) count_unanswered(w, row, d);
}

/* ---- deadlock freedom --------------------------------------------------------------------------------- */

/* Whether the entries towards d include a dependency of the cycle that has no example yet. */
static bool row_may_help(const struct check_worker *w, const struct hd_check *k, uint32_t d)
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

/* Compares the path of a pair with the cycle; returns the number of dependencies that it is the first example of. */
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

/* The first pair whose path includes each dependency of the cycle: one pass over the rows. */
static void find_examples(const struct check_worker *w, struct hd_check *k)
{
    const struct hd_routes *r = w->k->r;
    uint32_t found = 0, wanted = k->ncycle < 64 ? k->ncycle : 64, some;
    for (uint32_t d = 0; d < r->net->nep && found < wanted; d++) {
        if (w->k->kind[d] >= HD_PROOF_AGGREGATION || !row_may_help(w, k, d)) continue;
        for (uint32_t leaf = 0; leaf < r->nleaf && found < wanted; leaf++)
            for (uint32_t i = 0; i < r->nvar * HD_PROOF_AGGREGATION; i++) {
                uint32_t x = i / HD_PROOF_AGGREGATION, kind = i % HD_PROOF_AGGREGATION;
                uint32_t s = first_source(w->k, kind, r->leaf[leaf], d, x, &some);
                if (s == d || (w->credit.deps.nlanes > 1 && hd_routes_lane(r, s, d, x) != k->cycle_lane)) continue;
                found += try_example(r, s, d, x, k);
            }
    }
}

/* Whether the paths from and to aggregation nodes close a cycle together with all others. */
static hd_status prove_aggregation(struct hd_ctx *ctx, struct hd_arena *a, struct check_worker *w, struct hd_check *k)
{
    const enum hd_lane_rule rule = w->k->r->lane_rule;
    const bool one = rule == HD_LANE_UNKNOWN || rule == HD_LANE_PAIR || rule == HD_LANE_HOP; /* VLs taken as one */
    uint32_t *cycle, n = k->ncycle;
    k->others.aggregation_deadlock_free = 1;
    if (!w->k->count[HD_PROOF_AGGREGATION] || w->credit.up) return HD_OK;
    hd_deps_merge(&w->aggregation.deps, &w->credit.deps);
    if (!n) HD_TRY(hd_deps_cycle(ctx, a, &w->aggregation.deps, 1, &cycle, &n));
    if (n) k->others.aggregation_deadlock_free = one ? -1 : 0;
    return HD_OK;
}

static hd_status prove_deadlock_freedom(struct hd_ctx *ctx, struct hd_arena *a, const struct check_worker *w,
                                        struct hd_check *k)
{
    uint32_t *cycle;
    double start = hd_seconds();
    k->lanes = w->k->r->nlanes;
    k->deadlock_free = 1;
    if (w->credit.up) return HD_OK;
    HD_TRY(hd_deps_cycle(ctx, a, &w->credit.deps, STARTS, &cycle, &k->ncycle));
    uint32_t lanes = w->credit.deps.nlanes;
    /* Even if VLs are unknown, no cycle in one VL is a proof: more VLs only remove dependencies. */
    if (k->ncycle) k->deadlock_free = w->k->r->lane_rule == HD_LANE_UNKNOWN ? -1 : 0;
    k->cycle_lane = k->ncycle ? cycle[0] % lanes : 0;
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++)
        k->cycle[i] = (struct hd_dependency){cycle[i] / lanes, cycle[(i + 1) % k->ncycle] / lanes, UINT32_MAX,
                                             UINT32_MAX, k->cycle_lane};
    if (k->ncycle) find_examples(w, k);
    k->seconds[HD_CHECK_ACYCLIC] = hd_seconds() - start;
    return HD_OK;
}

/* ---- all together ------------------------------------------------------------------------------------- */

static hd_status check_worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct check_job *k,
                                   struct check_worker *w)
{
    const struct hd_net *net = k->r->net;
    *w = (struct check_worker){.k = k, .first = UINT64_MAX, .first_other = UINT64_MAX, .all = {.leaf = UINT32_MAX}};
    w->first_unanswered = UINT64_MAX;
    w->stamp = HD_NEW(a, uint32_t, net->nsw);
    w->row = HD_NEW(a, uint8_t, net->nsw);
    w->lane = HD_NEW(a, uint8_t, k->r->nleaf);
    if (!w->stamp || !w->row || !w->lane) return hd_fail_memory(ctx);
    HD_TRY(starts_init(ctx, a, k->r->nleaf, &w->own));
    HD_TRY(hd_reach_init(ctx, a, net, &w->reach));
    if (k->count[HD_PROOF_AGGREGATION]) HD_TRY(hd_credit_init(ctx, a, net, k->r->nlanes, k->up, &w->aggregation));
    return hd_credit_init(ctx, a, net, k->r->nlanes, k->up, &w->credit);
}

/* By destination, variant and switch of the source. */
static bool unserved_before(const struct hd_net *net, const struct hd_unserved *a, const struct hd_unserved *b)
{
    if (a->dest != b->dest) return a->dest < b->dest;
    if (a->variant != b->variant) return a->variant < b->variant;
    return hd_leaf(net, a->source) < hd_leaf(net, b->source);
}

static void merge_unserved(const struct hd_net *net, struct hd_check *a, const struct hd_check *b)
{
    struct hd_check both = {0};
    for (uint32_t i = 0, k = 0; both.nunserved < UNSERVED && (i < a->nunserved || k < b->nunserved);) {
        bool mine = k == b->nunserved || (i < a->nunserved && unserved_before(net, &a->unserved[i], &b->unserved[k]));
        name_unserved(&both, mine ? a->unserved[i++] : b->unserved[k++]);
    }
    a->nunserved = both.nunserved;
    memcpy(a->unserved, both.unserved, sizeof a->unserved);
}

static void check_worker_merge(struct check_worker *a, const struct check_worker *b)
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
    a->sum.others.pairs += b->sum.others.pairs;
    a->sum.others.unreachable += b->sum.others.unreachable;
    a->sum.others.loops += b->sum.others.loops;
    a->sum.others.aggregation_unserved += b->sum.others.aggregation_unserved;
    if (b->first_other < a->first_other) a->first_other = b->first_other;
    a->sum.unanswered += b->sum.unanswered;
    if (b->first_unanswered < a->first_unanswered) a->first_unanswered = b->first_unanswered;
    if (a->aggregation.net) hd_credit_merge(&a->aggregation, &b->aggregation);
    hd_credit_merge(&a->credit, &b->credit);
}

static void check_sum_up(const struct check_worker *w, struct hd_check *out)
{
    const struct hd_net *net = w->k->r->net;
    *out = w->sum;
    uint64_t served = out->pairs - out->unreachable - out->loops;
    out->avg_hops = served ? (double)w->hop_sum / (double)served : 0;
    for (uint32_t h = 0; h <= HD_MAX_HOPS; h++)
        if (out->hops[h] && h > out->max_hops) out->max_hops = h;
    for (uint32_t c = 0; c < net->nchan; c++)
        out->unused += net->head[c] < net->nsw && net->tail[c] < net->nsw && !w->credit.used[c];
    const uint32_t *count = w->k->count;
    out->others.endpoints = net->nep - count[HD_PROOF_SELECTED];
    out->others.unchecked = count[HD_PROOF_NOT];
    out->others.aggregation_nodes = count[HD_PROOF_AGGREGATION];
    out->others.source = (uint32_t)w->first_other;
    out->others.dest = (uint32_t)(w->first_other >> 32);
    out->unanswered_switch = (uint32_t)w->first_unanswered;
    out->unanswered_dest = (uint32_t)(w->first_unanswered >> 32);
    if (w->first == UINT64_MAX) return;
    out->example[0] = (uint32_t)w->first;
    out->example[1] = (uint32_t)(w->first >> 32);
}

static hd_status check_run(struct hd_ctx *ctx, struct hd_arena *a, struct check_job *k, struct hd_check *out,
                           struct hd_credit *credit)
{
    const struct hd_routes *r = k->r;
    int threads = hd_threads(ctx);
    struct check_worker *w = HD_NEW(a, struct check_worker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) HD_TRY(check_worker_init(ctx, a, k, &w[t]));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (uint32_t d = 0; d < r->net->nep; d++) {
        if (d % 256 == 0 && hd_thread_id() == 0) hd_progress(ctx, "checking", d, r->net->nep);
        for (uint32_t x = 0; k->kind[d] != HD_PROOF_NOT && x < r->nvar; x++) check_row(&w[hd_thread_id()], d, x);
    }
    hd_progress(ctx, "checking", r->net->nep, r->net->nep);
    for (int t = 1; t < threads; t++) check_worker_merge(&w[0], &w[t]);
    if (w[0].credit.turned || w[0].aggregation.turned) {
        k->up = NULL;
        return check_run(ctx, a, k, out, credit);
    }
    check_sum_up(&w[0], out);
    *credit = w[0].credit;
    HD_TRY(prove_deadlock_freedom(ctx, a, &w[0], out));
    return prove_aggregation(ctx, a, &w[0], out);
}

/* What switches may choose, after the static ports. If levels do not suffice, the dependencies of those come again. */
static hd_status check_choices(struct hd_ctx *ctx, struct hd_arena *a, struct check_job *k, struct hd_credit *credit,
                               struct hd_check *check)
{
    bool mixed = false;
    const struct hd_choice_job job = {k->r, k->dist, k->kind, &mixed, credit};
    struct hd_check again;
    const double start = hd_seconds();
    if (!k->r->groups) return HD_OK;
    HD_TRY(hd_check_choices(ctx, &job, check));
    if (credit->up && credit->turned) {
        k->up = NULL;
        HD_TRY(check_run(ctx, a, k, &again, credit));
        HD_TRY(hd_check_choices(ctx, &job, check));
    }
    check->seconds[HD_CHECK_REACH] += hd_seconds() - start;
    return hd_check_choices_cycle(ctx, &job, check);
}

/* The other LIDs of the table, after the pairs. Where only their paths turn from down to up, which those to switches do
 * when cables are missing, a graph with more dependencies than the pairs have usually has no cycle either; it comes
 * without another look at all rows. */
static hd_status check_rest(struct hd_ctx *ctx, struct hd_arena *a, struct check_job *k, struct hd_credit *credit,
                            struct hd_check *check)
{
    const struct hd_lid_job job = {k->dist, k->kind, credit, NULL};
    struct hd_credit ordered;
    struct hd_check again;
    bool turned;
    HD_TRY(hd_check_lids(ctx, k->r, &job, check, &turned));
    if (!turned || !credit->up) return HD_OK;
    HD_TRY(hd_credit_ordered(ctx, a, credit, &ordered));
    HD_TRY(hd_check_lids(ctx, k->r, &(struct hd_lid_job){k->dist, k->kind, &ordered, NULL}, check, &turned));
    if (check->further.deadlock_free == 1 && check->switches.deadlock_free == 1) return HD_OK;
    k->up = NULL;
    HD_TRY(check_run(ctx, a, k, &again, credit));
    HD_TRY(check_choices(ctx, a, k, credit, check));
    return hd_check_lids(ctx, k->r, &job, check, &turned);
}

static hd_status check_setup(struct hd_ctx *ctx, struct hd_arena *a, struct check_job *k)
{
    const struct hd_net *net = k->r->net;
    uint8_t *kind = HD_NEW(a, uint8_t, net->nep), *last = HD_NEW(a, uint8_t, net->nsw);
    uint32_t *all = HD_NEW(a, uint32_t, net->nsw);
    if (!kind || !last || !all) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) all[v] = v;
    k->all = all;
    for (uint32_t v = 0; v < net->nsw; v++)
        last[v] = k->r->leaf_of[v] == UINT32_MAX && hd_degree(net, v) ? (uint8_t)(hd_degree(net, v) - 1) : UINT8_MAX;
    k->last = last;
    hd_proof_kinds(net, kind);
    k->kind = kind;
    for (uint32_t e = 0; e < net->nep; e++) k->count[kind[e]]++;
    HD_TRY(hd_dist_check(ctx, net));
    HD_TRY(hd_dist_leaves(ctx, a, net, &k->dist));
    HD_TRY(hd_credit_levels(ctx, a, net, &k->up));
    for (uint32_t i = 0; i <= HD_PROOF_AGGREGATION; i++)
        if (k->count[i]) HD_TRY(find_starts(ctx, a, k, i, &k->starts[i]));
    return HD_OK;
}

hd_status hd_routes_check_sized(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *given, size_t size)
{
    struct hd_check check;
    struct hd_arena a = {0};
    double start = hd_seconds(), ready = start;
    struct hd_credit credit;
    struct check_job k = {.r = r};
    hd_status s = check_setup(ctx, &a, &k);
    if (s == HD_OK) {
        ready = hd_seconds();
        s = check_run(ctx, &a, &k, &check, &credit);
        if (s == HD_OK) s = hd_check_drops(ctx, r, k.kind, k.dist, &check);
        /* VLs by pair or hop were taken as one so far. Without a cycle in one VL there is none in several; but which
         * VLs are in use is not known yet if they change by hop. */
        if (s == HD_OK && ((check.ncycle && r->lane_rule == HD_LANE_PAIR) || r->lane_rule == HD_LANE_HOP))
            s = hd_check_lanes(ctx, r, k.kind, &check);
        if (s == HD_OK) s = check_choices(ctx, &a, &k, &credit, &check);
        if (s == HD_OK) s = hd_check_levels(ctx, r, k.kind, &check);
        if (s == HD_OK) s = check_rest(ctx, &a, &k, &credit, &check);
    }
    if (s == HD_OK) check.seconds[HD_CHECK_SETUP] = ready - start;
    if (s == HD_OK) hd_sized_out(given, size, &check, sizeof check);
    hd_arena_release(&a);
    return s;
}
