/* SPDX-License-Identifier: BSD-2-Clause */
/* Who talks to whom in NCCL, as numbers of nodes and of groups of ranks: formulas alone, no fabric. */
#ifndef HD_FLOW_CORE_NCCL_PEERS_H
#define HD_FLOW_CORE_NCCL_PEERS_H

#include <stdbool.h>
#include <stdint.h>

/* The parent of node i of n in tree 0 or 1 of the double binary tree; UINT32_MAX: it is the root. */
uint32_t hd_nccl_parent(uint32_t n, uint32_t i, int tree);

/* The distances between groups in the order in which they are served, without 0: delta has room for n - 1. */
void hd_nccl_deltas(uint32_t n, uint32_t *delta);

#endif
