/* SPDX-License-Identifier: BSD-2-Clause */
/* Connected parts: one search over the channels, then the parts sorted by size. O(size + p log p). */
#include "base/arena.h"
#include "base/status.h"
#include "heddle/net.h"

#include <stdlib.h>

struct part {
    uint32_t endpoints, switches, first, id;
};

static int by_size(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->endpoints != y->endpoints) return x->endpoints > y->endpoints ? -1 : 1;
    if (x->switches != y->switches) return x->switches > y->switches ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Everything that hangs together with switch v gets its number; the queue is room for all nodes. */
static void flood(const struct hd_net *net, uint32_t v, uint32_t *part_of, uint32_t *queue, struct part *part)
{
    uint32_t begin = 0, end = 0;
    queue[end++] = v;
    part_of[v] = part->id;
    while (begin < end) {
        uint32_t u = queue[begin++];
        if (u < net->nsw)
            part->switches++;
        else
            part->endpoints++;
        for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
            uint32_t x = net->head[c];
            if (part_of[x] != UINT32_MAX) continue;
            part_of[x] = part->id;
            queue[end++] = x;
        }
    }
}

hd_status hd_net_parts(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *part_of, uint32_t *nparts)
{
    uint32_t nodes = net->nsw + net->nep, n = 0;
    struct hd_arena scratch = {0};
    struct part *part = HD_NEW(&scratch, struct part, net->nsw); /* every part has a switch */
    uint32_t *queue = HD_NEW(&scratch, uint32_t, nodes), *rank = HD_NEW(&scratch, uint32_t, net->nsw);
    if (!part || !queue || !rank) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    for (uint32_t v = 0; v < nodes; v++) part_of[v] = UINT32_MAX;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (part_of[v] != UINT32_MAX) continue;
        part[n] = (struct part){.first = v, .id = n};
        flood(net, v, part_of, queue, &part[n]);
        n++;
    }
    qsort(part, n, sizeof *part, by_size);
    for (uint32_t i = 0; i < n; i++) rank[part[i].id] = i;
    for (uint32_t v = 0; v < nodes; v++) part_of[v] = rank[part_of[v]];
    hd_arena_release(&scratch);
    *nparts = n;
    return HD_OK;
}
