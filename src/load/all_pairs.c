/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads when every selected endpoint sends to every other. Each destination tree is walked once
 * (route/kernel/row_walk.h) and flows are added up from the far end, so that what comes through a switch is known when
 * its turn comes. Threads have counters of their own, which are summed at the end. O(destinations * variants * switches
 * met). */
#include "load/all_pairs.h"
#include "base/status.h"
#include "heddle/load.h"
#include "base/threads.h"
#include "route/kernel/row_walk.h"
#include "route/core/routes.h"

#include <string.h>

struct allpairs_worker {
    uint64_t *load, unserved, hops;
    uint64_t *sent; /* [leaf * nvar + x] destinations served from there */
    uint8_t *row;
    struct hd_reach reach;
    uint32_t *from; /* [nleaf] switches that send to the current destination */
    uint32_t *flow; /* [nsw] what comes through a switch; all 0 between destinations */
};

struct allpairs_common {
    const struct hd_routes *r;
    const uint32_t *sources; /* [x * nleaf + leaf] */
    bool *own;               /* [nep] a destination whose neighbours' flows to it are in sent, which it does not send */
};

/* What is met later leads to what was met before: added up from the end, everything that comes through a
 * switch is known when its turn comes. */
static void flow_down(const struct allpairs_common *k, struct allpairs_worker *w)
{
    const uint32_t *head = k->r->net->head, nsw = k->r->net->nsw;
    for (uint32_t i = w->reach.nmet; i-- > 0;) {
        uint32_t v = w->reach.met[i], c = w->reach.out[i], n = w->flow[v];
        if (!n) continue; /* leads nowhere */
        w->flow[v] = 0;
        w->load[c] += n;
        if (head[c] < nsw) w->flow[head[c]] += n;
    }
}

static void load_destination(const struct allpairs_common *k, struct allpairs_worker *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = k->r;
    const uint32_t *sources = k->sources + (size_t)x * r->nleaf;
    const uint8_t *row = hd_routes_row(r, d, x, w->row);
    uint32_t home = hd_leaf(r->net, d), nfrom = 0;
    bool sends = r->select != HD_SELECT_SOURCE || r->source_class[d] == x, own = false;
    uint64_t all_hops = 0;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        w->from[nfrom] = r->leaf[leaf];
        nfrom += sources[leaf] > (sends && r->leaf[leaf] == home);
    }
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, row, r->net->nsw + d, w->from, nfrom);
    for (uint32_t i = 0; i < nfrom; i++) {
        uint32_t v = w->from[i], leaf = r->leaf_of[v], n = sources[leaf] - (sends && v == home);
        uint16_t hops = w->reach.hops[v];
        if (hops >= HD_MAX_HOPS) { /* or no way at all */
            w->unserved += n;
            continue;
        }
        all_hops += (uint64_t)n * (hops + 1u);
        w->sent[(size_t)leaf * r->nvar + x]++;
        own |= sends && v == home;
        w->flow[v] = n;
    }
    w->hops += all_hops;
    if (own) k->own[d] = true; /* once: its neighbours may be another thread's */
    flow_down(k, w);
}

/* Routes chosen pair by pair: nothing is shared, every pair is walked. */
static void load_pairs(const struct allpairs_common *k, struct allpairs_worker *w, uint32_t d)
{
    const struct hd_net *net = k->r->net;
    uint32_t chan[HD_MAX_HOPS];
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t s = net->sel[i];
        if (s == d) continue;
        uint32_t n = hd_routes_path(k->r, s, d, hd_routes_variant(k->r, s, d), chan);
        w->unserved += n == 0;
        w->hops += n;
        for (uint32_t j = 0; j < n; j++) w->load[chan[j]]++;
    }
}

/* What each endpoint sends over its own cable. Variants shared by all count once each. */
static void load_sources(const struct allpairs_common *k, const struct allpairs_worker *w, uint64_t *load)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i], leaf = r->leaf_of[hd_leaf(net, e)];
        for (uint32_t x = 0; x < r->nvar; x++)
            if (r->select != HD_SELECT_SOURCE || r->source_class[e] == x)
                load[net->off[net->nsw + e]] += w->sent[(size_t)leaf * r->nvar + x] - k->own[e];
    }
}

static hd_status all_pairs_worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r,
                                       struct allpairs_worker *w)
{
    const struct hd_net *net = r->net;
    w->load = HD_NEW(a, uint64_t, net->nchan);
    w->row = HD_NEW(a, uint8_t, net->nsw);
    w->sent = HD_NEW(a, uint64_t, (size_t)r->nleaf * r->nvar);
    w->from = HD_NEW(a, uint32_t, r->nleaf);
    w->flow = HD_NEW(a, uint32_t, net->nsw);
    if (!w->load || !w->row || !w->sent || !w->from || !w->flow) return hd_fail_memory(ctx);
    return hd_reach_init(ctx, a, net, &w->reach);
}

static void add_up(const struct allpairs_common *k, struct allpairs_worker *w, int threads, struct hd_allpairs *all)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    bool split = r->select == HD_SELECT_ALL || r->select == HD_SELECT_PACKET;
    for (int t = 0; t < threads; t++) {
        for (uint32_t c = 0; c < net->nchan; c++) all->load[c] += w[t].load[c];
        for (size_t j = 0; t > 0 && j < (size_t)r->nleaf * r->nvar; j++) w[0].sent[j] += w[t].sent[j];
        all->unserved += w[t].unserved;
        all->hops += w[t].hops;
    }
    all->unit = split ? r->nvar : 1;
    all->pairs = net->nsel ? (uint64_t)net->nsel * (net->nsel - 1) : 0;
    if (r->select != HD_SELECT_PAIR) load_sources(k, &w[0], all->load);
}

static hd_status load_all(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, struct hd_allpairs *all)
{
    const struct hd_net *net = r->net;
    int threads = hd_threads(ctx);
    uint32_t *sources = HD_NEW(a, uint32_t, (size_t)r->nleaf * r->nvar);
    struct allpairs_worker *w = HD_NEW(a, struct allpairs_worker, (size_t)threads);
    struct allpairs_common k = {r, sources, HD_NEW(a, bool, net->nep)};
    if (!sources || !w || !k.own || !all->load) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) HD_TRY(all_pairs_worker_init(ctx, a, r, &w[t]));
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i], leaf = r->leaf_of[hd_leaf(net, e)];
        for (uint32_t x = 0; x < r->nvar; x++)
            sources[(size_t)x * r->nleaf + leaf] += r->select != HD_SELECT_SOURCE || r->source_class[e] == x;
    }
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (uint32_t i = 0; i < net->nsel; i++) {
        struct allpairs_worker *own = &w[hd_thread_id()];
        if (r->select == HD_SELECT_PAIR)
            load_pairs(&k, own, net->sel[i]);
        else
            for (uint32_t x = 0; x < r->nvar; x++) load_destination(&k, own, net->sel[i], x);
    }
    add_up(&k, w, threads, all);
    return HD_OK;
}

hd_status hd_allpairs_load(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           struct hd_allpairs *all)
{
    struct hd_arena scratch = {0};
    *all = (struct hd_allpairs){.load = HD_NEW(arena, uint64_t, r->net->nchan)};
    hd_status s = load_all(ctx, &scratch, r, all);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_load_all_pairs(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t *load, struct hd_pair_sums *sums)
{
    struct hd_arena scratch = {0};
    struct hd_allpairs all = {.load = load};
    hd_status s = load_all(ctx, &scratch, r, &all);
    *sums = (struct hd_pair_sums){.unit = all.unit, .pairs = all.pairs, .unserved = all.unserved, .hops = all.hops};
    hd_arena_release(&scratch);
    return s;
}
