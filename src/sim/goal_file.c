/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces in GOAL, as text: blocks "rank R {" of operations "l1: send 8192b to 1 tag 0", "l2: recv 8192b from 0 tag 0"
 * and "l3: calc 5000", and of lines "l2 requires l1" (after its end) and "l2 irequires l1" (after its beginning). Every
 * operation becomes a message: a send one that is sent, the others one without bytes, so that dependencies stay as they
 * are written. A receive waits for its own send: those of one sender, receiver and tag match in order, as in MPI.
 * Calculations take no time: what is simulated is the network. The simulator knows when messages arrive, so a send has
 * ended when it has arrived. Matching and labels are found by sorting: O(n log n). Operations that wait for each other
 * are refused.
 * Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language - a flexible way to express collective
 * communication. */
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "sim/workload.h"

#include <stdlib.h>
#include <string.h>

enum goal_kind { GOAL_SEND, GOAL_RECV, GOAL_CALC };

struct goal_label { /* of the current block */
    const char *name;
    uint32_t op;
};

struct goal_end { /* of a send or receive */
    uint32_t from, to;
    uint64_t tag;
    uint32_t op;
    uint64_t line;
};

struct goal_rule { /* a line "X requires Y" of the current block */
    const char *later, *earlier;
    bool begin; /* irequires */
    uint64_t line;
};

struct goal_reader {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    struct hd_in *in;
    const struct hd_ranks *ranks;
    struct hd_trace_lists *t;
    uint64_t nrank;
    uint32_t rank; /* of the current block */
    bool inside;
    bool *seen; /* [nrank] has a block */
    struct goal_label *label;
    uint32_t nlabel, label_room;
    struct goal_rule *rule;
    uint32_t nrule, rule_room;
    struct goal_end *end[2]; /* sends and receives */
    uint32_t nend[2], end_room[2];
};

/* ---- operations ----------------------------------------------------------------------------- */

static hd_status goal_wait(struct goal_reader *r, uint32_t message, uint32_t on)
{
    struct hd_trace_lists *t = r->t;
    if (t->nwait == 4u * HD_TRACE_MAX) return hd_in_fail(r->ctx, r->in, "more than %d dependencies", 4 * HD_TRACE_MAX);
    if (!HD_MORE(r->arena, t->wait, t->nwait, t->wait_room)) return hd_fail_memory(r->ctx);
    t->wait[t->nwait++] = (struct hd_trace_wait){message, on};
    return HD_OK;
}

/* "8192b". */
static bool goal_bytes(const char *text, uint64_t *bytes)
{
    size_t n = strlen(text);
    return n > 1 && text[n - 1] == 'b' && hd_parse_u64(text, n - 1, bytes) && *bytes <= 1000000000000000;
}

static hd_status goal_peer(struct goal_reader *r, const char *text, uint64_t *peer)
{
    if (hd_parse_u64(text, strlen(text), peer) && *peer < r->nrank) return HD_OK;
    return hd_in_fail(r->ctx, r->in, "'%.40s': expected a rank from 0 to %llu", text, (unsigned long long)r->nrank - 1);
}

/* send BYTESb to RANK [tag N] [cpu N] [nic N], and recv likewise. */
static hd_status goal_message(struct goal_reader *r, enum goal_kind kind, char *text, struct hd_trace_message *m)
{
    const char *size = hd_next_field(&text), *word = hd_next_field(&text), *peer = hd_next_field(&text);
    uint64_t other, bytes;
    struct goal_end end = {.op = r->t->n, .line = hd_in_lineno(r->in)};
    if (!peer || strcmp(word, kind == GOAL_SEND ? "to" : "from") != 0 || !goal_bytes(size, &bytes))
        return hd_in_fail(r->ctx, r->in, "expected '%s BYTESb %s RANK', as in %s 8192b %s 1 tag 0",
                          kind == GOAL_SEND ? "send" : "recv", kind == GOAL_SEND ? "to" : "from",
                          kind == GOAL_SEND ? "send" : "recv", kind == GOAL_SEND ? "to" : "from");
    HD_TRY(goal_peer(r, peer, &other));
    for (const char *key; (key = hd_next_field(&text));) {
        const char *value = hd_next_field(&text);
        uint64_t number;
        bool known = strcmp(key, "tag") == 0 || strcmp(key, "cpu") == 0 || strcmp(key, "nic") == 0;
        if (!known || !value || !hd_parse_u64(value, strlen(value), &number))
            return hd_in_fail(r->ctx, r->in, "'%.40s': expected tag, cpu or nic and a number", key);
        if (key[0] == 't') end.tag = number;
    }
    end.from = kind == GOAL_SEND ? r->rank : (uint32_t)other;
    end.to = kind == GOAL_SEND ? (uint32_t)other : r->rank;
    if (!HD_MORE(r->arena, r->end[kind], r->nend[kind], r->end_room[kind])) return hd_fail_memory(r->ctx);
    r->end[kind][r->nend[kind]++] = end;
    m->src = m->dst = r->ranks->ep[r->rank];
    if (kind == GOAL_RECV || end.from == end.to) return HD_OK; /* what a rank sends to itself meets no network */
    m->dst = r->ranks->ep[other];
    m->bytes = bytes ? bytes : 1;
    return HD_OK;
}

static hd_status goal_operation(struct goal_reader *r, char *name, char *text)
{
    struct hd_trace_lists *t = r->t;
    const char *what = hd_next_field(&text);
    struct hd_trace_message m = {0};
    if (t->n == HD_TRACE_MAX)
        return hd_in_fail(r->ctx, r->in, "more than %d operations, which is the limit", HD_TRACE_MAX);
    if (!HD_MORE(r->arena, t->message, t->n, t->room) || !HD_MORE(r->arena, r->label, r->nlabel, r->label_room))
        return hd_fail_memory(r->ctx);
    if (what && strcmp(what, "send") == 0)
        HD_TRY(goal_message(r, GOAL_SEND, text, &m));
    else if (what && strcmp(what, "recv") == 0)
        HD_TRY(goal_message(r, GOAL_RECV, text, &m));
    else if (what && strcmp(what, "calc") == 0)
        m.src = m.dst = r->ranks->ep[r->rank];
    else
        return hd_in_fail(r->ctx, r->in, "'%.40s': expected send, recv or calc", what ? what : "");
    r->label[r->nlabel++] = (struct goal_label){hd_strdup(r->arena, name, strlen(name)), t->n};
    if (!r->label[r->nlabel - 1].name) return hd_fail_memory(r->ctx);
    t->message[t->n++] = m;
    return HD_OK;
}

/* ---- dependencies --------------------------------------------------------------------------- */

static int goal_by_name(const void *a, const void *b)
{
    const struct goal_label *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static hd_status goal_find(struct goal_reader *r, const char *name, uint64_t line, uint32_t *op)
{
    const struct goal_label key = {name, 0};
    const struct goal_label *found = bsearch(&key, r->label, r->nlabel, sizeof key, goal_by_name);
    if (!found)
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%llu: '%.40s': no operation of rank %u has that label",
                       hd_in_name(r->in), (unsigned long long)line, name, r->rank);
    *op = found->op;
    return HD_OK;
}

/* At the end of a block: labels may be used before they are defined. What begins with another operation waits for what
 * that waits for, as far as it is known by the lines above. */
static hd_status goal_close(struct goal_reader *r)
{
    qsort(r->label, r->nlabel, sizeof *r->label, goal_by_name);
    for (uint32_t i = 1; i < r->nlabel; i++)
        if (strcmp(r->label[i].name, r->label[i - 1].name) == 0)
            return hd_in_fail(r->ctx, r->in, "label '%.40s' of rank %u is defined twice", r->label[i].name, r->rank);
    uint32_t first = r->t->nwait;
    for (uint32_t i = 0; i < r->nrule; i++) {
        const struct goal_rule *rule = &r->rule[i];
        uint32_t later, earlier, end = r->t->nwait;
        HD_TRY(goal_find(r, rule->later, rule->line, &later));
        HD_TRY(goal_find(r, rule->earlier, rule->line, &earlier));
        if (!rule->begin) HD_TRY(goal_wait(r, later, earlier));
        for (uint32_t k = first; rule->begin && k < end; k++)
            if (r->t->wait[k].message == earlier) HD_TRY(goal_wait(r, later, r->t->wait[k].on));
    }
    r->nlabel = r->nrule = 0;
    r->inside = false;
    return HD_OK;
}

static hd_status goal_rule(struct goal_reader *r, char *later, const char *word, char *text)
{
    const char *earlier = hd_next_field(&text);
    bool begin = strcmp(word, "irequires") == 0;
    if (!earlier || hd_next_field(&text) || (!begin && strcmp(word, "requires") != 0))
        return hd_in_fail(r->ctx, r->in, "expected 'LABEL: OPERATION', 'LABEL requires LABEL' or '}'");
    if (!HD_MORE(r->arena, r->rule, r->nrule, r->rule_room)) return hd_fail_memory(r->ctx);
    r->rule[r->nrule++] = (struct goal_rule){hd_strdup(r->arena, later, strlen(later)),
                                             hd_strdup(r->arena, earlier, strlen(earlier)), begin, hd_in_lineno(r->in)};
    return r->rule[r->nrule - 1].later && r->rule[r->nrule - 1].earlier ? HD_OK : hd_fail_memory(r->ctx);
}

/* ---- matching ------------------------------------------------------------------------------- */

static int goal_by_ends(const void *a, const void *b)
{
    const struct goal_end *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static bool goal_same_ends(const struct goal_end *x, const struct goal_end *y)
{
    return x->from == y->from && x->to == y->to && x->tag == y->tag;
}

static hd_status goal_match(struct goal_reader *r)
{
    uint32_t ns = r->nend[GOAL_SEND], nr = r->nend[GOAL_RECV];
    const struct goal_end *send = r->end[GOAL_SEND], *recv = r->end[GOAL_RECV];
    if (ns) qsort(r->end[GOAL_SEND], ns, sizeof *send, goal_by_ends);
    if (nr) qsort(r->end[GOAL_RECV], nr, sizeof *recv, goal_by_ends);
    for (uint32_t i = 0; i < ns || i < nr; i++) {
        if (i < ns && i < nr && goal_same_ends(&send[i], &recv[i])) {
            HD_TRY(goal_wait(r, recv[i].op, send[i].op));
            continue;
        }
        bool lone_send = i >= nr || (i < ns && goal_by_ends(&send[i], &recv[i]) < 0);
        const struct goal_end *e = lone_send ? &send[i] : &recv[i];
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%llu: no %s of rank %u %s rank %u with tag %llu matches this %s",
                       hd_in_name(r->in), (unsigned long long)e->line, lone_send ? "recv" : "send",
                       lone_send ? e->to : e->from, lone_send ? "from" : "to", lone_send ? e->from : e->to,
                       (unsigned long long)e->tag, lone_send ? "send" : "recv");
    }
    return HD_OK;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* "rank R {" */
static hd_status goal_open(struct goal_reader *r, const char *word, char *text)
{
    const char *number = hd_next_field(&text), *brace = hd_next_field(&text);
    uint64_t rank;
    if (strcmp(word, "rank") != 0 || !brace || strcmp(brace, "{") != 0 || hd_next_field(&text))
        return hd_in_fail(r->ctx, r->in, "expected 'rank R {'");
    HD_TRY(goal_peer(r, number, &rank));
    if (r->seen[rank]) return hd_in_fail(r->ctx, r->in, "rank %llu has a second block", (unsigned long long)rank);
    r->seen[rank] = r->inside = true;
    r->rank = (uint32_t)rank;
    return HD_OK;
}

static hd_status goal_line(struct goal_reader *r, char *text)
{
    char *word = hd_next_field(&text);
    if (strncmp(word, "//", 2) == 0) return HD_OK;
    if (!r->inside) return goal_open(r, word, text);
    if (strcmp(word, "}") == 0) return goal_close(r);
    size_t n = strlen(word);
    if (n > 1 && word[n - 1] == ':') {
        word[n - 1] = 0;
        return goal_operation(r, word, text);
    }
    const char *rule = hd_next_field(&text);
    return goal_rule(r, word, rule ? rule : "", text);
}

static hd_status goal_begin(struct goal_reader *r)
{
    char *text;
    HD_TRY(hd_in_text(r->ctx, r->in, " \t", &text));
    const char *word = text ? hd_next_field(&text) : NULL, *number = word ? hd_next_field(&text) : NULL;
    if (!number || strcmp(word, "num_ranks") != 0 || !hd_parse_u64(number, strlen(number), &r->nrank) || !r->nrank)
        return hd_in_fail(r->ctx, r->in, "expected 'num_ranks N'");
    if (r->nrank > r->ranks->n)
        return hd_in_fail(r->ctx, r->in, "num_ranks %llu: there are %u endpoints", (unsigned long long)r->nrank,
                          r->ranks->n);
    r->seen = HD_NEW(r->arena, bool, r->nrank);
    return r->seen ? HD_OK : hd_fail_memory(r->ctx);
}

/* Whether all operations can begin at some time. */
static hd_status goal_check(struct goal_reader *r)
{
    struct hd_workload w;
    uint32_t n = r->t->n, done = 0, *queue = HD_NEW(r->arena, uint32_t, n);
    if (!queue) return hd_fail_memory(r->ctx);
    HD_TRY(hd_workload_lists(r->ctx, r->arena, 1, r->t, &w));
    for (uint32_t m = 0; m < n; m++)
        if (!w.need[m]) queue[done++] = m;
    for (uint32_t i = 0; i < done; i++)
        for (uint32_t k = w.first_wait[queue[i]]; k < w.first_wait[queue[i] + 1]; k++)
            if (--w.need[w.waits[k]] == 0) queue[done++] = w.waits[k];
    if (done == n) return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%.200s: %u operations wait for each other", hd_in_name(r->in), n - done);
}

hd_status hd_goal_read(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_in *in, const struct hd_ranks *ranks,
                       struct hd_trace_lists *t)
{
    struct goal_reader r = {.ctx = ctx, .arena = scratch, .in = in, .ranks = ranks, .t = t};
    uint64_t bytes = 0;
    HD_TRY(goal_begin(&r));
    for (char *text;;) {
        HD_TRY(hd_in_text(ctx, in, " \t", &text));
        if (!text) break;
        HD_TRY(goal_line(&r, text));
    }
    if (r.inside) return hd_in_fail(ctx, in, "the block of rank %u has no end: expected '}'", r.rank);
    HD_TRY(goal_match(&r));
    for (uint32_t m = 0; m < t->n; m++) bytes += t->message[m].bytes;
    if (!bytes) return hd_fail(ctx, HD_INPUT, "%.200s: no message between ranks", hd_in_name(in));
    return goal_check(&r);
}
