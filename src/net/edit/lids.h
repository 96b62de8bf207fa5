/* SPDX-License-Identifier: BSD-2-Clause */
/* Which LIDs a table with path variants needs. Variant x of an endpoint is its base LID + x; a base LID is a multiple
 * of 2^lmc. A switch has one LID, or those of its own LMC as long as all keep their LIDs.
 *
 * The network's own LIDs are kept if they leave room for the variants: each endpoint has those that the network states
 * and no others, unless there are more variants, and nodes without a LID get the lowest ones that are free beside the
 * largest LMC at every endpoint, if there are such, endpoints before switches and with the smallest LMC of an endpoint.
 * Otherwise all are assigned again: endpoint e has base LID (e + 1) 2^lmc, and switches have 1 .. 2^lmc - 1 and those
 * after the last endpoint. They are assigned again also if components of the network share LIDs: a table has one list
 * of them. */
#ifndef HD_NET_EDIT_LIDS_H
#define HD_NET_EDIT_LIDS_H

#include "base/arena.h"
#include "net/core/lid_claims.h"

struct hd_lids {
    uint32_t lmc;        /* that every endpoint has at least */
    uint16_t *base;      /* [nsw+nep] */
    uint8_t *lmc_of;     /* [nep] */
    uint8_t *switch_lmc; /* [nsw] */
    uint16_t last;       /* largest LID in use */
};

/* How many LIDs node v has from its base LID on. */
static inline uint32_t hd_lids_count(const struct hd_lids *lids, const struct hd_net *net, uint32_t v)
{
    return 1u << (v < net->nsw ? lids->switch_lmc[v] : lids->lmc_of[v - net->nsw]);
}

/* The first node with several LIDs, UINT32_MAX: none. O(nodes). */
uint32_t hd_lids_several(const struct hd_lids *lids, const struct hd_net *net);

/* The smallest LMC of an endpoint that has a LID. O(endpoints). */
uint32_t hd_lmc_least(const struct hd_net *net);

/* Lives in arena. HD_INPUT when there are more variants than an LMC allows or more LIDs than there are. */
hd_status hd_lids_plan(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nvar,
                       struct hd_lids *lids);

/* The same for OpenSM, which has one LMC for all ports: the largest of an endpoint, if the LIDs of all leave room. */
hd_status hd_lids_plan_even(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nvar,
                            struct hd_lids *lids);

#endif
