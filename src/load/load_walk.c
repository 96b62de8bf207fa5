/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads by walking every path hop by hop, for any routes and any flows: splitting pairs, weights, cables of endpoints
 * that carry several flows or have rates of their own. Paths are kept in one compact list, so that the second look, the
 * bottleneck of each path, and clearing the counters read the list and not the table again. O(hops) per path. */
#include "load/load_strategy.h"

/* Appends paths, complete or without their first and last channel, until memory runs out. */
static void walk_flows(struct hd_loads *l, bool ends)
{
    const struct hd_routes *r = l->loader->routes;
    const struct hd_flows *f = &l->flows;
    const uint32_t cut = ends ? 0 : 1;
    size_t n = 0;
    l->at[0] = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t first = l->nvar > 1 ? 0 : hd_routes_variant(r, f->src[i], f->dst[i]);
        uint32_t weight = f->weight ? f->weight[i] : 1;
        for (uint32_t x = first; x < first + l->nvar; x++) {
            if (!hd_loads_ensure(l, n, n + HD_MAX_HOPS)) return;
            uint32_t *chan = l->chan + n, len = hd_routes_path(r, f->src[i], f->dst[i], x, chan);
            l->narrow[l->npath] = len;
            if (ends)
                for (uint32_t j = 0; j < len; j++) l->load[chan[j]] += weight;
            else
                for (uint32_t j = 1; j + 1 < len; j++) chan[j - 1] = chan[j];
            n += len > 2 * cut ? len - 2 * cut : 0;
            l->at[++l->npath] = n;
        }
    }
    l->room->used = ends ? n : 0;
    l->room->ends = ends;
}

static void find_bottlenecks(struct hd_loads *l)
{
    const uint32_t *load = l->load, *chan = l->chan, *factor = l->loader->rates->factor;
    for (uint32_t k = 0; k < l->npath; k++) {
        uint64_t most = 0;
        for (size_t j = l->at[k]; j < l->at[k + 1]; j++) {
            uint64_t n = factor ? (uint64_t)load[chan[j]] * factor[chan[j]] : load[chan[j]];
            most = n > most ? n : most;
        }
        if (l->wide)
            l->wide[k] = most;
        else
            l->narrow[k] = (uint32_t)most;
    }
}

void hd_walk_count(struct hd_loads *l)
{
    walk_flows(l, true);
    find_bottlenecks(l);
}

void hd_walk_list(struct hd_loads *l)
{
    walk_flows(l, false);
    for (uint32_t k = 0; l->wide && k < l->npath; k++) l->wide[k] = l->narrow[k];
}

static void walk_paths(const struct hd_loader *loader, const uint32_t *src, const uint32_t *dst, uint32_t n,
                       uint32_t *chan)
{
    const struct hd_routes *r = loader->routes;
    const uint32_t none = hd_routes_net(r)->nchan;
    for (uint32_t i = 0; i < n; i++, chan += loader->stride) {
        uint32_t path[HD_MAX_HOPS], len = hd_routes_path(r, src[i], dst[i], hd_routes_variant(r, src[i], dst[i]), path);
        for (uint32_t j = 0; j < loader->stride; j++) chan[j] = j + 2 < len ? path[j + 1] : none;
    }
}

static hd_status walk_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader_in *in,
                           struct hd_loader *loader)
{
    (void)ctx;
    (void)arena;
    loader->data = in->routes;
    loader->stride = in->longest ? in->longest : HD_MAX_HOPS - 2;
    return HD_OK;
}

const struct hd_load_strategy hd_load_walk = {.make = walk_make, .paths = walk_paths};
