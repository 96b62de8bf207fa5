/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact distances by breadth-first search from 256 switches at once, batches shared out to threads; grids and trees
 * that are whole have a closed form (distance_grid.c, distance_tree.c). Networks for which that would take minutes
 * are left without: the distances describe a network, and nothing else depends on them.
 *
 * Twins, switches with the same neighbours, are at the same distance from everything else and two cables from each
 * other: each class of twins becomes one node, which leaves 1 in 64 of the leaves of an intact tree of 128-port
 * switches. Then each node carries a word of 256 bits: bit i of seen[v] says that source i of the batch has reached
 * v. A node is expanded only in the steps in which new sources reach it. Cost: at worst (sources / 256) * diameter *
 * cables, usually far less. */
#include "net/describe/distance_stats.h"
#include "base/arena.h"
#include "base/lock.h"
#include "base/status.h"
#include "base/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, BATCH = 64 * WORDS };

struct bits {
    uint64_t w[WORDS];
};

struct graph { /* one node per class of twins */
    uint32_t n;
    uint32_t *first, *adj; /* neighbours of v: adj[first[v] .. first[v+1]-1], each once */
    uint64_t *weight;      /* endpoints */
};

/* ---- twins --------------------------------------------------------------------------------- */

struct distance_row { /* the neighbours of a switch, increasing, each once */
    uint64_t hash;
    const uint32_t *at;
    uint32_t n, v;
};

static int by_neighbours(const void *a, const void *b)
{
    const struct distance_row *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    int order = x->n ? memcmp(x->at, y->at, x->n * sizeof *x->at) : 0;
    if (order) return order;
    return (x->v > y->v) - (x->v < y->v);
}

/* Walking the switches in order and entering each at its neighbours leaves every list sorted. */
static void distance_stats_fill_rows(const struct hd_net *net, uint32_t *list, struct distance_row *row)
{
    for (uint32_t v = 0; v < net->nsw; v++) row[v] = (struct distance_row){.at = list + net->off[v], .v = v};
    for (uint32_t u = 0; u < net->nsw; u++)
        for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
            uint32_t v = net->head[c];
            if (v >= net->nsw) continue;
            uint32_t *at = list + net->off[v];
            if (row[v].n && at[row[v].n - 1] == u) continue;
            at[row[v].n++] = u;
            row[v].hash = (row[v].hash ^ u) * 0x9e3779b97f4a7c15u;
            row[v].hash ^= row[v].hash >> 32;
        }
}

/* Rows of one class become neighbours in the array. A switch without neighbours has no twin. */
static bool same_class(const struct distance_row *x, const struct distance_row *y)
{
    return x->n && x->hash == y->hash && x->n == y->n && memcmp(x->at, y->at, x->n * sizeof *x->at) == 0;
}

static uint64_t endpoints_of(const struct hd_net *net, uint32_t v)
{
    uint64_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) n += net->head[c] >= net->nsw;
    return n;
}

/* Numbers the classes, weighs them, and accounts for the pairs inside each: two cables apart. */
static void distance_stats_number_classes(const struct hd_net *net, const struct distance_row *row, uint32_t *class_of,
                                          struct graph *g, struct hd_distances *d)
{
    for (uint32_t i = 0; i < net->nsw;) {
        uint64_t squares = 0, inhabited = 0, k = g->n++;
        uint32_t begin = i;
        do {
            uint64_t n = endpoints_of(net, row[i].v);
            class_of[row[i].v] = (uint32_t)k;
            g->weight[k] += n;
            squares += n * n;
            inhabited += n > 0;
        } while (++i < net->nsw && same_class(&row[begin], &row[i]));
        d->sum += 2 * (g->weight[k] * g->weight[k] - squares);
        if (inhabited > 1) d->diameter = 2;
    }
}

static void join_classes(const struct hd_net *net, const struct distance_row *row, const uint32_t *class_of,
                         struct graph *g, uint32_t *mark)
{
    uint32_t used = 0, k = 0;
    for (uint32_t i = 0; i < net->nsw; i++) {
        if (class_of[row[i].v] != k) continue; /* a class is a run, and its first row represents it */
        g->first[k++] = used;
        for (uint32_t j = 0; j < row[i].n; j++) {
            uint32_t to = class_of[row[i].at[j]];
            if (mark[to] == k) continue;
            mark[to] = k;
            g->adj[used++] = to;
        }
    }
    g->first[k] = used;
}

static hd_status distance_stats_make_graph(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net,
                                           struct graph *g, struct hd_distances *d)
{
    uint32_t nsw = net->nsw, *list, *class_of, *mark;
    struct distance_row *row = HD_NEW(a, struct distance_row, nsw);
    *g = (struct graph){.weight = HD_NEW(a, uint64_t, nsw)};
    if (!HD_NEW_U32(a, (size_t)nsw + 1, &class_of, &mark, &g->first) || !row || !g->weight ||
        !HD_NEW_U32(a, net->off[nsw], &list, &g->adj))
        return hd_fail_memory(ctx);
    distance_stats_fill_rows(net, list, row);
    qsort(row, nsw, sizeof *row, by_neighbours);
    distance_stats_number_classes(net, row, class_of, g, d);
    join_classes(net, row, class_of, g, mark);
    return HD_OK;
}

/* ---- searches ------------------------------------------------------------------------------ */

struct distance_search {
    const struct graph *g;
    struct bits *seen, *now, *next; /* [n]; next is empty between steps */
    uint32_t *active, *later;       /* nodes with something in now, in next */
    uint32_t nactive, nlater;
    uint64_t steps, most;   /* taken by the batch, and allowed to it */
    uint64_t weight[BATCH]; /* of the sources */
    bool equal;             /* all the same */
};

static uint64_t distance_stats_weigh(const struct distance_search *s, const struct bits *b)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        if (s->equal)
            sum += s->weight[0] * (uint64_t)__builtin_popcountll(b->w[i]);
        else
            for (uint64_t x = b->w[i]; x; x &= x - 1) sum += s->weight[64 * i + (uint32_t)__builtin_ctzll(x)];
    }
    return sum;
}

static void expand(struct distance_search *s, uint32_t v)
{
    const struct bits *now = &s->now[v];
    s->steps += s->g->first[v + 1] - s->g->first[v];
    for (uint32_t i = s->g->first[v]; i < s->g->first[v + 1]; i++) {
        uint32_t u = s->g->adj[i];
        uint64_t fresh[WORDS], any = 0, had = 0;
        for (uint32_t j = 0; j < WORDS; j++) {
            fresh[j] = now->w[j] & ~s->seen[u].w[j];
            any |= fresh[j];
        }
        if (!any) continue;
        for (uint32_t j = 0; j < WORDS; j++) {
            had |= s->next[u].w[j];
            s->next[u].w[j] |= fresh[j];
        }
        if (!had) s->later[s->nlater++] = u;
    }
}

/* One step: everything at distance d from the sources. */
static void search_step(struct distance_search *s, uint32_t distance, struct hd_distances *d)
{
    for (uint32_t i = 0; i < s->nactive; i++) expand(s, s->active[i]);
    for (uint32_t i = 0; i < s->nactive; i++) memset(&s->now[s->active[i]], 0, sizeof *s->now);
    for (uint32_t i = 0; i < s->nlater; i++) {
        uint32_t u = s->later[i];
        for (uint32_t j = 0; j < WORDS; j++) s->seen[u].w[j] |= s->next[u].w[j];
        if (!s->g->weight[u]) continue;
        d->sum += distance * s->g->weight[u] * distance_stats_weigh(s, &s->next[u]);
        if (distance > d->diameter) d->diameter = distance;
    }
    struct bits *bits = s->now;
    uint32_t *list = s->active;
    s->now = s->next;
    s->next = bits;
    s->active = s->later;
    s->later = list;
    s->nactive = s->nlater;
    s->nlater = 0;
}

/* False: it would take more steps than allowed. */
static bool search_batch(struct distance_search *s, const uint32_t *source, uint32_t n, struct hd_distances *d)
{
    memset(s->seen, 0, s->g->n * sizeof *s->seen);
    s->nactive = 0;
    s->steps = 0;
    s->equal = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = source[i];
        s->seen[v].w[i / 64] = s->now[v].w[i / 64] = (uint64_t)1 << i % 64;
        s->weight[i] = s->g->weight[v];
        s->equal &= s->weight[i] == s->weight[0];
        s->active[s->nactive++] = v;
    }
    for (uint32_t distance = 1; s->nactive && s->steps <= s->most; distance++) search_step(s, distance, d);
    return s->steps <= s->most;
}

static bool distance_stats_search_init(struct distance_search *s, struct hd_arena *a, const struct graph *g)
{
    s->g = g;
    s->seen = HD_NEW(a, struct bits, g->n);
    s->now = HD_NEW(a, struct bits, g->n);
    s->next = HD_NEW(a, struct bits, g->n);
    return HD_NEW_U32(a, g->n, &s->active, &s->later) && s->seen && s->now && s->next;
}

/* Every batch has its own share of the steps, twice the mean one, so that whether there are enough does not depend on
 * which thread takes which batch. */
static hd_status distance_stats_search_all(struct hd_ctx *ctx, struct hd_arena *a, const struct graph *g,
                                           uint64_t steps, struct hd_distances *d)
{
    uint32_t *source = HD_NEW(a, uint32_t, g->n), n = 0;
    for (uint32_t v = 0; source && v < g->n; v++)
        if (g->weight[v]) source[n++] = v;
    int threads = hd_threads(ctx), batches = (int)((n + BATCH - 1) / BATCH);
    if ((uint64_t)batches * g->first[g->n] > steps) return HD_OK; /* every batch looks at every cable once */
    if (threads > batches) threads = batches > 0 ? batches : 1;
    struct distance_search *s = HD_NEW(a, struct distance_search, (size_t)threads);
    bool ok = source && s;
    for (int t = 0; ok && t < threads; t++) ok = distance_stats_search_init(&s[t], a, g);
    if (!ok) return hd_fail_memory(ctx);
    for (int t = 0; t < threads; t++) s[t].most = 2 * steps / (uint64_t)(batches > 0 ? batches : 1);
    struct hd_distances all = *d;
    atomic_bool enough = true;
    struct hd_lock lock = HD_LOCK_INIT;
#pragma omp parallel num_threads(threads)
    {
        struct hd_distances mine = {0};
#pragma omp for schedule(dynamic, 1)
        for (int b = 0; b < batches; b++) {
            uint32_t i = (uint32_t)b * BATCH;
            if (hd_thread_id() == 0) hd_progress(ctx, "distances", (uint64_t)b, (uint64_t)batches);
            if (enough && !search_batch(&s[hd_thread_id()], source + i, n - i < BATCH ? n - i : BATCH, &mine))
                enough = false;
        }
        hd_lock(&lock);
        all.sum += mine.sum;
        if (mine.diameter > all.diameter) all.diameter = mine.diameter;
        hd_unlock(&lock);
    }
    hd_progress(ctx, "distances", 1, 1);
    all.known = enough;
    *d = all;
    return HD_OK;
}

hd_status hd_search_distances(struct hd_ctx *ctx, const struct hd_net *net, uint64_t steps, struct hd_distances *out)
{
    struct hd_arena scratch = {0};
    struct graph g;
    struct hd_distances d = {0};
    hd_status s = distance_stats_make_graph(ctx, &scratch, net, &g, &d);
    if (s == HD_OK) s = distance_stats_search_all(ctx, &scratch, &g, steps, &d);
    if (s == HD_OK) *out = d.known ? d : (struct hd_distances){0};
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_net_distances(struct hd_ctx *ctx, const struct hd_net *net, struct hd_distances *out)
{
    if (hd_grid_distances(net, out) || hd_tree_distances(net, out)) return HD_OK;
    return hd_search_distances(ctx, net, HD_DISTANCE_STEPS, out);
}
