/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/share_estimate.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/threads.h"

struct worker {
    uint32_t *work, *src, *dst, *load;
    uint64_t sum, pairs; /* sum: shares in 2^-32 */
};

static uint32_t walk(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t *load, bool add)
{
    const struct hd_net *net = r->net;
    const uint8_t *row = r->table + (size_t)d * net->nsw;
    uint32_t v = hd_leaf(net, s), t = hd_leaf(net, d), most = 1;
    while (v != t) {
        if (row[v] == HD_SLOT_NONE) return UINT32_MAX; /* another part of the network */
        uint32_t c = net->off[v] + row[v];
        if (add)
            load[c]++;
        else if (load[c] > most)
            most = load[c];
        v = net->head[c];
    }
    return most;
}

static uint32_t draw_matching(const struct hd_net *net, struct hd_rng *rng, struct worker *w)
{
    uint32_t n = net->nsel / 2;
    for (uint32_t i = 0; i < net->nsel; i++) w->work[i] = net->sel[i];
    hd_rng_shuffle(rng, w->work, net->nsel);
    for (uint32_t i = 0; i < n; i++) {
        w->src[i] = w->work[2 * i];
        w->dst[i] = w->work[2 * i + 1];
    }
    return n;
}

static void draw(const struct hd_routes *r, const struct hd_demand *demand, uint64_t seed, uint32_t sample,
                 struct worker *w)
{
    const struct hd_net *net = r->net;
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_SEARCH, sample);
    uint32_t n = demand ? hd_demand_draw(demand, &rng, w->work, w->src, w->dst) : draw_matching(net, &rng, w);
    for (uint32_t c = 0; c < net->nchan; c++) w->load[c] = 0;
    for (uint32_t i = 0; i < n; i++) walk(r, w->src[i], w->dst[i], w->load, true);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t most = walk(r, w->src[i], w->dst[i], w->load, false);
        if (most != UINT32_MAX) w->sum += ((uint64_t)1 << 32) / most;
    }
    w->pairs += n;
}

hd_status hd_share_estimate(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_demand *demand,
                            uint32_t samples, double *share)
{
    int threads = hd_threads(ctx);
    struct hd_arena scratch = {0};
    struct worker *w = HD_NEW(&scratch, struct worker, (size_t)threads);
    bool ok = w != NULL;
    for (int i = 0; ok && i < threads; i++) {
        w[i].work = HD_NEW(&scratch, uint32_t, 2 * (size_t)r->net->nep);
        w[i].src = HD_NEW(&scratch, uint32_t, r->net->nep);
        w[i].dst = HD_NEW(&scratch, uint32_t, r->net->nep);
        w[i].load = HD_NEW(&scratch, uint32_t, r->net->nchan);
        ok = w[i].work && w[i].src && w[i].dst && w[i].load;
    }
    if (ok) {
        uint64_t sum = 0, pairs = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (uint32_t i = 0; i < samples; i++) draw(r, demand, ctx->seed, i, &w[hd_thread_id()]);
        for (int i = 0; i < threads; i++) {
            sum += w[i].sum;
            pairs += w[i].pairs;
        }
        *share = pairs ? (double)sum / 4294967296.0 / (double)pairs : 0;
    }
    hd_arena_release(&scratch);
    return ok ? HD_OK : hd_fail_memory(ctx);
}
