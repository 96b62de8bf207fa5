/* SPDX-License-Identifier: BSD-2-Clause */
/* Dijkstra's search from all switches that still deliver at once. A link into a switch that has joined is a
 * candidate; its key is the hops of the path, then whether it is another entry than the old one, then the load of
 * the path. So no path is longer than it must be, and of those behind a fault that can keep their entry all do. A
 * candidate is dropped if no lane admits its turn. What costs a hop more or does not load less never moves.
 *
 * A switch whose old path is no longer admitted must join again if traffic of a leaf switch comes through it;
 * otherwise it stays, but nobody joins there. Spine switches may be left without an admitted path; no traffic
 * reaches them, so they take any.
 * Cost: see keep_tree.h. Our own. */
#include "route/keep/keep_tree.h"
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/kernel/sssp_options.h"

#include <string.h>

#define NONE UINT32_MAX /* no link */

enum keep_state { WANTED, STAYS, JOINED };
enum { LOAD_ONE = 2, HOP_SHIFT = 48 }; /* a pair costs this much, of which a turn gives half back */
#define STAY_MOST ((uint64_t)1 << (HOP_SHIFT - 1))

hd_status hd_keep_tree_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_keep_turns *turns,
                            struct hd_keep_tree *w)
{
    const struct hd_links *l = turns->links;
    const struct hd_net *net = l->net;
    uint32_t parts;
    *w = (struct hd_keep_tree){.turns = turns};
    w->load.pairs = HD_NEW(arena, uint32_t, l->n);
    w->load.turn_pairs = HD_NEW(arena, uint32_t, l->turn[l->n]);
    w->part_of = HD_NEW(arena, uint32_t, (size_t)net->nsw + net->nep);
    w->state = HD_NEW(arena, uint8_t, net->nsw);
    w->hops = HD_NEW(arena, uint8_t, net->nsw);
    w->open = HD_NEW(arena, uint16_t, net->nsw);
    w->cost = HD_NEW(arena, uint64_t, net->nsw);
    w->heap = HD_NEW(arena, struct hd_link_item, (size_t)l->n + 1);
    bool ok = w->load.pairs && w->load.turn_pairs && w->part_of && w->state && w->hops && w->open && w->cost &&
              w->heap && HD_NEW_U32(arena, net->nsw, &w->all, &w->next, &w->queue, &w->load.sources, &w->load.flow);
    if (!ok) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) w->all[v] = v;
    hd_sssp_sources(net, w->load.sources);
    HD_TRY(hd_reach_init(ctx, arena, net, &w->reach));
    return hd_net_parts(ctx, net, w->part_of, &parts);
}

/* ---- loads -------------------------------------------------------------------------------------- */

void hd_keep_flows(struct hd_keep_tree *w, uint32_t t, const uint8_t *row, hd_keep_visit *visit, void *user)
{
    const struct hd_links *l = w->turns->links;
    const struct hd_routes *r = w->turns->r;
    uint32_t *sent = w->load.flow;
    hd_reach_begin(&w->reach);
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t v = r->leaf[i];
        if (v == t || !w->load.sources[v]) continue;
        hd_reach_follow(&w->reach, row, t, &v, 1);
        if (w->reach.hops[v] < HD_REACH_LOOP) sent[v] = w->load.sources[v];
    }
    for (uint32_t i = w->reach.nmet; i-- > 0;) {
        uint32_t v = w->reach.met[i], flow = sent[v], a = hd_keep_link(l, row, v), to;
        sent[v] = 0;
        if (!flow || a == NONE) continue;
        to = l->head[a];
        if (to != t) sent[to] += flow;
        visit(w, v, a, to == t ? NONE : hd_keep_link(l, row, to), flow, user);
    }
}

static void keep_add(struct hd_keep_tree *w, uint32_t v, uint32_t a, uint32_t b, uint32_t flow, void *user)
{
    uint32_t by = *(const bool *)user ? flow : 0 - flow;
    (void)v;
    w->load.pairs[a] += by;
    if (b != NONE) w->load.turn_pairs[hd_turn(w->turns->links, a, b)] += by;
}

void hd_keep_count(struct hd_keep_tree *w, uint32_t t, const uint8_t *row, bool more)
{
    hd_keep_flows(w, t, row, keep_add, &more);
}

/* Load of the path from the tail of link a, which goes on by w->next of its head. */
static uint64_t keep_cost(const struct hd_keep_tree *w, uint32_t a)
{
    const struct hd_links *l = w->turns->links;
    uint32_t y = l->head[a], b = w->next[y];
    uint64_t cost = w->cost[y] + (uint64_t)LOAD_ONE * w->load.pairs[a];
    if (b != NONE) cost -= w->load.turn_pairs[hd_turn(l, a, b)];
    return cost < STAY_MOST ? cost : STAY_MOST - 1;
}

/* ---- what is kept ------------------------------------------------------------------------------- */

static void keep_join(struct hd_keep_tree *w, uint32_t x, uint32_t a, uint32_t open)
{
    uint32_t y = w->turns->links->head[a];
    w->cost[x] = keep_cost(w, a);
    w->next[x] = a;
    w->hops[x] = (uint8_t)(w->hops[y] + 1);
    w->open[x] = (uint16_t)open;
    w->state[x] = JOINED;
    w->queue[w->n++] = x;
}

/* Lanes in which a path may go over link a, whose head has joined. */
static uint32_t keep_open(struct hd_keep_tree *w, uint32_t a)
{
    uint32_t y = w->turns->links->head[a];
    if (w->state[y] != JOINED || w->hops[y] >= HD_FAR - 1) return 0;
    return w->next[y] == NONE ? w->open[y] : hd_keep_admit(w->turns, w->open[y], a, w->next[y]);
}

/* Those on the path of a leaf switch whose turns are not admitted have to join again. */
static void keep_want_path(struct hd_keep_tree *w, uint32_t v)
{
    while (w->state[v] == STAYS) {
        w->state[v] = WANTED;
        v = w->turns->links->head[w->next[v]];
    }
}

/* The part of the kept row that delivers. */
static void keep_seed(struct hd_keep_tree *w, const struct hd_keep_job *job)
{
    const struct hd_links *l = w->turns->links;
    const struct hd_routes *r = w->turns->r;
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, job->kept, job->t, w->all, job->t);
    hd_reach_follow(&w->reach, job->kept, job->t, w->all + job->t + 1, l->net->nsw - job->t - 1);
    for (uint32_t i = 0; i < w->reach.nmet; i++) {
        uint32_t v = w->reach.met[i], a, open;
        if (w->reach.hops[v] >= HD_REACH_LOOP || (a = hd_keep_link(l, job->kept, v)) == NONE) continue;
        if ((open = keep_open(w, a))) {
            keep_join(w, v, a, open);
        } else {
            w->state[v] = STAYS;
            w->next[v] = a;
        }
    }
    for (uint32_t i = 0; i < r->nleaf; i++) keep_want_path(w, r->leaf[i]);
}

/* ---- growing ------------------------------------------------------------------------------------ */

static void keep_offer(struct hd_keep_tree *w, const struct hd_keep_job *job, uint32_t x, uint32_t a)
{
    const struct hd_links *l = w->turns->links;
    if (job->only && !job->only[a]) return;
    uint64_t key = (uint64_t)(w->hops[l->head[a]] + 1u) << HOP_SHIFT, load = keep_cost(w, a);
    if (hd_keep_link(l, job->was, x) != a) load += job->stay ? job->stay[x] : STAY_MOST;
    hd_link_push(w->heap, &w->nheap, (struct hd_link_item){key + (load < 2 * STAY_MOST ? load : 2 * STAY_MOST - 1), a});
}

static void keep_offer_into(struct hd_keep_tree *w, const struct hd_keep_job *job, uint32_t y)
{
    const struct hd_links *l = w->turns->links;
    for (uint32_t x = l->first[y]; x < l->first[y + 1]; x++)
        if (w->state[l->head[x]] == WANTED) keep_offer(w, job, l->head[x], l->back[x]);
}

static void keep_drain(struct hd_keep_tree *w, const struct hd_keep_job *job)
{
    const struct hd_links *l = w->turns->links;
    while (w->nheap) {
        uint32_t a = hd_link_pop(w->heap, &w->nheap).link, x = l->net->tail[l->chan[a]], open;
        if (w->state[x] != WANTED || !(open = keep_open(w, a) & job->joining)) continue;
        keep_join(w, x, a, open);
        keep_offer_into(w, job, x);
    }
}

/* Switches that no leaf switch needs: those that stay, and those left over, by any link. */
static void keep_rest(struct hd_keep_tree *w, const struct hd_keep_job *job)
{
    const struct hd_links *l = w->turns->links;
    for (uint32_t i = 0; i < w->n && w->n < l->net->nsw; i++)
        for (uint32_t y = w->queue[i], x = l->first[y]; x < l->first[y + 1]; x++) {
            uint32_t v = l->head[x], a = l->back[x];
            if (w->state[v] == JOINED || (w->state[v] == STAYS && w->next[v] != a)) continue;
            if (w->state[v] == WANTED && job->fresh[v] == HD_SLOT_NONE) continue;
            if (w->hops[y] < HD_FAR - 1) keep_join(w, v, a, 0);
        }
}

bool hd_keep_grow(struct hd_keep_tree *w, const struct hd_keep_job *job, uint8_t *row)
{
    const struct hd_links *l = w->turns->links;
    const struct hd_routes *r = w->turns->r;
    const uint32_t nsw = l->net->nsw, t = job->t;
    memset(w->state, WANTED, nsw);
    w->state[t] = JOINED;
    w->next[t] = NONE;
    w->hops[t] = 0;
    w->cost[t] = 0;
    w->open[t] = (uint16_t)job->lanes;
    w->queue[0] = t;
    w->n = 1;
    w->nheap = 0;
    if (job->kept) keep_seed(w, job);
    for (uint32_t x = 0; x < nsw; x++)
        for (uint32_t a = l->first[x]; w->state[x] == WANTED && a < l->first[x + 1]; a++)
            if (w->state[l->head[a]] == JOINED) keep_offer(w, job, x, a);
    keep_drain(w, job);
    for (uint32_t i = 0; i < r->nleaf; i++)
        if (w->state[r->leaf[i]] != JOINED && w->part_of[r->leaf[i]] == w->part_of[t]) return false;
    keep_rest(w, job);
    for (uint32_t v = 0; v < nsw; v++)
        if (v != t) row[v] = w->state[v] == JOINED ? hd_link_slot(l, v, w->next[v]) : HD_SLOT_NONE;
    return true;
}
