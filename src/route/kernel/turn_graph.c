/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of turns over dynamic topological orders (acyclic_order.c). Taking a turn out leaves the order of its lane
 * valid, so only new turns cost a search. A path is walked from its leaf switch up to the first switch that another
 * path of the same destination and lane has met: each turn is counted once per destination.
 * Cost: 1 step per turn of a tree, plus the searches. Our own. */
#include "route/kernel/turn_graph.h"
#include "base/status.h"

#include <string.h>

#define NONE UINT32_MAX /* no link */

enum {
    TRIALS = 4
}; /* per link and lane: a growth tries one turn of each link, and some more to get out of an impasse */

hd_status hd_turn_graph_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, uint32_t nlanes,
                             struct hd_turn_graph *g)
{
    *g = (struct hd_turn_graph){.r = r, .nlanes = nlanes};
    HD_TRY(hd_acyclic_init(ctx, arena, r->net, &g->lanes));
    HD_TRY(hd_acyclic_remember(ctx, &g->lanes));
    const struct hd_links *l = &g->lanes.links;
    g->maxtrial = (size_t)TRIALS * l->n * nlanes;
    g->trial = HD_NEW(arena, struct hd_turn_trial, g->maxtrial);
    g->stamp = HD_NEW(arena, uint32_t, (size_t)r->net->nsw * nlanes);
    if (!g->trial || !g->stamp) return hd_fail_memory(ctx);
    for (uint32_t lane = 0; lane < nlanes; lane++) {
        if (!(g->uses[lane] = HD_NEW(arena, uint32_t, l->turn[l->n]))) return hd_fail_memory(ctx);
        HD_TRY(hd_acyclic_open(ctx, &g->lanes, lane, NULL));
    }
    return HD_OK;
}

/* ---- counts --------------------------------------------------------------------------------- */

static void drop_unused(struct hd_turn_graph *g, uint32_t t, uint32_t lane)
{
    if (!g->uses[lane][t]) g->lanes.in[t] &= (uint16_t) ~(1u << lane);
}

/* One destination more on a turn, or less. */
static void count_turn(struct hd_turn_graph *g, uint32_t lane, uint32_t a, uint32_t b, bool more)
{
    uint32_t t = hd_turn(&g->lanes.links, a, b);
    if (more) {
        if (!g->uses[lane][t]++) hd_acyclic_add(&g->lanes, lane, (struct hd_turn){a, b});
    } else {
        g->uses[lane][t]--;
        drop_unused(g, t, lane);
    }
}

/* ---- the spanning tree ----------------------------------------------------------------------- */

struct spanning {
    const struct hd_links *l;
    bool *in_tree;         /* [links] */
    bool *met;             /* [nsw] */
    uint32_t *queue, n;    /* [nsw] switches in the order in which they were met */
    uint32_t *left, nleft; /* [nsw] those whose neighbours may not all have been met */
};

/* Up to so many neighbours of v that were not met become its children; true if there may be more of them. */
static bool spanning_children(struct spanning *s, uint32_t v, uint32_t most)
{
    const struct hd_links *l = s->l;
    for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) {
        uint32_t x = l->head[a];
        if (s->met[x]) continue;
        if (!most--) return true;
        s->met[x] = s->in_tree[a] = s->in_tree[l->back[a]] = true;
        s->queue[s->n++] = x;
    }
    return false;
}

/* Marks the links of a breadth-first tree from the switches of the order, both directions. */
static void mark_spanning(struct spanning *s, const uint32_t *order, uint32_t children)
{
    for (uint32_t k = 0; k < s->l->net->nsw; k++) {
        if (s->met[order[k]]) continue;
        s->met[order[k]] = true;
        s->queue[0] = order[k];
        s->n = 1;
        s->nleft = 0;
        for (uint32_t i = 0; i < s->n; i++)
            if (spanning_children(s, s->queue[i], children)) s->left[s->nleft++] = s->queue[i];
        for (uint32_t i = 0; i < s->nleft; i++) {
            uint32_t more = s->n;
            spanning_children(s, s->left[i], UINT32_MAX);
            for (; more < s->n; more++)
                if (spanning_children(s, s->queue[more], children)) s->left[s->nleft++] = s->queue[more];
        }
    }
}

/* Holds the turns between two links of the tree; how many would close a cycle. */
static uint32_t hold_reserved(struct hd_turn_graph *g, uint32_t lane, const bool *in_tree)
{
    const struct hd_links *l = &g->lanes.links;
    uint32_t refused = 0;
    for (uint32_t a = 0; a < l->n; a++)
        for (uint32_t b = l->first[l->head[a]]; in_tree[a] && b < l->first[l->head[a] + 1]; b++)
            refused += in_tree[b] && b != l->back[a] && !hd_turn_hold(g, lane, a, b);
    return refused;
}

/* Every turn between two links of the tree, in the bits of the lane and in the counts. */
static void add_reserved(struct hd_turn_graph *g, uint32_t lane)
{
    const struct hd_links *l = &g->lanes.links;
    const bool *in_tree = g->reserved[lane];
    for (uint32_t a = 0; a < l->n; a++)
        for (uint32_t b = l->first[l->head[a]]; in_tree[a] && b < l->first[l->head[a] + 1]; b++) {
            if (!in_tree[b] || b == l->back[a]) continue;
            hd_acyclic_add(&g->lanes, lane, (struct hd_turn){a, b}); /* a tree has no cycle */
            g->uses[lane][hd_turn(l, a, b)]++;
        }
}

static hd_status make_spanning(struct hd_ctx *ctx, const struct hd_links *l, const uint32_t *order, uint32_t children,
                               bool *in_tree)
{
    struct hd_arena scratch = {0};
    struct spanning tree = {.l = l, .in_tree = in_tree, .met = HD_NEW(&scratch, bool, l->net->nsw)};
    bool ok = tree.met && HD_NEW_U32(&scratch, l->net->nsw, &tree.queue, &tree.left);
    if (ok) {
        memset(in_tree, 0, l->n * sizeof *in_tree);
        mark_spanning(&tree, order, children);
    }
    hd_arena_release(&scratch);
    return ok ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_turn_graph_reserve(struct hd_ctx *ctx, struct hd_turn_graph *g, uint32_t lane, const uint32_t *order,
                                uint32_t children)
{
    if (!g->reserved[lane]) g->reserved[lane] = HD_NEW(g->lanes.arena, bool, g->lanes.links.n);
    if (!g->reserved[lane]) return hd_fail_memory(ctx);
    HD_TRY(make_spanning(ctx, &g->lanes.links, order, children, g->reserved[lane]));
    return hd_turn_graph_clear(ctx, g, lane, NULL);
}

void hd_turn_graph_release(struct hd_turn_graph *g, uint32_t lane)
{
    const struct hd_links *l = &g->lanes.links;
    const bool *in_tree = g->reserved[lane];
    for (uint32_t a = 0; in_tree && a < l->n; a++)
        for (uint32_t b = l->first[l->head[a]]; in_tree[a] && b < l->first[l->head[a] + 1]; b++)
            if (in_tree[b] && b != l->back[a]) count_turn(g, lane, a, b, false);
    g->reserved[lane] = NULL;
}

hd_status hd_turn_graph_join(struct hd_ctx *ctx, struct hd_turn_graph *g, uint32_t lane, const uint32_t *order,
                             uint32_t *refused)
{
    bool *in_tree = HD_NEW(g->lanes.arena, bool, g->lanes.links.n);
    if (!in_tree) return hd_fail_memory(ctx);
    HD_TRY(make_spanning(ctx, &g->lanes.links, order, UINT32_MAX, in_tree));
    if (!(*refused = hold_reserved(g, lane, in_tree))) {
        g->reserved[lane] = in_tree;
        add_reserved(g, lane);
    }
    hd_turn_settle(g);
    return HD_OK;
}

hd_status hd_turn_graph_clear(struct hd_ctx *ctx, struct hd_turn_graph *g, uint32_t lane, const uint32_t *order)
{
    const struct hd_links *l = &g->lanes.links;
    for (uint32_t t = 0; t < l->turn[l->n]; t++) g->lanes.in[t] &= (uint16_t) ~(1u << lane);
    memset(g->uses[lane], 0, l->turn[l->n] * sizeof *g->uses[lane]);
    if (order) HD_TRY(hd_acyclic_open(ctx, &g->lanes, lane, order));
    if (g->reserved[lane]) add_reserved(g, lane);
    return HD_OK;
}

/* ---- trees come and go ----------------------------------------------------------------------- */

uint32_t hd_turn_open(const struct hd_turn_graph *g, uint32_t lanes, uint32_t a, uint32_t b)
{
    uint32_t open = g->lanes.in[hd_turn(&g->lanes.links, a, b)];
    for (uint32_t left = lanes & ~open; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        open |= (uint32_t)(g->lanes.order[lane][a] < g->lanes.order[lane][b]) << lane;
    }
    return open & lanes;
}

bool hd_turn_hold(struct hd_turn_graph *g, uint32_t lane, uint32_t a, uint32_t b)
{
    uint32_t t = hd_turn(&g->lanes.links, a, b);
    if (g->lanes.in[t] >> lane & 1) return true;
    if (g->ntrial == g->maxtrial || !hd_acyclic_add(&g->lanes, lane, (struct hd_turn){a, b})) return false;
    g->trial[g->ntrial++] = (struct hd_turn_trial){t, lane};
    return true;
}

void hd_turn_settle(struct hd_turn_graph *g)
{
    while (g->ntrial) {
        const struct hd_turn_trial *t = &g->trial[--g->ntrial];
        drop_unused(g, t->turn, t->lane);
    }
}

static uint32_t turn_graph_link(const struct hd_turn_graph *g, const uint8_t *row, uint32_t v)
{
    return row[v] == HD_SLOT_NONE ? NONE : g->lanes.links.of[g->lanes.links.net->off[v] + row[v]];
}

static void turn_graph_walk(struct hd_turn_graph *g, const uint8_t *row, const uint8_t *lane, size_t stride, bool more)
{
    g->pass++;
    for (uint32_t i = 0; i < g->r->nleaf; i++) {
        uint32_t in = lane[i * stride], v = g->r->leaf[i], a = turn_graph_link(g, row, v), b;
        for (; a != NONE && g->stamp[(size_t)v * g->nlanes + in] != g->pass; a = b) {
            g->stamp[(size_t)v * g->nlanes + in] = g->pass;
            v = g->lanes.links.head[a];
            if ((b = turn_graph_link(g, row, v)) == NONE) break;
            count_turn(g, in, a, b, more);
        }
    }
}

void hd_turn_graph_count(struct hd_turn_graph *g, const uint8_t *row, const uint8_t *lane, size_t stride)
{
    turn_graph_walk(g, row, lane, stride, true);
}

void hd_turn_graph_remove(struct hd_turn_graph *g, const uint8_t *row, const uint8_t *lane, size_t stride)
{
    turn_graph_walk(g, row, lane, stride, false);
}
