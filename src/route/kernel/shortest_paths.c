/* SPDX-License-Identifier: BSD-2-Clause */
/* Shortest paths towards a switch as a list: switches by distance (a counting sort of bytes), each with the links that
 * come closer. Switches at the same distance are in breadth-first order, so that those with common neighbours share
 * cache lines. Cost O(channels) per target; kept for all leaves if memory allows, since engines return to them. */
#include "route/kernel/shortest_paths.h"
#include "base/status.h"
#include "base/threads.h"

#include <string.h>

/* Walks are by distance, then in this order: neighbours' data is then still in the cache. */
static hd_status find_near(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_shortest *s)
{
    const struct hd_links *l = &s->links;
    uint32_t nsw = l->net->nsw, n = 0;
    struct hd_arena scratch = {0};
    bool *met = HD_NEW(&scratch, bool, nsw);
    s->near = HD_NEW(arena, uint32_t, nsw);
    for (uint32_t v = 0; met && s->near && v < nsw; v++) {
        uint32_t i = n;
        if (!met[v]) s->near[n++] = v;
        met[v] = true;
        for (; i < n; i++)
            for (uint32_t a = l->first[s->near[i]]; a < l->first[s->near[i] + 1]; a++)
                if (!met[l->head[a]]) {
                    met[l->head[a]] = true;
                    s->near[n++] = l->head[a];
                }
    }
    hd_status status = met && s->near ? HD_OK : hd_fail_memory(ctx);
    hd_arena_release(&scratch);
    return status;
}

hd_status hd_shortest_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, struct hd_shortest *s)
{
    *s = (struct hd_shortest){.leaf_of = r->leaf_of, .nleaf = r->nleaf, .leaf = r->leaf};
    HD_TRY(hd_links_init(ctx, arena, r->net, &s->links));
    HD_TRY(find_near(ctx, arena, s));
    return hd_dist_leaves(ctx, arena, r->net, &s->dist);
}

hd_status hd_shortest_without(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_shortest *all,
                              const bool *stray, struct hd_shortest *s, bool *differ)
{
    const size_t n = (size_t)all->nleaf * all->links.net->nsw;
    uint8_t *dist;
    HD_TRY(hd_dist_without(ctx, arena, all->links.net, stray, all->leaf, all->nleaf, &dist));
    *s = *all;
    s->dist = dist;
    s->kept = NULL;
    *differ = memcmp(dist, all->dist, n) != 0;
    for (size_t i = 0; i < n && *differ; i++) *differ = dist[i] != HD_FAR || all->dist[i] == HD_FAR;
    return HD_OK;
}

hd_status hd_dag_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *l, struct hd_dag *dag)
{
    uint32_t nsw = l->net->nsw;
    *dag = (struct hd_dag){.t = UINT32_MAX};
    dag->order = HD_NEW(arena, uint32_t, nsw);
    dag->first = HD_NEW(arena, uint32_t, (size_t)nsw + 1);
    dag->link = HD_NEW(arena, uint32_t, (size_t)l->n + 1);
    return dag->order && dag->first && dag->link ? HD_OK : hd_fail_memory(ctx);
}

/* Switches by distance: a counting sort of bytes. */
static uint32_t sort_by_distance(const struct hd_shortest *s, const uint8_t *dist, uint32_t *order)
{
    uint32_t nsw = s->links.net->nsw;
    uint32_t at[257] = {0};
    for (uint32_t v = 0; v < nsw; v++) at[dist[v] + 1u]++;
    uint32_t reached = nsw - at[HD_FAR + 1];
    for (uint32_t i = 1; i < 256; i++) at[i] += at[i - 1];
    for (uint32_t i = 0; i < nsw; i++)
        if (dist[s->near[i]] != HD_FAR) order[at[dist[s->near[i]]]++] = s->near[i];
    return reached;
}

void hd_dag_make(const struct hd_shortest *s, uint32_t t, struct hd_dag *dag)
{
    if (dag->t == t) return;
    const struct hd_links *l = &s->links;
    uint32_t nsw = l->net->nsw, n = 0;
    const uint8_t *dist = s->dist + (size_t)s->leaf_of[t] * nsw;
    dag->t = t;
    dag->n = sort_by_distance(s, dist, dag->order);
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

const struct hd_dag *hd_dag_get(const struct hd_shortest *s, uint32_t t, struct hd_dag *dag)
{
    if (s->kept) return &s->kept[s->leaf_of[t]];
    hd_dag_make(s, t, dag);
    return dag;
}

/* Links on shortest paths towards a leaf. */
static uint32_t count_links(const struct hd_shortest *s, uint32_t leaf)
{
    const struct hd_links *l = &s->links;
    const uint8_t *dist = s->dist + (size_t)leaf * l->net->nsw;
    uint32_t n = 0;
    for (uint32_t a = 0; a < l->n; a++) n += dist[l->net->tail[l->chan[a]]] == dist[l->head[a]] + 1;
    return n;
}

hd_status hd_shortest_keep(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_shortest *s, size_t bytes)
{
    uint32_t nsw = s->links.net->nsw;
    size_t each = (2 * (size_t)nsw + 1) * sizeof(uint32_t), used = 0;
    struct hd_dag *kept = HD_NEW(arena, struct hd_dag, s->nleaf);
    if (!kept) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < s->nleaf && used <= bytes; i++) {
        kept[i].n = count_links(s, i); /* for the time being */
        used += each + kept[i].n * sizeof(uint32_t);
    }
    if (used > bytes) return HD_OK;
    for (uint32_t i = 0; i < s->nleaf; i++) {
        uint32_t links = kept[i].n + 1; /* one is written past the end before it is left out */
        kept[i] = (struct hd_dag){.t = UINT32_MAX,
                                  .order = HD_NEW(arena, uint32_t, nsw),
                                  .first = HD_NEW(arena, uint32_t, (size_t)nsw + 1),
                                  .link = HD_NEW(arena, uint32_t, links)};
        if (!kept[i].order || !kept[i].first || !kept[i].link) return hd_fail_memory(ctx);
    }
#pragma omp parallel for schedule(dynamic, 4) num_threads(hd_threads(ctx))
    for (uint32_t i = 0; i < s->nleaf; i++) hd_dag_make(s, s->leaf[i], &kept[i]);
    s->kept = kept;
    return HD_OK;
}
