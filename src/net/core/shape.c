/* SPDX-License-Identifier: BSD-2-Clause */
/* Shapes against cables: which of the promised cables are missing. Switches are looked up by their digits in one sorted
 * array of (level, rank) keys, so that a partial or degraded network costs what it has, not what the full one would.
 * Cost: O(size + S log S). */
#include "net/core/shape.h"
#include "base/status.h"

#include <string.h>

uint64_t hd_shape_rank(const struct hd_shape *s, uint32_t level, const uint16_t *digits)
{
    uint64_t rank = 0;
    for (uint32_t i = s->n; i-- > 0;) rank = rank * hd_shape_extent(s, level, i) + digits[i];
    return rank;
}

bool hd_shape_fits(const struct hd_shape *s)
{
    for (uint32_t level = 0; level <= (s->kind == HD_SHAPE_TREE ? s->n : 0); level++) {
        uint64_t size = 1;
        for (uint32_t i = 0; i < s->n; i++) {
            size *= hd_shape_extent(s, level, i);
            if (size >> 48) return false;
        }
    }
    return true;
}

static uint64_t shape_key(const struct hd_shape *s, uint32_t level, const uint16_t *digits)
{
    return (uint64_t)(s->kind == HD_SHAPE_TREE ? level : 0) << 56 | hd_shape_rank(s, level, digits);
}

hd_status hd_shape_index(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                         struct hd_shape_index *index)
{
    struct hd_keyed *sw = HD_NEW(arena, struct hd_keyed, net->nsw);
    if (!sw) return hd_fail_memory(ctx);
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (!net->unplaced[v]) sw[n++] = (struct hd_keyed){shape_key(&net->shape, net->level[v], hd_coord(net, v)), v};
    hd_keyed_sort(sw, n, sizeof *sw);
    *index = (struct hd_shape_index){&net->shape, n, sw, {0}};
    for (uint32_t i = 0, level = 0; i <= n; i++)
        for (uint32_t end = i < n ? (uint32_t)(sw[i].key >> 56) : HD_MAX_DIM + 1; level <= end; level++)
            index->first[level] = i;
    return HD_OK;
}

uint32_t hd_shape_find(const struct hd_shape_index *index, uint32_t level, const uint16_t *digits)
{
    uint64_t key = shape_key(index->shape, level, digits), rank = key & ((1ull << 56) - 1);
    const struct hd_keyed *sw = index->sw + index->first[key >> 56];
    uint32_t n = index->n - index->first[key >> 56];
    if (rank < n && sw[rank].key == key) return sw[rank].value; /* nothing before it is missing */
    uint32_t i = hd_find_key(sw, n, sizeof *sw, key);
    return i < n ? sw[i].value : UINT32_MAX;
}

/* ---- missing cables ------------------------------------------------------------------------ */

struct missing_walk {
    const struct hd_net *net;
    const struct hd_shape_index *index;
    void (*missing)(void *user, uint32_t u, uint32_t v, uint32_t k);
    void *user;
    uint32_t *cables; /* from the current switch to each other switch; kept zero between switches */
};

static void expect_cables(struct missing_walk *w, uint32_t u, uint32_t v, uint32_t k)
{
    if (v != UINT32_MAX && v != u && w->cables[v] < k) w->missing(w->user, u, v, k - w->cables[v]);
}

static void expect_parents(struct missing_walk *w, uint32_t u, uint32_t level)
{
    const struct hd_shape *s = &w->net->shape;
    uint16_t digits[HD_MAX_DIM];
    memcpy(digits, hd_coord(w->net, u), s->n * sizeof *digits);
    for (uint32_t b = 0; b < s->w[level]; b++) {
        digits[level] = (uint16_t)b;
        expect_cables(w, u, hd_shape_find(w->index, level + 1, digits), s->p[level]);
    }
}

/* Each grid cable once, from its lower end: +1 on lines and rings (and the wrap from the last),
 * all higher ones on cliques. */
static void expect_neighbours(struct missing_walk *w, uint32_t u)
{
    const struct hd_shape *s = &w->net->shape;
    uint16_t digits[HD_MAX_DIM];
    memcpy(digits, hd_coord(w->net, u), s->n * sizeof *digits);
    for (uint32_t i = 0; i < s->n; i++) {
        uint16_t at = digits[i];
        uint32_t last = s->w[i] == HD_CLIQUE ? s->m[i] - 1 : at + 1u;
        for (uint32_t to = at + 1u; to <= last; to++) {
            if (to == s->m[i] && s->w[i] != HD_RING) break;
            digits[i] = (uint16_t)(to % s->m[i]);
            expect_cables(w, u, hd_shape_find(w->index, 0, digits), s->p[i]);
        }
        digits[i] = at;
    }
}

hd_status hd_shape_each_missing(struct hd_ctx *ctx, const struct hd_net *net,
                                void (*missing)(void *user, uint32_t u, uint32_t v, uint32_t k), void *user)
{
    if (net->shape.kind == HD_SHAPE_NONE) return HD_OK;
    struct hd_arena scratch = {0};
    struct hd_shape_index index;
    hd_status s = hd_shape_index(ctx, &scratch, net, &index);
    struct missing_walk w = {net, &index, missing, user, HD_NEW(&scratch, uint32_t, net->nsw)};
    if (s == HD_OK && !w.cables) s = hd_fail_memory(ctx);
    for (uint32_t v = 0; s == HD_OK && v < net->nsw; v++) {
        if (net->unplaced[v]) continue;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] < net->nsw) w.cables[net->head[c]]++;
        if (net->shape.kind == HD_SHAPE_GRID)
            expect_neighbours(&w, v);
        else if (net->level[v] < net->shape.n)
            expect_parents(&w, v, net->level[v]);
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] < net->nsw) w.cables[net->head[c]] = 0;
    }
    hd_arena_release(&scratch);
    return s;
}

static void count_missing(void *user, uint32_t u, uint32_t v, uint32_t k)
{
    (void)u;
    (void)v;
    *(uint32_t *)user += k;
}

hd_status hd_shape_missing(struct hd_ctx *ctx, const struct hd_net *net, uint32_t *missing)
{
    uint32_t n = 0;
    HD_TRY(hd_shape_each_missing(ctx, net, count_missing, &n));
    *missing = n;
    return HD_OK;
}

/* ---- cables that do not belong to a grid ----------------------------------------------------- */

uint32_t hd_grid_dimension(const struct hd_net *net, uint32_t c)
{
    const struct hd_shape *s = &net->shape;
    const uint16_t *x = hd_coord(net, net->tail[c]), *y = hd_coord(net, net->head[c]);
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < s->n; i++) {
        if (x[i] == y[i]) continue;
        if (at != UINT32_MAX) return UINT32_MAX;
        at = i;
    }
    if (at == UINT32_MAX) return UINT32_MAX;
    uint32_t step = x[at] < y[at] ? (uint32_t)(y[at] - x[at]) : (uint32_t)(x[at] - y[at]);
    bool near = step == 1 || s->w[at] == HD_CLIQUE || (s->w[at] == HD_RING && step == s->m[at] - 1);
    return near ? at : UINT32_MAX;
}

uint32_t hd_grid_strays(const struct hd_net *net)
{
    uint32_t n = 0;
    if (net->shape.kind != HD_SHAPE_GRID) return 0;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        n += net->head[c] < net->nsw && net->rev[c] > c && !net->unplaced[net->tail[c]] &&
             hd_grid_dimension(net, c) == UINT32_MAX;
    return n;
}
