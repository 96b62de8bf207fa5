/* SPDX-License-Identifier: BSD-2-Clause */
/* The channels that matter, of every pair of nodes, for whoever looks them up very often. A channel all of
 * whose flows come from one endpoint, or all go to one, never carries two flows of a stage in which everybody
 * sends and receives once: such channels are left out, and on a real-life fat tree under dmodk that is every
 * channel downwards. What remains is numbered densely. */
#ifndef HD_ORDER_PATH_MATRIX_H
#define HD_ORDER_PATH_MATRIX_H

#include "order/job_view.h"

struct hd_ways {
    uint32_t n, nrail, width, nchan; /* nchan stands for "no channel" */
    const uint32_t *row;             /* [n * nrail] of a source: its leaf, or the source itself */
    const uint32_t *way;             /* [(row * n + destination) * width] */
};

/* Lives in arena. HD_LIMIT when it would take more than 2 GiB. Single paths only. */
hd_status hd_ways_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_scene *scene, struct hd_ways *ways);

static inline const uint32_t *hd_way(const struct hd_ways *w, uint32_t s, uint32_t d, uint32_t rail)
{
    return w->way + ((size_t)w->row[(size_t)s * w->nrail + rail] * w->n + d) * w->width;
}

#endif
