/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of channels relative to the usual one, as integers, so that sums of loads are exact. Channels of switches that
 * no endpoint uses carry nothing, and decide nothing. O(channels). */
#include "load/rates.h"
#include "base/status.h"
#include "net/core/facts.h"
#include "net/core/link_usual.h"
#include "net/core/shape.h"

static uint32_t common_rate(const struct hd_net *net)
{
    uint32_t count[HD_LINK_CODES] = {0};
    for (uint32_t e = 0; e < net->nep; e++) count[net->link[net->off[net->nsw + e]]]++;
    return hd_link_mbps(hd_link_usual(count, NULL));
}

static hd_status rates_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value)
{
    struct hd_rates *rates = value;
    enum { SCALE = 3600 }; /* ratios of usual rates come out whole or nearly so */
    uint32_t ref = common_rate(net);
    bool same = true;
    *rates = (struct hd_rates){1, NULL, false};
    for (uint32_t c = 0; c < net->nchan && same; c++) {
        uint32_t rate = hd_link_mbps(net->link[c]);
        same = !rate || rate == ref || hd_is_unplaced(net, net->tail[c]);
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

hd_status hd_rates_of(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_rates **rates)
{
    static const struct hd_fact fact = {sizeof(struct hd_rates), rates_make};
    const void *value = NULL;
    HD_TRY(hd_net_fact(ctx, net, &fact, &value));
    *rates = value;
    return HD_OK;
}
