/* SPDX-License-Identifier: BSD-2-Clause */
/* Random patterns: every sample is a draw of its own.
 *   bisect         a random half sends to the other half: a random perfect matching, one way
 *   permutation    a uniform permutation without fixed points
 *   dissemination  a random perfect matching, both ways
 * With an odd number of ranks a matching leaves one random rank idle. */
#include "base/status.h"
#include "flow/patterns.h"

#include <string.h>

struct state {
    const struct hd_ranks *ranks;
};

static hd_status init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    struct state *s = HD_NEW(arena, struct state, 1);
    if (!s) return hd_fail_memory(ctx);
    if (in->ranks->n < 2) return hd_fail(ctx, HD_INPUT, "a pattern needs at least 2 ranks, there are %u", in->ranks->n);
    s->ranks = in->ranks;
    *state = s;
    return HD_OK;
}

static uint32_t max_flows(const void *state)
{
    return ((const struct state *)state)->ranks->n;
}

/* A random order of the ranks' endpoints, left in the dst fields: no memory but the flows' own. */
static uint32_t shuffle_into(const struct state *s, struct hd_rng *rng, struct hd_flow *f)
{
    uint32_t n = s->ranks->n;
    for (uint32_t i = 0; i < n; i++) { /* inside-out Fisher-Yates */
        uint32_t j = hd_rng_below(rng, i + 1);
        f[i].dst = f[j].dst;
        f[j].dst = s->ranks->ep[i];
    }
    return n;
}

static uint32_t draw_bisect(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flow *f)
{
    uint32_t n = shuffle_into(state, rng, f);
    (void)stage;
    for (uint32_t i = 0; i < n / 2; i++) f[i] = (struct hd_flow){f[2 * i].dst, f[2 * i + 1].dst, 1};
    return n / 2;
}

static uint32_t draw_dissemination(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flow *f)
{
    uint32_t n = shuffle_into(state, rng, f);
    (void)stage;
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        uint32_t a = f[i].dst, b = f[i + 1].dst;
        f[i] = (struct hd_flow){a, b, 1};
        f[i + 1] = (struct hd_flow){b, a, 1};
    }
    return n - n % 2;
}

/* Draw permutations until one has no fixed point: about e tries, and exactly uniform. */
static uint32_t draw_permutation(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flow *f)
{
    const struct state *s = state;
    uint32_t n = 0, i;
    (void)stage;
    do {
        n = shuffle_into(s, rng, f);
        for (i = 0; i < n && f[i].dst != s->ranks->ep[i]; i++) continue;
    } while (i < n);
    for (i = 0; i < n; i++) f[i] = (struct hd_flow){s->ranks->ep[i], f[i].dst, 1};
    return n;
}

const struct hd_pattern hd_pattern_bisect = {
    .desc = {.name = "bisect",
             .summary = "random bisection: half the ranks send to the other half, one to one",
             .text = "A random perfect matching of the ranks, each pair in one direction. With an odd number one random rank idles.",
             .cite = "Hoefler, Schneider, Lumsdaine: Multistage switches are not crossbars; and the papers on SSSP routing and OPT",
             .examples = (const char *const[]){"bisect", NULL},
             .opt_size = 1},
    .init = init,
    .max_flows = max_flows,
    .draw = draw_bisect};

const struct hd_pattern hd_pattern_permutation = {
    .desc = {.name = "permutation",
             .summary = "uniform random permutation in which nobody sends to itself",
             .text = "A derangement drawn uniformly: permutations are drawn until one has no fixed point.",
             .cite = "Nienaber, Mahapatra, Yuan (average full permutation bandwidth)",
             .examples = (const char *const[]){"permutation", NULL},
             .opt_size = 1},
    .init = init,
    .max_flows = max_flows,
    .draw = draw_permutation};

const struct hd_pattern hd_pattern_dissemination = {
    .desc = {.name = "dissemination",
             .summary = "random pairing, both ways",
             .text = "A random perfect matching in which both partners send. With an odd number one random rank idles.",
             .cite = "Nienaber, Mahapatra, Yuan (average dissemination bandwidth)",
             .examples = (const char *const[]){"dissemination", NULL},
             .opt_size = 1},
    .init = init,
    .max_flows = max_flows,
    .draw = draw_dissemination};
