/* SPDX-License-Identifier: BSD-2-Clause */
/* Connected components: one breadth-first search over the channels, then the components sorted by size, so that number
 * 0 is the one that users mean by the fabric. Cost: O(size + k log k) for k components. */
#include "base/status.h"
#include "net/core/remaining.h"

#include <stdlib.h>

struct component {
    uint32_t endpoints, switches, first, id;
};

static int by_size(const void *a, const void *b)
{
    const struct component *x = a, *y = b;
    if (x->endpoints != y->endpoints) return x->endpoints > y->endpoints ? -1 : 1;
    if (x->switches != y->switches) return x->switches > y->switches ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Everything connected to switch component->first gets its number; the queue has room for all nodes. */
static void component_search(const struct hd_net *net, const struct hd_remaining *remaining, uint32_t *component_of,
                             uint32_t *queue, struct component *component)
{
    uint32_t begin = 0, end = 0;
    queue[end++] = component->first;
    component_of[component->first] = component->id;
    while (begin < end) {
        uint32_t u = queue[begin++];
        if (u < net->nsw)
            component->switches++;
        else
            component->endpoints++;
        for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
            uint32_t x = net->head[c];
            if (component_of[x] != UINT32_MAX || !hd_channel_remains(remaining, c)) continue;
            component_of[x] = component->id;
            queue[end++] = x;
        }
    }
}

hd_status hd_components_of(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_remaining *remaining,
                           uint32_t *component_of, uint32_t *count)
{
    uint32_t nodes = net->nsw + net->nep, n = 0;
    struct hd_arena scratch = {0};
    struct component *component = HD_NEW(&scratch, struct component, net->nsw); /* every component has a switch */
    uint32_t *queue = HD_NEW(&scratch, uint32_t, nodes), *rank = HD_NEW(&scratch, uint32_t, net->nsw);
    if (!component || !queue || !rank) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    for (uint32_t v = 0; v < nodes; v++) component_of[v] = UINT32_MAX;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (component_of[v] != UINT32_MAX || !hd_switch_remains(remaining, v)) continue;
        component[n] = (struct component){.first = v, .id = n};
        component_search(net, remaining, component_of, queue, &component[n]);
        n++;
    }
    qsort(component, n, sizeof *component, by_size);
    for (uint32_t i = 0; i < n; i++) rank[component[i].id] = i;
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
