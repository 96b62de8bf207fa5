/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces: Chakra's (a folder, chakra_file.c), GOAL (goal_file.c), or one message per line, "source destination bytes
 * after", # begins a comment line. An end is a rank number, an endpoint's name or its port GUID. after is - or the
 * number of an earlier message (from 1): the message begins when that one has arrived. Messages that wait for nothing
 * begin at time 0. */
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "route/core/endpoint_names.h"
#include "sim/trace_ops.h"

#include <string.h>
#include <sys/stat.h>

#define NONE UINT32_MAX

struct trace_reader {
    struct hd_ctx *ctx;
    struct hd_in *in;
    const struct hd_ranks *ranks;
    struct hd_endpoint_names names;
    struct hd_trace_lists lists;
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

static hd_status trace_read_line(struct trace_reader *r, char *text, struct hd_trace_message *l, uint32_t *earlier)
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
    *earlier = NONE;
    if (strcmp(field[3], "-") == 0) return HD_OK;
    if (!hd_parse_u64(field[3], strlen(field[3]), &after) || after == 0 || after > r->lists.n)
        return hd_in_fail(r->ctx, r->in, "'%.40s': expected - or the number of an earlier message, 1 to %u", field[3],
                          r->lists.n);
    *earlier = (uint32_t)after - 1;
    return HD_OK;
}

static hd_status trace_read_lines(struct trace_reader *r, struct hd_arena *arena)
{
    for (char *text;;) {
        HD_TRY(hd_in_text(r->ctx, r->in, " \t", &text));
        struct hd_trace_lists *t = &r->lists;
        uint32_t earlier = NONE;
        if (!text) return t->n ? HD_OK : hd_in_fail(r->ctx, r->in, "expected at least one message");
        if (t->n == HD_TRACE_MAX)
            return hd_in_fail(r->ctx, r->in, "more than %d messages, which is the limit", HD_TRACE_MAX);
        if (!HD_MORE(arena, t->message, t->n, t->room) || !HD_MORE(arena, t->wait, t->nwait, t->wait_room))
            return hd_fail_memory(r->ctx);
        HD_TRY(trace_read_line(r, text, &t->message[t->n], &earlier));
        if (earlier != NONE) t->wait[t->nwait++] = (struct hd_trace_wait){t->n, earlier};
        t->n++;
    }
}

/* Lists of what waits for what, in the order of the messages. */
hd_status hd_workload_lists(struct hd_ctx *ctx, struct hd_arena *arena, uint32_t nep, const struct hd_trace_lists *t,
                            struct hd_workload *out)
{
    struct hd_workload w = {.nmsg = t->n, .nstage = 1};
    w.first = HD_NEW(arena, uint32_t, (size_t)nep + 1);
    w.bytes = HD_NEW(arena, uint64_t, t->n);
    w.waits = HD_NEW(arena, uint32_t, t->nwait);
    w.first_wait = HD_NEW(arena, uint32_t, (size_t)t->n + 2);
    if (!w.first || !w.bytes || !w.waits || !w.first_wait ||
        !HD_NEW_U32(arena, t->n, &w.dst, &w.stage, &w.source, &w.need))
        return hd_fail_memory(ctx);
    for (uint32_t m = 0; m < t->n; m++) {
        w.source[m] = t->message[m].src;
        w.dst[m] = t->message[m].dst;
        w.bytes[m] = t->message[m].bytes;
    }
    for (uint32_t i = 0; i < t->nwait; i++) {
        w.first_wait[t->wait[i].on + 2]++;
        w.need[t->wait[i].message]++;
    }
    for (uint32_t m = 0; m < t->n; m++) w.first_wait[m + 2] += w.first_wait[m + 1];
    for (uint32_t i = 0; i < t->nwait; i++) w.waits[w.first_wait[t->wait[i].on + 1]++] = t->wait[i].message;
    *out = w;
    return HD_OK;
}

enum { TRACE_HEAD = 4096, TRACE_MARK = 10 };

/* GOAL begins with the number of ranks, perhaps after blank lines and comments; JSON would be one file of several. */
static hd_status trace_kind(struct hd_ctx *ctx, struct hd_in *in, bool *goal)
{
    const char *bytes;
    bool comment = false;
    size_t at = 0;
    for (;; at++) {
        HD_TRY(hd_in_peek(ctx, in, at + TRACE_MARK, &bytes));
        if (!bytes || at == TRACE_HEAD) return HD_OK;
        if (comment)
            comment = bytes[at] != '\n';
        else if (bytes[at] == '#' || strncmp(bytes + at, "//", 2) == 0)
            comment = true;
        else if (!bytes[at] || !strchr(" \t\r\n", bytes[at]))
            break;
    }
    *goal = strncmp(bytes + at, "num_ranks ", TRACE_MARK) == 0;
    if (bytes[at] == '{')
        return hd_in_fail(ctx, in,
                          "a file of JSON: expected the folder with the files NAME.RANK.json of a Chakra trace");
    return HD_OK;
}

static hd_status trace_read(struct trace_reader *r, struct hd_arena *scratch, const struct hd_net *net)
{
    bool goal = false;
    HD_TRY(trace_kind(r->ctx, r->in, &goal));
    if (goal) return hd_goal_read(r->ctx, scratch, r->in, r->ranks, &r->lists);
    HD_TRY(hd_endpoint_names_init(r->ctx, scratch, net, &r->names));
    return trace_read_lines(r, scratch);
}

hd_status hd_workload_trace(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                            const struct hd_ranks *ranks, const char *path, struct hd_workload *w)
{
    struct hd_arena scratch = {0};
    struct trace_reader r = {.ctx = ctx, .ranks = ranks};
    struct stat file;
    hd_status s;
    if (stat(path, &file) == 0 && S_ISDIR(file.st_mode)) {
        s = hd_chakra_read(ctx, &scratch, path, ranks, &r.lists);
    } else {
        HD_TRY(hd_in_open(ctx, path, &r.in));
        s = trace_read(&r, &scratch, net);
        hd_in_close(r.in);
    }
    if (s == HD_OK) s = hd_workload_lists(ctx, arena, net->nep, &r.lists, w);
    hd_arena_release(&scratch);
    return s;
}
