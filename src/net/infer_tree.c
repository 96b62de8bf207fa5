/* SPDX-License-Identifier: BSD-2-Clause */
/* A PGFT from levels and cables, also where cables and switches are missing.
 *
 * Two facts about a PGFT give all digits, and both survive missing cables as long as something of what
 * they speak of stays connected:
 *  - a: the switches of level <= l that are connected below level l+1 form one subtree of height l. The
 *    digits a_{l+1} .. a_n of a switch say which; siblings are numbered by their first leaf.
 *  - b: the cables between levels l and l+1 form blocks, complete bipartite. The children of a block agree
 *    in b_1 .. b_l, their label, and its parents carry that label below their own b_{l+1}. Two blocks of
 *    one level have the same label when parents of theirs have. So the blocks are united from the top
 *    down, and the classes so found are numbered from the bottom up among those of one lower class.
 * What is damaged further is put where it does no harm: a switch without parents takes a free b digit, one
 * without children a sibling subtree that lacks it, and a subtree without parents a free place beside its
 * equals when a few cables would hang it there. Parts that nothing joins become subtrees of a top level
 * without switches. Two switches of one subtree with one label contradict a PGFT: no shape.
 * The parameters are those of the smallest PGFT that holds the network (but for a few cables beside others
 * that most pairs have not: p is what a tenth of the pairs have). Cost: O(cables), and sorting the
 * switches. The digits of a PGFT: Zahavi, Fat-tree routing and node ordering. */
#include "base/status.h"
#include "net/infer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANG_CABLES = 4 }; /* a part that more cables would have to be missing from is a part of its own */

#define NONE UINT32_MAX

struct height { /* the subtrees of one height */
    uint32_t n;
    uint32_t *first;  /* a switch of it: its first leaf, if it has one */
    uint32_t *parent; /* subtree of the next height */
    uint32_t *digit;  /* its place there */
    uint32_t *kids;   /* subtrees in it */
    uint32_t *tops;   /* switches of just this level in it */
    uint32_t *next;   /* next sibling, NONE: last */
    uint32_t *kid;    /* first of the subtrees in it */
};

struct tree {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    const struct hd_net *net;
    const struct hd_fabric *g;
    const struct hd_levels *lv;
    uint32_t *ups, *downs; /* [n] parents and children */
    uint32_t *set;         /* disjoint sets: v as a child, n + v as a parent; a class is its root */
    uint32_t *num, *low;   /* by class: its digit; the class below */
    uint32_t *b;           /* [n] digit b_l of a switch of level l */
    uint32_t *subtree;     /* [n] of its own height */
    struct height at[HD_MAX_DIM + 1];
    uint64_t *taken; /* hash set of (subtree, class), plus one; 0 is free */
    uint32_t mask;
};

/* ---- labels -------------------------------------------------------------------------------- */

static bool count_neighbours(struct tree *t, struct hd_reading *r)
{
    const struct hd_fabric *g = t->g;
    const uint32_t *of = t->lv->of;
    uint32_t odd = 0, cable = 0;
    char text[200];
    for (uint32_t v = 0; v < g->n; v++) {
        if (!of[v]) {
            hd_departs(r, "no host can be reached from switch '%.60s'", hd_node_name(t->net, v));
            return false;
        }
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) {
            uint32_t u = g->to[i];
            t->ups[v] += of[u] == of[v] + 1;
            t->downs[v] += of[u] + 1 == of[v];
            if (of[u] == of[v] + 1 || of[u] + 1 == of[v] || u < v) continue;
            if (!odd) cable = g->chan[i];
            odd += g->cables[i];
        }
    }
    if (!odd) return true;
    hd_cable_text(t->net, cable, text, sizeof text);
    uint32_t l = of[t->net->tail[cable]];
    if (l == of[t->net->head[cable]])
        hd_departs(r, "%s joins two switches of level %u", text, l);
    else
        hd_departs(r, "%s joins switches of levels %u and %u", text, l, of[t->net->head[cable]]);
    if (odd > 1) {
        size_t n = strlen(r->departs);
        snprintf(r->departs + n, sizeof r->departs - n, ", as do %u others", odd - 1);
    }
    return false;
}

static void find_classes(struct tree *t, uint32_t *first)
{
    const struct hd_fabric *g = t->g;
    const struct hd_levels *lv = t->lv;
    hd_sets_init(t->set, 2 * g->n);
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++)
            if (lv->of[g->to[i]] == lv->of[v] + 1) hd_sets_join(t->set, v, g->n + g->to[i]);
    memset(first, 0xff, 2 * g->n * sizeof *first); /* by class: its first member */
    for (uint32_t l = lv->top; l > 1; l--)
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t y = lv->order[i], k = hd_sets_find(t->set, y);
            if (first[k] == NONE)
                first[k] = y;
            else
                hd_sets_join(t->set, g->n + y, g->n + first[k]);
        }
}

/* b_l of each class that has parents: its number among the classes with the same lower class. */
static void number_classes(struct tree *t, uint32_t *count)
{
    const struct hd_levels *lv = t->lv;
    memset(t->num, 0xff, 2 * t->g->n * sizeof *t->num);
    for (uint32_t l = 1; l < lv->top; l++)
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t x = lv->order[i], k = hd_sets_find(t->set, x);
            if (!t->ups[x] || t->num[k] != NONE) continue;
            t->low[k] = hd_sets_find(t->set, t->g->n + x);
            t->num[k] = l > 1 ? count[t->low[k]]++ : 0;
        }
}

/* ---- subtrees ------------------------------------------------------------------------------ */

static bool take(struct tree *t, uint32_t subtree, uint32_t class)
{
    uint64_t key = ((uint64_t)subtree << 32 | class) + 1;
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & t->mask;
    for (; t->taken[i]; i = (i + 1) & t->mask)
        if (t->taken[i] == key) return false;
    t->taken[i] = key;
    return true;
}

static bool make_height(struct tree *t, struct height *h, uint32_t room)
{
    h->first = HD_NEW(t->arena, uint32_t, room);
    h->parent = HD_NEW(t->arena, uint32_t, room);
    h->digit = HD_NEW(t->arena, uint32_t, room);
    h->kids = HD_NEW(t->arena, uint32_t, room);
    h->tops = HD_NEW(t->arena, uint32_t, room);
    h->next = HD_NEW(t->arena, uint32_t, room);
    h->kid = HD_NEW(t->arena, uint32_t, room);
    return h->first && h->parent && h->digit && h->kids && h->tops && h->next && h->kid;
}

static uint32_t add_subtree(struct height *h, uint32_t first)
{
    h->first[h->n] = first;
    h->kid[h->n] = NONE;
    return h->n++;
}

static void adopt(struct height *h, uint32_t id, struct height *lower, uint32_t kid)
{
    lower->parent[kid] = id;
    lower->digit[kid] = h->kids[id]++;
    lower->next[kid] = h->kid[id];
    h->kid[id] = kid;
}

/* A switch without children is a subtree of its own; it belongs to a sibling that has none of its class. */
static bool join_sibling(struct tree *t, uint32_t l, uint32_t kid, uint32_t parent)
{
    struct height *lower = &t->at[l];
    uint32_t x = lower->first[kid];
    if (t->lv->of[x] != l || l < 2 || t->downs[x]) return false;
    for (uint32_t s = t->at[l + 1].kid[parent]; s != NONE; s = lower->next[s])
        if (lower->kids[s] && take(t, s, hd_sets_find(t->set, x))) {
            t->subtree[x] = s;
            lower->tops[s]++;
            return true;
        }
    return false;
}

/* Cables from a switch of level l-1 up, at most. */
static uint32_t most_cables_up(const struct tree *t, uint32_t l)
{
    const struct hd_fabric *g = t->g;
    uint32_t most = 0;
    for (uint32_t i = t->lv->first[l]; i < t->lv->first[l + 1]; i++) {
        uint32_t x = t->lv->order[i], n = 0;
        for (uint32_t k = g->off[x]; k < g->off[x + 1]; k++)
            if (t->lv->of[g->to[k]] == l + 1) n += g->cables[k];
        if (n > most) most = n;
    }
    return most;
}

/* Subtrees of height l-1 that no switch of level l joins (parent NONE) find a place at height l. */
static void hang_orphans(struct tree *t, uint32_t l)
{
    struct height *h = &t->at[l], *lower = &t->at[l - 1];
    uint32_t most = 0, with_tops = h->n, id = 0;
    uint64_t up = most_cables_up(t, l - 1);
    for (uint32_t i = 0; i < with_tops; i++)
        if (h->kids[i] > most) most = h->kids[i];
    for (uint32_t kid = 0; kid < lower->n; kid++) {
        if (lower->parent[kid] != NONE) continue;
        while (id < with_tops && h->kids[id] >= most) id++;
        bool fits = id < with_tops && up * lower->tops[kid] <= HANG_CABLES;
        adopt(h, fits ? id : add_subtree(h, lower->first[kid]), lower, kid);
    }
}

/* The subtrees of height l from those of height l-1, united by the switches of level l. joined: the
 * disjoint sets they are so far; id: room to number their roots. */
static void grow(struct tree *t, uint32_t l, uint32_t *joined, uint32_t *id)
{
    memset(id, 0xff, t->g->n * sizeof *id);
    const struct hd_levels *lv = t->lv;
    struct height *h = &t->at[l], *lower = &t->at[l - 1];
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
        uint32_t y = lv->order[i];
        for (uint32_t k = t->g->off[y]; k < t->g->off[y + 1]; k++)
            if (lv->of[t->g->to[k]] + 1 == l) hd_sets_join(joined, y, t->g->to[k]);
    }
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) id[hd_sets_find(joined, lv->order[i])] = NONE - 1;
    for (uint32_t kid = 0; kid < lower->n; kid++) {
        uint32_t root = hd_sets_find(joined, lower->first[kid]);
        lower->parent[kid] = NONE;
        if (id[root] == NONE) continue;
        if (id[root] == NONE - 1) id[root] = add_subtree(h, lower->first[kid]);
        if (!join_sibling(t, l - 1, kid, id[root]))
            adopt(h, id[root], lower, kid);
        else
            lower->parent[kid] = id[root];
    }
    hang_orphans(t, l);
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
        uint32_t y = lv->order[i], root = hd_sets_find(joined, y);
        if (id[root] == NONE - 1) id[root] = add_subtree(h, y);
        t->subtree[y] = id[root];
        h->tops[id[root]]++;
    }
}

static bool grow_leaves(struct tree *t)
{
    const struct hd_levels *lv = t->lv;
    uint32_t leaves = lv->first[2] - lv->first[1];
    if (!make_height(t, &t->at[1], leaves)) return false;
    for (uint32_t i = 0; i < leaves; i++) {
        uint32_t v = lv->order[lv->first[1] + i];
        t->subtree[v] = add_subtree(&t->at[1], v);
        t->at[1].tops[i] = 1;
    }
    return true;
}

static void report_clash(struct tree *t, uint32_t y, struct hd_reading *r)
{
    uint32_t x = 0;
    while (x == y || t->lv->of[x] != t->lv->of[y] || t->subtree[x] != t->subtree[y] ||
           hd_sets_find(t->set, x) != hd_sets_find(t->set, y))
        x++;
    hd_departs(r, "switches '%.60s' and '%.60s' of level %u have parents in common and are in one subtree",
               hd_node_name(t->net, x), hd_node_name(t->net, y), t->lv->of[y]);
}

static hd_status grow_subtrees(struct tree *t, struct hd_reading *r)
{
    const struct hd_levels *lv = t->lv;
    uint32_t *joined = HD_NEW(t->arena, uint32_t, t->g->n), *id = HD_NEW(t->arena, uint32_t, t->g->n);
    for (t->mask = 64; t->mask < 4 * (uint64_t)t->g->n; t->mask *= 2) continue;
    t->taken = HD_NEW(t->arena, uint64_t, t->mask--);
    if (!joined || !id || !t->taken || !grow_leaves(t)) return hd_fail_memory(t->ctx);
    hd_sets_init(joined, t->g->n);
    for (uint32_t l = 2; l <= lv->top; l++) {
        if (!make_height(t, &t->at[l], t->at[l - 1].n + lv->first[l + 1] - lv->first[l])) return hd_fail_memory(t->ctx);
        grow(t, l, joined, id);
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t y = lv->order[i];
            if (!t->ups[y] || take(t, t->subtree[y], hd_sets_find(t->set, y))) continue;
            report_clash(t, y, r);
            return HD_OK;
        }
    }
    return HD_OK;
}

/* ---- digits -------------------------------------------------------------------------------- */

struct seat {
    uint64_t group; /* subtree and lower class: within one the b digits are distinct */
    uint32_t b, v;
};

static int by_group(const void *p, const void *q)
{
    const struct seat *x = p, *y = q;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return (x->v > y->v) - (x->v < y->v);
}

/* b_l of the switches of level l: that of their class, and for those without parents the lowest free. */
static void seat_level(struct tree *t, uint32_t l, struct seat *seat)
{
    const struct hd_levels *lv = t->lv;
    uint32_t n = 0;
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
        uint32_t x = lv->order[i], low = hd_sets_find(t->set, t->g->n + x);
        seat[n++] =
            (struct seat){(uint64_t)t->subtree[x] << 32 | low, t->ups[x] ? t->num[hd_sets_find(t->set, x)] : NONE, x};
    }
    qsort(seat, n, sizeof *seat, by_group);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t held = i, free_digit = 0;
        for (end = i; end < n && seat[end].group == seat[i].group; end++) {
            if (seat[end].b == NONE) {
                for (; held < end && seat[held].b == free_digit; held++) free_digit++;
                seat[end].b = free_digit++;
            }
            t->b[seat[end].v] = seat[end].b;
        }
    }
}

static void find_parameters(const struct tree *t, struct hd_shape *s)
{
    const struct hd_levels *lv = t->lv;
    *s = (struct hd_shape){.kind = HD_SHAPE_TREE, .n = lv->top, .m = {1}, .w = {1}, .p = {1}};
    for (uint32_t l = 2; l <= lv->top; l++) {
        uint32_t pairs[256] = {0};
        for (uint32_t i = 0; i < t->at[l].n; i++)
            if (t->at[l].kids[i] > s->m[l - 1]) s->m[l - 1] = t->at[l].kids[i];
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t y = lv->order[i];
            if (t->b[y] >= s->w[l - 1]) s->w[l - 1] = t->b[y] + 1;
            for (uint32_t k = t->g->off[y]; k < t->g->off[y + 1]; k++)
                if (lv->of[t->g->to[k]] + 1 == l) pairs[t->g->cables[k]]++;
        }
        s->p[l - 1] = hd_usual_cables(pairs);
    }
    if (t->at[lv->top].n > 1) { /* parts: a top level without switches */
        s->n++;
        s->m[lv->top] = t->at[lv->top].n;
        s->w[lv->top] = s->p[lv->top] = 1;
    }
}

/* Ports of its largest switch: many where the network has no such structure at all. */
static uint32_t most_ports(const struct hd_shape *s, uint32_t top)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < top; i++) {
        uint32_t ports = s->m[i] * s->p[i] + (i + 1 < top ? s->w[i + 1] * s->p[i + 1] : 0);
        if (ports > most) most = ports;
    }
    return most;
}

static void set_switch(struct tree *t, uint32_t v, uint32_t n, uint16_t *digits)
{
    uint32_t l = t->lv->of[v], k = hd_sets_find(t->set, t->g->n + v), s = t->subtree[v];
    digits[l - 1] = (uint16_t)t->b[v];
    for (uint32_t i = l - 1; i > 1 && t->num[k] != NONE; i--) {
        digits[i - 1] = (uint16_t)t->num[k];
        k = t->low[k];
    }
    for (uint32_t i = l; i < t->lv->top; i++) {
        digits[i] = (uint16_t)t->at[i].digit[s];
        s = t->at[i].parent[s];
    }
    if (n > t->lv->top) digits[n - 1] = (uint16_t)s;
}

/* Hosts of a leaf by port; other endpoints carry what they share with their switch. */
static void set_endpoints(const struct hd_net *net, struct hd_reading *r)
{
    uint32_t n = r->shape.n;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t hosts = 0, l = r->level[v];
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t e = net->head[c];
            if (e < net->nsw) continue;
            uint16_t *digits = r->coord + (size_t)e * n;
            memcpy(digits + l, r->coord + (size_t)v * n + l, (n - l) * sizeof *digits);
            if (net->ca_role[net->ca[e - net->nsw]] == HD_ROLE_HOST) digits[0] = (uint16_t)hosts++;
        }
        if (hosts > r->shape.m[0]) r->shape.m[0] = hosts;
    }
}

static hd_status set_digits(struct tree *t, struct hd_reading *r)
{
    struct seat *seat = HD_NEW(t->arena, struct seat, t->g->n);
    if (!seat) return hd_fail_memory(t->ctx);
    for (uint32_t l = 1; l <= t->lv->top; l++) seat_level(t, l, seat);
    if (t->lv->top == HD_MAX_DIM && t->at[HD_MAX_DIM].n > 1) {
        hd_departs(r, "parts of %d levels leave no room for a level above", HD_MAX_DIM);
        return HD_OK;
    }
    find_parameters(t, &r->shape);
    uint32_t ports = most_ports(&r->shape, t->lv->top);
    if (ports > HD_MAX_PORTS) {
        hd_departs(r, "the smallest tree that holds it needs switches of %u ports", ports);
        return HD_OK;
    }
    r->coord = HD_NEW(t->arena, uint16_t, (size_t)(t->net->nsw + t->net->nep) * r->shape.n);
    if (!r->coord) return hd_fail_memory(t->ctx);
    for (uint32_t v = 0; v < t->g->n; v++) set_switch(t, v, r->shape.n, r->coord + (size_t)v * r->shape.n);
    set_endpoints(t->net, r);
    return HD_OK;
}

hd_status hd_infer_tree(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const struct hd_fabric *g,
                        const struct hd_levels *lv, struct hd_reading *r)
{
    struct tree t = {.ctx = ctx, .arena = arena, .net = net, .g = g, .lv = lv};
    t.ups = HD_NEW(arena, uint32_t, g->n);
    t.downs = HD_NEW(arena, uint32_t, g->n);
    t.set = HD_NEW(arena, uint32_t, 2 * (size_t)g->n);
    t.num = HD_NEW(arena, uint32_t, 2 * (size_t)g->n);
    t.low = HD_NEW(arena, uint32_t, 2 * (size_t)g->n);
    t.b = HD_NEW(arena, uint32_t, g->n);
    t.subtree = HD_NEW(arena, uint32_t, g->n);
    uint32_t *first = HD_NEW(arena, uint32_t, 2 * (size_t)g->n), *count = HD_NEW(arena, uint32_t, 2 * (size_t)g->n);
    if (!t.ups || !t.downs || !t.set || !t.num || !t.low || !t.b || !t.subtree || !first || !count)
        return hd_fail_memory(ctx);
    if (!count_neighbours(&t, r)) return HD_OK;
    if (lv->top > HD_MAX_DIM) {
        hd_departs(r, "%u levels of switches: a tree has at most %d", lv->top, HD_MAX_DIM);
        return HD_OK;
    }
    find_classes(&t, first);
    number_classes(&t, count);
    HD_TRY(grow_subtrees(&t, r));
    return r->departs[0] ? HD_OK : set_digits(&t, r);
}
