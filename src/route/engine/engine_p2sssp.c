/* SPDX-License-Identifier: BSD-2-Clause */
/* P2-SSSP: one shortest path per pair, under the load of the pairs before it. Sources in order, and for
 * each all destinations: of the shortest paths from the source's switch the one with the smallest sum of
 * load, first port on ties or any. Routing stays destination-based: a switch that has an entry for the
 * destination keeps it. Loads are more even than those of P-SSSP, the bandwidth of random pairs is often
 * lower: paths to one destination never meet in such a pattern, so evening them out gains nothing.
 * Cost: for each (leaf switch, destination) the channels between the two that shortest paths may use,
 * which are found once for each (leaf switch, leaf switch).
 * Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/sssp_options.h"

#include <string.h>

struct p2sssp_between { /* what shortest paths from one switch to another may pass */
    uint32_t n;         /* 0: not made yet */
    uint32_t *node;     /* [n] switches, the farthest from the destination first; the last is its own */
    uint32_t *first;    /* [n + 1] links of node[i] that come closer: link[first[i]] .. link[first[i + 1] - 1] */
    uint32_t *link;
};

struct p2sssp_state {
    const struct hd_net *net;
    const struct hd_shortest *shortest;
    uint32_t *load;                        /* [links] */
    uint64_t *cost;                        /* [nsw] */
    uint32_t *choice;                      /* [nsw] */
    uint32_t *stamp, pass, *queue, *first; /* [nsw], [nsw], [nsw + 1] */
    uint32_t *link;                        /* [links] */
    struct p2sssp_between *to;             /* [nleaf] from the current source */
    struct hd_arena paths;                 /* of them */
    bool random;                           /* ties */
    uint64_t seed, salt;
};

static hd_status make_between(struct hd_ctx *ctx, struct p2sssp_state *s, const uint8_t *dist, uint32_t x,
                              struct p2sssp_between *b)
{
    const struct hd_links *l = &s->shortest->links;
    uint32_t n = 0, nlink = 0;
    s->pass++;
    s->stamp[x] = s->pass;
    s->queue[n++] = x;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = s->queue[i];
        s->first[i] = nlink;
        for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++) {
            uint32_t u = l->head[a];
            if (dist[u] + 1u != dist[v]) continue;
            s->link[nlink++] = a;
            if (s->stamp[u] == s->pass) continue;
            s->stamp[u] = s->pass;
            s->queue[n++] = u;
        }
    }
    s->first[n] = nlink;
    b->node = HD_NEW(&s->paths, uint32_t, n);
    b->first = HD_NEW(&s->paths, uint32_t, (size_t)n + 1);
    b->link = HD_NEW(&s->paths, uint32_t, nlink);
    if (!b->node || !b->first || !b->link) return hd_fail_memory(ctx);
    memcpy(b->node, s->queue, n * sizeof *b->node);
    memcpy(b->first, s->first, (n + 1) * sizeof *b->first);
    memcpy(b->link, s->link, nlink * sizeof *b->link);
    b->n = n;
    return HD_OK;
}

/* Of some links of v the one with the least load up to the destination; the entry v has comes first. */
static void choose_link(struct p2sssp_state *s, const uint8_t *row, uint32_t v, const uint32_t *a, const uint32_t *end)
{
    const struct hd_links *l = &s->shortest->links;
    if (row[v] != HD_SLOT_NONE) {
        s->choice[v] = l->of[s->net->off[v] + row[v]];
        s->cost[v] = s->cost[l->head[s->choice[v]]] + s->load[s->choice[v]];
        return;
    }
    s->cost[v] = UINT64_MAX;
    for (; a < end; a++) {
        uint64_t k = s->cost[l->head[*a]] + s->load[*a];
        bool wins = k == s->cost[v] && s->random && hd_sssp_rank(s->salt, *a) < hd_sssp_rank(s->salt, s->choice[v]);
        if (k >= s->cost[v] && !wins) continue;
        s->cost[v] = k;
        s->choice[v] = *a;
    }
}

/* Fix the entries of the path from switch x, unless they are already. */
static hd_status fix_path(struct hd_ctx *ctx, struct p2sssp_state *s, uint8_t *row, uint32_t t, uint32_t x)
{
    const struct hd_net *net = s->net;
    uint32_t leaf = s->shortest->leaf_of[t];
    const uint8_t *dist = s->shortest->dist + (size_t)leaf * net->nsw;
    struct p2sssp_between *b = &s->to[leaf];
    if (row[x] != HD_SLOT_NONE || dist[x] == HD_FAR) return HD_OK;
    if (!b->n) HD_TRY(make_between(ctx, s, dist, x, b));
    s->cost[t] = 0;
    for (uint32_t i = b->n - 1; i-- > 0;)
        choose_link(s, row, b->node[i], b->link + b->first[i], b->link + b->first[i + 1]);
    for (uint32_t v = x; row[v] == HD_SLOT_NONE; v = s->shortest->links.head[s->choice[v]])
        row[v] = hd_link_slot(&s->shortest->links, v, s->choice[v]);
    return HD_OK;
}

/* Entries of switches that no source has passed: chosen by the same rule, but they add no load. */
static void fix_rest(struct p2sssp_state *s, const struct hd_dag *dag, uint8_t *row)
{
    s->cost[dag->t] = 0;
    for (uint32_t i = 1; i < dag->n; i++) {
        uint32_t v = dag->order[i];
        choose_link(s, row, v, dag->link + dag->first[i], dag->link + dag->first[i + 1]);
        row[v] = hd_link_slot(&s->shortest->links, v, s->choice[v]);
    }
}

static void add_load(struct p2sssp_state *s, const uint8_t *row, uint32_t x, uint32_t t)
{
    const struct hd_net *net = s->net;
    for (uint32_t v = x; v != t && row[v] != HD_SLOT_NONE;) {
        uint32_t a = s->shortest->links.of[net->off[v] + row[v]];
        s->load[a]++;
        v = s->shortest->links.head[a];
    }
}

static hd_status p2sssp_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, struct p2sssp_state *s)
{
    const struct hd_net *net = s->net = r->net;
    s->cost = HD_NEW(a, uint64_t, net->nsw);
    s->to = HD_NEW(a, struct p2sssp_between, r->nleaf);
    bool ok = s->cost && s->to && HD_NEW_U32(a, s->shortest->links.n, &s->load, &s->link) &&
              HD_NEW_U32(a, (size_t)net->nsw + 1, &s->choice, &s->stamp, &s->queue, &s->first);
    return ok ? HD_OK : hd_fail_memory(ctx);
}

/* All pairs of source e. */
static hd_status route_source(struct hd_ctx *ctx, struct p2sssp_state *s, struct hd_routes *r, uint32_t e)
{
    const struct hd_net *net = r->net;
    uint32_t x = hd_leaf(net, e);
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) s->to[leaf].n = 0;
    hd_arena_release(&s->paths);
    for (uint32_t d = 0; d < net->nep; d++) {
        uint8_t *row = hd_row(r, d, 0);
        if (s->random) s->salt = hd_sssp_salt(s->seed, (uint64_t)e * net->nep + d);
        HD_TRY(fix_path(ctx, s, row, hd_leaf(net, d), x));
        if (hd_sssp_counts(net, d)) add_load(s, row, x, hd_leaf(net, d));
    }
    return HD_OK;
}

static hd_status p2sssp_fill(struct hd_ctx *ctx, struct hd_arena *a, struct p2sssp_state *s, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct hd_shortest shortest;
    struct hd_dag dag;
    s->shortest = &shortest;
    HD_TRY(hd_shortest_init(ctx, a, r, &shortest));
    HD_TRY(p2sssp_init(ctx, a, r, s));
    HD_TRY(hd_dag_init(ctx, a, &shortest.links, &dag));
    for (uint32_t d = 0; d < net->nep; d++) {
        uint32_t up = net->rev[net->off[net->nsw + d]];
        hd_row(r, d, 0)[net->tail[up]] = (uint8_t)(up - net->off[net->tail[up]]);
    }
    for (uint32_t e = 0; e < net->nep; e++) {
        if (hd_sssp_counts(net, e)) HD_TRY(route_source(ctx, s, r, e));
        hd_progress(ctx, "routing", e, net->nep);
    }
    for (uint32_t d = 0; d < net->nep; d++) {
        hd_dag_make(&shortest, hd_leaf(net, d), &dag);
        fix_rest(s, &dag, hd_row(r, d, 0));
    }
    return HD_OK;
}

struct p2sssp_opt {
    int tie; /* enum hd_sssp_tie */
    uint64_t seed;
};

static hd_status p2sssp_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct p2sssp_opt *o = opt;
    struct p2sssp_state state = {.random = o->tie == HD_SSSP_ANY, .seed = o->seed ? o->seed : ctx->seed};
    HD_TRY(hd_routes_table(ctx, r, 1));
    hd_status s = p2sssp_fill(ctx, scratch, &state, r);
    hd_arena_release(&state.paths);
    return s;
}

static double p2sssp_cost(const struct hd_sizes *z)
{
    return z->endpoints * z->endpoints * z->switches / 10;
}

const struct hd_engine hd_engine_p2sssp = {
    .desc = {.name = "p2sssp",
             .summary = "shortest paths on any network, each pair's path under the load of the pairs before it",
             .text = "For one source after the other, and for each all destinations: of all shortest paths that keep "
                     "the entries made so far the one with the smallest sum of load; then every channel on it carries "
                     "one pair more. Ties decide a lot on small networks: the published example has a largest load of "
                     "1 or 2 by a single one. The paper expects lower maximum loads than with "
                     "psssp; measure this for your network. Routes may have credit loops.",
             .cite = "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks",
             .params =
                 (const struct hd_param[]){{"tie", HD_WORD, "first", "among equals take the lowest port, or any",
                                            offsetof(struct p2sssp_opt, tie), 0, 0, "first|random", false},
                                           {"seed", HD_UINT, "0", "of tie=random; 0: the seed of the command",
                                            offsetof(struct p2sssp_opt, seed), 0, 9007199254740991.0, NULL, false},
                                           {0}},
             .examples = (const char *const[]){"p2sssp", "p2sssp:tie=random,seed=7", NULL},
             .opt_size = sizeof(struct p2sssp_opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_COMPLETE,
    .cost = p2sssp_cost,
    .fallback = "settle",
    .route = p2sssp_route};
