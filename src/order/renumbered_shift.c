/* SPDX-License-Identifier: BSD-2-Clause */
/* D-mod-K with the endpoints of a job first, rail by rail, as the format guids lists them and dmodk:index=FILE reads
 * them: made from the order itself, since its file may be a pipe, of another process, or not in place yet. */
#include "base/status.h"
#include "heddle/order.h"
#include "order/order_check.h"
#include "route/engine/engines.h"
#include "tool/renumber.h"

static void number_endpoints(const struct hd_nodes *nodes, const uint32_t *rank, const uint32_t *per_node,
                             uint64_t *number)
{
    uint64_t next = 0;
    for (uint32_t e = 0; e < nodes->net->nep; e++) number[e] = UINT64_MAX;
    for (uint32_t i = 0; i < nodes->n; i++)
        for (uint32_t k = 0; k < nodes->nrail && per_node[i]; k++)
            number[nodes->ep[(size_t)rank[i] * nodes->nrail + k]] = next++;
    for (uint32_t e = 0; e < nodes->net->nep; e++)
        if (number[e] == UINT64_MAX) number[e] = next++;
}

hd_status hd_order_renumbered(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *rank,
                              const uint32_t *per_node, struct hd_hsd *shift)
{
    struct hd_arena a = {0};
    struct hd_routes *routes = NULL;
    HD_TRY(hd_order_given(ctx, nodes, rank));
    HD_TRY(hd_per_node_check(ctx, nodes, per_node));
    uint64_t *number = HD_NEW(&a, uint64_t, nodes->net->nep);
    if (number) number_endpoints(nodes, rank, per_node, number);
    hd_status s = number ? hd_dmodk_numbered(ctx, nodes->net, number, &routes) : hd_fail_memory(ctx);
    if (s == HD_OK) s = hd_order_count(ctx, routes, nodes, rank, HD_CASE_SHIFT, shift);
    hd_routes_free(routes);
    hd_arena_release(&a);
    return s;
}
