/* SPDX-License-Identifier: BSD-2-Clause */
/* Random patterns: every sample is a draw of its own.
 *   bisect         a random half sends to the other half: a random perfect matching, one way
 *   permutation    a uniform permutation without fixed points
 *   dissemination  a random perfect matching, both ways
 * With an odd number of ranks a matching leaves one random rank idle. */
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"

#include <string.h>

static hd_status random_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    return hd_pattern_state_make(ctx, arena, in, sizeof(struct hd_pattern_state), state);
}

static void shuffle_into(const struct hd_pattern_state *s, struct hd_rng *rng, uint32_t *ep)
{
    memcpy(ep, s->ranks->ep, s->ranks->n * sizeof *ep);
    hd_rng_shuffle(rng, ep, s->ranks->n);
}

/* The two halves of a random order are the partners; the last of an odd number idles. */
static void draw_bisect(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    uint32_t n = ((const struct hd_pattern_state *)state)->ranks->n / 2;
    (void)stage;
    shuffle_into(state, rng, f->buf[0]);
    *f = (struct hd_flows){n, f->buf[0], f->buf[0] + n, NULL, true, {f->buf[0], f->buf[1], f->buf[2]}};
}

static void draw_dissemination(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    uint32_t n = ((const struct hd_pattern_state *)state)->ranks->n / 2;
    (void)stage;
    shuffle_into(state, rng, f->buf[0]);
    memcpy(f->buf[1], f->buf[0] + n, n * sizeof *f->buf[1]);
    memcpy(f->buf[1] + n, f->buf[0], n * sizeof *f->buf[1]);
    *f = (struct hd_flows){2 * n, f->buf[0], f->buf[1], NULL, true, {f->buf[0], f->buf[1], f->buf[2]}};
}

/* Draw permutations until one has no fixed point: about e tries, and exactly uniform. */
static void draw_permutation(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct hd_ranks *ranks = ((const struct hd_pattern_state *)state)->ranks;
    uint32_t i;
    (void)stage;
    do {
        shuffle_into(state, rng, f->buf[0]);
        for (i = 0; i < ranks->n && f->buf[0][i] != ranks->ep[i]; i++) continue;
    } while (i < ranks->n);
    *f = (struct hd_flows){ranks->n, ranks->ep, f->buf[0], NULL, true, {f->buf[0], f->buf[1], f->buf[2]}};
}

const struct hd_pattern hd_pattern_bisect = {
    .desc = {.name = "bisect",
             .summary = "random bisection: half the ranks send to the other half, one to one",
             .text = "A random perfect matching of the ranks, each pair in one direction. With an odd number one "
                     "random rank idles.",
             .cite = "Hoefler, Schneider, Lumsdaine: Multistage switches are not crossbars; and the papers on SSSP "
                     "routing and OPT",
             .examples = (const char *const[]){"bisect", NULL},
             .opt_size = 1},
    .init = random_init,
    .max_flows = hd_pattern_max_flows,
    .draw = draw_bisect,
    .uniform = true};

const struct hd_pattern hd_pattern_permutation = {
    .desc = {.name = "permutation",
             .summary = "uniform random permutation in which no endpoint sends to itself",
             .text = "A derangement drawn uniformly: permutations are drawn until one has no fixed point.",
             .cite = "Nienaber, Mahapatra, Yuan (average full permutation bandwidth)",
             .examples = (const char *const[]){"permutation", NULL},
             .opt_size = 1},
    .init = random_init,
    .max_flows = hd_pattern_max_flows,
    .draw = draw_permutation,
    .uniform = true};

const struct hd_pattern hd_pattern_dissemination = {
    .desc = {.name = "dissemination",
             .summary = "random pairing, both ways",
             .text = "A random perfect matching in which both partners send. With an odd number one random rank idles.",
             .cite = "Nienaber, Mahapatra, Yuan (average dissemination bandwidth)",
             .examples = (const char *const[]){"dissemination", NULL},
             .opt_size = 1},
    .init = random_init,
    .max_flows = hd_pattern_max_flows,
    .draw = draw_dissemination,
    .uniform = true};
