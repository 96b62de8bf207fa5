/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of switches, as a Dragonfly has them, found from the cables alone. */
#ifndef HD_NET_CORE_SWITCH_GROUPS_H
#define HD_NET_CORE_SWITCH_GROUPS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_grouped_switches {
    uint32_t n;      /* 0: there are none; groups of one switch count where most switches are in larger ones */
    uint32_t used;   /* those before this one have endpoints in reach, the others have none */
    bool flat;       /* cliques; else each has leaf switches and others */
    uint32_t *of;    /* [nsw] group of a switch; groups are numbered by their first switch in `order` */
    uint32_t *size;  /* [n] switches */
    bool local[256]; /* of flat ones: ports that lead within groups as a rule */
};

/* Arrays are in the arena. O(switches * ports^2). */
hd_status hd_switch_groups_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                const uint32_t *order, struct hd_grouped_switches *g);

#endif
