/* SPDX-License-Identifier: BSD-2-Clause */
/* What remains of a network after failures and selections, as marks on the nodes and channels of the original: several
 * edits can be planned one after the other before the network is rebuilt once. */
#ifndef HD_NET_CORE_REMAINING_H
#define HD_NET_CORE_REMAINING_H

#include "base/arena.h"
#include "heddle/net.h"

/* sw == NULL: everything remains. Else the marks agree: a channel remains if both of its ends and its reverse do, an
 * endpoint if its channel does. */
struct hd_remaining {
    bool *sw;   /* [nsw] */
    bool *ep;   /* [nep] */
    bool *chan; /* [nchan] */
};

static inline bool hd_switch_remains(const struct hd_remaining *r, uint32_t v)
{
    return !r->sw || r->sw[v];
}

static inline bool hd_endpoint_remains(const struct hd_remaining *r, uint32_t e)
{
    return !r->sw || r->ep[e];
}

static inline bool hd_channel_remains(const struct hd_remaining *r, uint32_t c)
{
    return !r->sw || r->chan[c];
}

static inline bool hd_node_remains(const struct hd_net *net, const struct hd_remaining *r, uint32_t v)
{
    return v < net->nsw ? hd_switch_remains(r, v) : hd_endpoint_remains(r, v - net->nsw);
}

/* Marks for all of net, from arena, if there are none yet. */
hd_status hd_remaining_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            struct hd_remaining *remaining);
/* Makes the marks agree after some were cleared. O(size). */
void hd_remaining_close(const struct hd_net *net, struct hd_remaining *remaining);

/* Connected components of what remains, as hd_net_parts; component_of is UINT32_MAX for what does not. */
hd_status hd_components_of(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_remaining *remaining,
                           uint32_t *component_of, uint32_t *n);

#endif
