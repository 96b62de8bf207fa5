/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys and virtual slots of a Shift on a tree, read from the paths in the tables (shift_keys.h). */
#include "order/shift_keys.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/shape.h"
#include "route/core/routes_view.h"
#include "route/kernel/tree_form.h"

#include <string.h>

/* ---- order of leaves off trees --------------------------------------------------------------- */

/* The nearest leaf not yet taken, over cables, the lowest number among equals; each search ends there. */
static uint32_t nearest_leaf(const struct hd_net *net, uint32_t from, const uint32_t *number, uint32_t *queue,
                             uint32_t *seen, uint32_t stamp)
{
    uint32_t head = 0, tail = 0, end, best = UINT32_MAX;
    queue[tail++] = from;
    seen[from] = stamp;
    while (head < tail && best == UINT32_MAX)
        for (end = tail; head < end; head++) {
            uint32_t v = queue[head];
            if (number[v] < best) best = number[v];
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                uint32_t u = net->head[c];
                if (u >= net->nsw || seen[u] == stamp) continue;
                seen[u] = stamp;
                queue[tail++] = u;
            }
        }
    return best;
}

static hd_status walk_leaves(struct hd_ctx *ctx, const struct hd_job_view *view, uint64_t *place)
{
    const struct hd_net *net = view->net;
    struct hd_arena a = {0};
    uint32_t *number = HD_NEW(&a, uint32_t, net->nsw), *queue = HD_NEW(&a, uint32_t, net->nsw);
    uint32_t *seen = HD_NEW(&a, uint32_t, net->nsw);
    bool enough = number && queue && seen;
    if (enough) {
        memset(number, 0xff, net->nsw * sizeof *number);
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < view->nleaf; i++) {
            number[view->leaf_sw[i]] = i;
            if (view->leaf_sw[i] < first) first = view->leaf_sw[i];
        }
        for (uint32_t i = 0, at = first; i < view->nleaf; i++) {
            uint32_t leaf = nearest_leaf(net, at, number, queue, seen, i + 1);
            for (uint32_t k = 0; leaf == UINT32_MAX && k < view->nleaf; k++) leaf = number[view->leaf_sw[k]];
            place[leaf] = i;
            at = view->leaf_sw[leaf];
            number[at] = UINT32_MAX;
        }
    }
    hd_arena_release(&a);
    return enough ? HD_OK : hd_fail_memory(ctx);
}

/* ---- tree order ------------------------------------------------------------------------------ */

static hd_status keys_sort_nodes(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                                 struct hd_keys *keys, uint64_t *index)
{
    const struct hd_net *net = view->net;
    bool tree = net->shape.kind == HD_SHAPE_TREE;
    uint32_t n = keys->n;
    struct hd_keyed *list = HD_NEW(arena, struct hd_keyed, n);
    uint64_t *place = HD_NEW(arena, uint64_t, view->nleaf);
    keys->tree = HD_NEW(arena, uint32_t, n);
    if (!list || !place || !keys->tree) return hd_fail_memory(ctx);
    if (!tree && n) HD_TRY(walk_leaves(ctx, view, place));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = hd_job_view_ep(view, i, 0);
        index[i] = tree ? hd_shape_rank(&net->shape, 0, hd_coord(net, net->nsw + e))
                        : (place[view->leaf[(size_t)i * view->nodes->nrail]] << 8) +
                              net->port[net->rev[net->off[net->nsw + e]]];
        list[i] = (struct hd_keyed){index[i], i};
    }
    hd_keyed_sort(list, n, sizeof *list);
    for (uint32_t i = 0; i < n; i++) keys->tree[i] = list[i].value;
    return HD_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The up channel c from level l, counted alike in every subtree. */
static uint64_t up_number(const struct hd_net *net, uint32_t c, uint32_t l)
{
    const struct hd_shape *s = &net->shape;
    uint32_t v = net->tail[c], u = net->head[c], cable = 0;
    if (net->level[v] != l || net->level[u] != l + 1) return UINT64_MAX - c; /* a detour: like no other */
    for (uint32_t x = net->off[v]; x < c; x++) cable += net->head[x] == u;
    uint64_t number = 0;
    const uint16_t *digit = hd_coord(net, u);
    for (uint32_t i = 0; i < l; i++) number = number * s->w[i] + digit[i];
    return (number * s->p[l] + cable) * s->w[l] + digit[l];
}

/* Numbers values densely, in increasing order. */
static uint32_t make_dense(struct hd_keyed *list, uint32_t n, uint32_t *out)
{
    uint32_t count = 0;
    hd_keyed_sort(list, n, sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        if (i && list[i].key != list[i - 1].key) count++;
        out[list[i].value] = count;
    }
    return n ? count + 1 : 0;
}

/* A key needs a source outside the destination's subtree: the first node, or the first one that is elsewhere. */
static hd_status keys_add_level(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                                struct hd_keys *keys, const uint64_t *index, uint32_t l, uint64_t size)
{
    uint32_t n = keys->n, at = keys->levels, other = UINT32_MAX;
    uint32_t *sub = HD_NEW(arena, uint32_t, n), *key = HD_NEW(arena, uint32_t, n), chan[HD_MAX_HOPS];
    struct hd_keyed *list = HD_NEW(arena, struct hd_keyed, n);
    if (!sub || !key || !list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) list[i] = (struct hd_keyed){index[i] / size, i};
    uint32_t nsub = make_dense(list, n, sub);
    for (uint32_t i = 0; i < n && other == UINT32_MAX; i++)
        if (sub[i] != sub[0]) other = i;
    if (nsub < 2) return HD_OK;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = sub[i] != sub[0] ? 0 : other;
        hd_job_view_path(view, hd_job_view_ep(view, from, 0), hd_job_view_ep(view, i, 0), chan);
        uint32_t c = l - 1 < view->stride ? chan[l - 1] : view->net->nchan;
        list[i] = (struct hd_keyed){c < view->net->nchan ? up_number(view->net, c, l) : UINT64_MAX, i};
    }
    keys->sub[at] = sub;
    keys->key[at] = key;
    keys->nsub[at] = nsub;
    keys->nkey[at] = make_dense(list, n, key);
    keys->levels++;
    return HD_OK;
}

hd_status hd_keys_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view, struct hd_keys *keys)
{
    const struct hd_net *net = view->net;
    *keys = (struct hd_keys){.n = view->nodes->n};
    uint64_t *index = HD_NEW(arena, uint64_t, keys->n), size = 1;
    char why[160];
    if (!index) return hd_fail_memory(ctx);
    HD_TRY(keys_sort_nodes(ctx, arena, view, keys, index));
    if (net->shape.kind != HD_SHAPE_TREE || !view->single) return HD_OK;
    for (uint32_t l = 1; l < net->shape.n; l++) {
        size *= net->shape.m[l - 1];
        HD_TRY(keys_add_level(ctx, arena, view, keys, index, l, size));
    }
    const struct hd_tree_form *form = hd_tree_form_of(view->routes);
    keys->exact = form && form->by_destination && hd_rlft_check(&net->shape, why);
    return HD_OK;
}

/* ---- virtual slots --------------------------------------------------------------------------- */

struct slotter {
    const struct hd_keys *keys;
    uint32_t *child; /* [n] number of a node's subtree within the next larger one, at the current level */
    uint64_t *pos;
    uint64_t radix; /* product so far */
};

/* Subtrees of level index l, numbered from 0 within each of level l + 1; returns the most any has. */
static uint32_t number_children(const struct slotter *s, uint32_t l)
{
    const struct hd_keys *k = s->keys;
    uint32_t most = 0, next = 0;
    for (uint32_t i = 0; i < k->n; i++) { /* in tree order subtrees come one after the other */
        uint32_t v = k->tree[i], before = i ? k->tree[i - 1] : v;
        bool new_parent = i == 0 || (l + 1 < k->levels && k->sub[l + 1][v] != k->sub[l + 1][before]);
        if (new_parent)
            next = 0;
        else if (k->sub[l][v] != k->sub[l][before])
            next++;
        s->child[v] = next;
        if (next + 1 > most) most = next + 1;
    }
    return most;
}

static void add_digit(struct slotter *s, const uint32_t *digit, uint32_t radix)
{
    for (uint32_t i = 0; i < s->keys->n; i++) s->pos[i] += s->radix * digit[i];
    s->radix *= radix;
}

/* What is left: how many nodes before this one share all digits; returns the most. */
static uint32_t number_rest(struct slotter *s, struct hd_keyed *list)
{
    uint32_t most = 0, run = 0, n = s->keys->n;
    for (uint32_t i = 0; i < n; i++) list[i] = (struct hd_keyed){s->pos[s->keys->tree[i]], i};
    hd_keyed_sort(list, n, sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        run = i && list[i].key == list[i - 1].key ? run + 1 : 0;
        s->child[s->keys->tree[list[i].value]] = run;
        if (run + 1 > most) most = run + 1;
    }
    return most;
}

hd_status hd_slots_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_keys *keys, enum hd_slot_form form,
                        struct hd_slots *slots)
{
    uint32_t n = keys->n;
    struct slotter s = {.keys = keys, .radix = 1};
    struct hd_keyed *list = HD_NEW(arena, struct hd_keyed, n);
    s.child = HD_NEW(arena, uint32_t, n);
    s.pos = HD_NEW(arena, uint64_t, n);
    slots->order = HD_NEW(arena, uint32_t, n);
    if (!list || !s.child || !s.pos || !slots->order) return hd_fail_memory(ctx);
    for (uint32_t l = keys->levels; l-- > 1;) add_digit(&s, s.child, number_children(&s, l));
    if (keys->levels) {
        slots->inner = form == HD_SLOTS_LEAF ? number_children(&s, 0) : keys->nkey[0];
        add_digit(&s, form == HD_SLOTS_LEAF ? s.child : keys->key[0], slots->inner);
    } else {
        slots->inner = 1;
    }
    slots->each = number_rest(&s, list);
    add_digit(&s, s.child, slots->each ? slots->each : 1);
    for (uint32_t i = 0; i < n; i++) list[i] = (struct hd_keyed){s.pos[i], i};
    hd_keyed_sort(list, n, sizeof *list);
    for (uint32_t i = 0; i < n; i++) slots->order[i] = list[i].value;
    slots->pos = s.pos;
    slots->v = s.radix;
    return HD_OK;
}
