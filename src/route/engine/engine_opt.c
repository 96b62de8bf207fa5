/* SPDX-License-Identifier: BSD-2-Clause */
/* OPT on trees of two levels, T(n+m,r), and of three: a channel carries few sources upwards and few destinations down.
 *
 * Plain OPT cuts the n endpoints of a leaf into groups of g = ceil(n/k), k = floor(sqrt m), and sends
 * source group i to destination group j by top i k + j: no permutation puts more than g pairs on a
 * channel. Where m is no square or n no multiple of k it leaves tops idle. There are three methods to use them:
 *
 * keep (ours). Sources are cut into a groups of nearly equal size; group i gets b_i tops of its own
 *   and cuts the destinations into b_i parts. An up channel then carries one source group and a down
 *   channel one part, so the bound g holds while no group and no part is larger: a and b_i are at
 *   least ceil(n/g), which m >= k^2 always affords. The tops beyond that go one by one to the group
 *   with most sources a top. Of all a, the one whose fullest channel has the fewest pairs of local
 *   numbers is taken, then the one that uses most tops, then the smallest (fewest variants). Where none is below plain
 *   OPT's, plain OPT's own cells are halved instead: each channel's pairs are then a subset of those of one of its
 *   channels, so that no pattern at all is slowed down.
 * cover (ours). Where m is no square, other rectangles than those of a grid have fewer sources and destinations: they
 *   are taken where that is so (route/kernel/pair_cover.h), keep otherwise.
 * published. Of the pairs of every used top, taken source by source, a share |F|/m moves to one of the
 *   idle tops F. This reproduces the published averages, and breaks the bound it was meant to keep.
 *
 * Three levels. A subtree takes the place of a leaf: n is the number of its endpoints, m that of the roots, and the
 * channels between subtrees and roots have the bound of the cover. A channel inside a subtree has at most the endpoints
 * of one leaf as sources or destinations, so the worst case is the larger of the two.
 *
 * A variant is a source group (keep, none) or a top (published). Cost: n^2 cells, and for published
 * two bytes per pair. Nienaber, Mahapatra, Yuan: Improving performance of deterministic single-path routing on
 * 2-level generalized fat-trees, Fig. 2 and section IV. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/pair_cover.h"
#include "route/kernel/tree_form.h"

#include <string.h>

enum { MAX_PAIR_ENDPOINTS = 8192 };
enum opt_balance { COVER, KEEP, PUBLISHED, NONE };

struct opt_opt {
    int balance;
};

/* top[i * n + d]: for source group i and the destination with local number d. */
struct opt_cells {
    uint32_t n, m, groups;
    uint32_t high;                  /* top t is reached by port t / high of the leaf, then by t mod high */
    uint8_t group_of[HD_MAX_PORTS]; /* source group of a local number */
    uint8_t *top;
};

/* Number of an endpoint on its leaf, or in its subtree of two levels. */
static uint32_t opt_number(const struct hd_net *net, uint32_t e)
{
    const uint16_t *digit = hd_coord(net, net->nsw + e);
    return net->shape.n == 2 ? digit[0] : digit[1] + net->shape.m[1] * digit[0];
}

static uint32_t floor_root(uint32_t m)
{
    uint32_t k = 0;
    while ((k + 1) * (k + 1) <= m) k++;
    return k;
}

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static void plain_cells(struct opt_cells *c)
{
    uint32_t k = floor_root(c->m), g = ceil_div(c->n, k);
    c->groups = ceil_div(c->n, g);
    for (uint32_t s = 0; s < c->n; s++) c->group_of[s] = (uint8_t)(s / g);
    for (uint32_t i = 0; i < c->groups; i++)
        for (uint32_t d = 0; d < c->n; d++) c->top[i * c->n + d] = (uint8_t)(i * k + d / g);
}

/* ---- keep ---------------------------------------------------------------------------------- */

struct opt_strips {
    uint32_t a;                  /* source groups */
    uint32_t size[HD_MAX_PORTS]; /* sources of each */
    uint32_t tops[HD_MAX_PORTS]; /* tops of each */
    uint32_t used;               /* tops of all */
};

/* Every group needs least tops, more than n are of no use; the rest go where a top has most sources. */
static void share_tops(struct opt_strips *t, uint32_t n, uint32_t m, uint32_t least)
{
    for (uint32_t i = 0; i < t->a; i++) t->tops[i] = least;
    for (t->used = t->a * least; t->used < m; t->used++) {
        uint32_t most = t->a;
        for (uint32_t i = 0; i < t->a; i++)
            if (t->tops[i] < n && (most == t->a || t->size[i] * t->tops[most] > t->size[most] * t->tops[i])) most = i;
        if (most == t->a) return;
        t->tops[most]++;
    }
}

static uint32_t largest_cell(const struct opt_strips *t, uint32_t n)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < t->a; i++) {
        uint32_t cell = t->size[i] * ceil_div(n, t->tops[i]);
        if (cell > largest) largest = cell;
    }
    return largest;
}

/* The grid with the smallest largest cell; how large that is. */
static uint32_t best_strips(uint32_t n, uint32_t m, uint32_t g, struct opt_strips *best)
{
    uint32_t least = ceil_div(n, g), smallest = UINT32_MAX;
    for (uint32_t a = least; a <= n && a * least <= m; a++) {
        struct opt_strips t = {.a = a};
        for (uint32_t i = 0; i < a; i++) t.size[i] = n / a + (i < n % a);
        share_tops(&t, n, m, least);
        uint32_t cell = largest_cell(&t, n);
        if (cell > smallest || (cell == smallest && t.used <= best->used)) continue;
        smallest = cell;
        *best = t;
    }
    return smallest;
}

/* first[d] is set where a part of the destinations begins. */
static void cut_evenly(uint32_t n, uint32_t parts, bool *first)
{
    for (uint32_t d = 0; d < n; d++) first[d] = d == 0 || d * parts / n != (d - 1) * parts / n;
}

/* Plain OPT's parts, the largest one halved until there are enough. */
static void cut_plain(uint32_t n, uint32_t g, uint32_t parts, bool *first)
{
    for (uint32_t d = 0; d < n; d++) first[d] = d % g == 0;
    for (uint32_t have = ceil_div(n, g); have < parts; have++) {
        uint32_t at = 0, length = 0;
        for (uint32_t d = 0, end; d < n; d = end) {
            for (end = d + 1; end < n && !first[end]; end++) continue;
            if (end - d > length) {
                length = end - d;
                at = d;
            }
        }
        first[at + ceil_div(length, 2)] = true;
    }
}

static void keep_cells(struct opt_cells *c)
{
    uint32_t n = c->n, m = c->m, g = ceil_div(n, floor_root(m)), top = 0, s = 0;
    struct opt_strips t = {0};
    bool evenly = best_strips(n, m, g, &t) < g * g, first[HD_MAX_PORTS];
    if (!evenly) {
        t.a = ceil_div(n, g);
        for (uint32_t i = 0; i < t.a; i++) t.size[i] = i + 1 < t.a ? g : n - i * g;
        share_tops(&t, n, m, t.a);
    }
    c->groups = t.a;
    for (uint32_t i = 0; i < t.a; i++) {
        for (uint32_t end = s + t.size[i]; s < end; s++) c->group_of[s] = (uint8_t)i;
        if (evenly)
            cut_evenly(n, t.tops[i], first);
        else
            cut_plain(n, g, t.tops[i], first);
        for (uint32_t d = 0; d < n; d++) {
            top += d > 0 && first[d];
            c->top[i * n + d] = (uint8_t)top;
        }
        top++;
    }
}

/* ---- cover --------------------------------------------------------------------------------- */

static hd_status cover_cells(struct hd_ctx *ctx, struct hd_arena *scratch, struct opt_cells *c)
{
    struct hd_pair_cover cover;
    HD_TRY(hd_pair_cover_find(ctx, scratch, c->n, c->m, ceil_div(c->n, floor_root(c->m)), &cover));
    if (cover.side == 0) {
        keep_cells(c);
        return HD_OK;
    }
    c->groups = cover.points;
    memcpy(c->group_of, cover.point[0], c->n);
    for (uint32_t i = 0; i < c->groups; i++)
        for (uint32_t d = 0; d < c->n; d++) c->top[i * c->n + d] = cover.top[i * cover.points + cover.point[1][d]];
    return HD_OK;
}

/* ---- published ----------------------------------------------------------------------------- */

/* Tops that plain OPT uses and leaves idle, in increasing order. */
static void split_tops(const struct opt_cells *c, uint32_t *number, uint32_t *idle, uint32_t *nidle)
{
    bool used[HD_MAX_PORTS] = {false};
    uint32_t nused = 0;
    for (uint32_t i = 0; i < c->groups * c->n; i++) used[c->top[i]] = true;
    *nidle = 0;
    for (uint32_t t = 0; t < c->m; t++) {
        if (used[t])
            number[t] = nused++;
        else
            idle[(*nidle)++] = t;
    }
}

static void move_pairs(const struct opt_cells *c, const struct hd_tree *t, const uint32_t *order, uint32_t n,
                       uint16_t *variant)
{
    const struct hd_net *net = t->net;
    uint32_t number[HD_MAX_PORTS], idle[HD_MAX_PORTS], nidle;
    uint64_t walked[HD_MAX_PORTS] = {0};
    split_tops(c, number, idle, &nidle);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            uint32_t s = order[i], d = order[j];
            if (hd_leaf(net, s) == hd_leaf(net, d)) continue;
            uint32_t top = c->top[c->group_of[opt_number(net, s)] * c->n + opt_number(net, d)];
            uint64_t at = walked[top]++;
            if (nidle && (at + 1) * nidle / c->m > at * nidle / c->m) top = idle[number[top] % nidle];
            variant[(size_t)s * net->nep + d] = (uint16_t)top;
        }
}

/* ---- routes -------------------------------------------------------------------------------- */

static void opt_up_cells(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    const struct opt_cells *c = f->rule;
    uint32_t top = c->top[x * c->n + opt_number(f->tree.net, d)];
    q[1] = top / c->high;
    if (f->tree.h > 2) q[2] = top % c->high;
}

static void opt_up_top(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    (void)f;
    (void)d;
    q[1] = x;
}

static hd_status opt_route_pairs(struct hd_ctx *ctx, const struct opt_cells *c, struct hd_arena *scratch,
                                 struct hd_routes *r)
{
    struct hd_tree_form *f;
    uint32_t *order, n;
    HD_TRY(hd_tree_form_make(ctx, r, c->m, opt_up_top, &f));
    r->select = HD_SELECT_PAIR;
    r->pair_variant = HD_NEW(&r->arena, uint16_t, (size_t)r->net->nep * r->net->nep);
    if (!r->pair_variant) return hd_fail_memory(ctx);
    HD_TRY(hd_tree_order(ctx, scratch, &f->tree, &order, &n));
    move_pairs(c, &f->tree, order, n, r->pair_variant);
    return HD_OK;
}

/* c lives as long as r. */
static hd_status opt_route_groups(struct hd_ctx *ctx, const struct opt_cells *c, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct hd_tree_form *f;
    HD_TRY(hd_tree_form_make(ctx, r, c->groups, opt_up_cells, &f));
    f->rule = c;
    r->select = HD_SELECT_SOURCE;
    r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
    if (!r->source_class) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++)
        if (hd_has_place(net, e)) r->source_class[e] = c->group_of[opt_number(net, e)];
    return HD_OK;
}

/* Endpoints of a leaf or subtree, and the tops above it. */
static void opt_size(const struct hd_shape *s, uint32_t *n, uint32_t *m)
{
    *n = s->n == 2 ? s->m[0] : s->m[0] * s->m[1];
    *m = s->n == 2 ? s->w[1] : s->w[1] * s->w[2];
}

static hd_status opt_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    enum opt_balance balance = (enum opt_balance)((const struct opt_opt *)opt)->balance;
    const struct hd_shape *shape = &r->net->shape;
    struct opt_cells *c = HD_NEW(&r->arena, struct opt_cells, 1);
    if (!c) return hd_fail_memory(ctx);
    opt_size(shape, &c->n, &c->m);
    c->high = shape->n == 2 ? 1 : shape->w[2];
    if (!(c->top = HD_NEW(&r->arena, uint8_t, (size_t)c->n * c->n))) return hd_fail_memory(ctx);
    if (balance == COVER)
        HD_TRY(cover_cells(ctx, scratch, c));
    else if (balance == KEEP)
        keep_cells(c);
    else
        plain_cells(c);
    return balance == PUBLISHED ? opt_route_pairs(ctx, c, scratch, r) : opt_route_groups(ctx, c, r);
}

static hd_status opt_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    HD_TRY(hd_tree_applies(ctx, e, net, opt));
    const struct hd_shape *s = &net->shape;
    uint32_t n, m;
    bool published = ((const struct opt_opt *)opt)->balance == PUBLISHED;
    if (s->n != 2 && (s->n != 3 || published))
        return hd_fail_na(ctx, "opt", net->spec, "%u levels of switches, expected 2%s", s->n, published ? "" : " or 3");
    for (uint32_t l = 1; l < s->n; l++)
        if (s->p[l] != 1)
            return hd_fail_na(ctx, "opt", net->spec, "%u parallel cables above level %u, expected one", s->p[l], l);
    opt_size(s, &n, &m);
    if (n > HD_MAX_PORTS || m > HD_MAX_PORTS)
        return hd_fail_na(ctx, "opt", net->spec,
                          "%u endpoints in a subtree and %u roots, at most %d of each are served", n, m, HD_MAX_PORTS);
    if (published && net->nep > MAX_PAIR_ENDPOINTS)
        return hd_fail_na(ctx, "opt:balance=published", net->spec,
                          "it moves pairs one by one, and keeps a table of pairs for at most %d endpoints (there are "
                          "%u)",
                          MAX_PAIR_ENDPOINTS, net->nep);
    return HD_OK;
}

static const struct hd_param opt_params[] = {
    {"balance", HD_WORD, "cover",
     "use of the tops that plain OPT leaves idle: cover groups sources and destinations differently where that lowers "
     "the worst case, keep uses all of them and keeps the bound ceil(n/k), published moves single pairs, the reading "
     "of the paper that fits its averages best (and breaks the bound, up to n), none is plain OPT",
     offsetof(struct opt_opt, balance), 0, 0, "cover|keep|published|none", false},
    {0}};

const struct hd_engine hd_engine_opt = {
    .desc =
        {.name = "opt",
         .summary = "trees of two or three levels: small worst-case load of permutations",
         .text =
             "On T(n+m,r) with k = floor(sqrt m) the endpoints of a leaf form groups of g = ceil(n/k), and "
             "source group i goes to destination group j by top i k + j: every channel has at most g sources "
             "or at most g destinations, so no permutation loads it with more than ceil(n/k) pairs (D-mod-K: "
             "n). That is the least possible where it equals n / sqrt m rounded up and r > 2 sqrt m, in particular "
             "where m is a square and k divides n; eval -m worst shows the bound. Elsewhere balance=cover covers "
             "the pairs by m smaller rectangles, from projective planes or found by search: 9 instead of 12 "
             "on T(24+8,32), 5 instead of 6 on T(21+21,42). balance=keep recuts the groups such that all m tops "
             "are used, with the same bound and smaller cells. balance=published moves a share of the pairs of each "
             "used top to the idle ones. The paper does not say which pairs: of about 70 readings of its text this "
             "one comes closest to the averages that it prints, for the six trees that it prints. It breaks the "
             "bound: the worst case is 12 instead of 4 on T(12+12,24), 12 instead of 6 on T(24+24,48) and 4 instead "
             "of 2 on T(8+24,32), and on most other trees it is n, that of D-mod-K, as on T(10+10,20) and "
             "T(20+30,50). On three levels a subtree takes the place of a leaf and a root that of a top, and a channel "
             "inside a subtree has at most the endpoints of one leaf: the worst case is the larger of the two. A leaf "
             "may lack endpoints; the tree must have all its cables.",
         .cite = "Nienaber, Mahapatra, Yuan: Improving performance of deterministic single-path routing on "
                 "2-level generalized fat-trees",
         .params = opt_params,
         .examples = (const char *const[]){"opt", "opt:balance=keep", "opt:balance=none", NULL},
         .opt_size = sizeof(struct opt_opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = opt_applies,
    .fallback = "dmodc",
    .route = opt_route};
