/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle order --mesh: the part of the command that is about training jobs. */
#ifndef HD_CLI_ORDER_MESH_H
#define HD_CLI_ORDER_MESH_H

#include "cli.h"

/* A rank per rail on every node, where neither --per-node nor the list says how many. */
hd_status fill_mesh_nodes(struct cli *cli, struct hd_nodes *nodes);
/* The plan, and its order as `after`. */
hd_status order_mesh(struct cli *cli, const struct hd_routes *routes, const struct hd_nodes *nodes,
                     const struct hd_order *before, struct hd_order *after, struct hd_mesh_plan **plan);
/* Time of a step in the current order by that in the order found. */
double mesh_gain(const struct hd_mesh_plan *plan);
void json_mesh(const struct hd_mesh_plan *plan, struct hd_json *j);
hd_status print_mesh(struct cli *cli, const struct hd_mesh_plan *plan);

#endif
