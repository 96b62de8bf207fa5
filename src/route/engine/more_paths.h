/* SPDX-License-Identifier: BSD-2-Clause */
/* Further paths to every destination, beside those of given routes: for users that spread a flow over several LIDs. */
#ifndef HD_ROUTE_ENGINE_MORE_PATHS_H
#define HD_ROUTE_ENGINE_MORE_PATHS_H

#include "route/core/routes.h"
#include "route/kernel/shortest_paths.h"
#include "route/kernel/vl_assign.h"

enum { HD_MORE_LMC = 7 }; /* InfiniBand's largest */

/* Parameter row of an options struct with a member `uint64_t lmc`. */
#define HD_LMC_ROW(type)                                                                                               \
    {                                                                                                                  \
        "lmc", HD_UINT, "0",                                                                                           \
            "2^lmc paths per destination, used in equal shares; the further ones overlap as little as "                \
            "possible",                                                                                                \
            offsetof(type, lmc), 0, HD_MORE_LMC, NULL, false                                                           \
    }

/* r, stored with one variant, gets 2^lmc: the first is the one that it has, the others are shortest paths. VLs are to
 * be assigned afterwards. If shortest was made from r itself it is of no use any more. */
hd_status hd_more_paths(struct hd_ctx *ctx, const struct hd_shortest *shortest, uint64_t lmc, struct hd_routes *r);
/* VLs of all variants: one for those of a pair if maxlanes allow it, else each path on its own; rows that fit nowhere
 * are routed up/down, *replaced says how many. */
hd_status hd_more_lanes(struct hd_ctx *ctx, struct hd_routes *r, enum hd_lanes_mode mode, uint32_t maxlanes,
                        uint32_t *replaced);

#endif
