/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for a ring or for recursive doubling: few stages, so the load of every channel in every stage is
 * kept, and a swap of two ranks walks only the flows they are in. Whatever the tables are, what is annealed is
 * the sum over stages of sqrt(sum over channels of c (c-1) (2c-1) / 6), c the load: large loads weigh most and
 * no stage is given up for the others. Moves take a rank from a flow that clashes and a random partner.
 * O(stages * hops) a move. */
#include "base/rng.h"
#include "base/status.h"
#include "flow/sequence.h"
#include "order/search_stage.h"

#include <math.h>
#include <string.h>

enum { MAX_STAGES = 36 };

struct search {
    const struct hd_scene *scene;
    uint32_t n, stages;
    uint32_t *to[MAX_STAGES], *from[MAX_STAGES]; /* partner of a rank, UINT32_MAX: none */
    uint32_t *load;          /* [stages * (nchan + 1)] */
    uint64_t sum[MAX_STAGES]; /* of c (c-1) (2c-1) / 6 */
    uint32_t *order;
    uint64_t moves;
};

/* Stages as partners of ranks: a circle whose endpoints are the ranks themselves. */
static hd_status make_stages(struct hd_ctx *ctx, struct hd_arena *a, enum hd_sequence q, struct search *s)
{
    struct hd_circle circle;
    uint32_t *self = HD_NEW(a, uint32_t, s->n);
    struct hd_flows f = {0};
    for (int i = 0; i < 3; i++) f.buf[i] = HD_NEW(a, uint32_t, (size_t)s->n + 2);
    if (!self || !f.buf[0] || !f.buf[1] || !f.buf[2]) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < s->n; i++) self[i] = i;
    HD_TRY(hd_circle_init(ctx, a, &(struct hd_ranks){s->n, self}, &circle));
    s->stages = (uint32_t)hd_sequence_stages(q, s->n);
    for (uint32_t g = 0; g < s->stages; g++) {
        s->to[g] = HD_NEW(a, uint32_t, s->n);
        s->from[g] = HD_NEW(a, uint32_t, s->n);
        if (!s->to[g] || !s->from[g]) return hd_fail_memory(ctx);
        memset(s->to[g], 0xff, s->n * sizeof **s->to);
        memset(s->from[g], 0xff, s->n * sizeof **s->from);
        hd_sequence_stage(q, &circle, g, &f);
        for (uint32_t i = 0; i < f.n; i++) {
            s->to[g][f.src[i]] = f.dst[i];
            s->from[g][f.dst[i]] = f.src[i];
        }
    }
    return HD_OK;
}

/* Adds or takes one flow of stage g on all rails. Between c and c+1 flows the sum differs by c^2. */
static void change_flow(struct search *s, uint32_t g, uint32_t src, uint32_t dst, int by)
{
    const struct hd_scene *scene = s->scene;
    uint32_t chan[HD_MAX_HOPS], none = scene->net->nchan, *load = s->load + (size_t)g * (none + 1);
    for (uint32_t k = 0; k < scene->nodes->nrail; k++) {
        hd_scene_path(scene, hd_scene_ep(scene, s->order[src], k), hd_scene_ep(scene, s->order[dst], k), chan);
        for (uint32_t j = 0; j < scene->stride; j++) {
            if (chan[j] == none) continue;
            uint64_t c = by > 0 ? load[chan[j]]++ : --load[chan[j]];
            if (by > 0) s->sum[g] += c * c;
            else s->sum[g] -= c * c;
        }
    }
}

/* All flows of ranks p and q, each once. */
static void change_ranks(struct search *s, uint32_t p, uint32_t q, int by)
{
    for (uint32_t g = 0; g < s->stages; g++) {
        const uint32_t *to = s->to[g], *from = s->from[g];
        if (to[p] != UINT32_MAX) change_flow(s, g, p, to[p], by);
        if (from[p] != UINT32_MAX) change_flow(s, g, from[p], p, by);
        if (to[q] != UINT32_MAX && to[q] != p) change_flow(s, g, q, to[q], by);
        if (from[q] != UINT32_MAX && from[q] != p) change_flow(s, g, from[q], q, by);
    }
}

static void swap(struct search *s, uint32_t p, uint32_t q)
{
    change_ranks(s, p, q, -1);
    uint32_t x = s->order[p];
    s->order[p] = s->order[q];
    s->order[q] = x;
    change_ranks(s, p, q, 1);
}

static double cost(const struct search *s)
{
    double sum = 0;
    for (uint32_t g = 0; g < s->stages; g++) sum += sqrt((double)s->sum[g]);
    return sum;
}

static bool clashes(const struct search *s, uint32_t g, uint32_t src, uint32_t dst)
{
    const struct hd_scene *scene = s->scene;
    uint32_t chan[HD_MAX_HOPS], none = scene->net->nchan;
    const uint32_t *load = s->load + (size_t)g * (none + 1);
    for (uint32_t k = 0; k < scene->nodes->nrail; k++) {
        hd_scene_path(scene, hd_scene_ep(scene, s->order[src], k), hd_scene_ep(scene, s->order[dst], k), chan);
        for (uint32_t j = 0; j < scene->stride; j++)
            if (chan[j] != none && load[chan[j]] > 1) return true;
    }
    return false;
}

/* A rank of a clashing flow: a few tries, then any rank. */
static uint32_t pick(const struct search *s, struct hd_rng *rng)
{
    uint32_t p = 0;
    for (int i = 0; i < 8; i++) {
        uint32_t g = hd_rng_below(rng, s->stages);
        p = hd_rng_below(rng, s->n);
        if (s->sum[g] && s->to[g][p] != UINT32_MAX && clashes(s, g, p, s->to[g][p]))
            return hd_rng_below(rng, 2) ? p : s->to[g][p];
    }
    return p;
}

static void anneal(struct search *s, struct hd_rng *rng, uint32_t *best)
{
    double now = cost(s), least = now, hot = 0.25, cold = 0.005;
    memcpy(best, s->order, s->n * sizeof *best);
    for (uint64_t i = 0; i < s->moves && least > 0; i++) {
        double t = hot * pow(cold / hot, (double)i / (double)s->moves);
        uint32_t p = pick(s, rng), q = hd_rng_below(rng, s->n);
        if (p == q) continue;
        swap(s, p, q);
        double next = cost(s);
        if (next > now && hd_rng_real(rng) >= exp((now - next) / t)) {
            swap(s, p, q);
            continue;
        }
        now = next;
        if (now < least - 1e-9) {
            least = now;
            memcpy(best, s->order, s->n * sizeof *best);
        }
    }
}

hd_status hd_stage_anneal(struct hd_ctx *ctx, const struct hd_scene *scene, enum hd_case use, uint64_t moves,
                          uint32_t *order)
{
    struct hd_arena a = {0};
    struct search s = {.scene = scene, .n = scene->nodes->n, .moves = moves};
    if (s.n < 3 || !scene->single) return HD_OK;
    hd_status status = make_stages(ctx, &a, use == HD_CASE_RING ? HD_SEQ_RING : HD_SEQ_RECDBL, &s);
    s.load = HD_NEW(&a, uint32_t, (size_t)s.stages * (scene->net->nchan + 1));
    s.order = HD_NEW(&a, uint32_t, s.n);
    if (status == HD_OK && (!s.load || !s.order)) status = hd_fail_memory(ctx);
    if (status == HD_OK) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx->seed, HD_RNG_SEARCH, 1);
        memcpy(s.order, order, s.n * sizeof *order);
        for (uint32_t g = 0; g < s.stages; g++)
            for (uint32_t i = 0; i < s.n; i++)
                if (s.to[g][i] != UINT32_MAX) change_flow(&s, g, i, s.to[g][i], 1);
        anneal(&s, &rng, order);
    }
    hd_arena_release(&a);
    return status;
}
