/* SPDX-License-Identifier: BSD-2-Clause */
/* Lower bounds that hold for every single-path routing on certain full trees, by their shape.
 *
 * T(n+m,r), Theorem 1: with m < n^2, r >= n and (r-1) n > 2m, n / sqrt(m) where that is a whole division of
 * whole numbers, else its whole part.
 * T(n+m,r) by counting, without a whole division: n min(1 / sqrt(m), (r-1) / 2m). Let L be the worst case. By Koenig's
 * theorem the pairs on the channel from leaf b up to top t are covered by a(b,t) sources of b and c(b,t) destinations
 * with a + c <= L; likewise a'(t,b') destinations of b' and c'(t,b') sources for the channel down. A pair by t has its
 * source among the a(b,t) and its destination among the a'(t,b'), or is one of at most n for each of the
 * c(b,t) and c'(t,b'). So all r (r-1) n^2 pairs are at most the sum over t of
 *     sum over b != b' of a(b,t) a'(t,b') + n sum over b of (c(b,t) + c'(t,b)),
 * which is linear in each c, hence largest where every c is 0 or L: with U leaves that have c(b,t) = 0 and V that have
 * c'(t,b) = 0, I of them both, L^2 (UV - I) + n L (2r - U - V) <= max(r (r-1) L^2, 2 n r L). Hence n^2 <= m L^2 or
 * (r-1) n <= 2 m L. (In between, I >= U + V - r makes the term concave in U for each V, with its kink at U = r - V,
 * where it is at most r^2 L^2 / 4 + n r L, which is no more than the mean of the two.)
 * With more levels the subtrees below the roots take the place of the leaves: n is the number of their endpoints.
 * FT(m,n): sqrt(m/2) for n = 2 (Lemma 10), m/2 for n = 3 (Lemma 11), (m/2)^floor((n-1)/3) beyond (Lemma 12).
 * Their Lemma 9, which these come from, takes the subtrees of i levels as switches of a two-level tree; it
 * needs i <= 2n/3 and gives (m/2)^(i/2), so the largest such i gives (m/2)^(floor(2n/3)/2): more than Lemma 12
 * from n = 5 on. */
#include "flow/bound/bound.h"

#include <math.h>

static uint64_t whole_root(uint64_t m)
{
    uint64_t k = (uint64_t)sqrt((double)m);
    while (k * k > m) k--;
    while ((k + 1) * (k + 1) <= m) k++;
    return k;
}

double hd_bound_theorem1(const struct hd_shape *s)
{
    if (s->kind != HD_SHAPE_TREE || s->n != 2 || s->p[1] != 1) return 0;
    uint64_t n = s->m[0], m = s->w[1], r = s->m[1], k = whole_root(m);
    if (m >= n * n || r < n || (r - 1) * n <= 2 * m) return 0;
    if (k * k == m && n % k == 0) return (double)(n / k);
    return (double)whole_root(n * n / m); /* floor(n / sqrt(m)) */
}

double hd_bound_pairs(const struct hd_shape *s)
{
    if (s->kind != HD_SHAPE_TREE || s->n < 2 || s->p[s->n - 1] != 1) return 0;
    double n = 1, m = 1, r = s->m[s->n - 1];
    for (uint32_t l = 0; l + 1 < s->n; l++) {
        n *= s->m[l];
        m *= s->w[l + 1];
    }
    double least = n * fmin(1 / sqrt(m), (r - 1) / (2 * m));
    return least > 1 ? least : 0;
}

/* m of FT(m,n); 0 for other shapes. */
static uint32_t ports(const struct hd_shape *s)
{
    if (s->kind != HD_SHAPE_TREE || s->n < 2 || s->m[s->n - 1] % 2) return 0;
    uint32_t half = s->m[s->n - 1] / 2;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->p[i] != 1 || s->w[i] != (i ? half : 1) || (i + 1 < s->n && s->m[i] != half)) return 0;
    return 2 * half;
}

double hd_bound_lemma12(const struct hd_shape *s)
{
    double half = ports(s) / 2;
    if (half == 0) return 0;
    return s->n == 2 ? sqrt(half) : s->n == 3 ? half : pow(half, (s->n - 1) / 3);
}

double hd_bound_lemma9(const struct hd_shape *s)
{
    double half = ports(s) / 2;
    uint32_t level = 2 * s->n / 3;
    return half == 0 ? 0 : level % 2 ? pow(half, level / 2) * sqrt(half) : pow(half, level / 2);
}
