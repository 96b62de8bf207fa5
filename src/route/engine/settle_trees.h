/* SPDX-License-Identifier: BSD-2-Clause */
/* Settling: shortest-path trees, one per destination, are taken out and built again until they no longer change. The
 * cost of a tree is the contention between pairs that are active at the same time; see settle_trees.c. */
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
    uint32_t *sources;              /* [nsw] endpoints that send: all but aggregation nodes */
    uint32_t *column;               /* [nsw] number of a switch with sources; neighbours have close numbers */
    uint32_t ncolumn;
    uint32_t *pairs;         /* [links] pairs on a link */
    uint32_t *turn_pairs;    /* [turns] pairs that make a turn from link a to b: turn_base[b] + in_port[a] */
    uint32_t *turn_base;     /* [links] */
    uint8_t *in_port;        /* [links] number of a link among those into its head */
    uint16_t *reached;       /* [link * ncolumn + column] destinations a switch reaches over a link not its own */
    uint32_t *sent;          /* with a demand, instead of reached: what it sends over the link */
    uint32_t *own;           /* [links] the same for the links of the switch itself */
    uint32_t depth;          /* links on the longest path */
    uint64_t changed, paths; /* of the last pass: (switch, destination) paths that changed; how many there are */
    uint32_t done;           /* passes made */
};

/* Whether it takes seconds rather than fractions of a second. */
bool hd_settle_large(const struct hd_shortest *shortest);
/* Room for the counts; lives in arena, as does demand (or NULL). HD_LIMIT for networks
 * that are too large to be counted. */
hd_status hd_settle_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_shortest *shortest,
                         const struct hd_demand *demand, struct hd_settle *s);
/* Counts what r's rows carry, from nothing. */
hd_status hd_settle_count(struct hd_ctx *ctx, struct hd_settle *s, struct hd_routes *r);
/* Passes over all destinations until next to nothing changes. The same on any number of threads. */
hd_status hd_settle_run(struct hd_ctx *ctx, struct hd_settle *s, const struct hd_settle_opt *opt);
/* Whether the counts kept are those of the rows: HD_FAULT names the first that is not. */
hd_status hd_settle_check(struct hd_ctx *ctx, const struct hd_settle *s);

#endif
