/* SPDX-License-Identifier: BSD-2-Clause */
/* VL 15 in mixtures. Where the VL follows from ports and service level, at every switch, tables may map a level to VL
 * 15, and switches drop such packets. In a mixture a packet may take turns that neither table has, its connection may
 * have the service level of either table, and a switch the mapping of either. So the levels of all sources that are
 * served so far spread along the union graph, and no turn there may map one of them to VL 15 in either table.
 *
 * A level that a table does not tell is one of those with which the packets arrive by it. Each turn takes some of them
 * away, and a walk that leaves none is a drop for certain. Walks that meet are told apart by the levels that they have
 * left, of which only the smallest sets matter; beyond HD_MOST_LEVEL_SETS of these, levels count that all have left,
 * which may find a drop where there is none and misses none. */
#include "route/check/mixture_hops.h"
#include "base/status.h"
#include "route/check/check_everyone.h"
#include "route/core/routes_levels.h"

#include <string.h>

static const struct hd_sl2vl *hops_map(const struct hd_mix *mix, int i)
{
    return mix->vl[i] ? mix->vl[i]->sl2vl : NULL;
}

/* A table alone drops nothing that it serves. */
bool hd_mix_hops_needed(const struct hd_mix *mix)
{
    uint32_t dropped = 0, used = 0;
    if (mix->from == mix->to && (!mix->vl[1] || mix->vl[1] == mix->vl[0])) return false;
    for (int i = 0; i < 2; i++) {
        const struct hd_sl2vl *m = hops_map(mix, i);
        for (uint32_t k = 0; m && k < 16 * m->nmap; k++)
            dropped |= (uint32_t)(m->map[k / 16][k % 16] == HD_LANE_DROP) << k % 16;
    }
    for (int i = 0; dropped && i < 2 && mix->vl[i]; i++) used |= hd_levels_used(mix->vl[i]);
    return dropped & used || (used >> HD_LEVEL_UNKNOWN && dropped == HD_ALL_LEVELS);
}

hd_status hd_mix_hops_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_mix *mix, const uint8_t *kind,
                           const bool *counts, const struct hd_mix_moves *moves, struct hd_mix_hops *h)
{
    const uint32_t nsw = mix->from->net->nsw, nvar = mix->from->nvar;
    *h = (struct hd_mix_hops){.mix = mix, .kind = kind, .counts = counts, .levels = HD_NEW(arena, uint32_t, nsw)};
    h->sets = hd_alloc(arena, nsw, sizeof *h->sets);
    if (!h->levels || !h->sets) return hd_fail_memory(ctx);
    HD_TRY(hd_arrivals_init(ctx, arena, mix->vl[0], NULL, &h->old));
    HD_TRY(hd_arrivals_init(ctx, arena, mix->vl[mix->vl[1] != NULL], NULL, &h->new));
    if (!moves->any) return HD_OK;
    if (!(h->moved = HD_NEW(arena, struct hd_arrivals, nvar))) return hd_fail_memory(ctx);
    for (uint32_t x = 0; x < nvar; x++)
        HD_TRY(hd_arrivals_init(ctx, arena, moves->before, x ? h->moved : NULL, &h->moved[x]));
    return HD_OK;
}

/* ---- sets of levels ----------------------------------------------------------------------------------- */

/* What another walk has left. */
static void sets_add(struct hd_level_sets *l, uint32_t levels)
{
    uint32_t n = 0, all = levels;
    for (uint32_t i = 0; i < l->n; i++)
        if (!(l->set[i] & ~levels)) return;
    for (uint32_t i = 0; i < l->n; i++) {
        all &= l->set[i];
        if (levels & ~(uint32_t)l->set[i]) l->set[n++] = l->set[i];
    }
    if (n == HD_MOST_LEVEL_SETS) {
        n = 0;
        levels = all;
    }
    l->set[n++] = (uint16_t)levels;
    l->n = (uint16_t)n;
}

struct hops_turn { /* from a channel to an entry of the switch it leads to */
    bool is;
    uint32_t pass[2]; /* levels that pass by the tables of each side */
};

static struct hops_turn hops_turn(const struct hd_mix_hops *h, uint32_t in, uint32_t slot)
{
    const struct hd_net *net = h->mix->from->net;
    const uint32_t v = net->head[in], out = net->off[v] + slot;
    if (out >= net->off[v + 1]) return (struct hops_turn){.is = false};
    return (struct hops_turn){true, {hd_drop_turn(&h->old.drop, in, out), hd_drop_turn(&h->new.drop, in, out)}};
}

/* Packets that come by a channel: with known levels, and with those that each walk has left. Whether some are dropped
 * by the next switch. */
static bool hops_come(struct hd_mix_hops *h, const struct hd_mix_row *row, uint32_t in, uint32_t known,
                      const struct hd_level_sets *sets)
{
    const uint32_t v = h->mix->from->net->head[in], slot[2] = {row->from[v], row->to[v]};
    bool drop = false;
    for (int e = 0; e < (slot[0] == slot[1] ? 1 : 2); e++) {
        const struct hops_turn turn = hops_turn(h, in, slot[e]);
        if (!turn.is) continue;
        drop |= (known & ~(turn.pass[0] & turn.pass[1])) != 0;
        for (uint32_t i = 0; i < sets->n; i++)
            for (int side = 0; side < 2; side++) {
                drop |= !(sets->set[i] & turn.pass[side]);
                sets_add(&h->sets[v][e], sets->set[i] & turn.pass[side]);
            }
    }
    h->levels[v] |= known;
    return drop;
}

/* ---- sources ------------------------------------------------------------------------------------------ */

/* Whether packets of s, which come to this row from others, have arrived by those. */
static bool hops_served_elsewhere(struct hd_mix_hops *h, const struct hd_mix_row *row, struct hd_mix_moves *moves,
                                  uint32_t s)
{
    const struct hd_routes *before = moves->before;
    if (!hd_mix_moves_to(moves, s, row->x)) return false;
    for (uint32_t x = 0; x < before->nvar; x++) {
        const uint8_t *other = hd_mix_moves_row(moves, x);
        struct hd_arrivals *a = &h->moved[x];
        if (!hd_routes_uses(before, s, row->d, x)) continue;
        if (a->row != other || a->target != before->net->nsw + row->d)
            hd_arrivals_begin(a, other, before->net->nsw + row->d);
        if (hd_arrivals_of(a, s, hd_drop_pair(before, s, row->d, x))) return true;
    }
    return false;
}

struct hops_source { /* packets of one endpoint by one of the tables */
    bool uses;
    uint32_t arrive; /* levels with which they arrive */
};

static struct hops_source hops_source(struct hd_arrivals *a, const struct hd_mix_row *row, uint32_t s)
{
    const bool uses = hd_routes_uses(a->drop.r, s, row->d, row->x);
    return (struct hops_source){uses, hd_arrivals_of(a, s, hd_drop_pair(a->drop.r, s, row->d, row->x))};
}

/* The packets of one endpoint; whether its own switch drops some. */
static bool hops_begin(struct hd_mix_hops *h, const struct hd_mix_row *row, struct hd_mix_moves *moves, uint32_t s,
                       bool *cut)
{
    const struct hd_net *net = h->mix->from->net;
    struct hd_arrivals *const side[2] = {&h->old, &h->new};
    const struct hops_source from[2] = {hops_source(side[0], row, s), hops_source(side[1], row, s)};
    struct hd_level_sets sets = {0};
    uint32_t known = 0;
    if (!from[0].uses && !from[1].uses) return false;
    if (!from[0].arrive && !hops_served_elsewhere(h, row, moves, s)) return false;
    for (int i = 0; i < 2; i++) {
        if (!from[i].uses) continue;
        if (hd_routes_level(side[i]->drop.r, s, row->d, row->x) != HD_LEVEL_UNKNOWN)
            known |= hd_drop_pair(side[i]->drop.r, s, row->d, row->x);
        else if (from[i].arrive)
            sets_add(&sets, from[i].arrive);
    }
    *cut |= from[1].uses && !from[1].arrive;
    return hops_come(h, row, net->off[net->nsw + s], known, &sets);
}

static bool hops_sources(struct hd_mix_hops *h, const struct hd_mix_row *row, struct hd_mix_moves *moves, bool *cut)
{
    const struct hd_net *net = h->mix->from->net;
    bool drop = false;
    memset(h->levels, 0, net->nsw * sizeof *h->levels);
    for (uint32_t v = 0; v < net->nsw; v++) h->sets[v][0].n = h->sets[v][1].n = 0;
    hd_arrivals_begin(&h->old, row->from, net->nsw + row->d);
    hd_arrivals_begin(&h->new, row->to, net->nsw + row->d);
    for (uint32_t i = 0; i < row->nstart; i++)
        for (uint32_t v = row->start[i], c = net->off[v]; c < net->off[v + 1]; c++) {
            const uint32_t s = net->head[c] - net->nsw;
            if (net->head[c] < net->nsw || s == row->d) continue;
            const bool counts = row->near ? hd_proof_aggregates(h->kind, s, row->d) : h->counts[s];
            if (counts) drop |= hops_begin(h, row, moves, s, cut);
        }
    return drop;
}

bool hd_mix_hops_drop(struct hd_mix_hops *h, const struct hd_mix_row *row, struct hd_mix_moves *moves, bool *cut)
{
    const struct hd_net *net = h->mix->from->net;
    *cut = false;
    bool drop = hops_sources(h, row, moves, cut);
    for (uint32_t i = row->npost; i-- > 0 && !drop;) {
        const uint32_t v = row->post[i], slot[2] = {row->from[v], row->to[v]};
        for (int e = 0; e < (slot[0] == slot[1] ? 1 : 2); e++) {
            const uint32_t c = net->off[v] + slot[e];
            if (c >= net->off[v + 1] || net->head[c] >= net->nsw) continue;
            drop |= hops_come(h, row, c, h->levels[v], &h->sets[v][e]);
        }
    }
    return drop || *cut;
}
