/* SPDX-License-Identifier: BSD-2-Clause */
/* What SL2VL tables of adapters drop. The cable of an adapter depends on no other channel, so the VL that packets
 * have on it is in no proof; but what the table sends to VL 15 never leaves the adapter. Routes have SL2VL tables of
 * switches alone, and a packet that the first switch drops goes as far: there the table of an adapter is added. */
#ifndef HD_ROUTE_IO_ADAPTER_DROPS_H
#define HD_ROUTE_IO_ADAPTER_DROPS_H

#include "net/core/guid_index.h"
#include "route/core/sl2vl.h"

struct hd_adapter_drops {
    const struct hd_net *net;
    const struct hd_guid_index *guids;
    struct hd_keyed *of_ca; /* [nep] endpoints by the GUID of their adapter */
    uint16_t *level;        /* [nep] set of service levels that are dropped; of ports without a table none */
};

/* No table known yet. Lives in arena, refers to guids. */
hd_status hd_adapter_drops_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                const struct hd_guid_index *guids, struct hd_adapter_drops *drops);
/* A table of the port with a GUID, or of a port of the adapter with it; port 0: not said which. */
void hd_adapter_drops_keep(struct hd_adapter_drops *drops, uint64_t guid, uint32_t port, const uint8_t lanes[16]);
/* How many ports drop packets of every level. */
uint32_t hd_adapter_drops_all(const struct hd_adapter_drops *drops);
/* What endpoint e drops of a set of levels is dropped by its switch. hops has tables of all ports. */
hd_status hd_adapter_drops_add(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_adapter_drops *drops,
                               uint32_t e, uint16_t levels, struct hd_sl2vl *hops);

#endif
