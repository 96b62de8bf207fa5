/* SPDX-License-Identifier: BSD-2-Clause */
/* Which LIDs a table with path variants needs. Variant x of an endpoint is its base LID + x; a base LID is a multiple
 * of 2^lmc, and a switch has one LID.
 *
 * The network's own LIDs are kept if they leave room for the variants. Otherwise, with one variant, nodes without a LID
 * get the lowest free ones, endpoints before switches; with more, all are assigned again: endpoint e has base LID
 * (e + 1) 2^lmc, and switches have 1 .. 2^lmc - 1 and those after the last endpoint. They are assigned again also if
 * components of the network share LIDs: a table has one list of them. */
#ifndef HD_NET_EDIT_LIDS_H
#define HD_NET_EDIT_LIDS_H

#include "base/arena.h"
#include "heddle/net.h"

enum { HD_MAX_LMC = 7 };

struct hd_lids {
    uint32_t lmc;
    uint16_t *base; /* [nsw+nep] */
    uint16_t last;  /* largest LID in use */
};

/* Lives in arena. HD_INPUT when there are more variants than an LMC allows or more LIDs than there are. */
hd_status hd_lids_plan(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nvar,
                       struct hd_lids *lids);

#endif
