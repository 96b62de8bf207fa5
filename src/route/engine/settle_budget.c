/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees within a number of VLs ("lanes" below), in three steps.
 *
 * 1  Which turns a lane admits is decided first, for all destinations together: an order of its links in which as many
 *    pairs as possible go forwards (turn_order.c). What counts are the turns of the routes that there would be without
 *    a limit; from the second lane on, mainly those of paths that no lane before takes.
 * 2  Trees grow one after the other (tree_growth.c) over turns that go forwards, by hops, then by the cost of
 *    settle_trees.c without the part of the source's own pairs: pairs[e] - beta turn_pairs[e, e'] along the path. An
 *    order changes only for switches that would not be reached otherwise.
 * 3  The last pass takes each tree out and grows it again, knowing the load of all others, and an order now changes
 *    wherever a cheaper channel needs it and the turns in use allow it. This finds what step 1, which sees turns and
 *    not paths, has missed. Passes between the first and the last grow again as in step 2: in one lane they change
 *    next to nothing, in two lanes one of them gains a per cent on tori.
 * The turns in use are free of cycles at any time. A spanning tree reserved in lane 0 takes destinations that get stuck
 * in the first pass; later, the old tree comes back, and the reserve is released. All turns at an inner switch of that
 * tree are admitted, so pairs crowd there: a tree with few children per switch spreads them (opt.children).
 *
 * Each path from a leaf switch takes the lane, among those where all its turns were admitted, that gets the fewest new
 * turns from it. Where all paths to a destination must share a lane, the tree is grown in each and the cheapest kept.
 * Cost: ORDER_PASSES over all turns per lane; per pass one growth and one walk from all leaf switches per destination.
 * The method is our own; docs/settle.md has the figures. */
#include "route/engine/settle_budget.h"
#include "base/rng.h"
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/kernel/sssp_options.h"
#include "route/kernel/turn_order.h"
#include "route/kernel/updown_order.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX              /* no link */
#define HOP_COST ((uint64_t)1 << 44) /* above all pairs along a path */

enum {
    ORDER_PASSES = 40,
    LEFT_OVER = 15,     /* a pair that no lane before takes counts so many times more */
    ORDER_STREAM = 1000 /* random streams of the orders begin here, before that are those of the passes */
};

hd_status hd_budget_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                         const struct hd_demand *demand, uint32_t lanes, struct hd_budget *b)
{
    struct hd_updown u;
    *b = (struct hd_budget){.net = r->net, .demand = demand};
    HD_TRY(hd_turn_graph_init(ctx, arena, r, lanes, &b->graph));
    HD_TRY(hd_growth_init(ctx, arena, &b->graph, &b->growth));
    HD_TRY(hd_updown_init(ctx, arena, r->net, NULL, &u));
    b->root = u.order;
    const struct hd_links *l = &b->graph.lanes.links;
    b->pairs = HD_NEW(arena, uint32_t, l->n);
    b->turn_pairs = HD_NEW(arena, uint32_t, l->turn[l->n]);
    b->order = HD_NEW(arena, uint32_t, r->net->nep);
    b->old_row = HD_NEW(arena, uint8_t, r->net->nsw);
    b->old_lane = HD_NEW(arena, uint8_t, r->nleaf);
    bool ok = b->pairs && b->turn_pairs && b->order && b->old_row && b->old_lane &&
              HD_NEW_U32(arena, r->net->nsw, &b->all, &b->weighed, &b->flow, &b->before, &b->joining);
    if (!ok) return hd_fail_memory(ctx);
    hd_sssp_sources(r->net, b->all);
    return HD_OK;
}

/* ---- pairs of a destination -------------------------------------------------------------------- */

static bool budget_counts(const struct hd_budget *b, uint32_t d)
{
    return hd_sssp_counts(b->net, d) && (!b->demand || hd_demand_counts(b->demand, d));
}

static void budget_begin(struct hd_budget *b, uint32_t d)
{
    b->sources = b->all;
    if (!b->demand) return;
    hd_demand_sources(b->demand, b->all, d, b->weighed);
    b->sources = b->weighed;
}

static uint32_t budget_link(const struct hd_budget *b, const uint8_t *row, uint32_t v)
{
    return row[v] == HD_SLOT_NONE ? NONE : b->graph.lanes.links.of[b->net->off[v] + row[v]];
}

/* The pairs that come to v, and those that join them on the way to the destination, on links and turns, up to a switch
 * where others are still to come. */
static void count_branch(struct hd_budget *b, const uint8_t *row, uint32_t v)
{
    const struct hd_links *l = &b->graph.lanes.links;
    for (uint32_t a = budget_link(b, row, v), next; a != NONE; a = next) {
        const uint32_t head = l->head[a], flow = b->flow[v];
        next = budget_link(b, row, head);
        b->pairs[a] += flow;
        if (next != NONE) b->turn_pairs[hd_turn(l, a, next)] += flow;
        b->flow[head] += flow;
        if (--b->before[head]) return;
        v = head;
    }
}

/* The pairs of destination d, more or less, on every link and turn of its paths: leaves of its tree first. */
static void count_pairs(struct hd_budget *b, uint32_t d, bool more)
{
    const struct hd_links *l = &b->graph.lanes.links;
    const uint8_t *row = hd_row(b->r, d, 0);
    const uint32_t nsw = b->net->nsw;
    if (!budget_counts(b, d)) return;
    memset(b->before, 0, nsw * sizeof *b->before);
    for (uint32_t v = 0; v < nsw; v++) {
        const uint32_t a = budget_link(b, row, v);
        if (a != NONE) b->before[l->head[a]]++;
        b->flow[v] = more ? b->sources[v] : 0 - b->sources[v];
    }
    memcpy(b->joining, b->before, nsw * sizeof *b->before);
    for (uint32_t v = 0; v < nsw; v++)
        if (!b->joining[v]) count_branch(b, row, v);
}

/* ---- orders of links --------------------------------------------------------------------------- */

/* Whether some lane before this one has all turns of the path from v forwards. */
static bool path_taken(const struct hd_budget *b, const uint8_t *row, uint32_t v, uint32_t lanes)
{
    const struct hd_links *l = &b->graph.lanes.links;
    uint32_t open = lanes, a = budget_link(b, row, v), next;
    for (; a != NONE && open; a = next) {
        if ((next = budget_link(b, row, l->head[a])) == NONE) break;
        open = hd_turn_open(&b->graph, open, a, next);
    }
    return open;
}

/* What the turns of the wanted routes weigh for a lane: all count, those of paths not taken yet more. */
static void weigh_turns(struct hd_budget *b, const struct hd_routes *wanted, uint32_t lane, uint64_t *weight)
{
    const struct hd_links *l = &b->graph.lanes.links;
    memset(weight, 0, l->turn[l->n] * sizeof *weight);
    for (uint32_t d = 0; d < b->net->nep; d++) {
        const uint8_t *row = wanted->table + (size_t)d * b->net->nsw;
        if (!budget_counts(b, d)) continue;
        budget_begin(b, d);
        for (uint32_t i = 0; i < wanted->nleaf; i++) {
            uint32_t v = wanted->leaf[i], a = budget_link(b, row, v), next;
            uint64_t by = b->sources[v];
            if (lane && !path_taken(b, row, v, (1u << lane) - 1)) by *= 1 + LEFT_OVER;
            for (; a != NONE && (next = budget_link(b, row, l->head[a])) != NONE; a = next)
                weight[hd_turn(l, a, next)] += by;
        }
    }
    for (uint32_t t = 0; t < l->turn[l->n]; t++)
        if (b->graph.uses[lane][t]) weight[t] = HD_TURN_MUST;
}

static hd_status choose_orders(struct hd_ctx *ctx, struct hd_arena *a, struct hd_budget *b,
                               const struct hd_routes *wanted)
{
    const struct hd_links *l = &b->graph.lanes.links;
    uint64_t *weight = HD_NEW(a, uint64_t, l->turn[l->n]);
    uint32_t *place = HD_NEW(a, uint32_t, l->n);
    if (!weight || !place) return hd_fail_memory(ctx);
    for (uint32_t lane = 0; lane < b->graph.nlanes; lane++) {
        struct hd_rng rng;
        hd_rng_init(&rng, b->opt.seed, HD_RNG_ENGINE, ORDER_STREAM + lane);
        for (uint32_t i = 0; i < l->n; i++) place[i] = i;
        HD_TRY(hd_turn_graph_clear(ctx, &b->graph, lane, place));
        memcpy(place, b->graph.lanes.order[lane], l->n * sizeof *place);
        weigh_turns(b, wanted, lane, weight);
        HD_TRY(hd_turn_order(ctx, l, weight, ORDER_PASSES, &rng, place));
        HD_TRY(hd_turn_graph_clear(ctx, &b->graph, lane, place));
    }
    return HD_OK;
}

/* ---- one destination's tree -------------------------------------------------------------------- */

/* VLs are kept by leaf switch while trees grow, in either mode: nleaf of them, nep apart. */
static uint8_t *budget_lanes(const struct hd_budget *b, uint32_t d)
{
    return b->r->leaf_lane + d;
}

/* The lane whose tree alone is the cheapest. */
static uint32_t budget_best_lane(struct hd_budget *b, uint32_t t, const struct hd_growth_cost *cost)
{
    const struct hd_growth *w = &b->growth;
    double least = HUGE_VAL;
    uint32_t best = 0;
    for (uint32_t lane = 0; lane < b->graph.nlanes; lane++) {
        double sum = 0;
        hd_growth_run(&b->growth, t, 1u << lane, cost);
        for (uint32_t i = 0; i < w->n; i++) sum += (double)b->sources[w->order[i]] * (double)w->cost[w->order[i]];
        if (w->n == w->connected[t] && sum < least) {
            least = sum;
            best = lane;
        }
        hd_turn_settle(&b->graph);
    }
    return best;
}

/* Takes the tree of d out and keeps it aside. */
static void take_out(struct hd_budget *b, uint32_t d)
{
    count_pairs(b, d, false);
    hd_turn_graph_remove(&b->graph, hd_row(b->r, d, 0), budget_lanes(b, d), b->net->nep);
    memcpy(b->old_row, hd_row(b->r, d, 0), b->net->nsw);
    for (uint32_t i = 0; i < b->r->nleaf; i++) b->old_lane[i] = budget_lanes(b, d)[(size_t)i * b->net->nep];
}

static void put_back(struct hd_budget *b, uint32_t d)
{
    hd_turn_graph_count(&b->graph, b->old_row, b->old_lane, 1);
    count_pairs(b, d, true);
}

/* The tree that has grown becomes that of d. */
static void put_in(struct hd_budget *b, uint32_t d)
{
    const struct hd_growth *w = &b->growth;
    uint8_t *lane = budget_lanes(b, d);
    hd_growth_row(w, hd_row(b->r, d, 0));
    for (uint32_t i = 0; i < b->r->nleaf; i++) {
        uint32_t v = b->r->leaf[i];
        lane[(size_t)i * b->net->nep] = (uint8_t)(w->hops[v] == HD_FAR ? 0 : hd_growth_lane(w, v));
    }
    hd_turn_graph_count(&b->graph, hd_row(b->r, d, 0), lane, b->net->nep);
    hd_turn_settle(&b->graph);
    count_pairs(b, d, true);
}

/* Grows the tree of switch t in all lanes, or in the cheapest one; in lane 0 if that does not join all. */
static bool budget_grow(struct hd_budget *b, uint32_t t, bool eager)
{
    const struct hd_growth_cost cost = {HOP_COST, b->pairs, b->turn_pairs, b->opt.beta, eager};
    uint32_t lanes = (1u << b->graph.nlanes) - 1;
    if (b->opt.mode == HD_LANES_DEST && lanes > 1) lanes = 1u << budget_best_lane(b, t, &cost);
    hd_growth_run(&b->growth, t, lanes, &cost);
    if (b->growth.n < b->growth.connected[t] && lanes > 1) {
        hd_turn_settle(&b->graph);
        hd_growth_run(&b->growth, t, 1, &cost);
    }
    if (b->growth.n == b->growth.connected[t]) return true;
    hd_turn_settle(&b->graph);
    return false;
}

static hd_status budget_place(struct hd_ctx *ctx, struct hd_budget *b, uint32_t d, uint32_t pass)
{
    uint32_t t = hd_leaf(b->net, d);
    budget_begin(b, d);
    if (pass) take_out(b, d);
    if (!budget_grow(b, t, pass == b->opt.passes - 1)) {
        if (pass) {
            put_back(b, d);
            return HD_OK;
        }
        hd_growth_reserved(&b->growth, t, 0);
        b->stuck++;
    }
    if (b->growth.n < b->growth.connected[t])
        return hd_fail_na(ctx, "settle", b->net->spec,
                          "'%.100s' would need a path of more than %d channels between switches",
                          hd_node_name(b->net, t), HD_FAR - 1);
    put_in(b, d);
    return HD_OK;
}

/* ---- all of them ------------------------------------------------------------------------------- */

static hd_status budget_pass(struct hd_ctx *ctx, struct hd_budget *b, uint32_t pass)
{
    const uint32_t nep = b->net->nep;
    struct hd_rng rng;
    hd_rng_init(&rng, b->opt.seed, HD_RNG_ENGINE, pass);
    hd_rng_shuffle(&rng, b->order, nep);
    for (uint32_t i = 0; i < nep; i++) {
        HD_TRY(budget_place(ctx, b, b->order[i], pass));
        hd_progress(ctx, "settling", (uint64_t)pass * nep + i, (uint64_t)b->opt.passes * nep);
    }
    return HD_OK;
}

/* The VLs as routes keep them. */
static hd_status finish_lanes(struct hd_ctx *ctx, struct hd_budget *b)
{
    struct hd_routes *r = b->r;
    const uint32_t nep = b->net->nep;
    uint32_t most = 0;
    for (size_t i = 0; i < (size_t)r->nleaf * nep; i++)
        if (r->leaf_lane[i] > most) most = r->leaf_lane[i];
    r->nlanes = most + 1;
    r->lane_rule = !most ? HD_LANE_ONE : b->opt.mode == HD_LANES_PATH ? HD_LANE_LEAF : HD_LANE_DEST;
    if (r->lane_rule != HD_LANE_DEST) return HD_OK;
    if (!(r->dest_lane = HD_NEW(&r->arena, uint8_t, nep))) return hd_fail_memory(ctx);
    for (uint32_t d = 0; d < nep; d++) /* its own switch and those that are not connected have 0 */
        for (uint32_t i = 0; i < r->nleaf; i++) r->dest_lane[d] |= r->leaf_lane[(size_t)i * nep + d];
    return HD_OK;
}

static hd_status budget_fill(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_budget *b,
                             const struct hd_routes *wanted)
{
    const struct hd_links *l = &b->graph.lanes.links;
    HD_TRY(hd_turn_graph_reserve(ctx, &b->graph, 0, b->root, b->opt.children));
    HD_TRY(choose_orders(ctx, scratch, b, wanted));
    memset(b->pairs, 0, l->n * sizeof *b->pairs);
    memset(b->turn_pairs, 0, l->turn[l->n] * sizeof *b->turn_pairs);
    for (uint32_t d = 0; d < b->net->nep; d++) {
        uint32_t c = b->net->rev[b->net->off[b->net->nsw + d]], t = b->net->tail[c];
        hd_row(b->r, d, 0)[t] = (uint8_t)(c - b->net->off[t]);
        b->order[d] = d;
    }
    b->stuck = 0;
    for (uint32_t pass = 0; pass < b->opt.passes; pass++) {
        HD_TRY(budget_pass(ctx, b, pass));
        hd_turn_graph_release(&b->graph, 0);
    }
    return finish_lanes(ctx, b);
}

hd_status hd_budget_run(struct hd_ctx *ctx, struct hd_budget *b, const struct hd_budget_opt *opt,
                        const struct hd_routes *wanted, struct hd_routes *r)
{
    struct hd_arena scratch = {0};
    b->opt = *opt;
    b->r = r;
    if (!(r->leaf_lane = HD_NEW(&r->arena, uint8_t, (size_t)r->net->nep * r->nleaf))) return hd_fail_memory(ctx);
    hd_status s = budget_fill(ctx, &scratch, b, wanted);
    hd_arena_release(&scratch);
    return s;
}
