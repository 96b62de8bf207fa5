/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of ranks become messages of the simulator. Matching is found by sorting, operations that wait for each
 * other by taking away what waits for nothing: O(n log n). */
#include "sim/trace_ops.h"
#include "base/status.h"

#include <stdlib.h>

hd_status hd_trace_wait(struct hd_trace_ops *o, uint32_t later, uint32_t earlier)
{
    struct hd_trace_lists *t = o->t;
    if (t->nwait == 4u * HD_TRACE_MAX)
        return hd_fail(o->ctx, HD_INPUT, "%.200s: more than %d dependencies", o->file, 4 * HD_TRACE_MAX);
    if (!HD_MORE(o->arena, t->wait, t->nwait, t->wait_room)) return hd_fail_memory(o->ctx);
    t->wait[t->nwait++] = (struct hd_trace_wait){later, earlier};
    return HD_OK;
}

static hd_status ops_add(struct hd_trace_ops *o, struct hd_trace_message m)
{
    struct hd_trace_lists *t = o->t;
    if (t->n == HD_TRACE_MAX)
        return hd_fail(o->ctx, HD_INPUT, "%.200s: more than %d operations, which is the limit", o->file, HD_TRACE_MAX);
    if (!HD_MORE(o->arena, t->message, t->n, t->room)) return hd_fail_memory(o->ctx);
    t->message[t->n++] = m;
    return HD_OK;
}

hd_status hd_trace_put(struct hd_trace_ops *o, uint32_t from, uint32_t to, uint64_t bytes)
{
    const uint32_t *ep = o->ranks->ep;
    return ops_add(o, (struct hd_trace_message){ep[from], ep[to], bytes ? bytes : 1});
}

hd_status hd_trace_op(struct hd_trace_ops *o, const struct hd_op *op)
{
    uint32_t own = o->ranks->ep[op->rank];
    bool send = op->kind == HD_OP_SEND;
    if (op->kind != HD_OP_OTHER) {
        int k = op->kind;
        if (!HD_MORE(o->arena, o->end[k], o->nend[k], o->end_room[k])) return hd_fail_memory(o->ctx);
        o->end[k][o->nend[k]++] = (struct hd_op_end){.from = send ? op->rank : op->peer,
                                                     .to = send ? op->peer : op->rank,
                                                     .tag = op->tag,
                                                     .op = o->t->n,
                                                     .line = op->line,
                                                     .file = o->file};
    }
    /* What a rank sends to itself meets no network. */
    if (send && op->peer != op->rank) return hd_trace_put(o, op->rank, op->peer, op->bytes);
    return ops_add(o, (struct hd_trace_message){own, own, 0});
}

static int by_ends(const void *a, const void *b)
{
    const struct hd_op_end *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static bool same_ends(const struct hd_op_end *x, const struct hd_op_end *y)
{
    return x->from == y->from && x->to == y->to && x->tag == y->tag;
}

static hd_status ops_match(struct hd_trace_ops *o)
{
    uint32_t ns = o->nend[HD_OP_SEND], nr = o->nend[HD_OP_RECV];
    const struct hd_op_end *send = o->end[HD_OP_SEND], *recv = o->end[HD_OP_RECV];
    if (ns) qsort(o->end[HD_OP_SEND], ns, sizeof *send, by_ends);
    if (nr) qsort(o->end[HD_OP_RECV], nr, sizeof *recv, by_ends);
    for (uint32_t i = 0; i < ns || i < nr; i++) {
        if (i < ns && i < nr && same_ends(&send[i], &recv[i])) {
            HD_TRY(hd_trace_wait(o, recv[i].op, send[i].op));
            continue;
        }
        bool lone_send = i >= nr || (i < ns && by_ends(&send[i], &recv[i]) < 0);
        const struct hd_op_end *e = lone_send ? &send[i] : &recv[i];
        return hd_fail(o->ctx, HD_INPUT, "%.200s:%u: no %s of rank %u %s rank %u with tag %llu matches this %s",
                       e->file, e->line, lone_send ? "recv" : "send", lone_send ? e->to : e->from,
                       lone_send ? "from" : "to", lone_send ? e->from : e->to, (unsigned long long)e->tag,
                       lone_send ? "send" : "recv");
    }
    return HD_OK;
}

/* Whether all operations can begin at some time. */
static hd_status ops_check(struct hd_trace_ops *o, const char *path)
{
    struct hd_workload w;
    uint32_t n = o->t->n, done = 0, *queue = HD_NEW(o->arena, uint32_t, n);
    if (!queue) return hd_fail_memory(o->ctx);
    HD_TRY(hd_workload_lists(o->ctx, o->arena, 1, o->t, &w));
    for (uint32_t m = 0; m < n; m++)
        if (!w.need[m]) queue[done++] = m;
    for (uint32_t i = 0; i < done; i++)
        for (uint32_t k = w.first_wait[queue[i]]; k < w.first_wait[queue[i] + 1]; k++)
            if (--w.need[w.waits[k]] == 0) queue[done++] = w.waits[k];
    if (done == n) return HD_OK;
    if (n - done == 1) return hd_fail(o->ctx, HD_INPUT, "%.200s: 1 operation waits for itself", path);
    return hd_fail(o->ctx, HD_INPUT, "%.200s: %u operations wait for each other", path, n - done);
}

hd_status hd_trace_close(struct hd_trace_ops *o, const char *path)
{
    bool any = false;
    HD_TRY(ops_match(o));
    for (uint32_t m = 0; m < o->t->n; m++) any |= o->t->message[m].bytes > 0;
    if (!any) return hd_fail(o->ctx, HD_INPUT, "%.200s: no message between ranks", path);
    return ops_check(o, path);
}
