/* SPDX-License-Identifier: BSD-2-Clause */
/* The links that lie on shortest paths towards a switch, in the order in which costs flow back from
 * it: what every engine of minimal paths walks once per destination. Distances are computed once for each
 * switch with endpoints and kept (one byte each), since endpoints of one leaf need not be neighbours in
 * the numbering. */
#ifndef HD_ROUTE_KERNEL_SHORTEST_PATHS_H
#define HD_ROUTE_KERNEL_SHORTEST_PATHS_H

#include "route/core/switch_distance.h"
#include "route/core/switch_links.h"
#include "route/core/routes.h"

struct hd_dag {      /* shortest paths towards switch t */
    uint32_t t, n;   /* n: switches that reach t, t included */
    uint32_t *order; /* [n] those switches by increasing distance, then as in near; order[0] is t */
    uint32_t *first; /* [n + 1] links of order[i] that come closer to t: link[first[i]] .. link[first[i + 1] - 1] */
    uint32_t *link;  /* by increasing port */
};

struct hd_shortest {
    struct hd_links links;
    const uint32_t *leaf_of; /* [nsw], as in struct hd_routes */
    uint32_t nleaf;
    const uint32_t *leaf; /* [nleaf] */
    const uint8_t *dist;  /* [leaf * nsw + v] */
    uint32_t *near;       /* [nsw] switches breadth-first, so that those with common neighbours are close */
    struct hd_dag *kept;  /* [nleaf], NULL: made when asked for */
};

/* Everything lives in arena; r gives network and leaves and must outlive it. O(leaves * channels), in
 * parallel. */
hd_status hd_shortest_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           struct hd_shortest *s);
/* Paths that stray cables do not shorten: distances are those without the channels marked in stray[nchan], and a stray
 * is taken only where it leads one step closer by these. *differ: whether some paths are longer than those of `all` and
 * everything is still reached; else s is of no use. */
hd_status hd_shortest_without(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_shortest *all,
                              const bool *stray, struct hd_shortest *s, bool *differ);
/* Keeps the paths towards every leaf, for engines that come back to them, unless that takes more than so
 * many bytes. */
hd_status hd_shortest_keep(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_shortest *s, size_t bytes);

/* Room for any destination's paths. */
hd_status hd_dag_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *l, struct hd_dag *dag);
/* Paths towards t, a switch with endpoints. Nothing is done when dag is t's already. O(channels). */
void hd_dag_make(const struct hd_shortest *s, uint32_t t, struct hd_dag *dag);
/* The same, those that are kept or made in dag. */
const struct hd_dag *hd_dag_get(const struct hd_shortest *s, uint32_t t, struct hd_dag *dag);

#endif
