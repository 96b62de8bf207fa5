/* SPDX-License-Identifier: BSD-2-Clause */
/* What is sent, for engines that route for it: a weight for every ordered pair, told by a traffic matrix
 * (traffic_file.h) or by the jobs of a machine. Weights become whole numbers once, on reading, as fine as lets no
 * channel's sum exceed 32 bits; nothing above 0 becomes 0. Every pair weighs `base` besides, for tables serve all
 * of them.
 *
 * Jobs, a line each: an endpoint (name, in "" where it has blanks, or port GUID), its weight (1 where there is
 * none) and the name of its job (all are one where there is none). A pair within a job weighs the product of its
 * ends. # begins a comment line; fields are separated by blanks or commas. */
#ifndef HD_LOAD_DEMAND_H
#define HD_LOAD_DEMAND_H

#include "base/arena.h"
#include "base/rng.h"
#include "load/traffic_file.h"

struct hd_demand {
    const struct hd_net *net;
    uint32_t base;         /* weight of every pair, named or not */
    uint32_t *group;       /* [nep] of a destination: who sends to it; UINT32_MAX: nobody more than base */
    uint32_t *factor;      /* [nep] what the group's weights are times for it */
    uint32_t *first;       /* [groups + 1] */
    uint32_t *sw, *weight; /* switches of a group, and what their endpoints send more than base, together */
    uint32_t *senders;     /* [nsw] endpoints with anything named to send, all where there is none */
    uint32_t nlist;
    uint32_t *list;       /* [nlist] endpoints by job; of a matrix those that send */
    uint32_t *list_first; /* jobs: [njob + 1] in list; matrix: [nlist + 1] in to */
    uint32_t njob;        /* 0: a matrix */
    uint32_t *to;         /* matrix: destinations of list[i] */
    uint64_t *sum;        /* matrix: weights up to and including each of them */
};

/* rest: what all pairs weigh besides, together, as a share of what is named. Lives in arena. */
hd_status hd_demand_read_traffic(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_traffic_in *in,
                                 double rest, struct hd_demand *d);
hd_status hd_demand_read_jobs(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                              double rest, struct hd_demand *d);

/* What the endpoints of each switch send to d, together; all[v] of them count. O(switches). */
void hd_demand_sources(const struct hd_demand *demand, const uint32_t *all, uint32_t d, uint32_t *sources);
static inline bool hd_demand_counts(const struct hd_demand *demand, uint32_t d)
{
    return demand->base || demand->group[d] != UINT32_MAX;
}

/* Pairs that may be active together, nobody sending or receiving twice: random pairs within each job, or
 * destinations drawn by their weight. src and dst have room for nep, work for 2 nep; returns how many. */
uint32_t hd_demand_draw(const struct hd_demand *demand, struct hd_rng *rng, uint32_t *work, uint32_t *src,
                        uint32_t *dst);

#endif
