/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that switches hold by the subnet manager's account, read by LID; see tables_in_use.c. */
#ifndef HD_LIVE_TABLES_IN_USE_H
#define HD_LIVE_TABLES_IN_USE_H

#include "base/arena.h"
#include "heddle/route.h"
#include "live/fabric_message.h"

struct hd_tables_in_use {
    const struct hd_net *net;
    const struct hd_fabric_parts *request;
    uint32_t *place;  /* [nsw] number of the switch in the request */
    uint8_t *slot_of; /* [v * 256 + port] HD_SLOT_NONE: nothing is cabled there */
};

/* Lives in arena. O(channels), and sorting GUIDs. */
hd_status hd_tables_in_use(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_fabric_parts *request,
                           const struct hd_net *net, struct hd_tables_in_use *use);

/* By which slots the switches forward packets for n LIDs: row[i][v]. Switch by switch, as the tables are in memory. */
void hd_tables_in_use_rows(const struct hd_tables_in_use *use, const uint32_t *lid, uint8_t *const *row, uint32_t n);

/* Whether all LIDs of an endpoint that share one of nvar variants lead the same way from every switch. O(table). */
bool hd_tables_in_use_repeat(const struct hd_fabric_parts *request, const struct hd_net *net, uint32_t nvar);

/* Routes that were handed over, on the network of this request, with the entries that the switches really hold. VLs are
 * unknown if any entry is another one than was handed over: then a LID has another owner, or a table is not ours. */
hd_status hd_tables_in_use_routes(struct hd_ctx *ctx, const struct hd_fabric_parts *request, const struct hd_net *net,
                                  const struct hd_routes *handed_over, struct hd_routes **out);

#endif
