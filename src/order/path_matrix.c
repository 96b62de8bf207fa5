/* SPDX-License-Identifier: BSD-2-Clause */
/* The channels of every pair that two flows of a stage could share, numbered densely (path_matrix.h). Two passes over
 * all paths: one finds the channels with more than one source and destination, the other writes them down. */
#include "order/path_matrix.h"
#include "base/status.h"
#include "route/core/routes_view.h"

#include <string.h>

static const uint32_t NOBODY = UINT32_MAX, SEVERAL = UINT32_MAX - 1;

struct matrix_maker {
    const struct hd_job_view *view;
    uint32_t rows;
    uint32_t *row, *first, *count; /* of a row: a source, and how many there are */
    uint32_t *from, *to;           /* [nchan + 1] the one adapter of a channel's flows, or SEVERAL */
    uint32_t *number;              /* [nchan + 1] */
};

/* Sources that share every path share a row: those of a leaf, unless paths depend on the source. */
static hd_status make_rows(struct hd_ctx *ctx, struct hd_arena *arena, struct matrix_maker *m)
{
    const struct hd_job_view *view = m->view;
    uint32_t n = view->nodes->n, nrail = view->nodes->nrail;
    bool by_leaf = hd_routes_select(view->routes) == HD_SELECT_ONE;
    size_t most = by_leaf ? (size_t)view->nleaf * nrail : (size_t)n * nrail;
    m->rows = (uint32_t)most;
    m->row = HD_NEW(arena, uint32_t, (size_t)n * nrail);
    m->first = HD_NEW(arena, uint32_t, most);
    m->count = HD_NEW(arena, uint32_t, most);
    if (!m->row || !m->first || !m->count) return hd_fail_memory(ctx);
    for (size_t i = 0; i < (size_t)n * nrail; i++) {
        m->row[i] = by_leaf ? (uint32_t)(view->leaf[i] * nrail + i % nrail) : (uint32_t)i;
        if (!m->count[m->row[i]]++) m->first[m->row[i]] = (uint32_t)(i / nrail);
    }
    return HD_OK;
}

static void matrix_note(uint32_t *who, uint32_t adapter)
{
    if (*who == NOBODY)
        *who = adapter;
    else if (*who != adapter)
        *who = SEVERAL;
}

/* Calls for every row and destination; the path of a row's first node to itself is never asked for. */
static void matrix_each_path(const struct matrix_maker *m,
                             void (*visit)(const struct matrix_maker *m, uint32_t row, uint32_t d, const uint32_t *chan,
                                           void *user),
                             void *user)
{
    const struct hd_job_view *view = m->view;
    uint32_t chan[HD_MAX_HOPS], nrail = view->nodes->nrail;
    for (uint32_t row = 0; row < m->rows; row++) {
        uint32_t s = m->first[row], rail = row % nrail;
        if (!m->count[row]) continue;
        for (uint32_t d = 0; d < view->nodes->n; d++) {
            if (d == s) continue; /* its leaf mates reach it without a channel between switches */
            hd_job_view_path(view, hd_job_view_ep(view, s, rail), hd_job_view_ep(view, d, rail), chan);
            visit(m, row, d, chan, user);
        }
    }
}

static void note_path(const struct matrix_maker *m, uint32_t row, uint32_t d, const uint32_t *chan, void *user)
{
    (void)user;
    uint32_t nrail = m->view->nodes->nrail, rail = row % nrail;
    for (uint32_t j = 0; j < m->view->stride; j++) {
        matrix_note(&m->from[chan[j]], m->count[row] > 1 ? SEVERAL : m->first[row] * nrail + rail);
        matrix_note(&m->to[chan[j]], d * nrail + rail);
    }
}

static uint32_t matrix_number_channels(struct matrix_maker *m)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < m->view->net->nchan; c++)
        m->number[c] = m->from[c] == SEVERAL && m->to[c] == SEVERAL ? count++ : NOBODY;
    m->number[m->view->net->nchan] = NOBODY;
    return count;
}

static void measure_path(const struct matrix_maker *m, uint32_t row, uint32_t d, const uint32_t *chan, void *user)
{
    uint32_t n = 0, *width = user;
    (void)row;
    (void)d;
    for (uint32_t j = 0; j < m->view->stride; j++) n += m->number[chan[j]] != NOBODY;
    if (n > *width) *width = n;
}

struct store {
    struct hd_path_matrix *matrix;
    uint32_t *way;
};

static void store_path(const struct matrix_maker *m, uint32_t row, uint32_t d, const uint32_t *chan, void *user)
{
    struct store *s = user;
    uint32_t n = 0, *way = s->way + ((size_t)row * s->matrix->n + d) * s->matrix->width;
    for (uint32_t j = 0; j < m->view->stride; j++)
        if (m->number[chan[j]] != NOBODY) way[n++] = m->number[chan[j]];
}

hd_status hd_path_matrix_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_job_view *view,
                              struct hd_path_matrix *matrix)
{
    struct matrix_maker m = {.view = view};
    size_t channels = (size_t)view->net->nchan + 1;
    HD_TRY(make_rows(ctx, arena, &m));
    m.from = HD_NEW(arena, uint32_t, channels);
    m.to = HD_NEW(arena, uint32_t, channels);
    m.number = HD_NEW(arena, uint32_t, channels);
    if (!m.from || !m.to || !m.number) return hd_fail_memory(ctx);
    memset(m.from, 0xff, channels * sizeof *m.from);
    memset(m.to, 0xff, channels * sizeof *m.to);
    matrix_each_path(&m, note_path, NULL);
    *matrix = (struct hd_path_matrix){.n = view->nodes->n, .nrail = view->nodes->nrail, .row = m.row};
    matrix->nchan = matrix_number_channels(&m);
    matrix_each_path(&m, measure_path, &matrix->width);
    if (!matrix->width) matrix->width = 1;
    size_t cells = (size_t)m.rows * matrix->n * matrix->width;
    if (cells > (size_t)1 << 29)
        return hd_fail(ctx, HD_LIMIT, "the paths of %u nodes take more than 2 GiB where they depend on the source",
                       matrix->n);
    uint32_t *way = HD_NEW(arena, uint32_t, cells);
    if (!way) return hd_fail_memory(ctx);
    for (size_t i = 0; i < cells; i++) way[i] = matrix->nchan;
    uint32_t *channel = HD_NEW(arena, uint32_t, (size_t)matrix->nchan + 1);
    if (!channel) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < view->net->nchan; c++)
        if (m.number[c] != NOBODY) channel[m.number[c]] = c;
    matrix->channel = channel;
    matrix->chan = way;
    matrix_each_path(&m, store_path, &(struct store){matrix, way});
    return HD_OK;
}
