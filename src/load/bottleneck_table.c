/* SPDX-License-Identifier: BSD-2-Clause */
/* Bottlenecks under a stored table. A flow touches one byte of the table at every switch, each in another cache
 * line, and each has to arrive before the next is known. So paths are written down once. Most of them share what
 * follows the first channel: the paths to a destination go through few of the switches behind its leaves (one a pod in
 * a fat tree). For each row of the table (destination and variant) these tails are written once each, side by side,
 * and for each leaf switch which tail and which of its own channels: two bytes. A flow is then two lines, both asked
 * for long before they are needed.
 * Channels between switches are numbered on their own, in 16 bits where that does, those of a leaf one after the
 * other with a number that stands for none behind them; tails are padded to the longest with the number none, and
 * those that lead nowhere begin with the number lost. Cost: O(leaves * rows) once, O(hops) for every tail. */
#include "base/status.h"
#include "base/threads.h"
#include "load/bottleneck.h"
#include "route/core/routes.h"

#include <string.h>

enum {
    MEMORY_LIMIT = 640 << 20, /* bytes */
    AHEAD = 32,
    TRIED = 64,
    LOST = UINT16_MAX, /* more than any load */
    RANK = 8,          /* bits of a way for the number of a channel among those of its leaf */
    CHUNK = 1 << 18    /* bytes a thread takes from the arena at a time */
};

struct table {
    const struct hd_routes *r;
    uint32_t stride, none, lost; /* lost = none + 1 */
    uint32_t word;               /* bytes of a number in a tail: 2 or 4 */
    uint32_t bytes;              /* of a way: 2 or 4 */
    const uint32_t *leaf;        /* [nep] number of an endpoint's switch among the leaves */
    const uint32_t *base;        /* [nleaf + 1] first number of a leaf's channels; the last before the next is none */
    const uint32_t *number;      /* [channels of switches] of those between switches */
    const uint32_t *hop;         /* [channels of switches] of those of leaves: node behind << RANK | number - base */
    void *way;                   /* [row * nleaf + leaf] tail << RANK | channel - base */
    const char **tail;           /* [row] of stride numbers each */
};

struct scratch {
    uint16_t *count;   /* [lost + 1]; zero between samples */
    const char **tail; /* [flow] */
    uint32_t *chan;    /* [flow * (1 + stride)] */
};

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t get(const void *v, uint32_t bytes, size_t i)
{
    return bytes == 2 ? ((const uint16_t *)v)[i] : ((const uint32_t *)v)[i];
}

/* First channels and tails of all flows. */
INLINE void find_tails(const struct table *t, uint32_t bytes, uint32_t word, uint32_t stride, const struct scratch *w,
                       const struct hd_flows *f)
{
    const struct hd_routes *r = t->r;
    const uint16_t *variant = r->select == HD_SELECT_SOURCE ? r->source_class : NULL;
    const uint32_t *src = f->src, *dst = f->dst, *leaf = t->leaf, *base = t->base, n = f->n;
    const size_t nleaf = r->nleaf, nvar = r->nvar;
    const char *const *tail = t->tail, *way = t->way;
    uint32_t *chan = w->chan;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t then = i + AHEAD < n ? i + AHEAD : i, s = src[then];
        __builtin_prefetch(way + ((dst[then] * nvar + (variant ? variant[s] : 0)) * nleaf + leaf[s]) * bytes);
        s = src[i];
        size_t row = dst[i] * nvar + (variant ? variant[s] : 0);
        uint32_t found = get(way, bytes, row * nleaf + leaf[s]);
        chan[i * (size_t)(1 + stride)] = base[leaf[s]] + (found & ((1u << RANK) - 1));
        w->tail[i] = tail[row] + (size_t)(found >> RANK) * stride * word;
        __builtin_prefetch(w->tail[i]);
    }
}

INLINE void count_flows(uint32_t word, uint32_t stride, const struct scratch *w, uint32_t n)
{
    const char *const *tail = w->tail;
    uint32_t *chan = w->chan;
    uint16_t *count = w->count;
    for (uint32_t i = 0; i < n; i++, chan += 1 + stride) {
        count[chan[0]]++;
        for (uint32_t j = 0; j < stride; j++) {
            uint32_t c = get(tail[i], word, j);
            chan[1 + j] = c;
            count[c]++;
        }
    }
}

INLINE void look_up(uint32_t stride, const struct scratch *w, uint32_t n, uint32_t *most)
{
    const uint32_t *chan = w->chan;
    const uint16_t *count = w->count;
    for (uint32_t i = 0; i < n; i++, chan += 1 + stride) {
        uint32_t m = 1; /* its own endpoint cables */
        for (uint32_t j = 0; j < 1 + stride; j++) m = count[chan[j]] > m ? count[chan[j]] : m;
        most[i] = m == LOST ? 0 : m;
    }
}

/* Called with constants, so that the compiler unrolls the tails. */
INLINE void run_sized(const struct table *t, uint32_t bytes, uint32_t word, uint32_t stride, const struct scratch *w,
                      const struct hd_flows *f, uint32_t *most)
{
    find_tails(t, bytes, word, stride, w, f);
    count_flows(word, stride, w, f->n);
    for (uint32_t leaf = 1; leaf <= t->r->nleaf; leaf++) w->count[t->base[leaf] - 1] = 0;
    w->count[t->none] = 0;
    w->count[t->lost] = LOST;
    look_up(stride, w, f->n, most);
    memset(w->count, 0, ((size_t)t->lost + 1) * sizeof *w->count);
}

static void run(const struct hd_bottlenecks *b, void *scratch, const struct hd_flows *f, uint32_t *most)
{
    const struct table *t = b->data;
    bool small = t->bytes == 2, narrow = t->word == 2;
    if (small && narrow && t->stride == 1) /* two levels of switches */
        run_sized(t, 2, 2, 1, scratch, f, most);
    else if (small && narrow && t->stride == 3) /* three */
        run_sized(t, 2, 2, 3, scratch, f, most);
    else if (small && t->stride == 3)
        run_sized(t, 2, 4, 3, scratch, f, most);
    else
        run_sized(t, t->bytes, t->word, t->stride, scratch, f, most);
}

static hd_status make_scratch(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_bottlenecks *b,
                              uint32_t max_flows, void **scratch)
{
    const struct table *t = b->data;
    struct scratch *w = HD_NEW(arena, struct scratch, 1);
    if (!w) return hd_fail_memory(ctx);
    w->count = HD_NEW(arena, uint16_t, (size_t)t->lost + 1);
    w->tail = HD_NEW(arena, const char *, max_flows);
    w->chan = HD_NEW(arena, uint32_t, (size_t)max_flows * (1 + t->stride));
    if (!w->count || !w->tail || !w->chan) return hd_fail_memory(ctx);
    *scratch = w;
    return HD_OK;
}

/* ---- writing paths down ----------------------------------------------------------------------- */

/* Tails of a row: none for the leaf of d itself, one for those who get lost, then those that are found. */
enum { EMPTY, NOWHERE, FIRST, UNMET = UINT16_MAX };

struct writer {        /* one a thread */
    uint16_t *tail_of; /* [nsw] tail that begins at a switch, UNMET between rows */
    uint32_t *met;     /* [nsw] the switches of the row at hand that have one */
    char *tails;       /* [(nsw + FIRST) * stride] of the row at hand */
    uint32_t nmet, ntail;
    uint32_t longest, most_tails; /* of all rows */
    char *chunk;                  /* tails of rows go here */
    size_t left;
    bool failed;
};

static void put_tail(const struct table *t, struct writer *w, uint32_t tail, const uint32_t *path, uint32_t n)
{
    for (uint32_t j = 0; j < t->stride; j++) {
        uint32_t c = j < n ? path[j] : t->none;
        size_t at = (size_t)tail * t->stride + j;
        if (t->word == 2)
            ((uint16_t *)w->tails)[at] = (uint16_t)c;
        else
            ((uint32_t *)w->tails)[at] = c;
    }
}

/* The tail from switch v to d along a row, written when it is first met. */
static uint32_t new_tail(const struct table *t, struct writer *w, const uint8_t *row, uint32_t v, uint32_t d)
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
    if (n > w->longest) w->longest = n;
    put_tail(t, w, w->ntail, path, n);
    return w->tail_of[from] = (uint16_t)w->ntail++;
}

/* Tails of a row leave the writer. */
static void keep_tails(struct hd_arena *arena, const struct table *t, struct writer *w, size_t row)
{
    size_t bytes = (size_t)w->ntail * t->stride * t->word;
    if (w->left < bytes) {
        w->left = bytes > CHUNK ? bytes : CHUNK;
#pragma omp critical
        w->chunk = HD_NEW(arena, char, w->left);
        if (!w->chunk) w->left = 0;
    }
    w->failed |= !w->chunk;
    if (!w->chunk) return;
    t->tail[row] = memcpy(w->chunk, w->tails, bytes);
    w->chunk += bytes;
    w->left -= bytes;
}

/* The ways to one destination from all leaves. */
static void write_row(struct hd_arena *arena, const struct table *t, struct writer *w, size_t row)
{
    const struct hd_routes *r = t->r;
    const uint32_t nsw = r->net->nsw, d = (uint32_t)(row / r->nvar), *off = r->net->off;
    const uint8_t *entry = r->table + row * nsw;
    uint16_t *small = t->bytes == 2 && t->way ? (uint16_t *)t->way + row * r->nleaf : NULL;
    uint32_t *large = t->bytes == 4 && t->way ? (uint32_t *)t->way + row * r->nleaf : NULL;
    w->ntail = FIRST;
    put_tail(t, w, EMPTY, NULL, 0);
    put_tail(t, w, NOWHERE, &t->lost, 1);
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
        if (small) small[leaf] = (uint16_t)(tail << RANK | rank);
        if (large) large[leaf] = tail << RANK | rank;
    }
    while (w->nmet > 0) w->tail_of[w->met[--w->nmet]] = UNMET;
    if (w->ntail > w->most_tails) w->most_tails = w->ntail;
    if (t->way) keep_tails(arena, t, w, row);
}

/* All rows, or one in `step`; what they need at most goes to longest and most_tails. */
static hd_status write_rows(struct hd_ctx *ctx, struct hd_arena *arena, const struct table *t, size_t step,
                            uint32_t *longest, uint32_t *most_tails)
{
    const size_t rows = (size_t)t->r->net->nep * t->r->nvar, nsw = t->r->net->nsw;
    const int threads = hd_threads(ctx);
    struct writer *writer = HD_NEW(arena, struct writer, (size_t)threads);
    if (!writer) return hd_fail_memory(ctx);
    for (int i = 0; i < threads; i++) {
        struct writer *w = &writer[i];
        w->tail_of = HD_NEW(arena, uint16_t, nsw);
        w->met = HD_NEW(arena, uint32_t, nsw);
        w->tails = HD_NEW(arena, char, (nsw + FIRST) * t->stride * t->word);
        if (!w->tail_of || !w->met || !w->tails) return hd_fail_memory(ctx);
        for (size_t v = 0; v < nsw; v++) w->tail_of[v] = UNMET;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t row = 0; row < rows; row += step) write_row(arena, t, &writer[hd_thread_id()], row);
    for (int i = 0; i < threads; i++) {
        if (writer[i].failed) return hd_fail_memory(ctx);
        if (writer[i].longest > *longest) *longest = writer[i].longest;
        if (writer[i].most_tails > *most_tails) *most_tails = writer[i].most_tails;
    }
    return HD_OK;
}

/* How long and how many tails are is guessed from some rows; one that needs more starts it again. False when it would
 * be too large. */
static hd_status write_all(struct hd_ctx *ctx, struct hd_arena *arena, struct table *t, bool *fits)
{
    const size_t rows = (size_t)t->r->net->nep * t->r->nvar, nleaf = t->r->nleaf;
    uint32_t longest = 1, most_tails = 0;
    HD_TRY(write_rows(ctx, arena, t, rows / TRIED + 1, &longest, &most_tails)); /* nothing to write to yet */
    for (;;) {
        struct hd_mark mark = hd_arena_mark(arena);
        t->stride = longest;
        t->bytes = most_tails <= 1 << RANK ? 2 : 4;
        *fits = rows * nleaf * t->bytes + rows * most_tails * t->stride * t->word <= MEMORY_LIMIT;
        if (!*fits) return HD_OK;
        t->way = HD_NEW(arena, char, rows *nleaf * t->bytes);
        t->tail = HD_NEW(arena, const char *, rows);
        if (!t->way || !t->tail) return hd_fail_memory(ctx);
        HD_TRY(write_rows(ctx, arena, t, 1, &longest, &most_tails));
        if (longest == t->stride && (t->bytes == 4 || most_tails <= 1 << RANK)) return HD_OK;
        hd_arena_rewind(arena, mark);
    }
}

/* Channels between switches: those of leaves first, each with one number more. */
static void number_channels(const struct hd_routes *r, struct table *t, uint32_t *base, uint32_t *number, uint32_t *hop)
{
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
    t->word = t->lost <= UINT16_MAX ? 2 : 4;
}

hd_status hd_bottlenecks_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                               struct hd_bottlenecks **b)
{
    const struct hd_net *net = r->net;
    if (net->nsw == 0 || net->nsw >= UNMET - FIRST || net->nep >= LOST) return HD_OK; /* no load may stand for lost */
    struct table *t = HD_NEW(arena, struct table, 1);
    struct hd_bottlenecks *made = HD_NEW(arena, struct hd_bottlenecks, 1);
    uint32_t *leaf = HD_NEW(arena, uint32_t, net->nep), *base = HD_NEW(arena, uint32_t, (size_t)r->nleaf + 1);
    uint32_t *number = HD_NEW(arena, uint32_t, net->off[net->nsw]), *hop = HD_NEW(arena, uint32_t, net->off[net->nsw]);
    if (!t || !made || !leaf || !base || !number || !hop) return hd_fail_memory(ctx);
    *t = (struct table){.r = r, .leaf = leaf, .base = base, .number = number, .hop = hop};
    for (uint32_t e = 0; e < net->nep; e++) leaf[e] = r->leaf_of[hd_leaf(net, e)];
    number_channels(r, t, base, number, hop);
    bool fits;
    HD_TRY(write_all(ctx, arena, t, &fits));
    if (!fits) return HD_OK;
    *made = (struct hd_bottlenecks){t, make_scratch, run};
    *b = made;
    return HD_OK;
}
