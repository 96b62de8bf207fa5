/* SPDX-License-Identifier: BSD-2-Clause */
/* A PGFT from levels and cables, also where cables and switches are missing: labels and digits.
 *
 * Two facts about a PGFT give all digits, and both survive missing cables as long as something of what
 * they refer to stays connected:
 *  - a: the switches of level <= l that are connected below level l+1 form one subtree of height l. The
 *    digits a_{l+1} .. a_n of a switch say which (infer_subtree.c).
 *  - b: the cables between levels l and l+1 form blocks, complete bipartite. The children of a block agree
 *    in b_1 .. b_l, their label, and its parents carry that label below their own b_{l+1}. Two blocks of
 *    one level have the same label when parents of theirs have. So the blocks are united from the top
 *    down, and the classes so found are numbered from the bottom up among those of one lower class.
 * A switch that lost its parents has no class and takes a free digit. Two switches of one subtree with one
 * label contradict a PGFT: no shape. The parameters are those of the smallest PGFT that holds the network
 * (but for a few cables beside others that most pairs have not: p is what a tenth of the pairs have, unless no switch
 * has as many per neighbour: cables that were exchanged are too many here and too few there).
 * Cost: O(cables), and sorting the switches. The digits of a PGFT: Zahavi, Fat-tree routing and node
 * ordering. */
#include "base/keyed.h"
#include "base/status.h"
#include "net/infer/infer_tree.h"

#include <stdio.h>
#include <string.h>

/* ---- labels -------------------------------------------------------------------------------- */

static bool count_neighbours(struct hd_pgft *t, struct hd_reading *r)
{
    const struct hd_fabric *g = t->g;
    const uint32_t *of = t->lv->of;
    uint32_t odd = 0, cable = 0;
    char text[200];
    for (uint32_t v = 0; v < g->n; v++) {
        if (!of[v]) {
            hd_departs(r, "no host can be reached from switch '%.60s'", hd_node_label(t->net, v));
            return false;
        }
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) {
            uint32_t u = g->to[i];
            t->ups[v] += of[u] == of[v] + 1;
            if (of[u] == of[v] + 1 || of[u] + 1 == of[v] || u < v) continue;
            if (!odd) cable = g->chan[i];
            odd += g->cables[i];
        }
    }
    if (!odd) return true;
    hd_cable_text(t->net, cable, text, sizeof text);
    uint32_t l = of[t->net->tail[cable]];
    if (l == of[t->net->head[cable]])
        hd_departs(r, "%s connects two switches of level %u", text, l);
    else
        hd_departs(r, "%s connects switches of levels %u and %u", text, l, of[t->net->head[cable]]);
    if (odd > 1) {
        size_t n = strlen(r->departs);
        snprintf(r->departs + n, sizeof r->departs - n, ", as do %u others", odd - 1);
    }
    return false;
}

static void find_classes(struct hd_pgft *t, uint32_t *first)
{
    const struct hd_fabric *g = t->g;
    const struct hd_level_map *lv = t->lv;
    hd_sets_init(t->set, 2 * g->n);
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++)
            if (lv->of[g->to[i]] == lv->of[v] + 1) hd_sets_join(t->set, v, g->n + g->to[i]);
    memset(first, 0xff, 2 * g->n * sizeof *first); /* by class: its first member */
    for (uint32_t l = lv->top; l > 1; l--)
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t y = lv->order[i], k = hd_sets_find(t->set, y);
            if (first[k] == HD_NONE)
                first[k] = y;
            else
                hd_sets_join(t->set, g->n + y, g->n + first[k]);
        }
}

/* b_l of each class that has parents: its number among the classes with the same lower class. */
static void tree_number_classes(struct hd_pgft *t, uint32_t *count)
{
    const struct hd_level_map *lv = t->lv;
    memset(t->num, 0xff, 2 * t->g->n * sizeof *t->num);
    for (uint32_t l = 1; l < lv->top; l++)
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t x = lv->order[i], k = hd_sets_find(t->set, x);
            if (!t->ups[x] || t->num[k] != HD_NONE) continue;
            t->low[k] = hd_sets_find(t->set, t->g->n + x);
            t->num[k] = l > 1 ? count[t->low[k]]++ : 0;
        }
}

/* ---- digits -------------------------------------------------------------------------------- */

enum { UNSEATED = 1 << 30 }; /* beyond any digit, and in the order of the switches from there */

struct seat {
    struct hd_keyed at; /* subtree and lower class, within which the b digits are distinct; digit b */
    uint32_t v;
};

/* b_l of the switches of level l: that of their class, and for those without parents the lowest free. */
static void seat_level(struct hd_pgft *t, uint32_t l, struct seat *seat)
{
    const struct hd_level_map *lv = t->lv;
    uint32_t n = 0;
    for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
        uint32_t x = lv->order[i], low = hd_sets_find(t->set, t->g->n + x);
        uint32_t b = t->ups[x] ? t->num[hd_sets_find(t->set, x)] : UNSEATED + n;
        seat[n++] = (struct seat){{(uint64_t)t->subtree[x] << 32 | low, b}, x};
    }
    hd_keyed_sort(seat, n, sizeof *seat);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t held = i, free_digit = 0;
        for (end = i; end < n && seat[end].at.key == seat[i].at.key; end++) {
            if (seat[end].at.value >= UNSEATED) {
                for (; held < end && seat[held].at.value == free_digit; held++) free_digit++;
                seat[end].at.value = free_digit++;
            }
            t->b[seat[end].v] = seat[end].at.value;
        }
    }
}

/* The most cables per neighbour that any of n switches has to those of a level, rounded up. */
static uint32_t most_per_neighbour(const struct hd_pgft *t, const uint32_t *v, uint32_t n, uint32_t level)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cables = 0, neighbours = 0;
        for (uint32_t k = t->g->off[v[i]]; k < t->g->off[v[i] + 1]; k++) {
            if (t->lv->of[t->g->to[k]] != level) continue;
            cables += t->g->cables[k];
            neighbours++;
        }
        if (cables > most * neighbours) most = (cables + neighbours - 1) / neighbours;
    }
    return most;
}

/* p_l: what the pairs of switches have, and at most what every switch could have to all its neighbours. */
static uint32_t find_parallel(const struct hd_pgft *t, uint32_t l, const uint32_t pairs[256])
{
    const struct hd_level_map *lv = t->lv;
    const uint32_t usual = hd_usual_cables(pairs);
    const uint32_t up = most_per_neighbour(t, lv->order + lv->first[l - 1], lv->first[l] - lv->first[l - 1], l);
    const uint32_t down = most_per_neighbour(t, lv->order + lv->first[l], lv->first[l + 1] - lv->first[l], l - 1);
    const uint32_t even = up > down ? up : down;
    return even < usual ? even : usual;
}

static void find_parameters(const struct hd_pgft *t, struct hd_shape *s)
{
    const struct hd_level_map *lv = t->lv;
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
        s->p[l - 1] = find_parallel(t, l, pairs);
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

static void set_switch(struct hd_pgft *t, uint32_t v, uint32_t n, uint16_t *digits)
{
    uint32_t l = t->lv->of[v], k = hd_sets_find(t->set, t->g->n + v), s = t->subtree[v];
    digits[l - 1] = (uint16_t)t->b[v];
    for (uint32_t i = l - 1; i > 1 && t->num[k] != HD_NONE; i--) {
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

static hd_status set_digits(struct hd_pgft *t, struct hd_reading *r)
{
    struct seat *seat = HD_NEW(t->arena, struct seat, t->g->n);
    if (!seat) return hd_fail_memory(t->ctx);
    for (uint32_t l = 1; l <= t->lv->top; l++) seat_level(t, l, seat);
    if (t->lv->top == HD_MAX_DIM && t->at[HD_MAX_DIM].n > 1)
        return hd_departs(r, "components of %d levels leave no room for a level above", HD_MAX_DIM);
    find_parameters(t, &r->shape);
    uint32_t ports = most_ports(&r->shape, t->lv->top);
    if (ports > HD_MAX_PORTS) return hd_departs(r, "the smallest tree that holds it needs switches of %u ports", ports);
    r->coord = HD_NEW(t->arena, uint16_t, (size_t)(t->net->nsw + t->net->nep) * r->shape.n);
    if (!r->coord) return hd_fail_memory(t->ctx);
    for (uint32_t v = 0; v < t->g->n; v++) set_switch(t, v, r->shape.n, r->coord + (size_t)v * r->shape.n);
    set_endpoints(t->net, r);
    return HD_OK;
}

hd_status hd_infer_tree(const struct hd_inference *f, const struct hd_level_map *lv, struct hd_reading *r)
{
    struct hd_pgft t = {.ctx = f->ctx, .arena = f->arena, .net = f->net, .g = &f->g, .lv = lv};
    uint32_t n = f->g.n;
    uint32_t *first, *count;
    if (!HD_NEW_U32(f->arena, n, &t.ups, &t.next_top, &t.b, &t.subtree) ||
        !HD_NEW_U32(f->arena, 2 * (size_t)n, &t.set, &t.num, &t.low, &first, &count))
        return hd_fail_memory(f->ctx);
    if (!count_neighbours(&t, r)) return HD_OK;
    if (lv->top > HD_MAX_DIM) return hd_departs(r, "%u levels of switches: a tree has at most %d", lv->top, HD_MAX_DIM);
    find_classes(&t, first);
    tree_number_classes(&t, count);
    HD_TRY(hd_pgft_subtrees(&t, r));
    return r->departs[0] ? HD_OK : set_digits(&t, r);
}
