/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a run should take, without simulating it. */
#ifndef HD_SIM_PREDICT_H
#define HD_SIM_PREDICT_H

#include "sim/sim_state.h"

/* Nanoseconds until the last packet arrives; 0: not known, where switches choose paths, runs are cut off by time or
 * messages wait for each other (traces). O(messages * hops). */
hd_status hd_sim_predict(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_sim *sim,
                         const struct hd_workload *work, uint64_t *time);

#endif
