/* SPDX-License-Identifier: BSD-2-Clause */
/* Hot-spot degrees of the stages of a job, however their flows are made. */
#ifndef HD_ORDER_STAGE_COUNT_H
#define HD_ORDER_STAGE_COUNT_H

#include "order/job_view.h"

struct hd_stage_flows {
    uint64_t stages;
    uint32_t flows; /* most of a stage */
    uint32_t room;  /* flows that spare has room for; 0: draw does not use it */
    /* Sets all of *f but its buffers, which have room for `flows`; spare is another set of buffers of the thread. */
    void (*draw)(const void *user, uint64_t stage, struct hd_flows *spare, struct hd_flows *f);
    const void *user;
    bool idle;     /* stages in which no flow enters the network are possible, and count like those with degree 1 */
    bool no_rates; /* the effective degree counts flows too, whatever the rates of channels */
    bool is_long;  /* may take hours: progress is told, and HD_LIMIT comes when a stop is asked for */
};

/* On all threads. O(flows * hops). */
hd_status hd_stage_count(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_stage_flows *in,
                         struct hd_hsd *hsd);

#endif
