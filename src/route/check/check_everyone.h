/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of routes for all endpoints, selected or not. */
#ifndef HD_ROUTE_CHECK_CHECK_EVERYONE_H
#define HD_ROUTE_CHECK_CHECK_EVERYONE_H

#include "heddle/route.h"

/* As hd_routes_check, with every endpoint selected: what a subnet manager hands over serves routers and aggregation
 * nodes too. */
hd_status hd_routes_check_everyone(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_check *check);

#endif
