/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pairs use which channels between switches. Sources that share all their paths form a group (one
 * leaf switch, one class of sources), so that (group, destination) stands for many pairs; groups and
 * destinations are listed leaf switch by leaf switch.
 * Endpoints of one leaf switch never use other switches between them: its entry for a destination of its own
 * either delivers at once or never does. So it does no harm that a group also stands for pairs of an endpoint
 * with itself.
 * A line holds the channels of one destination from every group, or of one group to every destination. */
#ifndef HD_FLOW_CORE_CHANNEL_USAGE_H
#define HD_FLOW_CORE_CHANNEL_USAGE_H

#include "flow/core/rank_map.h"
#include "load/loader.h"

struct hd_usage {
    const struct hd_routes *r;
    const struct hd_loader *loader;
    uint32_t n, ngroup, nleaf;
    uint32_t *ep;         /* [n] endpoints that take part, by (leaf switch, class, number) */
    uint32_t *first;      /* [ngroup + 1] a group's members are ep[first[g]] .. ep[first[g+1]-1] */
    uint32_t *leaf_ep;    /* [nleaf + 1] first endpoint of a leaf switch in ep */
    uint32_t *leaf_group; /* [nleaf + 1] its first group */
    uint32_t unit;        /* shares are in 1/unit of a pair: the variants a pair splits over, else 1 */
};

hd_status hd_usage_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                        const struct hd_ranks *among, struct hd_usage *u);

struct hd_line { /* one per thread */
    uint32_t n;
    const size_t *at; /* [n + 1] channels of item j: chan[at[j]] .. ; nchan stands for none */
    const uint32_t *chan;
    const uint32_t *share; /* in 1/unit; NULL: all 1 */
    uint64_t unserved;     /* pairs without a path (times unit), added up over lines */
    bool failed;           /* memory ran out */
    struct hd_loads loads;
    struct hd_merged *merged; /* of pairs that split, else NULL */
    struct hd_arena arena;
};

hd_status hd_line_init(struct hd_ctx *ctx, const struct hd_usage *u, struct hd_line *line);
void hd_line_release(struct hd_line *line);
/* Item j is group j. */
void hd_usage_to(const struct hd_usage *u, uint32_t d, struct hd_line *line);
/* Item j is destination ep[j]. */
void hd_usage_from(const struct hd_usage *u, uint32_t g, struct hd_line *line);

#endif
