/* SPDX-License-Identifier: BSD-2-Clause */
/* A cut limits the pairs that leave a group. As long as no pair of the graph stays inside a group, that is
 * all pairs of its sources (or destinations): a group of vertices of one side, nested in larger ones.
 * Where all sources are in one subtree S and all destinations outside it, what remains are the larger
 * subtrees X around S: only the pairs to destinations outside X leave them. "Outside X" is a group of
 * destinations; the larger X, the smaller the group, and a subtree of destinations is inside or outside
 * as a whole, so everything is nested still. The same holds with the roles swapped. */
#include "flow/bound/cut_limits.h"
#include "base/status.h"

#include <string.h>

hd_status hd_limits_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_cuts *cuts, struct hd_limits *l)
{
    *l = (struct hd_limits){.cuts = cuts};
    for (uint32_t i = 1; i < cuts->levels; i++) {
        l->inner[i] = HD_NEW(arena, uint32_t, cuts->ngroup[i]);
        l->node[i] = HD_NEW(arena, uint32_t, cuts->ngroup[i]);
        if (!l->inner[i] || !l->node[i]) return hd_fail_memory(ctx);
        memset(l->node[i], 0xff, cuts->ngroup[i] * sizeof *l->node[i]);
    }
    return HD_OK;
}

static void mark_inner(struct hd_limits *l, const uint32_t *left, const uint32_t *right, const struct hd_bipartite *g)
{
    l->stamp++;
    for (uint32_t i = 1; i < l->cuts->levels; i++) {
        const uint32_t *group = l->cuts->group[i];
        for (uint32_t e = 0; e < g->nedge; e++) {
            uint32_t a = group[left[g->u[e]]];
            if (a == group[right[g->v[e]]]) l->inner[i][a] = l->stamp;
        }
    }
}

/* Level of the smallest group that holds all n endpoints; cuts->levels when none does. */
static uint32_t common_level(const struct hd_cuts *k, const uint32_t *ep, uint32_t n)
{
    for (uint32_t l = 1; l < k->levels; l++) {
        uint32_t i = 1;
        while (i < n && k->group[l][ep[i]] == k->group[l][ep[0]]) i++;
        if (i == n) return l;
    }
    return k->levels;
}

static bool all_outside(const struct hd_cuts *k, uint32_t level, uint32_t home, const uint32_t *ep, uint32_t n)
{
    if (level == k->levels) return false;
    for (uint32_t i = 0; i < n; i++)
        if (k->group[level][ep[i]] == k->group[level][home]) return false;
    return true;
}

struct tree { /* of one side, being built */
    struct hd_limits *l;
    uint32_t nodes, *cap, *parent;
    uint32_t around[HD_MAX_DIM + 2]; /* node for "outside the group of this level around the other side" */
};

static uint32_t cut_limits_add_node(struct tree *t, uint64_t cap, uint32_t parent)
{
    t->cap[t->nodes] = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
    t->parent[t->nodes] = parent;
    return t->nodes++;
}

/* Groups around `home`, the other side's subtree of this level, from the innermost (largest outside) on. */
static void add_around(struct tree *t, uint32_t level, uint32_t home)
{
    const struct hd_cuts *k = t->l->cuts;
    uint32_t outer = HD_NO_GROUP;
    for (uint32_t i = level + 1; i < k->levels; i++)
        outer = t->around[i] = cut_limits_add_node(t, k->cap[i][k->group[i][home]], outer);
}

/* Node of the group of endpoint e at a level, with its parents; HD_NO_GROUP or the group around the other
 * side where pairs stay inside it. */
static uint32_t group_node(struct tree *t, uint32_t level, uint32_t e)
{
    const struct hd_cuts *k = t->l->cuts;
    if (level >= k->levels) return t->around[k->levels - 1];
    uint32_t g = k->group[level][e];
    if (t->l->inner[level][g] == t->l->stamp) return level > 1 ? t->around[level - 1] : HD_NO_GROUP;
    if (t->l->node[level][g] != UINT32_MAX) return t->l->node[level][g];
    uint32_t outer = group_node(t, level + 1, e);
    return t->l->node[level][g] = cut_limits_add_node(t, k->cap[level][g], outer);
}

static void cut_limits_add_side(struct tree *t, const uint32_t *ep, struct hd_side *side)
{
    const struct hd_cuts *k = t->l->cuts;
    for (uint32_t i = 0; i < side->n; i++) t->parent[i] = group_node(t, 1, ep[i]);
    for (uint32_t i = 0; i < side->n; i++)
        for (uint32_t l = 1; l < k->levels; l++) t->l->node[l][k->group[l][ep[i]]] = UINT32_MAX;
    side->cap = t->cap;
    side->parent = t->parent;
    side->nodes = t->nodes;
}

static hd_status start_tree(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_limits *l, const struct hd_side *side,
                            struct tree *t)
{
    size_t most = ((size_t)side->n + 1) * l->cuts->levels;
    *t = (struct tree){
        .l = l, .nodes = side->n, .cap = HD_NEW(arena, uint32_t, most), .parent = HD_NEW(arena, uint32_t, most)};
    if (!t->cap || !t->parent) return hd_fail_memory(ctx);
    memcpy(t->cap, side->cap, side->n * sizeof *t->cap);
    for (uint32_t i = 0; i < HD_MAX_DIM + 2; i++) t->around[i] = HD_NO_GROUP;
    return HD_OK;
}

hd_status hd_limits_add(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_limits *l, const uint32_t *left,
                        const uint32_t *right, struct hd_bipartite *g)
{
    const struct hd_cuts *k = l->cuts;
    struct tree t[2];
    HD_TRY(start_tree(ctx, arena, l, &g->left, &t[0]));
    HD_TRY(start_tree(ctx, arena, l, &g->right, &t[1]));
    if (g->left.n == 0 || g->right.n == 0) return HD_OK;
    mark_inner(l, left, right, g);
    uint32_t up = common_level(k, left, g->left.n), down = common_level(k, right, g->right.n);
    if (all_outside(k, up, left[0], right, g->right.n))
        add_around(&t[1], up, left[0]);
    else if (all_outside(k, down, right[0], left, g->left.n))
        add_around(&t[0], down, right[0]);
    cut_limits_add_side(&t[0], left, &g->left);
    cut_limits_add_side(&t[1], right, &g->right);
    return HD_OK;
}
