/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of OpenSM's engines sssp and dfsssp on an untouched subnet with LMC 0, entry by entry.
 *
 * What is advised to be one line of opensm.conf must be what OpenSM will compute, so everything on which a tie can
 * depend is repeated here: switches are numbered by GUID as its map compares them, destinations come leaf by leaf as in
 * leaf_order.h and then the switches themselves, cables start at the square of the number of LIDs, each route adds the
 * LIDs of its source switch (its own included), and the frontier is a heap with four children per node whose equal keys
 * stay in place when they rise, and of which the last child wins when they sink. Distances end at 2^31 - 1: fabrics
 * with longer ones are refused, as OpenSM does. Each component is a subnet of its own.
 * Cost: per destination (endpoint or switch) one step per link and four per switch and level of the heap. */
#include "base/status.h"
#include "route/core/leaf_order.h"
#include "route/kernel/sssp_options.h"

#include <stdlib.h>
#include <string.h>

enum { CHILDREN = 4, FARTHEST = 0x7fffffff };

struct osm_item {
    uint64_t key;
    uint32_t at; /* a switch by its number below; n: the destination */
};

struct osm_run {
    const char *engine; /* whose failure it is */
    const struct hd_net *net;
    const struct hd_links *links;
    uint32_t n, *sw;       /* switches of this component in OpenSM's order; */
    uint32_t *number;      /* [nsw] and the place of each in it */
    uint64_t *weight;      /* [links] */
    uint64_t *far;         /* [n] distance of a switch */
    uint32_t *used;        /* [n] link by which it was reached, UINT32_MAX: none */
    bool *done;            /* [n] */
    uint32_t *lids, *flow; /* [n] LIDs of a switch and of the endpoints on it; what passes it */
    uint32_t *order, ndone;
    struct osm_item *heap;
    uint32_t *place, nheap; /* [n + 1] where a switch is in the heap */
};

/* ---- the heap -------------------------------------------------------------------------------------- */

static void osm_put(struct osm_run *w, uint32_t i, struct osm_item item)
{
    w->heap[i] = item;
    w->place[item.at] = i;
}

static void osm_rise(struct osm_run *w, uint32_t i)
{
    struct osm_item item = w->heap[i];
    for (uint32_t up; i && item.key < w->heap[up = (i - 1) / CHILDREN].key; i = up) osm_put(w, i, w->heap[up]);
    osm_put(w, i, item);
}

static void osm_sink(struct osm_run *w, uint32_t i)
{
    struct osm_item item = w->heap[i];
    for (uint32_t first; (first = i * CHILDREN + 1) < w->nheap;) {
        uint32_t least = first, end = first + CHILDREN < w->nheap ? first + CHILDREN : w->nheap;
        for (uint32_t c = first + 1; c < end; c++)
            if (w->heap[c].key <= w->heap[least].key) least = c;
        if (item.key <= w->heap[least].key) break;
        osm_put(w, i, w->heap[least]);
        i = least;
    }
    osm_put(w, i, item);
}

static struct osm_item osm_pop(struct osm_run *w)
{
    struct osm_item top = w->heap[0];
    if (--w->nheap) {
        osm_put(w, 0, w->heap[w->nheap]);
        osm_sink(w, 0);
    }
    return top;
}

/* ---- one destination ------------------------------------------------------------------------------- */

static void osm_reach(struct osm_run *w, uint32_t i, uint64_t far, uint32_t link)
{
    w->far[i] = far;
    w->used[i] = link;
    w->heap[w->place[i]].key = far;
    osm_rise(w, w->place[i]);
}

/* From the endpoint on switch number t, or from that switch itself. */
static void osm_search(struct osm_run *w, uint32_t t, bool endpoint)
{
    const struct hd_links *l = w->links;
    w->nheap = w->n + endpoint;
    w->ndone = 0;
    for (uint32_t i = 0; i < w->nheap; i++) osm_put(w, i, (struct osm_item){FARTHEST, i});
    for (uint32_t i = 0; i < w->n; i++) w->far[i] = FARTHEST, w->used[i] = UINT32_MAX, w->done[i] = false;
    if (endpoint) {
        w->heap[w->n].key = 0;
        osm_rise(w, w->n);
        osm_pop(w);
    }
    osm_reach(w, t, endpoint, UINT32_MAX);
    while (w->nheap) {
        uint32_t i = osm_pop(w).at, v = w->sw[i];
        w->done[i] = true;
        w->order[w->ndone++] = i;
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) {
            uint32_t to = w->number[l->head[a]];
            if (!w->done[to] && w->far[i] + w->weight[a] < w->far[to]) osm_reach(w, to, w->far[i] + w->weight[a], a);
        }
    }
}

/* Every other switch leaves by the cable over which it was found; false: one was not found. */
static bool osm_fill(struct osm_run *w, uint32_t t, uint8_t *row)
{
    const struct hd_links *l = w->links;
    for (uint32_t i = 0; i < w->n; i++) {
        if (i == t) continue;
        if (w->used[i] == UINT32_MAX) return false;
        row[w->sw[i]] = hd_link_slot(l, w->sw[i], l->back[w->used[i]]);
    }
    return true;
}

static void osm_add(struct osm_run *w, uint32_t t)
{
    memcpy(w->flow, w->lids, w->n * sizeof *w->flow);
    for (uint32_t k = w->ndone; k-- > 0;) {
        uint32_t i = w->order[k];
        if (i == t) continue;
        uint32_t a = w->used[i], back = w->links->back[a];
        w->weight[a] += w->flow[i];
        w->flow[w->number[w->links->head[back]]] += w->flow[i];
    }
}

/* ---- all destinations of a component ------------------------------------------------------------------ */

static hd_status osm_refuse(struct hd_ctx *ctx, const struct osm_run *w)
{
    return hd_fail_na(ctx, w->engine, w->net->spec,
                      "OpenSM's sssp and dfsssp hold no distances beyond 2^31, and this number of LIDs takes more");
}

static hd_status osm_to_endpoints(struct hd_ctx *ctx, struct osm_run *w, uint32_t v, struct hd_routes *r)
{
    const struct hd_net *net = w->net;
    uint32_t t = w->number[v];
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        uint8_t *row = hd_row(r, net->head[c] - net->nsw, 0);
        osm_search(w, t, true);
        if (!osm_fill(w, t, row)) return osm_refuse(ctx, w);
        row[v] = (uint8_t)(c - net->off[v]);
        osm_add(w, t);
    }
    return HD_OK;
}

static hd_status osm_to_switch(struct hd_ctx *ctx, struct osm_run *w, uint32_t v, struct hd_routes *r)
{
    uint32_t t = w->number[v];
    osm_search(w, t, false);
    if (!osm_fill(w, t, r->switch_table + (size_t)v * w->net->nsw)) return osm_refuse(ctx, w);
    osm_add(w, t);
    return HD_OK;
}

/* order: all switches in the order in which they are served. */
static hd_status osm_component(struct hd_ctx *ctx, struct osm_run *w, const uint32_t *order, struct hd_routes *r)
{
    const struct hd_net *net = w->net;
    uint64_t lids = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t v = w->sw[i];
        w->lids[i] = 1;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) w->lids[i] += net->head[c] >= net->nsw;
        lids += w->lids[i];
    }
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t a = w->links->first[w->sw[i]]; a < w->links->first[w->sw[i] + 1]; a++) w->weight[a] = lids * lids;
    for (uint32_t i = 0; i < w->n; i++) {
        hd_progress(ctx, "routing", i, w->n);
        HD_TRY(osm_to_endpoints(ctx, w, order[i], r));
    }
    for (uint32_t i = 0; i < w->n; i++) HD_TRY(osm_to_switch(ctx, w, order[i], r));
    return HD_OK;
}

/* ---- all components -------------------------------------------------------------------------------- */

static hd_status osm_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_links *links, struct osm_run *w)
{
    const struct hd_net *net = links->net;
    uint32_t n = net->nsw;
    *w = (struct osm_run){.net = net, .links = links, .weight = HD_NEW(a, uint64_t, links->n)};
    w->far = HD_NEW(a, uint64_t, n);
    w->done = HD_NEW(a, bool, n);
    w->heap = HD_NEW(a, struct osm_item, (size_t)n + 1);
    bool got = HD_NEW_U32(a, n, &w->sw, &w->number, &w->used, &w->lids, &w->flow, &w->order) &&
               HD_NEW_U32(a, (size_t)n + 1, &w->place);
    return got && w->weight && w->far && w->done && w->heap ? HD_OK : hd_fail_memory(ctx);
}

static hd_status osm_fill_all(struct hd_ctx *ctx, struct hd_arena *a, const char *engine, const struct hd_links *links,
                              struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct osm_run w;
    uint32_t *by_guid, *by_size, *part, nparts;
    HD_TRY(osm_init(ctx, a, links, &w));
    w.engine = engine;
    HD_TRY(hd_switch_order(ctx, a, net, false, &by_guid));
    HD_TRY(hd_switch_order(ctx, a, net, true, &by_size));
    uint32_t *order = HD_NEW(a, uint32_t, net->nsw);
    part = HD_NEW(a, uint32_t, (size_t)net->nsw + net->nep);
    r->switch_table = HD_NEW(&r->arena, uint8_t, (size_t)net->nsw * net->nsw);
    if (!order || !part || !r->switch_table) return hd_fail_memory(ctx);
    memset(r->switch_table, HD_SLOT_NONE, (size_t)net->nsw * net->nsw);
    HD_TRY(hd_net_parts(ctx, net, part, &nparts));
    for (uint32_t p = 0; p < nparts; p++) {
        uint32_t n = 0;
        w.n = 0;
        for (uint32_t i = 0; i < net->nsw; i++) {
            if (part[by_guid[i]] == p) w.number[by_guid[i]] = w.n, w.sw[w.n++] = by_guid[i];
            if (part[by_size[i]] == p) order[n++] = by_size[i];
        }
        HD_TRY(osm_component(ctx, &w, order, r));
    }
    return HD_OK;
}

hd_status hd_sssp_opensm(struct hd_ctx *ctx, const char *engine, const struct hd_links *links, struct hd_routes *r)
{
    struct hd_arena scratch = {0};
    hd_status s = osm_fill_all(ctx, &scratch, engine, links, r);
    hd_arena_release(&scratch);
    return s;
}
