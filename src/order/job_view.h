/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a job runs: its nodes, the tables, and the channels of every pair of its endpoints. A path is
 * `stride` channels between switches (endpoint cables left out), padded with nchan. Pairs that split over
 * variants have no one path: then single is false, and only counting works. */
#ifndef HD_ORDER_JOB_VIEW_H
#define HD_ORDER_JOB_VIEW_H

#include "base/arena.h"
#include "load/loader.h"
#include "heddle/order.h"

struct hd_job_view {
    const struct hd_routes *routes;
    const struct hd_net *net;
    const struct hd_nodes *nodes;
    const struct hd_rates *rates;
    const struct hd_loader *loader;
    uint32_t stride; /* of paths */
    bool single;
    uint32_t nleaf;
    uint32_t *leaf;    /* [n * nrail] number of the endpoint's switch among those in use */
    uint32_t *leaf_sw; /* [nleaf] */
};

/* Lives in arena. HD_INPUT when a pair of nodes is not served. O(leaves * n) paths. */
hd_status hd_job_view_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           const struct hd_nodes *nodes, struct hd_job_view *view);

static inline uint32_t hd_job_view_ep(const struct hd_job_view *view, uint32_t node, uint32_t rail)
{
    return view->nodes->ep[(size_t)node * view->nodes->nrail + rail];
}

/* Channels between two endpoints, different: chan has stride places. */
static inline void hd_job_view_path(const struct hd_job_view *view, uint32_t s, uint32_t d, uint32_t *chan)
{
    hd_loader_path(view->loader, s, d, chan);
}

/* Sum of the HSD over the stages of a pattern, and the rest of *hsd. */
hd_status hd_job_view_count(struct hd_ctx *ctx, const struct hd_job_view *view, const uint32_t *order, enum hd_case use,
                            struct hd_hsd *hsd);

/* Flows of an all-to-all on each channel: load[nchan + 1]. Single paths only. O(leaves * n), or O(n^2) where paths
 * depend on the source. */
hd_status hd_job_view_loads(struct hd_ctx *ctx, const struct hd_job_view *view, uint64_t *load);
hd_status hd_job_view_bound(struct hd_ctx *ctx, const struct hd_job_view *view, uint64_t *stages);

#endif
