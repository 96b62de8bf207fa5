/* SPDX-License-Identifier: BSD-2-Clause */
/* Bottlenecks under a stored table. A flow touches one byte of the table at every switch, each in another cache
 * line, and each has to arrive before the next is known. So the path of every (destination, leaf switch) is
 * written down once: a flow is then one line, whose place is known long before it is needed. Channels between
 * switches are numbered on their own, in 16 bits where that does; paths are padded to the longest with the
 * number none, and those that do not exist begin with the number lost. Cost: O(leaves * endpoints * hops) once,
 * and as much memory: not made above MEMORY_LIMIT. */
#include "base/status.h"
#include "base/threads.h"
#include "flow/bottleneck.h"
#include "route/routes.h"

#include <string.h>

enum { MEMORY_LIMIT = 640 << 20, AHEAD = 16, TRIED = 64, LOST = UINT16_MAX };

struct table {
    const struct hd_routes *r;
    uint32_t stride, none, lost; /* lost = none + 1 */
    const uint32_t *leaf;        /* [nep] number of an endpoint's switch among the leaves */
    const uint32_t *number;      /* [nchan] of a channel between switches */
    uint16_t *narrow;            /* [((d * nvar + x) * nleaf + leaf) * stride] */
    uint32_t *wide;              /* the same where 16 bits do not do */
};

struct scratch {
    uint16_t *count; /* [lost + 1]; zero between samples */
    uint32_t *chan;
};

static inline size_t place(const struct table *t, const struct hd_flows *f, uint32_t i)
{
    const struct hd_routes *r = t->r;
    uint32_t x = r->select == HD_SELECT_SOURCE ? r->source_class[f->src[i]] : 0;
    return (((size_t)f->dst[i] * r->nvar + x) * r->nleaf + t->leaf[f->src[i]]) * t->stride;
}

static inline __attribute__((always_inline)) void count_flows(const struct table *t, bool narrow, uint32_t stride,
                                                              const struct scratch *w, const struct hd_flows *f)
{
    uint32_t *chan = w->chan;
    uint16_t *count = w->count;
    for (uint32_t i = 0; i < f->n; i++, chan += stride) {
        if (i + AHEAD < f->n) {
            size_t at = place(t, f, i + AHEAD);
            __builtin_prefetch(narrow ? (const void *)(t->narrow + at) : (const void *)(t->wide + at));
        }
        size_t at = place(t, f, i);
        for (uint32_t j = 0; j < stride; j++) {
            uint32_t c = narrow ? t->narrow[at + j] : t->wide[at + j];
            chan[j] = c;
            count[c]++;
        }
    }
}

static inline __attribute__((always_inline)) void look_up(const struct scratch *w, uint32_t stride, uint32_t n,
                                                          uint32_t *most)
{
    const uint32_t *chan = w->chan;
    for (uint32_t i = 0; i < n; i++, chan += stride) {
        uint32_t m = 1; /* its own endpoint cables */
        for (uint32_t j = 0; j < stride; j++) m = w->count[chan[j]] > m ? w->count[chan[j]] : m;
        most[i] = m == LOST ? 0 : m;
    }
}

static void run(const struct hd_bottlenecks *b, void *scratch, const struct hd_flows *f, uint32_t *most)
{
    const struct table *t = b->data;
    const struct scratch *w = scratch;
    bool narrow = t->narrow;
    /* Known strides for the usual trees, so that their loops are unrolled. */
    if (narrow && t->stride == 2)
        count_flows(t, true, 2, w, f);
    else if (narrow && t->stride == 4)
        count_flows(t, true, 4, w, f);
    else if (!narrow && t->stride == 4)
        count_flows(t, false, 4, w, f);
    else
        count_flows(t, narrow, t->stride, w, f);
    w->count[t->none] = 0;
    w->count[t->lost] = LOST; /* more than any load */
    if (t->stride == 2)
        look_up(w, 2, f->n, most);
    else if (t->stride == 4)
        look_up(w, 4, f->n, most);
    else
        look_up(w, t->stride, f->n, most);
    memset(w->count, 0, ((size_t)t->lost + 1) * sizeof *w->count);
}

static hd_status make_scratch(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_bottlenecks *b,
                              uint32_t max_flows, void **scratch)
{
    const struct table *t = b->data;
    struct scratch *w = HD_NEW(arena, struct scratch, 1);
    if (!w) return hd_fail_memory(ctx);
    w->count = HD_NEW(arena, uint16_t, (size_t)t->lost + 1);
    w->chan = HD_NEW(arena, uint32_t, (size_t)max_flows * t->stride);
    if (!w->count || !w->chan) return hd_fail_memory(ctx);
    *scratch = w;
    return HD_OK;
}

/* ---- writing paths down ----------------------------------------------------------------------- */

/* Numbers of the channels from switch v to endpoint d along a row; returns how many, UINT32_MAX: no way there. */
static inline uint32_t walk(const struct table *t, const uint8_t *row, uint32_t v, uint32_t d, uint32_t *path)
{
    const struct hd_net *net = t->r->net;
    for (uint32_t n = 0; n + 1 < HD_MAX_HOPS; n++) {
        if (row[v] == HD_SLOT_NONE) return UINT32_MAX;
        uint32_t c = net->off[v] + row[v];
        v = net->head[c];
        if (v >= net->nsw) return v == net->nsw + d ? n : UINT32_MAX;
        path[n] = t->number[c];
    }
    return UINT32_MAX;
}

/* The paths to one destination from all leaves; returns the longest, also where it did not fit. */
static uint32_t write_row(const struct table *t, size_t row)
{
    const struct hd_routes *r = t->r;
    const uint8_t *entry = r->table + row * r->net->nsw;
    uint32_t longest = 0;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        uint32_t path[HD_MAX_HOPS], n = walk(t, entry, r->leaf[leaf], (uint32_t)(row / r->nvar), path);
        size_t at = (row * r->nleaf + leaf) * t->stride;
        if (n == UINT32_MAX) path[0] = t->lost, n = 1;
        if (n > longest) longest = n;
        for (uint32_t j = 0; j < t->stride; j++) {
            uint32_t c = j < n ? path[j] : t->none;
            if (t->narrow)
                t->narrow[at + j] = (uint16_t)c;
            else if (t->wide)
                t->wide[at + j] = c;
        }
    }
    return longest;
}

static uint32_t write_rows(struct hd_ctx *ctx, const struct table *t, size_t rows, size_t step)
{
    uint32_t longest = 1;
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx)) reduction(max : longest)
    for (size_t row = 0; row < rows; row += step) {
        uint32_t n = write_row(t, row);
        if (n > longest) longest = n;
    }
    return longest;
}

/* The length of paths is guessed from some destinations; a longer one that turns up later starts it again.
 * False when it would be too large. */
static bool write_all(struct hd_ctx *ctx, struct hd_arena *arena, struct table *t, size_t rows, hd_status *status)
{
    uint32_t want = write_rows(ctx, t, rows, rows / TRIED + 1); /* nothing to write to yet */
    bool narrow = t->lost <= UINT16_MAX;
    while (want > t->stride) {
        struct hd_mark mark = hd_arena_mark(arena);
        size_t places = rows * t->r->nleaf * want;
        if (places * (narrow ? 2 : 4) > MEMORY_LIMIT) return false;
        t->stride = want;
        if (narrow)
            t->narrow = HD_NEW(arena, uint16_t, places);
        else
            t->wide = HD_NEW(arena, uint32_t, places);
        if (!t->narrow && !t->wide) *status = hd_fail_memory(ctx);
        if (*status != HD_OK) return false;
        want = write_rows(ctx, t, rows, 1);
        if (want > t->stride) hd_arena_rewind(arena, mark);
    }
    return true;
}

hd_status hd_bottlenecks_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                               struct hd_bottlenecks **b)
{
    const struct hd_net *net = r->net;
    if (net->nsw == 0 || net->nep >= LOST) return HD_OK; /* loads must stay below what stands for lost */
    struct table *t = HD_NEW(arena, struct table, 1);
    struct hd_bottlenecks *made = HD_NEW(arena, struct hd_bottlenecks, 1);
    uint32_t *leaf = HD_NEW(arena, uint32_t, net->nep), *number = HD_NEW(arena, uint32_t, net->off[net->nsw]);
    if (!t || !made || !leaf || !number) return hd_fail_memory(ctx);
    *t = (struct table){.r = r, .leaf = leaf, .number = number};
    for (uint32_t e = 0; e < net->nep; e++) leaf[e] = r->leaf_of[hd_leaf(net, e)];
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (net->head[c] < net->nsw) number[c] = t->none++;
    t->lost = t->none + 1;
    hd_status s = HD_OK;
    if (!write_all(ctx, arena, t, (size_t)net->nep * r->nvar, &s)) return s;
    *made = (struct hd_bottlenecks){t, make_scratch, run};
    *b = made;
    return HD_OK;
}
