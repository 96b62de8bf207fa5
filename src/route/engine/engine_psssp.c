/* SPDX-License-Identifier: BSD-2-Clause */
/* P-SSSP: one shortest-path tree per destination, under the load of those routed before it.
 *
 * The key of a path is (hops, sum of load) in lexicographic order, so paths are minimal by construction
 * and no heap is needed: switches are taken by distance and every channel that comes closer is relaxed
 * once. Then the number of sources behind each switch is added to the channel it uses. With minimal=off
 * a channel weighs 1 + load and Dijkstra's algorithm finds the lightest path of any length.
 * Cost: one step per channel and destination; memory: the table, one byte per leaf and switch.
 * Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks. */
#include "base/rng.h"
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/weighted_tree.h"
#include "route/kernel/sssp_options.h"

#include <string.h>

enum { MAX_ENDPOINTS = 131071 }; /* n sources and m destinations on a channel, n + m <= this: n m fits 32 bits */

struct psssp_state {
    const struct hd_net *net;
    struct hd_grow g;
    uint32_t *heap, *place, nheap; /* minimal=off: switches, and where each is in the heap (1-based, 0: not) */
    uint32_t *done, ndone;         /* minimal=off: switches by increasing cost */
    bool random;
    uint64_t seed, salt;
};

/* ---- order and weights --------------------------------------------------------------------- */

static void order_by_leaf(const struct hd_net *net, uint32_t *order, uint32_t *count)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) count[v] = 0;
    for (uint32_t e = 0; e < net->nep; e++) count[hd_leaf(net, e)]++;
    for (uint32_t k = HD_MAX_PORTS; k > 0; k--)
        for (uint32_t v = 0; v < net->nsw; v++) {
            if (count[v] != k) continue;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
                if (net->head[c] >= net->nsw) order[n++] = net->head[c] - net->nsw;
        }
}

hd_status hd_sssp_order(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_sssp_opt *o, uint32_t *order)
{
    for (uint32_t e = 0; e < net->nep; e++) order[e] = e;
    if (o->order == HD_SSSP_RANDOM) {
        struct hd_rng rng;
        hd_rng_init(&rng, o->seed ? o->seed : ctx->seed, HD_RNG_ENGINE, UINT64_MAX);
        hd_rng_shuffle(&rng, order, net->nep);
    } else if (o->order == HD_SSSP_LEAF) {
        struct hd_arena scratch = {0};
        uint32_t *count = HD_NEW(&scratch, uint32_t, net->nsw);
        if (!count) return hd_fail_memory(ctx);
        order_by_leaf(net, order, count);
        hd_arena_release(&scratch);
    }
    return HD_OK;
}

void hd_sssp_sources(const struct hd_net *net, uint32_t *sources)
{
    memset(sources, 0, net->nsw * sizeof *sources);
    for (uint32_t e = 0; e < net->nep; e++) sources[hd_leaf(net, e)] += hd_sssp_counts(net, e);
}

/* ---- one destination ----------------------------------------------------------------------- */

uint64_t hd_sssp_salt(uint64_t seed, uint64_t stream)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed, HD_RNG_ENGINE, stream);
    uint64_t salt = (uint64_t)hd_rng_u32(&rng) << 32;
    return salt | hd_rng_u32(&rng);
}

/* As hd_grow_tree, with any of the links of least cost. */
static void grow_any(struct psssp_state *s, const struct hd_dag *dag, uint8_t *row)
{
    const struct hd_grow *g = &s->g;
    g->cost[dag->t] = 0;
    for (uint32_t i = 1; i < dag->n; i++) {
        const uint32_t *a = dag->link + dag->first[i], *end = dag->link + dag->first[i + 1];
        uint32_t best = *a;
        uint64_t least = g->cost[g->links->head[best]] + g->load[best];
        while (++a < end) {
            uint64_t k = g->cost[g->links->head[*a]] + g->load[*a], sum = k / HD_GROW_ROUTE;
            if (sum > least / HD_GROW_ROUTE) continue;
            if (sum == least / HD_GROW_ROUTE && hd_sssp_rank(s->salt, *a) > hd_sssp_rank(s->salt, best)) continue;
            least = k;
            best = *a;
        }
        hd_grow_take(&s->g, dag->order[i], least, row);
    }
}

/* ---- any length: Dijkstra with a binary heap of switches -------------------------------------- */

static bool heap_before(const struct psssp_state *s, uint32_t u, uint32_t v)
{
    return s->g.cost[u] < s->g.cost[v] || (s->g.cost[u] == s->g.cost[v] && u < v);
}

static void heap_put(struct psssp_state *s, uint32_t at, uint32_t v)
{
    s->heap[at] = v;
    s->place[v] = at;
}

static void heap_rise(struct psssp_state *s, uint32_t at, uint32_t v)
{
    for (; at > 1 && heap_before(s, v, s->heap[at / 2]); at /= 2) heap_put(s, at, s->heap[at / 2]);
    heap_put(s, at, v);
}

static uint32_t psssp_heap_pop(struct psssp_state *s)
{
    uint32_t top = s->heap[1], v = s->heap[s->nheap--], at = 1;
    for (uint32_t k; (k = 2 * at) <= s->nheap; at = k) {
        if (k < s->nheap && heap_before(s, s->heap[k + 1], s->heap[k])) k++;
        if (!heap_before(s, s->heap[k], v)) break;
        heap_put(s, at, s->heap[k]);
    }
    if (s->nheap) heap_put(s, at, v);
    s->place[top] = 0;
    return top;
}

static void grow_lightest(struct psssp_state *s, uint32_t t, uint8_t *row)
{
    const struct hd_net *net = s->net;
    const struct hd_links *l = s->g.links;
    memset(s->g.cost, 0xff, net->nsw * sizeof *s->g.cost);
    s->g.cost[t] = 0;
    s->nheap = s->ndone = 0;
    heap_rise(s, ++s->nheap, t);
    while (s->nheap) {
        uint32_t v = psssp_heap_pop(s);
        s->done[s->ndone++] = v;
        for (uint32_t b = l->first[v]; b < l->first[v + 1]; b++) {
            uint32_t u = l->head[b], a = l->back[b];
            uint64_t k = s->g.cost[v] + 1 + s->g.load[a] / HD_GROW_ROUTE;
            if (u == t || k > s->g.cost[u]) continue;
            if (k == s->g.cost[u]) {
                uint32_t old = s->g.next[u];
                if (s->random ? hd_sssp_rank(s->salt, a) < hd_sssp_rank(s->salt, old) : a < old) {
                    s->g.next[u] = a;
                    row[u] = hd_link_slot(l, u, a);
                }
                continue;
            }
            s->g.next[u] = a;
            row[u] = hd_link_slot(l, u, a);
            s->g.cost[u] = k;
            heap_rise(s, s->place[u] ? s->place[u] : ++s->nheap, u);
        }
    }
}

/* ---- all destinations ----------------------------------------------------------------------- */

static hd_status psssp_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_sssp_opt *o,
                            const struct hd_links *links, struct psssp_state *s)
{
    const struct hd_net *net = links->net;
    *s = (struct psssp_state){.net = net, .random = o->tie == HD_SSSP_ANY, .seed = o->seed ? o->seed : ctx->seed};
    HD_TRY(hd_grow_init(ctx, a, links, &s->g));
    s->heap = HD_NEW(a, uint32_t, (size_t)net->nsw + 2);
    s->place = HD_NEW(a, uint32_t, net->nsw);
    s->done = HD_NEW(a, uint32_t, net->nsw);
    if (!s->heap || !s->place || !s->done) return hd_fail_memory(ctx);
    hd_sssp_sources(net, s->g.sources);
    return HD_OK;
}

static hd_status psssp_fill(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_sssp_opt *o,
                            const struct hd_shortest *shortest, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct psssp_state s;
    struct hd_dag dag;
    uint32_t *order = HD_NEW(a, uint32_t, net->nep);
    if (!order) return hd_fail_memory(ctx);
    HD_TRY(psssp_init(ctx, a, o, &shortest->links, &s));
    HD_TRY(hd_dag_init(ctx, a, &shortest->links, &dag));
    HD_TRY(hd_sssp_order(ctx, net, o, order));
    for (uint32_t i = 0; i < net->nep; i++) {
        uint32_t d = order[i], up = net->rev[net->off[net->nsw + d]], t = net->tail[up];
        uint8_t *row = hd_row(r, d, 0);
        if (s.random) s.salt = hd_sssp_salt(s.seed, d);
        if (o->minimal) {
            hd_dag_make(shortest, t, &dag);
            if (s.random)
                grow_any(&s, &dag, row);
            else
                hd_grow_tree(&s.g, &dag, row);
        } else {
            grow_lightest(&s, t, row);
        }
        row[t] = (uint8_t)(up - net->off[t]);
        if (hd_sssp_counts(net, d)) hd_grow_add(&s.g, o->minimal ? dag.order : s.done, o->minimal ? dag.n : s.ndone);
        if (i % 256 == 0) hd_progress(ctx, "routing", i, net->nep);
    }
    return HD_OK;
}

hd_status hd_sssp_fill(struct hd_ctx *ctx, const struct hd_sssp_opt *o, const struct hd_shortest *shortest,
                       struct hd_routes *r)
{
    if (r->net->nep > MAX_ENDPOINTS)
        return hd_fail_na(ctx, "psssp", r->net->spec, "%u endpoints: loads are counted for at most %d", r->net->nep,
                          MAX_ENDPOINTS);
    struct hd_arena scratch = {0};
    hd_status s = psssp_fill(ctx, &scratch, o, shortest, r);
    hd_arena_release(&scratch);
    return s;
}

/* ---- the engine ------------------------------------------------------------------------------ */

static hd_status psssp_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_sssp_opt *o = opt;
    struct hd_shortest shortest;
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(hd_shortest_init(ctx, scratch, r, &shortest));
    if (o->form == HD_SSSP_OPENSM) return hd_sssp_opensm(ctx, "psssp:form=opensm", &shortest.links, r);
    return hd_sssp_fill(ctx, o, &shortest, r);
}

const struct hd_engine hd_engine_psssp = {
    .desc = {.name = "psssp",
             .summary = "shortest paths on any network, each destination's tree under the load of those before it",
             .text = "For one destination after the other: of all shortest paths every switch takes the one with the "
                     "smallest sum of load, then the load of each channel grows by the number of sources that now use "
                     "it. Weights that start at the square of the number of endpoints, as published, do not prove "
                     "that paths are minimal; comparing (hops, sum of load) does. The order of destinations and ties "
                     "change the result by up to 15 %. The published form without the restriction to shortest paths "
                     "is minimal=off: a channel weighs 1 + load. Routes may have credit loops: see dfsssp. "
                     "form=opensm is OpenSM's sssp, entry by entry, on a new subnet with LMC 0.",
             .cite = "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks",
             .params = (const struct hd_param[]){HD_SSSP_ORDER_ROWS, HD_SSSP_MINIMAL_ROW, {0}},
             .examples = (const char *const[]){"psssp", "psssp:order=random,tie=random,seed=7", "psssp:order=leaf",
                                               "psssp:minimal=off", "psssp:form=opensm", NULL},
             .opt_size = sizeof(struct hd_sssp_opt)},
    .claims = HD_CLAIM_COMPLETE,
    .fallback = "settle",
    .route = psssp_route};
