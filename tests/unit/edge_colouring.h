/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours for the edges of a bipartite multigraph, so that no two edges at a vertex share one: as many colours as the
 * largest degree, which is the fewest there can be.
 * Alon: A simple algorithm for edge-coloring bipartite multigraphs (2003).
 *
 * The graph is first made regular: vertices of small degree are merged as long as the degrees add up to
 * no more than the largest one, D, and edges nobody asked for fill what is missing. Then
 *   D even   the edges are split into two halves of degree D/2, each coloured with its own D/2 colours;
 *   D odd    a perfect matching takes one colour, and the rest has even degree.
 * A split pairs the edges at every vertex; the pairs chain edges into even circuits, of which every other
 * edge goes to one half. A perfect matching is found by splitting alone: with 2^t >= n D every edge is
 * taken floor(2^t / D) times, and a matching of bad edges the rest of 2^t times; the degree is then a
 * power of two and t splits, each keeping the half with fewer bad edges, leave a matching without any. */
#ifndef EDGE_COLOURING_H
#define EDGE_COLOURING_H

#include "base/arena.h"
#include "base/status.h"

#include <string.h>

struct hd_edges {
    uint32_t nleft, nright, n;
    const uint32_t *u, *v; /* [n] left and right end */
};

struct colouring_job {
    uint32_t n;        /* vertices a side */
    uint32_t *u, *v;   /* [edges + n] ends; the last n are the bad edges of the matching at work */
    uint32_t *colour;  /* [edges] */
    uint64_t *times;   /* [edges + n] multiplicities */
    uint32_t *odd;     /* [edges + n] edges to split */
    uint32_t *mate[2]; /* [edges + n] the other edge of its pair at the left and at the right end */
    uint32_t *open[2]; /* [n] an edge that waits for its pair */
    bool *half;        /* [edges + n] where a split put an edge */
    uint32_t *list;    /* [edges] room to reorder */
    uint32_t bad;      /* number of the first bad edge */
};

/* ---- splits ----------------------------------------------------------------------------------- */

static void pair_up(struct colouring_job *k, int side, const uint32_t *end, const uint32_t *edge, uint32_t n)
{
    uint32_t *open = k->open[side], *mate = k->mate[side];
    memset(open, 0xff, k->n * sizeof *open);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = edge[i], *at = &open[end[e]];
        if (*at == UINT32_MAX) {
            *at = e;
        } else {
            mate[e] = *at;
            mate[*at] = e;
            *at = UINT32_MAX;
        }
    }
}

/* Sets half[e] of n edges that have even degree everywhere: half of them at each vertex. */
static void edge_colouring_split(struct colouring_job *k, const uint32_t *edge, uint32_t n)
{
    pair_up(k, 0, k->u, edge, n);
    pair_up(k, 1, k->v, edge, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = edge[i];
        while (k->mate[0][e] != UINT32_MAX) { /* not walked yet: e and its left mate go to different halves */
            uint32_t f = k->mate[0][e];
            k->half[e] = false;
            k->half[f] = true;
            k->mate[0][e] = k->mate[0][f] = UINT32_MAX;
            e = k->mate[1][f];
        }
    }
}

/* ---- a perfect matching of a regular graph ------------------------------------------------------ */

static uint64_t count_bad(const struct colouring_job *k, bool half)
{
    uint64_t bad = 0;
    for (uint32_t e = k->bad; e < k->bad + k->n; e++) bad += k->times[e] / 2 + (k->times[e] % 2 && k->half[e] == half);
    return bad;
}

/* One halving: the multiplicities become those of the half with fewer bad edges. */
static void halve(struct colouring_job *k, const uint32_t *edge, uint32_t n)
{
    uint32_t nodd = 0;
    for (uint32_t i = 0; i < n; i++)
        if (k->times[edge[i]] % 2) k->odd[nodd++] = edge[i];
    for (uint32_t e = k->bad; e < k->bad + k->n; e++)
        if (k->times[e] % 2) k->odd[nodd++] = e;
    edge_colouring_split(k, k->odd, nodd);
    bool keep = count_bad(k, true) < count_bad(k, false);
    for (uint32_t i = 0; i < n; i++)
        k->times[edge[i]] = k->times[edge[i]] / 2 + (k->times[edge[i]] % 2 && k->half[edge[i]] == keep);
    for (uint32_t e = k->bad; e < k->bad + k->n; e++)
        k->times[e] = k->times[e] / 2 + (k->times[e] % 2 && k->half[e] == keep);
}

/* Afterwards times[e] is 1 for the edges of a perfect matching and 0 for the others. */
static void match(struct colouring_job *k, const uint32_t *edge, uint32_t n, uint32_t degree)
{
    uint32_t t = 0;
    while ((uint64_t)1 << t < n) t++;
    uint64_t total = (uint64_t)1 << t;
    for (uint32_t i = 0; i < n; i++) k->times[edge[i]] = total / degree;
    for (uint32_t e = k->bad; e < k->bad + k->n; e++) k->times[e] = total % degree;
    while (t-- > 0) halve(k, edge, n);
}

/* ---- colouring ---------------------------------------------------------------------------------- */

/* Puts the edges with the mark first, each part in its order; returns how many. */
static uint32_t part(struct colouring_job *k, uint32_t *edge, uint32_t n,
                     bool (*marked)(const struct colouring_job *, uint32_t))
{
    uint32_t first = 0, rest = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (marked(k, edge[i]))
            edge[first++] = edge[i];
        else
            k->list[rest++] = edge[i];
    }
    memcpy(edge + first, k->list, rest * sizeof *edge);
    return first;
}

static bool in_half(const struct colouring_job *k, uint32_t e)
{
    return k->half[e];
}

static bool in_matching(const struct colouring_job *k, uint32_t e)
{
    return k->times[e] == 1;
}

static void paint(struct colouring_job *k, uint32_t *edge, uint32_t n, uint32_t degree, uint32_t colour)
{
    if (degree % 2) {
        uint32_t m = n;
        if (degree > 1) {
            match(k, edge, n, degree);
            m = part(k, edge, n, in_matching);
        }
        for (uint32_t i = 0; i < m; i++) k->colour[edge[i]] = colour;
        edge += m;
        n -= m;
        degree--;
        colour++;
    }
    if (degree == 0) return;
    edge_colouring_split(k, edge, n);
    uint32_t m = part(k, edge, n, in_half);
    paint(k, edge, m, degree / 2, colour);
    paint(k, edge + m, n - m, degree / 2, colour + degree / 2);
}

/* ---- making it regular -------------------------------------------------------------------------- */

static uint32_t largest_degree(const uint32_t *end, uint32_t n, uint32_t *degree)
{
    uint32_t most = 0;
    for (uint32_t e = 0; e < n; e++)
        if (++degree[end[e]] > most) most = degree[end[e]];
    return most;
}

/* Packs neighbours together while their degrees fit; degree[] then holds the merged vertex instead. Returns
 * how many there are, and their degrees in merged[]. */
static uint32_t merge(uint32_t *degree, uint32_t vertices, uint32_t most, uint32_t *merged)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < vertices; v++) {
        if (n == 0 || merged[n - 1] + degree[v] > most) merged[n++] = 0;
        merged[n - 1] += degree[v];
        degree[v] = n - 1;
    }
    return n;
}

static hd_status colouring_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_edges *g, uint32_t *ncolours,
                                struct colouring_job *k)
{
    uint32_t *of[2] = {HD_NEW(a, uint32_t, g->nleft), HD_NEW(a, uint32_t, g->nright)};
    uint32_t *merged[2] = {HD_NEW(a, uint32_t, (size_t)g->nleft + g->nright + 1),
                           HD_NEW(a, uint32_t, (size_t)g->nleft + g->nright + 1)};
    if (!of[0] || !of[1] || !merged[0] || !merged[1]) return hd_fail_memory(ctx);
    uint32_t dl = largest_degree(g->u, g->n, of[0]), dr = largest_degree(g->v, g->n, of[1]), degree = dl > dr ? dl : dr;
    uint32_t nl = merge(of[0], g->nleft, degree, merged[0]), nr = merge(of[1], g->nright, degree, merged[1]);
    k->n = nl > nr ? nl : nr;
    size_t total = (size_t)k->n * degree, all = total + k->n;
    if (all > UINT32_MAX)
        return hd_fail(ctx, HD_LIMIT, "edge colouring: %u edges at %u vertices are too many", g->n, g->nleft);
    k->bad = (uint32_t)total;
    k->u = HD_NEW(a, uint32_t, all);
    k->v = HD_NEW(a, uint32_t, all);
    k->colour = HD_NEW(a, uint32_t, total);
    k->times = HD_NEW(a, uint64_t, all);
    k->odd = HD_NEW(a, uint32_t, all);
    k->half = HD_NEW(a, bool, all);
    k->list = HD_NEW(a, uint32_t, total);
    bool fine = k->u && k->v && k->colour && k->times && k->odd && k->half && k->list;
    for (int i = 0; i < 2; i++) {
        k->mate[i] = HD_NEW(a, uint32_t, all);
        k->open[i] = HD_NEW(a, uint32_t, k->n);
        fine = fine && k->mate[i] && k->open[i];
    }
    if (!fine) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < g->n; e++) {
        k->u[e] = of[0][g->u[e]];
        k->v[e] = of[1][g->v[e]];
    }
    for (uint32_t e = g->n, x = 0, y = 0; e < total; e++) { /* fill both sides up in order */
        while (merged[0][x] == degree) x++;
        while (merged[1][y] == degree) y++;
        k->u[e] = x;
        k->v[e] = y;
        merged[0][x]++;
        merged[1][y]++;
    }
    for (uint32_t i = 0; i < k->n; i++) k->u[k->bad + i] = k->v[k->bad + i] = i;
    *ncolours = degree;
    return HD_OK;
}

/* Fills colour[n]; *ncolours is the largest degree. O(n log(n) log(degree)). */
static inline hd_status hd_edge_colour(struct hd_ctx *ctx, const struct hd_edges *g, uint32_t *colour,
                                       uint32_t *ncolours)
{
    struct hd_arena scratch = {0};
    struct colouring_job k = {0};
    uint32_t degree = 0;
    hd_status s = g->n ? colouring_init(ctx, &scratch, g, &degree, &k) : HD_OK;
    if (s == HD_OK && g->n) {
        uint32_t *edge = HD_NEW(&scratch, uint32_t, k.bad);
        for (uint32_t e = 0; edge && e < k.bad; e++) edge[e] = e;
        if (edge)
            paint(&k, edge, k.bad, degree, 0);
        else
            s = hd_fail_memory(ctx);
        if (edge) memcpy(colour, k.colour, g->n * sizeof *colour);
    }
    hd_arena_release(&scratch);
    if (s == HD_OK) *ncolours = degree;
    return s;
}

#endif
