/* SPDX-License-Identifier: BSD-2-Clause */
/* The channels that lie on shortest paths towards a switch, in the order in which costs flow back from
 * it: what every engine of minimal paths walks once a destination. Distances are computed once for each
 * switch with endpoints and kept (one byte each), since endpoints of one leaf need not be neighbours in
 * the numbering. */
#ifndef HD_ROUTE_SHORTEST_H
#define HD_ROUTE_SHORTEST_H

#include "route/dist.h"
#include "route/routes.h"

struct hd_arc {
    uint32_t c, head;
};

struct hd_shortest {
    const struct hd_net *net;
    const uint32_t *leaf_of; /* [nsw], as in struct hd_routes */
    uint8_t *dist;           /* [leaf * nsw + v] */
    uint32_t *off;           /* [nsw + 1] first of a switch's channels to switches in arc */
    struct hd_arc *arc;
};

/* Everything lives in arena; r gives network and leaves. O(leaves * channels), in parallel. */
hd_status hd_shortest_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           struct hd_shortest *s);

struct hd_dag {         /* shortest paths towards switch t */
    uint32_t t, n;      /* n: switches that reach t, t included */
    uint32_t *order;    /* [n] those switches by increasing distance; order[0] is t */
    uint32_t *first;    /* [n + 1] channels of order[i] that come closer to t: arc[first[i]] .. arc[first[i + 1] - 1] */
    struct hd_arc *arc; /* by increasing slot */
};

hd_status hd_dag_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_dag *dag);
/* t must be a switch with endpoints. Nothing is done when dag is t's already. O(channels). */
void hd_dag_make(const struct hd_shortest *s, uint32_t t, struct hd_dag *dag);

#endif
