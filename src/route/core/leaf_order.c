/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenSM's order of leaf switches, by sorting keys (leaf_order.h says why this order). Engines that follow OpenSM must
 * route destinations in it, or their tables would differ from its own. */
#include "route/core/leaf_order.h"
#include "base/status.h"

#include <stdlib.h>

struct leaf_order_key {
    uint32_t endpoints, sw;
    uint64_t swapped; /* GUIDs are distinct, so the order is total */
};

static int leaf_order_by_key(const void *a, const void *b)
{
    const struct leaf_order_key *x = a, *y = b;
    if (x->endpoints != y->endpoints) return x->endpoints > y->endpoints ? -1 : 1;
    return (x->swapped > y->swapped) - (x->swapped < y->swapped);
}

static uint64_t swap_bytes(uint64_t x)
{
    uint64_t y = 0;
    for (int i = 0; i < 8; i++, x >>= 8) y = y << 8 | (x & 0xff);
    return y;
}

hd_status hd_switch_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, bool by_size,
                          uint32_t **order)
{
    struct leaf_order_key *key = HD_NEW(arena, struct leaf_order_key, net->nsw);
    uint32_t *sw = HD_NEW(arena, uint32_t, net->nsw);
    if (!key || !sw) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) key[v] = (struct leaf_order_key){0, v, swap_bytes(net->guid[v])};
    for (uint32_t e = 0; by_size && e < net->nep; e++) key[hd_leaf(net, e)].endpoints++;
    qsort(key, net->nsw, sizeof *key, leaf_order_by_key);
    for (uint32_t i = 0; i < net->nsw; i++) sw[i] = key[i].sw;
    *order = sw;
    return HD_OK;
}

hd_status hd_leaf_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t **out,
                        uint32_t *n)
{
    uint32_t *order, *leaf = HD_NEW(arena, uint32_t, net->nsw);
    bool *used = HD_NEW(arena, bool, net->nsw);
    if (!leaf || !used) return hd_fail_memory(ctx);
    HD_TRY(hd_switch_order(ctx, arena, net, true, &order));
    for (uint32_t e = 0; e < net->nep; e++) used[hd_leaf(net, e)] = true;
    *n = 0;
    for (uint32_t i = 0; i < net->nsw; i++)
        if (used[order[i]]) leaf[(*n)++] = order[i];
    *out = leaf;
    return HD_OK;
}
