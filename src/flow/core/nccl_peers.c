/* SPDX-License-Identifier: BSD-2-Clause */
/* NCCL's formulas (nccl_peers.h), from its rules:
 *  - Tree 0 puts node i, whose lowest set bit is b, below the node with b cleared and 2b set, or with b cleared alone
 *    where that one does not exist; node 0 is the root. So odd nodes are leaves.
 *  - Tree 1 is tree 0 mirrored (i becomes n-1-i) where n is even, shifted by one where n is odd: then nodes that are
 *    leaves in one tree are inner nodes of the other, and each node sends and receives all data once.
 *  - Distances of send and receive are triangular numbers modulo the next power of two, which visit every residue
 *    once; those from n on are left out.
 * O(log n) a parent, O(n) for all distances. Source: NCCL 2.30, src/graph/trees.cc and src/init.cc. */
#include "flow/core/nccl_peers.h"

static uint32_t first_tree_parent(uint32_t n, uint32_t i)
{
    if (i == 0) return UINT32_MAX;
    uint32_t low = i & (~i + 1), up = (i - low) | low << 1;
    return up < n ? up : i - low;
}

uint32_t hd_nccl_parent(uint32_t n, uint32_t i, int tree)
{
    if (tree == 0) return first_tree_parent(n, i);
    bool mirror = n % 2 == 0;
    uint32_t up = first_tree_parent(n, mirror ? n - 1 - i : (i + n - 1) % n);
    if (up == UINT32_MAX) return up;
    return mirror ? n - 1 - up : (up + 1) % n;
}

void hd_nccl_deltas(uint32_t n, uint32_t *delta)
{
    uint32_t room = 1, count = 0;
    while (room < n) room *= 2;
    for (uint32_t x = 1, at = 1; x < room; at = (at + ++x) & (room - 1))
        if (at < n) delta[count++] = at;
}
