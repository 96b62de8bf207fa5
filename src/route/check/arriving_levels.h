/* SPDX-License-Identifier: BSD-2-Clause */
/* Service levels with which packets arrive along a row, where switches drop those that go to VL 15. */
#ifndef HD_ROUTE_CHECK_ARRIVING_LEVELS_H
#define HD_ROUTE_CHECK_ARRIVING_LEVELS_H

#include "route/check/drop_levels.h"

struct hd_arrivals {
    struct hd_drop_levels drop; /* of the routes whose SL2VL tables count */
    const uint8_t *row;         /* the row at work, of whichever table */
    uint32_t target;            /* the endpoint it leads to, as a node */
    struct hd_drop_path *path;  /* [nleaf] from switches with endpoints */
};

/* Room in arena; like, if not NULL, is one of the same r, and the list of levels is shared with it. */
hd_status hd_arrivals_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           const struct hd_arrivals *like, struct hd_arrivals *a);
/* Another row towards an endpoint. O(leaf switches). */
void hd_arrivals_begin(struct hd_arrivals *a, const uint8_t *row, uint32_t target);
/* Those of some levels with which packets of endpoint s arrive. O(hops) for the first endpoint of a switch, O(1) for
 * others. */
uint32_t hd_arrivals_of(struct hd_arrivals *a, uint32_t s, uint32_t levels);

#endif
