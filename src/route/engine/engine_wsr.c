/* SPDX-License-Identifier: BSD-2-Clause */
/* Widest shortest routing on trees, as the oblivious-routing paper runs it: pairs in the order (0,1),
 * (0,2), ... of the endpoints' numbers in the tree; each takes the shortest path whose links have the
 * smallest sum of weights, the first found on ties (lowest up port on the lowest level first), and adds
 * one to each of them. Minimising the largest weight instead of the sum gives other routes.
 *
 * The two ends of a path climb in step: from (v, u), on the source's and the destination's side, port q
 * leads to the parents by that port and costs up[v,q] + down[u,q]; they meet at the common ancestor.
 * A variant is the mixed-radix number of the up ports, q_1 least significant; two bytes per pair say
 * which. Cost: at most paths of a pair x pairs; the least weight above each switch is kept, and a
 * climb is given up where even that would not beat the best path so far.
 * Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/tree_form.h"

enum { MAX_ENDPOINTS = 8192, MAX_VARIANTS = 65535 };

struct wsr_weights { /* of one direction of the cables up from every switch, by entry tree->up[v] + q */
    uint32_t *at;
    uint32_t *least; /* [nsw] smallest weight of a switch's cables, */
    uint32_t *many;  /* [nsw] and how many have it */
};

struct wsr_climb {
    const struct hd_tree *tree;
    struct wsr_weights up, down;
    uint32_t *parent; /* where the cable of an entry leads */
    uint32_t radix[HD_MAX_DIM + 1];
    uint32_t top; /* highest level with switches: planes of a fabric have none above them */
    uint32_t q[HD_MAX_DIM], best_q[HD_MAX_DIM];
    uint64_t best;
};

static void wsr_add(const struct wsr_climb *k, struct wsr_weights *w, uint32_t v, uint32_t q)
{
    uint32_t *at = w->at + k->tree->up[v], ports = k->radix[k->tree->net->level[v]];
    if (at[q]++ > w->least[v] || --w->many[v] > 0) return;
    w->least[v]++;
    for (uint32_t i = 0; i < ports; i++) w->many[v] += at[i] == w->least[v];
}

static void wsr_search(struct wsr_climb *k, uint32_t v, uint32_t u, uint32_t l, uint32_t meet, uint64_t sum)
{
    uint32_t a = k->tree->up[v], b = k->tree->up[u];
    for (uint32_t q = 0; q < k->radix[l]; q++) {
        uint64_t next = sum + k->up.at[a + q] + k->down.at[b + q];
        k->q[l] = q;
        if (l + 1 < meet) {
            uint32_t pv = k->parent[a + q], pu = k->parent[b + q];
            if (next + k->up.least[pv] + k->down.least[pu] < k->best) wsr_search(k, pv, pu, l + 1, meet, next);
        } else if (next < k->best) {
            k->best = next;
            for (uint32_t i = 1; i <= l; i++) k->best_q[i] = k->q[i];
            if (next == sum + k->up.least[v] + k->down.least[u]) return; /* nothing here is lighter */
        }
    }
}

/* Level of the lowest common ancestors of two leaf switches. */
static uint32_t meeting_level(const struct hd_net *net, uint32_t v, uint32_t u)
{
    uint32_t l = net->shape.n;
    while (l > 1 && hd_coord(net, v)[l - 1] == hd_coord(net, u)[l - 1]) l--;
    return l;
}

static uint16_t wsr_route_pair(struct wsr_climb *k, uint32_t s, uint32_t d)
{
    const struct hd_net *net = k->tree->net;
    uint32_t v = hd_leaf(net, s), u = hd_leaf(net, d), meet = meeting_level(net, v, u), x = 0, scale = 1;
    if (v == u || meet > k->top) return 0;
    k->best = UINT64_MAX;
    wsr_search(k, v, u, 1, meet, 0);
    for (uint32_t l = 1; l < meet; l++) {
        uint32_t q = k->best_q[l];
        wsr_add(k, &k->up, v, q);
        wsr_add(k, &k->down, u, q);
        v = k->parent[k->tree->up[v] + q];
        u = k->parent[k->tree->up[u] + q];
        x += q * scale;
        scale *= k->radix[l];
    }
    return (uint16_t)x;
}

static bool wsr_weights_init(struct hd_arena *a, const struct wsr_climb *k, uint32_t entries, struct wsr_weights *w)
{
    const struct hd_net *net = k->tree->net;
    w->at = HD_NEW(a, uint32_t, entries);
    w->least = HD_NEW(a, uint32_t, net->nsw);
    w->many = HD_NEW(a, uint32_t, net->nsw);
    if (!w->at || !w->least || !w->many) return false;
    for (uint32_t v = 0; v < net->nsw; v++) w->many[v] = k->radix[net->level[v]];
    return true;
}

static hd_status wsr_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_tree *t, struct wsr_climb *k)
{
    const struct hd_net *net = t->net;
    uint32_t entries = 0;
    *k = (struct wsr_climb){.tree = t};
    for (uint32_t l = 1; l < t->h; l++) k->radix[l] = hd_tree_up_ports(t->shape, l);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (t->up[v] + k->radix[net->level[v]] > entries) entries = t->up[v] + k->radix[net->level[v]];
    k->parent = HD_NEW(a, uint32_t, entries);
    if (!k->parent || !wsr_weights_init(a, k, entries, &k->up) || !wsr_weights_init(a, k, entries, &k->down))
        return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] > k->top) k->top = net->level[v];
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t q = 0; !net->unplaced[v] && net->level[v] < k->top && q < k->radix[net->level[v]]; q++)
            k->parent[t->up[v] + q] = net->head[net->off[v] + hd_tree_up(t, v, q)];
    return HD_OK;
}

static hd_status wsr_fill(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_tree *t, uint16_t *variant)
{
    struct wsr_climb k;
    uint32_t *order, n;
    HD_TRY(wsr_init(ctx, scratch, t, &k));
    HD_TRY(hd_tree_order(ctx, scratch, t, &order, &n));
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            if (i != j) variant[(size_t)order[i] * t->net->nep + order[j]] = wsr_route_pair(&k, order[i], order[j]);
        if (i % 256 == 0) hd_progress(ctx, "wsr", i, n);
    }
    return HD_OK;
}

static void wsr_up(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    (void)d;
    for (uint32_t l = 1; l < f->tree.h; l++) {
        uint32_t ports = hd_tree_up_ports(f->tree.shape, l);
        q[l] = x % ports;
        x /= ports;
    }
}

static uint64_t wsr_variants(const struct hd_shape *s)
{
    uint64_t n = 1;
    for (uint32_t l = 1; l < s->n && n <= MAX_VARIANTS; l++) n *= s->w[l];
    return n;
}

static hd_status wsr_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct hd_tree_form *f;
    (void)opt;
    HD_TRY(hd_tree_form_make(ctx, r, (uint32_t)wsr_variants(&net->shape), wsr_up, &f));
    r->select = HD_SELECT_PAIR;
    r->pair_variant = HD_NEW(&r->arena, uint16_t, (size_t)net->nep * net->nep);
    return r->pair_variant ? wsr_fill(ctx, scratch, &f->tree, r->pair_variant) : hd_fail_memory(ctx);
}

static hd_status wsr_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    const struct hd_shape *s = &net->shape;
    HD_TRY(hd_tree_applies(ctx, e, net, opt));
    for (uint32_t l = 1; l < s->n; l++)
        if (s->p[l] != 1)
            return hd_fail_na(ctx, "wsr", net->spec, "%u parallel cables above level %u, expected one", s->p[l], l);
    if (net->nep > MAX_ENDPOINTS)
        return hd_fail_na(ctx, "wsr", net->spec, "%u endpoints, and pairs are routed one by one for at most %d",
                          net->nep, MAX_ENDPOINTS);
    if (wsr_variants(s) > MAX_VARIANTS)
        return hd_fail_na(ctx, "wsr", net->spec, "more than %d shortest paths per pair", MAX_VARIANTS);
    return HD_OK;
}

static double wsr_cost(const struct hd_sizes *z)
{
    return 100 * z->endpoints * z->endpoints;
}

const struct hd_engine hd_engine_wsr = {
    .desc = {.name = "wsr",
             .summary = "fat trees: widest shortest routing, pair by pair",
             .text = "Pairs in the order (0,1), (0,2), ... take the shortest path with the smallest sum of link "
                     "weights, the first found on ties, and add one to the weight of each of its links. The paper "
                     "found its worst case equal to that of MLID: m/2 pairs of a permutation on one channel of "
                     "FT(m,2), m-1 on one of FT(m,3). Pairs are routed one after the other and take two bytes each, "
                     "so it is limited to 8192 endpoints, and to one cable between switches.",
             .cite = "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree "
                     "based system area networks with uncertain traffic demands",
             .examples = (const char *const[]){"wsr", NULL}},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = wsr_applies,
    .fallback = "dmodc",
    .cost = wsr_cost,
    .route = wsr_route};
