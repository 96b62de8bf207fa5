/* SPDX-License-Identifier: BSD-2-Clause */
/* MINHOP, entry by entry as OpenSM makes it on an untouched subnet with LMC 0.
 *
 * Every switch keeps one counter a port. Destinations come in the order of leaf_order.h; towards each,
 * a switch takes among its ports on shortest paths the one with the smallest counter, the lowest port
 * on ties, and counts it. Switches as destinations follow, uncounted.
 * Counters belong to a switch, so switches are independent of each other and go to threads in blocks;
 * inside a block the rows of a leaf's endpoints are written side by side. Finding the smallest counter
 * again and again in one list goes on from the last choice, since a choice only raises its own counter:
 * about one step an entry. Cost O(L channels + table), L switches with endpoints. */
#include "base/status.h"
#include "base/threads.h"
#include "route/dist.h"
#include "route/engines.h"
#include "route/leaf_order.h"

enum { BATCH = 64, BLOCK = 64 };

struct run {
    const struct hd_net *net;
    struct hd_routes *r;
    uint32_t *count; /* [nchan] */
    uint8_t *dist;   /* [BATCH * nsw] towards each target of the batch */
    uint32_t *queue; /* [threads * nsw] */
};

static uint32_t shortest(const struct hd_net *net, const uint8_t *dist, uint32_t v, uint8_t slot[HD_MAX_PORTS])
{
    uint32_t n = 0;
    if (dist[v] == HD_FAR) return 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] < net->nsw && dist[net->head[c]] + 1u == dist[v]) slot[n++] = (uint8_t)(c - net->off[v]);
    return n;
}

static uint32_t smallest(const uint32_t *count, const uint8_t *slot, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (count[slot[i]] < count[slot[best]]) best = i;
    return best;
}

/* Entries of switch v for all endpoints of switch t, in port order. */
static void route_leaf(struct run *w, uint32_t t, const uint8_t *dist, uint32_t v)
{
    const struct hd_net *net = w->net;
    uint8_t slot[HD_MAX_PORTS];
    uint32_t *count = w->count + net->off[v], n = v == t ? 0 : shortest(net, dist, v, slot), i = 0, least = 0;
    if (v != t && n == 0) return;
    for (uint32_t c = net->off[t], first = 1; c < net->off[t + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        uint8_t *entry = hd_row(w->r, net->head[c] - net->nsw, 0) + v;
        if (v == t) {
            *entry = (uint8_t)(c - net->off[t]);
            continue;
        }
        while (!first && i < n && count[slot[i]] != least) i++;
        if (first || i == n) i = smallest(count, slot, n);
        first = 0;
        least = count[slot[i]]++;
        *entry = slot[i++];
    }
}

static void route_switch(struct run *w, uint32_t t, const uint8_t *dist, uint32_t v)
{
    uint8_t slot[HD_MAX_PORTS];
    uint32_t n = v == t ? 0 : shortest(w->net, dist, v, slot);
    w->r->switch_table[(size_t)t * w->net->nsw + v] =
        n ? slot[smallest(w->count + w->net->off[v], slot, n)] : HD_SLOT_NONE;
}

typedef void route_fn(struct run *w, uint32_t t, const uint8_t *dist, uint32_t v);

static void each_target(struct hd_ctx *ctx, struct run *w, const uint32_t *target, uint32_t n, route_fn *route)
{
    uint32_t nsw = w->net->nsw, blocks = (nsw + BLOCK - 1) / BLOCK;
    int threads = hd_threads(ctx) < (int)blocks ? hd_threads(ctx) : (int)blocks;
    for (uint32_t at = 0; at < n; at += BATCH) {
        uint32_t end = n - at < BATCH ? n : at + BATCH;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint32_t i = at; i < end; i++)
            hd_dist_from(w->net, target[i], w->dist + (size_t)(i - at) * nsw, w->queue + (size_t)hd_thread_id() * nsw);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint32_t b = 0; b < blocks; b++)
            for (uint32_t i = at; i < end; i++)
                for (uint32_t v = b * BLOCK; v < nsw && v < (b + 1) * BLOCK; v++)
                    route(w, target[i], w->dist + (size_t)(i - at) * nsw, v);
    }
}

static hd_status fill(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct run w = {.net = net, .r = r};
    uint32_t *leaf, n, *all = HD_NEW(scratch, uint32_t, net->nsw);
    HD_TRY(hd_leaf_order(ctx, scratch, net, &leaf, &n));
    w.count = HD_NEW(scratch, uint32_t, net->nchan);
    w.dist = HD_NEW(scratch, uint8_t, (size_t)BATCH * net->nsw);
    w.queue = HD_NEW(scratch, uint32_t, (size_t)hd_threads(ctx) * net->nsw);
    r->switch_table = HD_NEW(&r->arena, uint8_t, (size_t)net->nsw * net->nsw);
    if (!all || !w.count || !w.dist || !w.queue || !r->switch_table) return hd_fail_memory(ctx);
    each_target(ctx, &w, leaf, n, route_leaf);
    for (uint32_t v = 0; v < net->nsw; v++) all[v] = v;
    each_target(ctx, &w, all, net->nsw, route_switch);
    return HD_OK;
}

static hd_status route_minhop(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **out)
{
    struct hd_arena scratch = {0};
    struct hd_routes *r;
    (void)opt;
    HD_TRY(hd_routes_make(ctx, net, 1, &r));
    hd_status s = fill(ctx, &scratch, r);
    hd_arena_release(&scratch);
    if (s != HD_OK) {
        hd_routes_free(r);
        return s;
    }
    *out = r;
    return HD_OK;
}

const struct hd_engine hd_engine_minhop = {
    .desc =
        {.name = "minhop",
         .summary = "OpenSM's default: shortest paths, spread by a counter at every port",
         .text =
             "Destinations come switch by switch, those with most endpoints first (ties in the order OpenSM keeps "
             "GUIDs), on a switch by port. Towards each, every switch takes among its ports on shortest paths the one "
             "it has given to the fewest destinations so far, the lowest port on ties. Entries towards switches follow "
             "by the same rule but are not counted. On a new subnet with LMC 0 the tables are OpenSM's, entry by "
             "entry. Nothing keeps it free of deadlock on networks with loops.",
         .cite = "OpenSM, ucast manager (minhop)",
         .examples = (const char *const[]){"minhop", NULL}},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_COMPLETE,
    .route = route_minhop};
