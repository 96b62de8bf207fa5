/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes that share a command can do together. Every process runs the same command on the same
 * input; work is split, and what they found is gathered in rank order, so that all hold the same result.
 * comm.c is the lone process; heddle-mpi links comm_mpi.c in its place, the only file that sees mpi.h. */
#ifndef HD_BASE_COMM_H
#define HD_BASE_COMM_H

#include "heddle/base.h"

/* All no-ops for NULL. Every process calls them in the same order with the same sizes. */
void hd_comm_gather(const struct hd_comm *comm, const void *mine, size_t bytes, void *all); /* all[rank * bytes] */
void hd_comm_sum_u64(const struct hd_comm *comm, uint64_t *v, size_t n); /* element-wise, in place */
void hd_comm_max_u32(const struct hd_comm *comm, uint32_t *v, size_t n);

#endif
