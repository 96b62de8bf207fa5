/* SPDX-License-Identifier: BSD-2-Clause */
/* OSRM2 and OSRM3: single paths on m-port trees with the least oblivious performance ratio.
 *
 * OSRM2, two levels, h = m/2 endpoints on a leaf and h tops, s1 and d1 numbers on the leaf:
 *   Z = floor(sqrt h), Zd = Z, Zs = Z + 1 if Z (Z + 1) <= h, else Z;  Ns = ceil(h/Zs), Nd = ceil(h/Zd)
 *   top = (s1 / Ns) Zd + d1 / Nd
 * (The printed index (s1/Ns) Nd + d1/Nd runs past the last top for every h that is no square.)
 * OSRM3, three levels: up by the source's number on its leaf, then by the destination's on its own.
 * A variant is a group of sources, s1 / Ns or s1. Cost: O(levels) per path.
 * Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks, Figures 8 and 9. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/tree_form.h"

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

static void osrm3_up(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    q[1] = x;
    q[2] = local_number(f->tree.net, d);
}

/* Sources whose numbers on their leaf lie in one run of `run` share a variant. */
static hd_status osrm_route(struct hd_ctx *ctx, hd_tree_up_rule *up, uint32_t run, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct hd_tree_form *f;
    HD_TRY(hd_tree_form_make(ctx, r, (net->shape.m[0] + run - 1) / run, up, &f));
    r->select = HD_SELECT_SOURCE;
    r->source_class = HD_NEW(&r->arena, uint16_t, net->nep);
    if (!r->source_class) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++)
        if (hd_has_place(net, e)) r->source_class[e] = (uint16_t)(local_number(net, e) / run);
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
    (void)opt, (void)scratch;
    return osrm_route(ctx, osrm2_up, groups_of(r->net->shape.m[0]).ns, r);
}

static hd_status osrm3_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt, (void)scratch;
    return osrm_route(ctx, osrm3_up, 1, r);
}

#define CITE                                                                                                           \
    "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with uncertain traffic "  \
    "demands"

const struct hd_engine hd_engine_osrm2 = {
    .desc = {.name = "osrm2",
             .summary = "m-port 2-trees: least oblivious ratio of single paths",
             .text = "On FT(m,2) with Z = floor(sqrt(m/2)) the m/2 endpoints of a leaf form Zs source groups (Z+1 of "
                     "them where Z(Z+1) <= m/2, otherwise Z) and Z destination groups, and source group i goes to "
                     "destination group j by top i Z + j. No traffic loads a channel more than ceil((m/2)/Z) times "
                     "what the best routing for it would: sqrt(m/2) where that is an integer. The index printed in "
                     "the paper overflows for all other m and is corrected here.",
             .cite = CITE,
             .examples = (const char *const[]){"osrm2", NULL},
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
