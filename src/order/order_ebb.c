/* SPDX-License-Identifier: BSD-2-Clause */
/* Effective bisection bandwidth of a job: that of a fabric says little of jobs on a part of it, which may have a leaf
 * switch of their own or share few cables. The samples are those of hd_eval with the endpoints of the nodes as ranks,
 * node by node. O(samples * endpoints * hops). */
#include "heddle/flow.h"
#include "heddle/order.h"
#include "order/job_view.h"
#include "order/order_check.h"

#include <math.h>

enum { MOST = 1000, LEAST = 100, FLOWS = 2000000 }; /* samples; flows of all samples */

hd_status hd_order_ebb(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes, double *ebb,
                       uint64_t *samples)
{
    struct hd_result result;
    uint32_t n = nodes->n * nodes->nrail;
    uint64_t count = n ? FLOWS / n : 0;
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .endpoint = nodes->ep, .nendpoint = n};
    *ebb = NAN;
    *samples = 0;
    HD_TRY(hd_nodes_check(ctx, nodes, hd_routes_net(r)));
    if (n < 2) return HD_OK;
    q.samples = count > MOST ? MOST : count < LEAST ? LEAST : count;
    hd_status s = hd_eval(ctx, r, &q, &result);
    if (s != HD_OK) return s;
    *ebb = result.value;
    *samples = result.samples;
    return HD_OK;
}
