/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HD_ORDER_SEARCH_STAGE_H
#define HD_ORDER_SEARCH_STAGE_H

#include "order/scene.h"

/* Anneals order for a ring (HD_CASE_RING) or recursive doubling (HD_CASE_RECDBL) by that many moves, under any tables in
 * which a pair has one path; order is set to the best seen. */
hd_status hd_stage_anneal(struct hd_ctx *ctx, const struct hd_scene *scene, enum hd_case use, uint64_t moves,
                          uint32_t *order);

#endif
