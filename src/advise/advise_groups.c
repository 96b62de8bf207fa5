/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of leaf switches, the rows and columns of the heat map. Up to HD_HEAT_MAX leaves, each is a group of its own;
 * above that, a group is a subtree of the lowest level that has few enough of them or, off trees, a run of consecutive
 * leaves. O(leaves log leaves). */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/core/labels.h"

#include <stdlib.h>

struct group_leaf {
    uint64_t key;     /* place of its subtree in the tree, coarse digits first */
    uint32_t v, rank; /* rank: by label */
};

static int group_leaf_order(const void *a, const void *b)
{
    const struct group_leaf *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

static uint64_t group_key(const struct hd_net *net, uint32_t v, uint32_t from)
{
    uint64_t key = 0;
    for (uint32_t i = net->shape.n; i-- > from;) key = key * net->shape.m[i] + hd_coord(net, v)[i];
    return key;
}

/* Leaves by subtree, and there and off trees as people sort their labels. */
static hd_status group_list_leaves(struct hd_advising *a, struct hd_arena *scratch, struct group_leaf **list)
{
    const struct hd_net *net = a->net;
    bool *used = HD_NEW(scratch, bool, net->nsw);
    uint32_t *order = HD_NEW(scratch, uint32_t, net->nsw);
    *list = HD_NEW(scratch, struct group_leaf, net->nsw);
    if (!used || !order || !*list) return hd_fail_memory(a->ctx);
    HD_TRY(hd_switches_by_label(a->ctx, net, order));
    for (uint32_t i = 0; i < net->nsel; i++) used[hd_leaf(net, net->sel[i])] = true;
    for (uint32_t i = 0; i < net->nsw; i++) {
        uint32_t v = order[i];
        uint64_t key = net->shape.kind == HD_SHAPE_TREE ? group_key(net, v, 2) : 0;
        if (used[v]) (*list)[a->nleaf++] = (struct group_leaf){key, v, i};
    }
    qsort(*list, a->nleaf, sizeof **list, group_leaf_order);
    return HD_OK;
}

static uint32_t group_subtrees(const struct hd_net *net, const struct group_leaf *list, uint32_t n, uint32_t level)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += i == 0 || group_key(net, list[i].v, level) != group_key(net, list[i - 1].v, level);
    return count;
}

/* group[i] of the i-th leaf; returns their number. */
static uint32_t group_cut(const struct hd_advising *a, const struct group_leaf *list, uint32_t *group)
{
    const struct hd_net *net = a->net;
    uint32_t n = a->nleaf, level = 1;
    bool tree = net->shape.kind == HD_SHAPE_TREE;
    while (tree && level < net->shape.n && group_subtrees(net, list, n, level) > HD_HEAT_MAX) level++;
    if (tree && n > HD_HEAT_MAX && group_subtrees(net, list, n, level) > 1) {
        uint32_t at = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (i && group_key(net, list[i].v, level) != group_key(net, list[i - 1].v, level)) at++;
            group[i] = at;
        }
        return at + 1;
    }
    uint32_t each = (n + HD_HEAT_MAX - 1) / HD_HEAT_MAX;
    for (uint32_t i = 0; i < n; i++) group[i] = i / each;
    return n ? (n - 1) / each + 1 : 0;
}

static void group_set_names(struct hd_advising *a, const struct group_leaf *list, const uint32_t *group)
{
    const struct hd_net *net = a->net;
    for (uint32_t i = 0; i < a->nleaf;) {
        uint32_t from = i, g = group[i];
        while (i < a->nleaf && group[i] == g) i++;
        const char *first = hd_node_label(net, list[from].v);
        a->report->group[g] = i - from == 1
                                  ? hd_say(a, "%s", first)
                                  : hd_say(a, "%s .. %s (%u)", first, hd_node_label(net, list[i - 1].v), i - from);
    }
}

hd_status hd_advise_groups(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct group_leaf *list;
    hd_status s = group_list_leaves(a, &scratch, &list);
    uint32_t *group = HD_NEW(&scratch, uint32_t, a->nleaf);
    a->group_of = hd_advise_alloc(a, a->net->nsw, sizeof *a->group_of);
    if (s == HD_OK && (!group || !a->group_of)) s = hd_fail_memory(a->ctx);
    if (s == HD_OK) {
        a->report->ngroup = group_cut(a, list, group);
        a->report->group = hd_advise_alloc(a, a->report->ngroup, sizeof *a->report->group);
        for (uint32_t i = 0; i < a->nleaf; i++) a->group_of[list[i].v] = group[i];
        if (a->report->group) group_set_names(a, list, group);
    }
    hd_arena_release(&scratch);
    return s;
}
