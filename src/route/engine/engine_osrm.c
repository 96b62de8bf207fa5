/* SPDX-License-Identifier: BSD-2-Clause */
/* OSRM2 and OSRM3: single paths on m-port trees with a small oblivious performance ratio, on three levels the least.
 *
 * OSRM2, two levels, h = m/2 endpoints on a leaf and h tops, s1 and d1 numbers on the leaf:
 *   Z = floor(sqrt h), Zd = Z, Zs = Z + 1 if Z (Z + 1) <= h, else Z;  Ns = ceil(h/Zs), Nd = ceil(h/Zd)
 *   top = (s1 / Ns) Zd + d1 / Nd
 * (The printed index (s1/Ns) Nd + d1/Nd runs past the last top for every h that is no square.)
 * Where other rectangles than those of this grid have fewer sources and destinations (route/kernel/pair_cover.h), which
 * is so for h = 7, 8, 13, 14, 21 and more, they are taken instead: 3 instead of 4 for h = 7.
 * OSRM3, three levels: up by the source's number on its leaf, then by the destination's on its own. The number of
 * roots, h^2, is always a square: this grid meets the lower bound h for every h, and no cover has less.
 * A variant is a group of sources: s1 / Ns, a point of the cover, or s1. Cost: O(levels) per path, and the search.
 * Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks, Figures 8 and 9. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/pair_cover.h"
#include "route/kernel/tree_form.h"

enum osrm2_balance { COVER, NONE };

struct osrm2_opt {
    int balance;
};

struct osrm_groups {
    uint32_t zs, zd, ns, nd;
};

static struct osrm_groups groups_of(uint32_t h)
{
    struct osrm_groups g = {0};
    uint32_t z = 0;
    while ((z + 1) * (z + 1) <= h) z++;
    g.zd = z;
    g.zs = z * (z + 1) <= h ? z + 1 : z;
    g.ns = (h + g.zs - 1) / g.zs;
    g.nd = (h + g.zd - 1) / g.zd;
    return g;
}

static uint32_t local_number(const struct hd_net *net, uint32_t e)
{
    return hd_coord(net, net->nsw + e)[0];
}

static void osrm2_up(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    struct osrm_groups g = groups_of(f->tree.shape->m[0]);
    q[1] = x * g.zd + local_number(f->tree.net, d) / g.nd;
}

static void osrm2_up_cover(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    const struct hd_pair_cover *c = f->rule;
    q[1] = c->top[x * c->points + c->point[1][local_number(f->tree.net, d)]];
}

static void osrm3_up(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    q[1] = x;
    q[2] = local_number(f->tree.net, d);
}

/* Sources whose numbers on their leaf are of one group share a variant. */
static hd_status osrm_route(struct hd_ctx *ctx, hd_tree_up_rule *up, const void *rule, const uint8_t *group,
                            struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct hd_tree_form *f;
    uint32_t groups = 0;
    for (uint32_t i = 0; i < net->shape.m[0]; i++)
        if (group[i] >= groups) groups = group[i] + 1u;
    HD_TRY(hd_tree_form_make(ctx, r, groups, up, &f));
    f->rule = rule;
    r->select = HD_SELECT_SOURCE;
    r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
    if (!r->source_class) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++)
        if (hd_has_place(net, e)) r->source_class[e] = group[local_number(net, e)];
    return HD_OK;
}

static hd_status osrm_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    uint32_t levels = e == &hd_engine_osrm2 ? 2 : 3;
    HD_TRY(hd_tree_applies(ctx, e, net, opt));
    if (net->shape.n != levels)
        return hd_fail_na(ctx, e->desc.name, net->spec, "%u levels of switches, expected %u", net->shape.n, levels);
    return hd_tree_applies_ft(ctx, e, net, opt);
}

static hd_status osrm2_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    uint32_t h = r->net->shape.m[0];
    struct osrm_groups g = groups_of(h);
    struct hd_pair_cover *c = HD_NEW(&r->arena, struct hd_pair_cover, 1);
    uint8_t group[HD_MAX_PORTS];
    (void)scratch; /* the cover stays part of the routes */
    if (!c) return hd_fail_memory(ctx);
    if (((const struct osrm2_opt *)opt)->balance == COVER) {
        HD_TRY(hd_pair_cover_find(ctx, &r->arena, h, h, g.nd, c));
        if (c->side) return osrm_route(ctx, osrm2_up_cover, c, c->point[0], r);
    }
    for (uint32_t i = 0; i < h; i++) group[i] = (uint8_t)(i / g.ns);
    return osrm_route(ctx, osrm2_up, NULL, group, r);
}

static hd_status osrm3_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    uint8_t group[HD_MAX_PORTS];
    (void)opt, (void)scratch;
    for (uint32_t i = 0; i < r->net->shape.m[0]; i++) group[i] = (uint8_t)i;
    return osrm_route(ctx, osrm3_up, NULL, group, r);
}

static const struct hd_param osrm2_params[] = {
    {"balance", HD_WORD, "cover",
     "cover groups sources and destinations differently where that lowers the ratio, none keeps the groups of the "
     "paper",
     offsetof(struct osrm2_opt, balance), 0, 0, "cover|none", false},
    {0}};

#define CITE                                                                                                           \
    "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with uncertain traffic "  \
    "demands"

const struct hd_engine hd_engine_osrm2 = {
    .desc = {.name = "osrm2",
             .summary = "m-port 2-trees: small oblivious ratio of single paths",
             .text = "On FT(m,2) with Z = floor(sqrt(m/2)) the m/2 endpoints of a leaf form Zs source groups (Z+1 of "
                     "them where Z(Z+1) <= m/2, otherwise Z) and Z destination groups, and source group i goes to "
                     "destination group j by top i Z + j. No traffic loads a channel more than ceil((m/2)/Z) times "
                     "what the best routing for it would. That is the least possible where it equals sqrt(m/2) "
                     "rounded up, in particular where m/2 is a square. Elsewhere balance=cover takes other groups "
                     "where they are better, from projective planes or found by search: 3 instead of 4 on FT(14,2) "
                     "and FT(16,2), 4 instead of 5 on FT(26,2), 5 instead of 6 on FT(42,2), all of them the least "
                     "possible. The index printed in the paper overflows where m/2 is no square and is corrected "
                     "here.",
             .cite = CITE,
             .params = osrm2_params,
             .examples = (const char *const[]){"osrm2", "osrm2:balance=none", NULL},
             .opt_size = sizeof(struct osrm2_opt),
             .command = "heddle eval ft:m=16,n=2 osrm2 dmodk -m oblivious"},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = osrm_applies,
    .fallback = "dmodc",
    .route = osrm2_route};

const struct hd_engine hd_engine_osrm3 = {
    .desc = {.name = "osrm3",
             .summary = "m-port 3-trees: least oblivious ratio of single paths",
             .text = "On FT(m,3): up from the leaf by the number of the source on its leaf, up from the next level by "
                     "the number of the destination on its leaf. Every channel to or from a root has m/2 sources or "
                     "m/2 destinations, so no traffic loads it more than m/2 times what the best routing for it "
                     "would, and no single-path routing does better.",
             .cite = CITE,
             .examples = (const char *const[]){"osrm3", NULL},
             .command = "heddle eval ft:m=8,n=3 osrm3 dmodk -m oblivious"},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = osrm_applies,
    .fallback = "dmodc",
    .route = osrm3_route};
