/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/order.h - from a fabric and a list of nodes to ranks that do not collide.
 *
 * A node is a host that runs ranks; its endpoints are its rails. Ranks are numbered node by node, so an
 * order is an order of nodes, and rank i of a node uses rail i (modulo the rails). Everything counted is
 * the pattern of the nodes, on all rails at once: what a collective does that treats a node as one.
 * The hot-spot degree (HSD) of a stage is the largest number of its flows on one channel; bandwidth is
 * stages / sum of the stages' largest loads, relative to an endpoint's rate: what synchronised stages give. */
#ifndef HEDDLE_ORDER_H
#define HEDDLE_ORDER_H

#include "heddle/route.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hd_nodes {
    const struct hd_net *net;
    uint32_t n, nrail;
    const uint32_t *host;  /* [n] as listed */
    const uint32_t *slots; /* [n] ranks the node may run, at least 1 */
    const uint32_t *ep;    /* [n * nrail] endpoints, rail by rail */
    bool ordered;          /* the list was given, so its order means something */
    void *arena;           /* private */
};

/* A list of nodes: one or more names a line, Slurm host lists (gpu[001-064,070]), Open MPI hostfiles
 * (NAME slots=N), NAME:N, names or port GUIDs (0x...) of endpoints; # comments. path is a file, "-", or a host list
 * itself; NULL: every host that counts, in natural order of names. A domain may be missing on either side.
 * HD_INPUT names the node that is unknown, stands twice or lacks a rail the first one has. */
HD_API hd_status hd_nodes_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, struct hd_nodes **nodes);
/* Some of the nodes, in the order given. */
HD_API hd_status hd_nodes_pick(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *which, uint32_t n,
                               struct hd_nodes **picked);
HD_API void hd_nodes_free(struct hd_nodes *nodes);

/* ---- counting ------------------------------------------------------------------------------ */

enum hd_case { HD_CASE_RING, HD_CASE_SHIFT, HD_CASE_RECDBL, HD_CASE_RECDBL_TREE, HD_CASE_BINOMIAL, HD_CASES };
/* Their names in tables and JSON: "ring", "alltoall", ... */
HD_API const char *hd_case_name(enum hd_case use);

struct hd_hsd {
    double average, max; /* NAN: the pattern does not apply (recdbl-tree off trees) */
    double bandwidth;
    uint64_t stages;
};

/* Counts a pattern for the nodes in this order (order[rank] = index in nodes; NULL: as listed). */
HD_API hd_status hd_order_count(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                const uint32_t *order, enum hd_case use, struct hd_hsd *hsd);

/* ---- orders -------------------------------------------------------------------------------- */

enum hd_goal { HD_FOR_TREE, HD_FOR_RING, HD_FOR_ALLTOALL, HD_FOR_RECDBL, HD_FOR_RANDOM, HD_FOR_GIVEN, HD_FOR_SORTED };
/* "tree", "ring", ...; NULL past the last. */
HD_API const char *hd_goal_name(enum hd_goal goal);

struct hd_order {
    uint32_t n;
    uint32_t *rank; /* [n] rank[i]: index in nodes of the i-th node */
    char how[96];   /* where the order came from */
    char claim[512]; /* why Shift has HSD 1 in every stage, or what prevents the closed form; may be "" */
    bool exact;     /* a closed form holds */
    void *arena;    /* private */
};

/* The best order found for a goal under these tables. Every step is counted in moves, none in seconds:
 * the same input gives the same order anywhere. */
HD_API hd_status hd_order_make(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                               enum hd_goal goal, struct hd_order **order);
HD_API void hd_order_free(struct hd_order *order);

/* Smallest possible average HSD of an all-to-all of these nodes under these tables, whatever the order or
 * schedule: the largest load of a channel over the number of stages. */
HD_API hd_status hd_order_bound(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                                double *bound);

#ifdef __cplusplus
}
#endif
#endif
