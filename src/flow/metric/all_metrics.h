/* SPDX-License-Identifier: BSD-2-Clause */
/* Every metric; registry.c lists them. */
#ifndef HD_FLOW_METRIC_ALL_METRICS_H
#define HD_FLOW_METRIC_ALL_METRICS_H

#include "heddle/metric.h"
#include "load/loader.h"

extern const struct hd_metric hd_metric_ebb, hd_metric_minbw, hd_metric_maxload, hd_metric_efi, hd_metric_hops,
    hd_metric_hsd;
extern const struct hd_metric hd_metric_worst, hd_metric_oblivious, hd_metric_ratio;

#endif
