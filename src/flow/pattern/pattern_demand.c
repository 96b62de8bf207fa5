/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic demands: everything that is sent counts at once.
 *   alltoall   every ordered pair, one stage
 *   uniform    every ordered pair with probability p
 *   clustered  random groups of one size, every ordered pair inside a group
 * A sample holds its flows one by one, so it is refused above HD_MAX_FLOWS. */
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"

#include <math.h>
#include <string.h>

struct demand_state {
    struct hd_pattern_state base;
    uint32_t size;      /* of a group */
    uint64_t threshold; /* a pair sends when 32 random bits are below */
};

static hd_status demand_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    return hd_pattern_state_make(ctx, arena, in, sizeof(struct demand_state), state);
}

/* Makes room for so many flows. */
static hd_status demand_room(struct hd_ctx *ctx, const char *name, double flows, struct demand_state *s)
{
    if (flows > HD_MAX_FLOWS)
        return hd_fail(ctx, HD_INPUT, "%s: %u ranks make %.0f flows at once, at most %d can be held", name,
                       s->base.ranks->n, flows, HD_MAX_FLOWS);
    s->base.max_flows = (uint32_t)flows;
    return HD_OK;
}

/* Every ordered pair of the n endpoints, behind the flows there are. */
static void add_all_pairs(struct hd_flows *f, const uint32_t *ep, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (j == i) continue;
            f->buf[0][f->n] = ep[i];
            f->buf[1][f->n++] = ep[j];
        }
}

/* ---- alltoall ------------------------------------------------------------------------------- */

static hd_status init_alltoall(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    HD_TRY(demand_init(ctx, arena, in, state));
    struct demand_state *s = *state;
    s->base.stages = 1;
    return demand_room(ctx, "alltoall", (double)in->ranks->n * (in->ranks->n - 1), s);
}

static void draw_alltoall(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct hd_ranks *ranks = ((const struct hd_pattern_state *)state)->ranks;
    (void)rng, (void)stage;
    hd_flows_begin(f, ranks->n == 2);
    add_all_pairs(f, ranks->ep, ranks->n);
}

const struct hd_pattern hd_pattern_alltoall = {
    .desc = {.name = "alltoall",
             .summary = "every rank sends to every other, all at once",
             .text =
                 "One stage with all ordered pairs, for at most 8192 ranks. shift has the same pairs stage by stage.",
             .examples = (const char *const[]){"alltoall", NULL},
             .opt_size = 1},
    .init = init_alltoall,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = draw_alltoall};

/* ---- uniform -------------------------------------------------------------------------------- */

struct uniform_opt {
    double p;
};

/* Room is kept for twelve standard deviations above the mean; a sample beyond (never seen, below 1e-30) is
 * drawn again, and so is one without any flow. */
static hd_status init_uniform(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    double p = ((const struct uniform_opt *)in->opt)->p;
    HD_TRY(demand_init(ctx, arena, in, state));
    struct demand_state *s = *state;
    double pairs = (double)in->ranks->n * (in->ranks->n - 1),
           most = ceil(pairs * p + 12 * sqrt(pairs * p * (1 - p)) + 64);
    s->threshold = (uint64_t)(p * 0x1p32 + 0.5);
    return demand_room(ctx, "uniform", most < pairs ? most : pairs, s);
}

static bool try_uniform(const struct demand_state *s, struct hd_rng *rng, struct hd_flows *f)
{
    const struct hd_ranks *ranks = s->base.ranks;
    f->n = 0;
    for (uint32_t i = 0; i < ranks->n; i++)
        for (uint32_t j = 0; j < ranks->n; j++) {
            if (j == i || hd_rng_u32(rng) >= s->threshold) continue;
            if (f->n == s->base.max_flows) return false;
            f->buf[0][f->n] = ranks->ep[i];
            f->buf[1][f->n++] = ranks->ep[j];
        }
    return f->n > 0;
}

static void draw_uniform(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    (void)stage;
    hd_flows_begin(f, false);
    while (!try_uniform(state, rng, f)) continue;
    f->simple = f->n == 1;
}

const struct hd_pattern hd_pattern_uniform = {
    .desc = {.name = "uniform",
             .summary = "every ordered pair sends one unit with probability p",
             .text = "Random samples. A sample without flows is drawn again.",
             .cite = "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with "
                     "uncertain traffic demands",
             .params = (const struct hd_param[]){{"p", HD_REAL, "0.1", "probability that a pair sends",
                                                  offsetof(struct uniform_opt, p), 0.000001, 1, NULL, true},
                                                 {0}},
             .examples = (const char *const[]){"uniform:p=0.1", NULL},
             .opt_size = sizeof(struct uniform_opt)},
    .init = init_uniform,
    .max_flows = hd_pattern_max_flows,
    .draw = draw_uniform};

/* ---- clustered ------------------------------------------------------------------------------ */

struct clustered_opt {
    uint64_t size;
};

static hd_status init_clustered(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,
                                void **state)
{
    uint64_t size = ((const struct clustered_opt *)in->opt)->size, n = in->ranks->n;
    HD_TRY(demand_init(ctx, arena, in, state));
    struct demand_state *s = *state;
    s->size = (uint32_t)(size < n ? size : n);
    return demand_room(ctx, "clustered", (double)n * (s->size - 1), s);
}

static void draw_clustered(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct demand_state *s = state;
    uint32_t n = s->base.ranks->n, *ep = f->buf[2]; /* no weights: free for the shuffled ranks */
    (void)stage;
    memcpy(ep, s->base.ranks->ep, n * sizeof *ep);
    hd_rng_shuffle(rng, ep, n);
    hd_flows_begin(f, s->size == 2);
    for (uint32_t at = 0; at < n; at += s->size) add_all_pairs(f, ep + at, n - at < s->size ? n - at : s->size);
}

const struct hd_pattern hd_pattern_clustered = {
    .desc = {.name = "clustered",
             .summary = "random groups of one size, all-to-all inside each",
             .text = "Random samples: the ranks are dealt into groups, and every member of a group sends one unit to "
                     "every other. Where the size does not divide the ranks the last group is smaller.",
             .cite = "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with "
                     "uncertain traffic demands",
             .params = (const struct hd_param[]){{"size", HD_UINT, "8", "ranks in a group",
                                                  offsetof(struct clustered_opt, size), 2, 4294967295.0, NULL, true},
                                                 {0}},
             .examples = (const char *const[]){"clustered:size=8", NULL},
             .opt_size = sizeof(struct clustered_opt)},
    .init = init_clustered,
    .max_flows = hd_pattern_max_flows,
    .draw = draw_clustered};
