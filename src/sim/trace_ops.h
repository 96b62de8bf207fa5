/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of ranks, as traces of other programs list them: sends, receives, and what takes no time here. Each
 * becomes a message, so that dependencies stay as they are written; only a send has bytes. A send has ended when it
 * has arrived, a receive when its send has: those of one sender, receiver and tag match in order, as in MPI. */
#ifndef HD_SIM_TRACE_OPS_H
#define HD_SIM_TRACE_OPS_H

#include "sim/workload.h"

enum hd_op_kind { HD_OP_SEND, HD_OP_RECV, HD_OP_OTHER };

struct hd_op_end { /* of a send or receive */
    uint32_t from, to;
    uint64_t tag;
    uint32_t op, line;
    const char *file;
};

struct hd_trace_ops {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    const struct hd_ranks *ranks;
    struct hd_trace_lists *t;
    const char *file; /* that is read; lives as long as the arena */
    struct hd_op_end *end[2];
    uint32_t nend[2], end_room[2];
};

struct hd_op {
    enum hd_op_kind kind;
    uint32_t rank, peer;
    uint64_t tag, bytes;
    uint32_t line;
};

/* Adds an operation; its number is t->n - 1. HD_INPUT beyond the limit of a trace. */
hd_status hd_trace_op(struct hd_trace_ops *o, const struct hd_op *op);
/* Adds a message from one rank to another that needs no receive. */
hd_status hd_trace_put(struct hd_trace_ops *o, uint32_t from, uint32_t to, uint64_t bytes);
/* Operation later begins when operation earlier has ended. */
hd_status hd_trace_wait(struct hd_trace_ops *o, uint32_t later, uint32_t earlier);
/* Matches sends and receives, and proves that every operation can begin. HD_INPUT names what does not match. */
hd_status hd_trace_close(struct hd_trace_ops *o, const char *path);

/* Chakra traces as JSON: a folder with a file NAME.RANK.json per rank (docs/formats.md). */
hd_status hd_chakra_read(struct hd_ctx *ctx, struct hd_arena *scratch, const char *folder, const struct hd_ranks *ranks,
                         struct hd_trace_lists *t);

#endif
