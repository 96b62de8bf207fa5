/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HD_ROUTE_CHECK_CHECK_VLS_H
#define HD_ROUTE_CHECK_CHECK_VLS_H

#include "route/core/routes.h"

/* For VLs by pair or by hop, after a check that took all VLs as one: sets lanes, deadlock_free and the cycle of k from
 * the VLs in use. kind: of endpoints (check_everyone.h). */
hd_status hd_check_lanes(struct hd_ctx *ctx, const struct hd_routes *r, const uint8_t *kind, struct hd_check *k);

#endif
