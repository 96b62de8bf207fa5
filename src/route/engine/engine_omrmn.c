/* SPDX-License-Identifier: BSD-2-Clause */
/* OMRMN: all shortest paths of a tree in equal shares, or as many as the addresses allow.
 *
 * There are P_l = w_{l+1} p_{l+1} ports up from level l, and a variant for each choice of one port per
 * level. With a cap only V_l of them are used: all on the levels next to the endpoints, as far as the
 * product stays below the cap. Variant x is the mixed-radix number (i_1, i_2, ...) with radices V_l:
 *   q_l = (i_l P_l / V_l + j / W_l) mod P_l,    j the destination's number, W_l = w_1 .. w_l
 * so the ports of one destination are spread evenly, and those of all destinations over all ports:
 * with V_l = P_l this is every path, with cap = 1 it is D-mod-K. Cost: O(levels) per path.
 * Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks, section 4. */
#include "base/status.h"
#include "route/engine/engines.h"
#include "route/kernel/tree_form.h"

struct omrmn_opt {
    uint64_t cap;
};

struct omrmn_spread {
    uint32_t used[HD_MAX_DIM]; /* V_l at index l */
};

static void omrmn_up(const struct hd_tree_form *f, uint32_t d, uint32_t x, uint32_t *q)
{
    const struct omrmn_spread *v = f->rule;
    for (uint32_t l = 1; l < f->tree.h; l++) {
        uint32_t ports = hd_tree_up_ports(f->tree.shape, l), used = v->used[l], i = x % used;
        q[l] = (uint32_t)((i * ports / used + f->tree.index[d] / f->tree.wprod[l]) % ports);
        x /= used;
    }
}

static hd_status omrmn_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    const struct hd_shape *shape = &r->net->shape;
    uint64_t left = ((const struct omrmn_opt *)opt)->cap;
    struct omrmn_spread *rule = HD_NEW(&r->arena, struct omrmn_spread, 1);
    struct hd_tree_form *f;
    uint32_t nvar = 1;
    double all = 1;
    (void)scratch;
    if (!rule) return hd_fail_memory(ctx);
    for (uint32_t l = 1; l < shape->n; l++) {
        uint32_t ports = hd_tree_up_ports(shape, l);
        rule->used[l] = ports < left ? ports : (uint32_t)left;
        all *= ports;
        nvar *= rule->used[l];
        left /= rule->used[l];
    }
    HD_TRY(hd_tree_form_make(ctx, r, nvar, omrmn_up, &f));
    f->rule = rule;
    r->select = HD_SELECT_ALL;
    if (all > nvar)
        hd_note(
            ctx,
            "omrmn: %u of the %.0f shortest paths of a pair are used: a channel may carry %.3g times its fair share",
            nvar, all, all / nvar);
    return HD_OK;
}

static const struct hd_param omrmn_params[] = {{"cap", HD_UINT, "128",
                                                "most variants a destination may have; InfiniBand's LMC allows 128",
                                                offsetof(struct omrmn_opt, cap), 1, 65535, NULL, false},
                                               {0}};

const struct hd_engine hd_engine_omrmn = {
    .desc = {.name = "omrmn",
             .summary = "fat trees: all shortest paths in equal shares",
             .text = "A pair uses every shortest path to the same extent: one variant for each choice of one up port "
                     "per level, the product of w p over the levels. On FT(m,n) no routing loads a channel less, for "
                     "any traffic: ratio 1. InfiniBand has at most 128 variants (cap). Beyond that, all ports are "
                     "used on the levels next to the endpoints and V of the P ports on the first level where the cap "
                     "is reached, different ones for different destinations: a channel above that level can then "
                     "carry P/V times its fair share (FT(48,3): 120 of 576 paths, up to 4.8 times).",
             .cite = "Yuan, Nienaber, Duan, Melhem: Oblivious routing for fat-tree based system area networks with "
                     "uncertain traffic demands",
             .params = omrmn_params,
             .examples = (const char *const[]){"omrmn", "omrmn:cap=4", NULL},
             .opt_size = sizeof(struct omrmn_opt)},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_DEADLOCK_FREE | HD_CLAIM_COMPLETE,
    .applies = hd_tree_applies,
    .fallback = "dmodc",
    .route = omrmn_route};
