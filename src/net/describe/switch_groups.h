/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of switches, as a Dragonfly has them, found from the cables alone. */
#ifndef HD_NET_DESCRIBE_SWITCH_GROUPS_H
#define HD_NET_DESCRIBE_SWITCH_GROUPS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_grouped_switches {
    uint32_t n;     /* 0: there are none; groups of one switch count where most switches are in larger ones */
    bool flat;      /* cliques; else each has leaf switches and others */
    uint32_t *of;   /* [nsw] group of a switch; groups are numbered by their first switch in `order` */
    uint32_t *size; /* [n] switches */
};

/* Arrays are in the arena. O(switches * ports^2). */
hd_status hd_switch_groups_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                const uint32_t *order, struct hd_grouped_switches *g);

/* "dragonfly: 33 groups of 8 switches" for a network whose groups are nearly all cabled to each other, "33 groups of 8
 * switches" for another one with groups, "" for one without. */
hd_status hd_switch_groups_text(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, char *text,
                                size_t size);

#endif
