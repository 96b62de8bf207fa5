/* SPDX-License-Identifier: BSD-2-Clause */
/* Several lists of nodes from one file: names are sorted once. */
#ifndef HD_ORDER_NODE_LINES_H
#define HD_ORDER_NODE_LINES_H

#include "base/arena.h"
#include "base/input.h"
#include "heddle/order.h"

struct hd_node_lines;

/* Messages name the current line of in. *lines is set even if this fails, unless there is no memory at all. */
hd_status hd_node_lines_begin(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_in *in,
                              struct hd_node_lines **lines);
/* One list, as a line of hd_nodes_read, which is changed; the caller frees *nodes. */
hd_status hd_node_lines_take(struct hd_node_lines *lines, char *text, struct hd_nodes **nodes);
/* The same for a file, as hd_nodes_read reads it with one slot per node; messages name its lines. */
hd_status hd_node_lines_file(struct hd_node_lines *lines, const char *path, struct hd_nodes **nodes);
void hd_node_lines_end(struct hd_node_lines *lines);

#endif
