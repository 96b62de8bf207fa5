/* SPDX-License-Identifier: BSD-2-Clause */
/* The permutation that is worst for the given routes, as one stage. */
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"
#include "flow/bound/worst_permutation.h"
#include "net/core/shape.h"

#include <string.h>

enum { BY_LOAD, BY_RATIO, BY_THEOREM2 };

struct worst_opt {
    int by;
    bool full;
};

struct worst_state {
    struct hd_pattern_state base;
    struct hd_worst worst;
};

/* Theorem 2 of Nienaber, Mahapatra, Yuan: with i the smallest number with i m >= n, the n endpoints of the
 * first bottom switch send to endpoints i m, (i+1) m, ...: all of them residue 0, so D-mod-K puts them all on
 * the cable to the first top switch. */
static hd_status theorem2(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_worst *w)
{
    const struct hd_shape *s = &net->shape;
    if (s->kind != HD_SHAPE_TREE || s->n != 2 || s->p[1] != 1 || s->missing || (uint64_t)s->m[0] * s->m[1] != net->nep)
        return hd_fail_na(ctx, "worst:by=theorem2", net->spec, "not a whole two-level tree T(n+m,r)");
    uint32_t n = s->m[0], m = s->w[1], r = s->m[1], i = (n + m - 1) / m;
    if ((uint64_t)(i + n) * m > (uint64_t)r * n)
        return hd_fail_na(ctx, "worst:by=theorem2", net->spec,
                          "it needs (r n - i m) / m >= n, here (%u * %u - %u * %u) / %u", r, n, i, m, m);
    uint32_t *at = HD_NEW(arena, uint32_t, net->nep); /* endpoint of each number */
    w->src = HD_NEW(arena, uint32_t, net->nep);
    w->dst = HD_NEW(arena, uint32_t, net->nep);
    if (!at || !w->src || !w->dst) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) at[hd_shape_rank(s, 0, hd_coord(net, net->nsw + e))] = e;
    for (uint32_t k = 0; k < n; k++) {
        w->src[k] = at[k];
        w->dst[k] = at[(i + k) * m];
    }
    w->n = n;
    return HD_OK;
}

static hd_status worst_search(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, bool ratio,
                              struct hd_worst *w)
{
    const struct hd_net *net = hd_routes_net(in->routes);
    struct hd_worst_in worst = {.routes = in->routes, .among = in->ranks};
    HD_TRY(hd_rates_of(ctx, net, &worst.rates));
    if (ratio) HD_TRY(hd_cuts_of(ctx, net, &worst.cuts));
    HD_TRY(hd_worst_find(ctx, arena, &worst, w));
    if (w->n > 0) return HD_OK;
    return hd_fail(ctx, HD_INPUT, "worst: no pattern: %s",
                   w->load > 0 ? "cables of several rates and by=ratio" : "no pair has a path");
}

static hd_status worst_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    const struct worst_opt *o = in->opt;
    const struct hd_net *net = hd_routes_net(in->routes);
    HD_TRY(hd_pattern_state_make(ctx, arena, in, sizeof(struct worst_state), state));
    struct worst_state *s = *state;
    struct hd_worst *w = &s->worst;
    if (o->by == BY_THEOREM2)
        HD_TRY(theorem2(ctx, arena, net, w));
    else
        HD_TRY(worst_search(ctx, arena, in, o->by == BY_RATIO, w));
    if (o->full)
        HD_TRY(
            hd_worst_complete(ctx, net, o->by == BY_THEOREM2 ? &(struct hd_ranks){net->nsel, net->sel} : in->ranks, w));
    s->base.stages = 1;
    s->base.max_flows = w->n;
    return HD_OK;
}

static void worst_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct hd_worst *w = &((const struct worst_state *)state)->worst;
    (void)rng;
    (void)stage;
    *f = (struct hd_flows){w->n, w->src, w->dst, NULL, true, {f->buf[0], f->buf[1], f->buf[2]}};
}

const struct hd_pattern hd_pattern_worst = {
    .desc =
        {.name = "worst",
         .summary = "the permutation that is worst for the routes",
         .text = "One stage: the pairs that metric worst found to meet on one channel (by=load), or metric oblivious "
                 "(by=ratio). by=theorem2 is the known permutation against D-mod-K on T(n+m,r) instead: the endpoints "
                 "of the first bottom switch send to endpoints i m, (i+1) m, ..., i the smallest number with i m >= "
                 "n. With full=on the other ranks send too, in order, which leaves the worst channel as it is.",
         .cite =
             "Towles, Dally: Worst-case traffic for oblivious routing functions; Nienaber, Mahapatra, Yuan, Theorem 2",
         .params = (const struct hd_param[]){{"by", HD_WORD, "load", "what is made as large as possible",
                                              offsetof(struct worst_opt, by), 0, 0, "load|ratio|theorem2", false},
                                             {"full", HD_FLAG, "off", "let all other ranks send too",
                                              offsetof(struct worst_opt, full), 0, 0, NULL, false},
                                             {0}},
         .examples = (const char *const[]){"worst", "worst:full=on", "worst:by=ratio", NULL},
         .opt_size = sizeof(struct worst_opt)},
    .init = worst_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = worst_draw};
