/* SPDX-License-Identifier: BSD-2-Clause */
/* The links that lie on shortest paths towards a switch, in the order in which costs flow back from
 * it: what every engine of minimal paths walks once a destination. Distances are computed once for each
 * switch with endpoints and kept (one byte each), since endpoints of one leaf need not be neighbours in
 * the numbering. */
#ifndef HD_ROUTE_SHORTEST_H
#define HD_ROUTE_SHORTEST_H

#include "route/dist.h"
#include "route/links.h"
#include "route/routes.h"

struct hd_shortest {
    struct hd_links links;
    const uint32_t *leaf_of; /* [nsw], as in struct hd_routes */
    uint8_t *dist;           /* [leaf * nsw + v] */
};

/* Everything lives in arena; r gives network and leaves. O(leaves * channels), in parallel. */
hd_status hd_shortest_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           struct hd_shortest *s);

struct hd_dag {      /* shortest paths towards switch t */
    uint32_t t, n;   /* n: switches that reach t, t included */
    uint32_t *order; /* [n] those switches by increasing distance; order[0] is t */
    uint32_t *first; /* [n + 1] links of order[i] that come closer to t: link[first[i]] .. link[first[i + 1] - 1] */
    uint32_t *link;  /* by increasing port */
};

hd_status hd_dag_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_shortest *s, struct hd_dag *dag);
/* t must be a switch with endpoints. Nothing is done when dag is t's already. O(channels). */
void hd_dag_make(const struct hd_shortest *s, uint32_t t, struct hd_dag *dag);

#endif
