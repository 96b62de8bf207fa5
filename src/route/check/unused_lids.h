/* SPDX-License-Identifier: BSD-2-Clause */
/* LIDs of endpoints among the variants of a table that no pair uses: where each source, or each pair, uses one variant,
 * those of the others are left over. */
#ifndef HD_ROUTE_CHECK_UNUSED_LIDS_H
#define HD_ROUTE_CHECK_UNUSED_LIDS_H

#include "route/core/routes.h"

struct hd_unused_lid {
    uint32_t dest, variant; /* whose entries are those of the LID */
};

/* In arena, by destination and variant. Only tables with LIDs, which files are, have any. kind: of endpoints
 * (check_everyone.h). O(endpoints * variants), and O(pairs) where each pair chooses. */
hd_status hd_unused_lids(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const uint8_t *kind,
                         struct hd_unused_lid **list, uint32_t *n);

#endif
