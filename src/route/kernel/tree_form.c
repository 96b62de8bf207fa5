/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows and paths of a fat tree computed from its up ports. A row is made level by level: all switches of a level that
 * are not above the destination take the same up port, whose slots are kept together, so that a level is one memcpy;
 * those above it are adjacent too (sorted by subtree) and get their down port. Endpoints without a place of their own
 * (aggregation nodes, storage) keep a row each: D-mod-K by port on leaf switches, any shortest paths above them.
 * Cost: O(switches) per row, O(levels) per path; memory O(channels). */
#include "route/kernel/tree_form.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/shape.h"
#include "route/core/switch_distance.h"

#include <string.h>

/* The lowest level from which a path up from v can go down to d: above it their digits agree. */
static uint32_t turn_level(const struct hd_net *net, uint32_t v, uint32_t d)
{
    const uint16_t *x = hd_coord(net, v), *y = hd_coord(net, net->nsw + d);
    uint32_t level = net->shape.n;
    while (level > net->level[v] && x[level - 1] == y[level - 1]) level--;
    return level;
}

/* Down port of level l that leads towards d: cable 0 to the endpoint itself. */
static uint32_t down_port(const struct hd_net *net, uint32_t l, uint32_t d, const uint32_t *q)
{
    const struct hd_shape *s = &net->shape;
    uint32_t cable = l > 1 ? q[l - 1] / s->w[l - 1] : 0;
    return hd_coord(net, net->nsw + d)[l - 1] + s->m[l - 1] * cable;
}

/* Number of the subtree under a node of level l among those of its level: its digits from l up. */
static uint64_t subtree_of(const struct hd_shape *s, uint32_t l, const uint16_t *digit)
{
    uint64_t number = 0;
    for (uint32_t i = s->n; i-- > l;) number = number * s->m[i] + digit[i];
    return number;
}

/* The switches of level l above d. */
static void find_above(const struct hd_tree_form *f, uint32_t l, uint64_t subtree, uint32_t *first, uint32_t *end)
{
    const uint64_t *of_level = f->subtree + f->first[l];
    *first = *end = f->first[l] + hd_lower_bound(of_level, f->first[l + 1] - f->first[l], sizeof *of_level, subtree);
    while (*end < f->first[l + 1] && f->subtree[*end] == subtree) ++*end;
}

/* One level at a time: all switches that are not above d take the same up port, so their entries are
 * adjacent; then those above d get theirs. */
static void tree_form_fill(const struct hd_tree_form *f, uint32_t d, uint32_t *q, uint8_t *row)
{
    const struct hd_net *net = f->tree.net;
    uint32_t at, end;
    q[f->tree.h] = 0; /* the top is above everything */
    for (uint32_t l = 1; l <= f->tree.h; l++) {
        uint32_t n = f->first[l + 1] - f->first[l], down = down_port(net, l, d, q);
        const uint32_t *v = f->by_level + f->first[l];
        const uint8_t *up = l < f->tree.h ? f->up_slot[l] + (size_t)q[l] * n : NULL;
        if (up && f->together[l])
            memcpy(row + v[0], up, n);
        else
            for (uint32_t i = 0; up && i < n; i++) row[v[i]] = up[i];
        find_above(f, l, subtree_of(&net->shape, l, hd_coord(net, net->nsw + d)), &at, &end);
        for (; at < end; at++) row[f->by_level[at]] = hd_tree_down(&f->tree, f->by_level[at], down);
    }
}

static void tree_form_row(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *row)
{
    const struct hd_tree_form *f = r->data;
    uint32_t q[HD_MAX_DIM + 1];
    if (f->off_tree[d]) {
        memcpy(row, f->off_tree[d], r->net->nsw);
        return;
    }
    f->up(f, d, x, q);
    tree_form_fill(f, d, q, row);
}

/* Onwards from v by a slot: false where there is none. */
static bool tree_step(const struct hd_net *net, uint8_t slot, uint32_t *v, uint32_t *chan, uint32_t *n)
{
    if (slot == HD_SLOT_NONE) return false;
    chan[*n] = net->off[*v] + slot;
    *v = net->head[chan[(*n)++]];
    return true;
}

static uint32_t tree_form_path(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t *chan)
{
    const struct hd_tree_form *f = r->data;
    const struct hd_net *net = r->net;
    uint32_t q[HD_MAX_DIM + 1], n = 1, v = hd_leaf(net, s), level = net->level[v];
    chan[0] = net->off[net->nsw + s];
    if (f->off_tree[d]) return hd_row_path(net, f->off_tree[d], s, d, chan);
    f->up(f, d, x, q);
    for (uint32_t turn = turn_level(net, v, d); level < turn; level++)
        if (!tree_step(net, hd_tree_up(&f->tree, v, q[level]), &v, chan, &n)) return 0;
    for (; level > 0; level--)
        if (!tree_step(net, hd_tree_down(&f->tree, v, down_port(net, level, d, q)), &v, chan, &n)) return 0;
    return n;
}

static const struct hd_form tree_form = {tree_form_row, tree_form_path};

const struct hd_tree_form *hd_tree_form_of(const struct hd_routes *r)
{
    const struct hd_tree_form *f = r->form == &tree_form ? r->data : NULL;
    return f && f->all_on_leaves ? f : NULL;
}

/* D-mod-K of an endpoint on a leaf switch that has no number, by the port it is on: those of one leaf switch spread. */
static void spread_row(const struct hd_tree_form *f, uint32_t e, uint8_t *row)
{
    const struct hd_net *net = f->tree.net;
    uint32_t q[HD_MAX_DIM + 1], port = net->port[net->rev[net->off[net->nsw + e]]], places = net->shape.m[0];
    uint64_t number = hd_shape_rank(&net->shape, 0, hd_coord(net, net->nsw + e)) + (places ? port % places : 0);
    for (uint32_t l = 1; l < f->tree.h; l++)
        q[l] = (uint32_t)(number / f->tree.wprod[l] % hd_tree_up_ports(&net->shape, l));
    tree_form_fill(f, e, q, row);
}

static hd_status init_off_tree(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct hd_tree_form *f)
{
    uint8_t *dist = HD_NEW(a, uint8_t, net->nsw); /* scratch, as is queue: small beside the trees */
    uint32_t *queue = HD_NEW(a, uint32_t, net->nsw);
    f->off_tree = HD_NEW(a, uint8_t *, net->nep);
    if (!dist || !queue || !f->off_tree) return hd_fail_memory(ctx);
    f->all_on_leaves = true;
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t c = net->rev[net->off[net->nsw + e]];
        if (hd_has_place(net, e)) continue;
        f->all_on_leaves = false;
        if (!(f->off_tree[e] = HD_NEW(a, uint8_t, net->nsw))) return hd_fail_memory(ctx);
        if (net->level[net->tail[c]] == 1)
            spread_row(f, e, f->off_tree[e]);
        else
            hd_dist_row(net, net->tail[c], f->off_tree[e], dist, queue);
        f->off_tree[e][net->tail[c]] = (uint8_t)(c - net->off[net->tail[c]]);
    }
    return HD_OK;
}

/* Switches by level, then by subtree. */
static hd_status sort_switches(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct hd_tree_form *f)
{
    struct hd_arena scratch = {0};
    struct hd_keyed *list = HD_NEW(&scratch, struct hd_keyed, net->nsw);
    uint32_t n = 0;
    f->by_level = HD_NEW(a, uint32_t, net->nsw);
    f->subtree = HD_NEW(a, uint64_t, net->nsw);
    bool enough = list && f->by_level && f->subtree;
    for (uint32_t l = 1; enough && l <= net->shape.n; l++) {
        f->first[l] = n;
        f->together[l] = true;
        for (uint32_t v = 0; v < net->nsw; v++)
            if (net->level[v] == l) list[n++] = (struct hd_keyed){subtree_of(&net->shape, l, hd_coord(net, v)), v};
        hd_keyed_sort(list + f->first[l], n - f->first[l], sizeof(struct hd_keyed));
        for (uint32_t i = f->first[l]; i < n; i++) {
            f->by_level[i] = list[i].value;
            f->subtree[i] = list[i].key;
            f->together[l] &= i == f->first[l] || list[i].value == list[i - 1].value + 1;
        }
    }
    f->first[net->shape.n + 1] = n;
    hd_arena_release(&scratch);
    return enough ? HD_OK : hd_fail_memory(ctx);
}

static hd_status tree_form_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net,
                                struct hd_tree_form *f)
{
    HD_TRY(hd_tree_init(ctx, a, net, &f->tree));
    HD_TRY(sort_switches(ctx, a, net, f));
    for (uint32_t l = 1; l < net->shape.n; l++) {
        uint32_t n = f->first[l + 1] - f->first[l], ports = hd_tree_up_ports(&net->shape, l);
        if (!(f->up_slot[l] = HD_NEW(a, uint8_t, (size_t)n * ports))) return hd_fail_memory(ctx);
        for (uint32_t q = 0; q < ports; q++)
            for (uint32_t i = 0; i < n; i++)
                f->up_slot[l][(size_t)q * n + i] = hd_tree_up(&f->tree, f->by_level[f->first[l] + i], q);
    }
    return init_off_tree(ctx, a, net, f);
}

hd_status hd_tree_form_make(struct hd_ctx *ctx, struct hd_routes *r, uint32_t nvar, hd_tree_up_rule *up,
                            struct hd_tree_form **form)
{
    struct hd_tree_form *f = HD_NEW(&r->arena, struct hd_tree_form, 1);
    if (!f) return hd_fail_memory(ctx);
    HD_TRY(tree_form_init(ctx, &r->arena, r->net, f));
    f->up = up;
    hd_routes_form(r, nvar, &tree_form, f);
    *form = f;
    return HD_OK;
}

hd_status hd_tree_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_tree *t, uint32_t **out,
                        uint32_t *count)
{
    const struct hd_net *net = t->net;
    struct hd_keyed *list = HD_NEW(arena, struct hd_keyed, net->nep);
    uint32_t *order = HD_NEW(arena, uint32_t, net->nep), n = 0;
    if (!list || !order) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++)
        if (hd_has_place(net, e)) list[n++] = (struct hd_keyed){t->index[e], e};
    hd_keyed_sort(list, n, sizeof(struct hd_keyed));
    for (uint32_t i = 0; i < n; i++) order[i] = list[i].value;
    *out = order;
    *count = n;
    return HD_OK;
}

hd_status hd_tree_applies_ft(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    const struct hd_shape *s = &net->shape;
    HD_TRY(hd_tree_applies(ctx, e, net, opt));
    for (uint32_t l = 1; l < s->n; l++) {
        if (s->p[l] != 1)
            return hd_fail_na(ctx, e->desc.name, net->spec, "%u parallel cables above level %u, expected one", s->p[l],
                              l);
        if (s->w[l] != s->m[0] || s->m[l - 1] != s->m[0])
            return hd_fail_na(ctx, e->desc.name, net->spec,
                              "not an m-port n-tree: a switch of level %u has %u ports down and %u up, expected %u of "
                              "each",
                              l, s->m[l - 1], s->w[l], s->m[0]);
    }
    return HD_OK;
}
