/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of a plan have for LIDs that no pair is routed by. */
#ifndef HD_ROUTE_TRANSITION_STEP_REST_H
#define HD_ROUTE_TRANSITION_STEP_REST_H

#include "route/core/routes.h"

/* Completes the intermediate tables of a change from old to new, which both must outlive them. Nothing is added where
 * neither table was given such entries. O(switches^2 + further LIDs * switches) for each. */
hd_status hd_steps_rest(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                        struct hd_routes *const *step, uint32_t n);

#endif
