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

struct lash {
    struct hd_routes *r;
    const struct lash_opt *opt;
    const uint8_t **row; /* [nleaf] of one endpoint of each leaf */
    struct hd_acyclic lanes;
    uint32_t *stamp, pass; /* [nsw] */
};

/* The turns of the path from v, up to a switch that this pass has met. */
static void lash_gather(struct lash *w, const uint8_t *row, uint32_t v)
{
    const struct hd_net *net = w->r->net;
    for (uint32_t c = net->off[v] + row[v], next; w->stamp[v] != w->pass; c = next) {
        w->stamp[v] = w->pass;
        v = net->head[c];
        next = net->off[v] + row[v];
        if (net->head[next] >= net->nsw) return;
        w->lanes.turn[w->lanes.nturn++] = (struct hd_turn){w->lanes.links.of[c], w->lanes.links.of[next]};
    }
}

/* The first lane that takes all turns gathered. */
static hd_status lash_place(struct hd_ctx *ctx, struct lash *w, uint32_t *lane)
{
    struct hd_acyclic *k = &w->lanes;
    uint32_t blocked = 0;
    bool fits = false;
    hd_acyclic_begin(k);
    for (uint32_t i = 0; i < k->nturn; i++) blocked |= k->blocked[hd_turn(&k->links, k->turn[i].from, k->turn[i].to)];
    for (*lane = 0; *lane < w->opt->maxlanes; ++*lane) {
        if (blocked >> *lane & 1) continue;
        if (!k->order[*lane]) HD_TRY(hd_acyclic_open(ctx, k, *lane, NULL));
        HD_TRY(hd_acyclic_try(ctx, k, *lane, &fits));
        if (fits) return HD_OK;
    }
    return hd_fail_na(ctx, "lash", w->r->net->spec, "needs more than %u VLs", (uint32_t)w->opt->maxlanes);
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

/* Rows of all endpoints, and one of them for each switch with endpoints. */
static hd_status lash_fill_rows(struct hd_ctx *ctx, struct hd_arena *a, struct lash *w)
{
    struct hd_routes *r = w->r;
    const struct hd_net *net = r->net;
    uint8_t *dist = HD_NEW(a, uint8_t, net->nsw);
    uint32_t *queue = HD_NEW(a, uint32_t, net->nsw);
    w->row = HD_NEW(a, const uint8_t *, r->nleaf);
    if (!w->row || !dist || !queue) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t t = r->leaf[i];
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint8_t *row = hd_row(r, net->head[c] - net->nsw, 0);
            if (w->row[i])
                memcpy(row, w->row[i], net->nsw);
            else
                hd_dist_row(net, t, row, dist, queue);
            row[t] = (uint8_t)(c - net->off[t]);
            w->row[i] = row;
        }
    }
    return HD_OK;
}

static hd_status lanes_by_path(struct hd_ctx *ctx, struct lash *w)
{
    struct hd_routes *r = w->r;
    uint32_t lane;
    r->lane_rule = HD_LANE_LEAF;
    if (!(r->leaf_lane = HD_NEW(&r->arena, uint8_t, (size_t)r->nleaf * r->net->nep))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < r->nleaf; hd_progress(ctx, "lash", ++i, r->nleaf))
        for (uint32_t j = i + 1; j < r->nleaf; j++) {
            if (w->row[j][r->leaf[i]] == HD_SLOT_NONE) continue; /* different parts of the network */
            w->lanes.nturn = 0;
            w->pass++;
            lash_gather(w, w->row[j], r->leaf[i]);
            w->pass++;
            lash_gather(w, w->row[i], r->leaf[j]);
            HD_TRY(lash_place(ctx, w, &lane));
            set_lane(r, i, j, lane);
            set_lane(r, j, i, lane);
        }
    return HD_OK;
}

static hd_status lanes_by_dest(struct hd_ctx *ctx, struct lash *w)
{
    struct hd_routes *r = w->r;
    uint32_t lane;
    r->lane_rule = HD_LANE_DEST;
    if (!(r->dest_lane = HD_NEW(&r->arena, uint8_t, r->net->nep))) return hd_fail_memory(ctx);
    for (uint32_t j = 0; j < r->nleaf; j++) {
        w->lanes.nturn = 0;
        w->pass++;
        for (uint32_t i = 0; i < r->nleaf; i++)
            if (i != j && w->row[j][r->leaf[i]] != HD_SLOT_NONE) lash_gather(w, w->row[j], r->leaf[i]);
        HD_TRY(lash_place(ctx, w, &lane));
        set_lane(r, 0, j, lane);
        hd_progress(ctx, "lash", j + 1, r->nleaf);
    }
    return HD_OK;
}

static hd_status lash_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    struct lash w = {.r = r, .opt = opt, .stamp = HD_NEW(scratch, uint32_t, r->net->nsw)};
    if (!w.stamp) return hd_fail_memory(ctx);
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(lash_fill_rows(ctx, scratch, &w));
    HD_TRY(hd_acyclic_init(ctx, scratch, r->net, &w.lanes));
    return w.opt->lanes == HD_LANES_PATH ? lanes_by_path(ctx, &w) : lanes_by_dest(ctx, &w);
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
    .cost = hd_cost_table_and_lanes,
    .fallback = "settle",
    .route = lash_route};
