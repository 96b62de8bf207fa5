/* SPDX-License-Identifier: BSD-2-Clause */
/* What NCCL should be configured with for a job: which adapters, on which rails and planes. */
#ifndef HD_ORDER_NCCL_SETTINGS_H
#define HD_ORDER_NCCL_SETTINGS_H

#include "base/arena.h"
#include "heddle/order.h"

struct hd_nccl;

/* Of the nodes in this order that have ranks. */
hd_status hd_nccl_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_nodes *nodes,
                       const uint32_t *per_node, const uint32_t *rank, const struct hd_nccl **nccl);
void hd_nccl_write(const struct hd_nccl *nccl, struct hd_out *o);

#endif
