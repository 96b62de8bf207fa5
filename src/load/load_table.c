/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads under a stored table. A flow touches one byte of the table at every switch, each in another cache line, and
 * each has to arrive before the next is known. So paths are compiled once. Most of them share what follows the first
 * channel: the paths to a destination go through few of the switches behind its leaves (one per pod in a fat tree). For
 * each row of the table (destination and variant) these tails are stored once, side by side, and for each leaf switch
 * which tail and which of its own channels: its link, two bytes. A flow is then two cache lines, both requested long
 * before they are needed.
 * Channels between switches are numbered from 0, in 16 bits if these suffice, those of a leaf consecutively, followed
 * by a number that means none; tails are padded to the longest with the number none, and those that lead nowhere begin
 * with the number lost. Bottlenecks count numbers; paths translate them into channels.
 *
 * Functions marked INLINE are templates: they are called with the sizes as constants for the usual trees, so that the
 * compiler unrolls tails, and once with variables for all others.
 * Cost: O(leaves * rows) once, O(hops) for every tail; two look-ups per flow. */
#include "base/lock.h"
#include "base/status.h"
#include "base/threads.h"
#include "load/load_strategy.h"
#include "route/core/routes.h"

#include <string.h>

enum {
    MEMORY_LIMIT = 640 << 20, /* bytes */
    AHEAD = 32,
    TRIED = 64,
    WORTH = 32,        /* walking a flow costs about as much as compiling this many paths */
    LOST = UINT16_MAX, /* more than any load */
    RANK = 8,          /* bits of a link for the number of a channel among those of its leaf */
    CHUNK = 1 << 18    /* bytes a thread takes from the arena at a time */
};

struct table_size {  /* what templates are made for */
    uint32_t link;   /* bytes of a link: 2 or 4 */
    uint32_t word;   /* bytes of a number in a tail: 2 or 4 */
    uint32_t stride; /* numbers in a tail */
    bool padded;     /* most tails are much shorter than the longest: stop at the number none */
};

struct table_data {
    const struct hd_routes *r;
    struct table_size size;
    uint32_t none, lost;     /* lost = none + 1 */
    const uint32_t *leaf;    /* [nep] number of an endpoint's switch among the leaves */
    const uint32_t *base;    /* [nleaf + 1] first number of a leaf's channels; the last before the next is none */
    const uint32_t *number;  /* [channels of switches] of those between switches */
    const uint32_t *hop;     /* [channels of switches] of those of leaves: node behind << RANK | number - base */
    const uint32_t *channel; /* [lost + 1] by number; nchan: none */
    void *link;              /* [row * nleaf + leaf] tail << RANK | channel - base */
    const char **tail;       /* [row] of stride numbers each */
};

struct table_scratch {
    uint16_t *count;   /* [lost + 1]; zero between runs */
    const char **tail; /* [flow] */
    uint32_t *number;  /* [flow * (1 + stride)] */
};

/* What finds the link of a flow, copied so that no store of a loop can change it. */
struct table_rows {
    const uint16_t *variant; /* by source, NULL: one */
    const uint32_t *leaf;
    size_t nvar, nleaf;
};

INLINE struct table_rows rows_of(const struct table_data *t)
{
    const struct hd_routes *r = t->r;
    return (struct table_rows){r->select == HD_SELECT_SOURCE ? r->source_class : NULL, t->leaf, r->nvar, r->nleaf};
}

INLINE size_t row_of(struct table_rows k, uint32_t src, uint32_t dst)
{
    return dst * k.nvar + (k.variant ? k.variant[src] : 0);
}

INLINE size_t link_of(struct table_rows k, size_t row, uint32_t leaf)
{
    return row * k.nleaf + leaf;
}

/* ---- bottlenecks ------------------------------------------------------------------------------ */

/* First channels and tails of all flows. */
INLINE void find_tails(const struct table_data *t, struct table_size z, const struct table_scratch *w,
                       const struct hd_flows *f)
{
    const struct table_rows k = rows_of(t);
    const uint32_t *src = f->src, *dst = f->dst, *base = t->base, n = f->n;
    const char *const *tail = t->tail, *link = t->link;
    uint32_t *number = w->number;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t then = i + AHEAD < n ? i + AHEAD : i;
        __builtin_prefetch(link + link_of(k, row_of(k, src[then], dst[then]), k.leaf[src[then]]) * z.link);
        const size_t row = row_of(k, src[i], dst[i]);
        const uint32_t leaf = k.leaf[src[i]], found = hd_load_get(link, z.link, link_of(k, row, leaf));
        number[i * (size_t)(1 + z.stride)] = base[leaf] + (found & ((1u << RANK) - 1));
        w->tail[i] = tail[row] + (size_t)(found >> RANK) * z.stride * z.word;
        __builtin_prefetch(w->tail[i]);
    }
}

INLINE void count_flows(struct table_size z, const struct table_scratch *w, uint32_t n, uint32_t none)
{
    const char *const *tail = w->tail;
    uint32_t *number = w->number;
    uint16_t *count = w->count;
    for (uint32_t i = 0; i < n; i++, number += 1 + z.stride) {
        count[number[0]]++;
        for (uint32_t j = 0; j < z.stride; j++) {
            uint32_t c = hd_load_get(tail[i], z.word, j);
            number[1 + j] = c;
            if (z.padded && c == none) break;
            count[c]++;
        }
    }
}

INLINE void look_up(struct table_size z, const struct table_scratch *w, uint32_t n, uint32_t none, uint32_t *most)
{
    const uint32_t *number = w->number;
    const uint16_t *count = w->count;
    for (uint32_t i = 0; i < n; i++, number += 1 + z.stride) {
        uint32_t m = 1; /* its own cables of endpoints */
        for (uint32_t j = 0; j < 1 + z.stride; j++) {
            if (z.padded && number[j] == none) break;
            m = count[number[j]] > m ? count[number[j]] : m;
        }
        most[i] = m == LOST ? 0 : m;
    }
}

INLINE void bottlenecks_sized(const struct table_data *t, struct table_size z, const struct table_scratch *w,
                              const struct hd_flows *f, uint32_t *most)
{
    find_tails(t, z, w, f);
    count_flows(z, w, f->n, t->none);
    for (uint32_t leaf = 1; leaf <= t->r->nleaf; leaf++) w->count[t->base[leaf] - 1] = 0;
    w->count[t->none] = 0;
    w->count[t->lost] = LOST;
    look_up(z, w, f->n, t->none, most);
    memset(w->count, 0, ((size_t)t->lost + 1) * sizeof *w->count);
}

static void table_bottlenecks(const struct hd_loader *loader, void *scratch, const struct hd_flows *f, uint32_t *most)
{
    const struct table_data *t = loader->data;
    const struct table_size z = t->size;
    bool small = z.link == 2, narrow = z.word == 2;
    if (small && narrow && z.stride == 1) /* two levels of switches */
        bottlenecks_sized(t, (struct table_size){2, 2, 1, false}, scratch, f, most);
    else if (small && narrow && z.stride == 3) /* three */
        bottlenecks_sized(t, (struct table_size){2, 2, 3, false}, scratch, f, most);
    else if (small && z.stride == 3)
        bottlenecks_sized(t, (struct table_size){2, 4, 3, false}, scratch, f, most);
    else if (small && narrow) /* no tree, in general */
        bottlenecks_sized(t, (struct table_size){2, 2, z.stride, true}, scratch, f, most);
    else
        bottlenecks_sized(t, (struct table_size){z.link, z.word, z.stride, true}, scratch, f, most);
}

static hd_status table_scratch(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader *loader,
                               uint32_t max_flows, void **scratch)
{
    const struct table_data *t = loader->data;
    struct table_scratch *w = HD_NEW(arena, struct table_scratch, 1);
    if (!w) return hd_fail_memory(ctx);
    w->count = HD_NEW(arena, uint16_t, (size_t)t->lost + 1);
    w->tail = HD_NEW(arena, const char *, max_flows);
    w->number = HD_NEW(arena, uint32_t, (size_t)max_flows * (1 + t->size.stride));
    if (!w->count || !w->tail || !w->number) return hd_fail_memory(ctx);
    *scratch = w;
    return HD_OK;
}

/* ---- paths ------------------------------------------------------------------------------------ */

INLINE void paths_sized(const struct table_data *t, struct table_size z, const uint32_t *src, const uint32_t *dst,
                        uint32_t n, uint32_t *chan)
{
    const struct table_rows k = rows_of(t);
    const uint32_t *base = t->base, *channel = t->channel;
    const char *const *tails = t->tail, *link = t->link;
    for (uint32_t i = 0; i < n; i++, chan += 1 + z.stride) {
        uint32_t then = i + AHEAD < n ? i + AHEAD : i;
        __builtin_prefetch(link + link_of(k, row_of(k, src[then], dst[then]), k.leaf[src[then]]) * z.link);
        const size_t row = row_of(k, src[i], dst[i]);
        const uint32_t leaf = k.leaf[src[i]], found = hd_load_get(link, z.link, link_of(k, row, leaf));
        const char *tail = tails[row] + (size_t)(found >> RANK) * z.stride * z.word;
        chan[0] = channel[base[leaf] + (found & ((1u << RANK) - 1))];
        for (uint32_t j = 0; j < z.stride; j++) chan[1 + j] = channel[hd_load_get(tail, z.word, j)];
    }
}

static void table_paths(const struct hd_loader *loader, const uint32_t *src, const uint32_t *dst, uint32_t n,
                        uint32_t *chan)
{
    const struct table_data *t = loader->data;
    const struct table_size z = t->size;
    if (z.link == 2 && z.word == 2 && z.stride == 1)
        paths_sized(t, (struct table_size){2, 2, 1, false}, src, dst, n, chan);
    else if (z.link == 2 && z.word == 2 && z.stride == 3)
        paths_sized(t, (struct table_size){2, 2, 3, false}, src, dst, n, chan);
    else
        paths_sized(t, z, src, dst, n, chan);
}

/* ---- compiling -------------------------------------------------------------------------------- */

/* Tails of a row: none for the leaf of d itself, one for those that get lost, then those that are found. */
enum { EMPTY, NOWHERE, FIRST, UNMET = UINT16_MAX };

struct table_need { /* of all rows */
    uint32_t longest, most_tails;
    bool loses; /* a leaf has no path to a destination */
};

struct table_compiler { /* shared by the threads */
    struct hd_arena *arena;
    struct hd_lock lock; /* of the arena */
    const struct table_data *t;
};

struct table_writer {  /* one per thread */
    uint16_t *tail_of; /* [nsw] tail that begins at a switch, UNMET between rows */
    uint32_t *met;     /* [nsw] the switches of this row that have one */
    char *tails;       /* [(nsw + FIRST) * stride] of this row */
    uint32_t nmet, ntail;
    struct table_need need;
    char *chunk; /* tails of rows go here */
    size_t left;
    bool failed;
};

static void load_table_put_tail(const struct table_data *t, struct table_writer *w, uint32_t tail, const uint32_t *path,
                                uint32_t n)
{
    for (uint32_t j = 0; j < t->size.stride; j++) {
        uint32_t c = j < n ? path[j] : t->none;
        hd_load_set(w->tails, t->size.word, (size_t)tail * t->size.stride + j, c);
    }
}

/* The tail from switch v to d along a row, written when it is first met. */
static uint32_t new_tail(const struct table_data *t, struct table_writer *w, const uint8_t *row, uint32_t v, uint32_t d)
{
    const struct hd_net *net = t->r->net;
    uint32_t path[HD_MAX_HOPS], n = 0, from = v;
    w->met[w->nmet++] = v;
    w->tail_of[from] = NOWHERE;
    for (; row[v] != HD_SLOT_NONE; n++) {
        uint32_t c = net->off[v] + row[v];
        v = net->head[c];
        if (v >= net->nsw || n + 3 >= HD_MAX_HOPS) break; /* with both endpoint cables and the first channel */
        path[n] = t->number[c];
    }
    if (v != net->nsw + d) return NOWHERE;
    if (n > w->need.longest) w->need.longest = n;
    load_table_put_tail(t, w, w->ntail, path, n);
    return w->tail_of[from] = (uint16_t)w->ntail++;
}

/* Tails of a row leave the writer. */
static void keep_tails(struct table_compiler *k, struct table_writer *w, size_t row)
{
    const struct table_data *t = k->t;
    size_t bytes = (size_t)w->ntail * t->size.stride * t->size.word;
    if (w->left < bytes) {
        w->left = bytes > CHUNK ? bytes : CHUNK;
        hd_lock(&k->lock);
        w->chunk = HD_NEW(k->arena, char, w->left);
        hd_unlock(&k->lock);
        if (!w->chunk) w->left = 0;
    }
    w->failed |= !w->chunk;
    if (!w->chunk) return;
    t->tail[row] = memcpy(w->chunk, w->tails, bytes);
    w->chunk += bytes;
    w->left -= bytes;
}

/* The paths to one destination from all leaves. */
static void write_row(struct table_compiler *k, struct table_writer *w, size_t row)
{
    const struct table_data *t = k->t;
    const struct hd_routes *r = t->r;
    const uint32_t nsw = r->net->nsw, d = (uint32_t)(row / r->nvar), *off = r->net->off;
    const uint8_t *entry = r->table + row * nsw;
    bool loses = false;
    w->ntail = FIRST;
    load_table_put_tail(t, w, EMPTY, NULL, 0);
    load_table_put_tail(t, w, NOWHERE, &t->lost, 1);
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        uint32_t v = r->leaf[leaf], slot = entry[v], rank = t->base[leaf + 1] - t->base[leaf] - 1, tail = NOWHERE;
        uint32_t hop = slot == HD_SLOT_NONE ? UINT32_MAX : t->hop[off[v] + slot], to = hop >> RANK;
        if (to < nsw) {
            tail = w->tail_of[to];
            if (tail == UNMET) tail = new_tail(t, w, entry, to, d);
            if (tail != NOWHERE) rank = hop & ((1u << RANK) - 1);
        } else if (to == nsw + d) {
            tail = EMPTY;
        }
        loses |= tail == NOWHERE;
        if (t->link) hd_load_set(t->link, t->size.link, row * r->nleaf + leaf, tail << RANK | rank);
    }
    w->need.loses |= loses;
    while (w->nmet > 0) w->tail_of[w->met[--w->nmet]] = UNMET;
    if (w->ntail > w->need.most_tails) w->need.most_tails = w->ntail;
    if (t->link) keep_tails(k, w, row);
}

/* All rows, or one in `step`; what they need is added to *need. */
static hd_status write_rows(struct hd_ctx *ctx, struct hd_arena *arena, const struct table_data *t, size_t step,
                            struct table_need *need)
{
    const size_t rows = (size_t)t->r->net->nep * t->r->nvar, nsw = t->r->net->nsw;
    const int threads = hd_threads(ctx);
    struct table_compiler k = {arena, HD_LOCK_INIT, t};
    struct table_writer *writer = HD_NEW(arena, struct table_writer, (size_t)threads);
    if (!writer) return hd_fail_memory(ctx);
    for (int i = 0; i < threads; i++) {
        struct table_writer *w = &writer[i];
        w->tail_of = HD_NEW(arena, uint16_t, nsw);
        w->met = HD_NEW(arena, uint32_t, nsw);
        w->tails = HD_NEW(arena, char, (nsw + FIRST) * t->size.stride * t->size.word);
        if (!w->tail_of || !w->met || !w->tails) return hd_fail_memory(ctx);
        for (size_t v = 0; v < nsw; v++) w->tail_of[v] = UNMET;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t row = 0; row < rows; row += step) write_row(&k, &writer[hd_thread_id()], row);
    for (int i = 0; i < threads; i++) {
        const struct table_need *n = &writer[i].need;
        if (writer[i].failed) return hd_fail_memory(ctx);
        if (n->longest > need->longest) need->longest = n->longest;
        if (n->most_tails > need->most_tails) need->most_tails = n->most_tails;
        need->loses |= n->loses;
    }
    return HD_OK;
}

/* How long and how many tails are is estimated from some rows; one that needs more starts it again. False if the result
 * would be too large, or all pairs must have a path and one has none. */
static hd_status load_table_write_all(struct hd_ctx *ctx, struct hd_arena *arena, struct table_data *t, bool all_served,
                                      bool *fits)
{
    const size_t rows = (size_t)t->r->net->nep * t->r->nvar, nleaf = t->r->nleaf;
    struct table_need need = {.longest = 1};
    HD_TRY(write_rows(ctx, arena, t, rows / TRIED + 1, &need)); /* nothing to write to yet */
    for (;;) {
        struct hd_mark mark = hd_arena_mark(arena);
        t->size.stride = need.longest;
        t->size.link = need.most_tails <= 1 << RANK ? 2 : 4;
        *fits = !(all_served && need.loses) &&
                rows * nleaf * t->size.link + rows * need.most_tails * t->size.stride * t->size.word <= MEMORY_LIMIT;
        if (!*fits) return HD_OK;
        t->link = HD_NEW(arena, char, rows *nleaf * t->size.link);
        t->tail = HD_NEW(arena, const char *, rows);
        if (!t->link || !t->tail) return hd_fail_memory(ctx);
        HD_TRY(write_rows(ctx, arena, t, 1, &need));
        bool complete = need.longest == t->size.stride && (t->size.link == 4 || need.most_tails <= 1 << RANK);
        if (complete && !(all_served && need.loses)) return HD_OK;
        hd_arena_rewind(arena, mark);
    }
}

/* Channels between switches: those of leaves first, each followed by one number more. */
static void number_channels(struct table_data *t, uint32_t *base, uint32_t *number, uint32_t *hop)
{
    const struct hd_routes *r = t->r;
    const struct hd_net *net = r->net;
    uint32_t n = 0;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        uint32_t v = r->leaf[leaf];
        base[leaf] = n;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            hop[c] = net->head[c] << RANK | (n - base[leaf]);
            if (net->head[c] < net->nsw) number[c] = n++;
        }
        n++;
    }
    base[r->nleaf] = n;
    for (uint32_t v = 0; v < net->nsw; v++)
        for (uint32_t c = net->off[v]; r->leaf_of[v] == UINT32_MAX && c < net->off[v + 1]; c++)
            if (net->head[c] < net->nsw) number[c] = n++;
    t->none = n;
    t->lost = n + 1;
    t->size.word = t->lost <= UINT16_MAX ? 2 : 4;
}

static hd_status load_table_list_channels(struct hd_ctx *ctx, struct hd_arena *arena, struct table_data *t)
{
    const struct hd_net *net = t->r->net;
    uint32_t *channel = HD_NEW(arena, uint32_t, (size_t)t->lost + 1);
    if (!channel) return hd_fail_memory(ctx);
    for (size_t i = 0; i <= t->lost; i++) channel[i] = net->nchan;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (net->head[c] < net->nsw) channel[t->number[c]] = c;
    t->channel = channel;
    return HD_OK;
}

static hd_status table_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader_in *in,
                            struct hd_loader *loader)
{
    const struct hd_routes *r = in->routes;
    const struct hd_net *net = r->net;
    if (!r->table || in->flows < (uint64_t)r->nleaf * net->nep * r->nvar / WORTH) return HD_OK;
    if (net->nsw == 0 || net->nsw >= UNMET - FIRST || net->nep >= LOST) return HD_OK; /* no load may mean lost */
    struct table_data *t = HD_NEW(arena, struct table_data, 1);
    uint32_t *leaf = HD_NEW(arena, uint32_t, net->nep), *base = HD_NEW(arena, uint32_t, (size_t)r->nleaf + 1);
    uint32_t *number, *hop;
    if (!t || !leaf || !base || !HD_NEW_U32(arena, net->off[net->nsw], &number, &hop)) return hd_fail_memory(ctx);
    *t = (struct table_data){.r = r, .leaf = leaf, .base = base, .number = number, .hop = hop};
    for (uint32_t e = 0; e < net->nep; e++) leaf[e] = r->leaf_of[hd_leaf(net, e)];
    number_channels(t, base, number, hop);
    HD_TRY(load_table_list_channels(ctx, arena, t));
    /* With different rates bottlenecks are counted along paths too, and paths cannot say that there is none. */
    bool fits, all_served = in->need != HD_NEED_BOTTLENECKS || (in->rates && in->rates->factor);
    HD_TRY(load_table_write_all(ctx, arena, t, all_served, &fits));
    if (!fits) return HD_OK;
    loader->data = t;
    loader->stride = 1 + t->size.stride;
    return HD_OK;
}

const struct hd_load_strategy hd_load_table = {table_make, table_bottlenecks, table_scratch, table_paths};
