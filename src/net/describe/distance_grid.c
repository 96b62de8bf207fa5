/* SPDX-License-Identifier: BSD-2-Clause */
/* Distances in a whole grid, in closed form: a shortest path is one in each dimension, whatever the others do, so
 * that the distance of two switches is the sum over dimensions. With W[a] endpoints at digit a of a dimension, the
 * distances of all pairs of endpoints along it are the sum of W[a] W[b] |a, b|; with endpoints on every switch the
 * diameter is the sum of the largest distance in each. Cost: channels * dimensions, to make sure that the grid is
 * whole, plus the squares of the extents. */
#include "base/arena.h"
#include "base/status.h"
#include "net/describe/distance_stats.h"

/* Along one dimension. */
static uint32_t apart(const struct hd_shape *t, uint32_t i, uint32_t a, uint32_t b)
{
    uint32_t way = a > b ? a - b : b - a;
    if (t->w[i] == HD_CLIQUE) return way > 0;
    return t->w[i] == HD_RING && t->m[i] - way < way ? t->m[i] - way : way;
}

static uint32_t largest(const struct hd_shape *t, uint32_t i)
{
    if (t->w[i] == HD_CLIQUE) return t->m[i] > 1;
    return t->w[i] == HD_RING ? t->m[i] / 2 : t->m[i] - 1;
}

/* Whether every place has its switch, with endpoints. */
static bool distance_grid_is_full(const struct hd_net *net, bool *taken)
{
    const struct hd_shape *t = &net->shape;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint64_t place = 0;
        bool inhabited = false;
        for (uint32_t i = 0; i < t->n; i++) place = place * t->m[i] + hd_coord(net, v)[i];
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) inhabited |= net->head[c] >= net->nsw;
        if (!inhabited || taken[place]) return false;
        taken[place] = true;
    }
    return true;
}

/* Whether cables connect neighbours only; missing ones are counted already. */
static bool has_no_others(const struct hd_net *net)
{
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) continue;
        const uint16_t *x = hd_coord(net, net->tail[c]), *y = hd_coord(net, net->head[c]);
        uint32_t far = 0;
        for (uint32_t i = 0; i < net->shape.n; i++) far += apart(&net->shape, i, x[i], y[i]);
        if (far != 1) return false;
    }
    return true;
}

static bool is_whole(const struct hd_net *net, struct hd_arena *scratch)
{
    const struct hd_shape *t = &net->shape;
    uint64_t places = 1;
    if (t->kind != HD_SHAPE_GRID || t->missing) return false;
    for (uint32_t i = 0; i < t->n && places <= net->nsw; i++) places *= t->m[i];
    if (places != net->nsw) return false;
    bool *taken = HD_NEW(scratch, bool, net->nsw);
    return taken && distance_grid_is_full(net, taken) && has_no_others(net);
}

/* Distances along dimension i of all ordered pairs of endpoints. */
static uint64_t sum_along(const struct hd_net *net, uint32_t i, uint64_t *count)
{
    const struct hd_shape *t = &net->shape;
    uint64_t sum = 0;
    for (uint32_t a = 0; a < t->m[i]; a++) count[a] = 0;
    for (uint32_t e = 0; e < net->nep; e++) count[hd_coord(net, hd_leaf(net, e))[i]]++;
    for (uint32_t a = 0; a < t->m[i]; a++)
        for (uint32_t b = 0; b < t->m[i]; b++) sum += count[a] * count[b] * apart(t, i, a, b);
    return sum;
}

bool hd_grid_distances(const struct hd_net *net, struct hd_distances *out)
{
    struct hd_arena scratch = {0};
    struct hd_distances d = {.known = true};
    uint64_t *count = HD_NEW(&scratch, uint64_t, net->nsw); /* no extent is larger */
    bool whole = count && is_whole(net, &scratch);
    for (uint32_t i = 0; whole && i < net->shape.n; i++) {
        d.diameter += largest(&net->shape, i);
        d.sum += sum_along(net, i, count);
    }
    hd_arena_release(&scratch);
    if (whole) *out = d;
    return whole;
}
