/* SPDX-License-Identifier: BSD-2-Clause */
/* VL 15 in mixtures. Where the VL follows from ports and service level, at every switch, tables may map a level to VL
 * 15, and switches drop such packets. In a mixture a packet may take turns that neither table has, its connection may
 * have the service level of either table, and a switch the mapping of either. So the levels of all sources that the old
 * table serves spread along the union graph, and no turn there may map one of them to VL 15 in either table. A level
 * that a table does not tell spreads as one of its own, for which a turn is a drop that maps all of them to VL 15. */
#include "route/check/mixture_hops.h"
#include "base/status.h"
#include "route/core/sl2vl.h"

#include <string.h>

enum { ALL_LEVELS = 0xffff, UNKNOWN_LEVEL = 1 << 16 };

static const struct hd_sl2vl *hops_map(const struct hd_mix *mix, int i)
{
    return mix->vl[i] ? mix->vl[i]->sl2vl : NULL;
}

bool hd_mix_hops_needed(const struct hd_mix *mix)
{
    for (int i = 0; i < 2; i++) {
        const struct hd_sl2vl *m = hops_map(mix, i);
        for (uint32_t k = 0; m && k < m->nmap; k++)
            if (memchr(m->map[k], HD_LANE_DROP, sizeof *m->map)) return true;
    }
    return false;
}

hd_status hd_mix_hops_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_mix *mix, const bool *counts,
                           struct hd_mix_hops *h)
{
    *h = (struct hd_mix_hops){mix, counts, HD_NEW(arena, uint32_t, mix->from->net->nsw)};
    return h->levels ? HD_OK : hd_fail_memory(ctx);
}

/* Those of some levels that a table, if there is one, does not send to VL 15 between two channels. A level that is not
 * known passes unless none does. */
static uint32_t hops_pass(const struct hd_sl2vl *m, uint32_t in, uint32_t out, uint32_t levels)
{
    uint32_t dropped = 0;
    for (uint32_t level = 0; m && level < 16; level++)
        dropped |= (uint32_t)(hd_sl2vl_lane(m, in, out, level) == HD_LANE_DROP) << level;
    return levels & ~(dropped == ALL_LEVELS ? ALL_LEVELS | UNKNOWN_LEVEL : dropped);
}

/* Whether packets of s arrive along entries, with the VLs of a table. */
static bool hops_arrive(const struct hd_routes *vl, const uint8_t *entry, uint32_t s, uint32_t d, uint32_t x)
{
    const struct hd_net *net = vl->net;
    uint32_t levels = vl->lane_rule == HD_LANE_UNKNOWN ? ALL_LEVELS : 1u << hd_routes_lane(vl, s, d, x);
    uint32_t in = net->off[net->nsw + s], v = hd_leaf(net, s), n = 0;
    while (v != net->nsw + d) {
        if (v >= net->nsw || entry[v] >= hd_degree(net, v) || n++ > net->nsw) return false;
        const uint32_t out = net->off[v] + entry[v];
        if (!(levels = hops_pass(vl->sl2vl, in, out, levels))) return false;
        in = out;
        v = net->head[out];
    }
    return true;
}

/* Whether packets of these levels are dropped between channel `in` and an entry of the switch it leads to. */
static bool hops_drop_at(const struct hd_mix_hops *h, uint32_t in, uint32_t slot, uint32_t levels)
{
    const struct hd_net *net = h->mix->from->net;
    const uint32_t out = net->off[net->head[in]] + slot;
    if (out >= net->off[net->head[in] + 1]) return false;
    for (int i = 0; i < 2; i++)
        if (hops_pass(hops_map(h->mix, i), in, out, levels) != levels) return true;
    return false;
}

static bool hops_drop_after(const struct hd_mix_hops *h, const struct hd_mix_row *row, uint32_t in, uint32_t levels)
{
    const uint32_t v = h->mix->from->net->head[in];
    return hops_drop_at(h, in, row->from[v], levels) || hops_drop_at(h, in, row->to[v], levels);
}

/* The service level of a pair by a table, as a bit; none if the variant is not used. */
static uint32_t hops_level(const struct hd_routes *vl, uint32_t s, const struct hd_mix_row *row)
{
    if (!hd_routes_uses(vl, s, row->d, row->x)) return 0;
    return vl->lane_rule == HD_LANE_UNKNOWN ? UNKNOWN_LEVEL : 1u << hd_routes_lane(vl, s, row->d, row->x);
}

/* Whether packets of s have arrived so far, by this row or by another one. */
static bool hops_served(const struct hd_routes *old, const struct hd_mix_row *row, struct hd_mix_moves *moves,
                        uint32_t s)
{
    if (hops_arrive(old, row->from, s, row->d, row->x)) return true;
    if (!hd_mix_moves_to(moves, s, row->x)) return false;
    for (uint32_t x = 0; x < old->nvar; x++)
        if (hd_routes_uses(moves->before, s, row->d, x) &&
            hops_arrive(moves->before, hd_mix_moves_row(moves, x), s, row->d, x))
            return true;
    return false;
}

/* The levels of the sources that are served; whether one is dropped by its own switch. */
static bool hops_sources(struct hd_mix_hops *h, const struct hd_mix_row *row, struct hd_mix_moves *moves, bool *cut)
{
    const struct hd_net *net = h->mix->from->net;
    const struct hd_routes *old = h->mix->vl[0], *new = h->mix->vl[1] ? h->mix->vl[1] : old;
    bool drop = false;
    memset(h->levels, 0, net->nsw * sizeof *h->levels);
    for (uint32_t s = 0; s < net->nep; s++) {
        if (s == row->d || !h->counts[s]) continue;
        const uint32_t then = hops_level(new, s, row), levels = hops_level(old, s, row) | then;
        if (!levels || !hops_served(old, row, moves, s)) continue;
        drop |= hops_drop_after(h, row, net->off[net->nsw + s], levels);
        *cut |= then && !hops_arrive(new, row->to, s, row->d, row->x);
        h->levels[hd_leaf(net, s)] |= levels;
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
        for (int e = 0; e < 2 && h->levels[v]; e++) {
            const uint32_t c = net->off[v] + slot[e];
            if (c >= net->off[v + 1] || net->head[c] >= net->nsw) continue;
            drop |= hops_drop_after(h, row, c, h->levels[v]);
            h->levels[net->head[c]] |= h->levels[v];
        }
    }
    return drop || *cut;
}
