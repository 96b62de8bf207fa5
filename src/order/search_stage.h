/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HD_ORDER_SEARCH_STAGE_H
#define HD_ORDER_SEARCH_STAGE_H

#include "order/job_view.h"

/* Anneals order for a ring, a Shift or recursive doubling, under any tables in which a pair has one path. budget counts
 * channels touched; order is set to the best seen. Memory: stages * (2 n + channels) words. */
hd_status hd_stage_anneal(struct hd_ctx *ctx, const struct hd_job_view *view, enum hd_case use, uint64_t budget,
                          uint32_t *order);

#endif
