/* SPDX-License-Identifier: BSD-2-Clause */
/* Path variants that complement each other. The first variant of a destination stays as it is; each further one is a
 * tree of shortest paths in which every switch takes the path with the fewest links that other variants of the
 * destination take, and among these the one with the smallest sum of load. Links count as taken wherever a variant's
 * entry is, on the path of a particular source or not: entries are by destination, and a path that keeps clear of all
 * of them certainly shares nothing. A second pass takes every further tree out and grows it again, now with all others
 * in place. Where a pair has a single shortest path its variants coincide.
 * Keys are (taken << TAKEN) + load, summed along the path: at most 127 taken links in each of 254 steps, and loads of
 * 2^24 routes per link: neither part overflows. Cost O(variants * (links + leaf switches * hops)) per destination. */
#include "route/engine/more_paths.h"
#include "base/status.h"
#include "route/kernel/sssp_options.h"

#include <string.h>

enum { TAKEN = 40, PASSES = 2 };

struct more_paths {
    const struct hd_net *net;
    const struct hd_links *links;
    struct hd_routes *r;
    uint32_t *sources; /* [nsw] endpoints that send */
    uint64_t *load;    /* [links] routes */
    uint64_t *taken;   /* [links] variants of the current destination */
    uint64_t *cost;    /* [nsw] */
    struct hd_dag dag;
};

static hd_status more_paths_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_shortest *shortest,
                                 struct hd_routes *r, struct more_paths *w)
{
    *w = (struct more_paths){.net = r->net, .links = &shortest->links, .r = r};
    w->sources = HD_NEW(a, uint32_t, r->net->nsw);
    w->cost = HD_NEW(a, uint64_t, r->net->nsw);
    w->load = HD_NEW(a, uint64_t, w->links->n);
    w->taken = HD_NEW(a, uint64_t, w->links->n);
    if (!w->sources || !w->cost || !w->load || !w->taken) return hd_fail_memory(ctx);
    hd_sssp_sources(r->net, w->sources);
    return hd_dag_init(ctx, a, w->links, &w->dag);
}

/* Adds the sources of all leaf switches to the links of their paths along a row, or takes them out. */
static void load_row(struct more_paths *w, const uint8_t *row, uint32_t t, bool add)
{
    const struct hd_links *l = w->links;
    for (uint32_t i = 0; i < w->r->nleaf; i++) {
        uint64_t n = w->sources[w->r->leaf[i]];
        for (uint32_t v = w->r->leaf[i]; v != t && row[v] != HD_SLOT_NONE;) {
            uint32_t a = l->of[w->net->off[v] + row[v]];
            w->load[a] = add ? w->load[a] + n : w->load[a] - n;
            v = l->head[a];
        }
    }
}

static void take_row(struct more_paths *w, const uint8_t *row, uint32_t t, bool add)
{
    for (uint32_t v = 0; v < w->net->nsw; v++) {
        if (v == t || row[v] == HD_SLOT_NONE) continue;
        uint32_t a = w->links->of[w->net->off[v] + row[v]];
        w->taken[a] = add ? w->taken[a] + 1 : w->taken[a] - 1;
    }
}

static void place_row(struct more_paths *w, const uint8_t *row, uint32_t t, bool add)
{
    load_row(w, row, t, add);
    take_row(w, row, t, add);
}

static void grow_row(struct more_paths *w, uint8_t *row)
{
    const struct hd_dag *dag = &w->dag;
    w->cost[dag->t] = 0;
    for (uint32_t i = 1; i < dag->n; i++) {
        uint64_t least = UINT64_MAX;
        uint32_t best = 0;
        for (uint32_t k = dag->first[i]; k < dag->first[i + 1]; k++) {
            uint32_t a = dag->link[k];
            uint64_t key = w->cost[w->links->head[a]] + (w->taken[a] << TAKEN) + w->load[a];
            if (key < least) least = key, best = a;
        }
        w->cost[dag->order[i]] = least;
        row[dag->order[i]] = hd_link_slot(w->links, dag->order[i], best);
    }
}

/* All further variants of one destination; again: they are there, each is taken out first. */
static void route_destination(struct more_paths *w, const struct hd_shortest *shortest, uint32_t d, bool again)
{
    const uint32_t c = w->net->rev[w->net->off[w->net->nsw + d]], t = w->net->tail[c], nvar = w->r->nvar;
    hd_dag_make(shortest, t, &w->dag);
    for (uint32_t x = 0; x < (again ? nvar : 1); x++) take_row(w, hd_row(w->r, d, x), t, true);
    for (uint32_t x = 1; x < nvar; x++) {
        uint8_t *row = hd_row(w->r, d, x);
        if (again) place_row(w, row, t, false);
        grow_row(w, row);
        row[t] = (uint8_t)(c - w->net->off[t]);
        place_row(w, row, t, true);
    }
    for (uint32_t x = 0; x < nvar; x++) take_row(w, hd_row(w->r, d, x), t, false);
}

static hd_status fill_variants(struct hd_ctx *ctx, const struct hd_shortest *shortest, const struct hd_routes *one,
                               struct hd_routes *many)
{
    const struct hd_net *net = many->net;
    struct hd_arena scratch = {0};
    struct more_paths w;
    hd_status s = more_paths_init(ctx, &scratch, shortest, many, &w);
    for (uint32_t d = 0; s == HD_OK && d < net->nep; d++) {
        memcpy(hd_row(many, d, 0), one->table + (size_t)d * net->nsw, net->nsw);
        load_row(&w, hd_row(many, d, 0), hd_leaf(net, d), true);
    }
    for (int pass = 0; s == HD_OK && pass < PASSES; pass++)
        for (uint32_t d = 0; d < net->nep; d++) route_destination(&w, shortest, d, pass > 0);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_more_paths(struct hd_ctx *ctx, const struct hd_shortest *shortest, uint64_t lmc, struct hd_routes *r)
{
    struct hd_routes *many;
    if (!lmc) return HD_OK;
    HD_TRY(hd_routes_make(ctx, r->net, 1u << lmc, &many));
    hd_status s = fill_variants(ctx, shortest, r, many);
    many->select = HD_SELECT_ALL;
    if (s == HD_OK) hd_routes_swap(r, many);
    hd_routes_free(many);
    return s;
}

hd_status hd_more_lanes(struct hd_ctx *ctx, struct hd_routes *r, enum hd_lanes_mode mode, uint32_t maxlanes,
                        uint32_t *replaced)
{
    bool fits = false;
    *replaced = 0;
    if (r->nvar > 1 && mode == HD_LANES_PATH) HD_TRY(hd_lanes_fit_pairs(ctx, r, maxlanes, &fits));
    return fits ? HD_OK : hd_lanes_ensure(ctx, r, mode, maxlanes, replaced);
}
