/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of a training job as flows between places. A place is a position in the order of nodes; rank r is process
 * r mod per_node of place r / per_node. A flow stays on its rail. */
#ifndef HD_ORDER_MESH_JOB_H
#define HD_ORDER_MESH_JOB_H

#include "order/job_view.h"

/* Dimensions of the mesh in the order in which ranks are numbered, the fastest first. */
enum hd_mesh_dim { HD_DIM_TP, HD_DIM_CP, HD_DIM_DP, HD_DIM_PP, HD_DIMS };

struct hd_mesh_flow {
    uint32_t from, to; /* places */
    uint32_t rail, kind;
    uint64_t bytes;
};

struct hd_mesh_job {
    uint32_t n, per_node, nrail;
    uint32_t size[HD_DIMS], stride[HD_DIMS]; /* of ranks */
    uint32_t ep;
    bool folded; /* expert groups are of consecutive ranks of tp * cp * dp, not of dp */
    uint64_t bytes[HD_MESH_KINDS];
    size_t nflow;
    struct hd_mesh_flow *flow; /* by kind, rail, from, to; each pair once */
};

/* From the texts of --mesh and --bytes. HD_INPUT when the mesh does not have as many ranks as the nodes. */
hd_status hd_mesh_job_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_nodes *nodes, const char *mesh,
                           const char *bytes, uint32_t per_node, struct hd_mesh_job *job, char spec[HD_MAX_SPEC]);

/* Seconds of each kind and of the step, the nodes in that order (NULL: as listed). gbps: rate of an adapter. */
hd_status hd_mesh_count(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                        const uint32_t *order, double gbps, struct hd_mesh_row *row);
/* What no order can beat: adapters, and for the nodes of every leaf switch what must leave it. */
hd_status hd_mesh_bound(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job, double gbps,
                        struct hd_mesh_row *row);
/* What an order takes if the tables spread evenly what leaves and enters each leaf switch. */
struct hd_mesh_cut {
    double step;  /* seconds, at least those of the bound */
    double moved; /* bytes between leaf switches */
};
hd_status hd_mesh_cut(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                      const uint32_t *order, double gbps, const struct hd_mesh_row *bound, struct hd_mesh_cut *cut);
/* Rate of most adapters of the nodes in Gbit/s; 0: not known. */
double hd_mesh_rate(const struct hd_job_view *view);

/* Orders that need no counting: order has n places. */
hd_status hd_mesh_order_hash(struct hd_ctx *ctx, const struct hd_nodes *nodes, uint32_t *order);
/* Places sorted by these dimensions, the last one slowest, on nodes in tree order. */
hd_status hd_mesh_order_dims(struct hd_ctx *ctx, const struct hd_mesh_job *job, const uint32_t *tree,
                             const enum hd_mesh_dim dims[HD_DIMS], uint32_t *order);
/* Strips: places are sorted by dims as above, but of the first only so many, `height`, come before the second; so that
 * the nodes of a leaf switch are a block of both. */
hd_status hd_mesh_order_strips(struct hd_ctx *ctx, const struct hd_mesh_job *job, const uint32_t *tree,
                               const enum hd_mesh_dim dims[HD_DIMS], uint32_t height, uint32_t *order);
/* The tree order in blocks of as many nodes as most leaf switches have: each on one of those, and of nodes of the
 * others together. So a block of a mesh stays on one leaf switch although some have fewer nodes. */
hd_status hd_mesh_align(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                        const uint32_t *tree, uint32_t *aligned);
/* Recursive bisection of what places send each other, along the leaves of the tree order. */
hd_status hd_mesh_order_bisect(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                               const uint32_t *tree, uint32_t *order);
/* What it is listed as: "metis", or "bisection" where METIS is not installed. */
const char *hd_mesh_bisect_name(void);

/* Improves the order by swaps, and nstart further ones; sets it to the best. Single paths only; anything else is left
 * as it is. */
hd_status hd_mesh_search(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_mesh_job *job,
                         uint64_t budget, const uint32_t *starts, uint32_t nstart, uint32_t *order);

#endif
