/* SPDX-License-Identifier: BSD-2-Clause */
/* A HyperX with faults, by its ports: swapped and stray cables and dead switches spoil what infer_grid.c reads from
 * cables alone, but hardly any majority.
 *
 * In a HyperX a port belongs to the same dimension on all switches: two ports of one dimension lead to switches
 * that are cabled to each other, those of two dimensions do not. That gives the dimensions and their extents. A
 * cable is sound if it is a side of more triangles of its dimension than are open, or if all squares with other
 * dimensions are closed and not all triangles are open. Without the cables of a dimension, sound ones connect the
 * switches that have the same digit in it; others take the digit that most of their cables speak for. Cables that
 * the digits contradict are strays. A single clique has no other dimension to tell digits by and is not read here.
 * Cost: O(switches * ports^2), with a ceiling. */
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "net/core/shape.h"
#include "net/infer/infer.h"

#include <string.h>

enum { HYPERX_STEPS = 1 << 27, HYPERX_ROUNDS = 4, NO_DIMENSION = 255 };
#define NO_DIGIT UINT32_MAX

struct hyperx_dimension {
    uint32_t ports, cables, extent;
};

struct hyperx {
    const struct hd_net *net;
    uint8_t of[256]; /* dimension of a port; NO_DIMENSION: it is of none */
    uint32_t n;
    struct hyperx_dimension dim[HD_MAX_DIM];
    uint64_t places;
    uint32_t *seen; /* [nsw] stamps */
    uint32_t now;
    uint8_t *sound;  /* [nchan] */
    uint32_t *digit; /* [nsw * n] */
};

static bool hyperx_is_switch(const struct hd_net *net, uint32_t c)
{
    return net->head[c] < net->nsw;
}

/* ---- dimensions --------------------------------------------------------------------------------- */

/* Of two ports, how often both lead to a switch, to the same one, to two that are cabled. */
struct hyperx_pair {
    uint32_t both, same, near;
};

static void hyperx_mark(struct hyperx *x, uint32_t u)
{
    const struct hd_net *net = x->net;
    x->now++;
    for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++)
        if (hyperx_is_switch(net, c)) x->seen[net->head[c]] = x->now;
}

static void hyperx_compare_ports(struct hyperx *x, struct hyperx_pair *pair)
{
    const struct hd_net *net = x->net;
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            if (!hyperx_is_switch(net, c)) continue;
            hyperx_mark(x, net->head[c]);
            for (uint32_t d = net->off[v]; d < net->off[v + 1]; d++) {
                if (d == c || !hyperx_is_switch(net, d)) continue;
                struct hyperx_pair *k = &pair[256u * net->port[c] + net->port[d]];
                k->both++;
                k->same += net->head[d] == net->head[c];
                k->near += net->head[d] != net->head[c] && x->seen[net->head[d]] == x->now;
            }
        }
}

/* A third is enough: one fault opens several triangles, and ports of two dimensions close hardly any. */
static bool hyperx_is_related(const struct hyperx_pair *k)
{
    return 3 * (k->same + k->near) > k->both;
}

/* Sorts the ports that most switches use into dimensions; false: they do not fall into any. */
static bool hyperx_sort_ports(struct hyperx *x, const struct hyperx_pair *pair)
{
    uint32_t use[256] = {0}, first[HD_MAX_DIM] = {0};
    const struct hd_net *net = x->net;
    memset(x->of, NO_DIMENSION, sizeof x->of);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) use[net->port[c]] += hyperx_is_switch(net, c);
    for (uint32_t p = 1; p < 256; p++) {
        uint32_t d = 0;
        if (2 * use[p] <= net->nsw) continue;
        while (d < x->n && !hyperx_is_related(&pair[256u * first[d] + p])) d++;
        if (d == HD_MAX_DIM) return false;
        if (d == x->n) {
            first[x->n++] = p;
            x->dim[d] = (struct hyperx_dimension){0};
        }
        x->of[p] = (uint8_t)d;
        x->dim[d].ports++;
        x->dim[d].cables += p == first[d] || 2 * pair[256u * first[d] + p].same > pair[256u * first[d] + p].both;
    }
    x->places = 1;
    for (uint32_t d = 0; d < x->n; d++) {
        struct hyperx_dimension *m = &x->dim[d];
        if (m->ports % m->cables) return false;
        m->extent = m->ports / m->cables + 1;
        x->places *= m->extent;
        if (!hd_grid_is_full(x->places, net->nsw)) return false;
    }
    return x->n > 1 && x->places >= net->nsw;
}

/* Whether all ports of a dimension are alike to each other, and to no others, as a rule. */
static bool hyperx_ports_agree(const struct hyperx *x, const struct hyperx_pair *pair)
{
    for (uint32_t p = 1; p < 256; p++)
        for (uint32_t q = 1; q < p; q++) {
            if (x->of[p] == NO_DIMENSION || x->of[q] == NO_DIMENSION) continue;
            if (hyperx_is_related(&pair[256 * p + q]) != (x->of[p] == x->of[q])) return false;
        }
    return true;
}

/* The dimension of a switch channel by both of its ports. */
static uint32_t hyperx_dimension_of(const struct hyperx *x, uint32_t c)
{
    const struct hd_net *net = x->net;
    if (!hyperx_is_switch(net, c)) return NO_DIMENSION;
    uint8_t d = x->of[net->port[c]];
    return d == x->of[net->port[net->rev[c]]] ? d : NO_DIMENSION;
}

/* ---- sound cables ------------------------------------------------------------------------------- */

/* Whether one of the cables of w in dimension d leads to a switch that is marked, other than w's own corner. */
static bool hyperx_meets(const struct hyperx *x, uint32_t w, uint32_t d, uint32_t corner)
{
    const struct hd_net *net = x->net;
    for (uint32_t c = net->off[w]; c < net->off[w + 1]; c++)
        if (hyperx_dimension_of(x, c) == d && net->head[c] != corner && x->seen[net->head[c]] == x->now) return true;
    return false;
}

static void hyperx_mark_along(struct hyperx *x, uint32_t v, uint32_t d)
{
    const struct hd_net *net = x->net;
    x->now++;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (hyperx_dimension_of(x, c) == d) x->seen[net->head[c]] = x->now;
}

/* Whether cable c, of dimension d, is where most triangles, or all squares, say. */
static bool hyperx_is_sound(struct hyperx *x, uint32_t c, uint32_t d)
{
    const struct hd_net *net = x->net;
    uint32_t u = net->tail[c], v = net->head[c], closed = 0, open = 0, corners = 0, loose = 0;
    hyperx_mark_along(x, v, d);
    for (uint32_t e = net->off[u]; e < net->off[u + 1]; e++) {
        if (hyperx_dimension_of(x, e) != d || net->head[e] == v) continue;
        *(x->seen[net->head[e]] == x->now ? &closed : &open) += 1;
    }
    if (closed > open) return true;
    if (open && !closed) return false; /* two cables that cross close each other's squares */
    for (uint32_t i = 0; i < x->n; i++) {
        if (i == d) continue;
        hyperx_mark_along(x, v, i);
        for (uint32_t e = net->off[u]; e < net->off[u + 1]; e++)
            if (hyperx_dimension_of(x, e) == i) *(hyperx_meets(x, net->head[e], d, u) ? &corners : &loose) += 1;
    }
    return !loose && corners > 1;
}

static void hyperx_find_sound(struct hyperx *x)
{
    const struct hd_net *net = x->net;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        uint32_t d = hyperx_dimension_of(x, c);
        if (d == NO_DIMENSION || net->rev[c] < c) continue;
        x->sound[c] = x->sound[net->rev[c]] = hyperx_is_sound(x, c, d) && hyperx_is_sound(x, net->rev[c], d);
    }
}

/* ---- digits ------------------------------------------------------------------------------------- */

/* Whether a part is more than half of the switches that have the same digit in dimension i. */
static bool hyperx_is_large(const struct hyperx *x, uint32_t i, uint32_t size)
{
    return 2 * (uint64_t)size * x->dim[i].extent > x->places;
}

/* Parts that sound cables of the other dimensions connect; then what is left over by any cable. */
static void hyperx_join(struct hyperx *x, uint32_t i, uint32_t *set, uint32_t *size)
{
    const struct hd_net *net = x->net;
    hd_sets_init(set, net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++) size[v] = 1;
    for (int rest = 0; rest < 2; rest++) {
        for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
            uint32_t d = hyperx_dimension_of(x, c), u = net->tail[c], v = net->head[c];
            if (d == i || d == NO_DIMENSION || u > v) continue;
            if (rest ? hyperx_is_large(x, i, size[u]) || hyperx_is_large(x, i, size[v]) : !x->sound[c]) continue;
            hd_sets_join(set, u, v);
        }
        for (uint32_t v = 0; v < net->nsw; v++) size[v] = 0;
        for (uint32_t v = 0; v < net->nsw; v++) size[hd_sets_find(set, v)]++;
        for (uint32_t v = 0; v < net->nsw; v++) size[v] = size[hd_sets_find(set, v)];
    }
}

/* Digits of dimension i, one for each large part. False: they are not as many as the dimension extends. */
static bool hyperx_find_digits(struct hyperx *x, uint32_t i, uint32_t *set, uint32_t *size)
{
    uint32_t found = 0;
    hyperx_join(x, i, set, size);
    for (uint32_t v = 0; v < x->net->nsw; v++) { /* the root of a set is its first switch */
        uint32_t root = hd_sets_find(set, v);
        if (root == v) x->digit[(size_t)v * x->n + i] = hyperx_is_large(x, i, size[v]) ? found++ : NO_DIGIT;
        x->digit[(size_t)v * x->n + i] = x->digit[(size_t)root * x->n + i];
    }
    return found == x->dim[i].extent;
}

/* The digit that more than half of the cables of v in other dimensions speak for. */
static uint32_t hyperx_vote(const struct hyperx *x, uint32_t v, uint32_t i, uint32_t *votes)
{
    const struct hd_net *net = x->net;
    uint32_t all = 0, best = 0;
    memset(votes, 0, x->dim[i].extent * sizeof *votes);
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t d = hyperx_dimension_of(x, c);
        uint32_t y = d == i || d == NO_DIMENSION ? NO_DIGIT : x->digit[(size_t)net->head[c] * x->n + i];
        if (y == NO_DIGIT) continue;
        all++;
        if (++votes[y] > votes[best]) best = y;
    }
    return 2 * votes[best] > all ? best : NO_DIGIT;
}

/* False: some digits are not known, or two switches have the same. */
static hd_status hyperx_place(const struct hd_inference *f, struct hyperx *x, bool *found)
{
    uint32_t nsw = x->net->nsw, *set, *size, *votes;
    if (!HD_NEW_U32(f->arena, (size_t)nsw + x->places, &set, &size, &votes)) return hd_fail_memory(f->ctx);
    *found = true;
    for (uint32_t i = 0; i < x->n && *found; i++) *found = hyperx_find_digits(x, i, set, size);
    for (int round = 0; round < HYPERX_ROUNDS && *found; round++)
        for (uint32_t k = 0; k < nsw * x->n; k++)
            if (x->digit[k] == NO_DIGIT) x->digit[k] = hyperx_vote(x, k / x->n, k % x->n, votes);
    memset(set, 0, x->places * sizeof *set);
    for (uint32_t v = 0; v < nsw && *found; v++) {
        uint64_t at = 0;
        for (uint32_t i = x->n; i-- > 0 && *found;) {
            *found = x->digit[(size_t)v * x->n + i] != NO_DIGIT;
            at = at * x->dim[i].extent + (*found ? x->digit[(size_t)v * x->n + i] : 0);
        }
        *found = *found && !set[at]++;
    }
    return HD_OK;
}

/* ---- the shape ---------------------------------------------------------------------------------- */

static bool hyperx_is_before(const struct hyperx_dimension *a, const struct hyperx_dimension *b)
{
    return a->extent != b->extent ? a->extent < b->extent : a->cables < b->cables;
}

static hd_status hyperx_fill(const struct hd_inference *f, const struct hyperx *x, struct hd_reading *r)
{
    const struct hd_net *net = x->net;
    uint32_t order[HD_MAX_DIM];
    struct hd_net view = *net;
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t j = i;
        for (; j > 0 && hyperx_is_before(&x->dim[i], &x->dim[order[j - 1]]); j--) order[j] = order[j - 1];
        order[j] = i;
    }
    r->shape = (struct hd_shape){.kind = HD_SHAPE_GRID, .n = x->n};
    r->coord = HD_NEW(f->arena, uint16_t, ((size_t)net->nsw + net->nep) * x->n);
    if (!r->coord) return hd_fail_memory(f->ctx);
    for (uint32_t i = 0; i < x->n; i++) {
        r->shape.m[i] = x->dim[order[i]].extent;
        r->shape.p[i] = x->dim[order[i]].cables;
        r->shape.w[i] = r->shape.m[i] == 2 ? HD_LINE : HD_CLIQUE;
        for (uint32_t v = 0; v < net->nsw; v++)
            r->coord[(size_t)v * x->n + i] = (uint16_t)x->digit[(size_t)v * x->n + order[i]];
    }
    for (uint32_t e = 0; e < net->nep; e++)
        memcpy(r->coord + ((size_t)net->nsw + e) * x->n, r->coord + (size_t)hd_leaf(net, e) * x->n,
               x->n * sizeof *r->coord);
    view.shape = r->shape;
    view.coord = r->coord;
    view.level = r->level;
    r->shape.strays = hd_grid_strays(&view);
    return hd_reading_verify(f, r);
}

static bool hyperx_is_cheap(const struct hd_net *net)
{
    uint64_t steps = 0;
    for (uint32_t v = 0; v < net->nsw; v++) steps += (uint64_t)hd_degree(net, v) * hd_degree(net, v);
    return net->nsw > 3 && steps <= HYPERX_STEPS;
}

hd_status hd_infer_port_hyperx(const struct hd_inference *f, struct hd_reading *r)
{
    const struct hd_net *net = f->net;
    struct hyperx x = {.net = net};
    bool found = false;
    r->departs[0] = 0;
    if (!hyperx_is_cheap(net)) return HD_OK;
    struct hyperx_pair *pair = HD_NEW(f->arena, struct hyperx_pair, 256 * 256);
    x.seen = HD_NEW(f->arena, uint32_t, net->nsw);
    x.sound = HD_NEW(f->arena, uint8_t, net->nchan);
    if (!pair || !x.seen || !x.sound) return hd_fail_memory(f->ctx);
    hyperx_compare_ports(&x, pair);
    if (!hyperx_sort_ports(&x, pair) || !hyperx_ports_agree(&x, pair)) return HD_OK;
    if (!(x.digit = HD_NEW(f->arena, uint32_t, (size_t)net->nsw * x.n))) return hd_fail_memory(f->ctx);
    hyperx_find_sound(&x);
    HD_TRY(hyperx_place(f, &x, &found));
    return found ? hyperx_fill(f, &x, r) : HD_OK;
}
