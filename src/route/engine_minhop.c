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
#include "route/links.h"

enum { BATCH = 512, BLOCK = 64 };

struct run {
    const struct hd_net *net;
    struct hd_routes *r;
    struct hd_links links;
    uint32_t *first, *ep; /* [nsw + 1], [nep] endpoints of each switch, in port order */
    uint32_t *count;      /* [links] */
};

static uint32_t smallest(const uint32_t *count, const uint8_t *near, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (count[near[i]] < count[near[best]]) best = i;
    return best;
}

/* Entries of switch t itself for its endpoints: the ports they are on. */
static void route_own(struct run *w, uint32_t t)
{
    const struct hd_net *net = w->net;
    for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++)
        if (net->head[c] >= net->nsw) hd_row(w->r, net->head[c] - net->nsw, 0)[t] = (uint8_t)(c - net->off[t]);
}

/* Entries of switch v for all endpoints of switch t, in port order. near lists v's links on shortest paths, by
 * number among those of v: written always, kept when the link comes closer, so that there is no branch to guess. */
static void route_leaf(struct run *w, uint32_t t, const uint8_t *dist, uint32_t v)
{
    const struct hd_links *l = &w->links;
    uint8_t near[HD_MAX_PORTS + 1];
    uint32_t begin = l->first[v], links = l->first[v + 1] - begin, n = 0, least = 0, closer = dist[v] - 1u;
    uint32_t *count = w->count + begin;
    for (uint32_t a = 0; a < links; a++) {
        near[n] = (uint8_t)a;
        n += dist[l->head[begin + a]] == closer;
    }
    if (dist[v] == HD_FAR || n == 0) return;
    for (uint32_t k = w->first[t], i = n; k < w->first[t + 1]; k++) {
        while (i < n && count[near[i]] != least) i++;
        if (i == n) i = smallest(count, near, n);
        least = count[near[i]]++;
        hd_row(w->r, w->ep[k], 0)[v] = hd_link_slot(l, v, begin + near[i++]);
    }
}

/* The entry of switch v for switch t: the smallest of keys (count, number of the link) over the links that come
 * closer; the others' keys are all ones. */
static void route_switch(struct run *w, uint32_t t, const uint8_t *dist, uint32_t v)
{
    const struct hd_links *l = &w->links;
    uint64_t least = UINT64_MAX;
    for (uint32_t a = l->first[v], closer = dist[v] - 1u; a < l->first[v + 1]; a++) {
        uint64_t far = 0 - (uint64_t)(dist[l->head[a]] != closer), key = ((uint64_t)w->count[a] << 32 | a) | far;
        least = key < least ? key : least;
    }
    bool served = least != UINT64_MAX && dist[v] != HD_FAR;
    w->r->switch_table[(size_t)t * w->net->nsw + v] = served ? hd_link_slot(l, v, (uint32_t)least) : HD_SLOT_NONE;
}

typedef void route_fn(struct run *w, uint32_t t, const uint8_t *dist, uint32_t v);

static hd_status each_target(struct hd_ctx *ctx, struct run *w, const uint32_t *target, uint32_t n, route_fn *route)
{
    uint32_t nsw = w->net->nsw, blocks = (nsw + BLOCK - 1) / BLOCK;
    int threads = hd_threads(ctx) < (int)blocks ? hd_threads(ctx) : (int)blocks;
    for (uint32_t at = 0; at < n; at += BATCH) {
        struct hd_arena scratch = {0};
        uint32_t many = n - at < BATCH ? n - at : BATCH;
        uint8_t *dist;
        hd_status s = hd_dist_table(ctx, &scratch, w->net, target + at, many, &dist);
        if (s == HD_OK) {
#pragma omp parallel for schedule(static) num_threads(threads)
            for (uint32_t b = 0; b < blocks; b++)
                for (uint32_t i = 0; i < many; i++)
                    for (uint32_t v = b * BLOCK; v < nsw && v < (b + 1) * BLOCK; v++)
                        route(w, target[at + i], dist + (size_t)i * nsw, v);
        }
        hd_arena_release(&scratch);
        HD_TRY(s);
    }
    return HD_OK;
}

static hd_status list_endpoints(struct hd_ctx *ctx, struct hd_arena *scratch, struct run *w)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    w->first = HD_NEW(scratch, uint32_t, (size_t)net->nsw + 1);
    w->ep = HD_NEW(scratch, uint32_t, net->nep);
    if (!w->first || !w->ep) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        w->first[v] = n;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] >= net->nsw) w->ep[n++] = net->head[c] - net->nsw;
    }
    w->first[net->nsw] = n;
    return HD_OK;
}

static hd_status fill(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct run w = {.net = net, .r = r};
    uint32_t *leaf, n, *all = HD_NEW(scratch, uint32_t, net->nsw);
    HD_TRY(hd_leaf_order(ctx, scratch, net, &leaf, &n));
    HD_TRY(hd_links_init(ctx, scratch, net, &w.links));
    HD_TRY(list_endpoints(ctx, scratch, &w));
    w.count = HD_NEW(scratch, uint32_t, w.links.n);
    r->switch_table = HD_NEW(&r->arena, uint8_t, (size_t)net->nsw * net->nsw);
    if (!all || !w.count || !r->switch_table) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) route_own(&w, leaf[i]);
    HD_TRY(each_target(ctx, &w, leaf, n, route_leaf));
    for (uint32_t v = 0; v < net->nsw; v++) all[v] = v;
    return each_target(ctx, &w, all, net->nsw, route_switch);
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
