/* SPDX-License-Identifier: BSD-2-Clause */
/* Deadlock freedom of routes whose VLs differ between the sources of a switch, or change along the path.
 *
 * Dependencies are between places, channels in a VL (channel_deps.h), which must have no cycle. All pairs of
 * endpoints that a proof is about are visited, without aggregation nodes; those with the same leaf switch, destination
 * and service level have the same path from the first switch on, which is walked once for each VL that they begin in. A
 * place has one bit for each (slot, VL) that may follow. Packets that do not arrive wait for each other as well: the
 * path up to a hole counts, and a loop until channels and VLs repeat. Cost O(pairs + leaf switches * destinations *
 * service levels * hops). */
#include "route/check/check_vls.h"
#include "base/status.h"
#include "route/check/check_everyone.h"
#include "route/core/sl2vl.h"
#include "route/kernel/channel_deps.h"

#include <string.h>

struct vl_graph {
    const struct hd_routes *r;
    const uint8_t *kind; /* [nep] enum hd_proof_kind */
    struct hd_deps deps;
    bool *used;      /* [lanes] */
    uint32_t *cycle; /* places of the cycle that was found */
};

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

/* The channels from endpoint s along a row, in a loop as many as there is room for. */
static uint32_t vl_walk(const struct hd_net *net, const uint8_t *row, uint32_t s, uint32_t *chan, size_t room)
{
    uint32_t n = 0, v = hd_leaf(net, s);
    chan[n++] = net->off[net->nsw + s];
    while (v < net->nsw && n < room && net->off[v] + row[v] < net->off[v + 1]) {
        chan[n] = net->off[v] + row[v];
        v = net->head[chan[n++]];
    }
    return n;
}

/* How many channels of a path packets enter: all, or those before a switch drops them. */
static uint32_t vl_entered(const struct vl_graph *g, const uint32_t *chan, uint32_t n, uint32_t level)
{
    uint32_t i = 1;
    while (i < n && (g->r->lane_rule != HD_LANE_HOP || vl_on_path(g, chan, i, level) != HD_LANE_DROP)) i++;
    return i;
}

struct vl_visit { /* by leaf and service level, sets of VLs that paths begin in */
    uint16_t (*seen)[16];
    uint32_t *chan; /* [room] */
    size_t room;    /* to a loop, and around it once for each VL and until the first channel is met again */
    uint8_t *buf;   /* [nsw] */
    const uint8_t *row;
    uint32_t d, x;
    bool (*one)(struct vl_graph *g, const struct vl_path *path, void *user);
    void *user;
    bool drops; /* some path ends early */
};

/* The path from s, unless it is that of another source. */
static bool visit_pair(struct vl_graph *g, struct vl_visit *w, uint32_t s)
{
    const struct hd_routes *r = g->r;
    const uint32_t leaf = r->leaf_of[hd_leaf(r->net, s)], level = hd_routes_lane(r, s, w->d, w->x);
    if (r->lane_rule == HD_LANE_PAIR && w->seen[leaf][level]) return true;
    const uint32_t n = vl_walk(r->net, w->row, s, w->chan, w->room);
    if (n < 2) return true;
    const uint16_t bit = (uint16_t)(1u << vl_on_path(g, w->chan, 1, level));
    if (w->seen[leaf][level] & bit) return true;
    const uint32_t entered = vl_entered(g, w->chan, n, level);
    w->seen[leaf][level] |= bit;
    w->drops |= entered < n;
    if (entered < 3) return true; /* through one switch: no dependency */
    return w->one(g, &(struct vl_path){w->chan, entered, s, w->d, level}, w->user);
}

/* Calls w->one with the paths of all pairs, for the variants that they use; equal paths once. */
static void each_path(struct vl_graph *g, struct vl_visit *w)
{
    const struct hd_routes *r = g->r;
    const struct hd_net *net = r->net;
    const bool one = r->select == HD_SELECT_SOURCE || r->select == HD_SELECT_PAIR;
    bool more = true;
    for (uint32_t d = 0; d < net->nep && more; d++)
        for (uint32_t x = 0; x < r->nvar && more && g->kind[d] < HD_PROOF_AGGREGATION; x++) {
            memset(w->seen, 0, r->nleaf * sizeof *w->seen);
            w->row = hd_routes_row(r, d, x, w->buf);
            w->d = d;
            w->x = x;
            for (uint32_t s = 0; s < net->nep && more; s++)
                if (s != d && g->kind[s] < HD_PROOF_AGGREGATION && (!one || hd_routes_variant(r, s, d) == x))
                    more = visit_pair(g, w, s);
        }
}

static hd_status vl_visit_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, struct vl_visit *w)
{
    w->seen = hd_alloc(a, r->nleaf, sizeof *w->seen);
    w->room = (r->nlanes + (size_t)1) * r->net->nsw + 2;
    w->chan = HD_NEW(a, uint32_t, w->room);
    w->buf = HD_NEW(a, uint8_t, r->net->nsw);
    return w->seen && w->chan && w->buf ? HD_OK : hd_fail_memory(ctx);
}

static bool add_path(struct vl_graph *g, const struct vl_path *path, void *user)
{
    const uint32_t *chan = path->chan, n = path->n, level = path->level;
    uint32_t lane = vl_on_path(g, chan, 1, level);
    (void)user;
    g->used[lane] = true;
    for (uint32_t i = 1; i + 1 < n; i++) {
        uint32_t slot = chan[i + 1] - g->r->net->off[g->r->net->head[chan[i]]], to = vl_on_path(g, chan, i + 1, level);
        hd_deps_add(&g->deps, chan[i], lane, to * g->deps.ports + slot);
        g->used[to] = true;
        lane = to;
    }
    return true;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static bool find_example(struct vl_graph *g, const struct vl_path *path, void *user)
{
    const uint32_t *chan = path->chan, n = path->n, level = path->level;
    struct hd_check *k = user;
    uint32_t missing = 0, wanted = k->ncycle < 64 ? k->ncycle : 64;
    for (uint32_t j = 0; j < wanted; j++) {
        struct hd_dependency *dep = &k->cycle[j];
        for (uint32_t i = 1; i + 1 < n && dep->source == UINT32_MAX; i++) {
            uint32_t to = g->cycle[(j + 1) % k->ncycle] % g->deps.nlanes;
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

static hd_status find_cycle(struct hd_ctx *ctx, struct hd_arena *a, struct vl_graph *g, struct vl_visit *w,
                            struct hd_check *k)
{
    uint32_t lanes = g->deps.nlanes;
    HD_TRY(hd_deps_cycle(ctx, a, &g->deps, 1, &g->cycle, &k->ncycle));
    k->deadlock_free = k->ncycle == 0;
    k->cycle_lane = k->ncycle ? g->cycle[0] % lanes : 0;
    if (!k->ncycle) return HD_OK;
    for (uint32_t i = 0; i < k->ncycle && i < 64; i++)
        k->cycle[i] = (struct hd_dependency){.c = g->cycle[i] / lanes,
                                             .next = g->cycle[(i + 1) % k->ncycle] / lanes,
                                             .source = UINT32_MAX,
                                             .dest = UINT32_MAX,
                                             .lane = g->cycle[i] % lanes};
    w->one = find_example;
    w->user = k;
    each_path(g, w);
    return HD_OK;
}

hd_status hd_check_lanes(struct hd_ctx *ctx, const struct hd_routes *r, const uint8_t *kind, struct hd_check *k)
{
    struct hd_arena scratch = {0};
    struct vl_graph g = {.r = r, .kind = kind, .used = HD_NEW(&scratch, bool, r->nlanes)};
    hd_status s = g.used ? hd_deps_init(ctx, &scratch, r->net, r->nlanes, true, &g.deps) : hd_fail_memory(ctx);
    struct vl_visit w = {.one = add_path};
    if (s == HD_OK) s = vl_visit_init(ctx, &scratch, r, &w);
    if (s == HD_OK) each_path(&g, &w);
    if (s == HD_OK) s = find_cycle(ctx, &scratch, &g, &w, k);
    if (s == HD_OK && w.drops) k->lanes = 1; /* at least, although packets may be dropped everywhere */
    for (uint32_t lane = 0; s == HD_OK && lane < r->nlanes; lane++)
        if (g.used[lane]) k->lanes = lane + 1;
    hd_arena_release(&scratch);
    return s;
}
