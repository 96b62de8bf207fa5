/* SPDX-License-Identifier: BSD-2-Clause */
/* Further LIDs of endpoints, and LIDs of switches beyond the base LID, that either of two tables was given entries
 * for. */
#ifndef HD_ROUTE_CHECK_FURTHER_LIDS_H
#define HD_ROUTE_CHECK_FURTHER_LIDS_H

#include "route/core/routes.h"

struct hd_further_lid {
    uint32_t dest;      /* endpoint */
    uint16_t lid, base; /* and that of its first variant */
    uint32_t row[2];    /* + 1, among the further rows of each table; 0: it has none */
};

/* The entries that a table without a row of its own for the LID repeats: of this variant. */
static inline uint32_t hd_further_variant(const struct hd_further_lid *f, uint32_t nvar)
{
    return (uint32_t)(f->lid - f->base) % nvar;
}

/* In arena. Tables of one network, with the same LIDs. O(endpoints 2^LMC). */
hd_status hd_further_lids(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *a,
                          const struct hd_routes *b, struct hd_further_lid **list, uint32_t *n);

struct hd_more_lid { /* of a switch */
    uint32_t sw;
    uint16_t lid;
    uint32_t row[2]; /* + 1, among the rows of each table for such LIDs; 0: it has none */
};

/* Likewise, first those of a. O(n log n). */
hd_status hd_more_lids(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *a, const struct hd_routes *b,
                       struct hd_more_lid **list, uint32_t *n);

#endif
