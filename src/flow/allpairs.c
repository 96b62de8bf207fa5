/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/allpairs.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/routes.h"

#include <string.h>

struct worker {
    uint64_t *load, unserved, hops;
    uint64_t *sent; /* [leaf * nvar + x] destinations served from there */
    uint8_t *row;
};

struct common {
    const struct hd_routes *r;
    const bool *selected;
    const uint32_t *sources; /* [leaf * nvar + x] */
    bool *own;               /* [nep] a destination whose neighbours' flows to it are in sent, which it does not send */
};

static void load_destination(const struct common *k, struct worker *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    const uint8_t *row = hd_routes_row(r, d, x, w->row);
    uint32_t home = hd_leaf(net, d), target = net->nsw + d;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        uint32_t v = r->leaf[leaf], n = k->sources[(size_t)leaf * r->nvar + x], steps = 0;
        bool itself = v == home && (r->select != HD_SELECT_SOURCE || r->source_class[d] == x);
        if (n == itself) continue;
        n -= itself;
        while (v != target && v < net->nsw && row[v] != HD_SLOT_NONE && steps < HD_MAX_HOPS) {
            v = net->head[net->off[v] + row[v]];
            steps++;
        }
        if (v != target) {
            w->unserved += n;
            continue;
        }
        w->hops += (uint64_t)n * (steps + 1);
        w->sent[(size_t)leaf * r->nvar + x]++;
        k->own[d] |= itself;
        for (v = r->leaf[leaf]; v != target; v = net->head[net->off[v] + row[v]]) w->load[net->off[v] + row[v]] += n;
    }
}

/* Routes chosen pair by pair: nothing is shared, every pair is walked. */
static void load_pairs(const struct common *k, struct worker *w, uint32_t d)
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
static void load_sources(const struct common *k, const struct worker *w, uint64_t *load)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i], leaf = r->leaf_of[hd_leaf(net, e)];
        for (uint32_t x = 0; x < r->nvar; x++)
            if (r->select != HD_SELECT_SOURCE || r->source_class[e] == x) load[net->off[net->nsw + e]] += w->sent[(size_t)leaf * r->nvar + x] - k->own[e];
    }
}

hd_status hd_allpairs_load(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, struct hd_allpairs *all)
{
    const struct hd_net *net = r->net;
    int threads = hd_threads(ctx);
    struct hd_arena scratch = {0};
    bool *selected = HD_NEW(&scratch, bool, net->nep);
    uint32_t *sources = HD_NEW(&scratch, uint32_t, (size_t)r->nleaf * r->nvar);
    struct worker *w = HD_NEW(&scratch, struct worker, (size_t)threads);
    struct common k = {r, selected, sources, HD_NEW(&scratch, bool, net->nep)};
    bool split = r->select == HD_SELECT_ALL || r->select == HD_SELECT_PACKET, failed = !selected || !sources || !w || !k.own;
    *all = (struct hd_allpairs){.load = HD_NEW(arena, uint64_t, net->nchan), .unit = split ? r->nvar : 1};
    for (int t = 0; !failed && t < threads; t++) {
        w[t].load = HD_NEW(&scratch, uint64_t, net->nchan);
        w[t].row = HD_NEW(&scratch, uint8_t, net->nsw);
        w[t].sent = HD_NEW(&scratch, uint64_t, (size_t)r->nleaf * r->nvar);
        failed = !w[t].load || !w[t].row || !w[t].sent;
    }
    if (failed || !all->load) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t e = net->sel[i], leaf = r->leaf_of[hd_leaf(net, e)];
        selected[e] = true;
        for (uint32_t x = 0; x < r->nvar; x++)
            sources[(size_t)leaf * r->nvar + x] += r->select != HD_SELECT_SOURCE || r->source_class[e] == x;
    }
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (uint32_t i = 0; i < net->nsel; i++) {
        struct worker *own = &w[hd_thread_id()];
        if (r->select == HD_SELECT_PAIR) load_pairs(&k, own, net->sel[i]);
        else
            for (uint32_t x = 0; x < r->nvar; x++) load_destination(&k, own, net->sel[i], x);
    }
    for (int t = 0; t < threads; t++) {
        for (uint32_t c = 0; c < net->nchan; c++) all->load[c] += w[t].load[c];
        for (size_t j = 0; t > 0 && j < (size_t)r->nleaf * r->nvar; j++) w[0].sent[j] += w[t].sent[j];
        all->unserved += w[t].unserved;
        all->hops += w[t].hops;
    }
    all->pairs = net->nsel ? (uint64_t)net->nsel * (net->nsel - 1) : 0;
    if (r->select != HD_SELECT_PAIR) load_sources(&k, &w[0], all->load);
    hd_arena_release(&scratch);
    return HD_OK;
}
