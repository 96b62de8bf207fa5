/* SPDX-License-Identifier: BSD-2-Clause */
/* LIDs for path variants: kept, completed or assigned again, as lids.h says. Cost: O(nodes 2^lmc). */
#include "net/edit/lids.h"
#include "base/status.h"
#include "net/edit/net_with.h"

#include <string.h>

uint32_t hd_lmc_least(const struct hd_net *net)
{
    uint32_t least = net->lmc;
    for (uint32_t e = 0; e < net->nep; e++)
        if (net->lid[net->nsw + e] && net->lmc_of[e] < least) least = net->lmc_of[e];
    return least;
}

uint32_t hd_lids_several(const struct hd_lids *lids, const struct hd_net *net)
{
    for (uint32_t v = 0; v < net->nsw + net->nep; v++)
        if (hd_lids_count(lids, net, v) > 1) return v;
    return UINT32_MAX;
}

/* Whether the LIDs that nodes have leave room for 2^lmc at every endpoint, and for more where one has more; lmc_of
 * becomes the LMC of each. Parts of a network that are subnets of their own may share LIDs. */
static bool own_lids_fit(const struct hd_net *net, uint32_t lmc, struct hd_lid_claims *claims, uint8_t *lmc_of)
{
    memset(claims->owner, 0, (claims->last + 1) * sizeof *claims->owner);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t lid = net->lid[v], e = v - net->nsw;
        uint32_t n = hd_lid_count(net, v);
        if (v >= net->nsw) {
            lmc_of[e] = lid && net->lmc_of[e] > lmc ? net->lmc_of[e] : (uint8_t)lmc;
            n = 1u << lmc_of[e];
            if (lid % (1u << lmc)) return false;
        }
        if (lid && hd_lid_claim(claims, lid, n, v + 1)) return false;
    }
    return true;
}

/* The lowest n free LIDs from *next on, the first a multiple of n, taken for v; 0: there are none. */
static uint32_t take_free_lids(struct hd_lid_claims *claims, uint32_t n, uint32_t v, uint32_t *next)
{
    while (*next + n - 1 <= claims->last) {
        const uint32_t lid = *next;
        *next += n;
        uint32_t i = 0;
        while (i < n && !claims->owner[lid + i]) i++;
        if (i < n) continue;
        return hd_lid_claim(claims, lid, n, v + 1) ? 0 : lid;
    }
    return 0;
}

/* The network's own LIDs, and the lowest free ones for nodes without; false if that is not possible. */
static bool keep_own_lids(const struct hd_net *net, uint32_t lmc, struct hd_lid_claims *claims, struct hd_lids *lids)
{
    const uint32_t nodes = net->nsw + net->nep, many = 1u << lmc;
    uint32_t endpoints_next = many, switches_next = 1;
    if (!own_lids_fit(net, lmc, claims, lids->lmc_of)) return false;
    memcpy(lids->base, net->lid, nodes * sizeof *lids->base);
    if (net->nsw) memcpy(lids->switch_lmc, net->switch_lmc, net->nsw);
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t v = i < net->nep ? net->nsw + i : i - net->nep;
        if (lids->base[v]) continue;
        const uint32_t lid = v < net->nsw ? take_free_lids(claims, 1, v, &switches_next)
                                          : take_free_lids(claims, many, v, &endpoints_next);
        if (lid == 0) return false;
        lids->base[v] = (uint16_t)lid;
    }
    lids->lmc = lmc;
    return true;
}

/* No LID beyond this is asked for: the last of the network's own, with an LMC, and as many more as nodes lack. */
static uint32_t last_lid_tried(const struct hd_net *net, uint32_t lmc)
{
    uint64_t last = 0, lacking = 1;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t end = net->lid[v] + hd_lid_count(net, v) - 1;
        if (end > last) last = end;
        lacking += net->lid[v] == 0;
    }
    last += (lacking + 1) << lmc;
    return last < HD_MAX_LID ? (uint32_t)last : HD_MAX_LID;
}

static void assign_lids_again(const struct hd_net *net, uint32_t lmc, uint16_t *base)
{
    uint32_t low = (1u << lmc) - 1, behind = (net->nep + 1) << lmc;
    for (uint32_t e = 0; e < net->nep; e++) base[net->nsw + e] = (uint16_t)((e + 1) << lmc);
    for (uint32_t v = 0; v < net->nsw; v++) base[v] = (uint16_t)(v < low ? v + 1 : behind + v - low);
}

static uint32_t lmc_for(uint32_t nvar)
{
    uint32_t lmc = 0;
    while (lmc <= HD_MAX_LMC && 1u << lmc < nvar) lmc++;
    return lmc;
}

/* As many LIDs at every endpoint as at the one with most, if there is room for them; *kept: the network's own. */
static hd_status lids_plan(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nvar,
                           struct hd_lids *out, bool *kept)
{
    struct hd_lids lids = {0};
    const uint32_t nodes = net->nsw + net->nep, lmc = lmc_for(nvar);
    if (lmc > HD_MAX_LMC)
        return hd_fail(ctx, HD_INPUT, "%u variants of a path, InfiniBand's LMC allows %u", nvar, 1u << HD_MAX_LMC);
    uint64_t low = (1u << lmc) - 1, need = ((uint64_t)net->nep << lmc) + (net->nsw > low ? net->nsw : low);
    struct hd_lid_claims claims;
    lids.base = HD_NEW(arena, uint16_t, nodes);
    lids.lmc_of = HD_NEW(arena, uint8_t, net->nep);
    lids.switch_lmc = HD_NEW(arena, uint8_t, net->nsw);
    const uint32_t last = last_lid_tried(net, net->lmc > lmc ? net->lmc : lmc);
    if (!hd_lid_claims_init(arena, last, &claims) || !lids.base || !lids.lmc_of || !lids.switch_lmc)
        return hd_fail_memory(ctx);
    const uint32_t tries[] = {net->lmc, hd_lmc_least(net), lmc};
    *kept = false;
    for (int i = 0; i < 3 && !*kept; i++) *kept = tries[i] >= lmc && keep_own_lids(net, tries[i], &claims, &lids);
    if (!*kept) {
        if (need > HD_MAX_LID)
            return hd_fail(ctx, HD_INPUT, "needs %llu LIDs (%u endpoints with %u each, %u switches), InfiniBand has %u",
                           (unsigned long long)need, net->nep, 1u << lmc, net->nsw, HD_MAX_LID);
        if (net->nep) memset(lids.lmc_of, (int)lmc, net->nep);
        if (net->nsw) memset(lids.switch_lmc, 0, net->nsw);
        assign_lids_again(net, lmc, lids.base);
        lids.lmc = lmc;
    }
    *out = lids;
    return HD_OK;
}

static void lids_find_last(struct hd_lids *lids, const struct hd_net *net)
{
    lids->last = 0;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t end = lids->base[v] + hd_lids_count(lids, net, v) - 1;
        if (end > lids->last) lids->last = (uint16_t)end;
    }
}

hd_status hd_lids_plan_even(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nvar,
                            struct hd_lids *lids)
{
    bool kept;
    HD_TRY(lids_plan(ctx, arena, net, nvar, lids, &kept));
    lids_find_last(lids, net);
    return HD_OK;
}

/* With the same base LIDs: a table and a list of LIDs that are written apart belong together. */
hd_status hd_lids_plan(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nvar,
                       struct hd_lids *lids)
{
    const uint32_t least = hd_lmc_least(net), needed = lmc_for(nvar), lmc = needed > least ? needed : least;
    bool kept;
    HD_TRY(lids_plan(ctx, arena, net, nvar, lids, &kept));
    if (kept && lids->lmc > lmc) {
        for (uint32_t e = 0; e < net->nep; e++) {
            const bool more = net->lid[net->nsw + e] && net->lmc_of[e] > lmc;
            lids->lmc_of[e] = more ? net->lmc_of[e] : (uint8_t)lmc;
        }
        lids->lmc = lmc;
    }
    lids_find_last(lids, net);
    return HD_OK;
}

hd_status hd_edit_lmc(struct hd_net_edit *edit, uint32_t lmc)
{
    struct hd_lids lids;
    HD_TRY(hd_lids_plan(edit->ctx, edit->arena, edit->net, 1u << lmc, &lids));
    if (edit->net->nep) memset(lids.lmc_of, (int)lmc, edit->net->nep);
    edit->changes.lid = lids.base;
    edit->changes.lmc_of = lids.lmc_of;
    edit->changes.switch_lmc = lids.switch_lmc;
    return HD_OK;
}
