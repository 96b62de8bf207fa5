/* SPDX-License-Identifier: BSD-2-Clause */
/* Deadlock freedom where switches have SL2VL tables and it is not known which service levels pairs use. */
#ifndef HD_ROUTE_CHECK_CHECK_LEVELS_H
#define HD_ROUTE_CHECK_CHECK_LEVELS_H

#include "route/core/routes.h"

/* Called if taking all VLs as one has left a cycle, in *check. If the routes have SL2VL tables by which no cycle is
 * left whatever service levels pairs use and whatever ports switches choose, the cycle is removed and deadlock freedom
 * proved; otherwise *check stays as it is. kind: of endpoints (check_everyone.h). */
hd_status hd_check_levels(struct hd_ctx *ctx, const struct hd_routes *r, const uint8_t *kind, struct hd_check *check);

#endif
