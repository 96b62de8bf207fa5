/* SPDX-License-Identifier: BSD-2-Clause */
/* The channels that matter, of every pair of nodes, for callers that look them up very often. A channel all of
 * whose flows come from one endpoint, or all go to one, never carries two flows of a stage in which every
 * node sends and receives once: such channels are left out, and on a real-life fat tree under dmodk that is every
 * channel downwards. What remains is numbered densely. */
#ifndef HD_ORDER_PATH_MATRIX_H
#define HD_ORDER_PATH_MATRIX_H

#include "order/job_view.h"

struct hd_path_matrix {
    uint32_t n, nrail, width, nchan; /* nchan means "no channel" */
    const uint32_t *row;             /* [n * nrail] of a source: its leaf, or the source itself */
    const uint32_t *chan;            /* [(row * n + destination) * width] */
    const uint32_t *channel;         /* [nchan] of the network */
};

/* Lives in arena. HD_LIMIT when it would take more than 2 GiB. Single paths only. */
hd_status hd_path_matrix_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                              struct hd_path_matrix *matrix);

static inline const uint32_t *hd_path_matrix_at(const struct hd_path_matrix *w, uint32_t s, uint32_t d, uint32_t rail)
{
    return w->chan + ((size_t)w->row[(size_t)s * w->nrail + rail] * w->n + d) * w->width;
}

#endif
