/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns drawn stage by stage, as rank numbers, for tests to compare. Include after testing.h. */
#ifndef DRAWING_H
#define DRAWING_H

#include <stdio.h>
#include <unistd.h>

#include "base/spec.h"
#include "flow/pattern/all_patterns.h"
#include "route/core/routes.h"
#include "text_file.h"
#include "base/context.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A pattern on a network: routes nobody looks at unless given, ranks, and the flows of the last draw. */
struct drawing {
    struct hd_ctx ctx;
    struct hd_net *net;
    struct hd_routes *routes;
    struct hd_arena arena;
    struct hd_ranks ranks;
    uint32_t *rank_of; /* [nep] UINT32_MAX: takes no part */
    const struct hd_pattern *pattern;
    void *state;
    struct hd_flows flows;
};

/* Network and ranks; ranks NULL: natural. A table is only needed by orders and patterns that look at it. */
static inline void start_drawing(struct drawing *d, const char *net, const char *table, const char *ranks)
{
    *d = (struct drawing){.net = make_net(net)};
    hd_ctx_init(&d->ctx);
    hd_status s =
        table ? hd_routes_open(&d->ctx, d->net, table, &d->routes) : hd_routes_make(&d->ctx, d->net, 1, &d->routes);
    if (s == HD_OK) s = hd_ranks_make(&d->ctx, &d->arena, d->routes, ranks ? ranks : "natural", &d->ranks);
    if (s != HD_OK) fail_msg("%s %s %s: %s", net, table ? table : "-", ranks ? ranks : "natural", d->ctx.error);
}

static inline void stop_drawing(struct drawing *d)
{
    for (int i = 0; i < 3; i++) free(d->flows.buf[i]);
    free(d->rank_of);
    hd_arena_release(&d->arena);
    hd_routes_free(d->routes);
    hd_net_free(d->net);
    *d = (struct drawing){0};
}

/* Keeps n ranks, chosen and ordered at random, or the first n in order. */
static inline void keep_ranks(struct drawing *d, uint32_t n, uint64_t seed)
{
    uint32_t *ep = HD_NEW(&d->arena, uint32_t, d->ranks.n);
    struct hd_rng rng;
    assert_true(n <= d->ranks.n);
    memcpy(ep, d->ranks.ep, d->ranks.n * sizeof *ep);
    hd_rng_init(&rng, seed, HD_RNG_TEST, n);
    if (seed) hd_rng_shuffle(&rng, ep, d->ranks.n);
    d->ranks = (struct hd_ranks){n, ep};
}

static inline int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The same ranks, in order of their endpoints. */
static inline void sort_ranks(struct drawing *d)
{
    uint32_t *ep = HD_NEW(&d->arena, uint32_t, d->ranks.n);
    memcpy(ep, d->ranks.ep, d->ranks.n * sizeof *ep);
    qsort(ep, d->ranks.n, sizeof *ep, by_number);
    d->ranks.ep = ep;
}

static inline hd_status try_pattern(struct drawing *d, const char *spec)
{
    char name[64];
    void *opt;
    snprintf(name, sizeof name, "%.*s", (int)hd_spec_name(spec), spec);
    const struct hd_desc *desc = row_of(HD_PATTERNS, name);
    if (!desc) fail_msg("no pattern %s", name);
    d->pattern = (const struct hd_pattern *)desc;
    opt = hd_alloc(&d->arena, 1, desc->opt_size);
    struct hd_pattern_in in = {d->routes, &d->ranks, opt};
    hd_status s = hd_opts_parse(&d->ctx, &d->arena, desc, spec[strlen(name)] ? spec + strlen(name) + 1 : NULL, opt);
    if (s == HD_OK) s = d->pattern->init(&d->ctx, &d->arena, &in, &d->state);
    if (s != HD_OK) return s;
    for (int i = 0; i < 3; i++) {
        free(d->flows.buf[i]);
        d->flows.buf[i] = calloc((size_t)d->pattern->max_flows(d->state) + 2, sizeof(uint32_t));
        assert_non_null(d->flows.buf[i]);
    }
    free(d->rank_of);
    d->rank_of = malloc((d->net->nep + 1) * sizeof *d->rank_of);
    assert_non_null(d->rank_of);
    memset(d->rank_of, 0xff, (d->net->nep + 1) * sizeof *d->rank_of);
    for (uint32_t i = 0; i < d->ranks.n; i++) d->rank_of[d->ranks.ep[i]] = i;
    return HD_OK;
}

static inline void set_pattern(struct drawing *d, const char *spec)
{
    if (try_pattern(d, spec) != HD_OK)
        fail_msg("%s on %u ranks of %s: %s", spec, d->ranks.n, d->net->spec, d->ctx.error);
}

static inline void fail_pattern(struct drawing *d, const char *spec, hd_status status, const char *words)
{
    hd_status s = try_pattern(d, spec);
    if (s != status) fail_msg("%s: status %d, expected %d", spec, s, status);
    if (!strstr(d->ctx.error, words)) fail_msg("%s: expected '%s' in the message, got: %s", spec, words, d->ctx.error);
}

static inline void refuse_pattern(struct drawing *d, const char *spec, const char *words)
{
    fail_pattern(d, spec, HD_INPUT, words);
}

static inline uint64_t stage_count(const struct drawing *d)
{
    return d->pattern->stages ? d->pattern->stages(d->state) : 0;
}

/* Draws, and holds every pattern to its contract: some flow, no more than said, between different ranks, and
 * simple only where nobody sends or receives twice and nothing is weighted. */
static inline const struct hd_flows *draw_stage(struct drawing *d, uint64_t stage)
{
    struct hd_flows *f = &d->flows;
    struct hd_rng rng;
    uint8_t *seen = calloc(d->ranks.n, 1);
    bool once = true;
    assert_non_null(seen);
    hd_rng_init(&rng, 1, HD_RNG_PATTERN, stage);
    d->pattern->draw(d->state, &rng, stage, f);
    assert_in_range(f->n, 1, d->pattern->max_flows(d->state));
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t s = d->rank_of[f->src[i]], t = d->rank_of[f->dst[i]];
        if (s == UINT32_MAX || t == UINT32_MAX || s == t)
            fail_msg("%s stage %u: flow %u goes from rank %u to %u", d->pattern->desc.name, (unsigned)stage, i, s, t);
        once &= !(seen[s] & 1) && !(seen[t] & 2);
        seen[s] |= 1;
        seen[t] |= 2;
    }
    if (f->simple && (!once || f->weight))
        fail_msg("%s stage %u is called simple and is not", d->pattern->desc.name, (unsigned)stage);
    free(seen);
    return f;
}

/* The ranks of a drawing as a rank file. */
static inline const char *rank_file(const struct drawing *d)
{
    char *text = malloc((size_t)d->ranks.n * 64 + 1), *at = text;
    assert_non_null(text);
    *text = 0;
    for (uint32_t i = 0; i < d->ranks.n; i++)
        at += sprintf(at, "0x%llx\n", (unsigned long long)d->net->guid[d->net->nsw + d->ranks.ep[i]]);
    const char *name = text_file(text);
    free(text);
    return name;
}

#endif
