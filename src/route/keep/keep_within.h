/* SPDX-License-Identifier: BSD-2-Clause */
/* hd_routes_keep for a caller that cannot wait. */
#ifndef HD_ROUTE_KEEP_KEEP_WITHIN_H
#define HD_ROUTE_KEEP_KEEP_WITHIN_H

#include "heddle/route.h"

/* The old table, repaired and proved, whatever bandwidth it gives. NULL where every rule about turns fails or takes
 * more than so many steps, links that searches look at and that growths choose from, or where it would change more
 * than the fresh one. */
hd_status hd_routes_keep_within(struct hd_ctx *ctx, const struct hd_routes *fresh, const struct hd_routes *old,
                                uint64_t most, struct hd_routes **out);

#endif
