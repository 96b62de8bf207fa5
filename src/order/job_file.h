/* SPDX-License-Identifier: BSD-2-Clause */
/* The jobs that run on a machine, from a file: one per line, its name, its nodes and perhaps its pattern, separated by
 * blanks; # comments. Nodes are a host list or a file (hd_nodes_read), so that the output of
 * squeue -h -t R -o '%i %N' is such a file. */
#ifndef HD_ORDER_JOB_FILE_H
#define HD_ORDER_JOB_FILE_H

#include "base/arena.h"
#include "heddle/order.h"

struct hd_running_job {
    const char *name;
    const char *pattern; /* spec; NULL: not given */
    struct hd_nodes *nodes;
};

struct hd_jobs {
    uint32_t n, room;
    struct hd_running_job *job; /* [n] in the order of the file, names distinct */
};

/* Lives in arena, except the lists of nodes: release them in any case. HD_INPUT names file and line. */
hd_status hd_jobs_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                       struct hd_jobs *jobs);
void hd_jobs_release(struct hd_jobs *jobs);

#endif
