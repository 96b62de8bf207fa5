/* SPDX-License-Identifier: BSD-2-Clause */
/* Up/down rows: switches are in a total order, a channel goes up when it leads to an earlier one, and
 * no route goes up after it went down. Dependencies then follow the order, so all such rows together are
 * free of credit loops in one lane. A row is destination-based: a switch that reaches the destination
 * by going down only does so, any other goes up to the neighbour with the shortest rest. Such paths are
 * legal from every switch, though not always the shortest legal ones. */
#ifndef HD_ROUTE_KERNEL_UPDOWN_ORDER_H
#define HD_ROUTE_KERNEL_UPDOWN_ORDER_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_updown {
    const struct hd_net *net;
    uint32_t *place; /* [nsw] in the order; up is towards smaller */
    uint32_t *order; /* [nsw] switches by place */
    uint32_t *cost;  /* [nsw] of the last row made: hops to t, UINT32_MAX where it cannot be reached */
    uint32_t *queue; /* [nsw] scratch */
};

/* The order: by rank, then by number. With rank NULL it is the distance from the most central switch
 * with endpoints of each connected part, so that every switch reaches every destination of its part.
 * Lives in arena. */
hd_status hd_updown_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *rank,
                         struct hd_updown *u);

static inline bool hd_updown_up(const struct hd_updown *u, uint32_t c)
{
    return u->place[u->net->head[c]] < u->place[u->net->tail[c]];
}

/* Entries towards switch t: among equal rests the least load (may be NULL), then the lowest slot.
 * HD_SLOT_NONE at t and where t cannot be reached. O(channels). */
void hd_updown_row(struct hd_updown *u, uint32_t t, const uint32_t *load, uint8_t *row);

#endif
