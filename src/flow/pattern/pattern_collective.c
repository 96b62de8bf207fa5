/* SPDX-License-Identifier: BSD-2-Clause */
/* Collectives by the names users give them: an operation and an algorithm stand for one or two sequences,
 * run one after the other. The rows follow Table 1 of the source, which surveys MVAPICH and Open MPI; where a
 * cell of it lists several sequences as alternatives each has a name here, and where small and large
 * messages differ the size decides. A ring that really runs N-1 times is one stage: they are all alike. */
#include "base/spec.h"
#include "base/status.h"
#include "flow/pattern/all_patterns.h"
#include "flow/pattern/pattern_state.h"

#include <stdio.h>
#include <string.h>

#define OPS "allgather|allreduce|alltoall|barrier|broadcast|gather|reduce|reduce-scatter|scatter"

enum op { ALLGATHER, ALLREDUCE, ALLTOALL, BARRIER, BROADCAST, GATHER, REDUCE, REDUCE_SCATTER, SCATTER };

enum size { SMALL = 1, LARGE = 2, ANY = 3 };

struct algorithm {
    enum op op;
    const char *name;
    enum size size;
    uint32_t n;
    enum hd_sequence sequence[2];
    bool power_of_two; /* defined for such numbers of ranks only */
};

static const struct algorithm algorithms[] = {
    {ALLGATHER, "ring", ANY, 1, {HD_SEQ_RING}, false},
    {ALLGATHER, "bruck", ANY, 1, {HD_SEQ_REV_BRUCK}, false},
    {ALLGATHER, "doubling", ANY, 1, {HD_SEQ_RECDBL}, true},
    {ALLREDUCE, "old", ANY, 1, {HD_SEQ_RECDBL}, false},
    {ALLREDUCE, "rabenseifner", ANY, 2, {HD_SEQ_RECHALF, HD_SEQ_RECDBL}, false},
    {ALLREDUCE, "ring", ANY, 1, {HD_SEQ_RING}, false},
    {ALLTOALL, "shift", ANY, 1, {HD_SEQ_SHIFT}, false},
    {ALLTOALL, "bruck", ANY, 1, {HD_SEQ_BRUCK}, false},
    {ALLTOALL, "xor", ANY, 1, {HD_SEQ_XOR}, true},
    {ALLTOALL, "hypercube", ANY, 1, {HD_SEQ_RECDBL}, true},
    {BARRIER, "dissemination", ANY, 1, {HD_SEQ_BRUCK}, false},
    {BARRIER, "doubling", ANY, 1, {HD_SEQ_RECDBL}, false},
    {BARRIER, "tree", ANY, 2, {HD_SEQ_GATHER, HD_SEQ_BINOMIAL}, false},
    {BARRIER, "tournament", ANY, 2, {HD_SEQ_TOURNAMENT, HD_SEQ_BINOMIAL}, false},
    {BROADCAST, "old", ANY, 1, {HD_SEQ_BINOMIAL}, false},
    {BROADCAST, "vdgeijn", SMALL, 2, {HD_SEQ_BINOMIAL, HD_SEQ_RECDBL}, false},
    {BROADCAST, "vdgeijn", LARGE, 2, {HD_SEQ_BINOMIAL, HD_SEQ_RING}, false},
    {BROADCAST, "ring", ANY, 1, {HD_SEQ_RING}, false},
    {GATHER, "old", ANY, 1, {HD_SEQ_GATHER}, false},
    {REDUCE, "old", ANY, 1, {HD_SEQ_GATHER}, false},
    {REDUCE, "rabenseifner", ANY, 2, {HD_SEQ_RECHALF, HD_SEQ_GATHER}, false},
    {REDUCE, "ring", ANY, 1, {HD_SEQ_RING}, false},
    {REDUCE_SCATTER, "new", ANY, 1, {HD_SEQ_RECHALF}, false},
    {REDUCE_SCATTER, "noncommutative", SMALL, 1, {HD_SEQ_RECDBL}, false},
    {REDUCE_SCATTER, "noncommutative", LARGE, 1, {HD_SEQ_SHIFT}, false},
    {REDUCE_SCATTER, "old", ANY, 2, {HD_SEQ_GATHER, HD_SEQ_BINOMIAL}, false},
    {REDUCE_SCATTER, "ring", ANY, 1, {HD_SEQ_RING}, false},
    {SCATTER, "old", ANY, 1, {HD_SEQ_BINOMIAL}, false},
    {SCATTER, "ring", ANY, 1, {HD_SEQ_RING}, false},
};

/* What an operation means without alg=, for small and large messages. */
static const char *const usual[][2] = {
    [ALLGATHER] = {"bruck", "ring"},    [ALLREDUCE] = {"old", "rabenseifner"},
    [ALLTOALL] = {"bruck", "shift"},    [BARRIER] = {"dissemination", "dissemination"},
    [BROADCAST] = {"old", "vdgeijn"},   [GATHER] = {"old", "old"},
    [REDUCE] = {"old", "rabenseifner"}, [REDUCE_SCATTER] = {"new", "new"},
    [SCATTER] = {"old", "old"},
};

enum { ROWS = sizeof algorithms / sizeof algorithms[0] };

struct collective_opt {
    int op, size;
    const char *alg;
};

static const struct algorithm *collective_find(const struct collective_opt *o)
{
    enum size size = o->size == 0 ? SMALL : LARGE;
    const char *name = *o->alg ? o->alg : usual[o->op][o->size];
    for (int i = 0; i < ROWS; i++) {
        const struct algorithm *a = &algorithms[i];
        if ((int)a->op == o->op && a->size & size && strcmp(a->name, name) == 0) return a;
    }
    return NULL;
}

static void op_name(int op, char *name, size_t size)
{
    const char *s = OPS;
    while (op-- > 0) s += strcspn(s, "|") + 1;
    snprintf(name, size, "%.*s", (int)strcspn(s, "|"), s);
}

/* Every algorithm of the operation; names with a row for each size stand once. */
static hd_status unknown(struct hd_ctx *ctx, const struct collective_opt *o)
{
    char name[32], known[200] = "";
    size_t used = 0;
    op_name(o->op, name, sizeof name);
    for (int i = 0; i < ROWS; i++) {
        const struct algorithm *a = &algorithms[i];
        if ((int)a->op != o->op || a->size == SMALL) continue;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", a->name);
    }
    return hd_fail(ctx, HD_INPUT, "collective: op=%s has no alg=%.60s: expected one of %s", name, o->alg, known);
}

static hd_status collective_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in,
                                 void **state)
{
    const struct collective_opt *o = in->opt;
    const struct algorithm *a = collective_find(o);
    uint32_t n = in->ranks->n;
    if (!a) return unknown(ctx, o);
    HD_TRY(hd_pattern_sequences(ctx, arena, in, a->sequence, a->n, state));
    if (a->power_of_two && (n & (n - 1))) {
        char name[32];
        op_name(o->op, name, sizeof name);
        return hd_fail(ctx, HD_INPUT, "collective: op=%s,alg=%s is for a power of two of ranks, there are %u", name,
                       a->name, n);
    }
    return HD_OK;
}

static const struct hd_param params[] = {
    {"op", HD_WORD, "allreduce", "the operation", offsetof(struct collective_opt, op), 0, 0, OPS, true},
    {"alg", HD_TEXT, "", "the algorithm; left out: the usual one for the size", offsetof(struct collective_opt, alg), 0,
     0, NULL, false},
    {"size", HD_WORD, "large", "of the messages, where it decides", offsetof(struct collective_opt, size), 0, 0,
     "small|large", false},
    {0}};

const struct hd_pattern hd_pattern_collective = {
    .desc = {.name = "collective",
             .summary = "an MPI collective by operation and algorithm",
             .text =
                 "Stands for one or two of the sequences, run one after the other; rounds that repeat a stage count "
                 "once. Without alg= large messages use what is marked +, small ones what is marked -. "
                 "allgather: ring+ (ring), bruck- (rev-bruck), doubling (recdbl; powers of two). "
                 "allreduce: old- (recdbl), rabenseifner+ (rechalf, recdbl), ring (ring). "
                 "alltoall: shift+ (shift), bruck- (bruck), xor (i and i xor s exchange, s = 1 .. N-1; powers of "
                 "two), hypercube (recdbl; powers of two; where the source files xor). "
                 "barrier: dissemination+- (bruck), doubling (recdbl), tree (binomial in, then out), tournament "
                 "(tournament, then binomial out). "
                 "broadcast: old- (binomial), vdgeijn+ (binomial, then ring, or recdbl for small messages), ring "
                 "(ring). "
                 "gather: old+- (binomial in). "
                 "reduce: old- (binomial in), rabenseifner+ (rechalf, binomial in), ring (ring). "
                 "reduce-scatter: new+- (rechalf), noncommutative (shift, or recdbl for small messages), old "
                 "(binomial in, then out), ring (ring). "
                 "scatter: old+- (binomial), ring (ring).",
             .cite = "Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI global "
                     "collectives, Table 1 (MVAPICH and Open MPI)",
             .params = params,
             .examples = (const char *const[]){"collective:op=allreduce",
                                               "collective:op=broadcast,alg=vdgeijn,size=small", NULL},
             .command = "heddle eval ft:m=8,n=2 dmodk minhop -m hsd -p collective:op=allreduce",
             .opt_size = sizeof(struct collective_opt)},
    .init = collective_init,
    .stages = hd_pattern_stages,
    .max_flows = hd_pattern_max_flows,
    .draw = hd_pattern_draw_sequences};
