/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates the bandwidth of random pairs: draws flows, loads them (loader.h) and adds up shares as integers, sample by
 * sample on all threads. Sample i is drawn from stream i, so the routes of a network are compared on the same flows.
 * O(samples * flows). */
#include "load/share_estimate.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/threads.h"
#include "load/loader.h"

enum {
    WALKS = 1 << 20, /* pairs walked to compare two routes */
    LEAST_SAMPLES = 100,
    MOST_SAMPLES = 4000,
    AT_ONCE = 16, /* samples that a thread takes */
    SHARES = 256
};

uint32_t hd_share_samples(const struct hd_net *net)
{
    uint32_t samples = net->nep ? WALKS / net->nep : 1;
    if (samples < LEAST_SAMPLES) samples = LEAST_SAMPLES;
    return samples < MOST_SAMPLES ? samples : MOST_SAMPLES;
}

struct estimate {
    const struct hd_net *net;
    const struct hd_demand *demand;
    uint64_t seed;
    uint64_t share[SHARES]; /* by the largest load, in 2^-32; 0 where there is no path */
};

struct estimate_worker { /* one per thread */
    struct hd_arena arena;
    uint32_t *work;
    struct hd_loads loads;
    uint64_t sum, pairs; /* sum: shares in 2^-32 */
};

static uint32_t draw_matching(const struct hd_net *net, struct hd_rng *rng, struct estimate_worker *w)
{
    const struct hd_flows *f = &w->loads.flows;
    uint32_t n = net->nsel / 2;
    for (uint32_t i = 0; i < net->nsel; i++) w->work[i] = net->sel[i];
    hd_rng_shuffle(rng, w->work, net->nsel);
    for (uint32_t i = 0; i < n; i++) {
        f->buf[0][i] = w->work[2 * i];
        f->buf[1][i] = w->work[2 * i + 1];
    }
    return n;
}

static void add_sample(const struct estimate *e, uint32_t sample, struct estimate_worker *w)
{
    struct hd_loads *l = &w->loads;
    struct hd_flows *f = &l->flows;
    struct hd_rng rng;
    hd_rng_init(&rng, e->seed, HD_RNG_SEARCH, sample);
    f->n = e->demand ? hd_demand_draw(e->demand, &rng, w->work, f->buf[0], f->buf[1]) : draw_matching(e->net, &rng, w);
    f->src = f->buf[0];
    f->dst = f->buf[1];
    f->simple = true; /* each endpoint sends and receives at most once */
    hd_loads_run(l);
    for (uint32_t k = 0; k < l->npath; k++) {
        const uint64_t most = hd_bottleneck(l, k);
        w->sum += most < SHARES ? e->share[most] : ((uint64_t)1 << 32) / most;
    }
    w->pairs += f->n;
}

static hd_status share_estimate_worker_init(struct hd_ctx *ctx, const struct hd_loader *loader, uint32_t nep,
                                            struct estimate_worker *w)
{
    w->work = HD_NEW(&w->arena, uint32_t, 2 * (size_t)nep);
    if (!w->work) return hd_fail_memory(ctx);
    return hd_loads_init(ctx, &w->arena, loader, nep, 1, &w->loads);
}

static hd_status add_samples(struct hd_ctx *ctx, const struct estimate *e, struct estimate_worker *w, int threads,
                             uint32_t samples)
{
#pragma omp parallel for schedule(dynamic, AT_ONCE) num_threads(threads)
    for (uint32_t i = 0; i < samples; i++) add_sample(e, i, &w[hd_thread_id()]);
    for (int t = 0; t < threads; t++) {
        if (w[t].loads.failed) return hd_fail_memory(ctx);
        w[0].sum += t ? w[t].sum : 0;
        w[0].pairs += t ? w[t].pairs : 0;
    }
    return HD_OK;
}

hd_status hd_share_estimate(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_demand *demand,
                            uint32_t samples, double *share)
{
    const int threads = hd_threads(ctx);
    struct estimate e = {.net = hd_routes_net(r), .demand = demand, .seed = ctx->seed};
    const struct hd_loader_in in = {.routes = r, .flows = (uint64_t)samples * (hd_routes_net(r)->nsel / 2)};
    const struct hd_loader *loader = NULL;
    struct hd_arena scratch = {0};
    for (uint64_t most = 1; most < SHARES; most++) e.share[most] = ((uint64_t)1 << 32) / most;
    struct estimate_worker *w = HD_NEW(&scratch, struct estimate_worker, (size_t)threads);
    hd_status s = w ? hd_loader_make(ctx, &scratch, &in, &loader) : hd_fail_memory(ctx);
    for (int t = 0; s == HD_OK && t < threads; t++)
        s = share_estimate_worker_init(ctx, loader, hd_routes_net(r)->nep, &w[t]);
    if (s == HD_OK) s = add_samples(ctx, &e, w, threads, samples);
    if (s == HD_OK) *share = w->pairs ? (double)w->sum / 4294967296.0 / (double)w->pairs : 0;
    for (int t = 0; w && t < threads; t++) hd_arena_release(&w[t].arena);
    hd_arena_release(&scratch);
    return s;
}
