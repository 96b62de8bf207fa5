/* SPDX-License-Identifier: BSD-2-Clause */
/* Which LIDs are used is counted from the sources: all of a class use the same variant, so a class is counted once per
 * part of the network. Sources that somebody left out use LIDs too, whose pairs are then not checked; aggregation nodes
 * do not, since their pairs need not arrive. An endpoint that nobody sends to, and those that are not checked, have no
 * LIDs here. If an endpoint has fewer LIDs than there are variants, several variants are one LID. */
#include "route/check/unused_lids.h"
#include "base/status.h"
#include "route/check/check_everyone.h"

struct lid_uses {
    const struct hd_routes *r;
    const uint8_t *kind; /* [nep] enum hd_proof_kind */
    uint32_t *part;      /* [nsw + nep] part of the network */
    uint32_t *sources;   /* [part] endpoints other than aggregation nodes */
    uint32_t *class;     /* [part * nvar + x] of them, those that use variant x, if sources choose */
    bool *used;          /* [d * nvar + LID from the base LID on] */
};

static bool lid_source(const struct lid_uses *u, uint32_t e)
{
    return u->kind[e] != HD_PROOF_AGGREGATION;
}

static void lid_mark(const struct lid_uses *u, uint32_t d, uint32_t x)
{
    u->used[(size_t)d * u->r->nvar + (x & ((1u << u->r->lmc_of[d]) - 1))] = true;
}

static void lid_mark_classes(const struct lid_uses *u)
{
    const struct hd_routes *r = u->r;
    for (uint32_t e = 0; e < r->net->nep; e++)
        if (lid_source(u, e)) u->class[(size_t)u->part[r->net->nsw + e] * r->nvar + r->source_class[e]]++;
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            const uint32_t n = u->class[(size_t)u->part[r->net->nsw + d] * r->nvar + x];
            if (n > (lid_source(u, d) && r->source_class[d] == x)) lid_mark(u, d, x);
        }
}

static void lid_mark_pairs(const struct lid_uses *u)
{
    const struct hd_net *net = u->r->net;
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep && lid_source(u, s); d++)
            if (d != s && u->part[net->nsw + s] == u->part[net->nsw + d]) lid_mark(u, d, hd_routes_variant(u->r, s, d));
}

/* How many LIDs of d are those of variants and count. */
static uint32_t lid_count(const struct lid_uses *u, uint32_t d)
{
    const struct hd_routes *r = u->r;
    const uint32_t lids = 1u << r->lmc_of[d], v = r->net->nsw + d;
    if (u->kind[d] >= HD_PROOF_AGGREGATION || !r->lid[v] || u->sources[u->part[v]] < 2) return 0;
    return lids < r->nvar ? lids : r->nvar;
}

static hd_status lid_uses_find(struct hd_ctx *ctx, struct hd_arena *a, struct lid_uses *u)
{
    const struct hd_routes *r = u->r;
    const struct hd_net *net = r->net;
    uint32_t nparts;
    u->part = HD_NEW(a, uint32_t, net->nsw + net->nep);
    if (!u->part) return hd_fail_memory(ctx);
    HD_TRY(hd_net_parts(ctx, net, u->part, &nparts));
    u->sources = HD_NEW(a, uint32_t, nparts);
    u->class = HD_NEW(a, uint32_t, (size_t)nparts * r->nvar);
    u->used = HD_NEW(a, bool, (size_t)net->nep * r->nvar);
    if (!u->sources || !u->class || !u->used) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) u->sources[u->part[net->nsw + e]] += lid_source(u, e);
    if (r->select == HD_SELECT_SOURCE)
        lid_mark_classes(u);
    else
        lid_mark_pairs(u);
    return HD_OK;
}

static hd_status lid_list(struct hd_ctx *ctx, struct hd_arena *arena, const struct lid_uses *u,
                          struct hd_unused_lid **list, uint32_t *n)
{
    const struct hd_routes *r = u->r;
    uint32_t count = 0;
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t i = 0; i < lid_count(u, d); i++) count += !u->used[(size_t)d * r->nvar + i];
    struct hd_unused_lid *out = HD_NEW(arena, struct hd_unused_lid, count);
    if (!out) return hd_fail_memory(ctx);
    *list = out;
    *n = count;
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t i = 0; i < lid_count(u, d); i++)
            if (!u->used[(size_t)d * r->nvar + i]) *out++ = (struct hd_unused_lid){d, i};
    return HD_OK;
}

hd_status hd_unused_lids(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, const uint8_t *kind,
                         struct hd_unused_lid **list, uint32_t *n)
{
    struct lid_uses u = {.r = r, .kind = kind};
    struct hd_arena scratch = {0};
    *list = NULL;
    *n = 0;
    if (!r->lid || !r->lmc_of || (r->select != HD_SELECT_SOURCE && r->select != HD_SELECT_PAIR)) return HD_OK;
    hd_status s = lid_uses_find(ctx, &scratch, &u);
    if (s == HD_OK) s = lid_list(ctx, arena, &u, list, n);
    hd_arena_release(&scratch);
    return s;
}
