/* SPDX-License-Identifier: BSD-2-Clause */
#include "route/shortest.h"
#include "base/status.h"

#include <string.h>

hd_status hd_shortest_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, struct hd_shortest *s)
{
    *s = (struct hd_shortest){.leaf_of = r->leaf_of};
    HD_TRY(hd_links_init(ctx, arena, r->net, &s->links));
    return hd_dist_table(ctx, arena, r->net, r->leaf, r->nleaf, &s->dist);
}

hd_status hd_dag_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_shortest *s, struct hd_dag *dag)
{
    uint32_t nsw = s->links.net->nsw;
    *dag = (struct hd_dag){.t = UINT32_MAX};
    dag->order = HD_NEW(arena, uint32_t, nsw);
    dag->first = HD_NEW(arena, uint32_t, (size_t)nsw + 1);
    dag->link = HD_NEW(arena, uint32_t, (size_t)s->links.n + 1);
    return dag->order && dag->first && dag->link ? HD_OK : hd_fail_memory(ctx);
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
    const struct hd_links *l = &s->links;
    uint32_t nsw = l->net->nsw, n = 0;
    const uint8_t *dist = s->dist + (size_t)s->leaf_of[t] * nsw;
    dag->t = t;
    dag->n = sort_by_distance(dist, nsw, dag->order);
    for (uint32_t i = 0; i < dag->n; i++) {
        uint32_t v = dag->order[i], closer = dist[v] - 1u;
        dag->first[i] = n;
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) { /* written always, kept when it comes closer */
            dag->link[n] = a;
            n += dist[l->head[a]] == closer;
        }
    }
    dag->first[dag->n] = n;
}
