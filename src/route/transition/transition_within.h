/* SPDX-License-Identifier: BSD-2-Clause */
/* hd_routes_transition for a caller that cannot wait. */
#ifndef HD_ROUTE_TRANSITION_TRANSITION_WITHIN_H
#define HD_ROUTE_TRANSITION_TRANSITION_WITHIN_H

#include "heddle/route.h"

/* The same, but proofs together look at no more than this many entries before the answer is HD_UNPROVED. */
hd_status hd_routes_transition_within(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                                      uint64_t entries, struct hd_transition **out);

#endif
