/* SPDX-License-Identifier: BSD-2-Clause */
/* What the running jobs ask of every channel. */
#ifndef HD_EXPLAIN_JOB_LOAD_H
#define HD_EXPLAIN_JOB_LOAD_H

#include "base/arena.h"
#include "heddle/route.h"
#include "heddle/order.h"

struct hd_job_load {  /* of a channel; 1 is all that it can carry */
    float mean, peak; /* of all jobs together, over moments */
    float excess;     /* mean of what they ask beyond 1 */
    float own;        /* the same of the one job that asks most beyond 1 by itself */
    float own_peak;   /* the largest load of that job alone */
    uint32_t job[2];  /* those with the largest means, UINT32_MAX: none */
    float part[2];    /* their means */
    uint32_t alone;   /* job of own, UINT32_MAX: none asks more than 1 */
    uint32_t njob;    /* how many jobs load it */
};

/* Draws moments, in each of which every job is in some stage of its pattern, and every rank sends at the rate of its
 * adapter; jobs without a pattern send to random partners (permutation). jobs may be NULL: then all selected endpoints
 * are one job. With jobs->n == 0 nothing is sent. load has nchan places. Switches with adaptive routing split flows
 * evenly. */
hd_status hd_job_loads(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_jobs *jobs,
                       struct hd_job_load *load);

#endif
