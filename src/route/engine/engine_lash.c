/* SPDX-License-Identifier: BSD-2-Clause */
/* LASH: shortest paths between switches, assigned to layers (VLs, "lanes" below) so that none can deadlock.
 *
 * Towards every switch with endpoints a shortest-path tree is made, ties to the lowest port; all
 * endpoints of a switch share it. Then for each pair of such switches, in order, the paths in both directions go
 * to the first lane where they close no cycle of channel dependencies. The lane of a packet is that of
 * its source's and its destination's switch, the same in both directions, so a reply travels in the lane of
 * the request. With lanes=dest whole trees go to lanes instead, and a reply need not keep the lane. The
 * dependencies of a lane are kept in order (acyclic_order.h), so a pair that fits costs its hops.
 * O(L channels + L^2 hops), plus the reordering.
 * Skeie, Lysne, Theiss: Layered shortest path (LASH) routing in irregular system area networks. */
#include "base/status.h"
#include "route/kernel/acyclic_order.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"
#include "route/kernel/vl_assign.h"

#include <string.h>

struct lash_opt {
    int lanes; /* enum hd_lanes_mode */
    uint64_t maxlanes;
};

/* The dependencies of a pair or tree that were added to a lane, to take them out again. */
struct lash_added {
    uint32_t n, *c, *next; /* a path has at most as many as there are switches */
};

static bool put_path(struct hd_acyclic *a, const struct hd_net *net, uint32_t lane, uint32_t v, const uint8_t *row,
                     struct lash_added *w)
{
    uint32_t c = net->off[v] + row[v];
    for (v = net->head[c]; net->head[net->off[v] + row[v]] < net->nsw; v = net->head[c]) {
        uint32_t next = net->off[v] + row[v];
        if (!hd_deps_has(&a->deps, c, lane, row[v])) {
            if (!hd_acyclic_add(a, lane, c, next)) return false;
            w->c[w->n] = c;
            w->next[w->n++] = next;
        }
        c = next;
    }
    return true;
}

static bool take_back(struct hd_acyclic *a, uint32_t lane, struct lash_added *w)
{
    while (w->n > 0) {
        w->n--;
        hd_acyclic_remove(a, lane, w->c[w->n], w->next[w->n]);
    }
    return false;
}

/* Both directions in one lane, or nothing. */
static bool lash_put_pair(struct hd_acyclic *a, const struct hd_net *net, uint32_t lane, const uint32_t sw[2],
                          const uint8_t *const row[2], struct lash_added *w)
{
    w->n = 0;
    if (put_path(a, net, lane, sw[0], row[1], w) && put_path(a, net, lane, sw[1], row[0], w)) return true;
    return take_back(a, lane, w);
}

/* All paths to one switch in one lane, or nothing. */
static bool put_tree(struct hd_acyclic *a, const struct hd_routes *r, uint32_t lane, uint32_t to, const uint8_t *row,
                     struct lash_added *w)
{
    w->n = 0;
    for (uint32_t i = 0; i < r->nleaf; i++)
        if (i != to && row[r->leaf[i]] != HD_SLOT_NONE && !put_path(a, r->net, lane, r->leaf[i], row, w))
            return take_back(a, lane, w);
    return true;
}

/* Of the paths from one leaf to another, or of all to it where lanes go by destination. */
static void set_lane(struct hd_routes *r, uint32_t from, uint32_t to, uint32_t lane)
{
    const struct hd_net *net = r->net;
    uint8_t *lanes = r->dest_lane ? r->dest_lane : r->leaf_lane + (size_t)from * net->nep;
    for (uint32_t c = net->off[r->leaf[to]]; c < net->off[r->leaf[to] + 1]; c++)
        if (net->head[c] >= net->nsw) lanes[net->head[c] - net->nsw] = (uint8_t)lane;
    if (lane >= r->nlanes) r->nlanes = lane + 1;
}

static void tree_row(const struct hd_net *net, const uint8_t *dist, uint8_t *row)
{
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && row[v] == HD_SLOT_NONE && dist[v] != HD_FAR; c++)
            if (net->head[c] < net->nsw && dist[net->head[c]] + 1u == dist[v]) row[v] = (uint8_t)(c - net->off[v]);
}

/* Rows of all endpoints, and one of them for each switch with endpoints. */
static hd_status lash_fill_rows(struct hd_ctx *ctx, struct hd_arena *a, struct hd_routes *r, const uint8_t ***out)
{
    const struct hd_net *net = r->net;
    const uint8_t **row_of = HD_NEW(a, const uint8_t *, r->nleaf);
    uint8_t *dist = HD_NEW(a, uint8_t, net->nsw);
    uint32_t *queue = HD_NEW(a, uint32_t, net->nsw);
    if (!row_of || !dist || !queue) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t t = r->leaf[i];
        hd_dist_from(net, t, dist, queue);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint8_t *row = hd_row(r, net->head[c] - net->nsw, 0);
            if (row_of[i])
                memcpy(row, row_of[i], net->nsw);
            else
                tree_row(net, dist, row);
            row[t] = (uint8_t)(c - net->off[t]);
            row_of[i] = row;
        }
    }
    *out = row_of;
    return HD_OK;
}

static hd_status lash_too_few(struct hd_ctx *ctx, const struct hd_routes *r, const struct lash_opt *o)
{
    return hd_fail_na(ctx, "lash", r->net->spec, "needs more than %u VLs", (uint32_t)o->maxlanes);
}

static hd_status lanes_by_path(struct hd_ctx *ctx, struct hd_routes *r, const struct lash_opt *o, const uint8_t **row,
                               struct hd_acyclic *a, struct lash_added *w)
{
    r->lane_rule = HD_LANE_LEAF;
    if (!(r->leaf_lane = HD_NEW(&r->arena, uint8_t, (size_t)r->nleaf * r->net->nep))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < r->nleaf; i++)
        for (uint32_t j = i + 1; j < r->nleaf; j++) {
            uint32_t sw[2] = {r->leaf[i], r->leaf[j]}, lane = 0;
            const uint8_t *rows[2] = {row[i], row[j]};
            if (row[j][sw[0]] == HD_SLOT_NONE) continue; /* different parts of the network */
            while (lane < o->maxlanes && !lash_put_pair(a, r->net, lane, sw, rows, w)) lane++;
            if (lane == o->maxlanes) return lash_too_few(ctx, r, o);
            set_lane(r, i, j, lane);
            set_lane(r, j, i, lane);
        }
    return HD_OK;
}

static hd_status lanes_by_dest(struct hd_ctx *ctx, struct hd_routes *r, const struct lash_opt *o, const uint8_t **row,
                               struct hd_acyclic *a, struct lash_added *w)
{
    r->lane_rule = HD_LANE_DEST;
    if (!(r->dest_lane = HD_NEW(&r->arena, uint8_t, r->net->nep))) return hd_fail_memory(ctx);
    for (uint32_t j = 0; j < r->nleaf; j++) {
        uint32_t lane = 0;
        while (lane < o->maxlanes && !put_tree(a, r, lane, j, row[j], w)) lane++;
        if (lane == o->maxlanes) return lash_too_few(ctx, r, o);
        set_lane(r, 0, j, lane);
    }
    return HD_OK;
}

static hd_status lash_fill(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_routes *r, const struct lash_opt *o)
{
    struct hd_acyclic a;
    const uint8_t **row = NULL;
    size_t most = 2 * (size_t)r->net->nsw;
    struct lash_added w = {0, HD_NEW(scratch, uint32_t, most), HD_NEW(scratch, uint32_t, most)};
    if (!w.c || !w.next) return hd_fail_memory(ctx);
    HD_TRY(lash_fill_rows(ctx, scratch, r, &row));
    HD_TRY(hd_acyclic_init(ctx, scratch, r->net, (uint32_t)o->maxlanes, &a));
    return (o->lanes == HD_LANES_PATH ? lanes_by_path : lanes_by_dest)(ctx, r, o, row, &a, &w);
}

static hd_status lash_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    HD_TRY(hd_routes_table(ctx, r, 1));
    return lash_fill(ctx, scratch, r, opt);
}

static double lash_cost(const struct hd_sizes *z)
{
    return hd_cost_table(z) + hd_cost_lanes(z);
}

const struct hd_engine hd_engine_lash = {
    .desc = {.name = "lash",
             .summary = "shortest paths in layers: deadlock-free on any network, given enough VLs",
             .text = "Towards every switch there is a shortest-path tree, ties to the lowest port. For each pair of "
                     "switches with endpoints, in order, the paths in both directions go to the first VL where "
                     "neither closes a cycle of channel dependencies. All endpoints of a switch share its paths, so "
                     "loads are uneven; it is here for comparison, and because it needs few VLs. With lanes=dest all "
                     "paths to a switch share a VL, which a QoS policy by destination can express; replies may then "
                     "use another VL.",
             .cite = "Skeie, Lysne, Theiss: Layered shortest path (LASH) routing in irregular system area networks",
             .params = (const struct hd_param[]){{"lanes", HD_WORD, "path",
                                                  "one VL per pair of switches, or one for all paths to a destination",
                                                  offsetof(struct lash_opt, lanes), 0, 0, "path|dest", false},
                                                 {"maxlanes", HD_UINT, "8", "VLs that are available",
                                                  offsetof(struct lash_opt, maxlanes), 1, HD_LANES_MOST, NULL, false},
                                                 {0}},
             .examples = (const char *const[]){"lash", "lash:lanes=dest", NULL},
             .opt_size = sizeof(struct lash_opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .cost = lash_cost,
    .fallback = "settle",
    .route = lash_route};
