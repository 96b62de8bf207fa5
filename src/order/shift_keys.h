/* SPDX-License-Identifier: BSD-2-Clause */
/* What decides collisions of a Shift on a tree. Two flows meet on a channel up from level l when their
 * sources are in one subtree of height l and their destinations have the same key: the up channel that
 * routes take, counted alike in every subtree (under dmodk the destination's number modulo the ports).
 * Keys are read from the paths in the tables, so they are exact where all sources of a subtree agree, as
 * under dmodk, and the common case elsewhere. Levels at which all nodes share a subtree are left out.
 * Rail 0 speaks for all rails. */
#ifndef HD_ORDER_SHIFT_KEYS_H
#define HD_ORDER_SHIFT_KEYS_H

#include "base/rng.h"
#include "order/job_view.h"

struct hd_keys {
    uint32_t n, levels;        /* levels is 0 off trees */
    uint32_t *sub[HD_MAX_DIM]; /* [n] subtree of height l+1, numbered in tree order */
    uint32_t *key[HD_MAX_DIM]; /* [n] */
    uint32_t nsub[HD_MAX_DIM], nkey[HD_MAX_DIM];
    uint32_t *tree; /* [n] nodes in tree order, or leaf by leaf off trees */
    bool exact;     /* dmodk on a real-life fat tree: closed forms hold */
};

/* Lives in arena. O(n log n) and one path per node and level. */
hd_status hd_keys_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                       struct hd_keys *keys);

/* Virtual slots: a Shift over V >= n positions of which n are taken. Top subtrees alternate fastest, then
 * the ones below, then keys (or leaves), then what is left:
 *   pos = pod + P (key + R t)   or   pod + P (leaf + L t)
 * On a real-life fat tree under dmodk no two flows of any of its V - 1 stages meet. */
enum hd_slot_form { HD_SLOTS_KEY, HD_SLOTS_LEAF, HD_SLOT_FORMS };

struct hd_slots {
    uint64_t v;
    uint64_t *pos;        /* [n] of each node, distinct, below v */
    uint32_t *order;      /* [n] nodes by position */
    uint32_t inner, each; /* keys or leaves (of a pod) in use, and how many nodes the fullest has */
};

hd_status hd_slots_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_keys *keys, enum hd_slot_form form,
                        struct hd_slots *slots);

/* Pairs of flows that meet on up channels, over all stages of a Shift in this order: the sum over levels and
 * distances of (pairs of one subtree at that distance) * (pairs of one key at it). 0 means HSD 1 upwards. */
hd_status hd_keys_cost(struct hd_ctx *ctx, const struct hd_keys *keys, const uint32_t *order, uint64_t *cost);

/* Anneals order on that cost: swaps of two nodes, and of stretches as long as a leaf. budget counts the single
 * changes of a distance count that moves may take. order is set to the best seen. */
hd_status hd_shift_anneal(struct hd_ctx *ctx, const struct hd_keys *keys, uint64_t budget, uint32_t *order);

/* An order leaf by leaf in which keys recur late; drawn, see leaf_chain.c. Needs a level. */
hd_status hd_chain(struct hd_ctx *ctx, const struct hd_keys *keys, struct hd_rng *rng, uint32_t *order);

#endif
