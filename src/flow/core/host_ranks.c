/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks grouped by host (host_ranks.h): sorted by the rank at which their host comes up first, then by rail. Ranks need
 * not be listed host by host: which of them share a host is what the fabric says. */
#include "flow/core/host_ranks.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct host_rank {
    uint32_t host; /* by first appearance */
    uint32_t rail, ep;
};

static int host_rank_order(const void *a, const void *b)
{
    const struct host_rank *x = a, *y = b;
    if (x->host != y->host) return x->host < y->host ? -1 : 1;
    if (x->rail != y->rail) return x->rail < y->rail ? -1 : 1;
    return (x->ep > y->ep) - (x->ep < y->ep);
}

hd_status hd_host_ranks_make(struct hd_ctx *ctx, struct hd_arena *arena, const char *name,
                             const struct hd_pattern_in *in, struct hd_host_ranks *h)
{
    const struct hd_net *net = hd_routes_net(in->routes);
    const struct hd_ranks *ranks = in->ranks;
    uint32_t *number = HD_NEW(arena, uint32_t, net->nhost), *ep = HD_NEW(arena, uint32_t, ranks->n);
    struct host_rank *list = HD_NEW(arena, struct host_rank, ranks->n);
    uint32_t nhost = 0;
    if (!number || !ep || !list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < ranks->n; i++) {
        uint32_t e = ranks->ep[i], *at = &number[net->host[e]];
        if (!*at) *at = ++nhost;
        list[i] = (struct host_rank){*at - 1, net->rail[e], e};
    }
    if (nhost < 2)
        return hd_fail(ctx, HD_INPUT, "%s: all %u ranks are on one host, expected at least two hosts", name, ranks->n);
    uint32_t *first = HD_NEW(arena, uint32_t, (size_t)nhost + 1);
    if (!first) return hd_fail_memory(ctx);
    qsort(list, ranks->n, sizeof *list, host_rank_order);
    for (uint32_t i = 0; i < ranks->n; i++) {
        ep[i] = list[i].ep;
        first[list[i].host + 1] = i + 1;
    }
    *h = (struct hd_host_ranks){.nhost = nhost, .least = UINT32_MAX, .even = true, .first = first, .ep = ep};
    for (uint32_t k = 0; k < nhost; k++) {
        uint32_t n = hd_host_adapters(h, k);
        h->even &= n == hd_host_adapters(h, 0);
        if (n < h->least) h->least = n;
    }
    return HD_OK;
}
