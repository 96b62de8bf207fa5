/* SPDX-License-Identifier: BSD-2-Clause */
/* Building a PGFT, whole or in part: what the tree names and the systems made of trees share. */
#ifndef HD_NET_TOPO_TOPO_TREE_H
#define HD_NET_TOPO_TOPO_TREE_H

#include "net/core/builder.h"

#define HD_NO_LEAF 255 /* in hd_tree_part.hosts: this leaf switch is not built */

struct hd_tree_part {
    uint64_t leaves;    /* leaf switches built, the first ones, with the switches above them */
    uint64_t endpoints; /* endpoints built, */
    bool random;        /* spread over the tree at random, or the first ones */
    uint64_t seed;
    uint64_t planes; /* above 1: the top level of the shape has no switches, its subtrees are planes */
    /* NULL, or [leaves] endpoints on each leaf switch, on its first ports; endpoints and random are
     * then not looked at. */
    const uint8_t *hosts;
};

/* shape is a TREE whose size the caller has checked. */
hd_status hd_tree_build(struct hd_ctx *ctx, const struct hd_shape *shape, const struct hd_tree_part *part,
                        struct hd_builder *b);

#endif
