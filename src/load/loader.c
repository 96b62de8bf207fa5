/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of flows: chooses the strategy when a loader is made, and runs it. Runs over simple flows need only channels
 * between switches, because the cable of an endpoint then carries one flow; if all channels have the same rate, a
 * strategy may find bottlenecks without ever naming a channel, otherwise its paths are counted here. */
#include "load/load_strategy.h"
#include "base/status.h"

#include <string.h>

static const struct hd_rates equal_rates = {1, NULL, false};

/* ---- runs ------------------------------------------------------------------------------------- */

bool hd_loads_ensure(struct hd_loads *l, size_t used, size_t want)
{
    if (want <= l->room->chan) return true;
    size_t room = 2 * l->room->chan > want ? 2 * l->room->chan : want;
    uint32_t *chan = HD_NEW(l->room->arena, uint32_t, room);
    l->failed |= !chan;
    if (!chan) return false;
    memcpy(chan, l->chan, used * sizeof *chan);
    l->chan = chan;
    l->room->chan = room;
    return true;
}

static void run_bottlenecks(struct hd_loads *l)
{
    l->npath = l->flows.n;
    l->loader->how->bottlenecks(l->loader, l->room->scratch, &l->flows, l->narrow);
}

/* Largest load on a path without its cables of endpoints, which carry its own flow. */
static uint64_t path_bottleneck(const struct hd_loads *l, const uint32_t *chan)
{
    const uint32_t *factor = l->loader->rates->factor, stride = l->loader->stride;
    uint64_t most = l->full;
    for (uint32_t j = 0; j < stride; j++) {
        uint64_t load = (uint64_t)l->load[chan[j]] * (factor ? factor[chan[j]] : 1);
        most = load > most ? load : most;
    }
    return most;
}

static void run_paths(struct hd_loads *l)
{
    const struct hd_flows *f = &l->flows;
    const size_t stride = l->loader->stride, n = f->n * stride;
    if (!hd_loads_ensure(l, 0, n)) return;
    l->loader->how->paths(l->loader, f->src, f->dst, f->n, l->chan);
    for (size_t j = 0; j < n; j++) l->load[l->chan[j]]++;
    l->load[hd_routes_net(l->loader->routes)->nchan] = 0; /* unused places */
    l->npath = f->n;
    l->room->used = n;
    l->room->ends = false;
    for (uint32_t k = 0; k < f->n; k++) {
        uint64_t most = path_bottleneck(l, l->chan + k * stride);
        if (l->wide)
            l->wide[k] = most;
        else
            l->narrow[k] = (uint32_t)most;
    }
}

/* Cables of endpoints among the loads: there are more of them than clearing could list. */
static void run_loads(struct hd_loads *l)
{
    const struct hd_net *net = hd_routes_net(l->loader->routes);
    const struct hd_flows *f = &l->flows;
    run_paths(l);
    if (l->failed) return;
    for (uint32_t i = 0; i < f->n; i++) {
        l->load[net->off[net->nsw + f->src[i]]]++;
        l->load[net->rev[net->off[net->nsw + f->dst[i]]]]++;
    }
    l->room->used = SIZE_MAX;
}

/* Back to zero, touching only what the last run loaded. */
static void clear_loads(struct hd_loads *l)
{
    const size_t n = l->room->used, nchan = hd_routes_net(l->loader->routes)->nchan;
    if (n > nchan / 8)
        memset(l->load, 0, (nchan + 1) * sizeof *l->load);
    else
        for (size_t j = 0; j < n; j++) l->load[l->chan[j]] = 0;
    l->room->used = 0;
    l->npath = 0;
}

static void sum_up_wide(struct hd_loads *l)
{
    l->largest = l->unserved = 0;
    for (uint32_t k = 0; k < l->npath; k++) {
        l->largest = l->wide[k] > l->largest ? l->wide[k] : l->largest;
        l->unserved += l->wide[k] == 0;
    }
}

static void sum_up(struct hd_loads *l)
{
    const uint32_t *narrow = l->narrow;
    uint32_t largest = 0, unserved = 0; /* of the width of a bottleneck, so that several are compared at once */
    if (l->wide) {
        sum_up_wide(l);
        return;
    }
    for (uint32_t k = 0, n = l->npath; k < n; k++) {
        largest = narrow[k] > largest ? narrow[k] : largest;
        unserved += narrow[k] == 0;
    }
    l->largest = largest;
    l->unserved = unserved;
}

void hd_loads_run(struct hd_loads *l)
{
    clear_loads(l);
    if (l->flows.simple || l->loader->how == &hd_load_fluid)
        l->loader->run(l);
    else
        hd_walk_count(l);
    sum_up(l);
}

void hd_loads_list(struct hd_loads *l)
{
    const struct hd_flows *f = &l->flows;
    const size_t stride = l->loader->stride;
    clear_loads(l);
    l->unserved = 0;
    if (l->loader->how == &hd_load_walk) {
        hd_walk_list(l);
        sum_up(l);
        return;
    }
    if (!hd_loads_ensure(l, 0, f->n * stride)) return;
    l->loader->how->paths(l->loader, f->src, f->dst, f->n, l->chan);
    l->npath = f->n;
    for (size_t k = 0; k <= f->n; k++) l->at[k] = k * stride;
}

uint64_t hd_loads_count(const struct hd_loads *l)
{
    uint64_t most = l->npath ? l->unit : 0;
    if (!l->loader->rates->factor) return l->largest > most ? l->largest : most;
    for (size_t j = 0; j < l->room->used; j++) most = l->load[l->chan[j]] > most ? l->load[l->chan[j]] : most;
    return most;
}

/* ---- loaders ---------------------------------------------------------------------------------- */

/* One path per pair that depends on no more than the source's class and the destination. */
static bool has_single_paths(const struct hd_routes *r)
{
    return hd_routes_variants(r) == 1 || hd_routes_select(r) == HD_SELECT_ONE ||
           hd_routes_select(r) == HD_SELECT_SOURCE;
}

hd_status hd_loader_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader_in *in,
                         const struct hd_loader **out)
{
    static const struct hd_load_strategy *const strategies[] = {&hd_load_tree, &hd_load_table, &hd_load_walk,
                                                                &hd_load_fluid};
    const struct hd_routes *r = in->routes;
    struct hd_loader *loader = HD_NEW(arena, struct hd_loader, 1);
    if (!loader) return hd_fail_memory(ctx);
    *loader = (struct hd_loader){
        .routes = r, .rates = in->rates ? in->rates : &equal_rates, .nvar = hd_routes_paths_per_pair(r)};
    size_t i = in->fluid ? 3 : has_single_paths(r) && in->need != HD_NEED_CHANNELS ? 0 : 2;
    for (; !loader->data; i++) {
        struct hd_mark mark = hd_arena_mark(arena);
        loader->how = strategies[i];
        HD_TRY(loader->how->make(ctx, arena, in, loader));
        if (!loader->data) hd_arena_rewind(arena, mark);
    }
    if (loader->how == &hd_load_fluid)
        loader->run = hd_fluid_count;
    else if (loader->how == &hd_load_walk || loader->rates->ends_differ)
        loader->run = hd_walk_count;
    else if (in->need == HD_NEED_LOADS)
        loader->run = run_loads;
    else
        loader->run = loader->rates->factor ? run_paths : run_bottlenecks;
    *out = loader;
    return HD_OK;
}

void hd_loader_path(const struct hd_loader *loader, uint32_t s, uint32_t d, uint32_t *chan)
{
    loader->how->paths(loader, &s, &d, 1, chan);
}

void hd_loader_paths(const struct hd_loader *loader, const uint32_t *src, const uint32_t *dst, uint32_t n,
                     uint32_t *chan)
{
    loader->how->paths(loader, src, dst, n, chan);
}

uint32_t hd_loader_stride(const struct hd_loader *loader)
{
    return loader->stride;
}

const struct hd_flows *hd_loads_flows(const struct hd_loads *l)
{
    return &l->flows;
}

uint32_t hd_loads_paths(const struct hd_loads *l)
{
    return l->npath;
}

uint64_t hd_loads_bottleneck(const struct hd_loads *l, uint32_t path)
{
    return hd_bottleneck(l, path);
}

uint64_t hd_loads_full(const struct hd_loads *l)
{
    return l->full;
}

uint64_t hd_loads_largest(const struct hd_loads *l)
{
    return l->largest;
}

uint64_t hd_loads_unserved(const struct hd_loads *l)
{
    return l->unserved;
}

hd_status hd_loads_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader *loader, uint32_t max_flows,
                        uint32_t weight, struct hd_loads *l)
{
    const uint64_t total = (uint64_t)max_flows * loader->nvar;
    const size_t paths = (size_t)total;
    struct hd_load_room *room = HD_NEW(arena, struct hd_load_room, 1);
    *l = (struct hd_loads){.loader = loader, .nvar = loader->nvar, .unit = loader->nvar * weight, .room = room};
    if (total > UINT32_MAX)
        return hd_fail(ctx, HD_LIMIT, "%u flows over %u paths each: at most %u paths can be loaded at once", max_flows,
                       loader->nvar, UINT32_MAX);
    if (!room) return hd_fail_memory(ctx);
    const bool fluid = loader->how == &hd_load_fluid;
    l->full = (uint64_t)l->unit * loader->rates->scale * (fluid ? HD_FLUID_WHOLE : 1);
    *room = (struct hd_load_room){.arena = arena, .chan = paths * 8 + HD_MAX_HOPS};
    l->load = HD_NEW(arena, uint32_t, (size_t)hd_routes_net(loader->routes)->nchan + 1);
    l->at = HD_NEW(arena, size_t, paths + 1);
    l->chan = HD_NEW(arena, uint32_t, room->chan);
    l->narrow = HD_NEW(arena, uint32_t, paths);
    if (!l->load || !l->at || !l->chan || !l->narrow) return hd_fail_memory(ctx);
    if ((loader->rates->factor || fluid) && !(l->wide = HD_NEW(arena, uint64_t, paths))) return hd_fail_memory(ctx);
    for (int i = 0; i < 3; i++)
        if (!(l->flows.buf[i] = HD_NEW(arena, uint32_t, (size_t)max_flows + 2))) return hd_fail_memory(ctx);
    return loader->how->scratch ? loader->how->scratch(ctx, arena, loader, max_flows, &room->scratch) : HD_OK;
}
