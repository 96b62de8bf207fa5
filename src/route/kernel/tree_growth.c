/* SPDX-License-Identifier: BSD-2-Clause */
/* Dijkstra's search where a channel is looked at together with the channel that follows it. When a switch y joins, its
 * next channel is decided, and so is the turn of every channel into y: each is a candidate once, taken from the heap
 * by cost. It is refused if the turn closes a cycle in every lane in which y's path goes on. A lane in whose order the
 * turn goes forwards takes it as it is; a search that reorders a lane is made only where there is none, and, unless the
 * growth is eager, only for switches that no turn that goes forwards can reach. Ties go to the lower channel.
 * The heap holds candidates of one hop alone; most of those that are a hop further lead to switches that have joined
 * before their turn comes.
 * Cost: O(links log links) per tree, plus the searches of acyclic_order.c.
 * The search is that of Domke, Hoefler, Matsuoka: Routing on the dependency graph: a new approach to deadlock-free
 * high-performance routing. */
#include "route/kernel/tree_growth.h"
#include "base/status.h"
#include "route/core/switch_distance.h"

#include <string.h>

#define NONE UINT32_MAX /* no link */

static hd_status count_connected(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *connected)
{
    struct hd_arena scratch = {0};
    uint8_t *dist = HD_NEW(&scratch, uint8_t, net->nsw);
    uint32_t *queue = HD_NEW(&scratch, uint32_t, net->nsw);
    bool ok = dist && queue;
    for (uint32_t v = 0; ok && v < net->nsw; v++) {
        uint32_t n = connected[v] ? 0 : hd_dist_from(net, v, dist, queue);
        for (uint32_t i = 0; i < n; i++) connected[queue[i]] = n;
    }
    hd_arena_release(&scratch);
    return ok ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_growth_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_turn_graph *g, struct hd_growth *w)
{
    uint32_t nsw = g->r->net->nsw;
    *w = (struct hd_growth){.g = g};
    w->cost = HD_NEW(arena, uint64_t, nsw);
    w->hops = HD_NEW(arena, uint8_t, nsw);
    w->open = HD_NEW(arena, uint16_t, nsw);
    w->joined = HD_NEW(arena, bool, nsw);
    w->fresh = HD_NEW(arena, uint16_t, (size_t)nsw * g->nlanes);
    w->heap = HD_NEW(arena, struct hd_link_item, (size_t)g->lanes.links.n + 1);
    w->later = HD_NEW(arena, struct hd_link_item, (size_t)g->lanes.links.n + 1);
    w->refused = HD_NEW(arena, struct hd_link_item, (size_t)g->lanes.links.n + 1);
    bool ok = w->later && w->refused && w->cost && w->hops && w->joined && w->open && w->fresh && w->heap &&
              HD_NEW_U32(arena, nsw, &w->order, &w->next, &w->connected);
    return ok ? count_connected(ctx, g->r->net, w->connected) : hd_fail_memory(ctx);
}

/* ---- growing ---------------------------------------------------------------------------------- */

static void growth_begin(struct hd_growth *w, uint32_t t, uint32_t lanes)
{
    memset(w->hops, HD_FAR, w->g->r->net->nsw);
    memset(w->cost, 0xff, w->g->r->net->nsw * sizeof *w->cost);
    memset(w->fresh + (size_t)t * w->g->nlanes, 0, w->g->nlanes * sizeof *w->fresh);
    w->order[0] = t;
    w->n = 1;
    w->nheap = w->nlater = w->nrefused = 0;
    w->limit = 0;
    w->next[t] = NONE;
    w->cost[t] = w->hops[t] = 0;
    w->open[t] = (uint16_t)lanes;
}

static uint32_t growth_tail(const struct hd_growth *w, uint32_t a)
{
    const struct hd_links *l = &w->g->lanes.links;
    return l->net->tail[l->chan[a]];
}

static void growth_push(struct hd_growth *w, struct hd_link_item item)
{
    if (item.cost < w->limit)
        hd_link_push(w->heap, &w->nheap, item);
    else
        w->later[w->nlater++] = item;
}

/* The candidates up to the next multiple of a hop into the empty heap: false if there are none. */
static bool growth_refill(struct hd_growth *w, uint64_t hop)
{
    uint64_t least = UINT64_MAX;
    uint32_t n = w->nlater;
    w->nlater = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (w->hops[growth_tail(w, w->later[i].link)] != HD_FAR) continue;
        if (w->later[i].cost < least) least = w->later[i].cost;
        w->later[w->nlater++] = w->later[i];
    }
    w->limit = hop ? (least / hop + 1) * hop : UINT64_MAX;
    n = w->nlater;
    w->nlater = 0;
    for (uint32_t i = 0; i < n; i++) growth_push(w, w->later[i]);
    return w->nheap;
}

/* A candidate: over link a to y. Without a search, one that goes backwards in every lane is put off, and one that is
 * dearer than another of the same switch left out. */
static void offer_link(struct hd_growth *w, uint32_t a, uint32_t y, const struct hd_growth_cost *cost, bool search)
{
    const struct hd_links *l = &w->g->lanes.links;
    uint32_t x = growth_tail(w, a), b = w->next[y];
    struct hd_link_item item = {w->cost[y] + cost->hop + (uint64_t)HD_GROWTH_ONE * cost->pairs[a], a};
    if (b != NONE && cost->beta) item.cost -= (uint64_t)cost->beta * cost->turn_pairs[hd_turn(l, a, b)];
    if (!search && b != NONE && !hd_turn_open(w->g, w->open[y], a, b)) {
        w->refused[w->nrefused++] = item;
    } else if (search || item.cost <= w->cost[x]) {
        w->cost[x] = item.cost;
        growth_push(w, item);
    }
}

/* All channels into y, which has just joined, from switches that have not. */
static void offer_links(struct hd_growth *w, uint32_t y, const struct hd_growth_cost *cost, bool search)
{
    const struct hd_links *l = &w->g->lanes.links;
    if (w->hops[y] == HD_FAR - 1) return;
    for (uint32_t x = l->first[y]; x < l->first[y + 1]; x++)
        if (w->hops[l->head[x]] == HD_FAR) offer_link(w, l->back[x], y, cost, search);
}

/* The lanes in which a path may come over link a and go on over b, out of those of the path from there. */
static uint32_t admit_turn(struct hd_turn_graph *g, uint32_t lanes, uint32_t a, uint32_t b, bool search)
{
    uint32_t open = hd_turn_open(g, lanes, a, b);
    for (uint32_t left = open; left; left &= left - 1) hd_turn_hold(g, (uint32_t)__builtin_ctz(left), a, b);
    for (uint32_t left = open || !search ? 0 : lanes; left && !open; left &= left - 1)
        if (hd_turn_hold(g, (uint32_t)__builtin_ctz(left), a, b)) open = left & (0u - left);
    return open;
}

static void growth_join(struct hd_growth *w, uint32_t x, uint32_t a, uint32_t open, uint64_t cost)
{
    const struct hd_turn_graph *g = w->g;
    uint32_t y = g->lanes.links.head[a], b = w->next[y];
    for (uint32_t lane = 0; lane < g->nlanes; lane++)
        w->fresh[(size_t)x * g->nlanes + lane] =
            (uint16_t)(w->fresh[(size_t)y * g->nlanes + lane] +
                       (b != NONE && !g->uses[lane][hd_turn(&g->lanes.links, a, b)]));
    w->next[x] = a;
    w->cost[x] = cost;
    w->hops[x] = (uint8_t)(w->hops[y] + 1);
    w->open[x] = (uint16_t)open;
    w->order[w->n++] = x;
}

/* Candidates by increasing cost: a switch joins by the first that some lane admits. What is left when all have joined
 * is not looked at. */
static void drain_heap(struct hd_growth *w, const struct hd_growth_cost *cost, bool search)
{
    const struct hd_links *l = &w->g->lanes.links;
    const uint32_t all = w->connected[w->order[0]];
    while (w->n < all && (w->nheap || growth_refill(w, cost->hop))) {
        struct hd_link_item item = hd_link_pop(w->heap, &w->nheap);
        uint32_t x = growth_tail(w, item.link), y = l->head[item.link], open = w->open[y];
        if (w->hops[x] != HD_FAR) continue;
        if (w->next[y] != NONE) open = admit_turn(w->g, open, item.link, w->next[y], search);
        if (!open) continue;
        growth_join(w, x, item.link, open, item.cost);
        offer_links(w, x, cost, search);
    }
}

/* ---- out of an impasse ------------------------------------------------------------------------ */

/* The turn in all of the lanes. */
static bool hold_all(struct hd_turn_graph *g, uint32_t lanes, uint32_t a, uint32_t b)
{
    for (; lanes; lanes &= lanes - 1)
        if (!hd_turn_hold(g, (uint32_t)__builtin_ctz(lanes), a, b)) return false;
    return true;
}

/* Whether y can take link b instead of its own, in all its lanes, and with it all that come through y. */
static bool may_divert(struct hd_growth *w, uint32_t y, uint32_t b)
{
    const struct hd_links *l = &w->g->lanes.links;
    uint32_t z = l->head[b];
    if (b == w->next[y] || w->hops[z] == HD_FAR || (w->open[y] & ~w->open[z])) return false;
    for (uint32_t v = z; w->next[v] != NONE; v = l->head[w->next[v]])
        if (v == y) return false;
    if (w->next[z] != NONE && !hold_all(w->g, w->open[y], b, w->next[z])) return false;
    for (uint32_t x = l->first[y]; x < l->first[y + 1]; x++) {
        uint32_t v = l->head[x], a = l->back[x];
        if (w->hops[v] != HD_FAR && w->next[v] == a && !hold_all(w->g, w->open[v], a, b)) return false;
    }
    return true;
}

/* Joins x, to which no turn leads, by another next link of one of its neighbours. */
static bool divert_neighbour(struct hd_growth *w, uint32_t x)
{
    const struct hd_links *l = &w->g->lanes.links;
    for (uint32_t a = l->first[x]; a < l->first[x + 1]; a++) {
        uint32_t y = l->head[a], open = 0;
        if (w->hops[y] == HD_FAR) continue;
        for (uint32_t b = l->first[y]; b < l->first[y + 1] && !open; b++) {
            if (!may_divert(w, y, b) || !(open = admit_turn(w->g, w->open[y], a, b, true))) continue;
            w->next[y] = b;
            growth_join(w, x, a, open, w->cost[y]);
        }
        if (open) return true;
    }
    return false;
}

/* Order, hops and fresh turns of a tree whose links have changed. A switch whose path is too long leaves it. */
static void growth_recount(struct hd_growth *w)
{
    const struct hd_links *l = &w->g->lanes.links;
    uint32_t t = w->order[0];
    memset(w->hops, HD_FAR, l->net->nsw);
    w->hops[t] = 0;
    w->n = 1;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t y = w->order[i];
        for (uint32_t x = l->first[y]; x < l->first[y + 1] && w->hops[y] < HD_FAR - 1; x++) {
            uint32_t v = l->head[x];
            if (v != t && w->hops[v] == HD_FAR && w->joined[v] && w->next[v] == l->back[x])
                growth_join(w, v, l->back[x], w->open[v], w->cost[v]);
        }
    }
}

/* Joins switches that were not reached, as long as a neighbour can take another link. */
static void divert_all(struct hd_growth *w, const struct hd_growth_cost *cost)
{
    const struct hd_net *net = w->g->r->net;
    uint32_t before = w->n;
    for (uint32_t v = 0, last = 0; last < net->nsw; v = v + 1 < net->nsw ? v + 1 : 0, last++) {
        if (w->hops[v] != HD_FAR || !divert_neighbour(w, v)) continue;
        offer_links(w, v, cost, true);
        drain_heap(w, cost, true);
        last = 0;
    }
    if (w->n == before) return;
    for (uint32_t v = 0; v < net->nsw; v++) w->joined[v] = w->hops[v] != HD_FAR;
    growth_recount(w);
}

void hd_growth_run(struct hd_growth *w, uint32_t t, uint32_t lanes, const struct hd_growth_cost *cost)
{
    growth_begin(w, t, lanes);
    offer_links(w, t, cost, cost->eager);
    drain_heap(w, cost, cost->eager);
    for (uint32_t i = 0; i < w->nrefused; i++)
        if (w->hops[growth_tail(w, w->refused[i].link)] == HD_FAR) growth_push(w, w->refused[i]);
    w->nrefused = 0;
    drain_heap(w, cost, true);
    if (w->n < w->connected[t]) divert_all(w, cost);
}

void hd_growth_reserved(struct hd_growth *w, uint32_t t, uint32_t lane)
{
    const struct hd_links *l = &w->g->lanes.links;
    growth_begin(w, t, 1u << lane);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t y = w->order[i];
        for (uint32_t x = l->first[y]; x < l->first[y + 1]; x++)
            if (w->g->reserved[lane][x] && w->hops[l->head[x]] == HD_FAR && w->hops[y] < HD_FAR - 1)
                growth_join(w, l->head[x], l->back[x], 1u << lane, w->cost[y] + 1);
    }
}

/* ---- what has grown --------------------------------------------------------------------------- */

uint32_t hd_growth_lane(const struct hd_growth *w, uint32_t v)
{
    const uint16_t *fresh = w->fresh + (size_t)v * w->g->nlanes;
    uint32_t best = (uint32_t)__builtin_ctz(w->open[v]);
    for (uint32_t left = w->open[v]; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (fresh[lane] < fresh[best]) best = lane;
    }
    return best;
}

void hd_growth_row(const struct hd_growth *w, uint8_t *row)
{
    const uint32_t t = w->order[0];
    const uint8_t kept = row[t];
    memset(row, HD_SLOT_NONE, w->g->r->net->nsw);
    row[t] = kept;
    for (uint32_t i = 1; i < w->n; i++)
        row[w->order[i]] = hd_link_slot(&w->g->lanes.links, w->order[i], w->next[w->order[i]]);
}
