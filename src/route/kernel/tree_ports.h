/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of a tree by what they mean. Generated or inferred, a switch of level l has up ports
 * q = b + k w_{l+1} (cable k to the parent with digit b) and down ports r = a + k m_l (cable k to the
 * child with digit a); this finds the slot of each from levels and digits, whatever the port numbers.
 * Parallel cables are numbered by port of the lower switch. */
#ifndef HD_ROUTE_KERNEL_TREE_PORTS_H
#define HD_ROUTE_KERNEL_TREE_PORTS_H

#include "base/arena.h"
#include "heddle/engine.h"

struct hd_tree {
    const struct hd_net *net;
    const struct hd_shape *shape;
    uint32_t h;
    uint64_t wprod[HD_MAX_DIM + 1]; /* product of w_1 .. w_l */
    uint64_t mprod[HD_MAX_DIM + 1]; /* product of m_1 .. m_l */
    uint32_t *up, *down;            /* [nsw] first entry of a switch in slot */
    uint8_t *slot;                  /* HD_SLOT_NONE where the cable is missing */
    uint64_t *index;                /* [nep] number of each endpoint in the full tree */
};

/* The network must have the shape of a tree. Lives in arena. O(channels). */
hd_status hd_tree_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_tree *tree);

static inline uint8_t hd_tree_up(const struct hd_tree *t, uint32_t v, uint32_t q)
{
    return t->slot[t->up[v] + q];
}
static inline uint8_t hd_tree_down(const struct hd_tree *t, uint32_t v, uint32_t r)
{
    return t->slot[t->down[v] + r];
}

/* Whether the network is a tree and no switch below the top level lacks a cable up. */
bool hd_tree_whole(const struct hd_net *net);
/* For engines on intact trees: HD_OK for a tree with every cable, otherwise HD_NA and the reason. */
hd_status hd_tree_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt);

#endif
