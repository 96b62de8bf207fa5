/* SPDX-License-Identifier: BSD-2-Clause */
/* Which service levels arrive. Behind its first switch a path is that of all sources there, so each is followed once
 * per switch with endpoints. */
#include "route/check/arriving_levels.h"
#include "base/status.h"

enum { NOT_FOLLOWED = INT32_MAX };

hd_status hd_arrivals_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           const struct hd_arrivals *like, struct hd_arrivals *a)
{
    *a = (struct hd_arrivals){.drop = {.r = r}};
    a->drop.passes = like ? like->drop.passes : hd_sl2vl_passes(arena, r->sl2vl);
    a->path = HD_NEW(arena, struct hd_drop_path, r->nleaf);
    return a->drop.passes && a->path ? HD_OK : hd_fail_memory(ctx);
}

void hd_arrivals_begin(struct hd_arrivals *a, const uint8_t *row, uint32_t target)
{
    a->row = row;
    a->target = target;
    for (uint32_t i = 0; i < a->drop.r->nleaf; i++) a->path[i].hops = NOT_FOLLOWED;
}

uint32_t hd_arrivals_of(struct hd_arrivals *a, uint32_t s, uint32_t levels)
{
    const struct hd_net *net = a->drop.r->net;
    const uint32_t in = net->off[net->nsw + s], v = net->head[in];
    struct hd_drop_path *path = &a->path[a->drop.r->leaf_of[v]];
    if (path->hops == NOT_FOLLOWED) *path = hd_drop_follow(&a->drop, a->row, v, a->target);
    return path->hops ? levels & path->levels & hd_drop_turn(&a->drop, in, net->off[v] + a->row[v]) : 0;
}
