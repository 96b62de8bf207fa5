/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow uses at least as many channels between switches as its shortest path has. A permutation with the
 * largest sum of distances, spread over all those channels, is what the best routing would have to carry:
 * the sum divided by the channels' capacity bounds the largest load from below. The permutation is a
 * heaviest matching of leaf switches (each as often as it has endpoints) under their distances; distances
 * are small whole numbers, so it takes few phases. O(leaves^2) edges.
 * Namyar, Supittayapornpong, Zhang, Yu, Govindan: A throughput-centric view of the performance of datacenter
 * topologies (SIGCOMM 2021). */
#include "flow/bound/throughput_bound.h"
#include "base/status.h"
#include "flow/bound/matching.h"
#include "route/core/switch_distance.h"

enum { MAX_LEAVES = 1024 };

struct leaves {
    uint32_t n;
    uint32_t *group; /* [n] of level 1 */
    uint32_t *size;  /* [n] endpoints that take part */
};

static bool list_leaves(struct hd_arena *a, const struct hd_cuts *cuts, const struct hd_ranks *among, struct leaves *l)
{
    uint32_t all = cuts->ngroup[1], *count = HD_NEW(a, uint32_t, all);
    *l = (struct leaves){0, HD_NEW(a, uint32_t, all), HD_NEW(a, uint32_t, all)};
    if (!count || !l->group || !l->size) return false;
    for (uint32_t i = 0; i < among->n; i++) count[cuts->group[1][among->ep[i]]]++;
    for (uint32_t g = 0; g < all; g++) {
        if (!count[g]) continue;
        l->group[l->n] = g;
        l->size[l->n++] = count[g];
    }
    return true;
}

static hd_status heaviest(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_cuts *cuts, const struct leaves *l,
                          uint64_t *hops)
{
    size_t room = (size_t)l->n * l->n;
    uint32_t *u = HD_NEW(a, uint32_t, room), *v = HD_NEW(a, uint32_t, room), *w = HD_NEW(a, uint32_t, room),
             *used = HD_NEW(a, uint32_t, room);
    uint32_t n = 0;
    if (!u || !v || !w || !used) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t j = 0; j < l->n; j++) {
            uint32_t d = cuts->dist[(size_t)l->group[i] * cuts->net->nsw + cuts->leaf_switch[l->group[j]]];
            if (i == j || d == HD_FAR) continue;
            u[n] = i;
            v[n] = j;
            w[n++] = d;
        }
    struct hd_side side = {l->n, l->n, l->size, NULL};
    return hd_matching_heaviest(ctx, &(struct hd_bipartite){side, side, n, u, v, w, used}, hops);
}

hd_status hd_tub_load(struct hd_ctx *ctx, const struct hd_cuts *cuts, const struct hd_ranks *among, double *load)
{
    struct hd_arena a = {0};
    struct leaves l;
    uint64_t hops = 0;
    hd_status s = HD_OK;
    *load = 0;
    if (!cuts->dist || !cuts->volume || cuts->ngroup[1] > MAX_LEAVES) return HD_OK;
    if (!list_leaves(&a, cuts, among, &l)) s = hd_fail_memory(ctx);
    if (s == HD_OK) s = heaviest(ctx, &a, cuts, &l, &hops);
    if (s == HD_OK) *load = (double)hops * cuts->unit / (double)cuts->volume;
    hd_arena_release(&a);
    return s;
}
