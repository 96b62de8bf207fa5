/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluation once specs have become rows and options; registry.c does that part. */
#ifndef HD_FLOW_EVAL_EVAL_H
#define HD_FLOW_EVAL_EVAL_H

#include "flow/core/eval_job.h"

hd_status hd_eval_job(struct hd_ctx *ctx, const struct hd_job *job, const struct hd_request *q,
                      struct hd_result *result);

#endif
