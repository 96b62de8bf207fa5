/* SPDX-License-Identifier: BSD-2-Clause */
/* Every link gets a key that says what it means in the structure; the candidates of a switch are sorted by
 * it once for each leaf, and a number that depends on the destination picks one.
 *   tree   key (cable, digit of the switch it leads to); candidate (j / W_l) mod their number at level l, j
 *          the destination's number in the full tree and W_l = w_1 .. w_l
 *   grid   key (dimension, direction, cable). Half-way round a ring both directions are shortest: + is
 *          taken towards odd coordinates, - towards even ones, which loads both alike. Of parallel cables
 *          the one by the destination's number on its switch. */
#include "route/kernel/structured_routes.h"
#include "base/status.h"
#include "base/threads.h"
#include "net/core/shape.h"

#include <string.h>

struct structured {
    const struct hd_shortest *shortest;
    const struct hd_net *net;
    struct hd_routes *r;
    uint32_t *key; /* [links] tree: cable << 16 | digit; grid: dimension << 16 | minus << 15 | cable */
    uint64_t wprod[HD_MAX_DIM + 1];
};

enum { MINUS = 1 << 15 };

/* ---- what a link means ------------------------------------------------------------------------ */

static uint32_t link_cable(const struct hd_links *l, uint32_t v, uint32_t a)
{
    uint32_t k = 0;
    for (uint32_t b = l->first[v]; b < a; b++) k += l->head[b] == l->head[a];
    return k;
}

static uint32_t tree_key(const struct structured *s, uint32_t v, uint32_t a)
{
    uint32_t l = s->net->level[v], digit = l < s->net->shape.n ? hd_coord(s->net, s->shortest->links.head[a])[l] : 0;
    return link_cable(&s->shortest->links, v, a) << 16 | digit;
}

static uint32_t grid_key(const struct structured *s, uint32_t v, uint32_t a)
{
    const uint16_t *x = hd_coord(s->net, v), *y = hd_coord(s->net, s->shortest->links.head[a]);
    const struct hd_shape *shape = &s->net->shape;
    uint32_t i = hd_grid_dimension(s->net, s->shortest->links.chan[a]);
    if (i == UINT32_MAX) return shape->n << 16 | link_cable(&s->shortest->links, v, a); /* a stray is last */
    bool plus = shape->w[i] != HD_RING || (x[i] + 1u) % shape->m[i] == y[i];
    return i << 16 | (plus ? 0 : MINUS) | link_cable(&s->shortest->links, v, a);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static void sort_candidates(const struct structured *s, struct hd_dag *dag)
{
    for (uint32_t i = 1; i < dag->n; i++)
        for (uint32_t p = dag->first[i] + 1; p < dag->first[i + 1]; p++) {
            uint32_t a = dag->link[p], q = p;
            for (; q > dag->first[i] && s->key[dag->link[q - 1]] > s->key[a]; q--) dag->link[q] = dag->link[q - 1];
            dag->link[q] = a;
        }
}

static uint32_t pick_tree(const struct structured *s, uint32_t v, const uint32_t *a, uint32_t n, uint64_t j)
{
    uint32_t l = s->net->level[v];
    return a[j / s->wprod[l <= s->net->shape.n ? l : 0] % n];
}

/* Candidates are sorted by dimension, + before -; those of the first one are used. */
static uint32_t pick_grid(const struct structured *s, uint32_t t, const uint32_t *a, uint32_t n, uint64_t j)
{
    uint32_t dim = s->key[a[0]] >> 16, minus = 0, end;
    for (end = 0; end < n && s->key[a[end]] >> 16 == dim; end++) minus += !(s->key[a[end]] & MINUS);
    bool both = minus > 0 && minus < end;
    if (both && hd_coord(s->net, t)[dim] % 2)
        end = minus;
    else if (both)
        a += minus, end -= minus;
    return a[j % end];
}

static void structured_row(const struct structured *s, const struct hd_dag *dag, uint32_t c, uint32_t on_leaf)
{
    const struct hd_net *net = s->net;
    uint32_t d = net->head[c] - net->nsw;
    uint8_t *row = hd_row(s->r, d, 0);
    bool tree = net->shape.kind == HD_SHAPE_TREE;
    uint64_t j = tree ? hd_shape_rank(&net->shape, 0, hd_coord(net, net->nsw + d)) : on_leaf;
    for (uint32_t i = 0; !tree && i < net->shape.n; i++) j += hd_coord(net, dag->t)[i] / 2;
    row[dag->t] = (uint8_t)(c - net->off[dag->t]);
    for (uint32_t i = 1; i < dag->n; i++) {
        uint32_t v = dag->order[i], n = dag->first[i + 1] - dag->first[i];
        const uint32_t *a = dag->link + dag->first[i];
        row[v] = hd_link_slot(&s->shortest->links, v, tree ? pick_tree(s, v, a, n, j) : pick_grid(s, dag->t, a, n, j));
    }
}

static void fill_leaf(const struct structured *s, uint32_t t, struct hd_dag *dag)
{
    uint32_t on_leaf = 0;
    hd_dag_make(s->shortest, t, dag);
    sort_candidates(s, dag);
    for (uint32_t c = s->net->off[t]; c < s->net->off[t + 1]; c++)
        if (s->net->head[c] >= s->net->nsw) structured_row(s, dag, c, on_leaf++);
    dag->t = UINT32_MAX; /* its links are in another order now */
}

hd_status hd_structured_fill(struct hd_ctx *ctx, const struct hd_shortest *shortest, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    const struct hd_links *l = &shortest->links;
    struct hd_arena scratch = {0};
    int threads = hd_threads(ctx);
    struct hd_dag *dag = HD_NEW(&scratch, struct hd_dag, (size_t)threads);
    struct structured s = {.shortest = shortest, .net = net, .r = r, .key = HD_NEW(&scratch, uint32_t, l->n)};
    hd_status status = dag && s.key ? HD_OK : hd_fail_memory(ctx);
    for (int i = 0; status == HD_OK && i < threads; i++) status = hd_dag_init(ctx, &scratch, &shortest->links, &dag[i]);
    if (status == HD_OK) {
        s.wprod[0] = 1;
        for (uint32_t i = 0; i < net->shape.n; i++) s.wprod[i + 1] = s.wprod[i] * net->shape.w[i];
        for (uint32_t v = 0; v < net->nsw; v++)
            for (uint32_t a = l->first[v]; a < l->first[v + 1]; a++)
                s.key[a] = net->shape.kind == HD_SHAPE_TREE ? tree_key(&s, v, a) : grid_key(&s, v, a);
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
        for (uint32_t i = 0; i < r->nleaf; i++) fill_leaf(&s, r->leaf[i], &dag[hd_thread_id()]);
    }
    hd_arena_release(&scratch);
    return status;
}

/* ---- whole? -------------------------------------------------------------------------------------- */

static bool evenly_filled(const struct hd_net *net)
{
    uint32_t each = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t n = 0;
        if (net->unplaced[v] || (net->shape.kind == HD_SHAPE_TREE && net->level[v] != 1)) continue;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) n += net->head[c] >= net->nsw;
        if (each && n != each) return false;
        each = n;
    }
    return true;
}

bool hd_structured_whole(const struct hd_net *net)
{
    const struct hd_shape *s = &net->shape;
    uint64_t size = 1;
    if (s->kind == HD_SHAPE_NONE || s->missing || s->strays || !evenly_filled(net)) return false;
    for (uint32_t i = 0; i < s->n; i++) size *= s->m[i];
    if (s->kind == HD_SHAPE_GRID) return size == hd_placed(net);
    for (uint32_t i = 1; i < s->n; i++)
        if ((uint64_t)s->w[i] * s->p[i] < (uint64_t)s->m[i - 1] * s->p[i - 1]) return false;
    return size == net->nep;
}
