/* SPDX-License-Identifier: BSD-2-Clause */
/* What changes beside the paths of pairs: entries for LIDs of switches and for further LIDs of endpoints. */
#ifndef HD_ROUTE_TRANSITION_TRANSITION_REST_H
#define HD_ROUTE_TRANSITION_TRANSITION_REST_H

#include "route/core/routes.h"

/* How many of these LIDs have a mixture of old and new entries that loops, from some leaf switch. LIDs that one of the
 * tables was not given entries for count not at all. O(such LIDs * switches). */
hd_status hd_rest_loops(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to, uint64_t *loops);

#endif
