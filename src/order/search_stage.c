/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders under any tables: the load of every channel in every stage is kept, and a swap of two ranks walks only
 * the flows they are in. What is annealed is the sum over stages of sqrt(sum over channels of c (c-1) (2c-1) / 6),
 * c the load: large loads weigh most, and a stage that can be had free of clashes is worth more than two halves.
 * Moves take a rank from the worst of a few flows of a stage and a random partner, or stretches as long as a leaf.
 * O(stages * hops) a move: cheap for a ring and recursive doubling, dear for a Shift of many ranks. */
#include "base/status.h"
#include "flow/core/stages.h"
#include "order/anneal.h"
#include "order/search_stage.h"
#include "order/path_matrix.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 16 }; /* flows of a stage among which the worst is moved: 4 and 64 end higher */

struct stage_search {
    struct hd_anneal anneal; /* cost: sum of the roots of sum; work: channels touched */
    const struct hd_job_view *view;
    struct hd_path_matrix matrix;
    uint32_t n, stages;
    uint32_t *to, *from; /* [stages * n] partner of a rank, UINT32_MAX: none */
    uint16_t *load;      /* [stages * (channels + 1)] */
    uint64_t *sum;       /* [stages] of c (c-1) (2c-1) / 6 */
    uint32_t leaf;       /* the longest stretch to move at once, 0: single ranks only */
};

/* Stages as partners of ranks: a circle whose endpoints are the ranks themselves. */
static hd_status stage_make_stages(struct hd_ctx *ctx, struct hd_arena *a, enum hd_sequence q, struct stage_search *s)
{
    struct hd_circle circle;
    uint32_t *self = HD_NEW(a, uint32_t, s->n);
    struct hd_flows f = {0};
    for (int i = 0; i < 3; i++) f.buf[i] = HD_NEW(a, uint32_t, (size_t)s->n + 2);
    if (!self || !f.buf[0] || !f.buf[1] || !f.buf[2]) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < s->n; i++) self[i] = i;
    HD_TRY(hd_circle_init(ctx, a, &(struct hd_ranks){s->n, self}, &circle));
    s->stages = (uint32_t)hd_sequence_stages(q, s->n);
    size_t cells = (size_t)s->stages * s->n;
    s->to = HD_NEW(a, uint32_t, cells);
    s->from = HD_NEW(a, uint32_t, cells);
    s->sum = HD_NEW(a, uint64_t, s->stages);
    s->load = HD_NEW(a, uint16_t, (size_t)s->stages * (s->matrix.nchan + 1));
    if (!s->to || !s->from || !s->sum || !s->load) return hd_fail_memory(ctx);
    memset(s->to, 0xff, cells * sizeof *s->to);
    memset(s->from, 0xff, cells * sizeof *s->from);
    for (uint32_t g = 0; g < s->stages; g++) {
        hd_sequence_stage(q, &circle, g, &f);
        for (uint32_t i = 0; i < f.n; i++) {
            s->to[(size_t)g * s->n + f.src[i]] = f.dst[i];
            s->from[(size_t)g * s->n + f.dst[i]] = f.src[i];
        }
    }
    return HD_OK;
}

/* Adds or takes one flow of stage g on all rails. Between c and c+1 flows the sum differs by c^2. */
static inline void change_flow(struct stage_search *s, uint32_t g, uint32_t src, uint32_t dst, int by)
{
    const struct hd_path_matrix *w = &s->matrix;
    uint16_t *load = s->load + (size_t)g * (w->nchan + 1);
    for (uint32_t k = 0; k < w->nrail; k++) {
        const uint32_t *way = hd_path_matrix_at(w, s->anneal.order[src], s->anneal.order[dst], k);
        for (uint32_t j = 0; j < w->width; j++) {
            if (way[j] == w->nchan) break;
            uint64_t c = by > 0 ? load[way[j]]++ : --load[way[j]];
            if (by > 0)
                s->sum[g] += c * c;
            else
                s->sum[g] -= c * c;
        }
    }
}

/* All flows of ranks p and q, each once. */
static void change_ranks(struct stage_search *s, uint32_t p, uint32_t q, int by)
{
    for (uint32_t g = 0; g < s->stages; g++) {
        const uint32_t *to = s->to + (size_t)g * s->n, *from = s->from + (size_t)g * s->n;
        double before = s->sum[g] ? sqrt((double)s->sum[g]) : 0;
        if (to[p] != UINT32_MAX) change_flow(s, g, p, to[p], by);
        if (from[p] != UINT32_MAX) change_flow(s, g, from[p], p, by);
        if (to[q] != UINT32_MAX && to[q] != p) change_flow(s, g, q, to[q], by);
        if (from[q] != UINT32_MAX && from[q] != p) change_flow(s, g, from[q], q, by);
        s->anneal.cost += (s->sum[g] ? sqrt((double)s->sum[g]) : 0) - before;
    }
    s->anneal.spent += (uint64_t)s->stages * 4 * s->matrix.width * s->matrix.nrail;
}

static void stage_swap(struct hd_anneal *search, uint32_t p, uint32_t q)
{
    struct stage_search *s = (struct stage_search *)search; /* its first member */
    change_ranks(s, p, q, -1);
    uint32_t x = search->order[p];
    search->order[p] = search->order[q];
    search->order[q] = x;
    change_ranks(s, p, q, 1);
}

/* The largest load on the path of a flow. */
static uint32_t worst_load(const struct stage_search *s, uint32_t g, uint32_t src, uint32_t dst)
{
    const struct hd_path_matrix *w = &s->matrix;
    const uint16_t *load = s->load + (size_t)g * (w->nchan + 1);
    uint32_t worst = 0;
    for (uint32_t k = 0; k < w->nrail; k++) {
        const uint32_t *way = hd_path_matrix_at(w, s->anneal.order[src], s->anneal.order[dst], k);
        for (uint32_t j = 0; j < w->width; j++)
            if (way[j] != w->nchan && load[way[j]] > worst) worst = load[way[j]];
    }
    return worst;
}

static uint32_t leaf_at(const struct stage_search *s, uint32_t rank)
{
    return s->view->leaf[(size_t)s->anneal.order[rank] * s->view->nodes->nrail];
}

/* The stretch of ranks on one leaf that p is in, and as many from another such stretch on. */
static struct hd_stretch pick_leaves(const struct stage_search *s, struct hd_rng *rng)
{
    uint32_t p = hd_rng_below(rng, s->n), q = hd_rng_below(rng, s->n), len = 1;
    while (p && leaf_at(s, p - 1) == leaf_at(s, p)) p--;
    while (q && leaf_at(s, q - 1) == leaf_at(s, q)) q--;
    while (p + len < s->n && leaf_at(s, p + len) == leaf_at(s, p)) len++;
    return hd_stretch_apart(p, q, len < s->leaf ? len : s->leaf, s->n);
}

/* A rank of the worst of a few flows, and a random one. */
static struct hd_stretch stage_pick(const struct hd_anneal *search, struct hd_rng *rng)
{
    const struct stage_search *s = (const struct stage_search *)search;
    if (s->leaf > 1 && hd_rng_below(rng, 4) == 0) return pick_leaves(s, rng);
    struct hd_stretch m = {hd_rng_below(rng, s->n), hd_rng_below(rng, s->n), 1};
    uint32_t g = hd_rng_below(rng, s->stages), worst = 1;
    for (int i = 0; i < LOOKS; i++) {
        uint32_t p = hd_rng_below(rng, s->n), to = s->to[(size_t)g * s->n + p];
        uint32_t load = to != UINT32_MAX ? worst_load(s, g, p, to) : 0;
        if (load <= worst) continue;
        worst = load;
        m.p = hd_rng_below(rng, 2) ? to : p;
    }
    return m;
}

static const enum hd_sequence sequence[HD_CASES] = {
    [HD_CASE_RING] = HD_SEQ_RING, [HD_CASE_SHIFT] = HD_SEQ_SHIFT, [HD_CASE_RECDBL] = HD_SEQ_RECDBL};

hd_status hd_stage_anneal(struct hd_ctx *ctx, const struct hd_job_view *view, enum hd_case use, uint64_t budget,
                          uint32_t *order)
{
    /* temperatures tried on trees of 144 to 1,944 */
    static const struct hd_anneal_how how = {stage_swap, stage_pick, .tries = 64, .batch = 1, .hot = 200, .cold = 2000};
    struct hd_arena a = {0};
    struct stage_search s = {
        .view = view, .n = view->nodes->n, .anneal = {.n = view->nodes->n, .budget = budget, .ctx = ctx}};
    if (s.n < 3 || s.n > 65535 || !view->single) return HD_OK;
    if (use == HD_CASE_SHIFT) s.leaf = s.n;
    hd_status status = hd_path_matrix_init(ctx, &a, view, &s.matrix);
    if (status == HD_OK) status = stage_make_stages(ctx, &a, sequence[use], &s);
    s.anneal.order = HD_NEW(&a, uint32_t, s.n);
    if (status == HD_OK && !s.anneal.order) status = hd_fail_memory(ctx);
    if (status == HD_OK) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx->seed, HD_RNG_SEARCH, 1);
        memcpy(s.anneal.order, order, s.n * sizeof *order);
        for (uint32_t g = 0; g < s.stages; g++)
            for (uint32_t i = 0; i < s.n; i++)
                if (s.to[(size_t)g * s.n + i] != UINT32_MAX) change_flow(&s, g, i, s.to[(size_t)g * s.n + i], 1);
        for (uint32_t g = 0; g < s.stages; g++) s.anneal.cost += sqrt((double)s.sum[g]);
        hd_anneal(&s.anneal, &how, &rng, order);
    }
    hd_arena_release(&a);
    return status;
}
