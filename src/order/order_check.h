/* SPDX-License-Identifier: BSD-2-Clause */
/* What callers of heddle/order.h hand over, before it is used as indexes: HD_USAGE where it is none. O(n). */
#ifndef HD_ORDER_ORDER_CHECK_H
#define HD_ORDER_ORDER_CHECK_H

#include "heddle/extend.h"
#include "heddle/order.h"

/* Whether the n indexes are below limit and all different. what: "order", ... */
hd_status hd_indexes_check(struct hd_ctx *ctx, const char *what, const uint32_t *index, uint32_t n, uint32_t limit);

/* Whether the order has every node once; NULL means as listed. */
static inline hd_status hd_order_check(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *order)
{
    return order ? hd_indexes_check(ctx, "order", order, nodes->n, nodes->n) : HD_OK;
}

/* The same where the caller must say which. */
static inline hd_status hd_order_given(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *order)
{
    return order ? hd_order_check(ctx, nodes, order) : hd_fail(ctx, HD_USAGE, "expected an order of the nodes");
}

enum { HD_MOST_RANKS = 100000000 }; /* of a job */

/* Whether the caller said how many ranks the nodes have, and all together are no more than that. */
hd_status hd_per_node_check(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *per_node);

/* Whether the nodes are of this network. */
hd_status hd_nodes_check(struct hd_ctx *ctx, const struct hd_nodes *nodes, const struct hd_net *net);

#endif
