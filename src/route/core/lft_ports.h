/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes as the tables that switches hold, for a subnet manager that has LIDs of its own. */
#ifndef HD_ROUTE_CORE_LFT_PORTS_H
#define HD_ROUTE_CORE_LFT_PORTS_H

#include "base/arena.h"
#include "heddle/route.h"

enum { HD_LFT_NO_PORT = 255 };

struct hd_lid_range { /* LIDs lid .. lid + count - 1 are those of a node */
    uint32_t lid, count, node;
};

/* table[place[v] * stride + lid] becomes the port that switch v sends a LID to: 0 at the switch whose LID it is,
 * HD_LFT_NO_PORT where there is no path. Variants repeat in ranges that are longer. Entries of LIDs in no range stay
 * as they are. Ranges are by increasing LID and do not overlap. O(table), in parallel. */
hd_status hd_lft_ports(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_lid_range *range, uint32_t nrange,
                       const uint32_t *place, size_t stride, uint8_t *table);

#endif
