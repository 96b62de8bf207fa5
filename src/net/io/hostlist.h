/* SPDX-License-Identifier: BSD-2-Clause */
/* Host lists as Slurm writes them: gpu[001-064,070],login1.
 *
 * Written: what Slurm's own parser takes, at most two ranges a name and the last at its very end
 * (rack[1-4]n[01-18], but never n[1-3]-ib). Read: any number of ranges, text behind them too, as
 * pdsh and ClusterShell have it. A range keeps the width of its first number: [08-11], [8-11]. */
#ifndef HD_NET_IO_HOSTLIST_H
#define HD_NET_IO_HOSTLIST_H

#include "base/arena.h"
#include "heddle/base.h"

enum {
    HD_HOSTLIST_MAX = 1000000, /* names an expression may expand to */
    HD_HOSTLIST_NAME = 255,    /* bytes of one name */
    HD_HOSTLIST_RANGE = 65536, /* names Slurm takes in one range */
};

/* The names as one expression, in natural order, each once. A name with a bracket, a comma, white space
 * or nothing in it is HD_INPUT. O(n log n). */
hd_status hd_hostlist_compress(struct hd_ctx *ctx, const char *const *name, uint32_t n, struct hd_out *o);

/* All names, in the order written, the leftmost range running slowest; repeated ones stay. Commas and
 * white space separate; empty text gives none. Names and array live in arena. */
hd_status hd_hostlist_expand(struct hd_ctx *ctx, struct hd_arena *arena, const char *text, const char *const **name,
                             uint32_t *n);

/* Natural order: numbers by value, gpu9 before gpu10. Total: 0 only for equal strings. */
int hd_natural(const char *a, const char *b);

#endif
