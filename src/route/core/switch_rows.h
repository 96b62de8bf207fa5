/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows towards the switches themselves, all at once. */
#ifndef HD_ROUTE_CORE_SWITCH_ROWS_H
#define HD_ROUTE_CORE_SWITCH_ROWS_H

#include "route/core/routes.h"

/* rows[t * nsw + v], as hd_routes_switch_row has them one by one. */
hd_status hd_switch_rows_fill(struct hd_ctx *ctx, const struct hd_routes *r, uint8_t *rows);
/* The same, kept with the routes, for those who read them several times. */
hd_status hd_switch_rows_keep(struct hd_ctx *ctx, struct hd_routes *r);

#endif
