/* SPDX-License-Identifier: BSD-2-Clause */
/* Which LIDs are taken, and by whom. Every LID is unicast and belongs to one port; the builder, the readers of network
 * files and of guid2lid, and the plan for path variants all claim LIDs here and word a refusal in their own terms:
 * names, lines, or a plan that does not fit. */
#ifndef HD_NET_CORE_LID_CLAIMS_H
#define HD_NET_CORE_LID_CLAIMS_H

#include "base/arena.h"
#include "base/keyed.h"
#include "heddle/net.h"

enum { HD_MAX_LMC = 7 };

struct hd_lid_claims {
    uint32_t *owner; /* [last + 1] 0: free */
    uint32_t last;
};

/* For claims of unicast LIDs up to last, where the caller knows one: a small network needs no array of all 49,151.
 * Lives in arena; false: no memory. */
static inline bool hd_lid_claims_init(struct hd_arena *arena, uint32_t last, struct hd_lid_claims *claims)
{
    claims->last = last < HD_MAX_LID ? last : HD_MAX_LID;
    claims->owner = HD_NEW(arena, uint32_t, claims->last + 1);
    return claims->owner != NULL;
}

/* Claims lid .. lid + count - 1 for an owner, any number but 0. Returns the first LID that is not available, because it
 * is beyond HD_MAX_LID (then nothing is claimed) or has an owner already; 0: all are. */
static inline uint32_t hd_lid_claim(struct hd_lid_claims *claims, uint32_t lid, uint32_t count, uint32_t owner)
{
    if (lid + count - 1 > HD_MAX_LID) return lid > HD_MAX_LID ? lid : HD_MAX_LID + 1;
    for (uint32_t i = lid; i < lid + count; i++) {
        if (claims->owner[i]) return i;
        claims->owner[i] = owner;
    }
    return 0;
}

/* How many LIDs node v has, if any, from its base LID on. */
static inline uint32_t hd_lid_count(const struct hd_net *net, uint32_t v)
{
    return 1u << (v < net->nsw ? net->switch_lmc[v] : net->lmc_of[v - net->nsw]);
}

/* LIDs are distinct within a subnet, and so within every component of a network; two subnets in one file share most of
 * theirs. Where the claims above collide, they are looked at again component by component, as one list: the key of an
 * item is made by hd_lid_key, its value says in which order the items claim their LIDs. */
struct hd_lid_item {
    struct hd_keyed at;
    uint32_t count; /* LIDs from the one of the key on */
};

static inline uint64_t hd_lid_key(uint32_t part, uint32_t lid)
{
    return (uint64_t)part << 16 | lid;
}

/* Whether two items of the same part claim one LID: *late claims it after *early. Sorts the items. */
bool hd_lid_collision(struct hd_lid_item *item, uint32_t n, struct hd_lid_item *early, struct hd_lid_item *late);

/* Numbers the subnets of a network whose parts share LIDs: nodes with the same number have distinct LIDs. *subnet_of
 * [nsw + nep] lives in arena; NULL: all LIDs are distinct. */
hd_status hd_lid_subnets(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t **subnet_of);

#endif
