/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns that are admitted (keep_turns.h). In a graph each lane begins with a topological order of the turns that its
 * rows have anyway, so putting them in costs no search; where they have a cycle, the links on and behind it come last,
 * and the row that would close it is refused. Cost: two walks over all rows at the beginning, then one step per turn,
 * plus the searches of acyclic_order.c. Our own. */
#include "route/keep/keep_turns.h"
#include "base/status.h"
#include "route/kernel/betweenness.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX /* no link */

enum { ROOTS = 16 }; /* of spanning trees that are tried */

/* The turns of all rows, as bits of lanes. */
static void keep_mark_turns(struct hd_keep_turns *k, const uint8_t *lane)
{
    const struct hd_routes *r = k->r;
    const struct hd_links *l = k->links;
    const size_t rows = (size_t)r->net->nep * r->nvar;
    uint32_t *stamp = k->graph.stamp, n = k->graph.nlanes;
    for (size_t q = 0; q < rows; q++) {
        const uint8_t *row = r->table + q * r->net->nsw;
        uint32_t pass = ++k->graph.pass;
        for (uint32_t i = 0; i < r->nleaf; i++) {
            uint32_t v = r->leaf[i], in = lane[i * rows + q], a = hd_keep_link(l, row, v), b;
            for (; a != NONE && stamp[(size_t)v * n + in] != pass; a = b) {
                stamp[(size_t)v * n + in] = pass;
                v = l->head[a];
                if ((b = hd_keep_link(l, row, v)) == NONE) break;
                k->graph.lanes.in[hd_turn(l, a, b)] |= (uint16_t)(1u << in);
            }
        }
    }
}

/* Kahn's sort of the turns of a lane; links that it cannot take come last. */
static void keep_sort_lane(const struct hd_keep_turns *k, uint32_t lane, uint32_t *waits, uint32_t *queue,
                           uint32_t *place)
{
    const struct hd_links *l = k->links;
    const uint16_t *in = k->graph.lanes.in;
    uint32_t done = 0, filled = 0;
    memset(waits, 0, l->n * sizeof *waits);
    for (uint32_t a = 0; a < l->n; a++)
        for (uint32_t t = l->turn[a], b = l->first[l->head[a]]; t < l->turn[a + 1]; t++, b++)
            waits[b] += in[t] >> lane & 1;
    for (uint32_t a = 0; a < l->n; a++)
        if (!waits[a]) queue[filled++] = a;
    for (; done < filled; done++) {
        uint32_t a = queue[done];
        place[a] = done;
        for (uint32_t t = l->turn[a], b = l->first[l->head[a]]; t < l->turn[a + 1]; t++, b++)
            if ((in[t] >> lane & 1) && --waits[b] == 0) queue[filled++] = b;
    }
    for (uint32_t a = 0; a < l->n; a++)
        if (waits[a]) place[a] = done++;
}

static hd_status keep_graph_init(struct hd_ctx *ctx, struct hd_arena *arena, const uint8_t *lane,
                                 struct hd_keep_turns *k)
{
    struct hd_arena scratch = {0};
    uint32_t *waits, *queue, *place[HD_LANES_MOST];
    const uint32_t n = k->graph.nlanes;
    HD_TRY(hd_turn_graph_init(ctx, arena, k->r, n, &k->graph));
    k->links = &k->graph.lanes.links;
    hd_status s = HD_NEW_U32(&scratch, k->links->n, &waits, &queue) ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t i = 0; s == HD_OK && i < n; i++)
        if (!(place[i] = HD_NEW(&scratch, uint32_t, k->links->n))) s = hd_fail_memory(ctx);
    if (s == HD_OK) keep_mark_turns(k, lane);
    for (uint32_t i = 0; s == HD_OK && i < n; i++) keep_sort_lane(k, i, waits, queue, place[i]);
    for (uint32_t i = 0; s == HD_OK && i < n; i++) s = hd_turn_graph_clear(ctx, &k->graph, i, place[i]);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_keep_turns_init(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_keep_rule rule,
                             const struct hd_routes *r, const uint8_t *lane, struct hd_keep_turns *k)
{
    struct hd_links *links;
    k->rule = rule;
    k->r = r;
    k->graph.nlanes = (uint32_t)__builtin_popcount(k->lanes);
    if (!(k->stamp = HD_NEW(arena, uint32_t, r->net->nsw))) return hd_fail_memory(ctx);
    if (rule == HD_KEEP_GRAPH) return keep_graph_init(ctx, arena, lane, k);
    if (!(links = HD_NEW(arena, struct hd_links, 1))) return hd_fail_memory(ctx);
    k->links = links;
    return hd_links_init(ctx, arena, r->net, links);
}

/* ---- escapes ------------------------------------------------------------------------------------ */

struct keep_root {
    double score;
    uint32_t v;
};

static int keep_compare_roots(const void *pa, const void *pb)
{
    const struct keep_root *a = pa, *b = pb;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    return a->v < b->v ? -1 : a->v > b->v;
}

/* Switches by how often they are on shortest paths between destinations whose rows use the lane. */
static hd_status keep_rank_roots(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_keep_turns *k,
                                 const uint8_t *lane, uint32_t in, struct keep_root *root)
{
    const struct hd_routes *r = k->r;
    const uint32_t nsw = r->net->nsw;
    const size_t rows = (size_t)r->net->nep * r->nvar;
    double *score = HD_NEW(a, double, nsw);
    bool *end = HD_NEW(a, bool, nsw);
    if (!score || !end) return hd_fail_memory(ctx);
    for (size_t q = 0; q < rows; q++)
        for (uint32_t i = 0; i < r->nleaf; i++)
            if (lane[i * rows + q] == in) end[hd_leaf(r->net, (uint32_t)(q / r->nvar))] = true;
    HD_TRY(hd_betweenness(ctx, k->links, end, score));
    for (uint32_t v = 0; v < nsw; v++) root[v] = (struct keep_root){score[v], v};
    qsort(root, nsw, sizeof *root, keep_compare_roots);
    return HD_OK;
}

static hd_status keep_escape(struct hd_ctx *ctx, struct hd_arena *a, struct hd_keep_turns *k, const uint8_t *lane,
                             uint32_t in)
{
    const uint32_t nsw = k->r->net->nsw;
    struct keep_root *root = HD_NEW(a, struct keep_root, nsw);
    uint32_t *order = HD_NEW(a, uint32_t, nsw), refused = 1, least = UINT32_MAX;
    if (!root || !order) return hd_fail_memory(ctx);
    HD_TRY(keep_rank_roots(ctx, a, k, lane, in, root));
    for (uint32_t v = 1; v < nsw; v++) /* the one that is known comes first */
        if (root[v].v + 1 == k->root[in]) {
            root[v].v = root[0].v;
            root[0].v = k->root[in] - 1;
        }
    for (uint32_t v = 0; v < nsw; v++) order[v] = root[v].v;
    for (uint32_t i = 0; refused && i < ROOTS && i < nsw; i++) {
        order[0] = root[i].v; /* the other parts have their own */
        order[i] = root[0].v;
        HD_TRY(hd_turn_graph_join(ctx, &k->graph, in, order, &refused));
        order[i] = root[i].v;
        if (refused >= least) continue;
        least = refused;
        k->root[in] = root[i].v + 1;
    }
    return HD_OK;
}

hd_status hd_keep_escapes(struct hd_ctx *ctx, struct hd_keep_turns *k, const uint8_t *lane)
{
    struct hd_arena scratch = {0};
    hd_status s = HD_OK;
    for (uint32_t in = 0; s == HD_OK && in < k->graph.nlanes; in++) s = keep_escape(ctx, &scratch, k, lane, in);
    hd_arena_release(&scratch);
    return s;
}

/* ---- turns -------------------------------------------------------------------------------------- */

static bool keep_turns_up(const struct hd_keep_turns *k, uint32_t a, uint32_t b)
{
    return !k->up[k->links->chan[a]] && k->up[k->links->chan[b]];
}

uint32_t hd_keep_admit(struct hd_keep_turns *k, uint32_t lanes, uint32_t a, uint32_t b)
{
    uint32_t open;
    if (k->rule == HD_KEEP_ANY) return lanes;
    if (k->rule == HD_KEEP_LEVELS) return keep_turns_up(k, a, b) ? 0 : lanes;
    open = hd_turn_open(&k->graph, lanes, a, b);
    for (uint32_t left = open; left; left &= left - 1)
        if (!hd_turn_hold(&k->graph, (uint32_t)__builtin_ctz(left), a, b)) open &= ~(left & (0u - left));
    for (uint32_t left = open ? 0 : lanes; left && !open; left &= left - 1)
        if (hd_turn_hold(&k->graph, (uint32_t)__builtin_ctz(left), a, b)) open = left & (0u - left);
    return open;
}

/* Whether all turns of the row are admitted, each switch looked at once per lane. */
static bool keep_holds(struct hd_keep_turns *k, const uint8_t *row, const uint8_t *lane, size_t stride)
{
    const struct hd_routes *r = k->r;
    const bool graph = k->rule == HD_KEEP_GRAPH;
    const uint32_t n = graph ? k->graph.nlanes : 1, pass = graph ? ++k->graph.pass : ++k->pass;
    uint32_t *stamp = graph ? k->graph.stamp : k->stamp;
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t v = r->leaf[i], in = graph ? lane[i * stride] : 0, a = hd_keep_link(k->links, row, v), b;
        for (; a != NONE && stamp[(size_t)v * n + in] != pass; a = b) {
            stamp[(size_t)v * n + in] = pass;
            v = k->links->head[a];
            if ((b = hd_keep_link(k->links, row, v)) == NONE) break;
            if (graph ? !hd_turn_hold(&k->graph, in, a, b) : keep_turns_up(k, a, b)) return false;
        }
    }
    return true;
}

bool hd_keep_put(struct hd_keep_turns *k, const uint8_t *row, const uint8_t *lane, size_t stride)
{
    if (k->rule == HD_KEEP_ANY) return true;
    bool holds = keep_holds(k, row, lane, stride);
    if (k->rule != HD_KEEP_GRAPH) return holds;
    if (holds) hd_turn_graph_count(&k->graph, row, lane, stride);
    hd_turn_settle(&k->graph);
    return holds;
}

void hd_keep_take(struct hd_keep_turns *k, const uint8_t *row, const uint8_t *lane, size_t stride)
{
    if (k->rule == HD_KEEP_GRAPH) hd_turn_graph_remove(&k->graph, row, lane, stride);
}

void hd_keep_settle(struct hd_keep_turns *k)
{
    if (k->rule == HD_KEEP_GRAPH) hd_turn_settle(&k->graph);
}
