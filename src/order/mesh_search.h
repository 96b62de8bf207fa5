/* SPDX-License-Identifier: BSD-2-Clause */
/* The state that searches for an order of the places of a mesh share: the loads of every kind under the present order,
 * kept by swaps. */
#ifndef HD_ORDER_MESH_SEARCH_H
#define HD_ORDER_MESH_SEARCH_H

#include "order/anneal.h"
#include "order/mesh_job.h"
#include "order/path_matrix.h"

struct hd_mesh_search {
    struct hd_anneal anneal; /* cost: sum over kinds; work: channels touched */
    const struct hd_job_view *view;
    const struct hd_mesh_job *job;
    struct hd_path_matrix matrix;
    size_t *at;                      /* [n + 1] flows of a place */
    uint32_t *of;                    /* flows */
    size_t first[HD_MESH_KINDS + 1]; /* flows of a kind */
    uint64_t *load;                  /* [kinds * (nchan + 1)] bytes */
    double *scale;                   /* [nchan + 1] relative time of a byte, 0: no channel */
    double unit[HD_MESH_KINDS];      /* 1 / bytes of the busiest adapter */
    double weight[HD_MESH_KINDS];    /* time of the busiest adapter, relative to all kinds */
    double sum[HD_MESH_KINDS];       /* of eighth powers, or of what exceeds the target */
    double target;                   /* of all kinds, relative to the busiest adapter; 0: eighth powers count */
    double excess[HD_MESH_KINDS];    /* weights of what exceeds the target */
    uint32_t *place;                 /* [n] of a node */
    uint32_t *leaf_at, *on_leaf;     /* nodes by leaf of their first rail */
    uint32_t moves;
};

/* The function of hd_anneal_how: exchanges the nodes of two places. */
void hd_mesh_swap(struct hd_anneal *search, uint32_t p, uint32_t q);
/* Takes another order into the loads. */
void hd_mesh_restart(struct hd_mesh_search *s, const uint32_t *order);
/* The step as the largest loads give it, relative to the busiest adapters. */
double hd_mesh_largest(struct hd_mesh_search *s);
/* The place of a node on the leaf switch of that of a place, drawn; may be the place itself. */
uint32_t hd_mesh_neighbour(const struct hd_mesh_search *s, uint32_t place, struct hd_rng *rng);

/* Swaps from the order and the starts, until no load exceeds that of the busiest adapter or the budget is spent. The
 * order is replaced where that makes the step shorter than `before`; the step is returned. work: room for two orders.
 * */
double hd_mesh_fit(struct hd_mesh_search *s, uint64_t budget, const uint32_t *starts, uint32_t nstart, double before,
                   uint32_t *order, uint32_t *work);

#endif
