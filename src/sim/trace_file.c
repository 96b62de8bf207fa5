/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces: one message per line, "source destination bytes after", # begins a comment line. An end is a rank
 * number, an endpoint's name or its port GUID. after is - or the number of an earlier message (from 1): the
 * message begins when that one has arrived. Messages that wait for nothing begin at time 0. */
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "route/core/endpoint_names.h"
#include "sim/workload.h"

#include <string.h>

#define NONE UINT32_MAX

enum { MAX_MESSAGES = 1 << 23 }; /* of a trace: 1.6 GB of state */

struct trace_line {
    uint32_t src, dst, after;
    uint64_t bytes;
};

struct trace_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    const struct hd_ranks *ranks;
    struct hd_endpoint_names names;
    struct trace_line *line;
    uint32_t n, room;
};

static hd_status read_end(struct trace_reader *r, const char *text, uint32_t *e)
{
    uint64_t rank;
    uint32_t matches = 0;
    if (hd_parse_u64(text, strlen(text), &rank)) {
        if (rank >= r->ranks->n) return hd_in_fail(r->ctx, r->in, "rank %.40s: there are %u", text, r->ranks->n);
        *e = r->ranks->ep[rank];
        return HD_OK;
    }
    *e = hd_endpoint_names_find(&r->names, text, &matches);
    if (matches == 1) return HD_OK;
    return hd_in_fail(r->ctx, r->in, "'%.60s': expected a rank, or the name or GUID of %s endpoint", text,
                      matches ? "just one" : "an");
}

static hd_status trace_read_line(struct trace_reader *r, char *text, struct trace_line *l)
{
    char *field[5];
    uint64_t after = 0;
    for (int i = 0; i < 5; i++) field[i] = hd_next_field(&text);
    if (!field[3] || field[4]) return hd_in_fail(r->ctx, r->in, "expected 'source destination bytes after'");
    HD_TRY(read_end(r, field[0], &l->src));
    HD_TRY(read_end(r, field[1], &l->dst));
    if (l->src == l->dst) return hd_in_fail(r->ctx, r->in, "expected two different endpoints");
    if (!hd_parse_u64(field[2], strlen(field[2]), &l->bytes) || l->bytes == 0 || l->bytes > 1000000000000000)
        return hd_in_fail(r->ctx, r->in, "'%.40s': expected a number of bytes from 1 to 10^15", field[2]);
    l->after = NONE;
    if (strcmp(field[3], "-") == 0) return HD_OK;
    if (!hd_parse_u64(field[3], strlen(field[3]), &after) || after == 0 || after > r->n)
        return hd_in_fail(r->ctx, r->in, "'%.40s': expected - or the number of an earlier message, 1 to %u", field[3],
                          r->n);
    l->after = (uint32_t)after - 1;
    return HD_OK;
}

static hd_status trace_read_lines(struct trace_reader *r, struct hd_arena *arena)
{
    for (char *text;;) {
        HD_TRY(hd_in_text(r->ctx, r->in, " \t", &text));
        if (!text) return r->n ? HD_OK : hd_in_fail(r->ctx, r->in, "expected at least one message");
        if (r->n == MAX_MESSAGES)
            return hd_in_fail(r->ctx, r->in, "more than %d messages, which is the limit", MAX_MESSAGES);
        if (!HD_MORE(arena, r->line, r->n, r->room)) return hd_fail_memory(r->ctx);
        HD_TRY(trace_read_line(r, text, &r->line[r->n]));
        r->n++;
    }
}

/* Lists of what waits for what, in the order of the lines. */
static hd_status make_lists(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t nep, const struct trace_reader *r,
                            struct hd_workload *out)
{
    struct hd_workload w = {.nmsg = r->n, .nstage = 1, .root = NONE};
    w.first = HD_NEW(arena, uint32_t, (size_t)nep + 1);
    w.bytes = HD_NEW(arena, uint64_t, r->n);
    if (!w.first || !w.bytes || !HD_NEW_U32(arena, r->n, &w.dst, &w.stage, &w.source, &w.child, &w.sibling))
        return hd_fail_memory(ctx);
    memset(w.child, 0xff, r->n * sizeof *w.child);
    for (uint32_t m = r->n; m-- > 0;) {
        const struct trace_line *l = &r->line[m];
        uint32_t *list = l->after == NONE ? &w.root : &w.child[l->after];
        w.source[m] = l->src;
        w.dst[m] = l->dst;
        w.bytes[m] = l->bytes;
        w.sibling[m] = *list;
        *list = m;
    }
    *out = w;
    return HD_OK;
}

hd_status hd_workload_trace(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            const struct hd_ranks *ranks, const char *path, struct hd_workload *w)
{
    struct hd_arena scratch = {0};
    struct trace_reader r = {.ctx = ctx, .ranks = ranks};
    hd_status s = hd_in_open(ctx, path, &r.in);
    if (s != HD_OK) return s;
    s = hd_endpoint_names_init(ctx, &scratch, net, &r.names);
    if (s == HD_OK) s = trace_read_lines(&r, &scratch);
    if (s == HD_OK) s = make_lists(ctx, arena, net->nep, &r, w);
    hd_in_close(r.in);
    hd_arena_release(&scratch);
    return s;
}
