/* SPDX-License-Identifier: BSD-2-Clause */
/* SL2VL tables of adapters, as adapter_drops.h says. OpenSM names the port by its own GUID, other programs the adapter
 * and the number of the port. O(N log N), and O(ports of its switch * tables) for each port that drops something. */
#include "route/io/adapter_drops.h"
#include "base/status.h"

#include <string.h>

hd_status hd_adapter_drops_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                const struct hd_guid_index *guids, struct hd_adapter_drops *drops)
{
    *drops = (struct hd_adapter_drops){.net = net, .guids = guids};
    drops->of_ca = HD_NEW(arena, struct hd_keyed, net->nep);
    drops->level = HD_NEW(arena, uint16_t, net->nep);
    if (!drops->of_ca || !drops->level) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) drops->of_ca[e] = (struct hd_keyed){net->ca_guid[net->ca[e]], e};
    hd_keyed_sort(drops->of_ca, net->nep, sizeof *drops->of_ca);
    return HD_OK;
}

void hd_adapter_drops_keep(struct hd_adapter_drops *drops, uint64_t guid, uint32_t port, const uint8_t lanes[16])
{
    const struct hd_net *net = drops->net;
    const uint32_t own = hd_guid_endpoint(drops->guids, guid);
    uint16_t level = 0;
    bool met = false;
    for (int sl = 0; sl < 16; sl++)
        if (lanes[sl] == HD_LANE_DROP) level |= (uint16_t)(1u << sl);
    /* A port may have the GUID of its adapter: only a number tells which port is meant. */
    uint32_t i = port || own == UINT32_MAX ? hd_find_key(drops->of_ca, net->nep, sizeof *drops->of_ca, guid) : net->nep;
    for (; i < net->nep && drops->of_ca[i].key == guid; i++) {
        const uint32_t e = drops->of_ca[i].value;
        if (port && net->port[net->off[net->nsw + e]] != port) continue;
        drops->level[e] |= level;
        met = true;
    }
    if (!met && own != UINT32_MAX) drops->level[own] |= level;
}

uint32_t hd_adapter_drops_all(const struct hd_adapter_drops *drops)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < drops->net->nep; e++) n += drops->level[e] == HD_ALL_LEVELS;
    return n;
}

hd_status hd_adapter_drops_add(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_adapter_drops *drops,
                               uint32_t e, uint16_t levels, struct hd_sl2vl *hops)
{
    const struct hd_net *net = drops->net;
    const uint32_t c = net->off[net->nsw + e], v = net->head[c], in = net->rev[c] - net->off[v];
    const uint32_t dropped = drops->level[e] & levels;
    for (uint32_t out = 0; dropped && out < hd_degree(net, v); out++) {
        const uint32_t which = *hd_sl2vl_at(hops, v, in, out);
        uint8_t lanes[16];
        /* A table that is not known stays so: of the other levels nothing could be said. */
        if (out == in || (!which && dropped != HD_ALL_LEVELS)) continue;
        if (which) memcpy(lanes, hops->map[which - 1], sizeof lanes);
        for (uint32_t sl = 0; sl < 16; sl++)
            if (dropped >> sl & 1) lanes[sl] = HD_LANE_DROP;
        HD_TRY(hd_sl2vl_set(ctx, arena, hops, v, in, out, lanes));
    }
    return HD_OK;
}
