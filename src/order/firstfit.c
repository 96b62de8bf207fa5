/* SPDX-License-Identifier: BSD-2-Clause */
/* All-to-all in stages in which no two flows meet: each flow goes into the first stage in which its source, its
 * destination and all its channels are free. Flows come by distance, either over virtual slots (on a real-life
 * fat tree under dmodk nearly free of clashes already, so that first-fit only closes the gaps), or over ranks in
 * a shuffled order; the shorter result is kept.
 *
 * Every source, destination and channel has a bit for each stage of a window that ends at the last stage in use;
 * gaps further back are given up (few are left there, and looking for them is what takes the time). The words of
 * one of them lie together, a ring of `ring` words, word w at w mod ring. low[x] is the first word of x that is not yet full.
 * Cost: some words a flow; 10^8 flows in seconds.
 * Only channels that can carry two flows of a stage are looked at (ways.h). */
#include "base/rng.h"
#include "base/status.h"
#include "order/keys.h"
#include "order/schedule.h"
#include "order/ways.h"

#include <stdio.h>
#include <string.h>

enum {
    BOTH_LIMIT = 3000, /* ranks up to which both runs are made; beyond, the shuffled one in a narrow window does */
    WIDE = 64,         /* words of the window */
    NARROW = 16,
    AHEAD = 8, /* flows whose words are asked for early */
};

struct fit {
    struct hd_ctx *ctx;
    const struct hd_ways *ways;
    const uint32_t *order; /* node of a rank */
    uint32_t n;
    size_t nres; /* sources, destinations, channels */
    struct hd_arena arena;
    uint64_t *busy; /* [nres * ring] */
    uint32_t ring;  /* a power of two */
    uint32_t base;  /* first word of the window */
    uint32_t *low;
    struct hd_plan *plan;
    uint64_t stages;
};

/* The window moves on by one word: the oldest stages are closed, and 64 new ones are free for all. */
static hd_status advance(struct fit *f)
{
    uint32_t slot = f->base % f->ring;
    f->base++;
    for (size_t x = 0; x < f->nres; x++) f->busy[x * f->ring + slot] = 0;
    return hd_plan_reach(f->ctx, f->plan, (uint64_t)(f->base + f->ring) * 64 - 1);
}

/* Marks the stage in one resource and moves its first word with room. */
static inline void occupy(struct fit *f, uint32_t x, uint32_t w, uint64_t bit)
{
    uint64_t *busy = f->busy + (size_t)x * f->ring;
    busy[w & (f->ring - 1)] |= bit;
    if (w != f->low[x]) return;
    while (f->low[x] < f->base + f->ring && busy[f->low[x] & (f->ring - 1)] == UINT64_MAX) f->low[x]++;
}

static hd_status place(struct fit *f, uint32_t s, uint32_t d)
{
    uint32_t res[2 + HD_MAX_HOPS], nres = 2, mask = f->ring - 1, w = f->base;
    const uint64_t *busy[2 + HD_MAX_HOPS];
    res[0] = s;
    res[1] = f->n + d;
    for (uint32_t k = 0; k < f->ways->nrail; k++) {
        const uint32_t *way = hd_way(f->ways, f->order[s], f->order[d], k);
        for (uint32_t j = 0; j < f->ways->width && way[j] != f->ways->nchan; j++) res[nres++] = 2 * f->n + way[j];
    }
    for (uint32_t i = 0; i < nres; i++) {
        if (f->low[res[i]] > w) w = f->low[res[i]];
        busy[i] = f->busy + (size_t)res[i] * f->ring;
    }
    for (;; w++) {
        if (w >= f->base + f->ring) HD_TRY(advance(f));
        uint64_t taken = busy[0][w & mask] | busy[1][w & mask];
        for (uint32_t i = 2; i < nres; i++) taken |= busy[i][w & mask];
        if (taken == UINT64_MAX) continue;
        uint32_t bit = (uint32_t)__builtin_ctzll(~taken);
        for (uint32_t i = 0; i < nres; i++) {
            if (f->low[res[i]] < f->base) f->low[res[i]] = f->base;
            occupy(f, res[i], w, (uint64_t)1 << bit);
        }
        uint64_t stage = (uint64_t)w * 64 + bit;
        hd_plan_set(f->plan, stage, s, d);
        if (stage >= f->stages) f->stages = stage + 1;
        return HD_OK;
    }
}

static hd_status init_fit(struct fit *f)
{
    f->nres = 2 * (size_t)f->n + f->ways->nchan;
    uint32_t most = f->n > BOTH_LIMIT ? NARROW : WIDE;
    for (f->ring = 2; f->ring < most && (uint64_t)f->ring * 32 < f->n; f->ring *= 2) continue;
    f->low = HD_NEW(&f->arena, uint32_t, f->nres);
    f->busy = HD_NEW(&f->arena, uint64_t, f->nres * f->ring);
    if (!f->low || !f->busy) return hd_fail_memory(f->ctx);
    return hd_plan_reach(f->ctx, f->plan, (uint64_t)f->ring * 64 - 1);
}

/* Flows by distance over positions; at[p] is the rank in position p, UINT32_MAX: nobody. */
static hd_status run_positions(struct fit *f, const uint32_t *at, uint64_t v)
{
    for (uint64_t shift = 1; shift < v; shift++) {
        if (shift % 64 == 0) hd_progress(f->ctx, "schedule", shift, v);
        for (uint64_t p = 0; p < v; p++) {
            uint64_t q = p + shift < v ? p + shift : p + shift - v;
            if (at[p] != UINT32_MAX && at[q] != UINT32_MAX) HD_TRY(place(f, at[p], at[q]));
        }
    }
    hd_progress(f->ctx, "schedule", v, v);
    return HD_OK;
}

static inline void fetch(const struct fit *f, uint32_t s, uint32_t d)
{
    __builtin_prefetch(hd_way(f->ways, f->order[s], f->order[d], 0));
    __builtin_prefetch(f->busy + (size_t)s * f->ring);
    __builtin_prefetch(f->busy + (size_t)(f->n + d) * f->ring);
}

/* The same distances over ranks, but sources in a shuffled order. */
static hd_status run_shuffled(struct fit *f, uint32_t *source)
{
    struct hd_rng rng;
    hd_rng_init(&rng, f->ctx->seed, HD_RNG_SEARCH, 2);
    for (uint32_t i = 0; i < f->n; i++) source[i] = i;
    hd_rng_shuffle(&rng, source, f->n);
    for (uint32_t shift = 1; shift < f->n; shift++) {
        if (shift % 64 == 0) hd_progress(f->ctx, "schedule", shift, f->n);
        for (uint32_t i = 0; i < f->n; i++) {
            if (i + AHEAD < f->n) fetch(f, source[i + AHEAD], (source[i + AHEAD] + shift) % f->n);
            HD_TRY(place(f, source[i], (source[i] + shift) % f->n));
        }
    }
    hd_progress(f->ctx, "schedule", f->n, f->n);
    return HD_OK;
}

struct work {
    struct hd_scene scene;
    struct hd_keys keys;
    struct hd_ways ways;
    struct hd_slots slots;
    const uint32_t *order;
    uint32_t *at; /* [slots.v] rank in each virtual slot; then scratch */
    bool have_slots;
};

/* The smaller of the two virtual-slot forms, unless holes would make it slower than it is worth. */
static hd_status choose_slots(struct hd_ctx *ctx, struct hd_arena *a, struct work *w)
{
    uint32_t n = w->keys.n, *rank = HD_NEW(a, uint32_t, n);
    if (!rank) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) rank[w->order[i]] = i;
    w->slots.v = UINT64_MAX;
    for (int form = 0; form < HD_SLOT_FORMS; form++) {
        struct hd_slots s;
        HD_TRY(hd_slots_make(ctx, a, &w->keys, (enum hd_slot_form)form, &s));
        if (s.v < w->slots.v) w->slots = s;
    }
    w->have_slots = w->slots.v <= 8 * (uint64_t)n + 64;
    uint64_t v = w->have_slots ? w->slots.v : n;
    w->at = HD_NEW(a, uint32_t, v > n ? v : n);
    if (!w->at) return hd_fail_memory(ctx);
    memset(w->at, 0xff, v * sizeof *w->at);
    for (uint32_t i = 0; i < n; i++) w->at[w->have_slots ? w->slots.pos[i] : rank[i]] = rank[i];
    if (!w->have_slots) w->slots.v = n;
    return HD_OK;
}

static hd_status fit(struct hd_ctx *ctx, struct work *w, bool shuffled, struct hd_schedule **schedule)
{
    struct hd_schedule *s = NULL;
    struct fit f = {.ctx = ctx, .ways = &w->ways, .order = w->order, .n = w->ways.n};
    HD_TRY(hd_schedule_new(ctx, f.n, &s, &f.plan));
    hd_status status = init_fit(&f);
    if (status == HD_OK) status = shuffled ? run_shuffled(&f, w->at) : run_positions(&f, w->at, w->slots.v);
    hd_arena_release(&f.arena);
    if (status != HD_OK) {
        hd_schedule_free(s);
        return status;
    }
    s->stages = f.stages;
    snprintf(s->how, sizeof s->how, "first fit%s", shuffled ? ", shuffled" : w->have_slots ? " over virtual slots" : "");
    *schedule = s;
    return HD_OK;
}

static hd_status make(struct hd_ctx *ctx, struct hd_arena *a, struct work *w, struct hd_schedule **schedule)
{
    struct hd_schedule *first = NULL, *second = NULL;
    uint64_t bound = 0;
    if (!w->scene.single)
        return hd_fail(ctx, HD_INPUT, "schedule: does not apply to %.200s: pairs use several paths at once",
                       hd_routes_spec(w->scene.routes));
    if (w->scene.nodes->nrail * w->scene.stride > HD_MAX_HOPS)
        return hd_fail(ctx, HD_INPUT, "schedule: paths on %u rails are too long together", w->scene.nodes->nrail);
    HD_TRY(hd_keys_init(ctx, a, &w->scene, &w->keys));
    HD_TRY(hd_ways_init(ctx, a, &w->scene, &w->ways));
    HD_TRY(hd_scene_bound(ctx, &w->scene, &bound));
    HD_TRY(choose_slots(ctx, a, w));
    bool both = w->keys.n <= BOTH_LIMIT;
    HD_TRY(fit(ctx, w, !both, &first));
    if (first->stages > bound && both) {
        hd_status s = fit(ctx, w, true, &second);
        if (s != HD_OK) {
            hd_schedule_free(first);
            return s;
        }
        bool shorter = second->stages < first->stages;
        hd_schedule_free(shorter ? first : second);
        if (shorter) first = second;
    }
    first->bound = bound;
    *schedule = first;
    return HD_OK;
}

hd_status hd_schedule_alltoall(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                               const uint32_t *order, struct hd_schedule **schedule)
{
    struct hd_arena a = {0};
    struct work w = {.order = order};
    hd_status s = hd_scene_init(ctx, &a, r, nodes, &w.scene);
    if (s == HD_OK) s = make(ctx, &a, &w, schedule);
    hd_arena_release(&a);
    return s;
}

/* ---- virtual slots as they are --------------------------------------------------------------- */

static hd_status fill_slots(struct hd_ctx *ctx, struct work *w, struct hd_plan *plan)
{
    uint64_t v = w->slots.v;
    for (uint64_t shift = 1; shift < v; shift++) {
        HD_TRY(hd_plan_reach(ctx, plan, shift - 1));
        for (uint64_t p = 0; p < v; p++) {
            uint64_t q = p + shift < v ? p + shift : p + shift - v;
            if (w->at[p] != UINT32_MAX && w->at[q] != UINT32_MAX) hd_plan_set(plan, shift - 1, w->at[p], w->at[q]);
        }
    }
    return HD_OK;
}

static hd_status make_slots(struct hd_ctx *ctx, struct hd_arena *a, struct work *w, struct hd_schedule *s)
{
    HD_TRY(hd_keys_init(ctx, a, &w->scene, &w->keys));
    HD_TRY(hd_scene_bound(ctx, &w->scene, &s->bound));
    HD_TRY(choose_slots(ctx, a, w));
    if (!w->have_slots)
        return hd_fail(ctx, HD_INPUT, "schedule: virtual slots would take more than 8 stages for each of the %u ranks", s->n);
    HD_TRY(fill_slots(ctx, w, s->plan));
    s->stages = w->slots.v ? w->slots.v - 1 : 0;
    snprintf(s->how, sizeof s->how, "Shift over %llu virtual slots", (unsigned long long)w->slots.v);
    return HD_OK;
}

hd_status hd_schedule_slots(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                            const uint32_t *order, struct hd_schedule **schedule)
{
    struct hd_arena a = {0};
    struct work w = {.order = order};
    struct hd_schedule *s = NULL;
    struct hd_plan *plan = NULL;
    HD_TRY(hd_schedule_new(ctx, nodes->n, &s, &plan));
    hd_status status = hd_scene_init(ctx, &a, r, nodes, &w.scene);
    if (status == HD_OK) status = make_slots(ctx, &a, &w, s);
    hd_arena_release(&a);
    if (status == HD_OK) *schedule = s;
    else hd_schedule_free(s);
    return status;
}
