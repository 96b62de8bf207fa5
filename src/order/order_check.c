/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders and node lists from outside the library (order_check.h). */
#include "order/order_check.h"
#include "base/arena.h"
#include "base/status.h"

hd_status hd_indexes_check(struct hd_ctx *ctx, const char *what, const uint32_t *index, uint32_t n, uint32_t limit)
{
    struct hd_arena scratch = {0};
    bool *seen = HD_NEW(&scratch, bool, limit);
    hd_status s = seen ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t i = 0; s == HD_OK && i < n; i++) {
        if (index[i] >= limit)
            s = hd_fail(ctx, HD_USAGE, "%s: entry %u is node %u of %u, counted from 0", what, i, index[i], limit);
        else if (seen[index[i]])
            s = hd_fail(ctx, HD_USAGE, "%s: node %u is listed twice", what, index[i]);
        else
            seen[index[i]] = true;
    }
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_per_node_check(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *per_node)
{
    uint64_t ranks = 0;
    if (!per_node) return hd_fail(ctx, HD_USAGE, "expected the ranks of each node");
    for (uint32_t i = 0; i < nodes->n; i++) ranks += per_node[i];
    return ranks <= HD_MOST_RANKS ? HD_OK
                                  : hd_fail(ctx, HD_USAGE, "%llu ranks are too many: expected at most %u",
                                            (unsigned long long)ranks, (unsigned)HD_MOST_RANKS);
}

/* The network itself, as elsewhere: one with as many endpoints may have its hosts, and their names, elsewhere. */
hd_status hd_nodes_check(struct hd_ctx *ctx, const struct hd_nodes *nodes, const struct hd_net *net)
{
    const struct hd_net *own = nodes->net;
    if (own == net) return HD_OK;
    return hd_fail(ctx, HD_USAGE,
                   "the nodes are of another network, with %u endpoints, than the routes or jobs, with %u", own->nep,
                   net->nep);
}
