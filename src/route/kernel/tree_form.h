/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes on a tree defined by their up ports. A routing of this kind is one function: which port q_l is
 * taken up from every switch of level l on the path to d by variant x. The path down is then fixed: by
 * the digits of d, and where cables are parallel by the cable of the same number, q_l / w_{l+1}, so
 * that down channels are shared as the up channels are. Nothing is stored but the tree's ports. */
#ifndef HD_ROUTE_KERNEL_TREE_FORM_H
#define HD_ROUTE_KERNEL_TREE_FORM_H

#include "route/core/routes.h"
#include "route/kernel/tree_ports.h"

struct hd_tree_form;

/* Sets q[l] for 1 <= l < h: below w_{l+1} p_{l+1}. */
typedef void hd_tree_up_rule(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q);

struct hd_tree_form {
    struct hd_tree tree;
    hd_tree_up_rule *up;
    const void *rule;   /* what up needs to know */
    uint32_t *by_level; /* [nsw] switches by level, then by subtree */
    uint32_t first[HD_MAX_DIM + 2];
    uint64_t *subtree;                /* [nsw] of by_level: the number of the subtree it is on top of */
    uint8_t *up_slot[HD_MAX_DIM + 1]; /* [q * switches of the level + i] port q of the i-th of them */
    bool together[HD_MAX_DIM + 1];    /* the switches of a level have consecutive numbers */
    bool all_on_leaves;
    bool by_destination; /* D-mod-K: up ports by the destination's number in the tree, modulo the ports */
    uint8_t **off_tree;  /* [nep] rows of endpoints without a place (aggregation nodes, storage), NULL else */
};

/* Makes r routes with nvar variants by this rule; the form lives in the arena of r. The caller sets rule and, where
 * there is more than one variant, the selection. O(channels). */
hd_status hd_tree_form_make(struct hd_ctx *ctx, struct hd_routes *r, uint32_t nvar, hd_tree_up_rule *up,
                            struct hd_tree_form **form);

/* The form behind these routes, NULL when they have none or an endpoint has no place of its own. */
const struct hd_tree_form *hd_tree_form_of(const struct hd_routes *r);

/* Ports up from a switch of level l: w_{l+1} p_{l+1}. */
static inline uint32_t hd_tree_up_ports(const struct hd_shape *s, uint32_t l)
{
    return s->w[l] * s->p[l];
}

/* Endpoints on leaf switches by increasing number in the tree; lives in arena. */
hd_status hd_tree_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_tree *tree, uint32_t **order,
                        uint32_t *n);

/* For engines defined on m-port n-trees: HD_OK for an intact tree in which every switch below the top
 * has as many ports up as down, the same number at all levels and one cable each (its top may be
 * narrower or wider). */
hd_status hd_tree_applies_ft(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt);

#endif
