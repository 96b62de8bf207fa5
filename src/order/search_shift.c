/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for a plain Shift. With positions modulo n, let A(x) be the ordered pairs of nodes of one subtree at
 * distance x and B(x) those of one key. Flows s -> d and s' -> d' of one stage meet upwards when s, s' share a
 * subtree, d, d' a key and s' - s = d' - d: there are sum A(x) B(x) such pairs at a level. A swap changes the
 * counts of the groups its nodes are in: O(group). Annealed with a temperature that falls geometrically from
 * the size of a usual change; moves are counted, never timed. */
#include "base/rng.h"
#include "base/status.h"
#include "order/shift_keys.h"

#include <math.h>
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
    const struct hd_keys *keys;
    uint32_t n, levels;
    struct shift_level level[HD_MAX_DIM];
    uint32_t *order, *where; /* node at a position, position of a node */
    int64_t cost;
    uint64_t spent;
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
    *s = (struct shift_search){.keys = keys, .n = keys->n, .levels = keys->levels};
    s->order = HD_NEW(arena, uint32_t, s->n);
    s->where = HD_NEW(arena, uint32_t, s->n);
    bool enough = s->order && s->where;
    for (uint32_t l = 0; l < s->levels && enough; l++) {
        struct shift_level *v = &s->level[l];
        enough = make_groups(arena, s->n, keys->sub[l], keys->nsub[l], &v->sub) &&
                 make_groups(arena, s->n, keys->key[l], keys->nkey[l], &v->key) &&
                 (v->a = HD_NEW(arena, uint32_t, s->n)) && (v->b = HD_NEW(arena, uint32_t, s->n));
    }
    if (!enough) return false;
    memcpy(s->order, order, s->n * sizeof *order);
    for (uint32_t i = 0; i < s->n; i++) s->where[order[i]] = i;
    return true;
}

/* Adds (by = 1) or takes (by = -1) the pairs of x with the others of its group; returns the change of cost. The
 * pair with `skip` keeps its distances when the two change places, so it is left alone. */
static inline int64_t change_pairs(struct shift_search *s, const struct group_list *g, uint32_t *count,
                                   const uint32_t *other, const uint32_t x_skip[2], int by)
{
    int64_t delta = 0;
    uint32_t x = x_skip[0], n = s->n, p = s->where[x], from = g->first[g->of[x]], to = g->first[g->of[x] + 1];
    for (uint32_t i = from; i < to; i++) {
        uint32_t y = g->member[i];
        if (y == x || y == x_skip[1]) continue;
        uint32_t q = s->where[y], ahead = q > p ? q - p : q + n - p, back = n - ahead;
        count[ahead] += (uint32_t)by;
        count[back] += (uint32_t)by;
        delta += by * ((int64_t)other[ahead] + other[back]);
    }
    s->spent += to - from;
    return delta;
}

static void change_node(struct shift_search *s, uint32_t x, uint32_t skip, int by)
{
    const uint32_t x_skip[2] = {x, skip};
    for (uint32_t l = 0; l < s->levels; l++) {
        struct shift_level *v = &s->level[l];
        s->cost += change_pairs(s, &v->sub, v->a, v->b, x_skip, by);
        s->cost += change_pairs(s, &v->key, v->b, v->a, x_skip, by);
    }
}

static void shift_swap(struct shift_search *s, uint32_t p, uint32_t q)
{
    uint32_t x = s->order[p], y = s->order[q];
    change_node(s, x, y, -1);
    change_node(s, y, x, -1);
    s->order[p] = y;
    s->order[q] = x;
    s->where[x] = q;
    s->where[y] = p;
    change_node(s, x, y, 1);
    change_node(s, y, x, 1);
}

static void shift_count_all(struct shift_search *s)
{
    s->cost = 0;
    for (uint32_t l = 0; l < s->levels; l++) {
        struct shift_level *v = &s->level[l];
        const struct group_list *g[2] = {&v->sub, &v->key};
        uint32_t *count[2] = {v->a, v->b};
        for (int k = 0; k < 2; k++)
            for (uint32_t x = 0; x < s->n; x++)
                for (uint32_t i = g[k]->first[g[k]->of[x]]; i < g[k]->first[g[k]->of[x] + 1]; i++) {
                    uint32_t p = s->where[x], q = s->where[g[k]->member[i]];
                    if (p != q) count[k][q > p ? q - p : q + s->n - p]++;
                }
        for (uint32_t x = 1; x < s->n; x++) s->cost += (int64_t)v->a[x] * v->b[x];
    }
}

hd_status hd_keys_cost(struct hd_ctx *ctx, const struct hd_keys *keys, const uint32_t *order, uint64_t *cost)
{
    struct hd_arena a = {0};
    struct shift_search s;
    bool enough = shift_init(&a, keys, order, &s);
    if (enough) {
        shift_count_all(&s);
        *cost = (uint64_t)s.cost;
    }
    hd_arena_release(&a);
    return enough ? HD_OK : hd_fail_memory(ctx);
}

/* ---- annealing ------------------------------------------------------------------------------ */

struct shift_move {
    uint32_t p, q, len; /* stretches from p and from q, apart */
};

/* Every fourth move exchanges a whole leaf's stretch with another of that length. */
static struct shift_move shift_pick(const struct shift_search *s, struct hd_rng *rng)
{
    struct shift_move m = {hd_rng_below(rng, s->n), hd_rng_below(rng, s->n), 1};
    if (hd_rng_below(rng, 4)) return m;
    const struct group_list *leaf = &s->level[0].sub;
    uint32_t g = leaf->of[s->order[m.p]], len = leaf->first[g + 1] - leaf->first[g];
    while (m.p && leaf->of[s->order[m.p - 1]] == g) m.p--;
    uint32_t h = leaf->of[s->order[m.q]];
    while (m.q && leaf->of[s->order[m.q - 1]] == h) m.q--;
    uint32_t lo = m.p < m.q ? m.p : m.q, hi = m.p < m.q ? m.q : m.p;
    if (len > hi - lo) len = hi - lo;
    if (len > s->n - hi) len = s->n - hi;
    m.len = len;
    return m;
}

static void shift_apply(struct shift_search *s, struct shift_move m)
{
    for (uint32_t i = 0; i < m.len; i++) shift_swap(s, m.p + i, m.q + i);
}

/* The mean change of a random move: the temperature's unit. */
static double shift_usual_change(struct shift_search *s, struct hd_rng *rng)
{
    enum { TRIES = 200 };
    double sum = 0;
    for (int i = 0; i < TRIES; i++) {
        struct shift_move m = {hd_rng_below(rng, s->n), hd_rng_below(rng, s->n), 1};
        int64_t before = s->cost;
        if (m.p == m.q) continue;
        shift_apply(s, m);
        sum += fabs((double)(s->cost - before));
        shift_apply(s, m);
    }
    return sum / TRIES;
}

/* Hot at the start is a small part of a usual change: from tree order there is more to lose than to explore. */
static void shift_anneal(struct shift_search *s, struct hd_rng *rng, uint64_t budget, uint32_t *best)
{
    int64_t least = s->cost;
    double unit = shift_usual_change(s, rng), hot = unit / 50, cold = unit / 1000;
    memcpy(best, s->order, s->n * sizeof *best);
    s->spent = 0;
    while (s->spent < budget && least > 0 && unit > 0) {
        double t = hot * pow(cold / hot, (double)s->spent / (double)budget);
        for (int i = 0; i < 64; i++) {
            struct shift_move m = shift_pick(s, rng);
            int64_t before = s->cost;
            if (m.p == m.q || m.len == 0) continue;
            shift_apply(s, m);
            int64_t worse = s->cost - before;
            if (worse > 0 && hd_rng_real(rng) >= exp(-(double)worse / t))
                shift_apply(s, m);
            else if (s->cost < least) {
                least = s->cost;
                memcpy(best, s->order, s->n * sizeof *best);
            }
        }
        s->spent += 64;
    }
}

hd_status hd_shift_anneal(struct hd_ctx *ctx, const struct hd_keys *keys, uint64_t budget, uint32_t *order)
{
    struct hd_arena a = {0};
    struct shift_search s;
    if (keys->levels == 0 || keys->n < 3) return HD_OK;
    bool enough = shift_init(&a, keys, order, &s);
    if (enough) {
        struct hd_rng rng;
        hd_rng_init(&rng, ctx->seed, HD_RNG_SEARCH, 0);
        shift_count_all(&s);
        shift_anneal(&s, &rng, budget, order);
    }
    hd_arena_release(&a);
    return enough ? HD_OK : hd_fail_memory(ctx);
}
