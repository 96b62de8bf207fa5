/* SPDX-License-Identifier: BSD-2-Clause */
/* The proof for a change of tables: whatever the order in which entries are written, no packet loops, none that was
 * served is dropped, and no credit loop arises.
 *
 * For a destination, every switch has its old and its new entry. In this union graph
 *   - a cycle that a source reaches is a loop of some mixture, because a simple path to a simple cycle asks every
 *     switch for one entry only; without one, every walk of a packet ends, even if entries change meanwhile;
 *   - a switch without a usable entry, reached from a source that the old table serves, by this row or by that of the
 *     LID which the pair has used so far, is a drop in some mixture;
 *   - two consecutive channels on a walk from a source are a dependency of some mixture, so dependencies are those of
 *     every combination of an entry and an entry of the next switch. Packets that are queued keep the channels they
 *     hold, so dependencies of different moments and of all destinations count together. They must have no cycle.
 * docs/transition.md has the definitions and proofs. VLs are bits that spread from the sources along the union graph.
 *
 * A depth-first search per row visits every switch once and looks at two entries instead of one: about twice the cost
 * of a check. Destinations are split over threads; sums, bit sets and the smallest examples do not depend on how. */
#include "route/check/mixture.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/check/check_credit.h"
#include "route/check/check_everyone.h"
#include "route/check/mixture_hops.h"
#include "route/check/mixture_moves.h"
#include "route/check/mixture_rest.h"
#include "route/core/groups.h"
#include "route/core/routes_levels.h"
#include "route/core/sl2vl.h"

#include <string.h>

enum { UNSEEN, FIRST, SECOND, DONE }; /* which entry of a switch the search looks at next */
enum { SERVED = 1 << HD_MAX_LANES };  /* beside the bits of VLs: some source whose packets arrive so far */

struct mix_job {
    const struct hd_mix *mix;
    const struct hd_net *net;
    const uint8_t *kind;   /* [nep] enum hd_proof_kind */
    const bool *counts;    /* [nep] endpoints of which all pairs count */
    const uint32_t *hosts; /* [nsw] such endpoints */
    bool apart;            /* aggregation nodes do not: their packets count nearby, and without dependencies */
    const bool *up;        /* as in check_credit.h */
    uint32_t nlanes;       /* 1 where VLs are not known or change along the path */
    bool by_source;        /* variants or VLs differ between the sources of a switch */
    bool hops;             /* switches may drop packets by their service level */
};

struct mix_worker {
    const struct mix_job *k;
    struct hd_mixture sum;
    struct hd_reach reach;
    struct hd_credit credit;
    uint8_t *room[2], *state;      /* [nsw] */
    uint32_t *stack, *post, *mask; /* [nsw] post: switches after those they lead to; mask: VLs, and SERVED */
    uint32_t *start, nstart;       /* [nsw] switches with sources */
    const uint8_t *from, *to;      /* the rows at work */
    uint32_t target, npost;
    bool near; /* it is the packets from and to aggregation nodes that are searched for */
    bool loop, hole;
    struct hd_mix_moves moves;
    struct hd_mix_hops hops; /* where needed */
};

/* ---- sources ------------------------------------------------------------------------------------ */

static uint32_t mix_lane(const struct mix_job *k, const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    return k->nlanes == 1 ? 1 : 1u << hd_routes_lane(r, s, d, x);
}

/* Whether packets of s to the destination are among those that are searched for now. */
static bool mix_counts(const struct mix_worker *w, uint32_t s)
{
    const struct mix_job *k = w->k;
    const uint32_t d = w->target - k->net->nsw;
    if (s == d) return false;
    return w->near ? hd_proof_aggregates(k->kind, s, d) : k->counts[s];
}

/* VLs of the packets that endpoints of switch v send to d by variant x; 0: none. */
static uint32_t mix_sources(const struct mix_worker *w, uint32_t v, uint32_t d, uint32_t x)
{
    const struct mix_job *k = w->k;
    const struct hd_net *net = k->net;
    uint32_t mask = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t s = net->head[c] - net->nsw;
        if (net->head[c] < net->nsw || !mix_counts(w, s)) continue;
        for (int i = 0; i < 2 && k->mix->vl[i]; i++)
            if (hd_routes_uses(k->mix->vl[i], s, d, x)) mask |= mix_lane(k, k->mix->vl[i], s, d, x);
        if (mask && !k->by_source) break;
    }
    return mask;
}

static void mix_find_starts(struct mix_worker *w, uint32_t d, uint32_t x)
{
    const struct mix_job *k = w->k;
    const struct hd_routes *r = k->mix->from;
    uint32_t home = hd_leaf(k->net, d);
    w->nstart = 0;
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t v = r->leaf[i], others = k->hosts[v] - (v == home), mask = 1;
        if (!others) continue;
        if (k->nlanes > 1 || k->by_source) mask = mix_sources(w, v, d, x);
        if (!mask) continue;
        w->mask[v] = mask;
        w->start[w->nstart++] = v;
    }
}

static void mix_start_near(struct mix_worker *w, uint32_t v, uint32_t d, uint32_t x)
{
    if (w->state[v] != UNSEEN) return;
    w->state[v] = DONE;
    if (!(w->mask[v] = mix_sources(w, v, d, x))) return;
    w->start[w->nstart++] = v;
}

/* Only the switch of the destination, and those beside it. */
static void mix_find_near(struct mix_worker *w, uint32_t d, uint32_t x)
{
    const struct hd_net *net = w->k->net;
    const uint32_t home = hd_leaf(net, d);
    w->nstart = 0;
    memset(w->state, UNSEEN, net->nsw);
    mix_start_near(w, home, d, x);
    for (uint32_t c = net->off[home]; c < net->off[home + 1]; c++)
        if (net->head[c] < net->nsw) mix_start_near(w, net->head[c], d, x);
}

/* ---- the union graph of a row ------------------------------------------------------------------------- */

static bool mix_is_hole(const struct mix_worker *w, uint32_t v, uint8_t slot)
{
    const struct hd_net *net = w->k->net;
    uint32_t c = net->off[v] + slot;
    return c >= net->off[v + 1] || (net->head[c] >= net->nsw && net->head[c] != w->target);
}

/* Where an entry of v leads: the switch to visit next, UINT32_MAX if there is none. */
static uint32_t mix_follow(struct mix_worker *w, uint32_t v, uint8_t slot)
{
    const struct hd_net *net = w->k->net;
    if (mix_is_hole(w, v, slot)) {
        w->hole = true;
        return UINT32_MAX;
    }
    uint32_t next = net->head[net->off[v] + slot];
    if (next == w->target || w->state[next] == DONE) return UINT32_MAX;
    if (w->state[next] == UNSEEN) return next;
    w->loop = true;
    return UINT32_MAX;
}

static void mix_visit(struct mix_worker *w, uint32_t v)
{
    uint32_t n = 0;
    if (w->state[v] != UNSEEN) return;
    w->state[v] = FIRST;
    w->stack[n++] = v;
    while (n > 0) {
        v = w->stack[n - 1];
        uint32_t next = UINT32_MAX;
        if (w->state[v] == FIRST) {
            w->state[v] = SECOND;
            next = mix_follow(w, v, w->from[v]);
        } else {
            if (w->state[v] == SECOND && w->to[v] != w->from[v]) next = mix_follow(w, v, w->to[v]);
            if (next == UINT32_MAX) {
                w->state[v] = DONE;
                w->post[w->npost++] = v;
                n--;
            }
        }
        if (next == UINT32_MAX) continue;
        w->state[next] = FIRST;
        w->stack[n++] = next;
    }
}

/* The switch that an entry of v leads to, UINT32_MAX: none. */
static uint32_t mix_next(const struct mix_worker *w, uint32_t v, uint8_t slot)
{
    const struct hd_net *net = w->k->net;
    uint32_t c = net->off[v] + slot;
    return c < net->off[v + 1] && net->head[c] < net->nsw ? net->head[c] : UINT32_MAX;
}

/* Masks from the sources on; where the graph has cycles, until nothing changes. */
static void mix_spread(struct mix_worker *w)
{
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t i = w->npost; i-- > 0;) {
            uint32_t v = w->post[i], next[2] = {mix_next(w, v, w->from[v]), mix_next(w, v, w->to[v])};
            for (int e = 0; e < 2; e++) {
                if (next[e] == UINT32_MAX || !(w->mask[v] & ~w->mask[next[e]])) continue;
                w->mask[next[e]] |= w->mask[v];
                again = w->loop;
            }
        }
    }
}

static bool mix_drops(const struct mix_worker *w)
{
    for (uint32_t i = 0; i < w->npost; i++) {
        uint32_t v = w->post[i];
        if ((w->mask[v] & SERVED) && (mix_is_hole(w, v, w->from[v]) || mix_is_hole(w, v, w->to[v]))) return true;
    }
    return false;
}

/* ---- dependencies ------------------------------------------------------------------------------- */

static void mix_depend(struct mix_worker *w, uint32_t c, uint32_t next, uint32_t slot, uint32_t mask)
{
    struct hd_credit *k = &w->credit;
    if (k->up) {
        k->turned |= !k->up[c] && k->up[next];
        return;
    }
    for (mask &= SERVED - 1u; mask; mask &= mask - 1) hd_deps_add(&k->deps, c, (uint32_t)__builtin_ctz(mask), slot);
}

/* Channel c, then whichever channel the next switch takes. */
static void mix_depend_on(struct mix_worker *w, uint32_t c, uint32_t mask)
{
    const struct hd_net *net = w->k->net;
    uint32_t v = net->head[c];
    if (v >= net->nsw) return;
    uint8_t from = w->from[v], to = w->to[v];
    if (net->off[v] + from < net->off[v + 1]) mix_depend(w, c, net->off[v] + from, from, mask);
    if (to != from && net->off[v] + to < net->off[v + 1]) mix_depend(w, c, net->off[v] + to, to, mask);
}

static void mix_add_row(struct mix_worker *w, bool spread)
{
    const struct hd_net *net = w->k->net;
    for (uint32_t i = 0; i < w->npost; i++) {
        uint32_t v = w->post[i], end = net->off[v + 1], mask = spread ? w->mask[v] : 1;
        uint32_t from = net->off[v] + w->from[v], to = net->off[v] + w->to[v];
        if (from < end) mix_depend_on(w, from, mask);
        if (to != from && to < end) mix_depend_on(w, to, mask);
    }
}

/* ---- one row ------------------------------------------------------------------------------------ */

/* Whether some source at switch v comes to this row from another one, by which the old table serves it. */
static bool mix_served_elsewhere(struct mix_worker *w, uint32_t v, uint32_t x)
{
    const struct hd_net *net = w->k->net;
    for (uint32_t c = net->off[v]; w->moves.any && c < net->off[v + 1]; c++) {
        const uint32_t s = net->head[c] - net->nsw;
        if (net->head[c] < net->nsw || !mix_counts(w, s)) continue;
        if (hd_mix_moves_to(&w->moves, s, x) && hd_mix_moves_served(&w->moves, s)) return true;
    }
    return false;
}

/* Sources whose packets the old row delivers, or another one by which they came. Masks were not needed so far if there
 * is one VL. */
static void mix_mark_served(struct mix_worker *w, uint32_t x)
{
    bool fresh = w->k->nlanes == 1;
    if (fresh) memset(w->mask, 0, w->k->net->nsw * sizeof *w->mask);
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, w->from, w->target, w->start, w->nstart);
    for (uint32_t i = 0; i < w->nstart; i++) {
        uint32_t v = w->start[i];
        const bool served = w->reach.hops[v] < HD_REACH_LOOP || mix_served_elsewhere(w, v, x);
        w->mask[v] |= (fresh ? 1u : 0u) | (served ? SERVED : 0u);
    }
}

/* Whether the new row fails a source that is served so far. */
static bool mix_cuts(struct mix_worker *w)
{
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, w->to, w->target, w->start, w->nstart);
    for (uint32_t i = 0; i < w->nstart; i++)
        if ((w->mask[w->start[i]] & SERVED) && w->reach.hops[w->start[i]] >= HD_REACH_LOOP) return true;
    return false;
}

static void mix_note(uint64_t *count, uint32_t *first, uint32_t d)
{
    if (!(*count)++) *first = d;
}

/* Whether the entries of a row or their groups differ. */
static bool mix_differs(const struct mix_worker *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *a = w->k->mix->from, *b = w->k->mix->to;
    const uint16_t *of[2] = {hd_group_row(a, d, x), hd_group_row(b, d, x)};
    if (memcmp(w->from, w->to, w->k->net->nsw) != 0) return true;
    if (!of[0] && !of[1]) return false;
    for (uint32_t v = 0; v < w->k->net->nsw; v++) {
        const struct hd_port_set one = hd_choices(a, w->from, of[0], v), two = hd_choices(b, w->to, of[1], v);
        if (memcmp(&one, &two, sizeof one) != 0) return true;
    }
    return false;
}

struct mix_found { /* in a row */
    bool loop, cut, drops;
    bool spread; /* masks tell VLs and who is served; else all begin in one VL */
};

/* All packets that are searched for now. */
static struct mix_found mix_search(struct mix_worker *w, uint32_t d, uint32_t x)
{
    const struct mix_job *k = w->k;
    struct mix_found found = {0};
    w->npost = 0;
    w->loop = w->hole = false;
    if (k->nlanes > 1) memset(w->mask, 0, k->net->nsw * sizeof *w->mask);
    if (w->near)
        mix_find_near(w, d, x);
    else
        mix_find_starts(w, d, x);
    memset(w->state, UNSEEN, k->net->nsw);
    for (uint32_t i = 0; i < w->nstart; i++) mix_visit(w, w->start[i]);
    if (w->hole) {
        mix_mark_served(w, x);
        found.cut = mix_cuts(w);
    }
    found.spread = k->nlanes > 1 || w->hole;
    if (found.spread) mix_spread(w);
    if (w->hole) found.drops = mix_drops(w);
    found.loop = w->loop;
    return found;
}

/* Whether VL 15 drops some of the packets that were searched for. */
static void mix_search_levels(struct mix_worker *w, uint32_t d, uint32_t x, struct mix_found *found)
{
    const struct hd_mix_row row = {w->from, w->to, w->post, w->start, w->npost, w->nstart, d, x, w->near};
    if (!w->k->hops || found->loop || found->cut) return;
    found->drops |= hd_mix_hops_drop(&w->hops, &row, &w->moves, &found->cut);
}

/* Packets between endpoints of which all pairs count: their dependencies too. */
static struct mix_found mix_search_pairs(struct mix_worker *w, uint32_t d, uint32_t x)
{
    w->near = false;
    struct mix_found found = mix_search(w, d, x);
    mix_search_levels(w, d, x, &found);
    if (!found.loop) mix_add_row(w, found.spread);
    return found;
}

static struct mix_found mix_search_near(struct mix_worker *w, uint32_t d, uint32_t x)
{
    w->near = true;
    struct mix_found found = mix_search(w, d, x);
    mix_search_levels(w, d, x, &found);
    return found;
}

static void mix_row(struct mix_worker *w, uint32_t d, uint32_t x)
{
    const struct mix_job *k = w->k;
    struct mix_found pairs = {0}, near = {0};
    w->target = k->net->nsw + d;
    if (k->counts[d]) pairs = mix_search_pairs(w, d, x);
    if (k->apart) near = mix_search_near(w, d, x);
    w->sum.cut += pairs.cut || near.cut;
    if (pairs.drops || near.drops) mix_note(&w->sum.drops, &w->sum.drop, d);
    if (pairs.loop || near.loop) mix_note(&w->sum.loops, &w->sum.loop, d);
}

static void mix_destination(struct mix_worker *w, uint32_t d)
{
    const struct hd_mix *mix = w->k->mix;
    if (mix->idle && mix->idle[d]) return;
    hd_mix_moves_begin(&w->moves, d);
    for (uint32_t x = 0; x < mix->from->nvar; x++) {
        w->from = hd_routes_row(mix->from, d, x, w->room[0]);
        w->to = hd_routes_row(mix->to, d, x, w->room[1]);
        w->sum.rows++;
        w->sum.changed += mix_differs(w, d, x);
        if (w->k->kind[d] != HD_PROOF_NOT) mix_row(w, d, x);
    }
}

/* ---- all together ------------------------------------------------------------------------------------- */

static hd_status mix_worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct mix_job *k, struct mix_worker *w)
{
    uint32_t nsw = k->net->nsw;
    *w = (struct mix_worker){.k = k, .sum = {.loop = UINT32_MAX, .drop = UINT32_MAX}};
    w->room[0] = HD_NEW(a, uint8_t, nsw);
    w->room[1] = HD_NEW(a, uint8_t, nsw);
    w->state = HD_NEW(a, uint8_t, nsw);
    if (!w->room[0] || !w->room[1] || !w->state || !HD_NEW_U32(a, nsw, &w->stack, &w->post, &w->mask, &w->start))
        return hd_fail_memory(ctx);
    HD_TRY(hd_mix_moves_init(ctx, a, k->mix, &w->moves));
    if (k->hops) HD_TRY(hd_mix_hops_init(ctx, a, k->mix, k->kind, k->counts, &w->moves, &w->hops));
    HD_TRY(hd_reach_init(ctx, a, k->net, &w->reach));
    return hd_credit_init(ctx, a, k->net, k->nlanes, k->up, &w->credit);
}

static void mix_worker_merge(struct mix_worker *a, const struct mix_worker *b)
{
    a->sum.rows += b->sum.rows;
    a->sum.changed += b->sum.changed;
    a->sum.loops += b->sum.loops;
    a->sum.drops += b->sum.drops;
    a->sum.cut += b->sum.cut;
    if (b->sum.loop < a->sum.loop) a->sum.loop = b->sum.loop;
    if (b->sum.drop < a->sum.drop) a->sum.drop = b->sum.drop;
    hd_credit_merge(&a->credit, &b->credit);
}

/* A short cycle, and the number of VLs that have one. The dependencies of a VL go once its cycle is counted. */
static hd_status mix_find_cycles(struct hd_ctx *ctx, struct hd_arena *a, struct hd_deps *deps, struct hd_mixture *m)
{
    uint32_t *cycle, n = 1, lanes = deps->nlanes;
    while (n) {
        HD_TRY(hd_deps_cycle(ctx, a, deps, 1, &cycle, &n));
        if (!n) break;
        uint32_t lane = cycle[0] % lanes;
        for (uint32_t i = 0; !m->credit_loops && i < n && i < 64; i++)
            m->cycle[i] =
                (struct hd_dependency){cycle[i] / lanes, cycle[(i + 1) % n] / lanes, UINT32_MAX, UINT32_MAX, lane};
        if (!m->credit_loops++) m->ncycle = n;
        for (uint32_t c = 0; c < deps->net->nchan; c++)
            memset(deps->succ + ((size_t)c * lanes + lane) * deps->words, 0, deps->words * sizeof *deps->succ);
    }
    return HD_OK;
}

static hd_status mix_run(struct hd_ctx *ctx, struct hd_arena *a, struct mix_job *k, struct hd_mixture *m)
{
    const struct hd_net *net = k->net;
    int threads = hd_threads(ctx);
    struct mix_worker *w = HD_NEW(a, struct mix_worker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) HD_TRY(mix_worker_init(ctx, a, k, &w[t]));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (uint32_t d = 0; d < net->nep; d++) mix_destination(&w[hd_thread_id()], d);
    for (int t = 1; t < threads; t++) mix_worker_merge(&w[0], &w[t]);
    if (w[0].credit.turned) {
        k->up = NULL;
        return mix_run(ctx, a, k, m);
    }
    *m = w[0].sum;
    return w[0].credit.up ? HD_OK : mix_find_cycles(ctx, a, &w[0].credit.deps, m);
}

/* Whether connections have the VLs that the tables say. Those that keep a level which has another VL by the SL2VL
 * tables of the other table have now one and now the other. */
static bool mix_vls_known(const struct hd_mix *mix)
{
    for (int i = 0; i < 2 && mix->vl[i]; i++)
        if (mix->vl[i]->lane_rule == HD_LANE_UNKNOWN || mix->vl[i]->lane_rule == HD_LANE_HOP) return false;
    return !mix->vl[1] || hd_levels_agree(mix->vl[0], mix->vl[1]);
}

static void mix_plan_vls(struct mix_job *k)
{
    k->nlanes = 1;
    for (int i = 0; i < 2 && k->mix->vl[i]; i++) {
        const struct hd_routes *r = k->mix->vl[i];
        if (r->nlanes > k->nlanes) k->nlanes = r->nlanes;
        k->by_source |= r->select == HD_SELECT_SOURCE || r->select == HD_SELECT_PAIR || r->lane_rule == HD_LANE_PAIR;
    }
    if (!mix_vls_known(k->mix)) k->nlanes = 1;
}

/* What is asked of each endpoint, and the number of aggregation nodes that may be left apart. */
static hd_status mix_plan_kinds(struct hd_ctx *ctx, struct hd_arena *a, struct mix_job *k, uint32_t *nodes)
{
    const struct hd_net *net = k->net;
    uint8_t *kind = HD_NEW(a, uint8_t, net->nep);
    bool *counts = HD_NEW(a, bool, net->nep);
    uint32_t *hosts = HD_NEW(a, uint32_t, net->nsw);
    *nodes = 0;
    if (!kind || !counts || !hosts) return hd_fail_memory(ctx);
    hd_proof_kinds(net, kind);
    for (uint32_t e = 0; e < net->nep; e++) {
        const bool node = kind[e] == HD_PROOF_AGGREGATION;
        *nodes += node;
        if (node && !k->apart) kind[e] = HD_PROOF_OTHER;
        counts[e] = kind[e] < HD_PROOF_AGGREGATION;
        hosts[hd_leaf(net, e)] += counts[e];
    }
    k->kind = kind;
    k->counts = counts;
    k->hosts = hosts;
    return HD_OK;
}

static hd_status mix_prove(struct hd_ctx *ctx, const struct hd_mix *mix, bool apart, struct hd_mixture *m,
                           uint32_t *nodes)
{
    struct hd_arena a = {0};
    struct mix_job k = {.mix = mix, .net = mix->from->net, .apart = apart};
    hd_status s = mix_plan_kinds(ctx, &a, &k, nodes);
    if (s == HD_OK) s = hd_credit_levels(ctx, &a, k.net, &k.up);
    if (s == HD_OK) {
        mix_plan_vls(&k);
        k.hops = hd_mix_hops_needed(mix);
        s = mix_run(ctx, &a, &k, m);
    }
    hd_arena_release(&a);
    m->aggregation_covered = !apart;
    return s;
}

/* Adaptive switches keep groups apart from entries, and what VL 15 drops of their choices is not followed. */
static hd_status mix_find_adaptive(struct hd_ctx *ctx, const struct hd_mix *mix, struct hd_mixture *m)
{
    if (!mix->from->groups && !mix->to->groups) return HD_OK;
    m->adaptive = m->changed != 0;
    if (!m->adaptive && mix->from != mix->to) {
        struct hd_rest rest;
        HD_TRY(hd_rest_compare(ctx, mix->from, mix->to, &rest));
        m->adaptive = rest.adaptive > 0;
    }
    if (!m->adaptive && mix->vl[1] && hd_mix_hops_needed(mix)) {
        struct hd_mixture vls;
        HD_TRY(hd_mix_count_vls(ctx, mix->vl[0], mix->vl[1], &vls));
        m->adaptive = vls.vls_changed > 0 || !hd_sl2vl_same(mix->vl[0]->sl2vl, mix->vl[1]->sl2vl);
    }
    return HD_OK;
}

/* Packets from and to aggregation nodes are proved like all others if that is possible. Where it is not, as on trees
 * that have lost cables, they are left out as far as a check leaves them out, in a proof of their own. */
hd_status hd_mix_prove(struct hd_ctx *ctx, const struct hd_mix *mix, struct hd_mixture *m)
{
    uint32_t nodes;
    HD_TRY(mix_prove(ctx, mix, false, m, &nodes));
    if (nodes && (m->loops || m->drops || m->credit_loops)) HD_TRY(mix_prove(ctx, mix, true, m, &nodes));
    m->old_levels = true;
    m->vls_known = mix_vls_known(mix);
    return mix_find_adaptive(ctx, mix, m);
}

/* ---- for programs ------------------------------------------------------------------------------------- */

hd_status hd_routes_mixture_sized(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                                  struct hd_mixture *given, size_t size)
{
    struct hd_mixture m;
    struct hd_mix mix = {from, to, {from, to}, NULL};
    HD_TRY(hd_mix_comparable(ctx, from, to));
    HD_TRY(hd_mix_prove(ctx, &mix, &m));
    if (!m.loops && !m.drops && m.credit_loops && m.vls_known) {
        struct hd_mixture fresh;
        mix.vl[0] = to;
        mix.vl[1] = NULL;
        HD_TRY(hd_mix_prove(ctx, &mix, &fresh));
        fresh.old_levels = false;
        fresh.adaptive |= m.adaptive;
        if (!fresh.credit_loops) m = fresh;
    }
    HD_TRY(hd_mix_count_vls(ctx, from, to, &m));
    hd_sized_out(given, size, &m, sizeof m);
    return HD_OK;
}
