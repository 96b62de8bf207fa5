/* SPDX-License-Identifier: BSD-2-Clause */
/* Deadlock freedom of routes whose VLs differ between the sources of a switch, or change along the path.
 *
 * A place is a channel in a VL; routes make dependencies between vl_places, which must have no cycle. All pairs of
 * selected endpoints are visited; those with the same leaf switch, destination and service level have the same path
 * from the first switch on, which is walked once for each VL that they begin in. A place has one bit for each (slot,
 * VL) that may follow. Cost O(pairs + leaf switches * destinations * service levels * hops). */
#include "route/check/check_vls.h"
#include "base/status.h"
#include "route/core/sl2vl.h"

#include <string.h>

struct vl_graph {
    const struct hd_routes *r;
    uint32_t lanes, words; /* words of 64 slots */
    uint64_t *succ;        /* [(place * lanes + lane) * words + slot / 64] */
    uint32_t *in, *queue, *from;
    bool *used; /* [lanes] */
};

static uint32_t vl_places(const struct vl_graph *g)
{
    return g->r->net->nchan * g->lanes;
}

/* VL on chan[i] of a path, i > 0. */
static uint32_t vl_on_path(const struct vl_graph *g, const uint32_t *chan, uint32_t i, uint32_t level)
{
    return g->r->lane_rule == HD_LANE_HOP ? hd_sl2vl_lane(g->r->sl2vl, chan[i - 1], chan[i], level) : level;
}

struct vl_path { /* of one pair */
    const uint32_t *chan;
    uint32_t n, source, dest, level; /* level: its service level, or VL */
};

/* ---- all pairs ------------------------------------------------------------------------------ */

/* Calls visit with the paths of all pairs of selected endpoints, for the variants that they use; equal paths once. */
static hd_status each_path(struct hd_ctx *ctx, struct vl_graph *g,
                           bool (*visit)(struct vl_graph *g, const struct vl_path *path, void *user), void *user)
{
    const struct hd_routes *r = g->r;
    const struct hd_net *net = r->net;
    struct hd_arena scratch = {0};
    uint16_t(*seen)[16] = hd_alloc(&scratch, r->nleaf, sizeof *seen); /* VLs begun in, by leaf and service level */
    bool one = r->select == HD_SELECT_SOURCE || r->select == HD_SELECT_PAIR, more = true;
    if (!seen) return hd_fail_memory(ctx);
    for (uint32_t k = 0; k < net->nsel && more; k++)
        for (uint32_t x = 0, d = net->sel[k]; x < r->nvar && more; x++) {
            memset(seen, 0, r->nleaf * sizeof *seen);
            for (uint32_t i = 0; i < net->nsel && more; i++) {
                uint32_t s = net->sel[i], chan[HD_MAX_HOPS], n, leaf = r->leaf_of[hd_leaf(net, s)];
                if (s == d || (one && hd_routes_variant(r, s, d) != x)) continue;
                uint32_t level = hd_routes_lane(r, s, d, x);
                if (r->lane_rule == HD_LANE_PAIR && seen[leaf][level]) continue;
                if ((n = hd_routes_path(r, s, d, x, chan)) < 3) continue; /* through one switch: no dependency */
                uint16_t bit = (uint16_t)(1u << vl_on_path(g, chan, 1, level));
                if (seen[leaf][level] & bit) continue;
                seen[leaf][level] |= bit;
                more = visit(g, &(struct vl_path){chan, n, s, d, level}, user);
            }
        }
    hd_arena_release(&scratch);
    return HD_OK;
}

static bool add_path(struct vl_graph *g, const struct vl_path *path, void *user)
{
    const uint32_t *chan = path->chan, n = path->n, level = path->level;
    uint32_t lane = vl_on_path(g, chan, 1, level);
    (void)user;
    g->used[lane] = true;
    for (uint32_t i = 1; i + 1 < n; i++) {
        uint32_t slot = chan[i + 1] - g->r->net->off[g->r->net->head[chan[i]]], to = vl_on_path(g, chan, i + 1, level);
        size_t place = (size_t)chan[i] * g->lanes + lane;
        g->succ[(place * g->lanes + to) * g->words + slot / 64] |= (uint64_t)1 << slot % 64;
        g->used[to] = true;
        lane = to;
    }
    return true;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* The next place after *at (start with UINT64_MAX) that may follow on place p; false past the last. */
static bool next_place(const struct vl_graph *g, uint32_t p, uint64_t *at, uint32_t *next)
{
    const struct hd_net *net = g->r->net;
    uint64_t bits = (uint64_t)g->lanes * g->words * 64, i = *at + 1;
    for (; i < bits; i++) {
        uint64_t word = g->succ[(size_t)p * g->lanes * g->words + i / 64] >> i % 64;
        if (!word) {
            i |= 63;
            continue;
        }
        i += (uint32_t)__builtin_ctzll(word);
        uint32_t to = (uint32_t)(i / 64 / g->words), slot = (uint32_t)(i % ((uint64_t)g->words * 64));
        *next = (net->off[net->head[p / g->lanes]] + slot) * g->lanes + to;
        *at = i;
        return true;
    }
    return false;
}

/* Removes places that none depends on until none is left; returns the number that remain, which have in[] set. */
static uint32_t remove_acyclic(struct vl_graph *g)
{
    uint32_t n = vl_places(g), next, done = 0, filled = 0;
    for (uint32_t p = 0; p < n; p++)
        for (uint64_t at = UINT64_MAX; next_place(g, p, &at, &next);) g->in[next]++;
    for (uint32_t p = 0; p < n; p++)
        if (g->in[p] == 0) g->queue[filled++] = p;
    for (; done < filled; done++)
        for (uint64_t at = UINT64_MAX; next_place(g, g->queue[done], &at, &next);)
            if (--g->in[next] == 0) g->queue[filled++] = next;
    return n - filled;
}

/* Writes the places of a shortest cycle through p into g->queue, in order; returns its length, 0: there is none. */
static uint32_t shortest_cycle(struct vl_graph *g, uint32_t p)
{
    uint32_t filled = 0, next, length = 0, last = UINT32_MAX;
    memset(g->from, 0xff, vl_places(g) * sizeof *g->from);
    g->queue[filled++] = p;
    for (uint32_t i = 0; i < filled && last == UINT32_MAX; i++)
        for (uint64_t at = UINT64_MAX; next_place(g, g->queue[i], &at, &next);) {
            if (next == p) {
                last = g->queue[i];
                break;
            }
            if (!g->in[next] || g->from[next] != UINT32_MAX) continue;
            g->from[next] = g->queue[i];
            g->queue[filled++] = next;
        }
    if (last == UINT32_MAX) return 0;
    for (uint32_t q = last; q != p; q = g->from[q]) length++;
    uint32_t at = length;
    for (uint32_t q = last; q != p; q = g->from[q]) g->in[at--] = q; /* in[] is no longer needed */
    g->in[0] = p;
    memcpy(g->queue, g->in, (length + 1) * sizeof *g->queue);
    return length + 1;
}

static bool find_example(struct vl_graph *g, const struct vl_path *path, void *user)
{
    const uint32_t *chan = path->chan, n = path->n, level = path->level;
    struct hd_check *k = user;
    uint32_t missing = 0, wanted = k->ncycle < 64 ? k->ncycle : 64;
    for (uint32_t j = 0; j < wanted; j++) {
        struct hd_dependency *dep = &k->cycle[j];
        for (uint32_t i = 1; i + 1 < n && dep->source == UINT32_MAX; i++) {
            uint32_t to = g->queue[(j + 1) % k->ncycle] % g->lanes;
            if (dep->c != chan[i] || dep->next != chan[i + 1] || vl_on_path(g, chan, i, level) != dep->lane ||
                vl_on_path(g, chan, i + 1, level) != to)
                continue;
            dep->source = path->source;
            dep->dest = path->dest;
        }
        missing += dep->source == UINT32_MAX;
    }
    return missing > 0;
}

static hd_status find_cycle(struct hd_ctx *ctx, struct vl_graph *g, struct hd_check *k)
{
    uint32_t n = vl_places(g), first = 0;
    k->ncycle = k->cycle_lane = 0;
    k->deadlock_free = 1;
    if (remove_acyclic(g) == 0) return HD_OK;
    while (first < n && !g->in[first]) first++;
    for (; first < n && !k->ncycle; first++) /* some lie between cycles, not on one */
        if (g->in[first]) k->ncycle = shortest_cycle(g, first);
    k->deadlock_free = 0;
    k->cycle_lane = g->queue[0] % g->lanes;
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++)
        k->cycle[i] = (struct hd_dependency){.c = g->queue[i] / g->lanes,
                                             .next = g->queue[(i + 1) % k->ncycle] / g->lanes,
                                             .source = UINT32_MAX,
                                             .dest = UINT32_MAX,
                                             .lane = g->queue[i] % g->lanes};
    return each_path(ctx, g, find_example, k);
}

/* ---- the check ------------------------------------------------------------------------------- */

static hd_status vl_graph_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, struct vl_graph *g)
{
    const struct hd_net *net = r->net;
    uint32_t ports = 1;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (hd_degree(net, v) > ports) ports = hd_degree(net, v);
    *g = (struct vl_graph){.r = r, .lanes = r->nlanes, .words = (ports + 63) / 64};
    g->succ = HD_NEW(a, uint64_t, (size_t)vl_places(g) * g->lanes * g->words);
    g->in = HD_NEW(a, uint32_t, vl_places(g));
    g->queue = HD_NEW(a, uint32_t, vl_places(g));
    g->from = HD_NEW(a, uint32_t, vl_places(g));
    g->used = HD_NEW(a, bool, g->lanes);
    return g->succ && g->in && g->queue && g->from && g->used ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_check_lanes(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *k)
{
    struct hd_arena scratch = {0};
    struct vl_graph g;
    hd_status s = vl_graph_init(ctx, &scratch, r, &g);
    if (s == HD_OK) s = each_path(ctx, &g, add_path, NULL);
    if (s == HD_OK) s = find_cycle(ctx, &g, k);
    for (uint32_t lane = 0; s == HD_OK && lane < g.lanes; lane++)
        if (g.used[lane]) k->lanes = lane + 1;
    hd_arena_release(&scratch);
    return s;
}
