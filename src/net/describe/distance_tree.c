/* SPDX-License-Identifier: BSD-2-Clause */
/* Distances in a whole tree, in closed form. Two leaf switches whose digits agree above position h and differ there
 * have their lowest common ancestors at level h, so that h - 1 cables up and as many down are a shortest path; with all
 * parents present, every ancestor is reached from every leaf below it. If W are the endpoints of the subtrees of a
 * height, the sum of W^2 over these is the number of pairs that meet at this height or below. Cost: channels, and
 * sorting the leaf switches, once for all heights because subtrees nest. */
#include "base/arena.h"
#include "base/keyed.h"
#include "net/core/shape.h"
#include "net/core/subtrees.h"
#include "net/describe/distance_stats.h"

/* Whether a switch below the top has all its parents. */
static bool has_all_parents(const struct hd_net *net, uint32_t v)
{
    bool parent[UINT8_MAX + 1] = {false};
    uint32_t level = net->level[v], parents = 0;
    if (net->shape.w[level] > UINT8_MAX) return false;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t u = net->head[c];
        if (u >= net->nsw || net->level[u] != level + 1) continue;
        uint32_t digit = hd_coord(net, u)[level];
        parents += !parent[digit];
        parent[digit] = true;
    }
    return parents == net->shape.w[level];
}

static bool tree_is_whole(const struct hd_net *net, uint32_t top)
{
    if (net->shape.kind != HD_SHAPE_TREE || net->shape.missing || top > net->shape.n) return false;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] < top && !net->unplaced[v] && !has_all_parents(net, v)) return false;
    for (uint32_t e = 0; e < net->nep; e++)
        if (net->level[hd_leaf(net, e)] != 1) return false;
    return true;
}

/* Leaf switches with their endpoints, those of a subtree side by side; returns how many. */
static uint32_t tree_leaves(const struct hd_net *net, struct hd_keyed *leaf)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] != 1 || net->unplaced[v]) continue;
        leaf[n] = (struct hd_keyed){hd_shape_rank(&net->shape, 1, hd_coord(net, v)), 0};
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) leaf[n].value += net->head[c] >= net->nsw;
        n++;
    }
    hd_keyed_sort(leaf, n, sizeof *leaf);
    return n;
}

/* The sum of W^2 over the leaves, each of which has the number of its subtree as key. */
static uint64_t sum_of_squares(const struct hd_keyed *leaf, uint32_t n)
{
    uint64_t sum = 0, endpoints = 0;
    for (uint32_t i = 0; i < n; i++) {
        endpoints += leaf[i].value;
        if (i + 1 < n && leaf[i + 1].key == leaf[i].key) continue;
        sum += endpoints * endpoints;
        endpoints = 0;
    }
    return sum;
}

bool hd_tree_distances(const struct hd_net *net, struct hd_distances *out)
{
    uint32_t top = hd_top_level(net);
    if (!tree_is_whole(net, top)) return false;
    struct hd_arena scratch = {0};
    struct hd_distances d = {.known = true};
    struct hd_keyed *leaf = HD_NEW(&scratch, struct hd_keyed, net->nsw);
    uint32_t n = leaf ? tree_leaves(net, leaf) : 0;
    uint64_t within = leaf ? sum_of_squares(leaf, n) : 0;
    for (uint32_t h = 2; leaf && h <= top; h++) {
        for (uint32_t i = 0; i < n; i++) leaf[i].key /= net->shape.m[h - 1];
        uint64_t meet = sum_of_squares(leaf, n);
        d.sum += 2 * (h - 1) * (meet - within);
        if (meet > within) d.diameter = 2 * (h - 1);
        within = meet;
    }
    hd_arena_release(&scratch);
    if (leaf) *out = d;
    return leaf != NULL;
}
