/* SPDX-License-Identifier: BSD-2-Clause */
/* VLs for given routes: they are spread over virtual lanes ("lanes" below) such that no lane has a cycle of channel
 * dependencies, which proves that the routes have no credit loops. */
#ifndef HD_ROUTE_KERNEL_VL_ASSIGN_H
#define HD_ROUTE_KERNEL_VL_ASSIGN_H

#include "route/core/routes.h"
#include "route/kernel/acyclic_order.h"
#include "route/kernel/updown_order.h"

/* What is put into one lane together. */
enum hd_lanes_mode {
    HD_LANES_PATH, /* the path from one leaf switch to one destination */
    HD_LANES_DEST, /* all paths to one destination */
};

/* clang-format off */
/* Parameter rows of an options struct with members `int lanes` and `uint64_t maxlanes`; limit says what happens where
 * these are not enough. */
#define HD_LANES_ROWS(type, limit)                                                                                     \
    {"lanes", HD_WORD, "path", "one VL per path (leaf switch, destination), or one for all paths to a destination",    \
     offsetof(type, lanes), 0, 0, "path|dest", false},                                                                 \
    {"maxlanes", HD_UINT, "8", "VLs that may be used; " limit,                                                         \
     offsetof(type, maxlanes), 1, HD_LANES_MOST, NULL, false}
/* clang-format on */

struct hd_lanes_opt {
    enum hd_lanes_mode mode;
    uint32_t maxlanes;
    const struct hd_updown *reserve; /* keep the last lane open for any row of this order; may be NULL */
    bool stop;                       /* at the first row that fits nowhere: r has no lanes then */
    bool together; /* all variants of a pair in one lane: with HD_LANES_PATH, without reserve, stops */
};

struct hd_lanes {
    uint32_t nleft; /* (destination, variant) rows that fit nowhere */
    uint32_t *left; /* [nleft] d * nvar + x, increasing */
};

/* Sets lane rule, number of lanes and lanes of r. A row that does not fit is listed and gets the last
 * lane, which is only right once an up/down row of `reserve` has taken its place. Lives in arena. */
hd_status hd_lanes_assign(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_routes *r,
                          const struct hd_lanes_opt *opt, struct hd_lanes *lanes);

/* Lanes for all of r, which is stored. *fits: it needs no more than maxlanes; if not, r has no lanes. */
hd_status hd_lanes_fit(struct hd_ctx *ctx, struct hd_routes *r, enum hd_lanes_mode mode, uint32_t maxlanes, bool *fits);
/* The same with one lane for all variants of a pair, as a service level per pair of ports needs it. */
hd_status hd_lanes_fit_pairs(struct hd_ctx *ctx, struct hd_routes *r, uint32_t maxlanes, bool *fits);
/* As hd_lanes_fit; rows that do not fit in maxlanes are routed up/down instead.
 * *replaced says how many those are. */
hd_status hd_lanes_ensure(struct hd_ctx *ctx, struct hd_routes *r, enum hd_lanes_mode mode, uint32_t maxlanes,
                          uint32_t *replaced);

#endif
