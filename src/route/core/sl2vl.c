/* SPDX-License-Identifier: BSD-2-Clause */
/* SL2VL tables of all ports. Most pairs of ports share one of a few tables, so each is stored once and pairs refer to
 * it by number; a new one is found by comparing with all, which is cheap as long as they are few. */
#include "route/core/sl2vl.h"
#include "base/status.h"
#include "heddle/route.h"

#include <string.h>

hd_status hd_sl2vl_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_sl2vl **out)
{
    struct hd_sl2vl *m = HD_NEW(arena, struct hd_sl2vl, 1);
    if (!m || !(m->first = HD_NEW(arena, size_t, net->nsw + 1u))) return hd_fail_memory(ctx);
    m->net = net;
    for (uint32_t v = 0; v < net->nsw; v++)
        m->first[v + 1] = m->first[v] + (size_t)hd_degree(net, v) * hd_degree(net, v);
    m->which = HD_NEW(arena, uint16_t, m->first[net->nsw]);
    if (!m->which) return hd_fail_memory(ctx);
    *out = m;
    return HD_OK;
}

hd_status hd_sl2vl_add(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sl2vl *m, const uint8_t lane[16],
                       uint32_t *map)
{
    if (m->nmap == HD_MAX_MAPS) return hd_fail(ctx, HD_LIMIT, "more than %d different SL2VL tables", HD_MAX_MAPS);
    if (!HD_MORE(arena, m->map, m->nmap, m->room)) return hd_fail_memory(ctx);
    memcpy(m->map[m->nmap], lane, 16);
    *map = m->nmap++;
    return HD_OK;
}

hd_status hd_sl2vl_set(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_sl2vl *m, uint32_t v, uint32_t in,
                       uint32_t out, const uint8_t lane[16])
{
    uint32_t i = 0;
    while (i < m->nmap && memcmp(m->map[i], lane, 16) != 0) i++;
    if (i == m->nmap) HD_TRY(hd_sl2vl_add(ctx, arena, m, lane, &i));
    *hd_sl2vl_at(m, v, in, out) = (uint16_t)(i + 1);
    return HD_OK;
}

void hd_sl2vl_fill(struct hd_sl2vl *m)
{
    for (size_t i = 0; i < m->first[m->net->nsw]; i++) m->which[i] = 1;
}

hd_status hd_sl2vl_copy(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_sl2vl *m, const struct hd_net *net,
                        struct hd_sl2vl **out)
{
    HD_TRY(hd_sl2vl_make(ctx, arena, net, out));
    for (uint32_t i = 0, map; i < m->nmap; i++) HD_TRY(hd_sl2vl_add(ctx, arena, *out, m->map[i], &map));
    if (net == m->net)
        memcpy((*out)->which, m->which, m->first[net->nsw] * sizeof *m->which);
    else
        hd_sl2vl_fill(*out);
    return HD_OK;
}

bool hd_sl2vl_complete(const struct hd_sl2vl *m)
{
    for (uint32_t v = 0; v < m->net->nsw; v++)
        for (uint32_t in = 0; in < hd_degree(m->net, v); in++)
            for (uint32_t out = 0; out < hd_degree(m->net, v); out++)
                if (in != out && !*hd_sl2vl_at(m, v, in, out)) return false;
    return true;
}

static bool sl2vl_same_at(const struct hd_sl2vl *a, const struct hd_sl2vl *b, uint32_t v, uint32_t in, uint32_t out)
{
    const uint32_t one = *hd_sl2vl_at(a, v, in, out), two = *hd_sl2vl_at(b, v, in, out);
    if (!one || !two) return one == two;
    return memcmp(a->map[one - 1], b->map[two - 1], sizeof *a->map) == 0;
}

bool hd_sl2vl_same(const struct hd_sl2vl *a, const struct hd_sl2vl *b)
{
    if (!a || !b) return a == b;
    for (uint32_t v = 0; v < a->net->nsw; v++)
        for (uint32_t in = 0; in < hd_degree(a->net, v); in++)
            for (uint32_t out = 0; out < hd_degree(a->net, v); out++)
                if (in != out && !sl2vl_same_at(a, b, v, in, out)) return false;
    return true;
}

uint16_t *hd_sl2vl_passes(struct hd_arena *arena, const struct hd_sl2vl *m)
{
    const uint32_t nmap = m ? m->nmap : 0;
    uint16_t *passes = HD_NEW(arena, uint16_t, nmap + 1u);
    if (!passes) return NULL;
    passes[0] = HD_ALL_LEVELS;
    for (uint32_t i = 0; i < nmap; i++)
        for (uint32_t level = 0; level < 16; level++)
            passes[i + 1] |= (uint16_t)((m->map[i][level] != HD_LANE_DROP) << level);
    return passes;
}

void hd_slots_by_port(const struct hd_net *net, uint32_t v, uint8_t slot_of[256])
{
    memset(slot_of, HD_SLOT_NONE, 256);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) slot_of[net->port[c]] = (uint8_t)(c - net->off[v]);
}
