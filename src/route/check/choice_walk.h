/* SPDX-License-Identifier: BSD-2-Clause */
/* All paths to one target that static ports and groups of ports allow. Towards a target the choices form a graph with
 * several edges out of a switch. A packet arrives whatever is chosen if and only if that graph has neither a cycle nor
 * a dead end among the switches that sources reach; then it has a longest path. One depth-first search from all sources
 * answers this. O(channels). */
#ifndef HD_ROUTE_CHECK_CHOICE_WALK_H
#define HD_ROUTE_CHECK_CHOICE_WALK_H

#include "route/check/check_credit.h"
#include "route/core/groups.h"

/* Of a switch: LOOPS and DEAD: some choice leads there. */
enum hd_choice_state { HD_CHOICE_UNSEEN, HD_CHOICE_OPEN, HD_CHOICE_GOOD, HD_CHOICE_LOOPS, HD_CHOICE_DEAD };

struct hd_choice_frame;

struct hd_choice_walk {
    const struct hd_routes *r;
    const struct hd_net *net;
    const struct hd_port_set *up; /* [nsw] slots that lead up; NULL: there are no levels, or a graph is kept */
    uint32_t target;              /* node, UINT32_MAX: none yet */
    uint8_t *row;                 /* [nsw] entries towards it */
    const uint16_t *of;           /* [nsw] their groups */
    uint8_t *state, *worst;       /* [nsw] enum hd_choice_state; worst: of the choices followed so far */
    uint32_t *hops;               /* [nsw] channels of the longest path to the target */
    uint32_t nseen, *seen;        /* [nsw] switches met, each after those it leads to unless they form a loop */
    struct hd_choice_frame *stack;
};

/* Slots that lead up, by the directions of channels (check_credit.h). Lives in arena. */
hd_status hd_choice_up(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *up,
                       const struct hd_port_set **out);
hd_status hd_choice_walk_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                              const struct hd_port_set *up, struct hd_choice_walk *w);
/* Another target. Returns true if the last search, towards another endpoint of the same switch, is that of this one
 * too: then nothing has to be searched, and no dependency to be added. */
bool hd_choice_walk_begin(struct hd_choice_walk *w, const uint8_t *row, const uint16_t *of, uint32_t target);
/* No search answers for another target. */
void hd_choice_walk_forget(struct hd_choice_walk *w);
/* Searches from a switch that is not the target, unless it was seen. */
void hd_choice_walk_from(struct hd_choice_walk *w, uint32_t v);
/* Dependencies of all switches met, in a set of VLs: each channel that may be taken waits for all that may follow. */
void hd_choice_walk_depend(const struct hd_choice_walk *w, uint32_t lanes, struct hd_credit *credit);

#endif
