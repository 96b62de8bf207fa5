/* SPDX-License-Identifier: BSD-2-Clause */
/* A sequence of proved tables that is handed over one table per sweep; see live_plan.c. */
#ifndef HD_LIVE_LIVE_PLAN_H
#define HD_LIVE_LIVE_PLAN_H

#include "base/arena.h"
#include "live/live.h"

struct hd_live_plan {
    struct hd_arena arena;
    struct hd_routes **step; /* [n] the tables to come, on the network of the request before; the last is the new one */
    uint32_t n, at;
    const char *options; /* of the request that it was made for */
    uint32_t vls;
    struct hd_live_outcome made; /* by which engine, and why not by others */

    uint8_t *held;  /* [switch * (last_lid + 1) + lid] what was handed over last; NULL: nothing yet */
    uint64_t *guid; /* [switches] in the order of held */
    uint32_t switches, last_lid;
};

/* A plan of n tables to follow the one that is handed over now. Copies them onto net. NULL: no memory. */
struct hd_live_plan *hd_live_plan_make(struct hd_ctx *ctx, const struct hd_live_choice *choice,
                                       const struct hd_routes *const *step, uint32_t n,
                                       const struct hd_live_outcome *made);
void hd_live_plan_free(struct hd_live_plan *plan);

/* Notes the tables of a reply. */
void hd_live_plan_handed(struct hd_live_plan *plan, const struct hd_fabric_parts *request, const uint8_t *table);
/* Whether the switches hold exactly that by this request, packets from before it have left, and nothing else that the
 * plan depends on is different. The fabric must be the same. */
bool hd_live_plan_holds(const struct hd_live_plan *plan, const struct hd_fabric_parts *request);
/* The tables to come on another network of the same fabric. False: no memory. */
bool hd_live_plan_move(struct hd_ctx *ctx, struct hd_live_plan *plan, const struct hd_net *net);

#endif
