/* SPDX-License-Identifier: BSD-2-Clause */
/* Settling: shortest-path trees, one a destination, taken out and put back until they stay. What a tree
 * pays for is what pairs that are active together lose to each other; see settle_trees.c. */
#ifndef HD_ROUTE_ENGINE_SETTLE_TREES_H
#define HD_ROUTE_ENGINE_SETTLE_TREES_H

#include "load/demand.h"
#include "route/kernel/shortest_paths.h"

enum { HD_SETTLE_ONE = 256 }; /* alpha and beta are counted in these */

struct hd_settle_opt {
    uint32_t alpha, beta;
    uint32_t passes;
    uint32_t batch; /* trees built on the same counts; 0: by the size of the network */
    uint64_t seed;
};

struct hd_settle {
    const struct hd_shortest *shortest;
    struct hd_routes *r; /* one variant, stored; rows are complete or have their own switch's entry only */
    struct hd_settle_opt opt;
    const struct hd_demand *demand; /* what is sent; NULL: every pair counts alike */
    uint32_t *sources;              /* [nsw] endpoints that count */
    uint32_t *column;               /* [nsw] number of a switch with sources; neighbours have near ones */
    uint32_t ncolumn;
    uint32_t *w;    /* [links] pairs on a link */
    uint32_t *w2;   /* [turns] pairs that make a turn, by second link: into[b] + in[a] */
    uint32_t *into; /* [links] */
    uint8_t *in;    /* [links] port of the head a link comes in by, among those to switches */
    uint16_t *n;    /* [link * ncolumn + column] destinations a switch reaches over a link, its own links left out */
    uint32_t *sent; /* instead of n where there is a demand: what it sends over the link */
    uint32_t *own;  /* [links] the same for the links of the switch itself */
    uint32_t depth; /* links on the longest path */
    uint64_t changed, paths; /* of the last pass: (switch, destination) paths that changed; how many there are */
    uint32_t done;           /* passes made */
};

/* Whether it takes seconds rather than fractions of one. */
bool hd_settle_large(const struct hd_shortest *shortest);
/* Room for the counts; lives in arena, as does demand (or NULL). HD_LIMIT when there are too many endpoints. */
hd_status hd_settle_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_shortest *shortest,
                         const struct hd_demand *demand, struct hd_settle *s);
/* Counts what r's rows carry, from nothing. */
hd_status hd_settle_count(struct hd_ctx *ctx, struct hd_settle *s, struct hd_routes *r);
/* Passes over all destinations until next to nothing changes. The same on any number of threads. */
hd_status hd_settle_run(struct hd_ctx *ctx, struct hd_settle *s, const struct hd_settle_opt *opt);
/* Whether the counts kept are those of the rows: HD_FAULT names the first that is not. */
hd_status hd_settle_check(struct hd_ctx *ctx, const struct hd_settle *s);

#endif
