/* SPDX-License-Identifier: BSD-2-Clause */
/* The endpoints of fabrics as they are installed: hosts with several adapters, storage, SHARP aggregation nodes. */
#ifndef HD_NET_TOPO_TOPO_NODES_H
#define HD_NET_TOPO_TOPO_NODES_H

#include "net/core/builder.h"

/* Adapter mlx5_<device> of host node-<number>, cabled to a switch port. Returns the endpoint. */
uint32_t hd_topology_adapter(struct hd_builder *b, uint32_t number, uint32_t device, uint32_t sw, uint32_t port);
/* Storage host storage-<number>; with role HOST where there is no other host. Returns its endpoint. */
uint32_t hd_topology_storage(struct hd_builder *b, enum hd_role role, uint32_t number, uint32_t sw, uint32_t port);
/* The aggregation node of a switch, behind its last port. Returns the endpoint. */
uint32_t hd_topology_sharp(struct hd_builder *b, uint32_t sw, uint32_t port);

#endif
