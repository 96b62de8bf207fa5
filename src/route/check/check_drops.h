/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs whose packets go to VL 15, where switches drop them, although entries lead to the destination. */
#ifndef HD_ROUTE_CHECK_CHECK_DROPS_H
#define HD_ROUTE_CHECK_CHECK_DROPS_H

#include "route/core/routes.h"

/* After a check of the entries alone: pairs that do not arrive at any service level that they may have, which is one if
 * levels are known and any if they are not, become unreachable in *k, and figures of paths are those of the others.
 * kind: of endpoints (check_everyone.h); dist: [leaf * nsw + v] distances between switches. */
hd_status hd_check_drops(struct hd_ctx *ctx, const struct hd_routes *r, const uint8_t *kind, const uint8_t *dist,
                         struct hd_check *k);
/* The number of those pairs, of selected endpoints, without a check. */
hd_status hd_count_drops(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t *pairs);

#endif
