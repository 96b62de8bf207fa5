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
    uint32_t node; /* of a leaf: the switch in the network */
};

struct slurm_tree {
    const struct slurm_switch *sw; /* children before parents */
    uint32_t n, nroots, nhosts;
};

/* Selected endpoints only. A host on several rails is listed once, on the leaf of its first rail with a selected
 * endpoint; that, changed names and separate components are noted, for the program that reads them (NULL: Slurm).
 * HD_INPUT if no endpoint is selected. */
hd_status hd_slurm_tree_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *reader,
                             struct slurm_tree *tree);

/* How a tree is written: before the switches, and around the parts of each. */
struct slurm_words {
    const char *begin, *name, *hosts, *switches, *end;
};

#define HD_SLURM_LEGEND                                                                                                \
    "# Leaf switches have their own names; pod* and top* are all switches of a subtree,\n"                             \
    "# since a switch has one parent here.\n"

hd_status hd_slurm_put_tree(struct hd_ctx *ctx, const struct slurm_tree *tree, const struct slurm_words *w,
                            struct hd_out *o);
/* What is below a switch, as a host list. */
hd_status hd_slurm_put_names(struct hd_ctx *ctx, const struct slurm_switch *sw, struct hd_out *o);

#endif
