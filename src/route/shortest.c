/* SPDX-License-Identifier: BSD-2-Clause */
#include "route/shortest.h"
#include "base/status.h"

#include <string.h>

hd_status hd_shortest_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, struct hd_shortest *s)
{
    const struct hd_net *net = r->net;
    *s = (struct hd_shortest){.net = net, .leaf_of = r->leaf_of};
    s->off = HD_NEW(arena, uint32_t, (size_t)net->nsw + 1);
    s->arc = HD_NEW(arena, struct hd_arc, net->nchan);
    if (!s->off || !s->arc) return hd_fail_memory(ctx);
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        s->off[v] = n;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] < net->nsw) s->arc[n++] = (struct hd_arc){c, net->head[c]};
    }
    s->off[net->nsw] = n;
    return hd_dist_table(ctx, arena, net, r->leaf, r->nleaf, &s->dist);
}

hd_status hd_dag_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_dag *dag)
{
    *dag = (struct hd_dag){.t = UINT32_MAX};
    dag->order = HD_NEW(arena, uint32_t, net->nsw);
    dag->first = HD_NEW(arena, uint32_t, (size_t)net->nsw + 1);
    dag->arc = HD_NEW(arena, struct hd_arc, (size_t)net->nchan + 1);
    return dag->order && dag->first && dag->arc ? HD_OK : hd_fail_memory(ctx);
}

/* Switches by distance: a counting sort of bytes. */
static uint32_t sort_by_distance(const uint8_t *dist, uint32_t nsw, uint32_t *order)
{
    uint32_t at[257] = {0};
    for (uint32_t v = 0; v < nsw; v++) at[dist[v] + 1u]++;
    uint32_t reached = nsw - at[HD_FAR + 1];
    for (uint32_t i = 1; i < 256; i++) at[i] += at[i - 1];
    for (uint32_t v = 0; v < nsw; v++)
        if (dist[v] != HD_FAR) order[at[dist[v]]++] = v;
    return reached;
}

void hd_dag_make(const struct hd_shortest *s, uint32_t t, struct hd_dag *dag)
{
    if (dag->t == t) return;
    uint32_t nsw = s->net->nsw, n = 0;
    const uint8_t *dist = s->dist + (size_t)s->leaf_of[t] * nsw;
    dag->t = t;
    dag->n = sort_by_distance(dist, nsw, dag->order);
    for (uint32_t i = 0; i < dag->n; i++) {
        uint32_t v = dag->order[i], closer = dist[v] - 1u;
        dag->first[i] = n;
        for (uint32_t a = s->off[v]; a < s->off[v + 1]; a++) { /* written always, kept when it comes closer */
            dag->arc[n] = s->arc[a];
            n += dist[s->arc[a].head] == closer;
        }
    }
    dag->first[dag->n] = n;
}
