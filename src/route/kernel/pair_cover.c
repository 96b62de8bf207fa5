/* SPDX-License-Identifier: BSD-2-Clause */
/* Covers of all pairs by rectangles with a short longest side: projective planes, and annealing on few points.
 *
 * A cover of P x P points by m rectangles of k x k points becomes one of n x n numbers when each point stands for n/P
 * of them, rounded up for some points and down for others; its longest side is then close to k n / P. So small covers
 * serve for all n: 8 rectangles of 3 x 3 cover 8 x 8 points, which gives 9 on T(24+8,32), where the grid has 12 and a
 * projective plane 11. P runs from 2 to n; for each, k is the largest size that would improve on the best so far, then
 * the next smaller one, until none is found.
 *
 * Projective planes of order q: the rectangles are the lines of q + 1 among q^2 + q + 1 points; two points always share
 * a line. They are translates of one perfect difference set (Singer 1938), found here by backtracking.
 * Annealing: the rectangles keep their size, a step exchanges a point of one side against one outside it; the cost is
 * the number of uncovered pairs, kept by counting how often each is covered. A step costs O(k). Acceptance is computed
 * in integers, so that all machines find the same cover. */
#include "route/kernel/pair_cover.h"

#include "base/rng.h"
#include "base/status.h"

#include <string.h>

enum {
    MOST_POINTS = 64,     /* larger covers are not found by annealing in this time */
    TRIES = 3,            /* starts per size */
    STEPS = 100000,       /* per start */
    MOST_WORK = 100000000 /* pairs looked at, in all */
};

/* side[w][t * p + i]: a permutation of the points for side w of rectangle t; those with i < k belong to it. */
struct rectangles {
    uint32_t p, m, k;
    uint8_t *side[2];
};

struct cover_search {
    struct rectangles now;
    uint8_t *count;        /* [source point * p + destination point]: rectangles that cover it */
    uint8_t *extra, *load; /* scratch of cover_weigh: [p], [m] */
    struct hd_rng rng;
    uint64_t work;
};

static uint32_t ceil_ratio(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

uint32_t hd_pair_cover_bound(uint32_t n, uint32_t m)
{
    uint32_t k = 1;
    while (ceil_ratio(n * ceil_ratio(n, k), k) > m) k++;
    return k;
}

/* ---- annealing ----------------------------------------------------------------------------- */

static uint32_t cover_count(struct cover_search *s)
{
    const struct rectangles *c = &s->now;
    uint32_t uncovered = 0;
    memset(s->count, 0, (size_t)c->p * c->p);
    for (uint32_t t = 0; t < c->m; t++)
        for (uint32_t i = 0; i < c->k; i++)
            for (uint32_t j = 0; j < c->k; j++) s->count[c->side[0][t * c->p + i] * c->p + c->side[1][t * c->p + j]]++;
    for (uint32_t i = 0; i < c->p * c->p; i++) uncovered += !s->count[i];
    return uncovered;
}

/* 2^32 times probability^uphill, in integers. */
static bool cover_accept(struct hd_rng *rng, uint64_t probability, int uphill)
{
    uint64_t p = probability;
    for (int i = 1; i < uphill; i++) p = p * probability >> 32;
    return uphill <= 0 || hd_rng_u32(rng) < p;
}

/* One exchange on one side of one rectangle; returns the change in uncovered pairs, 0 too when refused. */
static int cover_step(struct cover_search *s, uint64_t probability)
{
    struct rectangles *c = &s->now;
    uint32_t w = hd_rng_below(&s->rng, 2), t = hd_rng_below(&s->rng, c->m);
    uint8_t *mine = c->side[w] + (size_t)t * c->p, *other = c->side[1 - w] + (size_t)t * c->p;
    uint8_t *out = mine + hd_rng_below(&s->rng, c->k), *in = mine + c->k + hd_rng_below(&s->rng, c->p - c->k);
    uint32_t row = w ? 1 : c->p, col = w ? c->p : 1;
    uint8_t *lose = s->count + *out * row, *gain = s->count + *in * row;
    int change = 0;
    for (uint32_t i = 0; i < c->k; i++) change += (lose[other[i] * col] == 1) - (gain[other[i] * col] == 0);
    s->work += c->k;
    if (!cover_accept(&s->rng, probability, change)) return 0;
    for (uint32_t i = 0; i < c->k; i++) {
        lose[other[i] * col]--;
        gain[other[i] * col]++;
    }
    uint8_t point = *out;
    *out = *in;
    *in = point;
    return change;
}

static void cover_shuffle(struct cover_search *s)
{
    const struct rectangles *c = &s->now;
    uint32_t order[HD_MAX_PORTS];
    for (uint32_t i = 0; i < c->p; i++) order[i] = i;
    for (uint32_t r = 0; r < 2 * c->m; r++) {
        hd_rng_shuffle(&s->rng, order, c->p);
        for (uint32_t i = 0; i < c->p; i++) c->side[r % 2][r / 2 * c->p + i] = (uint8_t)order[i];
    }
}

/* Acceptance of one more uncovered pair falls from 0.4 to 0. */
static bool cover_anneal(struct cover_search *s)
{
    for (int try = 0; try < TRIES; try++) {
        cover_shuffle(s);
        uint32_t uncovered = cover_count(s);
        for (uint64_t step = 0; step < STEPS && uncovered; step++)
            uncovered += (uint32_t)cover_step(s, (STEPS - step) * ((UINT64_C(4) << 32) / 10 / STEPS));
        if (!uncovered) return true;
        if (s->work > MOST_WORK) return false;
    }
    return false;
}

/* ---- projective planes --------------------------------------------------------------------- */

/* Extends set[0 .. have) to k numbers below p whose differences are all different. */
static bool differences_extend(uint32_t p, uint32_t k, uint32_t have, uint8_t *set, bool *used)
{
    if (have == k) return true;
    for (uint32_t next = set[have - 1] + 1u; next < p; next++) {
        uint32_t fits = 0;
        for (; fits < have; fits++) {
            uint32_t d = next - set[fits];
            if (used[d] || used[p - d]) break;
            used[d] = used[p - d] = true;
        }
        if (fits == have) {
            set[have] = (uint8_t)next;
            if (differences_extend(p, k, have + 1, set, used)) return true;
        }
        for (uint32_t i = 0; i < fits; i++) used[next - set[i]] = used[p - (next - set[i])] = false;
    }
    return false;
}

/* A plane with p points and at most m lines; lines repeat on further tops. Orders that are no prime power have none
 * of this kind; the search says so quickly for p up to MOST_POINTS. */
static bool plane_lines(struct cover_search *s, uint32_t p, uint32_t m)
{
    uint32_t q = 1;
    while (q * q + q + 1 < p) q++;
    uint8_t set[HD_MAX_PORTS] = {0, 1};
    bool used[HD_MAX_PORTS] = {false};
    if (q < 2 || q * q + q + 1 != p || p > m) return false;
    used[1] = used[p - 1] = true;
    if (!differences_extend(p, q + 1, 2, set, used)) return false;
    s->now.k = q + 1;
    for (uint32_t t = 0; t < m; t++) {
        uint8_t *line = s->now.side[0] + (size_t)t * p;
        for (uint32_t i = 0; i < p; i++) line[i] = (uint8_t)i;
        for (uint32_t i = 0; i <= q; i++) {
            uint8_t *at = memchr(line + i, (int)((set[i] + t) % p), p - i);
            *at = line[i];
            line[i] = (uint8_t)((set[i] + t) % p);
        }
        memcpy(s->now.side[1] + (size_t)t * p, line, p);
    }
    return true;
}

/* ---- points become numbers ----------------------------------------------------------------- */

/* Which points of side w stand for one number more: one after the other, where the rectangles have fewest of them.
 * Returns the most numbers of a rectangle. */
static uint32_t cover_weigh(struct cover_search *s, uint32_t w, uint32_t n)
{
    const struct rectangles *c = &s->now;
    uint32_t most = 0;
    memset(s->extra, 0, c->p);
    memset(s->load, 0, c->m);
    for (uint32_t have = 0; have < n % c->p; have++) {
        uint64_t cost[HD_MAX_PORTS] = {0};
        uint32_t best = c->p;
        for (uint32_t t = 0; t < c->m; t++)
            for (uint32_t i = 0; i < c->k; i++)
                cost[c->side[w][t * c->p + i]] += (3u * s->load[t] + 3) * s->load[t] + 1; /* (load + 1)^3 - load^3 */
        for (uint32_t i = 0; i < c->p; i++)
            if (!s->extra[i] && (best == c->p || cost[i] < cost[best])) best = i;
        s->extra[best] = 1;
        for (uint32_t t = 0; t < c->m; t++)
            s->load[t] += memchr(c->side[w] + (size_t)t * c->p, (int)best, c->k) != NULL;
    }
    for (uint32_t t = 0; t < c->m; t++)
        if (s->load[t] > most) most = s->load[t];
    return c->k * (n / c->p) + most;
}

/* Every pair of points goes to the first top that covers it, then pairs move to tops with at least two fewer until none
 * can: each move lowers the sum of squares, so this ends. */
static void cover_share(const struct rectangles *c, uint8_t *top)
{
    uint32_t pairs[HD_MAX_PORTS] = {0}, p = c->p;
    memset(top, 0xff, (size_t)p * p);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t t = 0; t < c->m; t++)
            for (uint32_t i = 0; i < c->k * c->k; i++) {
                uint8_t *at = top + c->side[0][t * p + i / c->k] * p + c->side[1][t * p + i % c->k];
                if (*at != 0xff && pairs[*at] < pairs[t] + 2) continue;
                if (*at != 0xff) pairs[*at]--;
                *at = (uint8_t)t;
                pairs[t]++;
                moved = true;
            }
    }
}

/* Takes the current cover when its longest side is shorter than the best one's. */
static void cover_take(struct cover_search *s, struct hd_pair_cover *best)
{
    const struct rectangles *c = &s->now;
    uint32_t side = 0;
    for (uint32_t w = 0; w < 2; w++) {
        uint32_t most = cover_weigh(s, w, best->n);
        if (most > side) side = most;
    }
    if (side >= best->side) return;
    best->side = side;
    best->points = c->p;
    for (uint32_t w = 0; w < 2; w++) {
        uint32_t number = 0;
        (void)cover_weigh(s, w, best->n);
        for (uint32_t i = 0; i < c->p; i++)
            for (uint32_t have = best->n / c->p + s->extra[i]; have > 0; have--) best->point[w][number++] = (uint8_t)i;
    }
    cover_share(c, best->top);
}

/* The largest size of rectangles on p points, at most k, that could improve on the best. */
static uint32_t useful_size(const struct hd_pair_cover *best, uint32_t p, uint32_t k)
{
    while (k > 0 && ceil_ratio(best->n * k, p) >= best->side) k--;
    return k;
}

static hd_status cover_alloc(struct hd_ctx *ctx, struct hd_arena *arena, struct cover_search *s,
                             struct hd_pair_cover *b)
{
    uint32_t p = b->n < MOST_POINTS ? b->n : MOST_POINTS;
    for (int w = 0; w < 2; w++) {
        if (!(s->now.side[w] = HD_NEW(arena, uint8_t, (size_t)p * b->m))) return hd_fail_memory(ctx);
        if (!(b->point[w] = HD_NEW(arena, uint8_t, b->n))) return hd_fail_memory(ctx);
    }
    s->count = HD_NEW(arena, uint8_t, (size_t)p * p);
    s->extra = HD_NEW(arena, uint8_t, p);
    s->load = HD_NEW(arena, uint8_t, b->m);
    b->top = HD_NEW(arena, uint8_t, (size_t)p * p);
    return s->count && s->extra && s->load && b->top ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_pair_cover_find(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t n, uint32_t m, uint32_t side,
                             struct hd_pair_cover *best)
{
    struct cover_search s = {.now = {.m = m}};
    uint32_t bound = hd_pair_cover_bound(n, m);
    *best = (struct hd_pair_cover){.n = n, .m = m, .side = side};
    HD_TRY(cover_alloc(ctx, arena, &s, best));
    hd_rng_init(&s.rng, 1, HD_RNG_SEARCH, n * 256 + m);
    for (uint32_t p = 2; p <= n && p <= MOST_POINTS && best->side > bound; p++) {
        s.now.p = p;
        if (plane_lines(&s, p, m)) cover_take(&s, best);
        for (uint32_t k = useful_size(best, p, p - 1); k >= hd_pair_cover_bound(p, m);
             k = useful_size(best, p, k - 1)) {
            s.now.k = k;
            if (s.work > MOST_WORK || !cover_anneal(&s)) break;
            cover_take(&s, best);
        }
    }
    if (best->side == side) best->side = 0;
    return HD_OK;
}
