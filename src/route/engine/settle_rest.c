/* SPDX-License-Identifier: BSD-2-Clause */
/* One VL for the paths that count. An aggregation node on a spine is reached from other spines down and up again, and
 * such turns at several leaf switches close cycles: a second VL for pairs that nobody measures. Here switches are
 * ordered by distance from one leaf switch. On a tree, paths between leaf switches then go up and down in that order
 * too, and the turns of all other pairs meet at this leaf switch. Entries whose path goes up after down are replaced by
 * ones that do not: down to the destination where possible, else up to the neighbour with the shortest rest. If such an
 * entry is on a path between selected endpoints, nothing can be done. Dependencies follow the order, so that the table
 * is free of credit loops; the usual assignment of VLs confirms it. The method is our own. */
#include "route/engine/settle_rest.h"
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/kernel/updown_order.h"
#include "route/kernel/vl_assign.h"

#include <string.h>

enum settle_turns { UNSEEN, ILLEGAL, UP_DOWN, DOWN }; /* what the path from a switch does */

struct settle_rest {
    const struct hd_net *net;
    struct hd_updown up;
    bool *leaf;     /* [nsw] has selected endpoints */
    bool *selected; /* [nep] */
    uint8_t *turns; /* [nsw] enum settle_turns */
    uint32_t *hops; /* [nsw] */
    uint32_t *path; /* [nsw] scratch */
};

/* Distances from the leaf switch with most cables of each part. */
static hd_status rest_rank(struct hd_ctx *ctx, struct hd_arena *a, struct settle_rest *w)
{
    const struct hd_net *net = w->net;
    uint32_t *rank = HD_NEW(a, uint32_t, net->nsw), *queue = HD_NEW(a, uint32_t, net->nsw);
    uint8_t *dist = HD_NEW(a, uint8_t, net->nsw);
    if (!rank || !queue || !dist) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (rank[v]) continue;
        uint32_t root = UINT32_MAX, n = hd_dist_from(net, v, dist, queue);
        for (uint32_t i = 0; i < n; i++)
            if (w->leaf[queue[i]] && (root == UINT32_MAX || hd_degree(net, queue[i]) > hd_degree(net, root)))
                root = queue[i];
        n = hd_dist_from(net, root == UINT32_MAX ? v : root, dist, queue);
        for (uint32_t i = 0; i < n; i++) rank[queue[i]] = dist[queue[i]] + 1u;
        if (!rank[v]) rank[v] = HD_FAR + 1u; /* farther than distances are counted */
    }
    return hd_updown_init(ctx, a, net, rank, &w->up);
}

static hd_status rest_init(struct hd_ctx *ctx, struct hd_arena *a, struct settle_rest *w)
{
    const struct hd_net *net = w->net;
    w->leaf = HD_NEW(a, bool, net->nsw);
    w->selected = HD_NEW(a, bool, net->nep);
    w->turns = HD_NEW(a, uint8_t, net->nsw);
    if (!w->leaf || !w->selected || !w->turns || !HD_NEW_U32(a, net->nsw, &w->hops, &w->path))
        return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < net->nsel; i++) {
        w->selected[net->sel[i]] = true;
        w->leaf[hd_leaf(net, net->sel[i])] = true;
    }
    return rest_rank(ctx, a, w);
}

/* What a path does that takes channel c and then goes on like this. */
static enum settle_turns rest_turns(const struct settle_rest *w, uint32_t c, enum settle_turns then)
{
    if (then == ILLEGAL) return ILLEGAL;
    if (hd_updown_up(&w->up, c)) return UP_DOWN;
    return then == DOWN ? DOWN : ILLEGAL;
}

/* Paths of a row, from every switch. A loop, which no settled row has, would count as illegal. */
static void rest_walk(struct settle_rest *w, uint32_t t, const uint8_t *row)
{
    const struct hd_net *net = w->net;
    memset(w->turns, UNSEEN, net->nsw);
    w->turns[t] = DOWN;
    w->hops[t] = 0;
    for (uint32_t s = 0; s < net->nsw; s++) {
        uint32_t n = 0, v = s;
        while (w->turns[v] == UNSEEN) {
            w->turns[v] = ILLEGAL;
            w->path[n++] = v;
            if (row[v] == HD_SLOT_NONE) break;
            v = net->head[net->off[v] + row[v]];
        }
        while (n--) {
            uint32_t x = w->path[n];
            if (row[x] == HD_SLOT_NONE) continue;
            uint32_t c = net->off[x] + row[x], y = net->head[c];
            w->turns[x] = rest_turns(w, c, (enum settle_turns)w->turns[y]);
            w->hops[x] = w->hops[y] + 1;
        }
    }
}

/* The channel of v that goes down (or up) to a switch with a path, by the fewest hops; UINT32_MAX: none. */
static uint32_t rest_channel(const struct settle_rest *w, uint32_t v, bool up)
{
    const struct hd_net *net = w->net;
    uint32_t best = UINT32_MAX;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t x = net->head[c];
        if (x >= net->nsw || hd_updown_up(&w->up, c) != up || w->turns[x] < (up ? UP_DOWN : DOWN)) continue;
        if (best == UINT32_MAX || w->hops[x] < w->hops[net->head[best]]) best = c;
    }
    return best;
}

/* Entries with illegal paths get others: from the last switch to the first those that go down, then back the rest. */
static void rest_replace(struct settle_rest *w, uint8_t *row)
{
    const uint32_t nsw = w->net->nsw;
    for (uint32_t i = 0; i < 2 * nsw; i++) {
        bool up = i >= nsw;
        uint32_t v = w->up.order[up ? i - nsw : nsw - 1 - i], c;
        if (w->turns[v] != ILLEGAL || (c = rest_channel(w, v, up)) == UINT32_MAX) continue;
        row[v] = (uint8_t)(c - w->net->off[v]);
        w->turns[v] = up ? UP_DOWN : DOWN;
        w->hops[v] = w->hops[w->net->head[c]] + 1;
    }
}

static hd_status rest_fill(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_routes *copy, bool *done)
{
    struct hd_arena scratch = {0};
    struct settle_rest w = {.net = r->net};
    hd_status s = rest_init(ctx, &scratch, &w);
    *done = s == HD_OK;
    for (uint32_t d = 0; *done && d < r->net->nep; d++) {
        uint32_t t = hd_leaf(r->net, d);
        bool illegal = false;
        uint8_t *row = hd_row(copy, d, 0);
        rest_walk(&w, t, row);
        for (uint32_t v = 0; v < r->net->nsw; v++) {
            if (w.turns[v] != ILLEGAL) continue;
            illegal = true;
            if (w.selected[d] && w.leaf[v] && row[v] != HD_SLOT_NONE) *done = false;
        }
        if (illegal && *done) rest_replace(&w, row);
    }
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_settle_rest(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_routes **out)
{
    struct hd_routes *copy;
    bool fits = false;
    *out = NULL;
    HD_TRY(hd_routes_make(ctx, r->net, 1, &copy));
    memcpy(copy->table, r->table, (size_t)r->net->nep * r->net->nsw);
    hd_status s = rest_fill(ctx, r, copy, &fits);
    if (s == HD_OK && fits) s = hd_lanes_fit(ctx, copy, HD_LANES_PATH, 1, &fits);
    if (s == HD_OK && fits)
        *out = copy;
    else
        hd_routes_free(copy);
    return s;
}

/* Whether a switch has no entry towards an endpoint that another one reaches. */
static bool rest_has_holes(struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    bool hole = false;
    for (uint32_t d = 0; d < net->nep && !hole; d++) hole = memchr(hd_row(r, d, 0), HD_SLOT_NONE, net->nsw) != NULL;
    return hole;
}

hd_status hd_settle_rest_holes(struct hd_ctx *ctx, struct hd_routes *r)
{
    struct hd_routes *filled;
    if (r->net->nsel == r->net->nep || !rest_has_holes(r)) return HD_OK;
    HD_TRY(hd_settle_rest(ctx, r, &filled));
    if (filled) memcpy(r->table, filled->table, (size_t)r->net->nep * r->net->nsw);
    hd_routes_free(filled);
    return HD_OK;
}
