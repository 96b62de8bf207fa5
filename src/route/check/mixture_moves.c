/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs that move from one LID to another. Each LID has a row of its own, so the row of the new LID alone does not tell
 * whether the old table serves the pair: it does by the row of the LID that the pair uses there. All rows of a
 * destination are kept for that, once it is asked for. O(variants * switches) per destination. */
#include "route/check/mixture_moves.h"
#include "base/status.h"

#include <string.h>

/* Whether each pair uses one variant, and not all of them. */
static bool moves_chooses(const struct hd_routes *r)
{
    return r->select == HD_SELECT_SOURCE || r->select == HD_SELECT_PAIR;
}

hd_status hd_mix_moves_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_mix *mix,
                            struct hd_mix_moves *m)
{
    const size_t nvar = mix->from->nvar, nsw = mix->from->net->nsw;
    /* Where only the VLs of the new table are asked for, pairs come from the table that is replaced. */
    *m = (struct hd_mix_moves){.mix = mix, .before = mix->vl[1] ? mix->vl[0] : mix->from};
    for (int i = 0; i < 2 && mix->vl[i]; i++)
        m->any |= nvar > 1 && mix->vl[i] != m->before && (moves_chooses(mix->vl[i]) || moves_chooses(m->before));
    if (!m->any) return HD_OK;
    m->row = HD_NEW(arena, const uint8_t *, nvar);
    m->room = HD_NEW(arena, uint8_t, nvar * nsw);
    m->hops = HD_NEW(arena, uint16_t, nvar * nsw);
    if (!m->row || !m->room || !m->hops) return hd_fail_memory(ctx);
    return hd_reach_init(ctx, arena, mix->from->net, &m->reach);
}

void hd_mix_moves_begin(struct hd_mix_moves *m, uint32_t d)
{
    m->d = d;
    for (uint32_t x = 0; m->any && x < m->mix->from->nvar; x++) m->row[x] = NULL;
}

bool hd_mix_moves_to(const struct hd_mix_moves *m, uint32_t s, uint32_t x)
{
    const struct hd_routes *before = m->before;
    for (int i = 0; m->any && i < 2 && m->mix->vl[i]; i++) {
        const struct hd_routes *vl = m->mix->vl[i];
        if (!hd_routes_uses(vl, s, m->d, x)) continue;
        if (moves_chooses(vl) != moves_chooses(before)) return true;
        if (hd_routes_variant(vl, s, m->d) != hd_routes_variant(before, s, m->d)) return true;
    }
    return false;
}

const uint8_t *hd_mix_moves_row(struct hd_mix_moves *m, uint32_t x)
{
    const struct hd_routes *from = m->mix->from;
    const size_t nsw = from->net->nsw;
    if (m->row[x]) return m->row[x];
    m->row[x] = hd_routes_row(from, m->d, x, m->room + x * nsw);
    hd_reach_begin(&m->reach);
    hd_reach_follow(&m->reach, m->row[x], from->net->nsw + m->d, from->leaf, from->nleaf);
    memcpy(m->hops + x * nsw, m->reach.hops, nsw * sizeof *m->hops);
    return m->row[x];
}

bool hd_mix_moves_served(struct hd_mix_moves *m, uint32_t s)
{
    const struct hd_net *net = m->mix->from->net;
    for (uint32_t x = 0; x < m->mix->from->nvar; x++) {
        if (!hd_routes_uses(m->before, s, m->d, x)) continue;
        hd_mix_moves_row(m, x);
        if (m->hops[(size_t)x * net->nsw + hd_leaf(net, s)] < HD_REACH_LOOP) return true;
    }
    return false;
}
