/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks on what remains of a network. Two passes make them agree: a channel goes with its ends and its reverse, then an
 * endpoint with its only channel; nothing else can follow from these. */
#include "net/core/remaining.h"
#include "base/status.h"

#include <string.h>

hd_status hd_remaining_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            struct hd_remaining *remaining)
{
    if (remaining->sw) return HD_OK;
    bool *sw = HD_NEW(arena, bool, net->nsw), *ep = HD_NEW(arena, bool, net->nep);
    bool *chan = HD_NEW(arena, bool, net->nchan);
    if (!sw || !ep || !chan) return hd_fail_memory(ctx);
    memset(sw, true, net->nsw);
    if (net->nep) memset(ep, true, net->nep);
    if (net->nchan) memset(chan, true, net->nchan);
    *remaining = (struct hd_remaining){sw, ep, chan};
    return HD_OK;
}

void hd_remaining_close(const struct hd_net *net, struct hd_remaining *remaining)
{
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (remaining->chan[c] && hd_node_remains(net, remaining, net->tail[c]) &&
            hd_node_remains(net, remaining, net->head[c]))
            continue;
        remaining->chan[c] = remaining->chan[net->rev[c]] = false;
    }
    for (uint32_t e = 0; e < net->nep; e++) remaining->ep[e] = remaining->chan[net->off[net->nsw + e]];
}
