/* SPDX-License-Identifier: BSD-2-Clause */
/* The network editor: a new network from an old one and all changes to it, in one rebuild. Each kind of edit (LIDs,
 * failures, selections, repairs) adds its changes to those planned before it; all refer to the nodes and channels of
 * the old network. */
#ifndef HD_NET_EDIT_NET_WITH_H
#define HD_NET_EDIT_NET_WITH_H

#include "net/core/remaining.h"
#include "net/core/structure.h"

struct hd_new_cable { /* between two switches, or of an endpoint whose old one is taken out */
    uint32_t u, v;
    uint8_t uport, vport, link;
};

/* All zero: an exact copy. */
struct hd_net_changes {
    const char *spec; /* NULL: that of the old network */
    struct hd_remaining remaining;
    const bool *selected; /* [nep]; NULL: as before */
    const char *rails;    /* find hosts and rails again by this rule; NULL: they stay as they are */
    const struct hd_structure *structure;
    const uint16_t *lid;            /* [nsw+nep]; NULL: as before */
    const uint8_t *lmc_of;          /* [nep] LMCs that belong to these LIDs */
    const uint8_t *switch_lmc;      /* [nsw] likewise */
    const uint8_t *link;            /* [nchan] rates; NULL: as before */
    const struct hd_new_cable *add; /* [nadd] between remaining nodes, at free ports */
    uint32_t nadd;
};

/* Nodes and cables keep their order, and all that no change names stays: shape, coordinates, rail numbers.
 * shape.missing is counted again. Adapters and hosts go with their last endpoint. O(size). */
hd_status hd_net_with(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_net_changes *changes,
                      struct hd_net **out);

/* Planning: what a change needs lives in arena. Each refuses what its public function (heddle/net.h) refuses. */
struct hd_net_edit {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    const struct hd_net *net;
    struct hd_net_changes changes;
};

hd_status hd_edit_lmc(struct hd_net_edit *edit, uint32_t lmc);
hd_status hd_edit_fail(struct hd_net_edit *edit, const char *what);
hd_status hd_edit_choose(struct hd_net_edit *edit, const struct hd_choice *choice);
/* Needs the network as it will be: only if nothing was removed by the changes before. */
hd_status hd_edit_repair(struct hd_net_edit *edit);

/* "spec --option value", with the value quoted for a shell if it must be: after failures and selections, the spec of a
 * network is what one would type to get it again. NULL: out of memory. */
char *hd_spec_with(struct hd_arena *arena, const char *spec, const char *option, const char *value);

/* The network with what was planned, if planning succeeded; what the plan needed is released either way. */
hd_status hd_edit_finish(struct hd_net_edit *edit, hd_status planned, struct hd_net **out);

/* Spec of the network with the changes so far. */
static inline const char *hd_edit_spec(const struct hd_net_edit *edit)
{
    return edit->changes.spec ? edit->changes.spec : edit->net->spec;
}

#endif
