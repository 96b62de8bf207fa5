/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes by GUID. Switches and endpoints are looked up apart: only among themselves GUIDs are distinct. */
#ifndef HD_NET_CORE_GUID_INDEX_H
#define HD_NET_CORE_GUID_INDEX_H

#include "base/arena.h"
#include "base/keyed.h"
#include "heddle/net.h"

struct hd_guid_index {
    uint32_t nsw, nep;
    const struct hd_keyed *sw, *ep; /* GUID and number */
};

/* Lives in arena. O(N log N). */
hd_status hd_guid_index_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                             struct hd_guid_index *index);
/* The switch, or the number of the endpoint; UINT32_MAX: none. */
uint32_t hd_guid_switch(const struct hd_guid_index *index, uint64_t guid);
uint32_t hd_guid_endpoint(const struct hd_guid_index *index, uint64_t guid);
/* Switches by increasing GUID; order has nsw places. */
void hd_guid_switch_order(const struct hd_guid_index *index, uint32_t *order);

#endif
