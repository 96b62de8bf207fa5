/* SPDX-License-Identifier: BSD-2-Clause */
/* A topology is a name, its parameters and a function that feeds a builder. */
#ifndef HD_NET_TOPOLOGY_H
#define HD_NET_TOPOLOGY_H

#include "net/builder.h"

struct hd_topology {
    struct hd_desc desc;
    /* opt is desc.opt_size bytes, parsed and within the ranges of the parameter rows. */
    hd_status (*make)(struct hd_ctx *ctx, const void *opt, struct hd_builder *b);
};

extern const struct hd_topology hd_topo_gft, hd_topo_ft, hd_topo_xgft, hd_topo_pgft, hd_topo_kary;

#endif
