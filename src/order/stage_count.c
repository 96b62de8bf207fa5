/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the stages of a job against the tables, each by itself, so that any split over threads gives the same sums.
 * O(flows * hops). */
#include "order/stage_count.h"
#include "base/status.h"
#include "base/threads.h"
#include "heddle/extend.h"

enum { WORTH_THREADS = 200000, BLOCK = 1 << 22 }; /* flows of all stages, of those between two looks at the clock */

struct stage_threads { /* one entry per thread each */
    int n;
    struct hd_loads *loads;
    struct hd_flows *spare;
    struct hd_arena *own;
};

static hd_status stage_threads_make(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_job_view *view,
                                    const struct hd_stage_flows *in, struct stage_threads *k)
{
    k->n = in->stages * in->flows < WORTH_THREADS ? 1 : hd_threads(ctx);
    if ((uint64_t)k->n > in->stages) k->n = in->stages ? (int)in->stages : 1;
    k->loads = HD_NEW(a, struct hd_loads, (size_t)k->n);
    k->spare = HD_NEW(a, struct hd_flows, (size_t)k->n);
    k->own = HD_NEW(a, struct hd_arena, (size_t)k->n);
    if (!k->loads || !k->spare || !k->own) return hd_fail_memory(ctx);
    for (int t = 0; t < k->n; t++) {
        HD_TRY(hd_loads_init(ctx, &k->own[t], view->loader, in->flows, 1, &k->loads[t]));
        for (int i = 0; i < 3 && in->room; i++)
            if (!(k->spare[t].buf[i] = HD_NEW(a, uint32_t, (size_t)in->room + 2))) return hd_fail_memory(ctx);
    }
    return HD_OK;
}

struct stage_sums { /* in units of load */
    uint64_t sum, most, time;
};

/* The stages from first to end. */
static void stage_count_block(const struct hd_job_view *view, const struct hd_stage_flows *in,
                              const struct stage_threads *k, uint64_t first, uint64_t end, struct stage_sums *sums)
{
    const bool rated = view->rates->factor && !in->no_rates;
    const uint64_t unit = k->loads[0].unit, full = rated ? unit * view->rates->scale : unit;
    uint64_t sum = 0, most = sums->most, time = 0;
#pragma omp parallel for schedule(dynamic, 4) num_threads(k->n) reduction(+ : sum, time) reduction(max : most)
    for (uint64_t stage = first; stage < end; stage++) {
        int t = hd_thread_id();
        struct hd_loads *l = &k->loads[t];
        in->draw(in->user, stage, &k->spare[t], &l->flows);
        hd_loads_run(l);
        uint64_t degree = hd_loads_count(l), slow = rated ? l->largest : degree;
        if (in->idle && degree < unit) degree = unit;
        sum += degree;
        time += in->idle && !slow ? full : slow;
        if (degree > most) most = degree;
    }
    *sums = (struct stage_sums){sums->sum + sum, most, sums->time + time};
}

/* Where blocks are cut changes nothing: sums are integers. */
static uint64_t block_stages(const struct hd_stage_flows *in, const struct stage_threads *k)
{
    const uint64_t some = BLOCK / (in->flows + 1), least = 4 * (uint64_t)k->n;
    return !in->is_long ? in->stages : some > least ? some : least;
}

static hd_status stage_count_all(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_stage_flows *in,
                                 const struct stage_threads *k, struct hd_hsd *hsd)
{
    const bool rated = view->rates->factor && !in->no_rates;
    const uint64_t stages = in->stages, block = block_stages(in, k), unit = k->loads[0].unit,
                   full = rated ? unit * view->rates->scale : unit;
    struct stage_sums sums = {0};
    for (uint64_t first = 0; first < stages;) {
        const uint64_t end = stages - first < block ? stages : first + block;
        stage_count_block(view, in, k, first, end, &sums);
        first = end;
        if (block < stages) hd_progress(ctx, "stages", first, stages);
        if (in->is_long && first < stages) HD_TRY(hd_go_on(ctx, "counting stages"));
    }
    for (int t = 0; t < k->n; t++)
        if (k->loads[t].failed) return hd_fail_memory(ctx);
    *hsd =
        (struct hd_hsd){stages ? (double)sums.sum / (double)unit / (double)stages : 1, (double)sums.most / (double)unit,
                        sums.time ? (double)stages * (double)full / (double)sums.time : 1, stages};
    return HD_OK;
}

hd_status hd_stage_count(struct hd_ctx *ctx, const struct hd_job_view *view, const struct hd_stage_flows *in,
                         struct hd_hsd *hsd)
{
    struct hd_arena a = {0};
    struct stage_threads k = {0};
    hd_status s = stage_threads_make(ctx, &a, view, in, &k);
    if (s == HD_OK) s = stage_count_all(ctx, view, in, &k, hsd);
    for (int t = 0; k.own && t < k.n; t++) hd_arena_release(&k.own[t]);
    hd_arena_release(&a);
    return s;
}
