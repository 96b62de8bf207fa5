/* SPDX-License-Identifier: BSD-2-Clause */
/* Connected components: one breadth-first search over the channels, then the components sorted by size, so that number
 * 0 is the one that users mean by the fabric. Cost: O(size + k log k) for k components. */
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/remaining.h"

/* Everything connected to a switch gets number id; the queue has room for all nodes. Returns a key that sorts
 * components by endpoints, then switches, the largest first. */
static uint64_t component_search(const struct hd_net *net, const struct hd_remaining *remaining, uint32_t first,
                                 uint32_t id, uint32_t *component_of, uint32_t *queue)
{
    uint32_t begin = 0, end = 0;
    uint64_t size = 0;
    queue[end++] = first;
    component_of[first] = id;
    while (begin < end) {
        uint32_t u = queue[begin++];
        size += u < net->nsw ? 1 : (uint64_t)1 << 32;
        for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
            uint32_t x = net->head[c];
            if (component_of[x] != UINT32_MAX || !hd_channel_remains(remaining, c)) continue;
            component_of[x] = id;
            queue[end++] = x;
        }
    }
    return ~size;
}

hd_status hd_components_of(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_remaining *remaining,
                           uint32_t *component_of, uint32_t *count)
{
    uint32_t nodes = net->nsw + net->nep, n = 0;
    struct hd_arena scratch = {0};
    struct hd_keyed *component = HD_NEW(&scratch, struct hd_keyed, net->nsw); /* every component has a switch */
    uint32_t *queue = HD_NEW(&scratch, uint32_t, nodes), *rank = HD_NEW(&scratch, uint32_t, net->nsw);
    if (!component || !queue || !rank) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    for (uint32_t v = 0; v < nodes; v++) component_of[v] = UINT32_MAX;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (component_of[v] != UINT32_MAX || !hd_switch_remains(remaining, v)) continue;
        component[n] = (struct hd_keyed){component_search(net, remaining, v, n, component_of, queue), n};
        n++;
    }
    hd_keyed_sort(component, n, sizeof *component);
    for (uint32_t i = 0; i < n; i++) rank[component[i].value] = i;
    for (uint32_t v = 0; v < nodes; v++)
        if (component_of[v] != UINT32_MAX) component_of[v] = rank[component_of[v]];
    hd_arena_release(&scratch);
    *count = n;
    return HD_OK;
}

hd_status hd_net_parts(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *part_of, uint32_t *nparts)
{
    return hd_components_of(ctx, net, &(struct hd_remaining){0}, part_of, nparts);
}
