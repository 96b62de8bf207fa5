/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds. A source puts at most its largest share on a channel, so the sum over sources bounds the
 * matching, and so does the sum over destinations. Each sum takes a pass over all lines of one side (see
 * channel_usage.h), leaf switch by leaf switch, in parallel. Under cuts, a leaf switch contributes no more than its
 * cables carry.
 *
 * Matchings. The pairs of a batch of channels are gathered in one more pass, which leaves out destinations that none
 * of them leads to; batches grow, since the first channels often settle the matter. A channel's graph has groups of
 * sources (with the capacity of all their members) on the left and destinations on the right. Where pairs split over
 * several paths the edges have weights.
 *
 * Among channels with the same load the first in the order of bounds wins, whatever the threads do.
 * Towles, Dally: Worst-case traffic for oblivious routing functions (2002). */
#include "flow/bound/worst_permutation.h"
#include "base/lock.h"
#include "base/status.h"
#include "base/threads.h"
#include "flow/bound/cut_limits.h"
#include "flow/bound/matching.h"
#include "flow/core/channel_usage.h"
#include "route/core/routes_view.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BATCH = 1 << 14, GROWTH = 16, BATCH = 1 << 22, MAX_EDGES = 1 << 28 }; /* pairs gathered at once */

struct worst_candidate {
    uint64_t bound; /* in units of load: capacity * share * rate factor */
    uint32_t c;
};

struct pair_edge {
    uint32_t slot, g, i, share; /* slot: which channel of the batch; i: index of the destination */
};

struct worst_best {
    uint64_t load;          /* in the unit of bounds */
    uint32_t place, c;      /* place in the order of bounds */
    uint32_t n, *src, *dst; /* with room for all who take part */
};

struct worst_tally { /* of a channel: together, since a line touches few channels far apart */
    uint64_t mark;   /* item << 32 | largest share of the item so far */
    uint64_t leaf_sum, total, pairs;
    uint32_t leaf_top; /* largest share of the leaf switch, 0: not seen */
};

struct worst_worker {
    struct hd_line line;
    struct hd_arena arena;
    struct worst_tally *tally; /* [nchan + 1]; the last is the padding of lines, which nobody reads */
    uint64_t item;             /* lines counted */
    uint32_t *leaf_seen;       /* [nchan + 1] channels with a leaf_top */
    uint8_t *row;              /* [nsw] */
    struct pair_edge *edge;    /* gathered */
    size_t nedge, room;
    struct hd_limits limits;
    uint32_t *number; /* [max(ngroup, n)] vertex of a group, or of a destination */
};

struct worst_job {
    struct hd_ctx *ctx;
    const struct hd_worst_in *in;
    struct hd_usage u;
    int threads;
    struct worst_worker *w;
    uint64_t *bound, *pairs; /* [nchan + 1] */
    struct worst_candidate *order;
    uint32_t norder;
    uint32_t *slot; /* [nchan + 1] place in the batch, from 1 */
    struct worst_best best;
    uint32_t searched;
    hd_status failed;
    struct hd_lock lock; /* of best, searched and failed */
};

static uint64_t worst_factor(const struct worst_job *k, uint32_t c)
{
    return k->in->rates->factor ? k->in->rates->factor[c] : 1;
}

static uint64_t member_capacity(const struct worst_job *k, uint32_t from, uint32_t to)
{
    uint64_t sum = 0;
    if (!k->in->cuts) return to - from;
    for (uint32_t i = from; i < to; i++) sum += k->in->cuts->cap[0][k->u.ep[i]];
    return sum;
}

/* ---- bounds ---------------------------------------------------------------------------------------- */

/* A channel counts once per line, with its largest share: mark holds what was counted for this line already. */
static void count_item(struct worst_worker *w, uint64_t capacity, bool pairs, uint32_t *nleaf_seen)
{
    const struct hd_line *line = &w->line;
    uint64_t item = ++w->item << 32;
    for (size_t j = 0; j < line->at[line->n]; j++) {
        struct worst_tally *t = &w->tally[line->chan[j]];
        uint32_t share = line->share ? line->share[j] : 1;
        if (pairs) t->pairs++;
        if (t->mark >= (item | share)) continue;
        uint32_t had = t->mark > item ? (uint32_t)t->mark : 0;
        t->mark = item | share;
        t->leaf_sum += capacity * (share - had);
        if (t->leaf_top == 0) w->leaf_seen[(*nleaf_seen)++] = line->chan[j];
        if (share > t->leaf_top) t->leaf_top = share;
    }
}

static void count_leaf(struct worst_job *k, struct worst_worker *w, uint32_t leaf, bool by_destination)
{
    const struct hd_usage *u = &k->u;
    const struct hd_cuts *cuts = k->in->cuts;
    uint32_t nseen = 0;
    uint32_t from = by_destination ? u->leaf_ep[leaf] : u->leaf_group[leaf],
             to = by_destination ? u->leaf_ep[leaf + 1] : u->leaf_group[leaf + 1];
    uint64_t limit = UINT64_MAX;
    if (cuts) limit = cuts->cap[1][cuts->group[1][u->ep[u->leaf_ep[leaf]]]];
    for (uint32_t i = from; i < to; i++) {
        if (by_destination)
            hd_usage_to(u, u->ep[i], &w->line);
        else
            hd_usage_from(u, i, &w->line);
        count_item(w, by_destination ? member_capacity(k, i, i + 1) : member_capacity(k, u->first[i], u->first[i + 1]),
                   by_destination, &nseen);
    }
    for (uint32_t j = 0; j < nseen; j++) {
        struct worst_tally *t = &w->tally[w->leaf_seen[j]];
        uint64_t most = limit == UINT64_MAX ? limit : limit * t->leaf_top;
        t->total += t->leaf_sum < most ? t->leaf_sum : most;
        t->leaf_sum = t->leaf_top = 0;
    }
}

static hd_status bound_side(struct worst_job *k, bool by_destination, uint64_t *bound)
{
    uint32_t nchan = hd_routes_net(k->u.r)->nchan;
#pragma omp parallel for schedule(dynamic, 1) num_threads(k->threads)
    for (uint32_t leaf = 0; leaf < k->u.nleaf; leaf++) count_leaf(k, &k->w[hd_thread_id()], leaf, by_destination);
    for (int t = 0; t < k->threads; t++)
        if (k->w[t].line.failed) return hd_fail_memory(k->ctx);
#pragma omp parallel for schedule(static) num_threads(k->threads)
    for (uint32_t c = 0; c < nchan; c++) {
        uint64_t total = 0, pairs = 0;
        for (int t = 0; t < k->threads; t++) {
            struct worst_tally *own = &k->w[t].tally[c];
            total += own->total;
            pairs += own->pairs;
            own->total = 0;
        }
        bound[c] = total;
        k->pairs[c] = pairs;
    }
    return HD_OK;
}

static int by_bound(const void *a, const void *b)
{
    const struct worst_candidate *x = a, *y = b;
    if (x->bound != y->bound) return x->bound > y->bound ? -1 : 1;
    return (x->c > y->c) - (x->c < y->c);
}

static hd_status order_channels(struct worst_job *k, struct hd_arena *a)
{
    uint32_t nchan = hd_routes_net(k->u.r)->nchan;
    uint64_t *other = HD_NEW(a, uint64_t, nchan);
    k->order = HD_NEW(a, struct worst_candidate, nchan);
    if (!other || !k->order) return hd_fail_memory(k->ctx);
    HD_TRY(bound_side(k, true, k->bound));
    HD_TRY(bound_side(k, false, other));
    for (uint32_t c = 0; c < nchan; c++) {
        if (other[c] < k->bound[c]) k->bound[c] = other[c];
        if (k->bound[c]) k->order[k->norder++] = (struct worst_candidate){k->bound[c] * worst_factor(k, c), c};
    }
    if (k->norder) qsort(k->order, k->norder, sizeof *k->order, by_bound);
    return HD_OK;
}

/* ---- the pairs of a batch of channels --------------------------------------------------------------- */

static void keep_edge(struct worst_worker *w, struct pair_edge e)
{
    if (w->nedge == w->room) {
        size_t room = w->room ? 2 * w->room : 4096;
        struct pair_edge *edge = HD_NEW(&w->arena, struct pair_edge, room);
        if (!edge) {
            w->line.failed = true;
            return;
        }
        if (w->nedge) memcpy(edge, w->edge, w->nedge * sizeof *edge);
        w->edge = edge;
        w->room = room;
    }
    w->edge[w->nedge++] = e;
}

/* Whether a route of this row comes by v: one begins there, or comes by a switch whose entry leads to v. Entries are
 * one a switch, so that only through v itself could this go round. */
static bool passes(const struct hd_net *net, const uint32_t *leaf_of, const uint8_t *row, uint32_t v, uint32_t start)
{
    if (leaf_of[v] != UINT32_MAX) return true;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t u = net->head[c];
        if (u < net->nsw && u != start && net->off[u] + row[u] == net->rev[c] && passes(net, leaf_of, row, u, start))
            return true;
    }
    return false;
}

/* Whether some route towards d takes a channel of the batch. */
static bool leads_to(const struct worst_job *k, struct worst_worker *w, const struct worst_candidate *batch, uint32_t n,
                     uint32_t d)
{
    const struct hd_routes *r = k->u.r;
    const struct hd_net *net = hd_routes_net(r);
    const uint32_t *leaf_of = hd_routes_leaf_of(r), nvar = hd_routes_variants(r);
    for (uint32_t x = 0; x < nvar; x++) {
        const uint8_t *row = hd_routes_row(r, d, x, w->row);
        for (uint32_t j = 0; j < n; j++) {
            uint32_t v = net->tail[batch[j].c];
            if (net->off[v] + row[v] == batch[j].c && passes(net, leaf_of, row, v, v)) return true;
        }
    }
    return false;
}

static void gather_line(const struct worst_job *k, struct worst_worker *w, uint32_t i)
{
    const struct hd_line *line = &w->line;
    hd_usage_to(&k->u, k->u.ep[i], &w->line);
    for (uint32_t g = 0; g < line->n; g++)
        for (size_t j = line->at[g]; j < line->at[g + 1]; j++)
            if (k->slot[line->chan[j]] && !line->failed)
                keep_edge(w, (struct pair_edge){k->slot[line->chan[j]] - 1, g, i, line->share ? line->share[j] : 1});
}

/* Sorted by channel, then destination, then group: each thread has a stretch of the destinations. */
static hd_status worst_gather(struct worst_job *k, struct hd_arena *a, const struct worst_candidate *batch,
                              uint32_t nslot, struct pair_edge **edge, size_t **at)
{
    *at = HD_NEW(a, size_t, (size_t)nslot + 2);
    if (!*at) return hd_fail_memory(k->ctx);
#pragma omp parallel for schedule(static) num_threads(k->threads)
    for (uint32_t i = 0; i < k->u.n; i++) {
        struct worst_worker *w = &k->w[hd_thread_id()];
        if (leads_to(k, w, batch, nslot, k->u.ep[i])) gather_line(k, w, i);
    }
    size_t n = 0;
    for (int t = 0; t < k->threads; t++) {
        if (k->w[t].line.failed) return hd_fail_memory(k->ctx);
        for (size_t j = 0; j < k->w[t].nedge; j++) (*at)[k->w[t].edge[j].slot + 2]++;
        n += k->w[t].nedge;
    }
    *edge = HD_NEW(a, struct pair_edge, n);
    if (!*edge) return hd_fail_memory(k->ctx);
    for (uint32_t i = 2; i <= nslot; i++) (*at)[i] += (*at)[i - 1];
    for (int t = 0; t < k->threads; t++) {
        for (size_t j = 0; j < k->w[t].nedge; j++) (*edge)[(*at)[k->w[t].edge[j].slot + 1]++] = k->w[t].edge[j];
        hd_arena_release(&k->w[t].arena);
        k->w[t].edge = NULL;
        k->w[t].nedge = k->w[t].room = 0;
    }
    return HD_OK;
}

/* ---- one channel -------------------------------------------------------------------------------------- */

struct worst_graph {
    struct hd_bipartite b;
    uint32_t *left, *right;       /* vertices: groups, and destinations by index */
    uint32_t *left_ep, *right_ep; /* an endpoint of each */
    uint32_t *u, *v, *weight, *cap[2];
    bool alike; /* all weights are the same */
};

/* Numbers what the edges name, in order of appearance; number[] is left clear. */
static uint32_t number_vertices(uint32_t *number, const struct pair_edge *e, uint32_t n, bool left, uint32_t *of,
                                uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t what = left ? e[j].g : e[j].i;
        if (number[what] == 0) {
            list[count] = what;
            number[what] = ++count;
        }
        of[j] = number[what] - 1;
    }
    for (uint32_t j = 0; j < count; j++) number[list[j]] = 0;
    return count;
}

static bool alloc_graph(struct hd_arena *a, uint32_t n, struct worst_graph *g)
{
    uint32_t **arrays[] = {&g->left, &g->right,  &g->left_ep, &g->right_ep, &g->u,
                           &g->v,    &g->weight, &g->cap[0],  &g->cap[1],   &g->b.used};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!(*arrays[i] = HD_NEW(a, uint32_t, n))) return false;
    return true;
}

static hd_status worst_permutation_make_graph(struct worst_job *k, struct worst_worker *w, const struct pair_edge *e,
                                              uint32_t n, struct worst_graph *g)
{
    const struct hd_usage *u = &k->u;
    *g = (struct worst_graph){.alike = true};
    if (!alloc_graph(&w->arena, n, g)) return hd_fail_memory(k->ctx);
    uint32_t nl = number_vertices(w->number, e, n, true, g->u, g->left),
             nr = number_vertices(w->number, e, n, false, g->v, g->right);
    for (uint32_t i = 0; i < nl; i++) {
        g->left_ep[i] = u->ep[u->first[g->left[i]]];
        g->cap[0][i] = (uint32_t)member_capacity(k, u->first[g->left[i]], u->first[g->left[i] + 1]);
    }
    for (uint32_t i = 0; i < nr; i++) {
        g->right_ep[i] = u->ep[g->right[i]];
        g->cap[1][i] = (uint32_t)member_capacity(k, g->right[i], g->right[i] + 1);
    }
    for (uint32_t j = 0; j < n; j++) {
        g->weight[j] = e[j].share;
        g->alike = g->alike && e[j].share == e[0].share;
    }
    g->b.left = (struct hd_side){nl, nl, g->cap[0], NULL};
    g->b.right = (struct hd_side){nr, nr, g->cap[1], NULL};
    g->b.nedge = n;
    g->b.u = g->u;
    g->b.v = g->v;
    g->b.weight = g->weight;
    return k->in->cuts && k->in->cuts->slim
               ? hd_limits_add(k->ctx, &w->arena, &w->limits, g->left_ep, g->right_ep, &g->b)
               : HD_OK;
}

/* Members for the matched destinations of each group; none of them is a member. */
static void name_pairs(const struct worst_job *k, const struct worst_graph *g, struct worst_best *b)
{
    const struct hd_usage *u = &k->u;
    for (uint32_t x = 0; x < g->b.left.n; x++)
        for (uint32_t j = 0, next = u->first[g->left[x]]; j < g->b.nedge; j++) {
            if (g->u[j] != x || !g->b.used[j]) continue;
            b->src[b->n] = u->ep[next++];
            b->dst[b->n++] = g->right_ep[g->v[j]];
        }
}

/* What a channel must beat to matter: more, or as much from an earlier place. */
static bool hopeless(const struct worst_best *b, uint64_t load, uint32_t place)
{
    return load < b->load || (load == b->load && place >= b->place);
}

static hd_status worst_solve(struct worst_job *k, uint32_t place, const struct pair_edge *e, uint32_t n)
{
    struct worst_worker *w = &k->w[hd_thread_id()];
    const struct worst_candidate *x = &k->order[place];
    struct hd_mark mark = hd_arena_mark(&w->arena);
    bool amounts = k->in->cuts && k->in->cuts->unit > 1; /* what is matched are parts of pairs */
    struct worst_graph g;
    uint64_t size = 0, enough = x->bound / worst_factor(k, x->c);
    hd_status s = worst_permutation_make_graph(k, w, e, n, &g);
    if (s == HD_OK && g.alike) {
        s = hd_matching_most(k->ctx, &g.b, enough / e[0].share, &size);
        size *= e[0].share;
    } else if (s == HD_OK) {
        s = hd_matching_heaviest(k->ctx, &g.b, &size);
    }
    if (s == HD_OK) {
        hd_lock(&k->lock);
        k->searched++;
        if (!hopeless(&k->best, size * worst_factor(k, x->c), place)) {
            k->best = (struct worst_best){size * worst_factor(k, x->c), place, x->c, 0, k->best.src, k->best.dst};
            if (!amounts) name_pairs(k, &g, &k->best);
        }
        hd_unlock(&k->lock);
    }
    hd_arena_rewind(&w->arena, mark);
    return s;
}

/* ---- the search --------------------------------------------------------------------------------------- */

static hd_status solve_batch(struct worst_job *k, uint32_t from, uint32_t to)
{
    struct hd_arena a = {0};
    struct pair_edge *edge;
    size_t *at;
    for (uint32_t i = from; i < to; i++) k->slot[k->order[i].c] = i - from + 1;
    hd_status s = worst_gather(k, &a, k->order + from, to - from, &edge, &at);
#pragma omp parallel for schedule(dynamic, 1) num_threads(k->threads)
    for (uint32_t i = from; i < to; i++) {
        hd_lock(&k->lock);
        bool skip = s != HD_OK || k->failed || hopeless(&k->best, k->order[i].bound, i);
        hd_unlock(&k->lock);
        if (skip) continue;
        size_t first = at[i - from], n = at[i - from + 1] - first;
        hd_status own = worst_solve(k, i, edge + first, (uint32_t)n);
        hd_lock(&k->lock);
        if (own != HD_OK) k->failed = own;
        hd_unlock(&k->lock);
    }
    for (uint32_t i = from; i < to; i++) k->slot[k->order[i].c] = 0;
    hd_arena_release(&a);
    return s != HD_OK ? s : k->failed;
}

static hd_status worst_permutation_worst_search(struct worst_job *k)
{
    const struct hd_net *net = hd_routes_net(k->u.r);
    size_t room = FIRST_BATCH;
    for (uint32_t from = 0, to; from < k->norder; from = to, room = room < BATCH / GROWTH ? room * GROWTH : BATCH) {
        size_t edges = 0;
        for (to = from; to < k->norder && !hopeless(&k->best, k->order[to].bound, to); to++) {
            size_t n = k->pairs[k->order[to].c];
            if (n > MAX_EDGES)
                return hd_fail(k->ctx, HD_NA,
                               "the channel from %s port %u carries %zu groups of pairs: matchings of more than %d are "
                               "not attempted",
                               hd_node_name(net, net->tail[k->order[to].c]), net->port[k->order[to].c], n, MAX_EDGES);
            if (to > from && edges + n > room) break;
            edges += n;
        }
        if (to == from) break;
        hd_progress(k->ctx, "channels", from, k->norder);
        HD_TRY(solve_batch(k, from, to));
    }
    hd_progress(k->ctx, "channels", k->norder, k->norder);
    return HD_OK;
}

static uint64_t cable_load(const struct worst_job *k, uint32_t c)
{
    return k->u.unit * (k->in->cuts ? (uint64_t)k->in->cuts->unit * k->in->rates->scale : worst_factor(k, c));
}

/* Endpoint cables carry one flow at most, so the slowest one of a pair that is served is what to beat. Under
 * cuts no endpoint cable carries more than it can. */
static hd_status try_cables(struct worst_job *k, struct hd_arena *keep)
{
    const struct hd_net *net = hd_routes_net(k->u.r);
    uint32_t path[HD_MAX_HOPS];
    struct worst_best *b = &k->best;
    uint64_t most = 0;
    for (uint32_t i = 0; i < k->u.n; i++) {
        uint64_t load = cable_load(k, net->off[net->nsw + k->u.ep[i]]);
        if (load > most) most = load;
    }
    *b = (struct worst_best){
        .place = 0, .c = UINT32_MAX, .src = HD_NEW(keep, uint32_t, k->u.n), .dst = HD_NEW(keep, uint32_t, k->u.n)};
    if (!b->src || !b->dst) return hd_fail_memory(k->ctx);
    for (uint32_t i = 0; i < k->u.n; i++)
        for (uint32_t j = 0; j < k->u.n && b->load < most; j++) {
            uint32_t s = k->u.ep[i], d = k->u.ep[j], up = net->off[net->nsw + s],
                     down = net->rev[net->off[net->nsw + d]];
            uint32_t c = cable_load(k, down) > cable_load(k, up) ? down : up;
            if (s == d || cable_load(k, c) <= b->load) continue;
            if (!hd_routes_path(k->u.r, s, d, hd_routes_variant(k->u.r, s, d), path)) continue;
            b->load = cable_load(k, c);
            b->c = c;
            b->n = 1;
            b->src[0] = s;
            b->dst[0] = d;
        }
    return HD_OK;
}

/* Fresh memory is zero already, but a page that is read before it is written is mapped twice, and the second time
 * interrupts all other threads: so each thread writes first what it is going to add to. */
static void worst_touch(struct worst_job *k)
{
#pragma omp parallel num_threads(k->threads)
    memset(k->w[hd_thread_id()].tally, 0, ((size_t)hd_routes_net(k->u.r)->nchan + 1) * sizeof(struct worst_tally));
}

static hd_status init_job(struct worst_job *k, struct hd_arena *a)
{
    const struct hd_net *net = hd_routes_net(k->u.r);
    size_t nchan = (size_t)net->nchan + 1;
    k->w = HD_NEW(a, struct worst_worker, (size_t)k->threads);
    k->bound = HD_NEW(a, uint64_t, nchan);
    k->pairs = HD_NEW(a, uint64_t, nchan);
    k->slot = HD_NEW(a, uint32_t, nchan);
    if (!k->w || !k->bound || !k->pairs || !k->slot) return hd_fail_memory(k->ctx);
    for (int t = 0; t < k->threads; t++) {
        struct worst_worker *w = &k->w[t];
        w->tally = HD_NEW(a, struct worst_tally, nchan);
        w->leaf_seen = HD_NEW(a, uint32_t, nchan);
        w->row = HD_NEW(a, uint8_t, net->nsw);
        w->number = HD_NEW(a, uint32_t, k->u.n);
        if (!w->tally || !w->leaf_seen || !w->row || !w->number) return hd_fail_memory(k->ctx);
        HD_TRY(hd_line_init(k->ctx, &k->u, &w->line));
        if (k->in->cuts) HD_TRY(hd_limits_init(k->ctx, a, k->in->cuts, &w->limits));
    }
    worst_touch(k);
    return HD_OK;
}

hd_status hd_worst_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_worst_in *in,
                        struct hd_worst *worst)
{
    struct hd_arena scratch = {0};
    struct worst_job k = {.ctx = ctx, .in = in, .threads = hd_threads(ctx), .lock = HD_LOCK_INIT};
    hd_status s = hd_usage_init(ctx, &scratch, in->routes, in->among, &k.u);
    if (s == HD_OK) s = init_job(&k, &scratch);
    if (s == HD_OK) s = order_channels(&k, &scratch);
    uint64_t unserved = 0;
    for (int t = 0; s == HD_OK && t < k.threads; t++) unserved += k.w[t].line.unserved;
    if (s == HD_OK) s = try_cables(&k, arena);
    if (s == HD_OK) s = worst_permutation_worst_search(&k);
    for (int t = 0; k.w && t < k.threads; t++) {
        hd_arena_release(&k.w[t].arena);
        hd_line_release(&k.w[t].line);
    }
    if (s == HD_OK) {
        double full = (double)(in->cuts ? in->cuts->unit : 1) * k.u.unit * in->rates->scale;
        *worst = (struct hd_worst){.load = (double)k.best.load / full,
                                   .chan = k.best.c,
                                   .n = k.best.n,
                                   .src = k.best.src,
                                   .dst = k.best.dst,
                                   .unserved = unserved / 2 / k.u.unit, /* lines of both sides count every pair */
                                   .searched = k.searched};
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- a full permutation --------------------------------------------------------------------------------- */

/* Endpoints that do not send yet and those that do not receive yet are paired in order; one that would send to itself
 * swaps with the pair before. */
hd_status hd_worst_complete(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_ranks *among,
                            struct hd_worst *w)
{
    struct hd_arena scratch = {0};
    bool *sends = HD_NEW(&scratch, bool, net->nep), *receives = HD_NEW(&scratch, bool, net->nep);
    uint32_t given = w->n, s = given, d = given;
    if (!sends || !receives) {
        hd_arena_release(&scratch);
        return hd_fail_memory(ctx);
    }
    for (uint32_t i = 0; i < given; i++) sends[w->src[i]] = receives[w->dst[i]] = true;
    for (uint32_t i = 0; i < among->n; i++) {
        if (!sends[among->ep[i]]) w->src[s++] = among->ep[i];
        if (!receives[among->ep[i]]) w->dst[d++] = among->ep[i];
    }
    for (uint32_t i = given; i < s; i++) {
        uint32_t other = i > given ? i - 1 : i + 1;
        if (w->src[i] != w->dst[i] || other >= s) continue;
        uint32_t swap = w->dst[i];
        w->dst[i] = w->dst[other];
        w->dst[other] = swap;
    }
    if (s > given && w->src[s - 1] == w->dst[s - 1]) s--; /* one alone */
    w->n = s;
    hd_arena_release(&scratch);
    return HD_OK;
}
