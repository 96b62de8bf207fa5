/* SPDX-License-Identifier: BSD-2-Clause */
/* All-to-all in stages in which no two flows meet: each flow goes into the first stage in which its source, its
 * destination and all its channels are free. Flows come by distance, either over virtual slots (on a real-life
 * fat tree under dmodk nearly free of clashes already, so that first-fit only closes the gaps), or over ranks in
 * shuffled orders, also those over the fullest channels first; the shortest result is kept.
 *
 * Every source, destination and channel has a bit for each stage of a window that ends at the last stage in use;
 * gaps further back are given up (few are left there, and looking for them is what takes the time). The words of
 * one of them lie together, a ring of `ring` words, word w at w mod ring, and are looked at eight by eight.
 * Cost: some words per flow; 10^8 flows in seconds.
 * Only channels that can carry two flows of a stage are looked at (path_matrix.h). */
#include "base/rng.h"
#include "base/status.h"
#include "order/shift_keys.h"
#include "order/schedule.h"
#include "order/path_matrix.h"
#include "order/order_check.h"

#include <stdio.h>
#include <string.h>

enum {
    BOTH_LIMIT = 3000, /* ranks up to which both runs are made; beyond, the shuffled one in a narrow window does */
    WIDE = 64,         /* words of the window */
    NARROW = 16,
    STRETCH = 32, /* ranks shuffled together in that case */
    CHUNK = 8,
    ATTEMPTS = 400,
    ATTEMPTS_WORK = 8000000, /* flows */
    AHEAD = 12,              /* flows whose words are asked for early */
};

struct fit {
    struct hd_ctx *ctx;
    const struct hd_path_matrix *matrix;
    const uint32_t *order; /* node of a rank */
    uint32_t n;
    size_t nres; /* sources, destinations, channels */
    struct hd_arena arena;
    uint64_t *busy; /* [nres * ring] */
    uint32_t ring;  /* a power of two */
    uint32_t base;  /* first word of the window */
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

/* What a flow needs to itself: source, destination, channels. */
static inline uint32_t list_needs(const struct fit *f, uint32_t s, uint32_t d, uint64_t **busy)
{
    uint32_t n = 2;
    busy[0] = f->busy + (size_t)s * f->ring;
    busy[1] = f->busy + (size_t)(f->n + d) * f->ring;
    for (uint32_t k = 0; k < f->matrix->nrail; k++) {
        const uint32_t *way = hd_path_matrix_at(f->matrix, f->order[s], f->order[d], k);
        for (uint32_t j = 0; j < f->matrix->width && way[j] != f->matrix->nchan; j++)
            busy[n++] = f->busy + (2 * (size_t)f->n + way[j]) * f->ring;
    }
    return n;
}

static hd_status fit_place(struct fit *f, uint32_t s, uint32_t d)
{
    uint64_t *busy[2 + HD_MAX_HOPS], taken[CHUNK];
    uint32_t n = list_needs(f, s, d, busy), mask = f->ring - 1, w = f->base;
    for (;;) {
        uint32_t chunk = w & mask & ~(uint32_t)(CHUNK - 1), end = w - w % CHUNK + CHUNK;
        for (uint32_t j = 0; j < CHUNK; j++) taken[j] = busy[0][chunk + j] | busy[1][chunk + j];
        for (uint32_t i = 2; i < n; i++)
            for (uint32_t j = 0; j < CHUNK; j++) taken[j] |= busy[i][chunk + j];
        if (end > f->base + f->ring) end = f->base + f->ring;
        while (w < end && taken[w % CHUNK] == UINT64_MAX) w++;
        if (w < end) break;
        if (w == f->base + f->ring) HD_TRY(advance(f));
    }
    uint32_t bit = (uint32_t)__builtin_ctzll(~taken[w % CHUNK]);
    for (uint32_t i = 0; i < n; i++) busy[i][w & mask] |= (uint64_t)1 << bit;
    uint64_t stage = (uint64_t)w * 64 + bit;
    hd_plan_set(f->plan, stage, s, d);
    if (stage >= f->stages) f->stages = stage + 1;
    return HD_OK;
}

static hd_status init_fit(struct fit *f)
{
    f->nres = 2 * (size_t)f->n + f->matrix->nchan;
    uint32_t most = f->n > BOTH_LIMIT ? NARROW : WIDE;
    for (f->ring = CHUNK; f->ring < most && (uint64_t)f->ring * 16 < f->n; f->ring *= 2) continue;
    uint64_t *busy = HD_NEW(&f->arena, uint64_t, f->nres * f->ring + CHUNK);
    if (!busy) return hd_fail_memory(f->ctx);
    f->busy = (uint64_t *)(((uintptr_t)busy + 63) & ~(uintptr_t)63); /* a chunk is one line of the cache */
    return hd_plan_reach(f->ctx, f->plan, (uint64_t)f->ring * 64 - 1);
}

/* Flows by distance over positions; at[p] is the rank in position p, UINT32_MAX: none. */
static hd_status run_positions(struct fit *f, const uint32_t *at, uint64_t v)
{
    for (uint64_t shift = 1; shift < v; shift++) {
        if (shift % 64 == 0) hd_progress(f->ctx, "schedule", shift, v);
        for (uint64_t p = 0; p < v; p++) {
            uint64_t q = p + shift < v ? p + shift : p + shift - v;
            if (at[p] != UINT32_MAX && at[q] != UINT32_MAX) HD_TRY(fit_place(f, at[p], at[q]));
        }
    }
    hd_progress(f->ctx, "schedule", v, v);
    return HD_OK;
}

/* Asks for the words of a flow that is to come, and for the path of one twice as far ahead. */
static inline void fetch(const struct fit *f, const uint32_t *source, uint32_t i, uint32_t shift)
{
    if (i + 2 * AHEAD < f->n) {
        uint32_t s = source[i + 2 * AHEAD];
        __builtin_prefetch(hd_path_matrix_at(f->matrix, f->order[s], f->order[(s + shift) % f->n], 0));
    }
    if (i + AHEAD < f->n) {
        uint64_t *busy[2 + HD_MAX_HOPS];
        uint32_t s = source[i + AHEAD], n = list_needs(f, s, (s + shift) % f->n, busy), last = f->ring / CHUNK;
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t c = 0; c < last && c < 2; c++) __builtin_prefetch(busy[k] + c * CHUNK);
    }
}

/* All ranks, in stretches of that length put in random order: neighbours use neighbouring words. */
static void shuffle_stretches(struct hd_rng *rng, uint32_t *source, uint32_t n, uint32_t length)
{
    uint32_t count = n / length;
    for (uint32_t i = 0; i < n; i++) source[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        uint32_t j = hd_rng_below(rng, i + 1);
        for (uint32_t k = 0; k < length; k++) {
            uint32_t x = source[i * length + k];
            source[i * length + k] = source[j * length + k];
            source[j * length + k] = x;
        }
    }
}

/* The same distances over ranks, but sources in a shuffled order. */
static hd_status run_shuffled(struct fit *f, uint32_t *source, uint32_t attempt)
{
    struct hd_rng rng;
    hd_rng_init(&rng, f->ctx->seed, HD_RNG_SEARCH, 1 + attempt);
    shuffle_stretches(&rng, source, f->n, f->n > BOTH_LIMIT ? STRETCH : 1);
    for (uint32_t shift = 1; shift < f->n; shift++) {
        if (shift % 64 == 0) hd_progress(f->ctx, "schedule", shift, f->n);
        for (uint32_t i = 0; i < f->n; i++) {
            fetch(f, source, i, shift);
            HD_TRY(fit_place(f, source[i], (source[i] + shift) % f->n));
        }
    }
    hd_progress(f->ctx, "schedule", f->n, f->n);
    return HD_OK;
}

/* Flows over the fullest channels first, in a few classes, each by distance from shuffled sources. */
static hd_status run_heavy(struct fit *f, const uint32_t *source, const uint64_t *load, uint64_t most)
{
    static const uint64_t percent[] = {101, 95, 80, 50, 0}; /* classes between these parts of the largest load */
    for (int c = 0; c < 4; c++)
        for (uint32_t shift = 1; shift < f->n; shift++)
            for (uint32_t i = 0; i < f->n; i++) {
                uint32_t s = source[i], d = (s + shift) % f->n;
                uint64_t heavy = 0;
                for (uint32_t k = 0; k < f->matrix->nrail; k++) {
                    const uint32_t *way = hd_path_matrix_at(f->matrix, f->order[s], f->order[d], k);
                    for (uint32_t j = 0; j < f->matrix->width && way[j] != f->matrix->nchan; j++)
                        if (load[way[j]] > heavy) heavy = load[way[j]];
                }
                if (heavy * 100 >= most * percent[c] || heavy * 100 < most * percent[c + 1]) continue;
                HD_TRY(fit_place(f, s, d));
            }
    return HD_OK;
}

static hd_status count_and_run_heavy(struct fit *f, uint32_t *source, uint32_t attempt)
{
    uint64_t most = 1, *load = HD_NEW(&f->arena, uint64_t, (size_t)f->matrix->nchan + 1);
    struct hd_rng rng;
    if (!load) return hd_fail_memory(f->ctx);
    for (uint32_t s = 0; s < f->n; s++)
        for (uint32_t d = 0; d < f->n; d++)
            for (uint32_t k = 0; k < f->matrix->nrail && s != d; k++) {
                const uint32_t *way = hd_path_matrix_at(f->matrix, s, d, k);
                for (uint32_t j = 0; j < f->matrix->width && way[j] != f->matrix->nchan; j++)
                    if (++load[way[j]] > most) most = load[way[j]];
            }
    hd_rng_init(&rng, f->ctx->seed, HD_RNG_SEARCH, 1 + attempt);
    shuffle_stretches(&rng, source, f->n, 1);
    return run_heavy(f, source, load, most);
}

/* Once more, a stage of an earlier schedule after the other in another order of stages: the flows of one stage can
 * always share one again, so the result is never longer and often shorter (Culberson's iterated greedy). Reversed
 * every other time, else shuffled. */
static hd_status run_again(struct fit *f, const struct hd_schedule *before, uint32_t attempt)
{
    uint32_t stages = (uint32_t)before->stages, *order = HD_NEW(&f->arena, uint32_t, stages);
    struct hd_rng rng;
    if (!order) return hd_fail_memory(f->ctx);
    hd_rng_init(&rng, f->ctx->seed, HD_RNG_SEARCH, 1 + attempt);
    for (uint32_t i = 0; i < stages; i++) order[i] = stages - 1 - i;
    if (attempt % 2) hd_rng_shuffle(&rng, order, stages);
    for (uint32_t g = 0; g < stages; g++)
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t to = hd_schedule_to(before, order[g], i);
            if (to != UINT32_MAX) HD_TRY(fit_place(f, i, to));
        }
    return HD_OK;
}

struct fit_work {
    struct hd_job_view view;
    struct hd_keys keys;
    struct hd_path_matrix matrix;
    struct hd_slots slots;
    const uint32_t *order;
    uint32_t *at;     /* [slots.v] rank in each virtual slot */
    uint32_t *source; /* [n] scratch */
    bool have_slots;
};

/* The smaller of the two virtual-slot forms, unless holes would make it slower than it is worth. */
static hd_status choose_slots(struct hd_ctx *ctx, struct hd_arena *a, struct fit_work *w)
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
    w->at = HD_NEW(a, uint32_t, v);
    w->source = HD_NEW(a, uint32_t, n);
    if (!w->at || !w->source) return hd_fail_memory(ctx);
    memset(w->at, 0xff, v * sizeof *w->at);
    for (uint32_t i = 0; i < n; i++) w->at[w->have_slots ? w->slots.pos[i] : rank[i]] = rank[i];
    if (!w->have_slots) w->slots.v = n;
    return HD_OK;
}

/* attempt 0 goes over virtual slots, odd ones over shuffled ranks, even ones fullest channels first. */
static hd_status fit(struct hd_ctx *ctx, struct fit_work *w, uint32_t attempt, const struct hd_schedule *before,
                     struct hd_schedule **schedule)
{
    struct hd_schedule *s = NULL;
    struct fit f = {.ctx = ctx, .matrix = &w->matrix, .order = w->order, .n = w->matrix.n};
    HD_TRY(hd_schedule_new(ctx, f.n, &s, &f.plan));
    hd_status status = init_fit(&f);
    if (status != HD_OK)
        status = HD_LIMIT; /* worded */
    else if (before)
        status = run_again(&f, before, attempt);
    else if (attempt == 0)
        status = run_positions(&f, w->at, w->slots.v);
    else if (attempt % 2)
        status = run_shuffled(&f, w->source, attempt);
    else
        status = count_and_run_heavy(&f, w->source, attempt);
    hd_arena_release(&f.arena);
    if (status != HD_OK) {
        hd_schedule_free(s);
        return status;
    }
    s->stages = f.stages;
    if (before)
        snprintf(s->how, sizeof s->how, "first fit, repeated");
    else
        snprintf(s->how, sizeof s->how, "first fit%s",
                 attempt         ? attempt % 2 ? ", shuffled" : ", fullest channels first"
                 : w->have_slots ? " over virtual slots"
                                 : "");
    *schedule = s;
    return HD_OK;
}

/* The shortest of a few attempts: many for few ranks, where luck counts most and costs least. */
static hd_status fit_best(struct hd_ctx *ctx, struct fit_work *w, uint64_t bound, struct hd_schedule **schedule)
{
    uint64_t flows = (uint64_t)w->keys.n * w->keys.n, attempts = ATTEMPTS_WORK / (flows + 1);
    bool both = w->keys.n <= BOTH_LIMIT;
    struct hd_schedule *best = NULL;
    HD_TRY(fit(ctx, w, both ? 0 : 1, NULL, &best));
    if (attempts < 3) attempts = 3;
    if (attempts > ATTEMPTS) attempts = ATTEMPTS;
    for (uint32_t i = 1; both && i <= attempts && best->stages > bound; i++) {
        struct hd_schedule *other = NULL;
        bool again = i > attempts / 8 + 1;
        hd_status s = fit(ctx, w, i, again ? best : NULL, &other);
        if (s != HD_OK) {
            hd_schedule_free(best);
            return s;
        }
        bool better = again ? other->stages <= best->stages : other->stages < best->stages;
        hd_schedule_free(better ? best : other);
        if (better) best = other;
    }
    best->bound = bound;
    *schedule = best;
    return HD_OK;
}

static hd_status fit_make(struct hd_ctx *ctx, struct hd_arena *a, struct fit_work *w, struct hd_schedule **schedule)
{
    uint64_t bound = 0;
    if (!w->view.single)
        return hd_fail_na(ctx, "schedule", hd_routes_spec(w->view.routes), "pairs use several paths at once");
    if (w->view.nodes->nrail * w->view.stride > HD_MAX_HOPS)
        return hd_fail(ctx, HD_INPUT, "schedule: paths on %u rails are too long together", w->view.nodes->nrail);
    HD_TRY(hd_keys_init(ctx, a, &w->view, &w->keys));
    HD_TRY(hd_path_matrix_init(ctx, a, &w->view, &w->matrix));
    HD_TRY(hd_job_view_bound(ctx, &w->view, &bound));
    HD_TRY(choose_slots(ctx, a, w));
    return fit_best(ctx, w, bound, schedule);
}

hd_status hd_schedule_alltoall(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                               const uint32_t *order, struct hd_schedule **schedule)
{
    struct hd_arena a = {0};
    struct fit_work w = {.order = order};
    HD_TRY(hd_order_given(ctx, nodes, order));
    hd_status s = hd_job_view_init(ctx, &a, r, nodes, &w.view);
    if (s == HD_OK) s = fit_make(ctx, &a, &w, schedule);
    hd_arena_release(&a);
    return s;
}

/* ---- virtual slots as they are --------------------------------------------------------------- */

static hd_status fit_fill_slots(struct hd_ctx *ctx, struct fit_work *w, struct hd_plan *plan)
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

static hd_status make_slots(struct hd_ctx *ctx, struct hd_arena *a, struct fit_work *w, struct hd_schedule *s)
{
    HD_TRY(hd_keys_init(ctx, a, &w->view, &w->keys));
    HD_TRY(hd_job_view_bound(ctx, &w->view, &s->bound));
    HD_TRY(choose_slots(ctx, a, w));
    if (!w->have_slots)
        return hd_fail(ctx, HD_INPUT, "schedule: virtual slots would take more than 8 stages for each of the %u ranks",
                       s->n);
    HD_TRY(fit_fill_slots(ctx, w, s->plan));
    s->stages = w->slots.v ? w->slots.v - 1 : 0;
    snprintf(s->how, sizeof s->how, "Shift over %llu virtual slots", (unsigned long long)w->slots.v);
    return HD_OK;
}

hd_status hd_schedule_slots(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_nodes *nodes,
                            const uint32_t *order, struct hd_schedule **schedule)
{
    struct hd_arena a = {0};
    struct fit_work w = {.order = order};
    struct hd_schedule *s = NULL;
    struct hd_plan *plan = NULL;
    HD_TRY(hd_order_given(ctx, nodes, order));
    HD_TRY(hd_schedule_new(ctx, nodes->n, &s, &plan));
    hd_status status = hd_job_view_init(ctx, &a, r, nodes, &w.view);
    if (status == HD_OK) status = make_slots(ctx, &a, &w, s);
    hd_arena_release(&a);
    if (status == HD_OK)
        *schedule = s;
    else
        hd_schedule_free(s);
    return status;
}
