/* SPDX-License-Identifier: BSD-2-Clause */
/* D-mod-K and S-mod-K on any PGFT, in closed form: nothing is stored but the tree's ports.
 *
 * With j the number of the destination (D) or of the source (S), W_l = w_1 .. w_l:
 *   up from a switch of level l      port q = (j / W_l) mod (w_{l+1} p_{l+1})
 *   down from level l to digit a_l   port r = a_l + m_l ((j / W_l) mod p_l)
 * D-mod-K gives every down port of an RLFT one destination, so a Shift of all ranks never collides.
 * S-mod-K mirrors it: variant x stands for the sources whose q agree at every level.
 * Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global
 * collectives; the cable of a downward step is ours (0 for all fails with parallel cables). */
#include "base/status.h"
#include "route/dist.h"
#include "route/engines.h"
#include "route/index.h"
#include "route/tree.h"

#include <string.h>

struct modk {
    struct hd_tree tree;
    uint64_t *number;   /* [nep] j of each endpoint */
    uint32_t h;
    uint32_t *by_level; /* switches grouped by level */
    uint32_t first[HD_MAX_DIM + 2];
    bool all_on_leaves;
    uint8_t **off_tree; /* [nep] rows of endpoints that sit above the leaves (aggregation nodes), NULL else */
};

static bool is_above(const struct hd_net *net, uint32_t v, uint32_t d)
{
    const uint16_t *x = hd_coord(net, v), *y = hd_coord(net, net->nsw + d);
    for (uint32_t i = net->level[v]; i < net->shape.n; i++)
        if (x[i] != y[i]) return false;
    return true;
}

static uint8_t entry(const struct modk *m, uint32_t v, uint32_t d, uint64_t j)
{
    const struct hd_net *net = m->tree.net;
    const struct hd_shape *s = &net->shape;
    uint32_t l = net->level[v];
    uint64_t jw = j / m->tree.wprod[l];
    if (is_above(net, v, d))
        return hd_tree_down(&m->tree, v, hd_coord(net, net->nsw + d)[l - 1] + s->m[l - 1] * (uint32_t)(jw % s->p[l - 1]));
    return hd_tree_up(&m->tree, v, (uint32_t)(jw % ((uint64_t)s->w[l] * s->p[l])));
}

/* One level at a time: all switches that are not above d take the same up port number. */
static void fill_row(const struct modk *m, uint32_t d, uint64_t j, uint8_t *row)
{
    const struct hd_net *net = m->tree.net;
    const struct hd_shape *s = &net->shape;
    if (m->off_tree[d]) {
        memcpy(row, m->off_tree[d], net->nsw);
        return;
    }
    for (uint32_t l = 1; l <= m->h; l++) {
        uint64_t jw = j / m->tree.wprod[l];
        uint32_t q = l < m->h ? (uint32_t)(jw % ((uint64_t)s->w[l] * s->p[l])) : 0;
        uint32_t r = hd_coord(net, net->nsw + d)[l - 1] + s->m[l - 1] * (uint32_t)(jw % s->p[l - 1]);
        for (uint32_t i = m->first[l]; i < m->first[l + 1]; i++) {
            uint32_t v = m->by_level[i];
            row[v] = is_above(net, v, d) ? hd_tree_down(&m->tree, v, r) : hd_tree_up(&m->tree, v, q);
        }
    }
}

static uint32_t walk(const struct modk *m, uint32_t s, uint32_t d, uint64_t j, uint32_t *chan)
{
    const struct hd_net *net = m->tree.net;
    uint32_t n = 0, v = hd_leaf(net, s), target = net->nsw + d;
    chan[n++] = net->off[net->nsw + s];
    while (v != target) {
        uint8_t slot = m->off_tree[d] ? m->off_tree[d][v] : entry(m, v, d, j);
        if (slot == HD_SLOT_NONE || n == HD_MAX_HOPS) return 0;
        chan[n] = net->off[v] + slot;
        v = net->head[chan[n++]];
    }
    return n;
}

static void row_dmodk(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *row)
{
    const struct modk *m = r->data;
    (void)x;
    fill_row(m, d, m->number[d], row);
}

static uint32_t path_dmodk(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t *chan)
{
    const struct modk *m = r->data;
    (void)x;
    return walk(m, s, d, m->number[d], chan);
}

/* A variant x of S-mod-K is itself a number j with the wanted quotients: the formulas look at j modulo
 * the least common multiple of all W_l w_{l+1} p_{l+1} only. */
static void row_smodk(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *row)
{
    fill_row(r->data, d, x, row);
}

static uint32_t path_smodk(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t *chan)
{
    return walk(r->data, s, d, x, chan);
}

static const uint64_t *numbers(const struct hd_routes *r)
{
    const struct modk *m = r->data;
    return m->all_on_leaves ? m->number : NULL;
}

static const struct hd_form dmodk_form = {row_dmodk, path_dmodk, numbers}, smodk_form = {row_smodk, path_smodk, NULL};

/* ---- making -------------------------------------------------------------------------------- */

static hd_status init_off_tree(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct modk *m)
{
    m->off_tree = HD_NEW(a, uint8_t *, net->nep);
    if (!m->off_tree) return hd_fail_memory(ctx);
    m->all_on_leaves = true;
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t c = net->rev[net->off[net->nsw + e]];
        if (net->level[net->tail[c]] == 1) continue;
        m->all_on_leaves = false;
        if (!(m->off_tree[e] = HD_NEW(a, uint8_t, net->nsw))) return hd_fail_memory(ctx);
        hd_dist_row(net, net->tail[c], m->off_tree[e]);
        m->off_tree[e][net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
    }
    return HD_OK;
}

static hd_status init_modk(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, const char *index, struct modk **out)
{
    struct modk *m = HD_NEW(a, struct modk, 1);
    if (!m) return hd_fail_memory(ctx);
    HD_TRY(hd_tree_init(ctx, a, net, &m->tree));
    m->h = net->shape.n;
    m->number = m->tree.index;
    if (*index) HD_TRY(hd_index_read(ctx, a, net, index, m->number, NULL));
    m->by_level = HD_NEW(a, uint32_t, net->nsw);
    if (!m->by_level) return hd_fail_memory(ctx);
    uint32_t n = 0;
    for (uint32_t l = 1; l <= m->h; l++) {
        m->first[l] = n;
        for (uint32_t v = 0; v < net->nsw; v++)
            if (net->level[v] == l) m->by_level[n++] = v;
    }
    m->first[m->h + 1] = n;
    *out = m;
    return init_off_tree(ctx, a, net, m);
}

struct opt {
    const char *index;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static uint64_t source_classes(const struct hd_shape *s)
{
    uint64_t lcm = 1, w = 1;
    for (uint32_t l = 1; l < s->n; l++) {
        uint64_t period = w * s->w[l] * s->p[l];
        lcm = lcm / gcd(lcm, period) * period;
        w *= s->w[l];
    }
    return lcm;
}

static hd_status route(struct hd_ctx *ctx, const struct hd_net *net, const struct opt *o, bool by_source, struct hd_routes **out)
{
    uint64_t nvar = by_source ? source_classes(&net->shape) : 1;
    if (nvar > 65535)
        return hd_fail(ctx, HD_INPUT, "smodk: does not apply to %.200s: %llu classes of sources, at most 65535 can be told apart", net->spec,
                       (unsigned long long)nvar);
    struct hd_routes *r;
    struct modk *m = NULL;
    HD_TRY(hd_routes_make_form(ctx, net, (uint32_t)nvar, by_source ? &smodk_form : &dmodk_form, &r));
    hd_status s = init_modk(ctx, &r->arena, net, o->index, &m);
    r->data = m;
    if (s == HD_OK && by_source) {
        r->select = HD_SELECT_SOURCE;
        r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
        if (!r->source_class) s = hd_fail_memory(ctx);
        for (uint32_t e = 0; s == HD_OK && e < net->nep; e++) r->source_class[e] = (uint16_t)(m->number[e] % nvar);
    }
    if (s != HD_OK) {
        hd_routes_free(r);
        return s;
    }
    *out = r;
    return HD_OK;
}

static hd_status applies_dmodk(struct hd_ctx *ctx, const struct hd_net *net, const void *opt)
{
    (void)opt;
    return hd_tree_applies(ctx, net, "dmodk", true);
}

static hd_status applies_smodk(struct hd_ctx *ctx, const struct hd_net *net, const void *opt)
{
    (void)opt;
    return hd_tree_applies(ctx, net, "smodk", true);
}

static hd_status route_dmodk(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **r)
{
    return route(ctx, net, opt, false, r);
}

static hd_status route_smodk(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **r)
{
    return route(ctx, net, opt, true, r);
}

static const struct hd_param params[] = {
    {"index", HD_TEXT, "", "number the endpoints as this file lists them (names or port GUIDs, one a line), such as the nodes of a job",
     offsetof(struct opt, index), 0, 0, NULL, false},
    {0}};

const struct hd_engine hd_engine_dmodk = {
    .desc = {.name = "dmodk",
             .summary = "closed form on trees: up port by destination number modulo the ports",
             .text = "Up from level l by port (j / W_l) mod (w p) of the next level, j the destination's number and W_l the "
                     "product of w up to l; down by the destination's digit, cable (j / W_l) mod p. On an RLFT every down port "
                     "carries one destination, and a Shift of all ranks in order has no hot spot. With index=FILE the numbers "
                     "are those of a job's nodes: a Shift of the job is then free of hot spots when its size is a multiple of "
                     "the least common multiple of W_l w_{l+1} p_{l+1} over the levels.",
             .cite = "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives",
             .params = params,
             .examples = (const char *const[]){"dmodk", NULL},
             .opt_size = sizeof(struct opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = applies_dmodk,
    .route = route_dmodk};

const struct hd_engine hd_engine_smodk = {
    .desc = {.name = "smodk",
             .summary = "closed form on trees: up port by source number modulo the ports",
             .text = "D-mod-K with the source's number in place of the destination's. The path depends on the source, so each "
                     "class of sources with equal residues uses a path variant of its own.",
             .cite = "Zahavi; Ohring et al.; as source-dependent form of D-mod-K",
             .params = params,
             .examples = (const char *const[]){"smodk", NULL},
             .opt_size = sizeof(struct opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = applies_smodk,
    .route = route_smodk};
