/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluation once specs have become rows and options; registry.c does that part. */
#ifndef HD_FLOW_EVAL_H
#define HD_FLOW_EVAL_H

#include "flow/metric.h"
#include "flow/pattern.h"

struct hd_job {
    const struct hd_routes *routes;
    const struct hd_pattern *pattern; /* NULL where the metric needs none */
    const void *pattern_opt;
    const struct hd_metric *metric;
    const void *metric_opt;
};

hd_status hd_eval_job(struct hd_ctx *ctx, const struct hd_job *job, const struct hd_request *q,
                      struct hd_result *result);

#endif
