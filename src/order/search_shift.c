/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for a plain Shift. With positions modulo n, let A(x) be the ordered pairs of nodes of one subtree at
 * distance x and B(x) those of one key. Flows s -> d and s' -> d' of one stage meet upwards when s, s' share a
 * subtree, d, d' a key and s' - s = d' - d: there are sum A(x) B(x) such pairs at a level. A swap changes the
 * counts of the groups its nodes are in: O(group). Annealed (anneal.h). */
#include "base/status.h"
#include "order/anneal.h"
#include "order/shift_keys.h"

#include <string.h>

struct group_list {
    uint32_t *of;     /* [n] group of a node */
    uint32_t *first;  /* [groups + 1] */
    uint32_t *member; /* [n] */
};

struct shift_level {
    struct group_list sub, key;
    uint32_t *a, *b; /* [n] pairs at each distance */
};

struct shift_search {
    struct hd_anneal anneal; /* cost is a whole number */
    uint32_t levels;
    struct shift_level level[HD_MAX_DIM];
    uint32_t *where; /* position of a node */
};

static bool make_groups(struct hd_arena *a, uint32_t n, uint32_t *of, uint32_t groups, struct group_list *g)
{
    g->of = of;
    g->first = HD_NEW(a, uint32_t, (size_t)groups + 2);
    g->member = HD_NEW(a, uint32_t, n);
    if (!g->first || !g->member) return false;
    for (uint32_t i = 0; i < n; i++) g->first[of[i] + 2]++;
    for (uint32_t i = 2; i < groups + 2; i++) g->first[i] += g->first[i - 1];
    for (uint32_t i = 0; i < n; i++) g->member[g->first[of[i] + 1]++] = i;
    return true;
}

static bool shift_init(struct hd_arena *arena, const struct hd_keys *keys, const uint32_t *order,
                       struct shift_search *s)
{
    uint32_t n = keys->n;
    *s = (struct shift_search){.anneal = {.n = n, .order = HD_NEW(arena, uint32_t, n)}, .levels = keys->levels};
    s->where = HD_NEW(arena, uint32_t, n);
    bool enough = s->anneal.order && s->where;
    for (uint32_t l = 0; l < s->levels && enough; l++) {
        struct shift_level *v = &s->level[l];
        enough = make_groups(arena, n, keys->sub[l], keys->nsub[l], &v->sub) &&
                 make_groups(arena, n, keys->key[l], keys->nkey[l], &v->key) && (v->a = HD_NEW(arena, uint32_t, n)) &&
                 (v->b = HD_NEW(arena, uint32_t, n));
    }
    if (!enough) return false;
    memcpy(s->anneal.order, order, n * sizeof *order);
    for (uint32_t i = 0; i < n; i++) s->where[order[i]] = i;
    return true;
}

/* Adds (by = 1) or takes (by = -1) the pairs of x with the others of its group; returns the change of cost. The
 * pair with `skip` keeps its distances when the two change places, so it is left alone. */
static inline int64_t change_pairs(struct shift_search *s, const struct group_list *g, uint32_t *count,
                                   const uint32_t *other, const uint32_t x_skip[2], int by)
{
    int64_t delta = 0;
    uint32_t x = x_skip[0], n = s->anneal.n, p = s->where[x], from = g->first[g->of[x]], to = g->first[g->of[x] + 1];
    for (uint32_t i = from; i < to; i++) {
        uint32_t y = g->member[i];
        if (y == x || y == x_skip[1]) continue;
        uint32_t q = s->where[y], ahead = q > p ? q - p : q + n - p, back = n - ahead;
        count[ahead] += (uint32_t)by;
        count[back] += (uint32_t)by;
        delta += by * ((int64_t)other[ahead] + other[back]);
    }
    s->anneal.spent += to - from;
    return delta;
}

static void change_node(struct shift_search *s, uint32_t x, uint32_t skip, int by)
{
    const uint32_t x_skip[2] = {x, skip};
    for (uint32_t l = 0; l < s->levels; l++) {
        struct shift_level *v = &s->level[l];
        s->anneal.cost += (double)change_pairs(s, &v->sub, v->a, v->b, x_skip, by);
        s->anneal.cost += (double)change_pairs(s, &v->key, v->b, v->a, x_skip, by);
    }
}

static void shift_swap(struct hd_anneal *search, uint32_t p, uint32_t q)
{
    struct shift_search *s = (struct shift_search *)search; /* its first member */
    uint32_t x = search->order[p], y = search->order[q];
    change_node(s, x, y, -1);
    change_node(s, y, x, -1);
    search->order[p] = y;
    search->order[q] = x;
    s->where[x] = q;
    s->where[y] = p;
    change_node(s, x, y, 1);
    change_node(s, y, x, 1);
}

static void shift_count_all(struct shift_search *s)
{
    uint32_t n = s->anneal.n;
    s->anneal.cost = 0;
    for (uint32_t l = 0; l < s->levels; l++) {
        struct shift_level *v = &s->level[l];
        const struct group_list *g[2] = {&v->sub, &v->key};
        uint32_t *count[2] = {v->a, v->b};
        for (int k = 0; k < 2; k++)
            for (uint32_t x = 0; x < n; x++)
                for (uint32_t i = g[k]->first[g[k]->of[x]]; i < g[k]->first[g[k]->of[x] + 1]; i++) {
                    uint32_t p = s->where[x], q = s->where[g[k]->member[i]];
                    if (p != q) count[k][q > p ? q - p : q + n - p]++;
                }
        for (uint32_t x = 1; x < n; x++) s->anneal.cost += (double)v->a[x] * v->b[x];
    }
}

hd_status hd_keys_cost(struct hd_ctx *ctx, const struct hd_keys *keys, const uint32_t *order, uint64_t *cost)
{
    struct hd_arena a = {0};
    struct shift_search s;
    bool enough = shift_init(&a, keys, order, &s);
    if (enough) {
        shift_count_all(&s);
        *cost = (uint64_t)s.anneal.cost;
    }
    hd_arena_release(&a);
    return enough ? HD_OK : hd_fail_memory(ctx);
}

/* ---- annealing ------------------------------------------------------------------------------ */

/* Every fourth move exchanges a whole leaf's stretch with another of that length. */
static struct hd_stretch shift_pick(const struct hd_anneal *search, struct hd_rng *rng)
{
    const struct shift_search *s = (const struct shift_search *)search;
    uint32_t p = hd_rng_below(rng, search->n), q = hd_rng_below(rng, search->n);
    if (hd_rng_below(rng, 4)) return (struct hd_stretch){p, q, 1};
    const struct group_list *leaf = &s->level[0].sub;
    uint32_t g = leaf->of[search->order[p]], h = leaf->of[search->order[q]];
    while (p && leaf->of[search->order[p - 1]] == g) p--;
    while (q && leaf->of[search->order[q - 1]] == h) q--;
    return hd_stretch_apart(p, q, leaf->first[g + 1] - leaf->first[g], search->n);
}

hd_status hd_shift_anneal(struct hd_ctx *ctx, const struct hd_keys *keys, uint64_t budget, uint32_t *order)
{
    static const struct hd_anneal_how how = {shift_swap,  shift_pick, .tries = 200,
                                             .batch = 64, .hot = 50,  .cold = 1000};
    struct hd_arena a = {0};
    struct shift_search s;
    if (keys->levels == 0 || keys->n < 3) return HD_OK;
    bool enough = shift_init(&a, keys, order, &s);
    if (enough) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx->seed, HD_RNG_SEARCH, 0);
        shift_count_all(&s);
        s.anneal.budget = budget;
        s.anneal.ctx = ctx;
        hd_anneal(&s.anneal, &how, &rng, order);
    }
    hd_arena_release(&a);
    return enough ? HD_OK : hd_fail_memory(ctx);
}
