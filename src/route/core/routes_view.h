/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes as the rest of the library reads them, beside what heddle/route.h offers everyone. struct hd_routes itself is
 * known below src/route only; kernels elsewhere fetch the arrays that they need once, before their loops, so that the
 * calls cost nothing. */
#ifndef HD_ROUTE_CORE_ROUTES_VIEW_H
#define HD_ROUTE_CORE_ROUTES_VIEW_H

#include "heddle/route.h"

/* Leaf switches, those with endpoints, are numbered from 0 in increasing order of switch. */
uint32_t hd_routes_nleaf(const struct hd_routes *r);
const uint32_t *hd_routes_leaves(const struct hd_routes *r);  /* [nleaf] the switch of each leaf */
const uint32_t *hd_routes_leaf_of(const struct hd_routes *r); /* [nsw] number of each leaf, UINT32_MAX: not a leaf */

/* Of all that paths and VLs depend on; that of the network included. */
uint64_t hd_routes_hash(const struct hd_routes *r);

/* The same for routes of one network whose pairs take the same paths in the same VLs, whoever made them and however
 * they are stored; 0: not known (several variants, groups of ports, VLs that change along the path or are unknown).
 * O(table). */
hd_status hd_routes_paths_hash(struct hd_ctx *ctx, const struct hd_routes *r, uint64_t *hash);
/* That the arrays take. */
uint64_t hd_routes_bytes(const struct hd_routes *r);

/* [nep] The variant that each source uses; NULL unless HD_SELECT_SOURCE. */
const uint16_t *hd_routes_source_class(const struct hd_routes *r);

/* How a switch chooses among the ports of a group. */
enum hd_lid_state {
    HD_LID_FREE,    /* any of them, for every packet */
    HD_LID_BOUNDED, /* any of them, but a flow changes only when it is idle */
    HD_LID_HASH,    /* one by a hash of the flow */
};
/* That of switch v towards (d, x). */
enum hd_lid_state hd_routes_lid_state(const struct hd_routes *r, uint32_t d, uint32_t x, uint32_t v);

/* Slots that switch v may take towards (d, x): those of its group, or the one of its entry; returns how many. Stored
 * tables only. */
uint32_t hd_routes_choices(const struct hd_routes *r, uint32_t d, uint32_t x, uint32_t v,
                           uint8_t slot[HD_MAX_PORTS + 1]);

#endif
