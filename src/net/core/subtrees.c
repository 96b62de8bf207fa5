/* SPDX-License-Identifier: BSD-2-Clause */
/* Components by union-find with the lowest number as root, so that numbers follow the switches. */
#include "net/core/subtrees.h"
#include "base/arena.h"
#include "base/status.h"

#include <stdlib.h>

static uint32_t find(uint32_t *up, uint32_t v)
{
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
}

void hd_components(const struct hd_net *net, uint32_t l, uint32_t *first)
{
    for (uint32_t v = 0; v < net->nsw; v++) first[v] = v;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] > l) continue;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= v || net->level[u] > l) continue;
            uint32_t x = find(first, u), y = find(first, v);
            if (x < y)
                first[y] = x;
            else
                first[x] = y;
        }
    }
    for (uint32_t v = 0; v < net->nsw; v++) first[v] = find(first, v);
}

struct entry {
    uint64_t key;
    uint32_t v;
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->v > y->v) - (x->v < y->v);
}

hd_status hd_subtrees(struct hd_ctx *ctx, const struct hd_net *net, uint32_t l, uint32_t *id, uint32_t *n)
{
    struct hd_arena scratch = {0};
    struct entry *entry = HD_NEW(&scratch, struct entry, net->nsw);
    if (!entry) return hd_fail_memory(ctx);
    bool tree = net->shape.kind == HD_SHAPE_TREE;
    uint32_t count = 0, next = 0;
    if (!tree) hd_components(net, l, id);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] > l) continue;
        uint64_t key = tree ? 0 : id[v];
        for (uint32_t d = net->shape.n; tree && d-- > l;) key = key * net->shape.m[d] + hd_coord(net, v)[d];
        entry[count++] = (struct entry){key, v};
    }
    qsort(entry, count, sizeof *entry, by_key);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] > l) id[v] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        next += i > 0 && entry[i].key != entry[i - 1].key;
        id[entry[i].v] = next;
    }
    *n = count ? next + 1 : 0;
    hd_arena_release(&scratch);
    return HD_OK;
}

uint32_t hd_top_level(const struct hd_net *net)
{
    uint32_t top = 0;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] > top) top = net->level[v];
    return top;
}
