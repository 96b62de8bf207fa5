/* SPDX-License-Identifier: BSD-2-Clause */
/* MINHOP, entry by entry as OpenSM makes it on an untouched subnet with LMC 0.
 *
 * Every switch keeps one counter per port. Destinations come in the order of leaf_order.h; towards each, a switch takes
 * among its ports on shortest paths the one with the smallest counter, the lowest port on ties, and counts it. Switches
 * as destinations follow, uncounted. Counters belong to a switch, so switches are independent of each other and go to
 * threads in blocks. A switch takes 64 targets at a time, of which it knows a word for each of its links: the targets
 * that the link comes closer to (switch_distance.h). Towards switches nothing is counted any more: the links are gone
 * through once, by counter and port, and each takes the targets that no link before it has taken. Towards endpoints the
 * words are turned into one word of links for each target; the list of links made from it mostly serves the next target
 * too. Finding the smallest counter again and again in one list goes on from the last choice, since a choice only
 * raises its own counter: about one step per entry. Cost O(table), and a search of 64 targets at a time. */
#include "base/status.h"
#include "base/threads.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"
#include "route/core/leaf_order.h"
#include "route/core/switch_links.h"

#include <string.h>

enum { BATCH = 512, BLOCK = 64, WORDS = (HD_MAX_PORTS + 63) / 64 };
enum { LEAVES = 16 }; /* taken together: the rows of their endpoints, a cache line of each, fit the first cache */

struct minhop_run {
    const struct hd_net *net;
    struct hd_routes *r;
    struct hd_links links;
    uint32_t *first, *ep; /* [nsw + 1], [nep] endpoints of each switch, in port order */
    uint32_t *count;      /* [links] */
};

/* Up to 64 targets, and which of them a link comes closer to: from bit shift on of a word each. */
struct minhop_targets {
    const uint32_t *t;
    uint32_t n, shift;
    const uint64_t *closer; /* [links] */
};

static uint32_t smallest(const uint32_t *count, const uint8_t *near, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (count[near[i]] < count[near[best]]) best = i;
    return best;
}

/* Entries of switch t itself for its endpoints: the ports they are on. */
static void route_own(struct minhop_run *w, uint32_t t)
{
    const struct hd_net *net = w->net;
    for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++)
        if (net->head[c] >= net->nsw) hd_row(w->r, net->head[c] - net->nsw, 0)[t] = (uint8_t)(c - net->off[t]);
}

/* From a word of targets for each of up to 64 links to a word of links for each of 16 targets. Link a is put into bits
 * 16 (a / 16) .. of word a % 16; then the squares of 16 bits are transposed, four beside each other: squares of 8 bits
 * change places, of 4, of 2, of 1. */
static void transpose_links(const uint64_t *closer, uint32_t links, uint32_t shift, uint64_t x[LEAVES])
{
    uint64_t low = 0x00ff00ff00ff00ff;
    memset(x, 0, LEAVES * sizeof *x);
    for (uint32_t a = 0; a < links; a++) x[a % 16] |= (closer[a] >> shift & 0xffff) << a / 16 * 16;
    for (uint32_t j = 8; j; j /= 2, low ^= low << j)
        for (uint32_t i = 0; i < LEAVES; i = ((i | j) + 1) & ~j) {
            uint64_t swap = (x[i] >> j ^ x[i | j]) & low;
            x[i] ^= swap << j;
            x[i | j] ^= swap;
        }
}

/* Entries of switch v for the endpoints of switch t, in port order. near lists the links of v that come closer to t,
 * by number among those of v. */
static void route_endpoints(struct minhop_run *w, uint32_t v, uint32_t t, const uint8_t *near, uint32_t n)
{
    const struct hd_links *l = &w->links;
    const uint32_t *ep = w->ep, *chan = l->chan + l->first[v], end = w->first[t + 1];
    uint32_t *count = w->count + l->first[v], off = w->net->off[v], least = 0;
    size_t nsw = w->net->nsw;
    uint8_t *entry = w->r->table + v;
    for (uint32_t k = w->first[t], i = n; k < end; k++) {
        while (i < n && count[near[i]] != least) i++;
        if (i == n) i = smallest(count, near, n);
        least = count[near[i]]++;
        entry[ep[k] * nsw] = (uint8_t)(chan[near[i++]] - off);
    }
}

static void route_leaves(struct minhop_run *w, uint32_t v, const struct minhop_targets *b)
{
    uint32_t begin = w->links.first[v], links = w->links.first[v + 1] - begin, words = (links + 63) / 64, n = 0;
    uint64_t link[WORDS][LEAVES];
    uint8_t near[HD_MAX_PORTS];
    for (uint32_t k = 0; k < words; k++)
        transpose_links(b->closer + begin + 64 * k, links - 64 * k < 64 ? links - 64 * k : 64, b->shift, link[k]);
    for (uint32_t i = 0; i < b->n; i++) {
        bool same = i > 0;
        for (uint32_t k = 0; k < words; k++) same = same && link[k][i] == link[k][i - 1];
        if (!same) n = 0;
        for (uint32_t k = 0; !same && k < words; k++)
            for (uint64_t bits = link[k][i]; bits; bits &= bits - 1)
                near[n++] = (uint8_t)(64 * k + (uint32_t)__builtin_ctzll(bits));
        if (n) route_endpoints(w, v, b->t[i], near, n);
    }
}

/* Entries of switch v for switches. A small sort: links are few, and mostly in order. */
static void route_switches(struct minhop_run *w, uint32_t v, const struct minhop_targets *b)
{
    const struct hd_links *l = &w->links;
    uint32_t begin = l->first[v], links = l->first[v + 1] - begin, *count = w->count + begin;
    uint8_t order[HD_MAX_PORTS], *entry = w->r->switch_table + v;
    uint64_t left = UINT64_MAX >> (64 - b->n);
    for (uint32_t a = 0; a < links; a++) {
        uint32_t i = a;
        for (; i > 0 && count[order[i - 1]] > count[a]; i--) order[i] = order[i - 1];
        order[i] = (uint8_t)a;
    }
    for (uint32_t i = 0; i < links; i++) {
        uint32_t a = begin + order[i];
        uint8_t slot = hd_link_slot(l, v, a);
        for (uint64_t bits = b->closer[a] & left; bits; bits &= bits - 1)
            entry[(size_t)b->t[__builtin_ctzll(bits)] * w->net->nsw] = slot;
        left &= ~b->closer[a];
    }
    for (; left; left &= left - 1) entry[(size_t)b->t[__builtin_ctzll(left)] * w->net->nsw] = HD_SLOT_NONE;
}

typedef void route_fn(struct minhop_run *w, uint32_t v, const struct minhop_targets *b);

static hd_status each_target(struct hd_ctx *ctx, struct minhop_run *w, const uint32_t *target, uint32_t n,
                             uint32_t step, route_fn *route)
{
    uint32_t nsw = w->net->nsw, blocks = (nsw + BLOCK - 1) / BLOCK;
    int threads = hd_threads(ctx) < (int)blocks ? hd_threads(ctx) : (int)blocks;
    for (uint32_t at = 0; at < n; at += BATCH) {
        struct hd_arena scratch = {0};
        uint32_t many = n - at < BATCH ? n - at : BATCH;
        uint64_t *closer;
        hd_status s = hd_dist_closer(ctx, &scratch, &w->links, target + at, many, &closer);
        if (s == HD_OK) {
#pragma omp parallel for schedule(static) num_threads(threads)
            for (uint32_t b = 0; b < blocks; b++)
                for (uint32_t i = 0; i < many; i += step) {
                    struct minhop_targets of = {target + at + i, many - i < step ? many - i : step, i % 64,
                                                closer + (size_t)(i / 64) * w->links.n};
                    for (uint32_t v = b * BLOCK; v < nsw && v < (b + 1) * BLOCK; v++) route(w, v, &of);
                }
        }
        hd_arena_release(&scratch);
        HD_TRY(s);
    }
    return HD_OK;
}

static hd_status list_endpoints(struct hd_ctx *ctx, struct hd_arena *scratch, struct minhop_run *w)
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

static hd_status minhop_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct minhop_run w = {.net = net, .r = r};
    uint32_t *leaf, n, *all = HD_NEW(scratch, uint32_t, net->nsw);
    (void)opt;
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(hd_leaf_order(ctx, scratch, net, &leaf, &n));
    HD_TRY(hd_links_init(ctx, scratch, net, &w.links));
    HD_TRY(list_endpoints(ctx, scratch, &w));
    w.count = HD_NEW(scratch, uint32_t, w.links.n);
    r->switch_table = HD_NEW(&r->arena, uint8_t, (size_t)net->nsw * net->nsw);
    if (!all || !w.count || !r->switch_table) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) route_own(&w, leaf[i]);
    HD_TRY(each_target(ctx, &w, leaf, n, LEAVES, route_leaves));
    for (uint32_t v = 0; v < net->nsw; v++) all[v] = v;
    return each_target(ctx, &w, all, net->nsw, 64, route_switches);
}

const struct hd_engine hd_engine_minhop = {
    .desc = {.name = "minhop",
             .summary = "OpenSM's default: shortest paths, balanced by a counter at every port",
             .text = "Destinations are routed switch by switch, those with most endpoints first (ties in the order in "
                     "which OpenSM keeps GUIDs), on a switch by port. Towards each, every switch takes among its "
                     "ports on shortest paths the one that it has assigned to the fewest destinations so far, the "
                     "lowest port on ties. Entries towards switches follow by the same rule but are not counted. On a "
                     "new subnet with LMC 0 the tables are those of OpenSM, entry by entry. They can deadlock on "
                     "networks with cycles.",
             .cite = "OpenSM, ucast manager (minhop)",
             .examples = (const char *const[]){"minhop", NULL}},
    .role = HD_ENGINE_DEFAULT,
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_COMPLETE,
    .fallback = "settle",
    .route = minhop_route};
