/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths of endpoints that are not selected, rerouted so that all fit in one VL. */
#ifndef HD_ROUTE_ENGINE_SETTLE_REST_H
#define HD_ROUTE_ENGINE_SETTLE_REST_H

#include "route/core/routes.h"

/* *out: the table of r, stored and of one variant, in one VL, with the paths between selected endpoints unchanged; NULL
 * where that cannot be had in this way. O(destinations * channels) at most. */
hd_status hd_settle_rest(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_routes **out);
/* For engines whose paths go up and down in a tree: pairs of endpoints that are not selected and have no such path, as
 * aggregation nodes on spines have none, get another one where that needs no further VL. */
hd_status hd_settle_rest_holes(struct hd_ctx *ctx, struct hd_routes *r);

#endif
