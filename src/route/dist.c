/* SPDX-License-Identifier: BSD-2-Clause */
#include "route/dist.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/route.h"

#include <string.h>

uint32_t hd_dist_from(const struct hd_net *net, uint32_t t, uint8_t *dist, uint32_t *queue)
{
    memset(dist, HD_FAR, net->nsw);
    uint32_t n = 0;
    dist[t] = 0;
    queue[n++] = t;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = queue[i];
        if (dist[v] == HD_FAR - 1) break;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw || dist[u] != HD_FAR) continue;
            dist[u] = (uint8_t)(dist[v] + 1);
            queue[n++] = u;
        }
    }
    return n;
}

void hd_dist_row(const struct hd_net *net, uint32_t t, uint8_t *row)
{
    struct hd_arena scratch = {0};
    uint32_t *queue = HD_NEW(&scratch, uint32_t, net->nsw);
    uint8_t *dist = HD_NEW(&scratch, uint8_t, net->nsw);
    memset(row, HD_SLOT_NONE, net->nsw);
    uint32_t n = queue && dist ? hd_dist_from(net, t, dist, queue) : 0;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t v = queue[i];
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && row[v] == HD_SLOT_NONE; c++)
            if (net->head[c] < net->nsw && dist[net->head[c]] + 1u == dist[v]) row[v] = (uint8_t)(c - net->off[v]);
    }
    hd_arena_release(&scratch);
}

hd_status hd_dist_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *target,
                        uint32_t n, uint8_t **out)
{
    int threads = hd_threads(ctx);
    struct hd_arena scratch = {0};
    uint8_t *dist = HD_NEW(arena, uint8_t, (size_t)n * net->nsw);
    uint32_t *queue = HD_NEW(&scratch, uint32_t, (size_t)threads * net->nsw);
    if (!dist || !queue) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t i = 0; i < n; i++)
        hd_dist_from(net, target[i], dist + (size_t)i * net->nsw, queue + (size_t)hd_thread_id() * net->nsw);
    hd_arena_release(&scratch);
    *out = dist;
    return HD_OK;
}
