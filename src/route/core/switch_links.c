/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of links and turns in one pass over the channels, O(channels). Turns are counted in 64 bits and refused
 * beyond 32, in which engines keep their numbers. */
#include "route/core/switch_links.h"
#include "base/status.h"

hd_status hd_links_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_links *l)
{
    uint64_t turns = 0;
    *l = (struct hd_links){.net = net};
    l->first = HD_NEW(arena, uint32_t, (size_t)net->nsw + 1);
    l->of = HD_NEW(arena, uint32_t, net->nchan);
    if (!l->first || !l->of) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        bool between = net->tail[c] < net->nsw && net->head[c] < net->nsw;
        l->of[c] = between ? l->n++ : UINT32_MAX; /* channels stand by tail and port already */
        if (between) l->first[net->tail[c] + 1]++;
    }
    for (uint32_t v = 0; v < net->nsw; v++) l->first[v + 1] += l->first[v];
    if (!HD_NEW_U32(arena, (size_t)l->n + 1, &l->chan, &l->head, &l->back, &l->turn)) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t a = l->of[c];
        if (a == UINT32_MAX) continue;
        l->chan[a] = c;
        l->head[a] = net->head[c];
        l->back[a] = l->of[net->rev[c]];
        l->turn[a] = (uint32_t)turns;
        turns += l->first[net->head[c] + 1] - l->first[net->head[c]];
    }
    if (turns > UINT32_MAX)
        return hd_fail(ctx, HD_NA, "%.200s: %llu turns between channels are too many", net->spec,
                       (unsigned long long)turns);
    l->turn[l->n] = (uint32_t)turns;
    return HD_OK;
}
