/* SPDX-License-Identifier: BSD-2-Clause */
/* The ranks of a job by host, as collectives see them that know which ranks share one: hosts in the order of their
 * first rank, the endpoints of a host (its adapters) in the order of their rails. */
#ifndef HD_FLOW_CORE_HOST_RANKS_H
#define HD_FLOW_CORE_HOST_RANKS_H

#include "flow/core/rank_map.h"

struct hd_host_ranks {
    uint32_t nhost;
    uint32_t least;        /* adapters of the host that has fewest */
    bool even;             /* all hosts have as many */
    const uint32_t *first; /* [nhost + 1] in ep */
    const uint32_t *ep;
};

/* Lives in arena. HD_INPUT when all ranks are on one host: name is the pattern that asks. O(n log n). */
hd_status hd_host_ranks_make(struct hd_ctx *ctx, struct hd_arena *arena, const char *name,
                             const struct hd_pattern_in *in, struct hd_host_ranks *h);

static inline uint32_t hd_host_adapters(const struct hd_host_ranks *h, uint32_t host)
{
    return h->first[host + 1] - h->first[host];
}

/* The endpoint of an adapter; hosts that have fewer use theirs in turn. */
static inline uint32_t hd_host_ep(const struct hd_host_ranks *h, uint32_t host, uint32_t adapter)
{
    return h->ep[h->first[host] + adapter % hd_host_adapters(h, host)];
}

/* Which of the adapters serves process i of n on a host: neighbours share one, as on machines whose switches of PCIe
 * connect two GPUs and one adapter. */
static inline uint32_t hd_nearest_adapter(uint32_t i, uint32_t n, uint32_t adapters)
{
    return (uint32_t)((uint64_t)i * adapters / n);
}

#endif
