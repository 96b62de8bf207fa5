/* SPDX-License-Identifier: BSD-2-Clause */
/* Names are those that drivers write, "node-12 mlx5_3", so that hosts and rails are found in generated fabrics as in
 * captured ones. */
#include "net/topo/topo_nodes.h"

#include <stdio.h>

static uint32_t cable_adapter(struct hd_builder *b, const struct hd_adapter_in *in, uint32_t sw, uint32_t port)
{
    uint32_t e = hd_builder_endpoint(b, hd_builder_adapter(b, in), 1, 0, 0);
    hd_builder_cable(b, sw, port, e, 1, HD_LINK_DEFAULT);
    return e;
}

uint32_t hd_topology_adapter(struct hd_builder *b, uint32_t number, uint32_t device, uint32_t sw, uint32_t port)
{
    char name[80];
    snprintf(name, sizeof name, "node-%u mlx5_%u", number, device);
    return cable_adapter(b, &(struct hd_adapter_in){.name = name, .nports = 1}, sw, port);
}

uint32_t hd_topology_storage(struct hd_builder *b, enum hd_role role, uint32_t number, uint32_t sw, uint32_t port)
{
    char name[80];
    snprintf(name, sizeof name, "storage-%u mlx5_0", number);
    return cable_adapter(b, &(struct hd_adapter_in){.name = name, .nports = 1, .role = role}, sw, port);
}

uint32_t hd_topology_sharp(struct hd_builder *b, uint32_t sw, uint32_t port)
{
    const struct hd_adapter_in in = {
        .name = "Mellanox Technologies Aggregation Node", .nports = 1, .role = HD_ROLE_AGGREGATION};
    return cable_adapter(b, &in, sw, port);
}
