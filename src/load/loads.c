/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows are walked once; their channels are kept so that the second look (the bottleneck of each flow)
 * and the clearing read a compact list instead of the table. */
#include "load/loads.h"
#include "base/status.h"
#include "route/core/routes.h"

#include <string.h>

static uint32_t common_rate(const struct hd_net *net)
{
    uint32_t count[256] = {0}, best = 0;
    for (uint32_t e = 0; e < net->nep; e++) count[net->link[net->off[net->nsw + e]]]++;
    for (uint32_t i = 1; i < 256; i++)
        if (count[i] > count[best] || (best == 0 && count[i])) best = i;
    return hd_link_mbps((uint8_t)best);
}

hd_status hd_rates_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_rates *rates)
{
    enum { SCALE = 3600 }; /* ratios of usual rates come out whole or nearly so */
    uint32_t ref = common_rate(net);
    bool same = true;
    *rates = (struct hd_rates){1, NULL, false};
    for (uint32_t c = 0; c < net->nchan && same; c++) {
        uint32_t rate = hd_link_mbps(net->link[c]);
        same = !rate || rate == ref;
    }
    if (same || !ref) return HD_OK;
    rates->scale = SCALE;
    rates->factor = HD_NEW(arena, uint32_t, (size_t)net->nchan + 1);
    if (!rates->factor) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint64_t rate = hd_link_mbps(net->link[c]);
        uint64_t f = rate ? ((uint64_t)SCALE * ref + rate / 2) / rate : SCALE;
        rates->factor[c] = f ? (uint32_t)f : 1;
        if (net->tail[c] >= net->nsw && rates->factor[c] != SCALE) rates->ends_differ = true;
    }
    return HD_OK;
}

hd_status hd_loads_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                        const struct hd_rates *rates, uint32_t max_flows, struct hd_loads *l)
{
    bool all = r->select == HD_SELECT_ALL || r->select == HD_SELECT_PACKET;
    *l = (struct hd_loads){.routes = r, .rates = rates, .nvar = all ? r->nvar : 1, .arena = arena};
    l->unit = l->nvar;
    l->room = (size_t)max_flows * l->nvar * 8 + HD_MAX_HOPS;
    l->load = HD_NEW(arena, uint32_t, (size_t)r->net->nchan + 1);
    l->starts = HD_NEW(arena, uint32_t, (size_t)max_flows * l->nvar + 1);
    l->chan = HD_NEW(arena, uint32_t, l->room);
    for (int i = 0; i < 3; i++)
        if (!(l->flows.buf[i] = HD_NEW(arena, uint32_t, (size_t)max_flows + 2))) return hd_fail_memory(ctx);
    return l->load && l->starts && l->chan ? HD_OK : hd_fail_memory(ctx);
}

/* Makes the channel list at least that long, keeping what is used. */
static bool ensure(struct hd_loads *l, size_t used, size_t want)
{
    if (want <= l->room && want <= UINT32_MAX) return true;
    size_t room = 2 * l->room > want ? 2 * l->room : want;
    uint32_t *chan = want <= UINT32_MAX ? HD_NEW(l->arena, uint32_t, room) : NULL; /* more than at[] can tell */
    if (!chan) {
        l->failed = true;
        return false;
    }
    memcpy(chan, l->chan, used * sizeof *chan);
    l->chan = chan;
    l->room = room;
    return true;
}

/* The common case: one path a flow, fixed stride, whole-unit weights. */
static void run_fast(struct hd_loads *l)
{
    const struct hd_flows *f = &l->flows;
    l->at = NULL;
    l->stride = l->paths->stride;
    l->npath = f->n;
    size_t n = (size_t)f->n * l->stride;
    if (!ensure(l, 0, n)) {
        l->npath = 0;
        return;
    }
    l->paths->get(l->paths, f->src, f->dst, f->n, l->chan);
    for (size_t j = 0; j < n; j++) l->load[l->chan[j]]++;
    l->load[l->routes->net->nchan] = 0;
}

static void run_walking(struct hd_loads *l)
{
    const struct hd_routes *r = l->routes;
    const struct hd_flows *f = &l->flows;
    size_t n = 0;
    l->at = l->starts;
    l->at[0] = 0;
    l->npath = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t first = l->nvar > 1 ? 0 : hd_routes_variant(r, f->src[i], f->dst[i]),
                 weight = f->weight ? f->weight[i] : 1;
        for (uint32_t x = first; x < first + l->nvar; x++) {
            if (!ensure(l, n, n + HD_MAX_HOPS)) return;
            uint32_t len = hd_routes_path(r, f->src[i], f->dst[i], x, l->chan + n);
            for (size_t j = n; j < n + len; j++) l->load[l->chan[j]] += weight;
            l->unserved += len == 0;
            n += len;
            l->at[++l->npath] = (uint32_t)n;
        }
    }
}

hd_status hd_loads_use(struct hd_ctx *ctx, struct hd_loads *l, const struct hd_bottlenecks *fast, uint32_t max_flows)
{
    l->fast = fast;
    l->room_most = HD_NEW(l->arena, uint32_t, max_flows);
    return l->room_most ? fast->scratch(ctx, l->arena, fast, max_flows, &l->scratch) : hd_fail_memory(ctx);
}

static void run_bottlenecks(struct hd_loads *l)
{
    l->most = l->room_most;
    l->npath = l->flows.n;
    l->fast->run(l->fast, l->scratch, &l->flows, l->most);
    for (uint32_t k = 0; k < l->npath; k++) l->unserved += l->most[k] == 0;
}

void hd_loads_run(struct hd_loads *l)
{
    /* Fast forms leave endpoint cables out. */
    if (l->fast && l->flows.simple)
        run_bottlenecks(l);
    else if (l->paths && l->flows.simple && !l->rates->ends_differ)
        run_fast(l);
    else
        run_walking(l);
}

static size_t channels_in_use(const struct hd_loads *l)
{
    return l->at ? l->at[l->npath] : (size_t)l->npath * l->stride;
}

void hd_loads_clear(struct hd_loads *l)
{
    size_t n = l->most ? 0 : channels_in_use(l);
    if (n > l->routes->net->nchan / 8)
        memset(l->load, 0, (l->routes->net->nchan + 1) * sizeof *l->load);
    else
        for (size_t j = 0; j < n; j++) l->load[l->chan[j]] = 0;
    l->npath = 0;
    l->unserved = 0;
    l->most = NULL;
}

uint64_t hd_loads_count(const struct hd_loads *l)
{
    uint32_t most = 0;
    if (l->most) {
        for (uint32_t k = 0; k < l->npath; k++) most = l->most[k] > most ? l->most[k] : most;
        return most;
    }
    size_t n = channels_in_use(l);
    if (l->npath && !l->at) most = l->unit; /* endpoint cables, which carry one flow, are left out */
    for (size_t j = 0; j < n; j++)
        if (l->load[l->chan[j]] > most) most = l->load[l->chan[j]];
    return most;
}

uint64_t hd_loads_max(const struct hd_loads *l)
{
    if (!l->rates->factor) return hd_loads_count(l);
    size_t n = channels_in_use(l);
    uint64_t max = l->npath && !l->at ? (uint64_t)l->unit * l->rates->scale : 0;
    for (size_t j = 0; j < n; j++) {
        uint64_t load = (uint64_t)l->load[l->chan[j]] * l->rates->factor[l->chan[j]];
        if (load > max) max = load;
    }
    return max;
}

uint64_t hd_loads_bottleneck(const struct hd_loads *l, uint32_t k)
{
    if (l->most) return l->most[k];
    size_t from = l->at ? l->at[k] : (size_t)k * l->stride, to = l->at ? l->at[k + 1] : from + l->stride;
    uint64_t max = l->at ? 0 : (uint64_t)l->unit * l->rates->scale;
    for (size_t j = from; j < to; j++) {
        uint64_t load = l->load[l->chan[j]];
        if (l->rates->factor) load *= l->rates->factor[l->chan[j]];
        if (load > max) max = load;
    }
    return max;
}
