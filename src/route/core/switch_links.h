/* SPDX-License-Identifier: BSD-2-Clause */
/* Links: the channels between switches alone, numbered by tail and port, and turns: a link and one that
 * follows it. What engines keep counts of. */
#ifndef HD_ROUTE_CORE_SWITCH_LINKS_H
#define HD_ROUTE_CORE_SWITCH_LINKS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_links {
    const struct hd_net *net;
    uint32_t n;
    uint32_t *first;       /* [nsw + 1] links of switch v: first[v] .. first[v + 1] - 1, by increasing port */
    uint32_t *chan, *head; /* [n] its channel; the switch it leads to */
    uint32_t *back;        /* [n] the link of the same cable the other way */
    uint32_t *of;          /* [nchan] link of a channel, UINT32_MAX: to or from an endpoint */
    uint32_t *turn;        /* [n + 1] first turn of a link; turn[n]: how many there are */
};

/* Lives in arena. O(channels). */
hd_status hd_links_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_links *links);

/* Number of the turn from link a into link b, a link of a's head. */
static inline uint32_t hd_turn(const struct hd_links *l, uint32_t a, uint32_t b)
{
    return l->turn[a] + b - l->first[l->head[a]];
}

/* The table entry that takes link a at switch v. */
static inline uint8_t hd_link_slot(const struct hd_links *l, uint32_t v, uint32_t a)
{
    return (uint8_t)(l->chan[a] - l->net->off[v]);
}

#endif
