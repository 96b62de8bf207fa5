/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequences of stages.h as patterns of their own. */
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"
#include "base/status.h"

struct sequence_state {
    struct hd_pattern_state base;
    enum hd_sequence sequence[2];
    uint64_t first; /* stages of the first */
    struct hd_circle circle;
};

hd_status hd_pattern_sequences(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,
                               const enum hd_sequence *sequence, uint32_t n, void **state)
{
    HD_TRY(hd_pattern_state_make(ctx, arena, in, sizeof(struct sequence_state), state));
    struct sequence_state *s = *state;
    for (uint32_t i = 0; i < n; i++) {
        s->first = s->base.stages;
        s->base.stages += hd_sequence_stages(s->sequence[i] = sequence[i], in->ranks->n);
    }
    if (n == 1) s->first = s->base.stages;
    return hd_circle_init(ctx, arena, in->ranks, &s->circle);
}

void hd_pattern_draw_sequences(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct sequence_state *s = state;
    (void)rng;
    bool second = stage >= s->first;
    hd_sequence_stage(s->sequence[second], &s->circle, second ? stage - s->first : stage, f);
}

#define CITE "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives"

/* A pattern that is one sequence and takes no options. */
#define SEQUENCE(id, name_, sequence, summary_, text_)                                                                 \
    static hd_status init_##id(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,             \
                               void **state)                                                                           \
    {                                                                                                                  \
        return hd_pattern_sequences(ctx, arena, in, &(enum hd_sequence){sequence}, 1, state);                          \
    }                                                                                                                  \
    const struct hd_pattern hd_pattern_##id = {.desc = {.name = name_,                                                 \
                                                        .summary = summary_,                                           \
                                                        .text = text_,                                                 \
                                                        .cite = CITE,                                                  \
                                                        .examples = (const char *const[]){name_, NULL},                \
                                                        .command = "heddle eval ft:m=8,n=2 dmodk -m hsd -p " name_,    \
                                                        .opt_size = 1},                                                \
                                               .init = init_##id,                                                      \
                                               .stages = hd_pattern_stages,                                            \
                                               .max_flows = hd_pattern_max_flows,                                      \
                                               .draw = hd_pattern_draw_sequences}

SEQUENCE(shift, "shift", HD_SEQ_SHIFT, "all-to-all in N-1 stages: rank i sends to rank i+s",
         "Stage s = 1 .. N-1: i sends to i+s mod N. Every one-way sequence (ring, bruck, tournament, binomial) "
         "consists of parts of its stages, so a network on which shift has hot-spot degree 1 serves them all.");

SEQUENCE(ring, "ring", HD_SEQ_RING, "rank i sends to rank i+1", "One stage: i sends to i+1 mod N.");

SEQUENCE(bruck, "bruck", HD_SEQ_BRUCK, "rank i sends to rank i+2^s",
         "Stage s, as long as 2^s < N: i sends to i+2^s mod N. This is what the literature on collectives calls "
         "dissemination; the pattern 'dissemination' of this program is a random pairing.");

SEQUENCE(rev_bruck, "rev-bruck", HD_SEQ_REV_BRUCK, "bruck with its arrows reversed",
         "Stage s, as long as 2^s < N: i+2^s mod N sends to i.");

SEQUENCE(tournament, "tournament", HD_SEQ_TOURNAMENT, "in every stage half of those still in send to the other half",
         "Stage s, as long as 2^s < N: i+2^s sends to i, for i a multiple of 2^(s+1) with i+2^s < N.");

SEQUENCE(recdbl, "recdbl", HD_SEQ_RECDBL, "recursive doubling: ranks i and i xor 2^s exchange",
         "With L = floor(log2 N): i and i xor 2^s exchange in stage s = 0 .. L-1, for i < 2^L. When N is not a power "
         "of two a stage before them folds every i >= 2^L onto i-2^L, and a stage after them goes back.");

SEQUENCE(rechalf, "rechalf", HD_SEQ_RECHALF, "recursive halving: recdbl from the largest distance down",
         "The stages of recdbl with s from L-1 down to 0, between the same first and last stage when N is not a power "
         "of two.");

/* ---- binomial: the one with a direction ----------------------------------------------------- */

struct binomial_opt {
    int direction;
};

static hd_status init_binomial(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    const struct binomial_opt *o = in->opt;
    enum hd_sequence sequence = o->direction == 0 ? HD_SEQ_BINOMIAL : HD_SEQ_GATHER;
    return hd_pattern_sequences(ctx, arena, in, &sequence, 1, state);
}

const struct hd_pattern hd_pattern_binomial = {
    .desc = {.name = "binomial",
             .summary = "binomial tree: ranks below 2^s reach 2^s further ones",
             .text = "Stage s, as long as 2^s < N: i sends to i+2^s, for i < 2^s with i+2^s < N. direction=in "
                     "reverses arrows and stages, as a reduction or a gather runs.",
             .cite = CITE,
             .params = (const struct hd_param[]){{"direction", HD_WORD, "out", "away from rank 0 or towards it",
                                                  offsetof(struct binomial_opt, direction), 0, 0, "out|in", false},
                                                 {0}},
             .examples = (const char *const[]){"binomial", "binomial:direction=in", NULL},
             .command = "heddle eval ft:m=8,n=2 dmodk -m hsd -p binomial",
             .opt_size = sizeof(struct binomial_opt)},
    .init = init_binomial,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = hd_pattern_draw_sequences};
