/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two halves of reading a PGFT share: labels and digits (infer_tree.c), subtrees
 * (infer_subtree.c). */
#ifndef HD_NET_INFER_INFER_TREE_H
#define HD_NET_INFER_INFER_TREE_H

#include "net/infer/infer.h"

#define HD_NONE UINT32_MAX

struct hd_subtrees { /* those of one height; the same numbers are used for all its arrays */
    uint32_t n;
    uint32_t *first;  /* a switch of it: its first leaf, unless it has none */
    uint32_t *parent; /* subtree of the next height it is in */
    uint32_t *digit;  /* and its place there */
    uint32_t *kids;   /* how many subtrees of the height below are in it, */
    uint32_t *kid;    /* the last of them, HD_NONE: none */
    uint32_t *next;   /* and the one before it in its parent */
    uint32_t *tops;   /* how many switches of just this level are in it, */
    uint32_t *top;    /* and the last of them, HD_NONE: none */
};

struct hd_pgft {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    const struct hd_net *net;
    const struct hd_fabric *g;
    const struct hd_level_map *lv;
    uint32_t *ups;       /* [n] parents */
    uint32_t *set;       /* disjoint sets: v as a child, n + v as a parent; a class is its root */
    uint32_t *num, *low; /* by class: its digit; the class below */
    uint32_t *b;         /* [n] digit b_l of a switch of level l */
    uint32_t *subtree;   /* [n] of the height of its level */
    uint32_t *next_top;  /* [n] another switch of its level in its subtree */
    struct hd_subtrees at[HD_MAX_DIM + 1];
    uint64_t *taken; /* hash set of (subtree, class), plus one; 0 is free */
    uint32_t mask, ntaken;
    uint32_t steps; /* spent on uniting pieces */
};

/* Fills at, subtree and next_top; or says in reading why that contradicts itself. */
hd_status hd_pgft_subtrees(struct hd_pgft *t, struct hd_reading *reading);

#endif
