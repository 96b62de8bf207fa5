/* SPDX-License-Identifier: BSD-2-Clause */
/* D-mod-K, S-mod-K and MLID on trees, in closed form: nothing is stored but the tree's ports.
 *
 * With j the number of the destination (D) or of the source (S), W_l = w_1 .. w_l:
 *   up from a switch of level l      port q = (j / W_l) mod (w_{l+1} p_{l+1})
 *   down from level l to digit a_l   port r = a_l + m_l ((j / W_l) mod p_l)
 * D-mod-K gives every down port of an RLFT one destination, so a Shift of all ranks never collides.
 * A whole tree that is no PGFT (kernel/levels_whole.h) gets a stored table by its levels (dmodc_layers.c).
 * S-mod-K mirrors it: variant x is that of the sources whose q agree at every level.
 * Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global
 * collectives; the cable of a downward step is ours (0 for all fails with parallel cables).
 * Cost: O(levels) per path, one memcpy per level and row. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/core/endpoint_names.h"
#include "route/core/switch_distance.h"
#include "route/engine/dmodc_layers.h"
#include "route/kernel/levels_whole.h"
#include "route/kernel/tree_form.h"

#include <string.h>

static void up_by_number(const struct hd_tree_form *f, uint64_t j, uint32_t *q)
{
    for (uint32_t l = 1; l < f->tree.h; l++)
        q[l] = (uint32_t)(j / f->tree.wprod[l] % hd_tree_up_ports(f->tree.shape, l));
}

static void dmodk_up(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    (void)x;
    up_by_number(f, f->tree.index[d], q);
}

/* A variant x of S-mod-K is itself a number j with the wanted quotients: the formulas look at j modulo
 * the least common multiple of all W_l w_{l+1} p_{l+1} only. */
static void smodk_up(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    (void)d;
    up_by_number(f, x, q);
}

struct modk_opt {
    const char *index;
    const uint64_t *number; /* [nep] of a caller, who has no file; NULL: by index */
};

/* In place of the numbers that endpoints have by their positions. */
static hd_status modk_renumber(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                               const struct modk_opt *o, uint64_t *number)
{
    if (!o->number) return *o->index ? hd_index_make(ctx, arena, net, o->index, number) : HD_OK;
    memcpy(number, o->number, net->nep * sizeof *number);
    return HD_OK;
}

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
        if (lcm > 65535) break; /* too many already */
    }
    return lcm;
}

static hd_status select_by_source(struct hd_ctx *ctx, struct hd_routes *r, const uint64_t *number)
{
    r->select = HD_SELECT_SOURCE;
    r->source_class = HD_NEW(&r->arena, uint16_t, r->net->nep);
    if (!r->source_class) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < r->net->nep; e++) r->source_class[e] = (uint16_t)(number[e] % r->nvar);
    return HD_OK;
}

static hd_status dmodk_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    bool whole = false;
    if (net->shape.kind == HD_SHAPE_NONE) HD_TRY(hd_levels_whole(ctx, net, &whole));
    return whole ? HD_OK : hd_tree_applies(ctx, e, net, opt);
}

/* On a whole tree that is no PGFT: by its levels, as dmodc. */
static hd_status dmodk_layers(struct hd_ctx *ctx, const struct modk_opt *o, struct hd_arena *scratch,
                              struct hd_routes *r)
{
    struct hd_levels lv;
    uint64_t *number;
    uint32_t *leaf, nleaf;
    HD_TRY(hd_routes_table_unset(ctx, r, 1));
    HD_TRY(hd_levels_init(ctx, scratch, r->net, &lv));
    HD_TRY(hd_levels_number(ctx, scratch, &lv, &number, &leaf, &nleaf));
    HD_TRY(modk_renumber(ctx, scratch, r->net, o, number));
    return hd_dmodc_layers(ctx, scratch, &lv, number, r);
}

/* D-mod-K: one variant, by destination. */
static hd_status dmodk_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct modk_opt *o = opt;
    struct hd_tree_form *f;
    if (r->net->shape.kind == HD_SHAPE_NONE) return dmodk_layers(ctx, o, scratch, r);
    HD_TRY(hd_tree_form_make(ctx, r, 1, dmodk_up, &f));
    f->by_destination = !*o->index && !o->number;
    return modk_renumber(ctx, &r->arena, r->net, o, f->tree.index);
}

hd_status hd_dmodk_numbered(struct hd_ctx *ctx, const struct hd_net *net, const uint64_t *number, struct hd_routes **r)
{
    static const char name[] = "dmodk";
    const struct modk_opt opt = {"", number};
    struct hd_arena scratch = {0};
    struct hd_routes *made = NULL;
    HD_TRY(hd_dist_check(ctx, net));
    HD_TRY(dmodk_applies(ctx, &hd_engine_dmodk, net, &opt));
    hd_status s = hd_routes_new(ctx, net, &made);
    if (s == HD_OK) s = dmodk_route(ctx, &opt, &scratch, made);
    if (s == HD_OK && !(made->spec = hd_strdup(&made->arena, name, sizeof name - 1))) s = hd_fail_memory(ctx);
    hd_arena_release(&scratch);
    return hd_routes_give(s, made, r);
}

/* S-mod-K under either of its names: a variant for each class of sources. */
static hd_status route_by_source(struct hd_ctx *ctx, const char *engine, const char *index, struct hd_routes *r)
{
    uint64_t nvar = source_classes(&r->net->shape);
    struct hd_tree_form *f;
    if (nvar > 65535)
        return hd_fail_na(ctx, engine, r->net->spec, "%llu classes of sources, at most 65535 can be distinguished",
                          (unsigned long long)nvar);
    HD_TRY(hd_tree_form_make(ctx, r, (uint32_t)nvar, smodk_up, &f));
    if (*index) HD_TRY(hd_index_make(ctx, &r->arena, r->net, index, f->tree.index));
    return select_by_source(ctx, r, f->tree.index);
}

static hd_status smodk_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)scratch;
    return route_by_source(ctx, "smodk", ((const struct modk_opt *)opt)->index, r);
}

static hd_status mlid_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt, (void)scratch;
    return route_by_source(ctx, "mlid", "", r);
}

static const struct hd_param modk_params[] = {
    {"index", HD_TEXT, "",
     "number the endpoints as this file lists them (names or port GUIDs, one per line), such as the "
     "nodes of a job; index=selected: selected endpoints first",
     offsetof(struct modk_opt, index), 0, 0, NULL, false},
    {0}};

const struct hd_engine hd_engine_dmodk = {
    .desc =
        {.name = "dmodk",
         .summary = "closed form on fat trees: up port by destination number modulo the ports",
         .text = "Up from level l by port (j / W_l) mod (w p) of the next level, where j is the number of the "
                 "destination and W_l the product of w up to l; down by the digit of the destination, cable (j / "
                 "W_l) mod p. On an RLFT every down port carries one destination, and a Shift of all ranks in "
                 "order has no contention. With index=FILE the numbers are those of the nodes of a job: a Shift "
                 "of the job then has no contention if its size is a multiple of the least common multiple of W_l "
                 "w_{l+1} p_{l+1} over the levels. On a whole tree that is no PGFT, such as a director fabric, the "
                 "formula fixes the path from the destination up to the top, and packets climb to meet it, as with "
                 "dmodc.",
         .cite =
             "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global collectives",
         .params = modk_params,
         .examples = (const char *const[]){"dmodk", NULL},
         .opt_size = sizeof(struct modk_opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = dmodk_applies,
    .fallback = "dmodc",
    .route = dmodk_route};

const struct hd_engine hd_engine_smodk = {
    .desc = {.name = "smodk",
             .summary = "closed form on fat trees: up port by source number modulo the ports",
             .text = "D-mod-K with the number of the source instead of that of the destination. The path depends on "
                     "the source, so each class of sources with equal residues uses a path variant of its own.",
             .cite = "Zahavi; Ohring et al.; as source-dependent form of D-mod-K",
             .params = modk_params,
             .examples = (const char *const[]){"smodk", NULL},
             .opt_size = sizeof(struct modk_opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = hd_tree_applies,
    .fallback = "dmodc",
    .route = smodk_route};

const struct hd_engine hd_engine_mlid = {
    .desc = {.name = "mlid",
             .summary = "m-port n-trees: one LID per up path, chosen by the rank of the source",
             .text = "Every endpoint has (m/2)^(n-1) LIDs, one per path up to a root, and the rank of the source in "
                     "its subtree selects one: on FT(m,n) the paths are those of S-mod-K. Every up channel then "
                     "belongs to one source, but a down channel carries many: a permutation can put m/2 pairs on one "
                     "channel of FT(m,2) and m-1 on one of FT(m,3).",
             .cite = "Lin, Chung, Huang: A multiple LID routing scheme for fat-tree-based InfiniBand networks",
             .examples = (const char *const[]){"mlid", NULL}},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = hd_tree_applies_ft,
    .fallback = "dmodc",
    .route = mlid_route};
