/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic matrices read from text: one entry per pair with its weight, sorted, and those of the same pair added up.
 * O(entries log entries). */
#include "load/traffic_file.h"
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "route/core/endpoint_names.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct traffic_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    const struct hd_traffic_in *want;
    struct hd_endpoint_names names;
    uint32_t *rank_of; /* [nep] UINT32_MAX: takes no part */
    struct hd_arena *arena;
    struct hd_traffic_entry *entry;
    uint32_t n, room;
    uint32_t nothing; /* weights of 0 in a list */
};

/* ---- lines ---------------------------------------------------------------------------------- */

static hd_status read_weight(struct traffic_reader *r, const char *text, double *weight)
{
    union hd_number number;
    if (!hd_number_parse(HD_REAL, 0, DBL_MAX, text, &number))
        return hd_in_fail(r->ctx, r->in, "'%.40s': expected a weight, a finite number from 0", text);
    double w = number.real;
    *weight = w / r->want->unit;
    if (w > 0 && *weight == 0) *weight = DBL_MIN; /* tiny, but not nothing */
    if (!isfinite(*weight))
        return hd_in_fail(r->ctx, r->in, "weight %.40s is not finite in units of %g", text, r->want->unit);
    return HD_OK;
}

static hd_status add_entry(struct traffic_reader *r, uint32_t src, uint32_t dst, double weight)
{
    if (weight == 0) return HD_OK;
    uint32_t most = r->want->most ? r->want->most : HD_MAX_FLOWS;
    if (r->n == most) return hd_in_fail(r->ctx, r->in, "more than %u weights above 0, which is the limit", most);
    if (!HD_MORE(r->arena, r->entry, r->n, r->room)) return hd_fail_memory(r->ctx);
    r->entry[r->n++] = (struct hd_traffic_entry){src, dst, (uint32_t)hd_in_lineno(r->in), 0, weight};
    return HD_OK;
}

static hd_status read_dense(struct traffic_reader *r, uint32_t src, char *line)
{
    uint32_t n = r->want->n, dst = 0;
    if (src == n) return hd_in_fail(r->ctx, r->in, "more than %u lines of weights: there are %u ranks", n, n);
    for (char *field; (field = hd_next_field(&line)); dst++) {
        double weight;
        if (dst == n) return hd_in_fail(r->ctx, r->in, "more than %u weights: there are %u ranks", n, n);
        HD_TRY(read_weight(r, field, &weight));
        if (dst == src && weight > 0)
            return hd_in_fail(r->ctx, r->in, "rank %u sends to itself: expected 0 in column %u", src, dst + 1);
        HD_TRY(add_entry(r, src, dst, weight));
    }
    if (dst < n) return hd_in_fail(r->ctx, r->in, "%u weights, expected one for each of %u ranks", dst, n);
    return HD_OK;
}

/* A name goes before a number: hosts may be called 0, 1, 2. */
static hd_status find_rank(struct traffic_reader *r, const char *text, uint32_t *rank)
{
    uint32_t matches, e = hd_endpoint_names_find(&r->names, text, &matches);
    uint64_t number;
    if (matches > 1) return hd_in_fail(r->ctx, r->in, "'%.80s' names %u endpoints: give port GUIDs", text, matches);
    if (matches == 1) {
        if (r->rank_of[e] == UINT32_MAX)
            return hd_in_fail(r->ctx, r->in, "'%.80s' is not one of the %u ranks", text, r->want->n);
        *rank = r->rank_of[e];
        return HD_OK;
    }
    if (!hd_parse_u64(text, strlen(text), &number))
        return hd_in_fail(r->ctx, r->in, "'%.80s': no endpoint of that name or port GUID", text);
    if (number >= r->want->n)
        return hd_in_fail(r->ctx, r->in, "rank %.20s: there are %u ranks, numbered from 0", text, r->want->n);
    *rank = (uint32_t)number;
    return HD_OK;
}

static hd_status read_sparse(struct traffic_reader *r, char *line)
{
    char *src = hd_next_field(&line), *dst = hd_next_field(&line), *text = dst ? hd_next_field(&line) : NULL;
    uint32_t s, d;
    double weight;
    if (!text || hd_next_field(&line)) return hd_in_fail(r->ctx, r->in, "expected: source destination weight");
    HD_TRY(find_rank(r, src, &s));
    HD_TRY(find_rank(r, dst, &d));
    if (s == d) return hd_in_fail(r->ctx, r->in, "'%.80s' sends to itself", src);
    HD_TRY(read_weight(r, text, &weight));
    if (weight == 0 && ++r->nothing > HD_MAX_FLOWS)
        return hd_in_fail(r->ctx, r->in, "more than %u weights of 0, which is the limit", (unsigned)HD_MAX_FLOWS);
    return add_entry(r, s, d, weight);
}

/* From the first line: n numbers are dense, three fields sparse. */
static hd_status guess_format(struct traffic_reader *r, const char *line, enum hd_traffic_format *format)
{
    uint32_t fields = 0, n = r->want->n;
    char *copy = hd_strdup(r->arena, line, strlen(line));
    if (!copy) return hd_fail_memory(r->ctx);
    bool numbers = strspn(line, "0123456789.eE+- \t,") == strlen(line);
    while (hd_next_field(&copy)) fields++;
    if (fields == 3 && n == 3 && numbers)
        return hd_in_fail(r->ctx, r->in,
                          "with 3 ranks this may be a matrix or a list: give format=dense or format=sparse");
    if (fields != 3 && fields != n)
        return hd_in_fail(r->ctx, r->in,
                          "%u fields: expected 'source destination weight', or a weight for each of %u ranks", fields,
                          n);
    *format = fields == 3 ? HD_TRAFFIC_SPARSE : HD_TRAFFIC_DENSE;
    return HD_OK;
}

static hd_status traffic_file_read_lines(struct traffic_reader *r)
{
    enum hd_traffic_format format = r->want->format;
    uint32_t rows = 0;
    for (char *line;;) {
        HD_TRY(hd_in_text(r->ctx, r->in, " \t,", &line));
        if (!line) break;
        if (format == HD_TRAFFIC_AUTO) HD_TRY(guess_format(r, line, &format));
        HD_TRY(format == HD_TRAFFIC_DENSE ? read_dense(r, rows++, line) : read_sparse(r, line));
    }
    if (format == HD_TRAFFIC_DENSE && rows < r->want->n)
        return hd_in_fail(r->ctx, r->in, "the matrix ends after %u lines, expected one for each of %u ranks", rows,
                          r->want->n);
    if (r->n == 0) return hd_fail(r->ctx, HD_INPUT, "%.200s: no traffic: all weights are 0", hd_in_name(r->in));
    return HD_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static hd_status read_file(struct traffic_reader *r, struct hd_traffic *t)
{
    const struct hd_traffic_in *want = r->want;
    r->rank_of = HD_NEW(r->arena, uint32_t, want->net->nep);
    if (!r->rank_of) return hd_fail_memory(r->ctx);
    memset(r->rank_of, 0xff, want->net->nep * sizeof *r->rank_of);
    for (uint32_t i = 0; i < want->n; i++) r->rank_of[want->ep[i]] = i;
    HD_TRY(hd_endpoint_names_init(r->ctx, r->arena, want->net, &r->names));
    HD_TRY(hd_in_open(r->ctx, want->path, &r->in));
    HD_TRY(traffic_file_read_lines(r));
    *t = (struct hd_traffic){hd_strdup(r->arena, hd_in_name(r->in), strlen(hd_in_name(r->in))), r->n, r->entry};
    return t->name ? HD_OK : hd_fail_memory(r->ctx);
}

hd_status hd_traffic_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_traffic_in *in,
                          struct hd_traffic *t)
{
    struct traffic_reader r = {.ctx = ctx, .want = in, .arena = arena};
    hd_status s = read_file(&r, t);
    hd_in_close(r.in);
    return s;
}

static int by_pair(const void *a, const void *b)
{
    const struct hd_traffic_entry *x = a, *y = b;
    if (x->src != y->src) return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst) return x->dst < y->dst ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

void hd_traffic_merge(struct hd_traffic *t)
{
    size_t kept = 0;
    qsort(t->entry, t->n, sizeof *t->entry, by_pair);
    for (size_t i = 0; i < t->n; i++) {
        struct hd_traffic_entry *last = kept ? &t->entry[kept - 1] : NULL;
        if (last && last->src == t->entry[i].src && last->dst == t->entry[i].dst)
            last->whole += t->entry[i].whole;
        else
            t->entry[kept++] = t->entry[i];
    }
    t->n = kept;
}
