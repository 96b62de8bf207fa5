/* SPDX-License-Identifier: BSD-2-Clause */
/* A topology is a name, its parameters and a function that feeds a builder; several may share the function. */
#ifndef HD_NET_TOPO_TOPOLOGY_H
#define HD_NET_TOPO_TOPOLOGY_H

#include "net/core/builder.h"

struct hd_topology {
    struct hd_desc desc;
    /* opt is desc.opt_size bytes, parsed and within the ranges of the parameter rows. Messages begin with desc.name. */
    hd_status (*make)(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt, struct hd_builder *b);
    const void *form; /* how topologies that have one make function differ; the function knows its type */
};

struct hd_topology_size {
    uint64_t switches, endpoints;
    uint64_t cables; /* those of endpoints included */
    uint64_t ports;  /* of the largest switch */
};
/* Whether a network of this size can be built; says which limit it breaks. */
hd_status hd_topology_fits(struct hd_ctx *ctx, const char *owner, const struct hd_topology_size *size);
/* Room for a network of this size, after hd_builder_shape; HD_LIMIT if it needs more memory than there is. */
hd_status hd_topology_begin(struct hd_ctx *ctx, struct hd_builder *b, uint64_t switches, uint64_t endpoints,
                            uint64_t cables);

extern const struct hd_topology hd_topo_gft, hd_topo_ft, hd_topo_xgft, hd_topo_pgft, hd_topo_kary;
extern const struct hd_topology hd_topo_torus, hd_topo_mesh, hd_topo_hypercube, hd_topo_hyperx;
extern const struct hd_topology hd_topo_random;
extern const struct hd_topology hd_topo_dragonfly, hd_topo_dragonfly_plus;
extern const struct hd_topology hd_topo_slimfly;
extern const struct hd_topology hd_topo_odin, hd_topo_atlas, hd_topo_thunderbird, hd_topo_ranger;
extern const struct hd_topology hd_topo_deimos;
extern const struct hd_topology hd_topo_director, hd_topo_rail;

#endif
