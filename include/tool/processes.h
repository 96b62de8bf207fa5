/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/processes.h - several processes on one command. Not installed: shared by library and command. */
#ifndef HEDDLE_TOOL_PROCESSES_H
#define HEDDLE_TOOL_PROCESSES_H

#include "heddle/base.h"

/* start comes first in main and gives NULL when there is one process; end comes last, agrees on the largest status and
 * returns it. A process that cannot go on alone must not leave the others waiting: abort ends the whole job with that
 * status. */
struct hd_comm;
const struct hd_comm *hd_comm_start(int *argc, char ***argv);
int hd_comm_end(const struct hd_comm *comm, int status);
void hd_comm_abort(const struct hd_comm *comm, int status);
int hd_comm_rank(const struct hd_comm *comm); /* 0 for NULL: rank 0 is the one that writes */
int hd_comm_size(const struct hd_comm *comm);
/* Sets the threads of a context to as many of those wanted as can be started now. */
void hd_ctx_try_threads(struct hd_ctx *ctx);
/* The processes that share the work of calls with this context; NULL: there are none. */
void hd_ctx_set_comm(struct hd_ctx *ctx, const struct hd_comm *comm);
/* Before a process ends or puts out what it has: status if none failed and all have read the same input, else a failure
 * on all of them, which one of them words. */
hd_status hd_ctx_agree(struct hd_ctx *ctx, hd_status status);
bool hd_ctx_speaks(const struct hd_ctx *ctx);

#endif
