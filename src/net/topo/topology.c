/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits every generator keeps: what fits the 32-bit numbers of a network with room to spare, the ports InfiniBand
 * can number, and the memory there is. */
#include "net/topo/topology.h"
#include "base/memory.h"
#include "base/status.h"

enum { MAX_NODES = 1 << 26, MAX_CABLES = 1 << 27 };

hd_status hd_topology_fits(struct hd_ctx *ctx, const char *owner, const struct hd_topology_size *s)
{
    if (s->ports > HD_MAX_PORTS)
        return hd_fail(ctx, HD_INPUT, "%s: a switch would have %llu ports: at most %d can be routed", owner,
                       (unsigned long long)s->ports, HD_MAX_PORTS);
    if (s->switches > MAX_NODES) return hd_fail(ctx, HD_INPUT, "%s: more than %d switches", owner, MAX_NODES);
    if (s->endpoints > MAX_NODES) return hd_fail(ctx, HD_INPUT, "%s: more than %d endpoints", owner, MAX_NODES);
    if (s->cables > MAX_CABLES) return hd_fail(ctx, HD_INPUT, "%s: more than %d cables", owner, MAX_CABLES);
    return HD_OK;
}

hd_status hd_topology_begin(struct hd_ctx *ctx, struct hd_builder *b, uint64_t switches, uint64_t endpoints,
                            uint64_t cables)
{
    /* Measured while networks of millions of endpoints, switches or cables are built, and a quarter more. */
    HD_TRY(hd_memory_fits(ctx, "the network", 250 * endpoints + 200 * switches + 40 * cables));
    hd_builder_reserve(b, switches, endpoints, cables);
    return HD_OK;
}
