/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees under load. The keys of weighted_tree.h make the choice of a link one minimum without branches; where the links
 * of a switch have consecutive numbers, two minima run in parallel and no list is read.
 * Cost: one addition per link on shortest paths and destination. */
#include "route/kernel/weighted_tree.h"
#include "base/status.h"

#include <string.h>

hd_status hd_grow_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *links, struct hd_grow *g)
{
    uint32_t nsw = links->net->nsw;
    *g = (struct hd_grow){
        .links = links, .load = HD_NEW(arena, uint64_t, links->n), .cost = HD_NEW(arena, uint64_t, nsw)};
    if (!g->load || !g->cost || !HD_NEW_U32(arena, nsw, &g->next, &g->sources, &g->flow)) return hd_fail_memory(ctx);
    hd_grow_clear(g);
    return HD_OK;
}

void hd_grow_clear(struct hd_grow *g)
{
    const struct hd_links *l = g->links;
    for (uint32_t v = 0; v < l->net->nsw; v++)
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) g->load[a] = a - l->first[v];
}

static uint64_t least_of_range(const struct hd_grow *g, uint32_t a, uint32_t n)
{
    const uint64_t *load = g->load + a, *cost = g->cost;
    const uint32_t *head = g->links->head + a;
    uint64_t even = cost[head[0]] + load[0], odd = UINT64_MAX;
    uint32_t i = 1;
    for (; i + 1 < n; i += 2) {
        uint64_t x = cost[head[i]] + load[i], y = cost[head[i + 1]] + load[i + 1];
        odd = x < odd ? x : odd;
        even = y < even ? y : even;
    }
    if (i < n && cost[head[i]] + load[i] < odd) odd = cost[head[i]] + load[i];
    return even < odd ? even : odd;
}

static uint64_t least_of_list(const struct hd_grow *g, const uint32_t *a, const uint32_t *end)
{
    uint64_t least = UINT64_MAX;
    for (; a < end; a++) {
        uint64_t k = g->cost[g->links->head[*a]] + g->load[*a];
        least = k < least ? k : least;
    }
    return least;
}

void hd_grow_tree(struct hd_grow *g, const struct hd_dag *dag, uint8_t *row)
{
    g->cost[dag->t] = 0;
    for (uint32_t i = 1; i < dag->n; i++) {
        const uint32_t *a = dag->link + dag->first[i], *end = dag->link + dag->first[i + 1];
        uint32_t n = (uint32_t)(end - a);
        uint64_t least = end[-1] - *a + 1 == n ? least_of_range(g, *a, n) : least_of_list(g, a, end);
        hd_grow_take(g, dag->order[i], least, row);
    }
}

void hd_grow_add(struct hd_grow *g, const uint32_t *order, uint32_t n)
{
    memcpy(g->flow, g->sources, g->links->net->nsw * sizeof *g->flow);
    for (uint32_t i = n; i-- > 1;) {
        uint32_t v = order[i], a = g->next[v];
        g->load[a] += (uint64_t)g->flow[v] * HD_GROW_ROUTE;
        g->flow[g->links->head[a]] += g->flow[v];
    }
}
