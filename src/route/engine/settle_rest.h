/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths of endpoints that are not selected, rerouted so that all fit in one VL. */
#ifndef HD_ROUTE_ENGINE_SETTLE_REST_H
#define HD_ROUTE_ENGINE_SETTLE_REST_H

#include "route/core/routes.h"

/* *out: the table of r, stored and of one variant, in one VL, with the paths between selected endpoints unchanged; NULL
 * where that cannot be had in this way. O(destinations * channels) at most. */
hd_status hd_settle_rest(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_routes **out);

#endif
