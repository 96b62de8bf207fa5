/* SPDX-License-Identifier: BSD-2-Clause */
/* hd_routes_transition for callers inside the library: for one that cannot wait, and for a return. */
#ifndef HD_ROUTE_TRANSITION_TRANSITION_WITHIN_H
#define HD_ROUTE_TRANSITION_TRANSITION_WITHIN_H

#include "heddle/route.h"

struct hd_search_limit {
    uint64_t entries; /* that proofs together may look at before the answer is HD_UNPROVED */
    uint64_t each;    /* what any of them counts as, beside its entries */
};

/* The same within a limit. LIDs that no pair uses are not part of the answer. */
hd_status hd_routes_transition_within(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                                      struct hd_search_limit most, struct hd_transition **out);

/* hd_routes_transition back to a table that was in use before: LIDs that it does not reach are no loss. */
hd_status hd_routes_transition_back(struct hd_ctx *ctx, const struct hd_routes *old, const struct hd_routes *new,
                                    struct hd_transition **out);

#endif
