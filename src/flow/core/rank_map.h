/* SPDX-License-Identifier: BSD-2-Clause */
/* Where ranks sit: rank i runs on endpoint ep[i]. */
#ifndef HD_FLOW_CORE_RANK_MAP_H
#define HD_FLOW_CORE_RANK_MAP_H

#include "base/arena.h"
#include "heddle/pattern.h"

/* By spec: natural, random:seed=N, adversarial, or a file that lists endpoints (all or some of them). */
hd_status hd_ranks_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const char *spec,
                        struct hd_ranks *ranks);

/* Puts the n endpoints of ep into the worst ring order there is for these routes: see adversarial_ranks.c. */
hd_status hd_ranks_adversarial(struct hd_ctx *ctx, const struct hd_routes *r, uint32_t *ep, uint32_t n);

#endif
