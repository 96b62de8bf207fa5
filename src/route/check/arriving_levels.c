/* SPDX-License-Identifier: BSD-2-Clause */
/* Which service levels arrive. Levels are bits of a set, and every switch on a path takes away those that its SL2VL
 * table sends to VL 15. Behind its first switch a path is that of all sources there, so each is followed once per
 * switch with endpoints. */
#include "route/check/arriving_levels.h"
#include "base/status.h"

#include <string.h>

static const uint16_t *arrivals_passes(struct hd_arena *arena, const struct hd_sl2vl *m)
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

hd_status hd_arrivals_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           const struct hd_arrivals *like, struct hd_arrivals *a)
{
    *a = (struct hd_arrivals){.r = r, .passes = like ? like->passes : arrivals_passes(arena, r->sl2vl)};
    a->path = HD_NEW(arena, struct hd_arrival_path, r->nleaf);
    return a->passes && a->path ? HD_OK : hd_fail_memory(ctx);
}

void hd_arrivals_begin(struct hd_arrivals *a, const uint8_t *row, uint32_t target)
{
    a->row = row;
    a->target = target;
    memset(a->path, 0, a->r->nleaf * sizeof *a->path);
}

static struct hd_arrival_path arrivals_follow(const struct hd_arrivals *a, uint32_t v)
{
    const struct hd_net *net = a->r->net;
    struct hd_arrival_path path = {.followed = true, .levels = HD_ALL_LEVELS};
    uint32_t in = UINT32_MAX, n = 0;
    while (v < net->nsw && v != a->target) {
        const uint32_t out = net->off[v] + a->row[v];
        if (out >= net->off[v + 1] || n++ > net->nsw) return path;
        if (in != UINT32_MAX) path.levels &= (uint16_t)hd_arrivals_pass(a, in, out);
        in = out;
        v = net->head[out];
    }
    path.arrives = v == a->target;
    return path;
}

uint32_t hd_arrivals_of(struct hd_arrivals *a, uint32_t s, uint32_t levels)
{
    const struct hd_net *net = a->r->net;
    const uint32_t in = net->off[net->nsw + s], v = net->head[in];
    struct hd_arrival_path *path = &a->path[a->r->leaf_of[v]];
    if (!path->followed) *path = arrivals_follow(a, v);
    if (!path->arrives || v == a->target) return path->arrives ? levels : 0;
    return levels & path->levels & hd_arrivals_pass(a, in, net->off[v] + a->row[v]);
}
