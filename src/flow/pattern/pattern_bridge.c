/* SPDX-License-Identifier: BSD-2-Clause */
/* Bridge: crossbars two by two; the ranks on one are paired with those on the other, and both partners
 * send. Crossbars are the switches that hold ranks, in the order of their numbers: 0 with 1, 2 with 3, ...
 * Who is whose partner decides what a static table gets out of it, so it is an option: aligned (in rank
 * order; one stage) or random (every sample a draw of its own). The last of an odd number of crossbars
 * idles, and so do the ranks a fuller crossbar has more than its partner (the last ones, or random ones).
 * Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks. */
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"
#include "route/core/routes_view.h"

#include <string.h>

struct bridge_opt {
    int pairing;
};

struct bridge_state {
    struct hd_pattern_state base;
    uint32_t ncross;
    uint32_t *ep;    /* [ranks] by crossbar, then in rank order */
    uint32_t *first; /* [ncross + 1] */
};

/* Ranks sorted by crossbar, counting; first[] of the crossbars that hold any. */
static hd_status group(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,
                       struct bridge_state *s)
{
    const struct hd_routes *r = in->routes;
    const struct hd_net *net = hd_routes_net(r);
    const struct hd_ranks *ranks = in->ranks;
    const uint32_t *leaf_of = hd_routes_leaf_of(r), nleaf = hd_routes_nleaf(r);
    uint32_t *at = HD_NEW(arena, uint32_t, (size_t)nleaf + 1);
    s->ep = HD_NEW(arena, uint32_t, ranks->n);
    s->first = HD_NEW(arena, uint32_t, (size_t)nleaf + 1);
    if (!at || !s->ep || !s->first) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < ranks->n; i++) at[leaf_of[hd_leaf(net, ranks->ep[i])] + 1]++;
    for (uint32_t leaf = 0; leaf < nleaf; leaf++) {
        if (at[leaf + 1]) s->first[s->ncross++] = at[leaf];
        at[leaf + 1] += at[leaf];
    }
    s->first[s->ncross] = ranks->n;
    for (uint32_t i = 0; i < ranks->n; i++) s->ep[at[leaf_of[hd_leaf(net, ranks->ep[i])]]++] = ranks->ep[i];
    return HD_OK;
}

static hd_status bridge_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    HD_TRY(hd_pattern_state_make(ctx, arena, in, sizeof(struct bridge_state), state));
    struct bridge_state *s = *state;
    HD_TRY(group(ctx, arena, in, s));
    if (s->ncross < 2)
        return hd_fail(ctx, HD_INPUT,
                       "bridge: all %u ranks are on one switch, expected at least two switches with ranks",
                       in->ranks->n);
    s->base.stages = ((const struct bridge_opt *)in->opt)->pairing == 0; /* else random */
    return HD_OK;
}

static void bridge_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct bridge_state *s = state;
    uint32_t *ep = f->buf[2]; /* no weights: free for the order within crossbars */
    (void)stage;
    memcpy(ep, s->ep, s->base.ranks->n * sizeof *ep);
    hd_flows_begin(f, true);
    for (uint32_t x = 0; x + 1 < s->ncross; x += 2) {
        uint32_t *a = ep + s->first[x], *b = ep + s->first[x + 1];
        uint32_t na = s->first[x + 1] - s->first[x], nb = s->first[x + 2] - s->first[x + 1];
        if (!s->base.stages) {
            hd_rng_shuffle(rng, a, na);
            hd_rng_shuffle(rng, b, nb);
        }
        for (uint32_t i = 0; i < na && i < nb; i++, f->n += 2) {
            f->buf[0][f->n] = f->buf[1][f->n + 1] = a[i];
            f->buf[1][f->n] = f->buf[0][f->n + 1] = b[i];
        }
    }
}

const struct hd_pattern hd_pattern_bridge = {
    .desc = {.name = "bridge",
             .summary = "the ranks of neighbouring crossbars are paired, both ways",
             .text = "Switches that hold ranks are taken two by two, in the order of their numbers; the ranks on the "
                     "first are paired with those on the second and both partners send. Ranks without a partner idle. "
                     "pairing=aligned pairs them in rank order, one stage; pairing=random draws new partners for "
                     "every sample.",
             .cite = "Geoffray, Hoefler: Adaptive routing strategies for modern high performance networks",
             .params = (const struct hd_param[]){{"pairing", HD_WORD, "aligned", "how partners are chosen",
                                                  offsetof(struct bridge_opt, pairing), 0, 0, "aligned|random", false},
                                                 {0}},
             .examples = (const char *const[]){"bridge", "bridge:pairing=random", NULL},
             .opt_size = sizeof(struct bridge_opt)},
    .init = bridge_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = bridge_draw};
