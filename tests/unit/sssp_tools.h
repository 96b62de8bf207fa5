/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks drawn, random and regular, and routes on them, for the tests of single-source engines and lanes. */
#ifndef SSSP_TOOLS_H
#define SSSP_TOOLS_H

#include "testing.h"

#include "base/rng.h"
#include "route/kernel/sssp_options.h"
#include "base/context.h"

#include <stdio.h>

static struct hd_ctx ctx;

static inline int setup(void **state)
{
    (void)state;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.seed = 1;
    return 0;
}

static inline struct hd_net *finish(struct hd_builder *b, const char *spec)
{
    struct hd_net *net = NULL;
    hd_status s = hd_builder_finish(&ctx, b, spec, &net);
    return checked(&ctx, s, net, spec);
}

/* A torus (lines where an extent is 2) with its coordinates. */
static inline struct hd_net *make_torus(uint32_t n, const uint32_t *m, uint32_t hosts)
{
    struct hd_builder *b;
    struct hd_shape shape = {.kind = HD_SHAPE_GRID, .n = n};
    uint32_t nsw = 1, stride = 1;
    char spec[64] = "grid";
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t i = 0; i < n; nsw *= m[i++]) {
        shape.m[i] = m[i];
        shape.w[i] = m[i] > 2 ? HD_RING : HD_LINE;
        shape.p[i] = 1;
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%c%u", i ? 'x' : ':', m[i]);
    }
    hd_builder_shape(b, &shape);
    for (uint32_t v = 0; v < nsw; v++) {
        uint16_t x[HD_MAX_DIM];
        for (uint32_t i = 0, rest = v; i < n; rest /= m[i++]) x[i] = (uint16_t)(rest % m[i]);
        hd_builder_switch(b, &(struct hd_switch_in){.nports = hosts + 2 * n, .level = 1});
        hd_builder_coord(b, v, x);
        for (uint32_t h = 0; h < hosts; h++) hd_builder_coord(b, hd_builder_host(b, v, h + 1, 0), x);
    }
    for (uint32_t i = 0; i < n; stride *= m[i++])
        for (uint32_t v = 0; v < nsw; v++) {
            uint32_t x = v / stride % m[i];
            if (m[i] == 1 || (x + 1 == m[i] && m[i] == 2)) continue;
            hd_builder_cable(b, v, hosts + 2 * i + 1, x + 1 < m[i] ? v + stride : v - x * stride, hosts + 2 * i + 2, 0);
        }
    return finish(b, spec);
}

/* Anything: parallel cables, several parts, switches without endpoints, leaves of unequal size. */
static inline struct hd_net *make_random(uint64_t seed)
{
    struct hd_rng rng;
    struct hd_builder *b;
    uint32_t port[16] = {0};
    char spec[32];
    hd_rng_init(&rng, seed, HD_RNG_TEST, 0);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    uint32_t nsw = 1 + hd_rng_below(&rng, 12), nep = hd_rng_below(&rng, 25), ncable = hd_rng_below(&rng, 3 * nsw);
    for (uint32_t v = 0; v < nsw; v++) hd_builder_switch(b, &(struct hd_switch_in){.nports = 200});
    if (seed % 4) /* mostly connected */
        for (uint32_t v = 1; v < nsw; v++) {
            uint32_t u = hd_rng_below(&rng, v);
            hd_builder_cable(b, u, ++port[u], v, ++port[v], 0);
        }
    for (uint32_t i = 0; i < ncable && nsw > 1; i++) {
        uint32_t u = hd_rng_below(&rng, nsw), v = hd_rng_below(&rng, nsw - 1);
        v += v >= u;
        hd_builder_cable(b, u, ++port[u], v, ++port[v], 0);
    }
    for (uint32_t e = 0; e < nep; e++) {
        uint32_t v = hd_rng_below(&rng, nsw);
        hd_builder_host(b, v, ++port[v], 0);
    }
    snprintf(spec, sizeof spec, "random-%llu", (unsigned long long)seed);
    return finish(b, spec);
}

enum { RANDOM_NETS = 60 };

/* Cables by name: "AB" joins switches A and B, "A1" puts endpoint 1 on A. Ports in the order given. */
static inline struct hd_net *make_drawn(const char *spec, uint32_t nsw, uint32_t nep, const char *const *cables)
{
    struct hd_builder *b;
    uint32_t port[26] = {0}, host[10] = {0};
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    for (uint32_t v = 0; v < nsw; v++)
        hd_builder_switch(b, &(struct hd_switch_in){.name = (char[]){(char)('A' + v), 0}, .nports = 16});
    for (uint32_t e = 0; e < nep; e++) {
        uint32_t ca = hd_builder_adapter(b, &(struct hd_adapter_in){.name = (char[]){(char)('0' + e), 0}, .nports = 1});
        host[e] = hd_builder_endpoint(b, ca, 1, 0, 0);
    }
    for (; *cables; cables++) {
        uint32_t u = (uint32_t)((*cables)[0] - 'A');
        if ((*cables)[1] >= 'A') {
            uint32_t v = (uint32_t)((*cables)[1] - 'A');
            hd_builder_cable(b, u, ++port[u], v, ++port[v], 0);
        } else {
            hd_builder_cable(b, u, ++port[u], host[(*cables)[1] - '0'], 1, 0);
        }
    }
    return finish(b, spec);
}

static inline uint32_t channel(const struct hd_net *net, char from, char to)
{
    for (uint32_t c = net->off[from - 'A']; c < net->off[from - 'A' + 1]; c++)
        if (net->head[c] == (uint32_t)(to - 'A')) return c;
    fail_msg("no cable %c%c", from, to);
    return 0;
}

static inline struct hd_routes *open_routes(const struct hd_net *net, const char *engine)
{
    struct hd_routes *r = NULL;
    if (hd_routes_open(&ctx, net, engine, &r) != HD_OK) fail_msg("%s on %s: %s", engine, net->spec, ctx.error);
    return r;
}

static inline struct hd_check check_routes(const struct hd_routes *r)
{
    struct hd_check k;
    if (hd_routes_check(&ctx, r, &k) != HD_OK) fail_msg("%s", ctx.error);
    return k;
}

struct key {
    uint64_t hops, load;
};

static inline bool less(struct key a, struct key b)
{
    return a.hops < b.hops || (a.hops == b.hops && a.load < b.load);
}

static inline struct key longer(struct key k, uint32_t load, bool minimal)
{
    if (minimal) return (struct key){k.hops + 1, k.load + load};
    return (struct key){0, k.load + 1 + load};
}

/* Keys of all switches towards t under these loads: relax every channel until nothing changes. */
static inline void find_keys(const struct hd_net *net, uint32_t t, const uint32_t *load, bool minimal, struct key *key)
{
    for (uint32_t v = 0; v < net->nsw; v++) key[v] = (struct key){UINT32_MAX, UINT32_MAX};
    key[t] = (struct key){0, 0};
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < net->nchan; c++) {
            uint32_t u = net->tail[c], v = net->head[c];
            if (u >= net->nsw || v >= net->nsw || key[v].load == UINT32_MAX) continue;
            struct key k = longer(key[v], load[c], minimal);
            if (!less(k, key[u])) continue;
            key[u] = k;
            changed = true;
        }
    }
}

/* Every pair of d walks its path and adds one to each channel between switches. */
static inline void walk_sources(const struct hd_routes *r, uint32_t d, uint32_t *load)
{
    const struct hd_net *net = r->net;
    uint32_t chan[HD_MAX_HOPS];
    for (uint32_t s = 0; s < net->nep; s++) {
        if (s == d) continue;
        uint32_t n = hd_routes_path(r, s, d, 0, chan);
        for (uint32_t i = 1; i + 1 < n; i++) load[chan[i]]++;
    }
}

static inline bool closes(const bool *edge, uint32_t n, uint32_t c, uint8_t *mark)
{
    mark[c] = 1;
    for (uint32_t x = 0; x < n; x++)
        if (edge[(size_t)c * n + x] && (mark[x] == 1 || (mark[x] == 0 && closes(edge, n, x, mark)))) return true;
    mark[c] = 2;
    return false;
}

/* Dependencies of all pairs of endpoints, lane by lane; false when one has a cycle. */
static inline bool lanes_acyclic(const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    uint32_t n = net->nchan, chan[HD_MAX_HOPS];
    bool *edge = calloc((size_t)n * n + 1, 1), free_of_cycles = true;
    uint8_t *mark = calloc(n + 1, 1);
    for (uint32_t lane = 0; lane < r->nlanes; lane++) {
        memset(edge, 0, (size_t)n * n);
        memset(mark, 0, n);
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++) {
                if (s == d || hd_routes_lane(r, s, d, 0) != lane) continue;
                uint32_t hops = hd_routes_path(r, s, d, 0, chan);
                for (uint32_t i = 0; i + 1 < hops; i++) edge[(size_t)chan[i] * n + chan[i + 1]] = true;
            }
        for (uint32_t c = 0; c < n; c++)
            if (mark[c] == 0 && closes(edge, n, c, mark)) free_of_cycles = false;
    }
    free(edge);
    free(mark);
    return free_of_cycles;
}

static inline void assert_served_and_free(const struct hd_routes *r, uint32_t maxlanes)
{
    struct hd_check k = check_routes(r);
    if (k.unreachable || k.loops || k.deadlock_free != 1 || k.lanes > maxlanes || !lanes_acyclic(r))
        fail_msg("%s on %s: %llu unreachable, %llu loops, deadlock_free %d, %u lanes", r->spec, r->net->spec,
                 (unsigned long long)k.unreachable, (unsigned long long)k.loops, k.deadlock_free, k.lanes);
}

#endif
