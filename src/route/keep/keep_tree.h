/* SPDX-License-Identifier: BSD-2-Clause */
/* A destination's tree, grown from the part of an old one that still delivers: switches without a path join at the
 * nearest place over turns that are admitted (keep_turns.h), by their old entry if that costs no hop more, else over
 * the least loaded links. */
#ifndef HD_ROUTE_KEEP_KEEP_TREE_H
#define HD_ROUTE_KEEP_KEEP_TREE_H

#include "route/keep/keep_turns.h"
#include "route/kernel/row_walk.h"
#include "route/kernel/link_heap.h"

/* Pairs on links and turns: what paths cost, the last half of the pairs that come along from the link before being
 * given back, as settle counts them (engine/settle_trees.c). */
struct hd_keep_load {
    uint32_t *pairs, *turn_pairs; /* [links], [turns] */
    uint32_t *sources;            /* [nsw] endpoints that send */
    uint32_t *flow;               /* [nsw] 0 between rows */
};

struct hd_keep_tree {
    struct hd_keep_turns *turns;
    struct hd_keep_load load;
    uint32_t *all;             /* [nsw] all switches */
    uint32_t *part_of;         /* [nsw + nep] connected part */
    uint8_t *state;            /* [nsw] of a switch in the tree that grows */
    uint8_t *hops;             /* [nsw] of those that joined */
    uint16_t *open;            /* [nsw] lanes in which its path may go */
    uint32_t *next;            /* [nsw] link */
    uint64_t *cost;            /* [nsw] load of its path */
    uint32_t *queue, n;        /* [nsw] those that joined, in order */
    struct hd_link_item *heap; /* [links + 1] */
    uint32_t nheap;
    struct hd_reach reach;
};

struct hd_keep_job {
    uint32_t t;           /* switch of the destination */
    const uint8_t *kept;  /* [nsw] entries that stay if they deliver over admitted turns; NULL: none has to */
    const uint8_t *was;   /* [nsw] old entries: preferred by those that join */
    const uint8_t *fresh; /* [nsw] entries of the fresh table: a switch on no path without one there needs none */
    uint32_t lanes;       /* bits: every path goes in one of these, */
    uint32_t joining;     /* bits: those of switches that join in one of these */
    const bool *only;     /* [links] that may be taken by those that join; NULL: all */
    const uint64_t *stay; /* [nsw] what another entry costs; NULL: more than any load, less than a hop */
};

/* Lives in arena. */
hd_status hd_keep_tree_init(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_keep_turns *turns,
                            struct hd_keep_tree *w);
/* Grows the tree into row; the entry of t itself is left alone. False if a leaf switch of the part has no admitted
 * path. Turns are on trial afterwards. A switch that is on no path from a leaf may get any entry. O(switches), and
 * O(links log links) for those that join. */
bool hd_keep_grow(struct hd_keep_tree *w, const struct hd_keep_job *job, uint8_t *row);

/* Calls visit(w, v, a, b, flow, user) for every switch v that traffic of leaf switches passes through, far ones first:
 * by link a and then b (UINT32_MAX: none), for so many sources. O(switches). */
typedef void hd_keep_visit(struct hd_keep_tree *w, uint32_t v, uint32_t a, uint32_t b, uint32_t flow, void *user);
void hd_keep_flows(struct hd_keep_tree *w, uint32_t t, const uint8_t *row, hd_keep_visit *visit, void *user);
/* The pairs of a row, more or less, on links and turns. */
void hd_keep_count(struct hd_keep_tree *w, uint32_t t, const uint8_t *row, bool more);

#endif
