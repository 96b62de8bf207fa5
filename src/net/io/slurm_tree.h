/* SPDX-License-Identifier: BSD-2-Clause */
/* A network as schedulers know it: a tree of switches with one parent each, hosts below the leaves. */
#ifndef HD_NET_IO_SLURM_TREE_H
#define HD_NET_IO_SLURM_TREE_H

#include "base/arena.h"
#include "heddle/net.h"

struct slurm_switch {
    const char *name;        /* at most 64 bytes of A-Z a-z 0-9 _ . -, unique */
    const char *const *kids; /* host names of a leaf, else switch names */
    uint32_t nkids;          /* at least 1 */
    bool leaf;
};

struct slurm_tree {
    const struct slurm_switch *sw; /* children before parents */
    uint32_t n, nroots, nhosts;
};

/* Selected endpoints only. A host on several rails is listed once, on the leaf of its first rail with a selected
 * endpoint; that, changed names and separate components are noted. HD_INPUT if no endpoint is selected. */
hd_status hd_slurm_tree_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                             struct slurm_tree *tree);

#endif
