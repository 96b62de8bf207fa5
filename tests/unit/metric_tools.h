/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks, routes and searches that tests of worst cases, bounds and optima share. */
#ifndef METRIC_TOOLS_H
#define METRIC_TOOLS_H

#include "testing.h"

#include "base/rng.h"
#include "flow/bound/worst_permutation.h"
#include "graph_tools.h"
#include "route/core/routes.h"
#include "base/context.h"

#include <math.h>

/* On one thread: what threads do is looked at once, below. */
static inline struct hd_result evaluate(const struct hd_routes *r, const char *pattern, const char *metric)
{
    struct hd_ctx ctx;
    struct hd_result result;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    struct hd_request q = {.pattern = pattern, .metric = metric, .samples = strcmp(metric, "ratio") ? 40 : 10};
    if (hd_eval(&ctx, r, &q, &result) != HD_OK)
        fail_msg("%s of %s on %s: %s", metric, hd_routes_spec(r), hd_routes_net(r)->spec, ctx.error);
    return result;
}

/* Switches in a circle with hosts each; port 1 leads on, port 2 back, hosts follow. */
static inline struct hd_net *make_ring(uint32_t switches, uint32_t hosts)
{
    struct hd_ctx ctx;
    struct hd_builder *b;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < switches; i++) hd_builder_switch(b, &(struct hd_switch_in){0});
    for (uint32_t i = 0; i < switches; i++) hd_builder_cable(b, i, 1, (i + 1) % switches, 2, 0);
    for (uint32_t i = 0; i < switches * hosts; i++) hd_builder_host(b, i / hosts, 3 + i % hosts, 0);
    hd_status s = hd_builder_finish(&ctx, b, "ring", &net);
    return checked(&ctx, s, net, "ring");
}

/* Random shortest paths, destination by destination. */
static inline struct hd_routes *random_routes(const struct hd_net *net, uint64_t seed)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    struct hd_rng rng;
    hd_ctx_init(&ctx);
    hd_rng_init(&rng, seed, HD_RNG_TEST, 3);
    assert_int_equal(hd_routes_make(&ctx, net, 1, &r), HD_OK);
    for (uint32_t d = 0; d < net->nep; d++) {
        uint32_t *dist = distances(net, net->nsw + d);
        for (uint32_t v = 0; v < net->nsw; v++)
            for (uint32_t c = net->off[v], seen = 0; c < net->off[v + 1]; c++)
                if (dist[v] != FAR && dist[net->head[c]] + 1 == dist[v] && hd_rng_below(&rng, ++seen) == 0)
                    hd_row(r, d, 0)[v] = (uint8_t)(c - net->off[v]);
        free(dist);
    }
    return r;
}

/* Number of the subtree of l levels of switches an endpoint is in. */
static inline uint32_t subtree(const struct hd_net *net, uint32_t l, uint32_t e)
{
    uint32_t key = 0;
    for (uint32_t i = net->shape.n; i-- > l;) key = key * net->shape.m[i] + hd_coord(net, net->nsw + e)[i];
    return key;
}

/* The optimum on an intact tree by the book: traffic out of (into) every subtree over its cables upwards. */
static inline double tree_optimum(const struct hd_net *net, const uint32_t *src, const uint32_t *dst,
                                  const uint32_t *weight, uint32_t n)
{
    const struct hd_shape *s = &net->shape;
    double most = 0, cables = 1, sum[2][64];
    for (uint32_t l = 0; l < s->n; l++) {
        if (l) cables *= s->w[l - 1];
        memset(sum, 0, sizeof sum);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = subtree(net, l, src[i]), b = subtree(net, l, dst[i]);
            assert_true(a < 64 && b < 64);
            sum[0][a] += a == b ? 0 : weight ? weight[i] : 1;
            sum[1][b] += a == b ? 0 : weight ? weight[i] : 1;
        }
        for (uint32_t i = 0; i < 64; i++) most = fmax(most, fmax(sum[0][i], sum[1][i]) / (cables * s->w[l] * s->p[l]));
    }
    return most;
}

#endif
