/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks and oracles for tests of engines: paths of all pairs followed one by one, distances by
 * relaxation until nothing changes, cycles by depth-first search, loads by counting. Nothing here uses
 * the kernels the engines use. */
#ifndef OPENSM_ORACLE_H
#define OPENSM_ORACLE_H

#include "base/rng.h"
#include "edited_net.h"
#include "net/core/builder.h"
#include "route/core/routes.h"
#include "testing.h"
#include "base/context.h"

#include <stdio.h>
#include <zlib.h>

#define LINK HD_LINK_DEFAULT

/* ---- routes -------------------------------------------------------------------------------- */

static inline void fail_routes(const struct hd_net *net, const char *engine, hd_status status, const char *words)
{
    struct hd_ctx ctx;
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_routes_open(&ctx, net, engine, &r);
    if (s != status) fail_msg("%s on %s: status %d, expected %d: %s", engine, net->spec, s, status, ctx.error);
    if (!strstr(ctx.error, words)) fail_msg("%s on %s: expected '%s', got: %s", engine, net->spec, words, ctx.error);
    assert_null(r);
}

/* The engine does not apply to the network. */
static inline void refuse_routes(const struct hd_net *net, const char *engine, const char *words)
{
    fail_routes(net, engine, HD_NA, words);
}

/* ---- networks ------------------------------------------------------------------------------ */

static inline struct hd_net *finish(struct hd_builder *b, const char *spec)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_builder_finish(&ctx, b, spec, &net);
    return checked(&ctx, s, net, spec);
}

static inline struct hd_builder *builder(void)
{
    struct hd_ctx ctx;
    struct hd_builder *b = NULL;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    return b;
}

/* A grid; wrap and cables are those of every dimension. Ports: hosts first. */
static inline struct hd_net *make_grid(const char *spec, uint32_t n, const uint32_t *m, enum hd_wrap wrap, uint32_t p,
                                       uint32_t hosts)
{
    struct hd_builder *b = builder();
    struct hd_shape shape = {.kind = HD_SHAPE_GRID, .n = n};
    uint32_t switches = 1, stride = 1, port[4096];
    uint16_t digit[HD_MAX_DIM];
    for (uint32_t i = 0; i < n; i++) {
        shape.m[i] = m[i];
        shape.w[i] = wrap;
        shape.p[i] = p;
        switches *= m[i];
    }
    hd_builder_shape(b, &shape);
    for (uint32_t v = 0; v < switches; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){0});
        for (uint32_t i = 0, rest = v; i < n; rest /= m[i++]) digit[i] = (uint16_t)(rest % m[i]);
        hd_builder_coord(b, v, digit);
        for (port[v] = 1; port[v] <= hosts; port[v]++) hd_builder_coord(b, hd_builder_host(b, v, port[v], LINK), digit);
    }
    for (uint32_t i = 0; i < n; stride *= m[i++])
        for (uint32_t v = 0; v < switches; v++) {
            uint32_t x = v / stride % m[i], last = wrap == HD_CLIQUE ? m[i] - 1 : x + 1;
            for (uint32_t to = x + 1; to <= last; to++) {
                if (to == m[i] && (wrap != HD_RING || m[i] == 2)) break;
                if (m[i] == 1) break;
                uint32_t u = v - x * stride + to % m[i] * stride;
                for (uint32_t k = 0; k < p; k++) hd_builder_cable(b, v, port[v]++, u, port[u]++, LINK);
            }
        }
    return finish(b, spec);
}

/* A random network: a random tree over each of `parts` parts, and extra cables inside them, parallel
 * ones among them; up to `hosts` endpoints a switch, some have none. */
static inline struct hd_net *make_random(uint64_t seed, uint32_t switches, uint32_t extra, uint32_t hosts,
                                         uint32_t parts)
{
    struct hd_builder *b = builder();
    struct hd_rng rng;
    uint32_t port[256];
    char spec[64];
    hd_rng_init(&rng, seed, HD_RNG_TEST, switches);
    for (uint32_t v = 0; v < switches; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){0});
        uint32_t n = hd_rng_below(&rng, hosts + 1);
        for (port[v] = 1; port[v] <= n; port[v]++) hd_builder_host(b, v, port[v], LINK);
    }
    for (uint32_t v = parts; v < switches; v++) {
        uint32_t u = hd_rng_below(&rng, v / parts) * parts + v % parts;
        hd_builder_cable(b, v, port[v]++, u, port[u]++, LINK);
    }
    for (uint32_t i = 0; i < extra; i++) {
        uint32_t v = hd_rng_below(&rng, switches), u = hd_rng_below(&rng, switches);
        if (u != v && u % parts == v % parts) hd_builder_cable(b, v, port[v]++, u, port[u]++, LINK);
    }
    snprintf(spec, sizeof spec, "random test %u/%u/%u seed %u", switches, extra, parts, (unsigned)seed);
    return finish(b, spec);
}

/* net without a share of its switch cables, given in thousandths. */
static inline struct hd_net *degrade(const struct hd_net *net, uint32_t thousandths, uint64_t seed)
{
    struct hd_rng rng;
    bool *keep = malloc(net->nchan * sizeof *keep);
    char spec[600];
    hd_rng_init(&rng, seed, HD_RNG_TEST, 1);
    for (uint32_t c = 0; c < net->nchan; c++) keep[c] = true;
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->tail[c] < net->nsw && net->head[c] < net->nsw && c < net->rev[c])
            keep[c] = hd_rng_below(&rng, 1000) >= thousandths;
    snprintf(spec, sizeof spec, "%s less %u/1000 seed %u", net->spec, thousandths, (unsigned)seed);
    struct hd_net *out = net_keeping(net, (struct keep){.chan = keep}, spec);
    free(keep);
    return out;
}

/* The same nodes, levels and cables without shape and digits. */
static inline struct hd_net *forget_shape(const struct hd_net *net)
{
    struct hd_builder *b = builder();
    for (uint32_t v = 0; v < net->nsw; v++)
        hd_builder_switch(b, &(struct hd_switch_in){.level = net->level[v], .nports = net->nports[v]});
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t c = net->rev[net->off[net->nsw + e]];
        hd_builder_host(b, net->tail[c], net->port[c], LINK);
    }
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->tail[c] < net->nsw && net->head[c] < net->nsw && c < net->rev[c])
            hd_builder_cable(b, net->tail[c], net->port[c], net->head[c], net->port[net->rev[c]], LINK);
    return finish(b, net->spec);
}

/* ---- files of the real OpenSM -------------------------------------------------------------- */

static gzFile open_data(const char *name, const char *suffix)
{
    char path[256];
    snprintf(path, sizeof path, "tests/data/opensm/%s.%s.gz", name, suffix);
    gzFile f = gzopen(path, "r");
    if (!f) fail_msg("%s: cannot open (tests run from the project's root)", path);
    return f;
}

struct half_cable {
    char from[24], to[24];
    uint32_t port, far;
};

/* An ibsim net file with adapters of one port; their lines are skipped, the switches list the cables too. */
static inline struct hd_net *read_ibsim(const char *name)
{
    enum { MOST = 4096 };
    static char id[MOST][24];
    static uint32_t handle[MOST];
    static struct half_cable cable[MOST];
    gzFile f = open_data(name, "net");
    struct hd_builder *b = builder();
    uint32_t n = 0, ncable = 0, ports, port, far;
    char line[512], word[24], label[64];
    unsigned long long guid = 0;
    while (gzgets(f, line, sizeof line)) {
        if (sscanf(line, "switchguid=0x%llx", &guid) == 1 || sscanf(line, "caguid=0x%llx", &guid) == 1) continue;
        if (sscanf(line, "Switch %u \"%23[^\"]\" # \"%63[^\"]\"", &ports, id[n], label) == 3) {
            handle[n++] = hd_builder_switch(b, &(struct hd_switch_in){.name = label, .guid = guid, .nports = ports});
        } else if (sscanf(line, "Ca %u \"%23[^\"]\" # \"%63[^\"]\"", &ports, id[n], label) == 3) {
            uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = label, .guid = guid, .nports = ports});
            handle[n++] = hd_builder_endpoint(b, a, 1, guid + 1, 0);
        } else if (sscanf(line, "[%u] \"%23[^\"]\"[%u]", &port, word, &far) == 3 && strcmp(id[n - 1], word) > 0) {
            struct half_cable *c = &cable[ncable++];
            strcpy(c->from, id[n - 1]);
            strcpy(c->to, word);
            c->port = port;
            c->far = far;
        }
        assert_true(n < MOST && ncable < MOST);
    }
    gzclose(f);
    for (uint32_t i = 0; i < ncable; i++) {
        uint32_t u = 0, v = 0;
        while (strcmp(id[u], cable[i].from) != 0) u++;
        while (v < n && strcmp(id[v], cable[i].to) != 0) v++;
        assert_true(v < n);
        hd_builder_cable(b, handle[u], cable[i].port, handle[v], cable[i].far, LINK);
    }
    return finish(b, name);
}

/* ---- every pair ---------------------------------------------------------------------------- */

enum { NEVER = 0xffff };

/* Hops between switches: dist[u * nsw + v], relaxed until nothing changes. */
static inline uint16_t *all_distances(const struct hd_net *net)
{
    size_t n = net->nsw;
    uint16_t *dist = malloc(n * n * sizeof *dist + 1);
    memset(dist, 0xff, n * n * sizeof *dist);
    for (size_t v = 0; v < n; v++) dist[v * n + v] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < net->nchan; c++) {
            if (net->tail[c] >= n || net->head[c] >= n) continue;
            uint16_t *to = dist + net->tail[c] * n, *from = dist + net->head[c] * n;
            for (size_t v = 0; v < n; v++)
                if (from[v] != NEVER && from[v] + 1 < to[v]) to[v] = (uint16_t)(from[v] + 1), changed = true;
        }
    }
    return dist;
}

/* Lengths of the shortest paths that only descend, or that may climb before they do, by a place in line for each switch
 * (lower is further up): length[u * nsw + v] from u to v. */
static inline uint16_t *legal_lengths(const struct hd_net *net, const uint32_t *place, bool may_climb)
{
    size_t n = net->nsw;
    uint16_t *length = malloc(n * n * sizeof *length + 1);
    memset(length, 0xff, n * n * sizeof *length);
    for (size_t v = 0; v < n; v++) length[v * n + v] = 0;
    for (int climb = 0; climb <= may_climb; climb++)
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t c = 0; c < net->nchan; c++) {
                if (net->tail[c] >= n || net->head[c] >= n || (place[net->head[c]] < place[net->tail[c]]) != climb)
                    continue;
                uint16_t *to = length + net->tail[c] * n, *from = length + net->head[c] * n;
                for (size_t v = 0; v < n; v++)
                    if (from[v] != NEVER && from[v] + 1 < to[v]) to[v] = (uint16_t)(from[v] + 1), changed = true;
            }
        }
    return length;
}

struct graph { /* dependencies among (channel, lane), as lists */
    uint32_t n, *first, *next, *to, used, room;
    uint8_t *mark;
};

static inline void graph_init(struct graph *g, uint32_t n)
{
    *g = (struct graph){.n = n, .first = malloc(n * sizeof(uint32_t) + 1), .mark = calloc(n + 1, 1)};
    memset(g->first, 0xff, n * sizeof *g->first);
}

static inline void graph_free(struct graph *g)
{
    free(g->first);
    free(g->next);
    free(g->to);
    free(g->mark);
}

static inline void graph_add(struct graph *g, uint32_t a, uint32_t b)
{
    for (uint32_t i = g->first[a]; i != UINT32_MAX; i = g->next[i])
        if (g->to[i] == b) return;
    if (g->used == g->room) {
        g->room = g->room * 2 + 64;
        g->next = realloc(g->next, g->room * sizeof *g->next);
        g->to = realloc(g->to, g->room * sizeof *g->to);
    }
    g->to[g->used] = b;
    g->next[g->used] = g->first[a];
    g->first[a] = g->used++;
}

static inline bool reaches_itself(struct graph *g, uint32_t a) /* depth first: 1 open, 2 done */
{
    g->mark[a] = 1;
    for (uint32_t i = g->first[a]; i != UINT32_MAX; i = g->next[i])
        if (g->mark[g->to[i]] == 1 || (g->mark[g->to[i]] == 0 && reaches_itself(g, g->to[i]))) return true;
    g->mark[a] = 2;
    return false;
}

static inline bool graph_cyclic(struct graph *g)
{
    memset(g->mark, 0, g->n);
    for (uint32_t a = 0; a < g->n; a++)
        if (g->mark[a] == 0 && reaches_itself(g, a)) return true;
    return false;
}

enum { ANY_LENGTH = 0xfffe };

struct pairs {       /* what following every pair found */
    uint64_t *load;  /* [nchan] */
    uint32_t *dests; /* [nchan] distinct destinations */
    uint64_t unserved, served, hops;
    bool cyclic;
};

static inline void pairs_free(struct pairs *p)
{
    free(p->load);
    free(p->dests);
}

/* Follows every pair. Its length must be want[leaf(s) * nsw + leaf(d)] + 2 channels (any, if want is NULL or
 * ANY_LENGTH there), and it must be served exactly when that is not NEVER. */
static inline struct pairs follow_all(const struct hd_routes *r, const uint16_t *want)
{
    const struct hd_net *net = hd_routes_net(r);
    const char *name = hd_routes_spec(r);
    struct pairs p = {.load = calloc(net->nchan + 1, sizeof(uint64_t)),
                      .dests = calloc(net->nchan + 1, sizeof(uint32_t))};
    uint32_t *last = malloc(net->nchan * sizeof *last + 1), lanes = hd_routes_lanes(r), chan[HD_MAX_HOPS];
    struct graph g;
    graph_init(&g, net->nchan * lanes);
    memset(last, 0xff, net->nchan * sizeof *last);
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t s = 0; s < net->nep; s++) {
            if (s == d) continue;
            uint32_t n = hd_routes_path(r, s, d, 0, chan), lane = hd_routes_lane(r, s, d, 0);
            uint16_t w = want ? want[(size_t)hd_leaf(net, s) * net->nsw + hd_leaf(net, d)] : NEVER;
            if (want && w != ANY_LENGTH && n != (w == NEVER ? 0 : w + 2u))
                fail_msg("%s on %s: %u to %u takes %u channels, expected %d", name, net->spec, s, d, n,
                         w == NEVER ? 0 : w + 2);
            assert_true(lane < lanes);
            p.unserved += n == 0;
            p.served += n != 0;
            p.hops += n;
            for (uint32_t i = 0; i < n; i++) {
                if (net->tail[chan[i]] != (i ? net->head[chan[i - 1]] : net->nsw + s))
                    fail_msg("%s on %s: %u to %u has a gap", name, net->spec, s, d);
                p.load[chan[i]]++;
                if (last[chan[i]] != d) p.dests[chan[i]]++;
                last[chan[i]] = d;
                if (i + 1 < n) graph_add(&g, chan[i] * lanes + lane, chan[i + 1] * lanes + lane);
            }
            if (n) assert_int_equal(net->head[chan[n - 1]], net->nsw + d);
        }
    p.cyclic = graph_cyclic(&g);
    graph_free(&g);
    free(last);
    return p;
}

/* The check's verdict must be the one found by hand. */
static inline void agree_with_check(const struct hd_routes *r, const struct pairs *p)
{
    struct hd_ctx ctx;
    struct hd_check k;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    assert_int_equal(hd_routes_check(&ctx, r, &k), HD_OK);
    assert_int_equal(k.deadlock_free, !p->cyclic);
    assert_int_equal(k.loops, 0);
    if (hd_routes_net(r)->nsel == hd_routes_net(r)->nep) assert_int_equal(k.pairs - k.unreachable, p->served);
}

/* Largest load, and over the average in percent, among switch channels from level a to level b (0: any). */
static inline uint64_t largest_load(const struct hd_net *net, const struct pairs *p, uint32_t a, uint32_t b,
                                    uint64_t *percent)
{
    uint64_t most = 0, sum = 0, n = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t u = net->tail[c], v = net->head[c];
        if (u >= net->nsw || v >= net->nsw || (a && (net->level[u] != a || net->level[v] != b))) continue;
        if (p->load[c] > most) most = p->load[c];
        sum += p->load[c];
        n++;
    }
    if (percent) *percent = sum ? most * n * 100 / sum : 100;
    return most;
}

#endif
