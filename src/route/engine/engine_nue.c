/* SPDX-License-Identifier: BSD-2-Clause */
/* Nue: trees grown on the complete channel dependency graph, in any number of VLs ("lanes" below), even one.
 *
 * The destinations are divided among the lanes, neighbouring ones together: leaf switches are taken breadth-first, and
 * each lane gets the next run of them with its share of the endpoints. In each lane the paths of a spanning tree are
 * reserved (escape paths), from the switch that is most often on shortest paths between the lane's destinations: all of
 * them, not only those to these destinations, since other trees like to use the rest and rarely get stuck then. After
 * that the trees grow one after the other, in random order, by Dijkstra's search over pairs of channels
 * (tree_growth.c): the weight of a channel is a constant that favours short paths plus the pairs that use it, and a
 * turn that would close a cycle in the lane is left out. Where this does not reach every switch, neighbours of those
 * left take another next channel; if that does not help, all pairs of the destination take the escape paths.
 * Cost: O(destinations * links log links), plus the searches of acyclic_order.c, plus O(leaf switches * links).
 * Domke, Hoefler, Matsuoka: Routing on the dependency graph: a new approach to deadlock-free high-performance
 * routing. */
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"
#include "route/kernel/betweenness.h"
#include "route/kernel/sssp_options.h"
#include "route/kernel/tree_growth.h"

#define NONE UINT32_MAX /* no link */

struct nue_opt {
    uint64_t maxlanes, seed;
};

struct nue {
    struct hd_routes *r;
    const struct hd_net *net;
    uint32_t nlanes;
    struct hd_turn_graph graph; /* of the current lane */
    struct hd_growth growth;
    uint32_t *pairs;     /* [links] of all lanes */
    uint32_t *dest;      /* [nep] destinations in random order */
    uint32_t *sources;   /* [nsw] */
    uint32_t *queue;     /* [nsw] switches breadth-first, part by part */
    uint32_t *connected; /* [nsw] how many a switch is connected with */
    uint8_t *lane;       /* [nsw] of the destinations at a leaf switch */
    bool *end;           /* [nsw] whether that is the current one */
    double *score;       /* [nsw] */
    uint32_t *order;     /* [nsw] room for an order of switches */
    uint8_t *none;       /* [nleaf] the single lane of the graph: 0 */
    uint32_t escaped;    /* destinations on escape paths */
};

static hd_status nue_init(struct hd_ctx *ctx, struct hd_arena *a, struct nue *w)
{
    const uint32_t nsw = w->net->nsw;
    HD_TRY(hd_turn_graph_init(ctx, a, w->r, 1, &w->graph));
    HD_TRY(hd_growth_init(ctx, a, &w->graph, &w->growth));
    w->pairs = HD_NEW(a, uint32_t, w->graph.lanes.links.n);
    w->dest = HD_NEW(a, uint32_t, w->net->nep);
    w->lane = HD_NEW(a, uint8_t, nsw);
    w->end = HD_NEW(a, bool, nsw);
    w->score = HD_NEW(a, double, nsw);
    w->none = HD_NEW(a, uint8_t, w->r->nleaf);
    bool ok = w->pairs && w->dest && w->lane && w->end && w->score && w->none &&
              HD_NEW_U32(a, nsw, &w->sources, &w->queue, &w->connected, &w->order);
    if (!ok) return hd_fail_memory(ctx);
    hd_sssp_sources(w->net, w->sources);
    return HD_OK;
}

/* ---- destinations of each lane ------------------------------------------------------------------ */

static uint32_t endpoints_at(const struct hd_net *net, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) n += net->head[c] >= net->nsw;
    return n;
}

/* All switches breadth-first, and how many each is connected with. */
static hd_status find_parts(struct hd_ctx *ctx, struct hd_arena *a, struct nue *w)
{
    uint8_t *dist = HD_NEW(a, uint8_t, w->net->nsw);
    if (!dist) return hd_fail_memory(ctx);
    for (uint32_t v = 0, n = 0; v < w->net->nsw; v++) {
        uint32_t found = w->connected[v] ? 0 : hd_dist_from(w->net, v, dist, w->order);
        for (uint32_t i = 0; i < found; i++) {
            w->queue[n++] = w->order[i];
            w->connected[w->order[i]] = found;
        }
    }
    return HD_OK;
}

/* A lane for each leaf switch, by the endpoints before it. */
static void divide_leaves(struct nue *w)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < w->net->nsw; i++) {
        uint32_t v = w->queue[i], n = endpoints_at(w->net, v);
        if (n) w->lane[v] = (uint8_t)((before + n / 2) * w->nlanes / w->net->nep);
        before += n;
    }
}

/* ---- trees -------------------------------------------------------------------------------------- */

/* Reserves the escape paths of a lane: the most central switch of each connected part is the root of its tree. */
static hd_status reserve_escapes(struct hd_ctx *ctx, struct nue *w)
{
    const uint32_t nsw = w->net->nsw;
    uint32_t n = 0;
    HD_TRY(hd_betweenness(ctx, &w->graph.lanes.links, w->end, w->score));
    for (uint32_t i = 0; i < nsw; i += w->connected[w->queue[i]]) {
        uint32_t root = i;
        for (uint32_t k = i; k < i + w->connected[w->queue[i]]; k++)
            if (w->score[w->queue[k]] > w->score[w->queue[root]]) root = k;
        w->order[n++] = w->queue[root];
        w->score[w->queue[root]] = -1;
    }
    for (uint32_t i = 0; i < nsw; i++) /* the rest, in any order */
        if (w->score[w->queue[i]] >= 0) w->order[n++] = w->queue[i];
    return hd_turn_graph_reserve(ctx, &w->graph, 0, w->order, UINT32_MAX);
}

/* The pairs of a tree on the links that it takes. */
static void nue_count(struct nue *w)
{
    const struct hd_growth *g = &w->growth;
    const struct hd_links *l = &w->graph.lanes.links;
    uint32_t *flow = w->order;
    for (uint32_t i = 0; i < g->n; i++) flow[g->order[i]] = w->sources[g->order[i]];
    for (uint32_t i = g->n; i-- > 1;) {
        uint32_t v = g->order[i], a = g->next[v];
        w->pairs[a] += flow[v];
        flow[l->head[a]] += flow[v];
    }
}

static hd_status nue_place(struct hd_ctx *ctx, struct nue *w, uint32_t d)
{
    struct hd_growth *g = &w->growth;
    const uint64_t hop = (uint64_t)HD_GROWTH_ONE * w->net->nep * w->net->nep;
    const struct hd_growth_cost cost = {.hop = hop, .pairs = w->pairs, .eager = true};
    uint32_t c = w->net->rev[w->net->off[w->net->nsw + d]], t = w->net->tail[c];
    uint8_t *row = hd_row(w->r, d, 0);
    hd_growth_run(g, t, 1, &cost);
    if (g->n < w->connected[t]) {
        hd_turn_settle(&w->graph);
        hd_growth_reserved(g, t, 0);
        w->escaped++;
    }
    if (g->n < w->connected[t])
        return hd_fail(ctx, HD_LIMIT,
                       "nue: '%.100s' would need a path of more than %d channels between switches: not supported",
                       hd_node_name(w->net, t), HD_FAR - 1);
    row[t] = (uint8_t)(c - w->net->off[t]);
    hd_growth_row(g, row);
    hd_turn_graph_count(&w->graph, row, w->none, 1);
    hd_turn_settle(&w->graph);
    if (hd_sssp_counts(w->net, d)) nue_count(w);
    return HD_OK;
}

static hd_status nue_lane(struct hd_ctx *ctx, struct nue *w, uint32_t lane)
{
    const uint32_t nep = w->net->nep;
    for (uint32_t v = 0; v < w->net->nsw; v++) w->end[v] = w->r->leaf_of[v] != NONE && w->lane[v] == lane;
    HD_TRY(reserve_escapes(ctx, w));
    for (uint32_t i = 0; i < nep; i++) {
        uint32_t d = w->dest[i];
        if (!w->end[hd_leaf(w->net, d)]) continue;
        HD_TRY(nue_place(ctx, w, d));
        if (w->nlanes > 1) w->r->dest_lane[d] = (uint8_t)lane;
        hd_progress(ctx, "nue", (uint64_t)lane * nep + i, (uint64_t)w->nlanes * nep);
    }
    return HD_OK;
}

static hd_status nue_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct nue_opt *o = opt;
    const struct hd_sssp_opt random = {.order = HD_SSSP_RANDOM, .seed = o->seed};
    struct nue w = {.r = r, .net = r->net, .nlanes = (uint32_t)o->maxlanes};
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(hd_dist_check(ctx, r->net));
    HD_TRY(nue_init(ctx, scratch, &w));
    HD_TRY(hd_sssp_order(ctx, r->net, &random, w.dest));
    HD_TRY(find_parts(ctx, scratch, &w));
    if (w.nlanes > r->nleaf) w.nlanes = r->nleaf > 1 ? r->nleaf : 1;
    if (w.nlanes > 1 && !(r->dest_lane = HD_NEW(&r->arena, uint8_t, r->net->nep))) return hd_fail_memory(ctx);
    divide_leaves(&w);
    r->nlanes = w.nlanes;
    r->lane_rule = w.nlanes > 1 ? HD_LANE_DEST : HD_LANE_ONE;
    for (uint32_t lane = 0; lane < w.nlanes; lane++) HD_TRY(nue_lane(ctx, &w, lane));
    if (w.escaped)
        hd_note(ctx, "nue: %u of %u destinations are routed over escape paths alone", w.escaped, r->net->nep);
    return HD_OK;
}

static double nue_cost(const struct hd_sizes *z)
{
    return 8 * hd_cost_table(z);
}

const struct hd_engine hd_engine_nue = {
    .desc = {.name = "nue",
             .summary = "deadlock-free on any network with any number of VLs, even one: paths are searched on the "
                        "channel dependency graph",
             .text = "Destinations are divided among the VLs. In each VL, the paths of a spanning tree are reserved, "
                     "from the switch that is most often on shortest paths between the VL's destinations. Then the "
                     "tree of each destination grows over the least loaded of the shortest paths whose channel "
                     "dependencies close no cycle in the VL; where this does not reach every switch, the destination "
                     "is routed over the reserved paths. A QoS policy can take the VL from the "
                     "destination alone. settle:maxlanes=N gives more bandwidth in the same number of VLs.",
             .cite = "Domke, Hoefler, Matsuoka: Routing on the dependency graph: a new approach to deadlock-free "
                     "high-performance routing",
             .params = (const struct hd_param[]){{"maxlanes", HD_UINT, "1", "VLs to divide the destinations among",
                                                  offsetof(struct nue_opt, maxlanes), 1, HD_LANES_MOST, NULL, false},
                                                 {"seed", HD_UINT, "0",
                                                  "of the order of destinations; 0: the seed of the command",
                                                  offsetof(struct nue_opt, seed), 0, 9007199254740991.0, NULL, false},
                                                 {0}},
             .examples = (const char *const[]){"nue", "nue:maxlanes=2", "nue:maxlanes=8", NULL},
             .opt_size = sizeof(struct nue_opt)},
    .role = HD_ENGINE_BASELINE,
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "nue",
    .cost = nue_cost,
    .route = nue_route};
