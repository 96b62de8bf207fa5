/* SPDX-License-Identifier: BSD-2-Clause */
/* What beside entries two tables must have in common, or may not: LIDs, and the VLs of pairs.
 *
 * Entries are kept by node, but switches forward by LID. If a LID changes its owner between two tables, a mixture of
 * their entries for that LID leads now to the one and now to the other; if a node changes its LID, senders still use
 * the old one. Neither is a mixture of rows, so such tables are refused. A table that was not read from a file has the
 * LIDs that it would be written with: the network's, assigned again if these have no room for its variants.
 *
 * VLs are compared pair by pair, or leaf switch by leaf switch where all endpoints of one have the same.
 * Cost: O(nodes) for LIDs; O(leaf switches * endpoints) or O(endpoints^2) for VLs, times variants. */
#include "base/status.h"
#include "base/threads.h"
#include "net/edit/lids.h"
#include "route/check/check_everyone.h"
#include "route/check/mixture.h"
#include "route/core/routes_levels.h"
#include "route/core/sl2vl.h"

#include <string.h>

/* ---- LIDs --------------------------------------------------------------------------------------------- */

struct mix_lids {
    const uint16_t *base; /* [nsw+nep] 0: not known; NULL: none is */
    const char *of;       /* whose they are, for messages */
};

enum { ALL_LIDS = 1 << 16 };
static const uint32_t shared_lid = UINT32_MAX; /* by nodes of several subnets */

/* Nodes by LID, + 1. */
static void lid_owners(const struct hd_net *net, const uint16_t *base, uint32_t *owner)
{
    memset(owner, 0, ALL_LIDS * sizeof *owner);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++)
        if (base[v]) owner[base[v]] = owner[base[v]] ? shared_lid : v + 1;
}

static hd_status lids_agree(struct hd_ctx *ctx, const struct hd_net *net, const struct mix_lids *a,
                            const struct mix_lids *b, uint32_t *owner)
{
    if (!a->base || !b->base) return HD_OK;
    lid_owners(net, a->base, owner);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t lid = b->base[v], other = owner[lid];
        if (lid && other && other != shared_lid && other != v + 1)
            return hd_fail(ctx, HD_INPUT,
                           "LID 0x%04x is that of '%.80s' in %.100s and of '%.80s' in %.100s: switches forward by LID, "
                           "so there is no safe transition",
                           lid, hd_node_name(net, other - 1), a->of, hd_node_name(net, v), b->of);
        if (lid && a->base[v] && a->base[v] != lid)
            return hd_fail(
                ctx, HD_INPUT,
                "'%.80s' has LID 0x%04x in %.100s and 0x%04x in %.100s: senders use the old LID, so there is "
                "no safe transition",
                hd_node_name(net, v), a->base[v], a->of, lid, b->of);
    }
    return HD_OK;
}

/* LIDs of the network for so many variants. */
static hd_status lids_of_net(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, uint32_t nvar,
                             struct mix_lids *out)
{
    struct hd_lids plan;
    bool any = false;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) any |= net->lid[v] != 0;
    *out = (struct mix_lids){any ? net->lid : NULL, "the network"};
    if (!any || nvar <= 1u << hd_lmc_least(net)) return HD_OK;
    HD_TRY(hd_lids_plan(ctx, a, net, nvar, &plan));
    out->base = plan.base;
    return HD_OK;
}

hd_status hd_mix_comparable(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to)
{
    if (from->net != to->net) return hd_fail(ctx, HD_USAGE, "the two tables are of different networks");
    if (from->nvar != to->nvar)
        return hd_fail(ctx, HD_INPUT, "the tables have %u and %u path variants per endpoint: LIDs would change",
                       from->nvar, to->nvar);
    if (!from->lid && !to->lid) return HD_OK;
    struct hd_arena scratch = {0};
    struct mix_lids a = {from->lid, from->spec}, b = {to->lid, to->spec}, net;
    uint32_t *owner = HD_NEW(&scratch, uint32_t, ALL_LIDS);
    hd_status s = owner ? lids_of_net(ctx, &scratch, from->net, from->nvar, &net) : hd_fail_memory(ctx);
    if (s == HD_OK) s = lids_agree(ctx, from->net, &a, &b, owner);
    if (s == HD_OK) s = lids_agree(ctx, from->net, &net, &a, owner);
    if (s == HD_OK) s = lids_agree(ctx, from->net, &net, &b, owner);
    hd_arena_release(&scratch);
    return s;
}

/* ---- VLs ---------------------------------------------------------------------------------------------- */

struct mix_pairs {
    const struct hd_routes *a, *b;
    bool known;      /* the VLs of both */
    bool all;        /* SL2VL tables differ, and VLs change along the path or by levels that are not known */
    bool *counts;    /* [nep] */
    uint32_t *hosts; /* [nsw] endpoints that count */
};

static bool pair_differs(const struct mix_pairs *k, uint32_t s, uint32_t d)
{
    for (uint32_t x = 0; x < k->a->nvar; x++) {
        const bool used = hd_routes_uses(k->a, s, d, x);
        if (used != hd_routes_uses(k->b, s, d, x)) return true;
        if (!used) continue;
        if (k->all || hd_level_differs(k->a, x, k->b, x, s, d)) return true;
        if (k->known && hd_routes_lane(k->a, s, d, x) != hd_routes_lane(k->b, s, d, x)) return true;
    }
    return false;
}

/* Whether all endpoints of a leaf switch have the same VLs and variants. */
static bool pairs_by_leaf(const struct hd_routes *r)
{
    return !r->pair_lane && !r->pair_level && r->select != HD_SELECT_SOURCE && r->select != HD_SELECT_PAIR;
}

/* Sources of pairs towards d that differ. */
static uint64_t pairs_towards(const struct mix_pairs *k, bool by_leaf, uint32_t d)
{
    const struct hd_net *net = k->a->net;
    uint64_t n = 0;
    for (uint32_t s = 0; !by_leaf && s < net->nep; s++) n += s != d && k->counts[s] && pair_differs(k, s, d);
    for (uint32_t i = 0; by_leaf && i < k->a->nleaf; i++) {
        const uint32_t v = k->a->leaf[i], others = k->hosts[v] - (v == hd_leaf(net, d));
        uint32_t c = net->off[v];
        if (!others) continue;
        while (net->head[c] < net->nsw) c++; /* any of its endpoints */
        if (pair_differs(k, net->head[c] - net->nsw, d)) n += others;
    }
    return n;
}

/* Of tables that are not known only those that both have are compared; where VLs do not change along the path a pair
 * has others if its level or its VL is another, unless levels are not known. */
static bool mix_maps_differ(const struct hd_routes *a, const struct hd_routes *b, bool known)
{
    const bool hops = a->lane_rule == HD_LANE_HOP || b->lane_rule == HD_LANE_HOP;
    if (known && !hops) return (hd_levels_used(a) | hd_levels_used(b)) >> HD_LEVEL_UNKNOWN && !hd_levels_agree(a, b);
    return (known || (a->sl2vl && b->sl2vl)) && !hd_sl2vl_same(a->sl2vl, b->sl2vl);
}

hd_status hd_mix_count_vls(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                           struct hd_mixture *m)
{
    const struct hd_net *net = from->net;
    struct hd_arena scratch = {0};
    struct mix_pairs k = {from, to, .counts = HD_NEW(&scratch, bool, net->nep),
                          .hosts = HD_NEW(&scratch, uint32_t, net->nsw)};
    uint64_t changed = 0;
    if (!k.counts || !k.hosts) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    const uint64_t n = hd_proof_endpoints(net, k.counts);
    const bool by_leaf = pairs_by_leaf(from) && pairs_by_leaf(to);
    for (uint32_t e = 0; e < net->nep; e++) k.hosts[hd_leaf(net, e)] += k.counts[e];
    k.known = from->lane_rule != HD_LANE_UNKNOWN && to->lane_rule != HD_LANE_UNKNOWN;
    k.all = mix_maps_differ(from, to, k.known);
#pragma omp parallel for schedule(dynamic, 16) num_threads(hd_threads(ctx)) reduction(+ : changed)
    for (uint32_t d = 0; d < net->nep; d++)
        if (k.counts[d]) changed += pairs_towards(&k, by_leaf, d);
    m->pairs = n ? n * (n - 1) : 0;
    m->vls_changed = changed;
    hd_arena_release(&scratch);
    return HD_OK;
}
