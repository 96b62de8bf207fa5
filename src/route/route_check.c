/* SPDX-License-Identifier: BSD-2-Clause */
/* Proving routes from the tables alone. For each (destination, variant) the entries form a graph with
 * one way out of every switch; walking it once from each leaf switch and remembering the number of
 * hops at every switch met gives reachability, loops, minimality and hop counts of all its sources in
 * O(switches). Every switch met contributes one dependency (its outgoing channel, the next entry), so
 * the dependency graph of all pairs costs no more than reading the table. Where every cable joins
 * neighbouring levels no graph is needed at first: if no route ever turns from down to up, channels are
 * ordered (up by level, then down) and nothing can wait in a circle; only a route that does turn brings
 * the graph. Destinations are split over threads; sums and bit sets do not depend on how. */
#include "base/status.h"
#include "base/threads.h"
#include "route/check_lanes.h"
#include "route/deps.h"
#include "route/dist.h"
#include "route/routes.h"

#include <string.h>

enum { UNSEEN = 0, OPEN = 0xffff, DEAD = 0xfffe, LOOP = 0xfffd }; /* else hops to the destination */

struct worker {
    const struct hd_routes *r;
    const uint8_t *dist;      /* [leaf * nsw + v] */
    const uint32_t *sources;  /* [leaf * nvar + x] selected endpoints of a leaf that use variant x */
    const bool *selected;     /* [nep] */
    struct hd_check sum;
    uint64_t hop_sum, first;  /* first: smallest (d, s) number of a fault, UINT64_MAX when none */
    bool by_turns, turned;    /* look for turns from down to up instead of keeping dependencies; one was met */
    struct hd_deps deps;
    bool *used;               /* [nchan] */
    uint16_t *hops;           /* [nsw] */
    uint32_t *stack, *met, *lane_sources;
    uint8_t *row;
    uint32_t *stamp, pass;    /* [nsw] for walks by lane */
};

/* Hops from v to endpoint d under row, filling w->hops along the way. */
static uint16_t walk(struct worker *w, const uint8_t *row, uint32_t v, uint32_t d, uint32_t *nmet)
{
    const struct hd_net *net = w->r->net;
    uint32_t n = 0, target = net->nsw + d;
    uint16_t end;
    /* Nearly every leaf's next switch has been met already. */
    if (w->hops[v] == UNSEEN && row[v] < hd_degree(net, v)) {
        uint32_t next = net->head[net->off[v] + row[v]];
        if (next < net->nsw && w->hops[next] != UNSEEN) {
            end = w->hops[next] < LOOP ? w->hops[next] + 1 : w->hops[next];
            w->met[(*nmet)++] = v;
            return w->hops[v] = end;
        }
    }
    for (;;) {
        if (v == target) {
            end = 0;
            break;
        }
        if (v >= net->nsw) {
            end = DEAD;
            break;
        }
        if (w->hops[v] != UNSEEN) {
            end = w->hops[v] == OPEN ? LOOP : w->hops[v];
            break;
        }
        w->hops[v] = OPEN;
        w->stack[n++] = v;
        if (row[v] == HD_SLOT_NONE || row[v] >= hd_degree(net, v)) {
            end = DEAD;
            break;
        }
        v = net->head[net->off[v] + row[v]];
    }
    while (n > 0) {
        uint32_t u = w->stack[--n];
        if (end < LOOP) end++;
        w->hops[u] = end;
        w->met[(*nmet)++] = u;
    }
    return end;
}

/* How many selected sources of a leaf use variant x towards d, d itself left out. */
static uint32_t count_sources(const struct worker *w, uint32_t leaf, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->r;
    uint32_t n = 0;
    if (r->select != HD_SELECT_PAIR) {
        n = w->sources[(size_t)leaf * r->nvar + x];
        bool own = hd_leaf(r->net, d) == r->leaf[leaf] && w->selected[d];
        return n - (own && (r->select != HD_SELECT_SOURCE || r->source_class[d] == x));
    }
    const struct hd_net *net = r->net;
    for (uint32_t c = net->off[r->leaf[leaf]]; c < net->off[r->leaf[leaf] + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        uint32_t s = net->head[c] - net->nsw;
        n += s != d && w->selected[s] && hd_routes_variant(r, s, d) == x;
    }
    return n;
}

static bool uses(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    return (r->select != HD_SELECT_SOURCE && r->select != HD_SELECT_PAIR) || hd_routes_variant(r, s, d) == x;
}

/* The first source of a leaf that uses variant x towards d; d when there is none. */
static uint32_t first_source(const struct worker *w, uint32_t leaf, uint32_t d, uint32_t x)
{
    const struct hd_net *net = w->r->net;
    uint32_t v = w->r->leaf[leaf];
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        uint32_t s = net->head[c] - net->nsw;
        if (s != d && w->selected[s] && uses(w->r, s, d, x)) return s;
    }
    return d;
}

static void count_pairs(struct worker *w, uint32_t leaf, uint32_t d, uint32_t x, uint16_t hops)
{
    const struct hd_net *net = w->r->net;
    uint32_t to = w->r->leaf_of[hd_leaf(net, d)], n = w->lane_sources[leaf];
    uint8_t dist = w->dist[(size_t)to * net->nsw + w->r->leaf[leaf]];
    if (dist == HD_FAR) return; /* another part of the network */
    w->sum.pairs += n;
    if (hops >= LOOP) {
        if (hops == LOOP) w->sum.loops += n;
        else w->sum.unreachable += n;
        uint64_t at = (uint64_t)d << 32 | first_source(w, leaf, d, x);
        if (at < w->first) w->first = at;
        return;
    }
    uint32_t channels = hops + 1u; /* and the source's own cable */
    if (hops != dist + 1u) w->sum.nonminimal += n;
    if (channels > w->sum.max_hops) w->sum.max_hops = channels;
    w->hop_sum += (uint64_t)n * channels;
    w->sum.hops[channels < HD_MAX_HOPS ? channels : HD_MAX_HOPS] += n;
}

static inline void add_dependency(struct worker *w, const uint8_t *row, uint32_t v, uint32_t lane)
{
    const struct hd_net *net = w->r->net;
    if (row[v] >= hd_degree(net, v)) return; /* no entry */
    uint32_t c = net->off[v] + row[v], next = net->head[c];
    w->used[c] = true;
    if (next >= net->nsw || row[next] >= hd_degree(net, next)) return;
    if (!w->by_turns) hd_deps_add(&w->deps, c, lane, row[next]);
    else if (net->level[next] < net->level[v] && net->level[net->head[net->off[next] + row[next]]] > net->level[next]) w->turned = true;
}

/* One lane a destination: every switch met belongs to it. Lanes by leaf: walk once more for each
 * leaf, stopping at a switch this lane has passed already. */
static void add_leaf_lanes(struct worker *w, const uint8_t *row, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->r;
    for (uint32_t lane = 0; lane < r->nlanes; lane++) {
        w->pass++;
        for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
            if (!w->lane_sources[leaf] || r->leaf_lane[((size_t)leaf * r->net->nep + d) * r->nvar + x] != lane) continue;
            uint32_t v = r->leaf[leaf];
            while (v < r->net->nsw && w->stamp[v] != w->pass && row[v] != HD_SLOT_NONE && row[v] < hd_degree(r->net, v)) {
                w->stamp[v] = w->pass;
                add_dependency(w, row, v, lane);
                v = r->net->head[r->net->off[v] + row[v]];
            }
        }
    }
}

static void check_row(struct worker *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->r;
    const uint8_t *row = NULL;
    uint32_t nmet = 0;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        w->lane_sources[leaf] = count_sources(w, leaf, d, x);
        if (!w->lane_sources[leaf]) continue;
        if (!row) row = hd_routes_row(r, d, x, w->row);
        count_pairs(w, leaf, d, x, walk(w, row, r->leaf[leaf], d, &nmet));
    }
    bool by_leaf = r->lane_rule == HD_LANE_LEAF;
    uint32_t lane = r->lane_rule == HD_LANE_DEST ? r->dest_lane[(size_t)d * r->nvar + x] : 0;
    for (uint32_t i = 0; i < nmet; i++) {
        if (!by_leaf) add_dependency(w, row, w->met[i], lane);
        w->hops[w->met[i]] = UNSEEN;
    }
    if (by_leaf && row) add_leaf_lanes(w, row, d, x);
}

static hd_status worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct worker *common, struct worker *w)
{
    const struct hd_net *net = common->r->net;
    *w = *common;
    w->first = UINT64_MAX;
    w->used = HD_NEW(a, bool, net->nchan);
    w->hops = HD_NEW(a, uint16_t, net->nsw);
    w->stack = HD_NEW(a, uint32_t, net->nsw);
    w->met = HD_NEW(a, uint32_t, net->nsw);
    w->stamp = HD_NEW(a, uint32_t, net->nsw);
    w->row = HD_NEW(a, uint8_t, net->nsw);
    w->lane_sources = HD_NEW(a, uint32_t, common->r->nleaf);
    if (!w->used || !w->hops || !w->stack || !w->met || !w->stamp || !w->row || !w->lane_sources) return hd_fail_memory(ctx);
    if (w->by_turns) return HD_OK;
    return hd_deps_init(ctx, a, net, common->r->nlanes ? common->r->nlanes : 1, &w->deps);
}

static void merge(struct worker *a, const struct worker *b)
{
    a->sum.pairs += b->sum.pairs;
    a->sum.unreachable += b->sum.unreachable;
    a->sum.loops += b->sum.loops;
    a->sum.nonminimal += b->sum.nonminimal;
    if (b->sum.max_hops > a->sum.max_hops) a->sum.max_hops = b->sum.max_hops;
    for (uint32_t i = 0; i <= HD_MAX_HOPS; i++) a->sum.hops[i] += b->sum.hops[i];
    a->hop_sum += b->hop_sum;
    if (b->first < a->first) a->first = b->first;
    for (uint32_t c = 0; c < a->r->net->nchan; c++) a->used[c] |= b->used[c];
    a->turned |= b->turned;
    if (!a->by_turns) hd_deps_merge(&a->deps, &b->deps);
}

/* The smallest pair whose route makes each dependency of the cycle: one pass over the rows. */
static void find_examples(const struct worker *w, struct hd_check *k)
{
    const struct hd_routes *r = w->r;
    const struct hd_net *net = r->net;
    uint32_t found = 0;
    for (uint32_t d = 0; d < net->nep && found < k->ncycle; d++) {
        if (!w->selected[d]) continue;
        for (uint32_t leaf = 0; leaf < r->nleaf && found < k->ncycle; leaf++)
            for (uint32_t x = 0; x < r->nvar; x++) {
                uint32_t s = first_source(w, leaf, d, x), chan[HD_MAX_HOPS];
                if (s == d || (w->deps.nlanes > 1 && hd_routes_lane(r, s, d, x) != k->cycle_lane)) continue;
                uint32_t n = hd_routes_path(r, s, d, x, chan);
                for (uint32_t i = 0; i + 1 < n; i++)
                    for (uint32_t j = 0; j < k->ncycle && j < 64; j++) {
                        struct hd_dependency *dep = &k->cycle[j];
                        if (dep->source != UINT32_MAX || dep->c != chan[i] || dep->next != chan[i + 1]) continue;
                        dep->source = s;
                        dep->dest = d;
                        found++;
                    }
            }
    }
}

static hd_status prove_deadlock_freedom(struct hd_ctx *ctx, struct hd_arena *a, const struct worker *w, struct hd_check *k)
{
    uint32_t *cycle;
    k->lanes = w->r->nlanes;
    if (w->by_turns) {
        k->deadlock_free = 1;
        return HD_OK;
    }
    HD_TRY(hd_deps_cycle(ctx, a, &w->deps, &k->cycle_lane, &cycle, &k->ncycle));
    /* With lanes unknown one lane without a cycle still proves it: any use of more only splits it. */
    k->deadlock_free = k->ncycle == 0 ? 1 : w->r->lane_rule == HD_LANE_UNKNOWN ? -1 : 0;
    if (k->ncycle == 0) k->cycle_lane = 0;
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++)
        k->cycle[i] = (struct hd_dependency){cycle[i], cycle[(i + 1) % k->ncycle], UINT32_MAX, UINT32_MAX, k->cycle_lane};
    if (k->ncycle) find_examples(w, k);
    return HD_OK;
}

static bool joins_neighbouring_levels(const struct hd_net *net)
{
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint8_t from = net->level[net->tail[c]], to = net->level[net->head[c]];
        if (net->tail[c] < net->nsw && net->head[c] < net->nsw && (from == HD_NO_LEVEL || to == HD_NO_LEVEL || (from + 1 != to && to + 1 != from))) return false;
    }
    return true;
}

static hd_status run(struct hd_ctx *ctx, struct hd_arena *a, struct worker *common, struct hd_check *out)
{
    const struct hd_routes *r = common->r;
    const struct hd_net *net = r->net;
    int threads = hd_threads(ctx);
    struct worker *w = HD_NEW(a, struct worker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) HD_TRY(worker_init(ctx, a, common, &w[t]));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; common->selected[d] && x < r->nvar; x++) check_row(&w[hd_thread_id()], d, x);
    for (int t = 1; t < threads; t++) merge(&w[0], &w[t]);
    if (w[0].turned) {
        common->by_turns = false;
        return run(ctx, a, common, out);
    }
    *out = w[0].sum;
    uint64_t served = out->pairs - out->unreachable - out->loops;
    out->avg_hops = served ? (double)w[0].hop_sum / (double)served : 0;
    for (uint32_t c = 0; c < net->nchan; c++) out->unused += net->head[c] < net->nsw && net->tail[c] < net->nsw && !w[0].used[c];
    if (w[0].first != UINT64_MAX) {
        out->example[0] = (uint32_t)w[0].first;
        out->example[1] = (uint32_t)(w[0].first >> 32);
    }
    return prove_deadlock_freedom(ctx, a, &w[0], out);
}

hd_status hd_routes_check(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *check)
{
    const struct hd_net *net = r->net;
    struct hd_arena a = {0};
    uint8_t *dist;
    bool *selected = HD_NEW(&a, bool, net->nep);
    uint32_t *sources = HD_NEW(&a, uint32_t, (size_t)r->nleaf * r->nvar);
    struct worker common = {.r = r, .sources = sources, .selected = selected};
    hd_status s = selected && sources ? hd_dist_table(ctx, &a, net, r->leaf, r->nleaf, &dist) : hd_fail_memory(ctx);
    if (s == HD_OK) {
        common.dist = dist;
        common.by_turns = joins_neighbouring_levels(net);
        for (uint32_t i = 0; i < net->nsel; i++) {
            uint32_t e = net->sel[i], leaf = r->leaf_of[hd_leaf(net, e)];
            selected[e] = true;
            if (r->select == HD_SELECT_SOURCE) sources[(size_t)leaf * r->nvar + r->source_class[e]]++;
            else
                for (uint32_t x = 0; x < r->nvar; x++) sources[(size_t)leaf * r->nvar + x]++;
        }
        s = run(ctx, &a, &common, check);
        /* Lanes by pair or hop were taken for one so far; no cycle in one is none in several. Which lanes hops
         * use nobody knows yet. */
        if (s == HD_OK && ((check->ncycle && r->lane_rule == HD_LANE_PAIR) || r->lane_rule == HD_LANE_HOP))
            s = hd_check_lanes(ctx, r, check);
    }
    hd_arena_release(&a);
    return s;
}
