/* SPDX-License-Identifier: BSD-2-Clause */
/* One evaluation once its specs are rows and options: what evaluation runs and what bounds are computed for. */
#ifndef HD_FLOW_CORE_EVAL_JOB_H
#define HD_FLOW_CORE_EVAL_JOB_H

#include "base/rng.h"
#include "flow/core/rank_map.h"
#include "heddle/metric.h"
#include "load/loader.h"

struct hd_job {
    const struct hd_routes *routes;
    const struct hd_pattern *pattern; /* NULL where the metric needs none */
    const void *pattern_opt;
    const struct hd_metric *metric;
    const void *metric_opt;
};

#endif
