/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes with variants and their worst permutation, found by maximum matchings channel by channel. */
#ifndef VARIANT_TOOLS_H
#define VARIANT_TOOLS_H

#include "testing.h"

#include "route/core/routes.h"

static inline uint32_t route_of(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t chan[HD_MAX_HOPS])
{
    return hd_routes_path(r, s, d, hd_routes_variant(r, s, d), chan);
}

struct edges { /* of one channel: pairs (s, d) sorted by s, with s and d renumbered */
    uint32_t ns, nd, n;
    uint32_t *first, *to; /* [ns + 1], [n] */
    uint32_t *mate_s, *mate_d, *dist, *queue, *next;
};

static inline bool grow_layers(struct edges *g)
{
    uint32_t tail = 0;
    bool found = false;
    for (uint32_t s = 0; s < g->ns; s++) {
        g->dist[s] = g->mate_s[s] == UINT32_MAX ? 0 : UINT32_MAX;
        if (!g->dist[s]) g->queue[tail++] = s;
    }
    for (uint32_t i = 0; i < tail; i++)
        for (uint32_t s = g->queue[i], e = g->first[s]; e < g->first[s + 1]; e++) {
            uint32_t t = g->mate_d[g->to[e]];
            if (t == UINT32_MAX)
                found = true;
            else if (g->dist[t] == UINT32_MAX) {
                g->dist[t] = g->dist[s] + 1;
                g->queue[tail++] = t;
            }
        }
    return found;
}

static inline bool augment(struct edges *g, uint32_t s)
{
    for (; g->next[s] < g->first[s + 1]; g->next[s]++) {
        uint32_t d = g->to[g->next[s]], t = g->mate_d[d];
        if (t != UINT32_MAX && (g->dist[t] != g->dist[s] + 1 || !augment(g, t))) continue;
        g->mate_s[s] = d;
        g->mate_d[d] = s;
        return true;
    }
    g->dist[s] = UINT32_MAX;
    return false;
}

/* Hopcroft and Karp. */
static inline uint32_t max_matching(struct edges *g)
{
    uint32_t size = 0;
    for (uint32_t s = 0; s < g->ns; s++) g->mate_s[s] = UINT32_MAX;
    for (uint32_t d = 0; d < g->nd; d++) g->mate_d[d] = UINT32_MAX;
    while (grow_layers(g)) {
        for (uint32_t s = 0; s < g->ns; s++) g->next[s] = g->first[s];
        for (uint32_t s = 0; s < g->ns; s++) size += g->mate_s[s] == UINT32_MAX && augment(g, s);
    }
    return size;
}

struct usage { /* pairs of every channel, in order of source and destination */
    const struct hd_net *net;
    uint64_t *first;
    uint32_t *s, *d;
};

static inline struct usage usage_of(const struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct usage u = {net, calloc(net->nchan + 2, 8), NULL, NULL};
    uint32_t chan[HD_MAX_HOPS];
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t s = 0; s < net->nep; s++)
            for (uint32_t d = 0; d < net->nep; d++) {
                if (s == d) continue;
                uint32_t n = route_of(r, s, d, chan);
                if (n == 0) fail_msg("%s on %s: pair %u %u is not served", r->spec, net->spec, s, d);
                for (uint32_t i = 1; i + 1 < n; i++) {
                    if (pass == 0)
                        u.first[chan[i] + 2]++;
                    else {
                        u.s[u.first[chan[i] + 1]] = s;
                        u.d[u.first[chan[i] + 1]++] = d;
                    }
                }
            }
        if (pass) break;
        for (uint32_t c = 0; c < net->nchan; c++) u.first[c + 2] += u.first[c + 1];
        u.s = malloc((u.first[net->nchan + 1] + 1) * 4);
        u.d = malloc((u.first[net->nchan + 1] + 1) * 4);
    }
    return u;
}

static inline void usage_free(struct usage *u)
{
    free(u->first);
    free(u->s);
    free(u->d);
}

/* Distinct sources and destinations of a channel; *least is the smaller count. */
static inline void load_channel(const struct usage *u, uint32_t c, uint32_t *number, struct edges *g)
{
    uint32_t last = UINT32_MAX;
    memset(number, 0xff, u->net->nep * 4);
    g->ns = g->nd = g->n = 0;
    for (uint64_t i = u->first[c]; i < u->first[c + 1]; i++) {
        if (u->s[i] != last) g->first[g->ns++] = g->n;
        last = u->s[i];
        if (number[u->d[i]] == UINT32_MAX) number[u->d[i]] = g->nd++;
        g->to[g->n++] = number[u->d[i]];
    }
    g->first[g->ns] = g->n;
}

/* Largest matching over the channels between switches; *bound the largest min(sources, destinations). */
static inline uint32_t worst(const struct hd_routes *r, uint32_t *bound)
{
    struct usage u = usage_of(r);
    uint32_t nep = r->net->nep, best = 0;
    uint64_t most = 0;
    for (uint32_t c = 0; c < r->net->nchan; c++)
        if (u.first[c + 1] - u.first[c] > most) most = u.first[c + 1] - u.first[c];
    uint32_t *mem = malloc(((size_t)nep * 7 + most + 8) * 4), *number = mem + 6 * nep + 1;
    struct edges g = {.first = mem,
                      .mate_s = mem + nep + 1,
                      .mate_d = mem + 2 * nep + 1,
                      .dist = mem + 3 * nep + 1,
                      .queue = mem + 4 * nep + 1,
                      .next = mem + 5 * nep + 1,
                      .to = mem + 7 * nep + 1};
    *bound = 0;
    for (uint32_t c = 0; c < r->net->nchan; c++) {
        load_channel(&u, c, number, &g);
        uint32_t least = g.ns < g.nd ? g.ns : g.nd;
        if (least > *bound) *bound = least;
        if (least <= best) continue;
        uint32_t size = max_matching(&g);
        if (size > best) best = size;
    }
    free(mem);
    usage_free(&u);
    return best;
}

static inline void assert_worst(const char *spec, const char *engine, uint32_t expected)
{
    struct hd_net *net = make_net(spec);
    struct hd_routes *r = make_routes(net, engine);
    uint32_t bound, w = worst(r, &bound);
    if (w != expected)
        fail_msg("%s on %s: worst case %u (no channel above %u), expected %u", engine, spec, w, bound, expected);
    hd_routes_free(r);
    hd_net_free(net);
}

static inline uint32_t root(uint32_t m)
{
    uint32_t k = 0;
    while ((k + 1) * (k + 1) <= m) k++;
    return k;
}

static inline uint32_t top_of(const struct hd_routes *r, uint32_t s, uint32_t d)
{
    uint32_t chan[HD_MAX_HOPS], n = route_of(r, s, d, chan);
    assert_int_equal(n, 4);
    return hd_coord(r->net, r->net->head[chan[1]])[1];
}

#endif
