/* SPDX-License-Identifier: BSD-2-Clause */
/* A matching is a flow: source, the groups of the left side from the outermost in, left vertices, edges,
 * right vertices, the groups of the right side outwards, sink. Every arc is stored with its reverse, those
 * of a node together.
 *
 * Most edges: Dinic, that is rounds of a breadth-first search and pushing along shortest ways until none
 * is left; with unit capacities this is Hopcroft and Karp's algorithm.
 * Most weight: an edge costs (largest weight - its weight), so that nothing is negative, and a way that
 * costs x gains (largest weight - x). Dijkstra's distances make the cheapest ways those of reduced cost 0,
 * on which the same rounds run; the gain falls from phase to phase and the last one with a gain ends it. */
#include "flow/bound/matching.h"
#include "base/status.h"

#include <string.h>

struct arc {
    uint32_t to, back; /* back: the reverse arc */
    uint32_t room;     /* what can still be pushed */
    uint32_t cost;     /* of an edge; its reverse costs the negative, others nothing */
};

struct flow {
    uint32_t nodes, source, sink;
    uint32_t *off;
    struct arc *arc;
    uint32_t *edge; /* [nedge] arc of each edge */
    uint32_t *level, *next, *queue, *path;
    int64_t *at; /* potentials; NULL: costs do not count */
    int64_t *dist;
    uint32_t *heap, *place; /* place: where a node is in the heap */
    struct hd_arena *arena;
};

/* ---- the network ---------------------------------------------------------------------------- */

struct matching_build {
    struct flow *f;
    uint32_t *fill; /* next free arc of a node; counts arcs in the first sweep */
    bool counting;
};

static uint32_t add_arc(struct matching_build *b, uint32_t from, uint32_t to, uint32_t cap, uint32_t cost)
{
    uint32_t i = b->fill[from]++, j = b->fill[to]++;
    if (b->counting) return 0;
    b->f->arc[i] = (struct arc){to, j, cap, cost};
    b->f->arc[j] = (struct arc){from, i, 0, cost};
    return i;
}

static void matching_add_side(struct matching_build *b, const struct hd_side *s, uint32_t first, bool left)
{
    uint32_t end = left ? b->f->source : b->f->sink;
    for (uint32_t i = 0; i < s->nodes; i++) {
        uint32_t outer = s->parent && s->parent[i] != HD_NO_GROUP ? first + s->parent[i] : end;
        if (left)
            add_arc(b, outer, first + i, s->cap[i], 0);
        else
            add_arc(b, first + i, outer, s->cap[i], 0);
    }
}

static void add_all(struct matching_build *b, const struct hd_bipartite *g, uint32_t top)
{
    uint32_t right = g->left.nodes;
    matching_add_side(b, &g->left, 0, true);
    matching_add_side(b, &g->right, right, false);
    for (uint32_t e = 0; e < g->nedge; e++) {
        uint32_t lcap = g->left.cap[g->u[e]], rcap = g->right.cap[g->v[e]];
        b->f->edge[e] =
            add_arc(b, g->u[e], right + g->v[e], lcap < rcap ? lcap : rcap, g->weight ? top - g->weight[e] : 0);
    }
}

static bool make_flow(struct hd_arena *a, const struct hd_bipartite *g, uint32_t top, struct flow *f)
{
    uint32_t nodes = g->left.nodes + g->right.nodes + 2;
    size_t arcs = 2 * ((size_t)g->left.nodes + g->right.nodes + g->nedge);
    *f = (struct flow){.nodes = nodes, .source = nodes - 2, .sink = nodes - 1, .arena = a};
    f->off = HD_NEW(a, uint32_t, (size_t)nodes + 1);
    f->arc = HD_NEW(a, struct arc, arcs);
    f->edge = HD_NEW(a, uint32_t, g->nedge);
    f->level = HD_NEW(a, uint32_t, nodes);
    f->next = HD_NEW(a, uint32_t, nodes);
    f->queue = HD_NEW(a, uint32_t, nodes);
    f->path = HD_NEW(a, uint32_t, nodes);
    if (!f->off || !f->arc || !f->edge || !f->level || !f->next || !f->queue || !f->path) return false;
    struct matching_build b = {f, f->level, true};
    add_all(&b, g, top);
    for (uint32_t i = 0; i < nodes; i++) f->off[i + 1] = f->off[i] + f->level[i];
    memcpy(f->level, f->off, nodes * sizeof *f->level);
    b.counting = false;
    add_all(&b, g, top);
    return true;
}

/* ---- rounds of shortest ways ------------------------------------------------------------------ */

static int64_t arc_cost(const struct arc *arc, uint32_t from, uint32_t left_nodes)
{
    return from < left_nodes ? (int64_t)arc->cost : -(int64_t)arc->cost; /* edges lead from left to right */
}

static bool usable(const struct flow *f, uint32_t from, const struct arc *arc, uint32_t left_nodes)
{
    if (!arc->room) return false;
    return !f->at || f->at[from] + arc_cost(arc, from, left_nodes) == f->at[arc->to];
}

static bool find_levels(struct flow *f, uint32_t left_nodes)
{
    uint32_t n = 1;
    memset(f->level, 0xff, f->nodes * sizeof *f->level);
    f->level[f->queue[0] = f->source] = 0;
    for (uint32_t i = 0; i < n && f->level[f->sink] == UINT32_MAX; i++)
        for (uint32_t j = f->off[f->queue[i]]; j < f->off[f->queue[i] + 1]; j++) {
            uint32_t to = f->arc[j].to;
            if (f->level[to] != UINT32_MAX || !usable(f, f->queue[i], &f->arc[j], left_nodes)) continue;
            f->level[to] = f->level[f->queue[i]] + 1;
            f->queue[n++] = to;
        }
    return f->level[f->sink] != UINT32_MAX;
}

static uint32_t push_path(struct flow *f, uint32_t len, uint32_t most)
{
    uint32_t amount = most;
    for (uint32_t i = 0; i < len; i++)
        if (f->arc[f->path[i]].room < amount) amount = f->arc[f->path[i]].room;
    for (uint32_t i = 0; i < len; i++) {
        f->arc[f->path[i]].room -= amount;
        f->arc[f->arc[f->path[i]].back].room += amount;
    }
    return amount;
}

/* One round: ways along increasing levels until none is left or the amount wanted is reached. A way is
 * kept as its arcs; after a push it restarts behind the source, which costs a few steps at most. */
static uint64_t push_round(struct flow *f, uint64_t want, uint32_t left_nodes)
{
    uint64_t pushed = 0;
    uint32_t len = 0, v = f->source;
    memcpy(f->next, f->off, f->nodes * sizeof *f->next);
    while (pushed < want) {
        if (v == f->sink) {
            pushed += push_path(f, len, want - pushed < UINT32_MAX ? (uint32_t)(want - pushed) : UINT32_MAX);
            len = 0;
            v = f->source;
            continue;
        }
        uint32_t *j = &f->next[v];
        while (*j < f->off[v + 1] &&
               (f->level[f->arc[*j].to] != f->level[v] + 1 || !usable(f, v, &f->arc[*j], left_nodes)))
            ++*j;
        if (*j < f->off[v + 1]) {
            f->path[len++] = *j;
            v = f->arc[*j].to;
        } else if (len == 0) {
            break;
        } else { /* dead end: back, and not this arc again */
            v = f->arc[f->arc[f->path[--len]].back].to;
            f->next[v]++;
        }
    }
    return pushed;
}

static void report_use(const struct flow *f, const struct hd_bipartite *g)
{
    for (uint32_t e = 0; e < g->nedge; e++) g->used[e] = f->arc[f->arc[f->edge[e]].back].room;
}

hd_status hd_matching_most(struct hd_ctx *ctx, const struct hd_bipartite *g, uint64_t enough, uint64_t *size)
{
    struct hd_arena scratch = {0};
    struct flow f;
    if (!make_flow(&scratch, g, 0, &f)) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    uint64_t n = 0;
    while (n < enough && find_levels(&f, g->left.nodes)) n += push_round(&f, enough - n, g->left.nodes);
    report_use(&f, g);
    hd_arena_release(&scratch);
    *size = n;
    return HD_OK;
}

/* ---- most weight ------------------------------------------------------------------------------ */

static void heap_move(struct flow *f, uint32_t i, uint32_t v)
{
    f->heap[i] = v;
    f->place[v] = i;
}

static void heap_up(struct flow *f, uint32_t i, uint32_t v)
{
    for (; i > 0 && f->dist[f->heap[(i - 1) / 2]] > f->dist[v]; i = (i - 1) / 2) heap_move(f, i, f->heap[(i - 1) / 2]);
    heap_move(f, i, v);
}

static uint32_t matching_heap_pop(struct flow *f, uint32_t *n)
{
    uint32_t top = f->heap[0], v = f->heap[--*n], i = 0;
    for (uint32_t child; (child = 2 * i + 1) < *n; i = child) {
        if (child + 1 < *n && f->dist[f->heap[child + 1]] < f->dist[f->heap[child]]) child++;
        if (f->dist[f->heap[child]] >= f->dist[v]) break;
        heap_move(f, i, f->heap[child]);
    }
    if (*n) heap_move(f, i, v);
    return top;
}

/* Moves the potentials so that the cheapest ways to the sink have reduced cost 0. Nodes farther than the
 * sink move by its distance, which keeps all reduced costs non-negative. False: no way. */
static bool raise_potentials(struct flow *f, uint32_t left_nodes)
{
    uint32_t n = 1;
    for (uint32_t v = 0; v < f->nodes; v++) {
        f->dist[v] = INT64_MAX;
        f->place[v] = UINT32_MAX;
    }
    f->dist[f->source] = 0;
    heap_move(f, 0, f->source);
    while (n) {
        uint32_t v = matching_heap_pop(f, &n);
        if (v == f->sink) break;
        for (uint32_t j = f->off[v]; j < f->off[v + 1]; j++) {
            const struct arc *arc = &f->arc[j];
            if (!arc->room) continue;
            int64_t d = f->dist[v] + f->at[v] + arc_cost(arc, v, left_nodes) - f->at[arc->to];
            if (d >= f->dist[arc->to]) continue;
            f->dist[arc->to] = d;
            heap_up(f, f->place[arc->to] == UINT32_MAX ? n++ : f->place[arc->to], arc->to);
        }
    }
    int64_t far = f->dist[f->sink];
    if (far == INT64_MAX) return false;
    for (uint32_t v = 0; v < f->nodes; v++) f->at[v] += f->dist[v] < far ? f->dist[v] : far;
    return true;
}

static bool matching_weigh(struct hd_arena *a, struct flow *f)
{
    f->at = HD_NEW(a, int64_t, f->nodes);
    f->dist = HD_NEW(a, int64_t, f->nodes);
    f->heap = HD_NEW(a, uint32_t, f->nodes);
    f->place = HD_NEW(a, uint32_t, f->nodes);
    return f->at && f->dist && f->heap && f->place;
}

hd_status hd_matching_heaviest(struct hd_ctx *ctx, const struct hd_bipartite *g, uint64_t *weight)
{
    struct hd_arena scratch = {0};
    struct flow f;
    uint32_t top = g->weight ? 0 : 1;
    uint64_t sum = 0;
    for (uint32_t e = 0; g->weight && e < g->nedge; e++)
        if (g->weight[e] > top) top = g->weight[e];
    if (!make_flow(&scratch, g, top, &f) || !matching_weigh(&scratch, &f)) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    while (raise_potentials(&f, g->left.nodes) && f.at[f.sink] - f.at[f.source] < top)
        while (find_levels(&f, g->left.nodes)) push_round(&f, UINT64_MAX, g->left.nodes);
    report_use(&f, g);
    for (uint32_t e = 0; e < g->nedge; e++) sum += (uint64_t)g->used[e] * (g->weight ? g->weight[e] : 1);
    hd_arena_release(&scratch);
    *weight = sum;
    return HD_OK;
}
