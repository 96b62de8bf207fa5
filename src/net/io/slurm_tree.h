/* SPDX-License-Identifier: BSD-2-Clause */
/* The network as Slurm's tree plugin sees it. Slurm knows trees only: a switch has nodes or switches
 * below it, never both, and one parent. A fat tree is therefore written as its leaf switches, one made-up
 * switch for each subtree ("pod") and one for the top; other networks as leaf switches under one top. */
#ifndef HD_NET_IO_SLURM_TREE_H
#define HD_NET_IO_SLURM_TREE_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_slurm_switch {
    const char *name;        /* at most 64 bytes of A-Z a-z 0-9 _ . -, unique */
    const char *const *kids; /* host names of a leaf, else switch names */
    uint32_t nkids;          /* at least 1 */
    bool leaf;
};

struct hd_slurm_tree {
    const struct hd_slurm_switch *sw; /* children before parents */
    uint32_t n, nroots, nhosts;
};

/* Selected endpoints only. A host on several rails is listed once, on the leaf of its first rail that
 * counts; that, changed names and separate parts are noted. HD_INPUT when no endpoint counts. */
hd_status hd_slurm_tree(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                        struct hd_slurm_tree *tree);

#endif
