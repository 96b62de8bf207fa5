/* SPDX-License-Identifier: BSD-2-Clause */
/* Nue: trees grown on the complete channel dependency graph, in any number of VLs ("lanes" below), even one.
 *
 * The destinations are divided among the lanes, neighbouring ones together: leaf switches are taken breadth-first, and
 * each lane gets the next run of them with its share of the endpoints. In each lane the paths of a spanning tree are
 * reserved (escape paths), from the switch that is most often on shortest paths between the lane's destinations: all of
 * them, not only those to these destinations, since other trees like to use the rest and rarely get stuck then. After
 * that the trees grow one after the other by Dijkstra's search over pairs of channels
 * (tree_growth.c): the weight of a channel is a constant that favours short paths plus the pairs that use it, and a
 * turn that would close a cycle in the lane is left out. Where this does not reach every switch, neighbours of those
 * left take another next channel; if that does not help, all pairs of the destination take the escape paths.
 *
 * The order of the destinations is left open by the method, and much depends on it. On a tree, where no turn is ever
 * refused, destinations of one leaf switch in a row spread over its spines (FT(16,3): EBB .70 by number, .63 at
 * random). Elsewhere they would take the same turns and leave the others to be refused, so that a random order has up
 * to 5 % more, and two of these differ by up to 2 %. So several orders are tried, and the one whose random pairs get
 * the most bandwidth is kept (share_estimate.c).
 * Cost per order: O(destinations * links log links), plus the searches of acyclic_order.c, plus O(leaf switches *
 * links).
 * Domke, Hoefler, Matsuoka: Routing on the dependency graph: a new approach to deadlock-free high-performance
 * routing. */
#include "base/status.h"
#include "load/share_estimate.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"
#include "route/kernel/betweenness.h"
#include "route/kernel/sssp_options.h"
#include "route/kernel/tree_growth.h"

#include <string.h>

#define NONE UINT32_MAX /* no link */

enum { NUE_ORDERS = 4, NUE_ORDERS_LARGE = 2, NUE_LARGE = 1 << 22 }; /* large: destinations times links */

struct nue_opt {
    uint64_t maxlanes, seed;
};

struct nue {
    struct hd_routes *r; /* being filled */
    const struct hd_net *net;
    uint32_t nlanes;
    struct hd_turn_graph graph; /* of the current lane */
    struct hd_growth growth;
    uint32_t *pairs;   /* [links] of all lanes */
    uint32_t *dest;    /* [nep] destinations in the order in which they are routed */
    uint32_t *sources; /* [nsw] */
    uint32_t *queue;   /* [nsw] switches breadth-first, part by part */
    uint8_t *lane;     /* [nsw] of the destinations at a leaf switch */
    bool *end;         /* [nsw] whether that is the current one */
    double *score;     /* [nsw] */
    uint32_t *order;   /* [nsw] room for an order of switches */
    uint8_t *none;     /* [nleaf] the single lane of the graph: 0 */
    uint32_t escaped;  /* destinations on escape paths */
};

static hd_status nue_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, struct nue *w)
{
    const uint32_t nsw = w->net->nsw;
    HD_TRY(hd_turn_graph_init(ctx, a, r, 1, &w->graph));
    HD_TRY(hd_growth_init(ctx, a, &w->graph, &w->growth));
    w->pairs = HD_NEW(a, uint32_t, w->graph.lanes.links.n);
    w->dest = HD_NEW(a, uint32_t, w->net->nep);
    w->lane = HD_NEW(a, uint8_t, nsw);
    w->end = HD_NEW(a, bool, nsw);
    w->score = HD_NEW(a, double, nsw);
    w->none = HD_NEW(a, uint8_t, r->nleaf);
    bool ok = w->pairs && w->dest && w->lane && w->end && w->score && w->none &&
              HD_NEW_U32(a, nsw, &w->sources, &w->queue, &w->order);
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

/* All switches breadth-first, one connected part after the other. */
static hd_status find_parts(struct hd_ctx *ctx, struct hd_arena *a, struct nue *w)
{
    uint8_t *dist = HD_NEW(a, uint8_t, w->net->nsw);
    bool *met = HD_NEW(a, bool, w->net->nsw);
    if (!dist || !met) return hd_fail_memory(ctx);
    for (uint32_t v = 0, n = 0; v < w->net->nsw; v++) {
        uint32_t found = met[v] ? 0 : hd_dist_from(w->net, v, dist, w->queue + n);
        for (uint32_t end = n + found; n < end; n++) met[w->queue[n]] = true;
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
    for (uint32_t i = 0, part; i < nsw; i += part) {
        uint32_t root = i;
        part = w->growth.connected[w->queue[i]];
        for (uint32_t k = i; k < i + part; k++)
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
    if (g->n < g->connected[t]) {
        hd_turn_settle(&w->graph);
        hd_growth_reserved(g, t, 0);
        w->escaped++;
    }
    if (g->n < g->connected[t])
        return hd_fail_na(ctx, "nue", w->net->spec,
                          "'%.100s' would need a path of more than %d channels between switches",
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

/* ---- orders of destinations --------------------------------------------------------------------- */

/* All trees, in the order given by w->dest. */
static hd_status nue_fill(struct hd_ctx *ctx, struct nue *w)
{
    struct hd_routes *r = w->r;
    if (w->nlanes > 1 && !(r->dest_lane = HD_NEW(&r->arena, uint8_t, r->net->nep))) return hd_fail_memory(ctx);
    r->nlanes = w->nlanes;
    r->lane_rule = w->nlanes > 1 ? HD_LANE_DEST : HD_LANE_ONE;
    memset(w->pairs, 0, w->graph.lanes.links.n * sizeof *w->pairs);
    w->escaped = 0;
    for (uint32_t lane = 0; lane < w->nlanes; lane++) HD_TRY(nue_lane(ctx, w, lane));
    return HD_OK;
}

struct nue_best {
    struct hd_routes *r;
    double share;
    uint32_t escaped;
    struct hd_sssp_opt order;
};

/* One more order; its routes are kept where they are better. */
static hd_status nue_try(struct hd_ctx *ctx, struct nue *w, const struct hd_sssp_opt *order, struct nue_best *best)
{
    double share = 0;
    HD_TRY(hd_sssp_order(ctx, w->net, order, w->dest));
    HD_TRY(hd_routes_make(ctx, w->net, 1, &w->r));
    hd_status s = nue_fill(ctx, w);
    if (s == HD_OK) s = hd_share_estimate(ctx, w->r, NULL, hd_share_samples(w->net), &share);
    bool better = s == HD_OK && (!best->r || share > best->share);
    hd_routes_free(better ? best->r : w->r);
    if (better) *best = (struct nue_best){w->r, share, w->escaped, *order};
    return s;
}

/* By number, then at random; the last one is the best again in one lane, if there are several. */
static hd_status nue_try_all(struct hd_ctx *ctx, struct nue *w, uint64_t seed, struct nue_best *best)
{
    const bool large = (uint64_t)w->net->nep * w->graph.lanes.links.n > NUE_LARGE;
    const uint32_t orders = large ? NUE_ORDERS_LARGE : NUE_ORDERS;
    for (uint32_t i = 0; i < orders; i++) {
        struct hd_sssp_opt order = {.order = i ? HD_SSSP_RANDOM : HD_SSSP_INDEX, .seed = seed + i - 1};
        if (i == NUE_ORDERS - 1 && w->nlanes > 1) {
            order = best->order;
            w->nlanes = 1;
        }
        divide_leaves(w);
        HD_TRY(nue_try(ctx, w, &order, best));
    }
    return HD_OK;
}

static hd_status nue_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct nue_opt *o = opt;
    struct nue w = {.net = r->net, .nlanes = (uint32_t)o->maxlanes};
    struct nue_best best = {0};
    HD_TRY(hd_dist_check(ctx, r->net));
    HD_TRY(nue_init(ctx, scratch, r, &w));
    HD_TRY(find_parts(ctx, scratch, &w));
    if (w.nlanes > r->nleaf) w.nlanes = r->nleaf > 1 ? r->nleaf : 1;
    hd_status s = nue_try_all(ctx, &w, o->seed ? o->seed : ctx->seed, &best);
    if (s == HD_OK && best.escaped)
        hd_note(ctx, "nue: %u of %u destinations are routed over escape paths alone", best.escaped, r->net->nep);
    if (s == HD_OK) hd_routes_swap(r, best.r);
    hd_routes_free(best.r);
    return s;
}

static double nue_cost(const struct hd_sizes *z)
{
    return 32 * hd_cost_table(z);
}

const struct hd_engine hd_engine_nue = {
    .desc =
        {.name = "nue",
         .summary = "deadlock-free on any network with any number of VLs, even one: paths are searched on the "
                    "channel dependency graph",
         .text =
             "Destinations are divided among the VLs. In each VL, the paths of a spanning tree are reserved, "
             "from the switch that is most often on shortest paths between the VL's destinations. Then the "
             "tree of each destination grows over the least loaded of the shortest paths whose channel "
             "dependencies close no cycle in the VL; where this does not reach every switch, the destination "
             "is routed over the reserved paths. Destinations are routed by number and in random orders, "
             "and the table that gives random pairs the most bandwidth is kept. A QoS policy can take the VL from the "
             "destination alone. settle:maxlanes=N gives more bandwidth in the same number of VLs.",
         .cite = "Domke, Hoefler, Matsuoka: Routing on the dependency graph: a new approach to deadlock-free "
                 "high-performance routing",
         .params = (const struct hd_param[]){{"maxlanes", HD_UINT, "1", "VLs to divide the destinations among",
                                              offsetof(struct nue_opt, maxlanes), 1, HD_LANES_MOST, NULL, false},
                                             {"seed", HD_UINT, "0",
                                              "of the random orders of destinations; 0: the seed of the command",
                                              offsetof(struct nue_opt, seed), 0, 9007199254740991.0, NULL, false},
                                             {0}},
         .examples = (const char *const[]){"nue", "nue:maxlanes=2", "nue:maxlanes=8", NULL},
         .opt_size = sizeof(struct nue_opt)},
    .role = HD_ENGINE_BASELINE,
    .claims = HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .fallback = "nue",
    .cost = nue_cost,
    .route = nue_route};
