/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows towards the switches themselves, all at once. */
#ifndef HD_ROUTE_CORE_SWITCH_ROWS_H
#define HD_ROUTE_CORE_SWITCH_ROWS_H

#include "route/core/routes.h"

/* Closes the holes of a row towards switch t that was made for one of its endpoints: where cables connect, every switch
 * reaches t, also where the pairs of endpoints are left without a path. Entries that arrive stay, and
 * row[t] becomes HD_SLOT_NONE. state: scratch [nsw]. */
void hd_switch_row_close(const struct hd_net *net, uint32_t t, uint8_t *row, uint8_t *state);

/* rows[t * nsw + v], as hd_routes_switch_row has them one by one. */
hd_status hd_switch_rows_fill(struct hd_ctx *ctx, const struct hd_routes *r, uint8_t *rows);
/* The same, kept with the routes, for those who read them several times. */
hd_status hd_switch_rows_keep(struct hd_ctx *ctx, struct hd_routes *r);

#endif
