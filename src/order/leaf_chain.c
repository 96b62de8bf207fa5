/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for a plain Shift where leaves are unequally full: leaf after leaf, as in tree order, but so that keys
 * recur as late as they can. Ranks of one leaf that are g apart meet on an up port when their destinations, also g
 * apart, have the same key; so a leaf's nodes come in the order in which their keys were last used, the longest ago
 * first, and the next leaf is the one of its subtree whose keys recur at the least cost: the sum over its nodes of
 * A(g), the pairs of ranks of one leaf that are g apart. The first leaf of each subtree is drawn and costs are
 * blurred, so that chains differ and the best of many can be taken. O(leaves of a subtree * n) each. */
#include "base/status.h"
#include "order/shift_keys.h"

#include <string.h>

enum { BLUR = 3 }; /* tenths of a cost */

struct chain_leaves {
    const struct hd_keys *keys;
    uint32_t n, biggest;
    uint32_t *first;        /* [n + 1] places of a leaf in member */
    uint32_t *member;       /* nodes, leaf by leaf in tree order */
    uint64_t *pairs;        /* [biggest + 1] A(g) */
    int64_t *last;          /* [keys] where a key was last used */
    bool *used;             /* [leaves] */
    uint32_t *trial, *best; /* [biggest] */
};

static void chain_fill(const struct hd_keys *k, struct chain_leaves *v)
{
    for (uint32_t i = 0; i < k->n; i++) v->first[k->sub[0][i] + 2]++;
    for (uint32_t l = 2; l < v->n + 2; l++) v->first[l] += v->first[l - 1];
    for (uint32_t i = 0; i < k->n; i++) v->member[v->first[k->sub[0][k->tree[i]] + 1]++] = k->tree[i];
    for (uint32_t l = 0; l < v->n; l++) {
        uint32_t size = v->first[l + 1] - v->first[l];
        if (size > v->biggest) v->biggest = size;
        for (uint32_t g = 1; g < size; g++) v->pairs[g] += size - g;
    }
}

static hd_status chain_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_keys *k, struct chain_leaves *v)
{
    *v = (struct chain_leaves){.keys = k, .n = k->nsub[0]};
    v->first = HD_NEW(a, uint32_t, (size_t)v->n + 2);
    v->member = HD_NEW(a, uint32_t, k->n);
    v->pairs = HD_NEW(a, uint64_t, (size_t)k->n + 1);
    v->last = HD_NEW(a, int64_t, k->nkey[0]);
    v->used = HD_NEW(a, bool, v->n);
    v->trial = HD_NEW(a, uint32_t, k->n);
    v->best = HD_NEW(a, uint32_t, k->n);
    if (!v->first || !v->member || !v->pairs || !v->last || !v->used || !v->trial || !v->best)
        return hd_fail_memory(ctx);
    chain_fill(k, v);
    return HD_OK;
}

/* The nodes of a leaf into trial, the key used longest ago first; returns what its keys cost from place `at` on. */
static uint64_t arrange(const struct chain_leaves *v, uint32_t leaf, uint32_t at)
{
    const uint32_t *key = v->keys->key[0], *member = v->member + v->first[leaf];
    uint32_t size = v->first[leaf + 1] - v->first[leaf];
    uint64_t cost = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t j = i;
        for (; j && v->last[key[v->trial[j - 1]]] > v->last[key[member[i]]]; j--) v->trial[j] = v->trial[j - 1];
        v->trial[j] = member[i];
    }
    for (uint32_t i = 0; i < size; i++) {
        int64_t gap = (int64_t)at + i - v->last[key[v->trial[i]]];
        if (gap < (int64_t)v->biggest) cost += v->pairs[gap];
    }
    return cost;
}

/* Leaves of the subtree above leaf `from`: from .. end - 1. */
static uint32_t subtree_end(const struct chain_leaves *v, uint32_t from)
{
    const struct hd_keys *k = v->keys;
    if (k->levels < 2) return v->n;
    uint32_t end = from, sub = k->sub[1][v->member[v->first[from]]];
    while (end < v->n && k->sub[1][v->member[v->first[end]]] == sub) end++;
    return end;
}

/* One subtree, from place `at` on. */
static void chain_subtree(const struct chain_leaves *v, uint32_t from, uint32_t end, struct hd_rng *rng,
                          uint32_t *order)
{
    uint32_t at = v->first[from];
    for (uint32_t step = from; step < end; step++) {
        double least = 0;
        uint32_t next = end, drawn = step == from ? from + hd_rng_below(rng, end - from) : end;
        for (uint32_t leaf = from; leaf < end; leaf++) {
            if (v->used[leaf] || (drawn < end && leaf != drawn)) continue;
            uint32_t size = v->first[leaf + 1] - v->first[leaf];
            double cost = (double)arrange(v, leaf, at) / size * (1 + BLUR / 10.0 * hd_rng_real(rng));
            if (next < end && cost >= least) continue;
            least = cost;
            next = leaf;
            memcpy(v->best, v->trial, size * sizeof *v->best);
        }
        v->used[next] = true;
        for (uint32_t i = 0; i < v->first[next + 1] - v->first[next]; i++) {
            v->last[v->keys->key[0][v->best[i]]] = at;
            order[at++] = v->best[i];
        }
    }
}

hd_status hd_chain(struct hd_ctx *ctx, const struct hd_keys *keys, struct hd_rng *rng, uint32_t *order)
{
    struct hd_arena a = {0};
    struct chain_leaves v;
    hd_status s = chain_init(ctx, &a, keys, &v);
    if (s == HD_OK) {
        for (uint32_t i = 0; i < keys->nkey[0]; i++) v.last[i] = -(int64_t)keys->n;
        for (uint32_t from = 0, end; from < v.n; from = end) {
            end = subtree_end(&v, from);
            chain_subtree(&v, from, end, rng, order);
        }
    }
    hd_arena_release(&a);
    return s;
}
