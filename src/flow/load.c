/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows are walked once; their channels are kept end to end so that the second look (the bottleneck of
 * each flow) and the clearing read a compact list instead of the table. */
#include "flow/load.h"
#include "base/status.h"
#include "route/routes.h"

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
    *rates = (struct hd_rates){1, NULL};
    for (uint32_t c = 0; c < net->nchan && same; c++) {
        uint32_t rate = hd_link_mbps(net->link[c]);
        same = !rate || rate == ref;
    }
    if (same || !ref) return HD_OK;
    rates->scale = SCALE;
    rates->factor = HD_NEW(arena, uint32_t, net->nchan);
    if (!rates->factor) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint64_t rate = hd_link_mbps(net->link[c]);
        uint64_t f = rate ? ((uint64_t)SCALE * ref + rate / 2) / rate : SCALE;
        rates->factor[c] = f ? (uint32_t)f : 1;
    }
    return HD_OK;
}

hd_status hd_loads_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const struct hd_rates *rates,
                        uint32_t max_flows, struct hd_loads *l)
{
    bool all = r->select == HD_SELECT_ALL || r->select == HD_SELECT_PACKET;
    *l = (struct hd_loads){.routes = r, .rates = rates, .nvar = all ? r->nvar : 1, .arena = arena};
    l->unit = l->nvar;
    l->room = (size_t)max_flows * l->nvar * 8 + HD_MAX_HOPS;
    l->load = HD_NEW(arena, uint32_t, r->net->nchan);
    l->flow = HD_NEW(arena, struct hd_flow, max_flows);
    l->at = HD_NEW(arena, uint32_t, (size_t)max_flows * l->nvar + 1);
    l->chan = HD_NEW(arena, uint32_t, l->room);
    return l->load && l->flow && l->at && l->chan ? HD_OK : hd_fail_memory(ctx);
}

/* Paths of 8 channels are foreseen; a network with longer ones doubles the list as it goes. */
static bool grow(struct hd_loads *l, uint32_t used)
{
    uint32_t *chan = HD_NEW(l->arena, uint32_t, 2 * l->room);
    if (!chan) {
        l->failed = true;
        return false;
    }
    memcpy(chan, l->chan, used * sizeof *chan);
    l->chan = chan;
    l->room *= 2;
    return true;
}

void hd_loads_run(struct hd_loads *l)
{
    const struct hd_routes *r = l->routes;
    uint32_t n = 0, k = 0;
    l->at[0] = 0;
    for (uint32_t i = 0; i < l->nflow; i++) {
        const struct hd_flow *f = &l->flow[i];
        uint32_t first = l->nvar > 1 ? 0 : hd_routes_variant(r, f->src, f->dst);
        for (uint32_t x = first; x < first + l->nvar; x++) {
            if (l->room - n < HD_MAX_HOPS && !grow(l, n)) return;
            uint32_t len = hd_routes_path(r, f->src, f->dst, x, l->chan + n);
            for (uint32_t j = n; j < n + len; j++) l->load[l->chan[j]] += f->weight;
            l->unserved += len == 0;
            n += len;
            l->at[++k] = n;
        }
    }
}

void hd_loads_clear(struct hd_loads *l)
{
    uint32_t n = l->at[(size_t)l->nflow * l->nvar];
    for (uint32_t j = 0; j < n; j++) l->load[l->chan[j]] = 0;
    l->nflow = 0;
    l->unserved = 0;
    l->at[0] = 0;
}

uint64_t hd_loads_max(const struct hd_loads *l)
{
    uint32_t n = l->at[(size_t)l->nflow * l->nvar];
    uint64_t max = 0;
    for (uint32_t j = 0; j < n; j++) {
        uint64_t load = l->load[l->chan[j]];
        if (l->rates->factor) load *= l->rates->factor[l->chan[j]];
        if (load > max) max = load;
    }
    return max;
}
