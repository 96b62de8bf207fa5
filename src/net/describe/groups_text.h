/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of switches in words. */
#ifndef HD_NET_DESCRIBE_GROUPS_TEXT_H
#define HD_NET_DESCRIBE_GROUPS_TEXT_H

#include "base/arena.h"
#include "heddle/net.h"

/* "dragonfly: 33 groups of 8 switches" for a network whose groups are nearly all cabled to each other, "33 groups of 8
 * switches" for another one with groups, "" for one without. */
hd_status hd_switch_groups_text(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, char *text,
                                size_t size);

#endif
