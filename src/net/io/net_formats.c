/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that networks are written in, by name: one row per writer. Help, completion and messages list these rows,
 * so a new format is one line here. */
#include "net/io/net_formats.h"
#include "base/spec.h"
#include "base/status.h"

#include <string.h>

static const struct hd_net_format formats[] = {
    {"ibnet", "ibnetdiscover text, read by ibsim as well", hd_write_ibnet},
    {"dot", "Graphviz, one rank per level", hd_write_dot},
    {"graphml", "GraphML, for networkx, Gephi, yEd and igraph", hd_write_graphml},
    {"json", "node-link JSON, for networkx and d3", hd_write_json},
    {"slurm", "topology.conf of Slurm's tree plugin", hd_write_slurm},
    {"slurm-yaml", "topology.yaml of Slurm 25.05 and later: a tree, and blocks", hd_write_slurm_yaml},
    {"slurm-yaml-26.05", "the same for 26.05 and later: also a ring or torus3d", hd_write_slurm_yaml_grid},
    {"k8s-labels", "kubectl commands that label nodes by tier of switches", hd_write_k8s_labels},
    {"kueue", "Topology of Kueue for these labels", hd_write_kueue},
    {"volcano", "HyperNodes of Volcano, one per switch", hd_write_volcano},
    {"topograph", "JSON of topograph: the switches above every node", hd_write_topograph},
    {"ptp", "point-to-point list of cables as CSV, which 'heddle cables' reads", hd_write_ptp},
    {"ns3", "topology file of ns-3 as astra-sim and HPCC read it", hd_write_ns3},
    {"simai", "topology file of SimAI: GPUs and an NVSwitch per host", hd_write_simai},
    {"htsim", ".topo file of htsim; complete trees of two or three levels alone", hd_write_htsim},
    {"svg", "a drawing, aggregated if the network is large", hd_write_svg},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const struct hd_net_format *hd_net_format_at(size_t i)
{
    return i < FORMATS ? &formats[i] : NULL;
}

hd_status hd_net_write(struct hd_ctx *ctx, const struct hd_net *net, const char *format, struct hd_out *o)
{
    const struct hd_named_rows rows = {formats, FORMATS, sizeof formats[0]};
    const struct hd_net_format *row = hd_named_row(ctx, "format", format, &rows);
    return row ? row->write(ctx, net, o) : HD_USAGE;
}
