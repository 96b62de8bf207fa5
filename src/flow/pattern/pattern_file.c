/* SPDX-License-Identifier: BSD-2-Clause */
/* A traffic matrix from a file (load/traffic_file.h), as one stage. Lines for the same pair add up. On reading, a
 * weight w becomes the whole number w / unit * 2^k, where unit= is the weight that counts as one flow: k is 0 when
 * all of them are then whole, else 16, or less where the total would not fit 31 bits; nothing above 0 becomes 0,
 * so a weight below a step counts as one, and a file all of whose weights are that small is refused.
 * Loads are sums of these, told in flows again. */
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"
#include "load/traffic_file.h"

#include <math.h>

enum { FINEST = 16 };       /* largest k */
#define LEAST (1.0 / 256.0) /* flows the largest weight must come to: below, steps would be coarse beside it */

struct pattern_file_opt {
    const char *path;
    double unit;
    int format;
};

struct file_state {
    struct hd_pattern_state base;
    uint32_t unit;
    struct hd_flows flows;
};

struct file_reader {
    struct hd_ctx *ctx;
    const struct hd_ranks *ranks;
    struct hd_arena arena;
    struct hd_traffic traffic;
};

/* ---- whole numbers -------------------------------------------------------------------------- */

/* k such that weights times 2^k fit, summed over all flows and the variants they may split over. */
static hd_status choose_scale(struct file_reader *r, uint32_t nvar, uint32_t *k)
{
    double total = 0, largest = 0;
    bool whole = true;
    for (size_t i = 0; i < r->traffic.n; i++) {
        total += r->traffic.entry[i].weight;
        largest = fmax(largest, r->traffic.entry[i].weight);
        whole &= r->traffic.entry[i].weight == floor(r->traffic.entry[i].weight);
    }
    if (total * nvar > 0x1p31 || total > 0x1p23)
        return hd_fail(r->ctx, HD_INPUT,
                       "file: the weights of %.200s add up to %.6g flows, more than can be counted: raise unit=, the "
                       "weight that counts as one flow",
                       r->traffic.name, total);
    if (largest < LEAST)
        return hd_fail(r->ctx, HD_INPUT,
                       "file: the largest weight of %.200s comes to %.3g flows, too little to be counted: lower unit=, "
                       "the weight that counts as one flow",
                       r->traffic.name, largest);
    *k = whole ? 0 : FINEST;
    while (*k > 0 && ldexp(total > 1 ? total : 1, (int)*k) * nvar > 0x1p30) --*k;
    for (size_t i = 0; i < r->traffic.n; i++) {
        double w = floor(ldexp(r->traffic.entry[i].weight, (int)*k) + 0.5);
        r->traffic.entry[i].whole = w < 1 ? 1 : (uint32_t)w;
    }
    return HD_OK;
}

static hd_status make_flows(struct file_reader *r, struct hd_arena *arena, uint32_t k, struct file_state *s)
{
    if (r->traffic.n > HD_MAX_FLOWS)
        return hd_fail(r->ctx, HD_INPUT, "%.200s: %zu flows, at most %d can be held", r->traffic.name, r->traffic.n,
                       HD_MAX_FLOWS);
    bool *sends = HD_NEW(&r->arena, bool, r->ranks->n), *receives = HD_NEW(&r->arena, bool, r->ranks->n), ones = true;
    uint32_t n = (uint32_t)r->traffic.n, *src = HD_NEW(arena, uint32_t, n), *dst = HD_NEW(arena, uint32_t, n),
             *weight = HD_NEW(arena, uint32_t, n);
    bool simple = true;
    if (!sends || !receives || !src || !dst || !weight) return hd_fail_memory(r->ctx);
    for (uint32_t i = 0; i < n; i++) {
        const struct hd_traffic_entry *e = &r->traffic.entry[i];
        src[i] = r->ranks->ep[e->src];
        dst[i] = r->ranks->ep[e->dst];
        weight[i] = e->whole;
        ones &= e->whole == 1u << k;
        simple &= !sends[e->src] && !receives[e->dst];
        sends[e->src] = receives[e->dst] = true;
    }
    s->unit = ones ? 1 : 1u << k;
    s->flows = (struct hd_flows){n, src, dst, ones ? NULL : weight, simple && ones, {NULL}};
    s->base.max_flows = n;
    s->base.stages = 1;
    return HD_OK;
}

/* ---- the pattern ---------------------------------------------------------------------------- */

static hd_status read_matrix(struct file_reader *r, struct hd_arena *arena, const struct hd_pattern_in *in,
                             struct file_state *s)
{
    const struct pattern_file_opt *o = in->opt;
    uint32_t nvar = hd_routes_paths_per_pair(in->routes), k = 0;
    struct hd_traffic_in want = {.path = o->path,
                                 .format = (enum hd_traffic_format)o->format,
                                 .unit = o->unit,
                                 .net = hd_routes_net(in->routes),
                                 .ep = in->ranks->ep,
                                 .n = in->ranks->n};
    HD_TRY(hd_traffic_read(r->ctx, &r->arena, &want, &r->traffic));
    HD_TRY(choose_scale(r, nvar, &k));
    hd_traffic_merge(&r->traffic);
    return make_flows(r, arena, k, s);
}

static hd_status file_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, void **state)
{
    struct file_reader r = {.ctx = ctx, .ranks = in->ranks};
    HD_TRY(hd_pattern_state_make(ctx, arena, in, sizeof(struct file_state), state));
    if (!*((const struct pattern_file_opt *)in->opt)->path)
        return hd_fail(ctx, HD_INPUT, "file: expected path=FILE, a traffic matrix");
    hd_status status = read_matrix(&r, arena, in, *state);
    hd_arena_release(&r.arena);
    return status;
}

static uint32_t file_unit(const void *state)
{
    return ((const struct file_state *)state)->unit;
}

static void file_draw(const void *state, struct hd_rng *rng, uint64_t stage, struct hd_flows *f)
{
    const struct hd_flows *own = &((const struct file_state *)state)->flows;
    (void)rng, (void)stage;
    *f = (struct hd_flows){own->n, own->src, own->dst, own->weight, own->simple, {f->buf[0], f->buf[1], f->buf[2]}};
}

static const struct hd_param params[] = {
    {"path", HD_TEXT, "", "the file, plain or compressed", offsetof(struct pattern_file_opt, path), 0, 0, NULL, false},
    {"unit", HD_REAL, "1", "the weight that counts as one flow", offsetof(struct pattern_file_opt, unit), 1e-18, 1e18,
     NULL, false},
    {"format", HD_WORD, "auto", "what the lines are", offsetof(struct pattern_file_opt, format), 0, 0,
     HD_TRAFFIC_FORMATS, false},
    {0}};

const struct hd_pattern hd_pattern_file = {
    .desc =
        {.name = "file",
         .summary = "a traffic matrix from a file",
         .text =
             "One stage. Dense: one line per rank, one weight per column, line i and column j being what rank i sends "
             "to rank j. Sparse: lines of source, destination and weight, where an end is a rank number, a name (in "
             "double quotes where it has blanks) or a port GUID (0x...); lines for the same pair add up. Fields are "
             "separated by blanks or commas, lines that begin with # are comments. Weights are finite numbers from 0. "
             "unit= is the weight that counts as one flow: loads are given in it. Weights are kept in steps of 2^-16 "
             "units (coarser where they add up to more than 16384 units), exactly where all are whole; a weight below "
             "a step counts as one, and the largest must be at least 1/256 of a unit.",
         .params = params,
         .command =
             "printf '0 9 1\\n1 9 2.5\\n' >traffic && heddle eval ft:m=8,n=2 dmodk -p file:path=traffic -m maxload",
         .opt_size = sizeof(struct pattern_file_opt)},
    .init = file_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .unit = file_unit,
    .draw = file_draw};
