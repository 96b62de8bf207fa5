/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches that no endpoint can be reached from: spares without a cable, switches cabled with each other alone.
 * They say nothing about the structure of the network that endpoints use, and none of it may depend on them: structure
 * is inferred from the network without them, and they are added to the result, marked. Cost: O(size). */
#include "base/status.h"
#include "net/edit/net_with.h"
#include "net/infer/infer.h"

#include <string.h>

hd_status hd_unplaced_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, bool **unplaced,
                           uint32_t *n)
{
    uint32_t *part_of, *inhabited, parts;
    *unplaced = HD_NEW(arena, bool, net->nsw);
    if (!HD_NEW_U32(arena, (size_t)net->nsw + net->nep, &part_of, &inhabited) || !*unplaced) return hd_fail_memory(ctx);
    HD_TRY(hd_net_parts(ctx, net, part_of, &parts));
    for (uint32_t e = 0; e < net->nep; e++) inhabited[part_of[net->nsw + e]] = 1;
    *n = 0;
    for (uint32_t v = 0; v < net->nsw && net->nep; v++) *n += (*unplaced)[v] = !inhabited[part_of[v]];
    return HD_OK;
}

hd_status hd_unplaced_remove(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *unplaced,
                             struct hd_net **rest)
{
    struct hd_net_changes changes = {0};
    HD_TRY(hd_remaining_init(ctx, arena, net, &changes.remaining));
    for (uint32_t v = 0; v < net->nsw; v++) changes.remaining.sw[v] = !unplaced[v];
    hd_remaining_close(net, &changes.remaining);
    return hd_net_with(ctx, net, &changes, rest);
}

/* Levels 1 and 2 in turn along the cables of unplaced switches, so that most of these connect adjacent levels, where
 * the others have several. */
static void unplaced_levels(const struct hd_net *net, const bool *unplaced, uint32_t top, uint8_t *level,
                            uint32_t *queue)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (level[v] != HD_NO_LEVEL || !unplaced[v]) continue;
        uint32_t tail = 0;
        level[v] = 1;
        queue[tail++] = v;
        for (uint32_t head = 0; head < tail; head++)
            for (uint32_t u = queue[head], c = net->off[u]; c < net->off[u + 1]; c++) {
                const uint32_t x = net->head[c];
                if (level[x] != HD_NO_LEVEL) continue;
                level[x] = level[u] == 1 && top > 1 ? 2 : 1;
                queue[tail++] = x;
            }
    }
}

hd_status hd_unplaced_add(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *unplaced,
                          struct hd_reading *r)
{
    const struct hd_reading rest = *r;
    const size_t nodes = (size_t)net->nsw + net->nep, n = r->shape.n;
    uint32_t *queue = HD_NEW(arena, uint32_t, net->nsw), top = 1;
    r->level = HD_NEW(arena, uint8_t, nodes);
    r->coord = n ? HD_NEW(arena, uint16_t, nodes * n) : NULL;
    if (!queue || !r->level || (n && !r->coord)) return hd_fail_memory(ctx);
    for (size_t v = 0, u = 0; v < nodes; v++) {
        if (v < net->nsw && unplaced[v]) {
            r->level[v] = HD_NO_LEVEL;
            continue;
        }
        r->level[v] = rest.level[u];
        if (r->level[v] > top) top = r->level[v];
        if (n) memcpy(r->coord + v * n, rest.coord + u * n, n * sizeof *r->coord);
        u++;
    }
    unplaced_levels(net, unplaced, top, r->level, queue);
    return HD_OK;
}
