/* SPDX-License-Identifier: BSD-2-Clause */
/* A traffic matrix from a file, as one stage. Two forms; # begins a comment line, and fields are separated by
 * blanks or commas:
 *   dense   one line a rank, one weight a column: line i, column j is what rank i sends to rank j
 *   sparse  "src dst weight" lines; an end is a rank number, a name (in "" where it has blanks) or a port GUID
 * Weights are real numbers from 0; lines for the same pair add up. On reading, a weight w becomes the whole
 * number w / unit * 2^k, where unit= is the weight that counts as one flow: k is 0 when all of them are then
 * whole, else 16, or less where the total would not fit 31 bits; nothing above 0 becomes 0. Loads are sums of
 * these, told in flows again. */
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "flow/patterns.h"
#include "route/index.h"
#include "route/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINEST = 16 }; /* largest k */

enum format { AUTO, DENSE, SPARSE };

struct opt {
    const char *path;
    double unit;
    int format;
};

struct entry {
    uint32_t src, dst, line, whole;
    double weight;
};

struct state {
    uint32_t n, unit;
    uint32_t *src, *dst, *weight; /* weight NULL: all 1 */
    bool simple;
};

struct reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    const struct hd_ranks *ranks;
    const struct opt *opt;
    struct hd_names names;
    uint32_t *rank_of; /* [nep] UINT32_MAX: takes no part */
    struct hd_arena arena;
    struct entry *entry;
    size_t n, room;
};

/* ---- lines ---------------------------------------------------------------------------------- */

/* Next field of the line, cut out in place; NULL at its end. */
static char *next_field(char **line)
{
    char *s = *line + strspn(*line, " \t,");
    if (!*s) return NULL;
    bool quoted = *s == '"';
    if (quoted) s++;
    char *end = s + strcspn(s, quoted ? "\"" : " \t,");
    *line = *end ? end + 1 : end;
    *end = 0;
    return s;
}

static hd_status read_weight(struct reader *r, const char *text, double *weight)
{
    char *end = NULL;
    bool number = *text && strspn(text, "0123456789.eE+-") == strlen(text);
    double w = number ? strtod(text, &end) : 0;
    if (!number || *end) return hd_in_fail(r->ctx, r->in, "'%.40s': expected a weight, a finite number from 0", text);
    if (!isfinite(w)) return hd_in_fail(r->ctx, r->in, "weight %.40s is not finite", text);
    if (w < 0) return hd_in_fail(r->ctx, r->in, "weight %.40s is negative", text);
    *weight = w / r->opt->unit;
    if (!isfinite(*weight))
        return hd_in_fail(r->ctx, r->in, "weight %.40s is not finite in units of %g", text, r->opt->unit);
    return HD_OK;
}

static hd_status add_entry(struct reader *r, uint32_t src, uint32_t dst, double weight)
{
    if (weight == 0) return HD_OK;
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 1024;
        struct entry *more = HD_NEW(&r->arena, struct entry, room);
        if (!more) return hd_fail_memory(r->ctx);
        if (r->n) memcpy(more, r->entry, r->n * sizeof *more);
        r->entry = more;
        r->room = room;
    }
    r->entry[r->n++] = (struct entry){src, dst, (uint32_t)hd_in_lineno(r->in), 0, weight};
    return HD_OK;
}

static hd_status read_dense(struct reader *r, uint32_t src, char *line)
{
    uint32_t n = r->ranks->n, dst = 0;
    if (src == n) return hd_in_fail(r->ctx, r->in, "more than %u lines of weights: there are %u ranks", n, n);
    for (char *field; (field = next_field(&line)); dst++) {
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
static hd_status find_rank(struct reader *r, const char *text, uint32_t *rank)
{
    uint32_t matches, e = hd_names_find(&r->names, text, &matches);
    uint64_t number;
    if (matches > 1) return hd_in_fail(r->ctx, r->in, "'%.80s' names %u endpoints: give port GUIDs", text, matches);
    if (matches == 1) {
        if (r->rank_of[e] == UINT32_MAX)
            return hd_in_fail(r->ctx, r->in, "'%.80s' is not one of the %u ranks", text, r->ranks->n);
        *rank = r->rank_of[e];
        return HD_OK;
    }
    if (!hd_parse_u64(text, strlen(text), &number))
        return hd_in_fail(r->ctx, r->in, "'%.80s': no endpoint of that name or port GUID", text);
    if (number >= r->ranks->n)
        return hd_in_fail(r->ctx, r->in, "rank %.20s: there are %u ranks, numbered from 0", text, r->ranks->n);
    *rank = (uint32_t)number;
    return HD_OK;
}

static hd_status read_sparse(struct reader *r, char *line)
{
    char *src = next_field(&line), *dst = next_field(&line), *text = dst ? next_field(&line) : NULL;
    uint32_t s, d;
    double weight;
    if (!text || next_field(&line)) return hd_in_fail(r->ctx, r->in, "expected: source destination weight");
    HD_TRY(find_rank(r, src, &s));
    HD_TRY(find_rank(r, dst, &d));
    if (s == d) return hd_in_fail(r->ctx, r->in, "'%.80s' sends to itself", src);
    HD_TRY(read_weight(r, text, &weight));
    return add_entry(r, s, d, weight);
}

/* From the first line: n numbers are dense, three fields sparse. */
static hd_status guess_format(struct reader *r, const char *line, enum format *format)
{
    uint32_t fields = 0, n = r->ranks->n;
    char *copy = hd_strdup(&r->arena, line, strlen(line));
    if (!copy) return hd_fail_memory(r->ctx);
    bool numbers = strspn(line, "0123456789.eE+- \t,") == strlen(line);
    while (next_field(&copy)) fields++;
    if (fields == 3 && n == 3 && numbers)
        return hd_in_fail(r->ctx, r->in,
                          "with 3 ranks this may be a matrix or a list: give format=dense or format=sparse");
    if (fields != 3 && fields != n)
        return hd_in_fail(r->ctx, r->in,
                          "%u fields: expected 'source destination weight', or a weight for each of %u ranks", fields,
                          n);
    *format = fields == 3 ? SPARSE : DENSE;
    return HD_OK;
}

static hd_status read_lines(struct reader *r)
{
    enum format format = (enum format)r->opt->format;
    uint32_t rows = 0;
    for (;;) {
        char *line;
        size_t len;
        HD_TRY(hd_in_line(r->ctx, r->in, &line, &len));
        if (!line) break;
        line += strspn(line, " \t,");
        if (!*line || *line == '#') continue;
        if (format == AUTO) HD_TRY(guess_format(r, line, &format));
        HD_TRY(format == DENSE ? read_dense(r, rows++, line) : read_sparse(r, line));
    }
    if (format == DENSE && rows < r->ranks->n)
        return hd_in_fail(r->ctx, r->in, "the matrix ends after %u lines, expected one for each of %u ranks", rows,
                          r->ranks->n);
    if (r->n == 0) return hd_fail(r->ctx, HD_INPUT, "%.200s: no traffic: all weights are 0", hd_in_name(r->in));
    return HD_OK;
}

/* ---- whole numbers -------------------------------------------------------------------------- */

/* k such that weights times 2^k fit, summed over all flows and the variants they may split over. */
static hd_status choose_scale(struct reader *r, uint32_t nvar, uint32_t *k)
{
    double total = 0;
    bool whole = true;
    for (size_t i = 0; i < r->n; i++) {
        total += r->entry[i].weight;
        whole &= r->entry[i].weight == floor(r->entry[i].weight);
    }
    if (total * nvar > 0x1p31 || total > 0x1p23)
        return hd_fail(r->ctx, HD_INPUT,
                       "file: the weights of %.200s add up to %.6g flows, more than can be counted: raise unit=, the "
                       "weight that counts as one flow",
                       hd_in_name(r->in), total);
    *k = whole ? 0 : FINEST;
    while (*k > 0 && ldexp(total > 1 ? total : 1, (int)*k) * nvar > 0x1p30) --*k;
    for (size_t i = 0; i < r->n; i++) {
        double w = floor(ldexp(r->entry[i].weight, (int)*k) + 0.5);
        r->entry[i].whole = w < 1 ? 1 : (uint32_t)w;
    }
    return HD_OK;
}

static int by_pair(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->src != y->src) return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst) return x->dst < y->dst ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Adds up what stands twice; entries are left in order of source and destination. */
static void merge(struct reader *r)
{
    size_t kept = 0;
    qsort(r->entry, r->n, sizeof *r->entry, by_pair);
    for (size_t i = 0; i < r->n; i++) {
        struct entry *last = kept ? &r->entry[kept - 1] : NULL;
        if (last && last->src == r->entry[i].src && last->dst == r->entry[i].dst)
            last->whole += r->entry[i].whole;
        else
            r->entry[kept++] = r->entry[i];
    }
    r->n = kept;
}

static hd_status make_flows(struct reader *r, struct hd_arena *arena, uint32_t k, struct state *s)
{
    if (r->n > HD_MAX_FLOWS)
        return hd_fail(r->ctx, HD_INPUT, "%.200s: %zu flows, at most %d can be held", hd_in_name(r->in), r->n,
                       HD_MAX_FLOWS);
    bool *sends = HD_NEW(&r->arena, bool, r->ranks->n), *receives = HD_NEW(&r->arena, bool, r->ranks->n), ones = true;
    *s = (struct state){.n = (uint32_t)r->n, .unit = 1u << k, .simple = true};
    s->src = HD_NEW(arena, uint32_t, r->n);
    s->dst = HD_NEW(arena, uint32_t, r->n);
    s->weight = HD_NEW(arena, uint32_t, r->n);
    if (!sends || !receives || !s->src || !s->dst || !s->weight) return hd_fail_memory(r->ctx);
    for (size_t i = 0; i < r->n; i++) {
        const struct entry *e = &r->entry[i];
        s->src[i] = r->ranks->ep[e->src];
        s->dst[i] = r->ranks->ep[e->dst];
        s->weight[i] = e->whole;
        ones &= e->whole == s->unit;
        s->simple &= !sends[e->src] && !receives[e->dst];
        sends[e->src] = receives[e->dst] = true;
    }
    s->simple &= ones;
    if (!ones) return HD_OK;
    s->weight = NULL;
    s->unit = 1;
    return HD_OK;
}

/* ---- the pattern ---------------------------------------------------------------------------- */

static hd_status read_matrix(struct reader *r, struct hd_arena *arena, const struct hd_pattern_in *in, struct state *s)
{
    const struct hd_net *net = in->routes->net;
    enum hd_select select = in->routes->select;
    uint32_t nvar = select == HD_SELECT_ALL || select == HD_SELECT_PACKET ? in->routes->nvar : 1, k = 0;
    r->rank_of = HD_NEW(&r->arena, uint32_t, net->nep);
    if (!r->rank_of) return hd_fail_memory(r->ctx);
    memset(r->rank_of, 0xff, net->nep * sizeof *r->rank_of);
    for (uint32_t i = 0; i < r->ranks->n; i++) r->rank_of[r->ranks->ep[i]] = i;
    HD_TRY(hd_names_init(r->ctx, &r->arena, net, &r->names));
    HD_TRY(hd_in_open(r->ctx, r->opt->path, &r->in));
    HD_TRY(read_lines(r));
    HD_TRY(choose_scale(r, nvar, &k));
    merge(r);
    return make_flows(r, arena, k, s);
}

static hd_status init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    struct reader r = {.ctx = ctx, .ranks = in->ranks, .opt = in->opt};
    struct state *s = HD_NEW(arena, struct state, 1);
    if (!s) return hd_fail_memory(ctx);
    HD_TRY(hd_ranks_need(ctx, in->ranks, 2));
    if (!*r.opt->path) return hd_fail(ctx, HD_INPUT, "file: expected path=FILE, a traffic matrix");
    hd_status status = read_matrix(&r, arena, in, s);
    hd_in_close(r.in);
    hd_arena_release(&r.arena);
    if (status == HD_OK) *state = s;
    return status;
}

static uint64_t stages(const void *state)
{
    (void)state;
    return 1;
}

static uint32_t max_flows(const void *state)
{
    return ((const struct state *)state)->n;
}

static uint32_t unit(const void *state)
{
    return ((const struct state *)state)->unit;
}

static void draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct state *s = state;
    (void)rng, (void)stage;
    f->n = s->n;
    f->src = s->src;
    f->dst = s->dst;
    f->weight = s->weight;
    f->simple = s->simple;
}

static const struct hd_param params[] = {
    {"path", HD_TEXT, "", "the file, plain or compressed", offsetof(struct opt, path), 0, 0, NULL, false},
    {"unit", HD_REAL, "1", "the weight that counts as one flow", offsetof(struct opt, unit), 1e-18, 1e18, NULL, false},
    {"format", HD_WORD, "auto", "what the lines are", offsetof(struct opt, format), 0, 0, "auto|dense|sparse", false},
    {0}};

const struct hd_pattern hd_pattern_file = {
    .desc =
        {.name = "file",
         .summary = "a traffic matrix from a file",
         .text =
             "One stage. Dense: one line a rank, one weight a column, line i and column j being what rank i sends to "
             "rank j. Sparse: lines of source, destination and weight, where an end is a rank number, a name (in "
             "double quotes where it has blanks) or a port GUID (0x...); lines for the same pair add up. Fields are "
             "separated by blanks or commas, lines that begin with # are comments. Weights are finite numbers from 0. unit= is the "
             "weight that counts as one flow: loads are told in it. Weights are kept in steps of 2^-16 units (coarser "
             "where they add up to more than 16384 units), exactly where all are whole.",
         .params = params,
         .command = "printf '0 9 1\\n1 9 2.5\\n' >traffic && heddle eval ft:m=8,n=2 dmodk -p file:path=traffic -m maxload",
         .opt_size = sizeof(struct opt)},
    .init = init,
    .stages = stages,
    .max_flows = max_flows,
    .unit = unit,
    .draw = draw};
