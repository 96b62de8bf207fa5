/* SPDX-License-Identifier: BSD-2-Clause */
/* Making routes without knowing struct hd_routes: for engines and readers outside src/route, beside what
 * heddle/engine.h offers everyone. Arrays that these calls return belong to the routes and live as long as they do. */
#ifndef HD_ROUTE_CORE_ROUTES_BUILD_H
#define HD_ROUTE_CORE_ROUTES_BUILD_H

#include "base/arena.h"
#include "heddle/engine.h"

/* Routes for net that know its leaf switches and nothing else; a table or a closed form comes next, once. */
hd_status hd_routes_new(struct hd_ctx *ctx, const struct hd_net *net, struct hd_routes **r);
/* As hd_routes_table (heddle/engine.h) with rows that nothing has touched, for engines that write every entry: each of
 * their threads then brings in the pages that it fills, and none is written twice. */
hd_status hd_routes_table_unset(struct hd_ctx *ctx, struct hd_routes *r, uint32_t nvar);
/* hd_routes_new and hd_routes_table. */
hd_status hd_routes_make(struct hd_ctx *ctx, const struct hd_net *net, uint32_t nvar, struct hd_routes **r);
/* Hands out routes that were made, or frees them if that failed; returns the status. */
hd_status hd_routes_give(hd_status s, struct hd_routes *r, struct hd_routes **out);

/* [t * nsw + v] Entries towards switches, filled with HD_SLOT_NONE by the first call. Without this call they are
 * derived from the others. */
hd_status hd_routes_switch_rows(struct hd_ctx *ctx, struct hd_routes *r, uint8_t **rows);
/* Which variant a pair uses if there are several: all, or the number of the source modulo their number. */
hd_status hd_routes_select_by_use(struct hd_ctx *ctx, struct hd_routes *r, enum hd_use use);

/* The same routes with a stored row for each LID that endpoints have, 2^lmc of the network, as tables have them;
 * without groups of ports and further LIDs of a file. O(table). */
hd_status hd_routes_by_lid(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_routes **out);

/* VLs are not known. */
void hd_routes_vls_unknown(struct hd_routes *r);
/* [(leaf * nep + d) * nvar + x] Service levels, 0 by the first call; hd_sl_settle (fmt_service_levels.h) turns them
 * into VLs. */
hd_status hd_routes_leaf_levels(struct hd_ctx *ctx, struct hd_routes *r, uint8_t **level);

/* Not copied: it must outlive the routes. */
void hd_routes_set_spec(struct hd_routes *r, const char *spec);
void hd_routes_set_other_cpu(struct hd_routes *r, double seconds);
/* For whatever else shall live as long as the routes. */
struct hd_arena *hd_routes_arena(struct hd_routes *r);

#endif
