/* SPDX-License-Identifier: BSD-2-Clause */
/* Simulation once specs have become rows and options; registry.c does that part. */
#ifndef HD_SIM_SIM_RUNS_H
#define HD_SIM_SIM_RUNS_H

#include "base/rng.h"
#include "flow/core/rank_map.h"
#include "heddle/sim.h"
#include "sim/sim_model.h"
#include "sim/selector.h"

struct hd_sim_job {
    const struct hd_routes *routes;
    const struct hd_pattern *pattern; /* NULL: a trace */
    const void *pattern_opt;
    const struct hd_selector *selector;
    const void *selector_opt;
    const struct hd_desc *model;
    struct hd_model_opt *model_opt; /* size and messages are taken from the request */
};

hd_status hd_sim_job_run(struct hd_ctx *ctx, const struct hd_sim_job *job, const struct hd_sim_request *q,
                         struct hd_sim_result *result);

#endif
