/* SPDX-License-Identifier: BSD-2-Clause */
/* Subtrees by their tree digits where the network has them, otherwise by union-find over the channels below a level.
 * The lowest number is the root of a set, so that subtrees are numbered as their switches are. Cost: O(size + S log
 * S). */
#include "net/core/subtrees.h"
#include "base/arena.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"

void hd_components(const struct hd_net *net, uint32_t l, uint32_t *first)
{
    hd_sets_init(first, net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] > l) continue;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u < v && net->level[u] <= l) hd_sets_join(first, u, v);
        }
    }
    for (uint32_t v = 0; v < net->nsw; v++) first[v] = hd_sets_find(first, v);
}

hd_status hd_subtrees(struct hd_ctx *ctx, const struct hd_net *net, uint32_t l, uint32_t *id, uint32_t *n)
{
    struct hd_arena scratch = {0};
    struct hd_keyed *entry = HD_NEW(&scratch, struct hd_keyed, net->nsw);
    if (!entry) return hd_fail_memory(ctx);
    bool tree = net->shape.kind == HD_SHAPE_TREE;
    uint32_t count = 0, next = 0;
    if (!tree) hd_components(net, l, id);
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] > l) continue;
        uint64_t key = tree ? 0 : id[v];
        if (tree && net->unplaced[v]) key = (uint64_t)1 << 63 | v; /* on its own, behind all others */
        for (uint32_t d = net->shape.n; tree && !net->unplaced[v] && d-- > l;)
            key = key * net->shape.m[d] + hd_coord(net, v)[d];
        entry[count++] = (struct hd_keyed){key, v};
    }
    hd_keyed_sort(entry, count, sizeof *entry);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] > l) id[v] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        next += i > 0 && entry[i].key != entry[i - 1].key;
        id[entry[i].value] = next;
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
