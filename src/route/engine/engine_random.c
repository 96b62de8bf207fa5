/* SPDX-License-Identifier: BSD-2-Clause */
/* Random shortest paths: towards every destination each switch draws one of its channels on shortest
 * paths, all equally likely. What chance gives is the baseline for rules that try to do better.
 * Destination d draws from stream d, so threads share the work freely. O(L channels + table). */
#include "base/rng.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"

struct random_engine_opt {
    uint64_t seed;
};

struct random_lists { /* towards the current target */
    uint8_t *dist;
    uint32_t *queue, *end; /* [nsw] the channels of v on shortest paths: slot[off[v]] .. slot[end[v]-1] */
    uint8_t *slot;
};

static void find_lists(const struct hd_net *net, uint32_t t, struct random_lists *w)
{
    hd_dist_from(net, t, w->dist, w->queue);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t n = net->off[v], next = w->dist[v] == HD_FAR ? HD_FAR : w->dist[v] - 1u;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] < net->nsw && w->dist[net->head[c]] == next && next != HD_FAR)
                w->slot[n++] = (uint8_t)(c - net->off[v]);
        w->end[v] = n;
    }
}

static void random_draw_row(const struct hd_net *net, const struct random_lists *w, uint64_t seed, uint32_t d,
                            uint8_t *row)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_ENGINE, d);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t n = w->end[v] - net->off[v];
        if (n) row[v] = w->slot[net->off[v] + (n > 1 ? hd_rng_below(&rng, n) : 0)];
    }
}

static hd_status random_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *a, struct hd_routes *r)
{
    const struct random_engine_opt *o = opt;
    uint64_t seed = o->seed ? o->seed : ctx->seed;
    const struct hd_net *net = r->net;
    int most = (int)(r->nleaf / 16) + 1, threads = hd_threads(ctx) < most ? hd_threads(ctx) : most;
    struct random_lists *w = HD_NEW(a, struct random_lists, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    HD_TRY(hd_routes_table(ctx, r, 1));
    for (int i = 0; i < threads; i++) {
        w[i] = (struct random_lists){HD_NEW(a, uint8_t, net->nsw), HD_NEW(a, uint32_t, net->nsw),
                                     HD_NEW(a, uint32_t, net->nsw), HD_NEW(a, uint8_t, net->nchan)};
        if (!w[i].dist || !w[i].queue || !w[i].end || !w[i].slot) return hd_fail_memory(ctx);
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint32_t i = 0; i < r->nleaf; i++) {
        struct random_lists *mine = &w[hd_thread_id()];
        uint32_t t = r->leaf[i];
        find_lists(net, t, mine);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint8_t *row = hd_row(r, net->head[c] - net->nsw, 0);
            random_draw_row(net, mine, seed, net->head[c] - net->nsw, row);
            row[t] = (uint8_t)(c - net->off[t]);
        }
    }
    return HD_OK;
}

const struct hd_engine hd_engine_random = {
    .desc = {.name = "random",
             .summary = "a random shortest path at every switch, the baseline for the others",
             .text = "Towards every destination each switch draws one of its channels on shortest paths, all equally "
                     "likely. Not deadlock-free where the network has cycles.",
             .params = (const struct hd_param[]){{"seed", HD_UINT, "0", "of the draw; 0: the seed of the command",
                                                  offsetof(struct random_engine_opt, seed), 0, 9007199254740991.0, NULL,
                                                  false},
                                                 {0}},
             .examples = (const char *const[]){"random", "random:seed=7", NULL},
             .opt_size = sizeof(struct random_engine_opt)},
    .role = HD_ENGINE_BASELINE,
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_COMPLETE,
    .fallback = "settle",
    .route = random_route};
