/* SPDX-License-Identifier: BSD-2-Clause */
/* A traffic matrix as text. Two forms; # begins a comment line, and fields are separated by blanks or commas:
 *   dense   one line per rank, one weight per column: line i, column j is what rank i sends to rank j
 *   sparse  "src dst weight" lines; an end is a rank number, a name (in "" where it has blanks) or a port GUID
 * Weights are real numbers from 0. Patterns measure it, engines route for it. */
#ifndef HD_LOAD_TRAFFIC_FILE_H
#define HD_LOAD_TRAFFIC_FILE_H

#include "base/arena.h"
#include "heddle/load.h"
#include "heddle/net.h"

enum hd_traffic_format { HD_TRAFFIC_AUTO, HD_TRAFFIC_DENSE, HD_TRAFFIC_SPARSE };
#define HD_TRAFFIC_FORMATS "auto|dense|sparse"

struct hd_traffic_in {
    const char *path;
    enum hd_traffic_format format; /* auto: by the first line */
    double unit;                   /* weights are given in this */
    const struct hd_net *net;
    const uint32_t *ep; /* [n] endpoint of each rank; others take no part */
    uint32_t n;
    uint32_t most; /* weights above 0: a file with more is refused; 0: HD_MAX_FLOWS */
};

struct hd_traffic_entry {
    uint32_t src, dst;    /* ranks, never the same */
    uint32_t line, whole; /* whole: for the caller, 0 */
    double weight;        /* above 0, finite */
};

struct hd_traffic {
    const char *name; /* of the file, for messages */
    size_t n;         /* at least 1 */
    struct hd_traffic_entry *entry;
};

/* In the order of the file. Anything wrong is refused with file and line. Lives in arena. */
hd_status hd_traffic_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_traffic_in *in,
                          struct hd_traffic *t);
/* Entries by source and destination, one each: `whole` of those that stood more often is added up. */
void hd_traffic_merge(struct hd_traffic *t);

#endif
