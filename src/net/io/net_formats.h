/* SPDX-License-Identifier: BSD-2-Clause */
/* One writer per format; the table in net_formats.c gives them their names. */
#ifndef HD_NET_IO_NET_FORMATS_H
#define HD_NET_IO_NET_FORMATS_H

#include "heddle/net.h"

hd_status hd_write_ibnet(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_dot(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_graphml(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_json(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_slurm(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_slurm_yaml(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_slurm_yaml_grid(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_k8s_labels(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_kueue(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_volcano(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_topograph(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_ns3(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_simai(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_htsim(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_ptp(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);
hd_status hd_write_svg(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o);

/* What the graph formats call a node: switch, host (compute), or the name of its role. */
static inline const char *hd_node_kind(const struct hd_net *net, uint32_t v)
{
    if (v < net->nsw) return "switch";
    enum hd_role role = (enum hd_role)net->ca_role[net->ca[v - net->nsw]];
    return role == HD_ROLE_HOST ? "host" : hd_role_name(role);
}

/* Ports of the switch, or of the endpoint's adapter. */
static inline uint32_t hd_node_ports(const struct hd_net *net, uint32_t v)
{
    return v < net->nsw ? net->nports[v] : net->ca_ports[net->ca[v - net->nsw]];
}

#endif
