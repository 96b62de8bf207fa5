/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/renumber.h - what tables that are numbered for a job would give it. Not installed: shared by library and
 * command. */
#ifndef HEDDLE_TOOL_RENUMBER_H
#define HEDDLE_TOOL_RENUMBER_H

#include "heddle/order.h"

/* A plain Shift in this order under dmodk, with the numbers that dmodk:index=FILE takes from what hd_order_write writes
 * as guids. */
hd_status hd_order_renumbered(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank,
                              const uint32_t *per_node, struct hd_hsd *shift);

#endif
