/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes that share a command can do together. Every process runs the same command on the same
 * input; work is split, and what they found is gathered in rank order, so that all hold the same result.
 * comm.c is the lone process; heddle-mpi links comm_mpi.c in its place, the only file that sees mpi.h. */
#ifndef HD_BASE_COMM_H
#define HD_BASE_COMM_H

#include "tool/processes.h"

/* All no-ops for NULL. Every process calls them in the same order with the same sizes. */
void hd_comm_gather(const struct hd_comm *comm, const void *mine, size_t bytes, void *all); /* all[rank * bytes] */
void hd_comm_share(const struct hd_comm *comm, void *bytes, size_t n);   /* those of rank 0, at most 2^31 - 1 */
void hd_comm_sum_u64(const struct hd_comm *comm, uint64_t *v, size_t n); /* element-wise, in place */
void hd_comm_max_u32(const struct hd_comm *comm, uint32_t *v, size_t n);

/* The name this process's machine has to MPI. */
enum { HD_COMM_NAME = 256 };
void hd_comm_host(const struct hd_comm *comm, char name[HD_COMM_NAME]);

/* After one untimed message all start together; then this process sends `messages` messages of that many bytes to `to`
 * while it receives as many from `from` (-1: nobody), each after the one before. Seconds it took; HD_LIMIT without
 * memory for the buffers. Only many processes can do this: the lone one has nobody to talk to. */
hd_status hd_comm_exchange(const struct hd_comm *comm, const int to_from[2], size_t bytes, uint32_t messages,
                           double *seconds);

#endif
