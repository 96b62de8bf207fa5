/* SPDX-License-Identifier: BSD-2-Clause */
/* Cables to repair: those that the shape has and the network lacks, and those slower than the rest of their kind. */
#ifndef HD_NET_EDIT_REPAIR_H
#define HD_NET_EDIT_REPAIR_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_cable_fault {
    uint32_t u, v;        /* nodes; u is a switch */
    uint8_t uport, vport; /* of a missing cable: 0 if more than one port may be meant */
    uint8_t link, usual;  /* rate it has and rate of its kind; a missing cable has link 0, its usual may be 0 too */
    bool missing;
};

struct hd_cable_faults {
    struct hd_cable_fault *at;
    uint32_t n, missing; /* missing ones first */
    uint32_t unknown;    /* cables without a rate among others that have one */
};

/* Lives in arena. O(kinds * channels), kinds being the pairs of levels that cables connect. */
hd_status hd_cable_faults_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                               struct hd_cable_faults *faults);

#endif
