/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of jobs: which channels each of them uses in an all-to-all of its nodes, and how much of them. */
#ifndef HD_ORDER_JOBS_MEET_H
#define HD_ORDER_JOBS_MEET_H

#include "base/arena.h"
#include "heddle/order.h"

struct hd_channel_use {
    uint32_t channel;
    double load; /* in units of an endpoint's rate */
};

struct hd_job_use {
    uint32_t n;
    struct hd_channel_use *use; /* [n] by channel */
    double most;                /* the largest load, at least 1 */
};

/* Lives in arena. O(leaves * n) paths. */
hd_status hd_job_use_of(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                        const struct hd_nodes *nodes, struct hd_job_use *use);
/* Of every job, and of mine last if it is not NULL. */
hd_status hd_jobs_use(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const struct hd_jobs *jobs,
                      const struct hd_nodes *mine, struct hd_job_use **use);

#endif
