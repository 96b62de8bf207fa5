/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces in GOAL, as text: blocks "rank R {" of operations "l1: send 8192b to 1 tag 0", "l2: recv 8192b from 0 tag 0"
 * and "l3: calc 5000", and of lines "l2 requires l1" (after its end) and "l2 irequires l1" (after its beginning).
 * Calculations take no time: what is simulated is the network. An operation with whose beginning another one begins has
 * an operation without bytes before it, its gate, which waits in its place. Labels are found by sorting: O(n log n).
 * Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language - a flexible way to express collective
 * communication. */
#include "base/input.h"
#include "base/spec.h"
#include "base/status.h"
#include "sim/trace_ops.h"

#include <stdlib.h>
#include <string.h>

struct goal_label { /* of the current block */
    const char *name;
    uint32_t op, gate; /* gate: whose end is the beginning of op; op itself until there is one */
    bool instant;      /* a calculation, which ends when it begins */
    uint32_t line;
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
    struct hd_trace_ops ops;
    uint64_t nrank;
    uint32_t rank; /* of the current block */
    bool inside;
    bool *seen; /* [nrank] has a block */
    struct goal_label *label;
    uint32_t nlabel, label_room;
    struct goal_rule *rule;
    uint32_t nrule, rule_room;
};

/* ---- operations ----------------------------------------------------------------------------- */

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
static hd_status goal_message(struct goal_reader *r, char *text, struct hd_op *op)
{
    const char *size = hd_next_field(&text), *word = hd_next_field(&text), *peer = hd_next_field(&text);
    const char *what = op->kind == HD_OP_SEND ? "send" : "recv", *to = op->kind == HD_OP_SEND ? "to" : "from";
    uint64_t other;
    if (!peer || strcmp(word, to) != 0 || !goal_bytes(size, &op->bytes))
        return hd_in_fail(r->ctx, r->in, "expected '%s BYTESb %s RANK', as in %s 8192b %s 1 tag 0", what, to, what, to);
    HD_TRY(goal_peer(r, peer, &other));
    for (const char *key; (key = hd_next_field(&text));) {
        const char *value = hd_next_field(&text);
        uint64_t number;
        bool known = strcmp(key, "tag") == 0 || strcmp(key, "cpu") == 0 || strcmp(key, "nic") == 0;
        if (!known || !value || !hd_parse_u64(value, strlen(value), &number))
            return hd_in_fail(r->ctx, r->in, "'%.40s': expected tag, cpu or nic and a number", key);
        if (key[0] == 't') op->tag = number;
    }
    op->peer = (uint32_t)other;
    return HD_OK;
}

static hd_status goal_operation(struct goal_reader *r, char *name, char *text)
{
    const char *what = hd_next_field(&text);
    struct hd_op op = {.kind = HD_OP_OTHER, .rank = r->rank, .line = (uint32_t)hd_in_lineno(r->in)};
    if (!HD_MORE(r->arena, r->label, r->nlabel, r->label_room)) return hd_fail_memory(r->ctx);
    if (what && (strcmp(what, "send") == 0 || strcmp(what, "recv") == 0)) {
        op.kind = what[0] == 's' ? HD_OP_SEND : HD_OP_RECV;
        HD_TRY(goal_message(r, text, &op));
    } else if (!what || strcmp(what, "calc") != 0)
        return hd_in_fail(r->ctx, r->in, "'%.40s': expected send, recv or calc", what ? what : "");
    HD_TRY(hd_trace_op(&r->ops, &op));
    const uint32_t number = r->ops.t->n - 1;
    r->label[r->nlabel++] =
        (struct goal_label){hd_strdup(r->arena, name, strlen(name)), number, number, op.kind == HD_OP_OTHER, op.line};
    return r->label[r->nlabel - 1].name ? HD_OK : hd_fail_memory(r->ctx);
}

/* ---- dependencies --------------------------------------------------------------------------- */

static int goal_by_name(const void *a, const void *b)
{
    const struct goal_label *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static hd_status goal_find(struct goal_reader *r, const char *name, uint64_t line, struct goal_label **label)
{
    const struct goal_label key = {.name = name};
    *label = r->nlabel ? bsearch(&key, r->label, r->nlabel, sizeof key, goal_by_name) : NULL;
    if (*label) return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%.200s:%llu: '%.40s': no operation of rank %u has that label", hd_in_name(r->in),
                   (unsigned long long)line, name, r->rank);
}

static hd_status goal_add_gate(struct goal_reader *r, struct goal_label *label)
{
    if (label->instant || label->gate != label->op) return HD_OK;
    HD_TRY(hd_trace_op(&r->ops, &(struct hd_op){.kind = HD_OP_OTHER, .rank = r->rank}));
    label->gate = r->ops.t->n - 1;
    return hd_trace_wait(&r->ops, label->op, label->gate);
}

static hd_status goal_add_wait(struct goal_reader *r, const struct goal_rule *rule)
{
    struct goal_label *later, *earlier;
    HD_TRY(goal_find(r, rule->later, rule->line, &later));
    HD_TRY(goal_find(r, rule->earlier, rule->line, &earlier));
    return hd_trace_wait(&r->ops, later->gate, rule->begin ? earlier->gate : earlier->op);
}

static hd_status goal_twice(const struct goal_reader *r, const struct goal_label *a, const struct goal_label *b)
{
    const uint32_t first = a->line < b->line ? a->line : b->line, second = a->line < b->line ? b->line : a->line;
    return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: label '%.40s' of rank %u is defined in line %u already",
                   hd_in_name(r->in), second, a->name, r->rank, first);
}

/* At the end of a block: labels may be used before they are defined, and what an operation waits for may be said after
 * what begins with it. */
static hd_status goal_close(struct goal_reader *r)
{
    struct goal_label *earlier;
    if (r->nlabel) qsort(r->label, r->nlabel, sizeof *r->label, goal_by_name);
    for (uint32_t i = 1; i < r->nlabel; i++)
        if (strcmp(r->label[i].name, r->label[i - 1].name) == 0) return goal_twice(r, &r->label[i - 1], &r->label[i]);
    for (uint32_t i = 0; i < r->nrule; i++) {
        if (!r->rule[i].begin) continue;
        HD_TRY(goal_find(r, r->rule[i].earlier, r->rule[i].line, &earlier));
        HD_TRY(goal_add_gate(r, earlier));
    }
    for (uint32_t i = 0; i < r->nrule; i++) HD_TRY(goal_add_wait(r, &r->rule[i]));
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
    do HD_TRY(hd_in_text(r->ctx, r->in, " \t,", &text));
    while (text && strncmp(text, "//", 2) == 0);
    const char *word = text ? hd_next_field(&text) : NULL, *number = word ? hd_next_field(&text) : NULL;
    const char *more = number ? hd_next_field(&text) : NULL;
    if (!number || strcmp(word, "num_ranks") != 0 || !hd_parse_u64(number, strlen(number), &r->nrank) || !r->nrank ||
        (more && strncmp(more, "//", 2) != 0))
        return hd_in_fail(r->ctx, r->in, "expected 'num_ranks N' and nothing else in its line");
    if (r->nrank > r->ops.ranks->n)
        return hd_in_fail(r->ctx, r->in, "num_ranks %llu: there are %u endpoints", (unsigned long long)r->nrank,
                          r->ops.ranks->n);
    r->seen = HD_NEW(r->arena, bool, r->nrank);
    return r->seen ? HD_OK : hd_fail_memory(r->ctx);
}

hd_status hd_goal_read(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_in *in, const struct hd_ranks *ranks,
                       struct hd_trace_lists *t)
{
    struct goal_reader r = {.ctx = ctx, .arena = scratch, .in = in};
    r.ops = (struct hd_trace_ops){.ctx = ctx, .arena = scratch, .ranks = ranks, .t = t, .file = hd_in_name(in)};
    HD_TRY(goal_begin(&r));
    for (char *text;;) {
        HD_TRY(hd_in_text(ctx, in, " \t,", &text));
        if (!text) break;
        HD_TRY(goal_line(&r, text));
    }
    if (r.inside) return hd_in_fail(ctx, in, "the block of rank %u has no end: expected '}'", r.rank);
    return hd_trace_close(&r.ops, hd_in_name(in));
}
