/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks with levels: neighbours by level, shortest paths up and then down, and numbers for endpoints.
 * Costs are found for 64 targets at a time, one byte each, so that a step handles all of them with a few vector
 * instructions: first upwards, to everything above a target, then downwards, to switches that must climb first.
 * Cost O(channels) per 64 targets. The numbers follow subtrees, found by union of the switches connected below each
 * level. */
#include "route/kernel/updown_levels.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "net/core/shape.h"
#include "route/core/switch_distance.h"

#include <stdlib.h>
#include <string.h>

hd_status hd_levels_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    const struct hd_cabling *cabling;
    (void)opt;
    HD_TRY(hd_net_cabling(ctx, net, &cabling));
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint8_t l = net->level[v];
        if (l == HD_NO_LEVEL)
            return hd_fail_na(ctx, e->desc.name, net->spec, "the level of '%.100s' is not known",
                              hd_node_label(net, v));
        if (l > HD_FAR / 2) /* up and down again is then farther than costs can say */
            return hd_fail_na(ctx, e->desc.name, net->spec, "'%.100s' is on level %u, at most %d are supported",
                              hd_node_label(net, v), l, HD_FAR / 2);
        for (uint32_t c = net->off[v]; c < net->off[v + 1] && !net->unplaced[v]; c++) {
            uint32_t u = net->head[c];
            if (u < net->nsw && net->level[u] != l + 1 && net->level[u] + 1 != l && !cabling->aside[c])
                return hd_fail_na(ctx, e->desc.name, net->spec,
                                  "the cable of '%.100s' and '%.100s' does not connect neighbouring levels",
                                  hd_node_label(net, v), hd_node_label(net, u));
        }
    }
    return HD_OK;
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Appends the channels of v to the level above or below; returns the new end of list. */
static uint32_t list_side(const struct hd_net *net, uint32_t v, bool up, uint32_t *list, uint32_t n)
{
    struct hd_keyed near[HD_MAX_PORTS]; /* by digit, node, port of the lower switch: distinct */
    uint32_t k = 0, l = net->level[v], digit = up ? l : l - 1;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t u = net->head[c];
        if (u >= net->nsw || net->level[u] != (up ? l + 1 : l - 1)) continue;
        uint64_t place = net->shape.kind == HD_SHAPE_TREE ? hd_coord(net, u)[digit] : 0;
        near[k++] = (struct hd_keyed){place << 40 | (uint64_t)u << 8 | net->port[up ? c : net->rev[c]], c};
    }
    hd_keyed_sort(near, k, sizeof(struct hd_keyed));
    for (uint32_t i = 0; i < k; i++) list[n++] = near[i].value;
    return n;
}

hd_status hd_levels_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct hd_levels *lv)
{
    *lv = (struct hd_levels){.net = net};
    if (!HD_NEW_U32(a, net->nsw + 1u, &lv->by_level, &lv->up, &lv->down) ||
        !HD_NEW_U32(a, net->nchan / 2, &lv->up_chan, &lv->down_chan))
        return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        lv->first[net->level[v]]++;
        if (net->level[v] > lv->top) lv->top = net->level[v];
        lv->up[v + 1] = list_side(net, v, true, lv->up_chan, lv->up[v]);
        lv->down[v + 1] = list_side(net, v, false, lv->down_chan, lv->down[v]);
    }
    for (uint32_t l = 0, n = 0; l <= HD_NO_LEVEL; l++) {
        uint32_t here = lv->first[l];
        lv->first[l] = n;
        n += here;
    }
    uint32_t fill[HD_NO_LEVEL + 1];
    memcpy(fill, lv->first, sizeof fill);
    for (uint32_t v = 0; v < net->nsw; v++) lv->by_level[fill[net->level[v]]++] = v;
    return HD_OK;
}

/* ---- costs --------------------------------------------------------------------------------- */

/* to = min(to, from + 1), where 255 stays 255. */
static void relax(uint8_t *restrict to, const uint8_t *restrict from)
{
#pragma omp simd
    for (uint32_t i = 0; i < HD_LEVELS_BLOCK; i++) {
        uint8_t next = (uint8_t)(from[i] + (from[i] != HD_FAR));
        to[i] = to[i] < next ? to[i] : next;
    }
}

void hd_levels_cost(const struct hd_levels *lv, const uint32_t *target, uint32_t n, uint8_t *cost)
{
    const struct hd_net *net = lv->net;
    memset(cost, HD_FAR, (size_t)net->nsw * HD_LEVELS_BLOCK);
    for (uint32_t i = 0; i < n; i++) cost[(size_t)target[i] * HD_LEVELS_BLOCK + i] = 0;
    for (uint32_t i = 0; i < net->nsw; i++) { /* from below: everything above a target */
        uint32_t v = lv->by_level[i], last = UINT32_MAX;
        for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++) {
            uint32_t u = net->head[lv->up_chan[k]];
            if (u != last) relax(cost + (size_t)u * HD_LEVELS_BLOCK, cost + (size_t)v * HD_LEVELS_BLOCK);
            last = u;
        }
    }
    for (uint32_t i = net->nsw; i-- > 0;) { /* from above: everything else climbs to one of them */
        uint32_t v = lv->by_level[i], last = UINT32_MAX;
        for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++) {
            uint32_t u = net->head[lv->up_chan[k]];
            if (u != last) relax(cost + (size_t)v * HD_LEVELS_BLOCK, cost + (size_t)u * HD_LEVELS_BLOCK);
            last = u;
        }
    }
}

/* ---- numbers ------------------------------------------------------------------------------- */

struct leaf_key {
    uint32_t sw, top;
    const uint32_t *in; /* [level * nsw + v] the set a switch is in when levels up to this one are connected */
    uint32_t nsw;
};

static int by_subtrees(const void *a, const void *b)
{
    const struct leaf_key *x = a, *y = b;
    for (uint32_t l = x->top; l > 1; l--) {
        uint32_t p = x->in[(size_t)l * x->nsw + x->sw], q = y->in[(size_t)l * y->nsw + y->sw];
        if (p != q) return p < q ? -1 : 1;
    }
    return (x->sw > y->sw) - (x->sw < y->sw);
}

/* Leaves by the sets they fall into when the switches up to a level are connected, highest level first;
 * a set is named by its first leaf, so that the order of leaves decides between sets. */
static hd_status levels_order_leaves(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_levels *lv, uint32_t *leaf,
                                     uint32_t n)
{
    const struct hd_net *net = lv->net;
    uint32_t *set = HD_NEW(a, uint32_t, net->nsw), *name = HD_NEW(a, uint32_t, net->nsw);
    uint32_t *in = HD_NEW(a, uint32_t, (size_t)(lv->top + 1) * net->nsw);
    struct leaf_key *key = HD_NEW(a, struct leaf_key, n);
    if (!set || !name || !in || !key) return hd_fail_memory(ctx);
    hd_sets_init(set, net->nsw);
    for (uint32_t l = 2; l <= lv->top; l++) {
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t v = lv->by_level[i];
            for (uint32_t k = lv->down[v]; k < lv->down[v + 1]; k++) hd_sets_join(set, v, net->head[lv->down_chan[k]]);
        }
        memset(name, 0xff, net->nsw * sizeof *name);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t s = hd_sets_find(set, leaf[i]);
            if (name[s] == UINT32_MAX) name[s] = leaf[i];
            in[(size_t)l * net->nsw + leaf[i]] = name[s];
        }
    }
    for (uint32_t i = 0; i < n; i++) key[i] = (struct leaf_key){leaf[i], lv->top, in, net->nsw};
    qsort(key, n, sizeof *key, by_subtrees);
    for (uint32_t i = 0; i < n; i++) leaf[i] = key[i].sw;
    return HD_OK;
}

/* Leaves by their digits: the number of the first endpoint a leaf could have in the full tree. */
static hd_status order_by_digits(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_levels *lv, uint32_t *leaf,
                                 uint32_t n)
{
    const struct hd_net *net = lv->net;
    struct hd_keyed *key = HD_NEW(a, struct hd_keyed, n);
    if (!key) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++)
        key[i] = (struct hd_keyed){hd_shape_rank(&net->shape, 1, hd_coord(net, leaf[i])), leaf[i]};
    hd_keyed_sort(key, n, sizeof(struct hd_keyed));
    for (uint32_t i = 0; i < n; i++) leaf[i] = key[i].value;
    return HD_OK;
}

static void number_by_leaf(const struct hd_net *net, const uint32_t *leaf, uint32_t n, uint64_t *number)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t here = 0;
        for (uint32_t c = net->off[leaf[i]]; c < net->off[leaf[i] + 1]; c++) here += net->head[c] >= net->nsw;
        if (here > most) most = here;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t next = (uint64_t)i * most;
        for (uint32_t c = net->off[leaf[i]]; c < net->off[leaf[i] + 1]; c++)
            if (net->head[c] >= net->nsw) number[net->head[c] - net->nsw] = next++;
    }
    uint64_t next = (uint64_t)n * most;
    for (uint32_t e = 0; e < net->nep; e++)
        if (net->level[hd_leaf(net, e)] != 1) number[e] = next++;
}

hd_status hd_levels_number(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_levels *lv, uint64_t **number,
                           uint32_t **leaf, uint32_t *nleaf)
{
    const struct hd_net *net = lv->net;
    bool digits = net->shape.kind == HD_SHAPE_TREE;
    uint32_t n = lv->first[2] - lv->first[1];
    *number = HD_NEW(a, uint64_t, net->nep);
    *leaf = HD_NEW(a, uint32_t, n);
    if (!*number || !*leaf) return hd_fail_memory(ctx);
    memcpy(*leaf, lv->by_level + lv->first[1], n * sizeof **leaf);
    HD_TRY(digits ? order_by_digits(ctx, a, lv, *leaf, n) : levels_order_leaves(ctx, a, lv, *leaf, n));
    number_by_leaf(net, *leaf, n, *number);
    for (uint32_t e = 0; digits && e < net->nep; e++)
        if (hd_has_place(net, e)) (*number)[e] = hd_shape_rank(&net->shape, 0, hd_coord(net, net->nsw + e));
    *nleaf = n;
    return HD_OK;
}
