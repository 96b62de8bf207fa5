/* SPDX-License-Identifier: BSD-2-Clause */
/* Brandes' accumulation: a breadth-first search from each end counts shortest paths, and in reverse order each switch
 * passes what ends behind it on to its predecessors, in proportion to their paths. Sums are added in a fixed order, so
 * that results are the same everywhere. Brandes: A faster algorithm for betweenness centrality. */
#include "route/kernel/betweenness.h"
#include "base/status.h"
#include "route/core/switch_distance.h"

#include <string.h>

struct between {
    const struct hd_links *l;
    const bool *end;
    uint8_t *dist;      /* [nsw] from the current end */
    uint32_t *queue, n; /* [nsw] switches reached, by distance */
    double *paths;      /* [nsw] shortest paths from it */
    double *behind;     /* [nsw] share of the ends that are reached through the switch */
};

static void count_paths(struct between *b, uint32_t s)
{
    const struct hd_links *l = b->l;
    b->n = hd_dist_from(l->net, s, b->dist, b->queue);
    memset(b->paths, 0, l->net->nsw * sizeof *b->paths);
    b->paths[s] = 1;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t v = b->queue[i];
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++)
            if (b->dist[l->head[a]] == b->dist[v] + 1) b->paths[l->head[a]] += b->paths[v];
    }
}

static void add_between(struct between *b, double *score)
{
    const struct hd_links *l = b->l;
    memset(b->behind, 0, l->net->nsw * sizeof *b->behind);
    for (uint32_t i = b->n; i-- > 1;) {
        uint32_t w = b->queue[i];
        double share = (b->end[w] + b->behind[w]) / b->paths[w];
        for (uint32_t a = l->first[w]; a < l->first[w + 1]; a++)
            if (b->dist[l->head[a]] + 1 == b->dist[w]) b->behind[l->head[a]] += share * b->paths[l->head[a]];
        score[w] += b->behind[w];
    }
}

hd_status hd_betweenness(struct hd_ctx *ctx, const struct hd_links *l, const bool *end, double *score)
{
    struct hd_arena scratch = {0};
    uint32_t nsw = l->net->nsw;
    struct between b = {.l = l,
                        .end = end,
                        .dist = HD_NEW(&scratch, uint8_t, nsw),
                        .queue = HD_NEW(&scratch, uint32_t, nsw),
                        .paths = HD_NEW(&scratch, double, nsw),
                        .behind = HD_NEW(&scratch, double, nsw)};
    hd_status status = b.dist && b.queue && b.paths && b.behind ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t v = 0; v < nsw; v++) score[v] = 0;
    for (uint32_t s = 0; status == HD_OK && s < nsw; s++) {
        if (!end[s]) continue;
        count_paths(&b, s);
        add_between(&b, score);
    }
    hd_arena_release(&scratch);
    return status;
}
