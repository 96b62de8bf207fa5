/* SPDX-License-Identifier: BSD-2-Clause */
/* DNUP, entry by entry as OpenSM makes it on an untouched subnet with LMC 0: up/down with ranks from the other side.
 *
 * The height of a switch is its distance from the nearest switch with endpoints, which have height 0; no roots are
 * needed. A search from every switch gives all others a distance at each of their ports: a path climbs, then descends,
 * and cables between equal heights may be taken anywhere. As in OpenSM a switch keeps the direction in which it was
 * queued last, not one for each distance, and is queued again whenever the distance at one of its ports falls; which
 * paths are found depends on this, so it is done in the same order: first in, first out, ports increasing. Among the
 * ports with the least distance the balancing is that of minhop (engine_minhop.c). What this cannot promise is why it
 * is a baseline: where all switches have endpoints everything is of equal height, which is minhop with its credit
 * loops; where heights have several summits, pairs may be left without a path.
 * Distances fall along a path, so there are no loops. Cost O((switches + endpoints) * links).
 * OpenSM, its dnup engine; updown.c is ours for the purpose. */
#include "base/status.h"
#include "route/core/leaf_order.h"
#include "route/core/switch_distance.h"
#include "route/core/switch_links.h"
#include "route/engine/engines.h"

#include <string.h>

enum dnup_direction { CLIMBS, LEVEL, DESCENDS }; /* of the last link, seen from the destination */

struct dnup_run {
    const struct hd_net *net;
    struct hd_links links;
    uint32_t *height;     /* [nsw] UINT32_MAX: no endpoint can be reached */
    uint32_t *count;      /* [links] destinations it was chosen for */
    uint32_t *queue;      /* [nsw] a ring: each switch is in it at most once */
    uint8_t *far, *least; /* [links] distance of the target by this link, [nsw] by any; HD_FAR: none */
    uint8_t *direction;   /* [nsw] */
    bool *queued;         /* [nsw] */
};

static hd_status dnup_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct dnup_run *w)
{
    w->net = net;
    HD_TRY(hd_links_init(ctx, a, net, &w->links));
    w->height = HD_NEW(a, uint32_t, net->nsw);
    w->queue = HD_NEW(a, uint32_t, net->nsw);
    w->count = HD_NEW(a, uint32_t, w->links.n);
    w->far = HD_NEW(a, uint8_t, w->links.n);
    w->least = HD_NEW(a, uint8_t, net->nsw);
    w->direction = HD_NEW(a, uint8_t, net->nsw);
    w->queued = HD_NEW(a, bool, net->nsw);
    bool ok = w->height && w->queue && w->count && w->far && w->least && w->direction && w->queued;
    return ok ? HD_OK : hd_fail_memory(ctx);
}

static void dnup_heights(struct dnup_run *w)
{
    const struct hd_links *l = &w->links;
    uint32_t n = 0;
    memset(w->height, 0xff, w->net->nsw * sizeof *w->height);
    for (uint32_t e = 0; e < w->net->nep; e++) {
        uint32_t v = hd_leaf(w->net, e);
        if (w->height[v]) w->height[v] = 0, w->queue[n++] = v;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t v = w->queue[i], a = l->first[v]; a < l->first[v + 1]; a++)
            if (w->height[l->head[a]] == UINT32_MAX) {
                w->height[l->head[a]] = w->height[v] + 1;
                w->queue[n++] = l->head[a];
            }
}

/* Distances of t from all switches, by each of their links. */
static void dnup_search(struct dnup_run *w, uint32_t t)
{
    const struct hd_links *l = &w->links;
    uint32_t at = 0, waiting = 1;
    memset(w->far, HD_FAR, l->n);
    memset(w->least, HD_FAR, w->net->nsw);
    w->least[t] = 0;
    w->direction[t] = CLIMBS;
    w->queue[0] = t;
    while (waiting) {
        uint32_t v = w->queue[at];
        at = at + 1 == w->net->nsw ? 0 : at + 1;
        waiting--;
        w->queued[v] = false;
        enum dnup_direction before = w->direction[v];
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) {
            uint32_t u = l->head[a], more = w->least[v] + 1u;
            enum dnup_direction next = w->height[v] < w->height[u]   ? CLIMBS
                                       : w->height[v] > w->height[u] ? DESCENDS
                                                                     : LEVEL;
            if ((before == DESCENDS && next == CLIMBS) || more >= w->far[l->back[a]]) continue;
            w->far[l->back[a]] = (uint8_t)more;
            if (more < w->least[u]) w->least[u] = (uint8_t)more;
            if (w->queued[u]) continue;
            w->queued[u] = true;
            w->direction[u] = (uint8_t)next;
            w->queue[(at + waiting++) % w->net->nsw] = u;
        }
    }
}

/* Entries of all switches but t, towards which the search went, for one destination there. */
static void dnup_fill(struct dnup_run *w, uint32_t t, uint32_t counted, uint8_t *row)
{
    const struct hd_links *l = &w->links;
    for (uint32_t v = 0; v < w->net->nsw; v++) {
        uint32_t best = UINT32_MAX;
        row[v] = HD_SLOT_NONE;
        if (v == t || w->least[v] == HD_FAR) continue;
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++)
            if (w->far[a] == w->least[v] && (best == UINT32_MAX || w->count[a] < w->count[best])) best = a;
        w->count[best] += counted;
        row[v] = hd_link_slot(l, v, best);
    }
}

static hd_status dnup_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct dnup_run w = {0};
    uint32_t *leaf, n;
    (void)opt;
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(hd_leaf_order(ctx, scratch, net, &leaf, &n));
    HD_TRY(dnup_init(ctx, scratch, net, &w));
    r->switch_table = HD_NEW(&r->arena, uint8_t, (size_t)net->nsw * net->nsw);
    if (!r->switch_table) return hd_fail_memory(ctx);
    dnup_heights(&w);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = leaf[i];
        dnup_search(&w, t);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint8_t *row = hd_row(r, net->head[c] - net->nsw, 0);
            dnup_fill(&w, t, 1, row);
            row[t] = (uint8_t)(c - net->off[t]);
        }
    }
    for (uint32_t t = 0; t < net->nsw; t++) {
        dnup_search(&w, t);
        dnup_fill(&w, t, 0, r->switch_table + (size_t)t * net->nsw);
    }
    return HD_OK;
}

const struct hd_engine hd_engine_dnup = {
    .desc = {.name = "dnup",
             .summary = "OpenSM's down/up: up*/down* by distance from the endpoints instead of from roots",
             .text = "Switches with endpoints have height 0, every other one more than the lowest of its neighbours. A "
                     "path climbs, then descends; cables between switches of equal height may be taken at any point. "
                     "Among the ports with the shortest such path a switch takes the one assigned to the fewest "
                     "destinations, as minhop does. Needs no roots and allows endpoints at any level. On a new subnet "
                     "with LMC 0 the tables are those of OpenSM, entry by entry, and so are its limits: if all "
                     "switches have endpoints it is minhop, with its credit loops; if not all paths lead over one "
                     "summit, pairs can remain without a path. updown and settle have neither.",
             .cite = "OpenSM, ucast manager (dnup)",
             .examples = (const char *const[]){"dnup", NULL},
             .opt_size = 1},
    .role = HD_ENGINE_BASELINE,
    .fallback = "settle",
    .route = dnup_route};
