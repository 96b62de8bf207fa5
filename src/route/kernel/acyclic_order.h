/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns in lanes that stay free of cycles. A turn is a link and the link after it; a set of turns, those of a path or
 * a tree, goes into a lane as a whole or not at all. Each lane keeps an order of all links in which every turn goes
 * forward. A turn that goes forward costs nothing; one that goes backward searches only between the two places and
 * reorders what it met. */
#ifndef HD_ROUTE_KERNEL_ACYCLIC_ORDER_H
#define HD_ROUTE_KERNEL_ACYCLIC_ORDER_H

#include "route/core/switch_links.h"

enum { HD_LANES_MOST = 15 }; /* data lanes of InfiniBand */

struct hd_turn {
    uint32_t from, to; /* links */
};

struct hd_acyclic {
    struct hd_arena *arena;
    struct hd_links links;
    uint16_t *in, *blocked;         /* [turns] lanes that have the turn; lanes where it closes a cycle for ever */
    uint32_t *order[HD_LANES_MOST]; /* [links] place of each link in the lane's order; NULL: not open */
    uint32_t *at[HD_LANES_MOST];    /* [links] link at each place */
    struct hd_turn *turn;           /* [2 * nsw] the set to be put into a lane: for the caller to fill */
    uint32_t nturn;

    struct acyclic_change *change; /* since hd_acyclic_begin, so that it can be undone */
    uint32_t nchange, maxchange;
    uint16_t touched;                  /* lanes that have taken a set since then */
    uint32_t *ahead, *behind, *places; /* [links] */
    uint64_t *bits;                    /* [links / 64 + 1] */
    uint8_t *seen;                     /* [links] */
    uint32_t *via;                     /* [links] neighbour from which a link was seen */
    struct hd_turn meeting;            /* turn at which searches from both ends met */
    struct acyclic_cycle *cycle;       /* [ncycle], a power of two: those that refused turns would close */
    uint32_t ncycle;
    uint64_t looks; /* at links, by all searches so far */
};

/* No lane is open. Lives in arena: 4 bytes per turn; 8 per link and open lane. */
hd_status hd_acyclic_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_acyclic *s);
/* Opens a lane whose order is at first the given one; NULL: by number. One that is open must have no turns. */
hd_status hd_acyclic_open(struct hd_ctx *ctx, struct hd_acyclic *s, uint32_t lane, const uint32_t *order);
/* What was put into lanes so far stays there; what follows can be undone, all together. */
void hd_acyclic_begin(struct hd_acyclic *s);
void hd_acyclic_undo(struct hd_acyclic *s);
/* The set into an open lane, unless it closes a cycle there. */
hd_status hd_acyclic_try(struct hd_ctx *ctx, struct hd_acyclic *s, uint32_t lane, bool *fits);

/* Room for cycles, at most 2 MB; has to come before hd_acyclic_add. */
hd_status hd_acyclic_remember(struct hd_ctx *ctx, struct hd_acyclic *s);
/* One turn alone into an open lane: false, and nothing changes, if it closes a cycle there. Of no concern to begin and
 * undo; in a graph that also loses turns, nothing is blocked for ever. */
bool hd_acyclic_add(struct hd_acyclic *s, uint32_t lane, struct hd_turn t);

#endif
