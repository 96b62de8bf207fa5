/* SPDX-License-Identifier: BSD-2-Clause */
/* The cuts that matter to the pairs of one channel, as nested groups on the two sides of their graph. */
#ifndef HD_FLOW_BOUND_CUT_LIMITS_H
#define HD_FLOW_BOUND_CUT_LIMITS_H

#include "flow/bound/cuts.h"
#include "flow/bound/matching.h"

struct hd_limits { /* one per thread */
    const struct hd_cuts *cuts;
    uint32_t *inner[HD_MAX_DIM + 1]; /* [ngroup] stamps: a pair of this graph stays inside the group */
    uint32_t *node[HD_MAX_DIM + 1];  /* [ngroup] node of a group, UINT32_MAX between uses */
    uint32_t stamp;
};

hd_status hd_limits_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_cuts *cuts, struct hd_limits *l);

/* Adds groups to both sides of g, whose vertices stand for the endpoints left[] and right[] (any member,
 * where one stands for several on a leaf switch). The arrays come from arena. Traffic that obeys the cuts
 * obeys these groups; on a tree, where all sources are in one subtree and all destinations outside it or
 * the other way round (as on any channel of shortest paths), the converse holds too. */
hd_status hd_limits_add(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_limits *l, const uint32_t *left,
                        const uint32_t *right, struct hd_bipartite *g);

#endif
