/* SPDX-License-Identifier: BSD-2-Clause */
/* Service levels beside VLs: a connection keeps its level when tables change, and has the VL that the SL2VL tables of
 * the moment give it. */
#ifndef HD_ROUTE_CORE_ROUTES_LEVELS_H
#define HD_ROUTE_CORE_ROUTES_LEVELS_H

#include "route/core/routes.h"

/* Set of the service levels of pairs, with bit HD_LEVEL_UNKNOWN where some are not known. O(VLs). */
uint32_t hd_levels_used(const struct hd_routes *r);
/* The VL of a service level by the table that all ports have; without one levels are VLs. */
uint32_t hd_level_vl(const struct hd_routes *r, uint32_t level);
/* Of two tables whose VLs do not change along the path: whether each level that one of them uses has the same VL by the
 * SL2VL tables of both, and that which the table says. One without SL2VL tables leaves those of the other as they are,
 * and its levels are its VLs. */
bool hd_levels_agree(const struct hd_routes *a, const struct hd_routes *b);
/* Whether the level of a pair changes, as far as both are known. */
static inline bool hd_level_differs(const struct hd_routes *a, uint32_t xa, const struct hd_routes *b, uint32_t xb,
                                    uint32_t s, uint32_t d)
{
    const uint32_t one = hd_routes_level(a, s, d, xa), two = hd_routes_level(b, s, d, xb);
    return one != two && one != HD_LEVEL_UNKNOWN && two != HD_LEVEL_UNKNOWN;
}

#endif
