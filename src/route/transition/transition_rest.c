/* SPDX-License-Identifier: BSD-2-Clause */
/* Mixtures of the entries for LIDs that no pair is routed by. For each LID the old and the new entry of every switch
 * form a graph with at most two edges out of a switch; a mixture loops if and only if that graph has a cycle that a
 * leaf switch reaches, which one depth-first search finds. Credit loops are not searched for: on a tree that has lost
 * cables, no table is free of those that packets to switches close. Cost O(LIDs * switches). */
#include "route/transition/transition_rest.h"
#include "base/status.h"

#include <string.h>

enum { UNSEEN, OPEN, DONE };

struct rest_search {
    const struct hd_routes *r;
    const uint8_t *row[2];
    uint8_t *state, *next; /* [nsw] next: which of the two entries is followed now */
    uint32_t *stack;       /* [nsw] */
};

/* Depth first; whether a switch on the current path is met again. The target has no entry to follow. */
static bool rest_loops_from(struct rest_search *w, uint32_t from, uint32_t target)
{
    const struct hd_net *net = w->r->net;
    uint32_t n = 0;
    w->stack[n++] = from;
    w->state[from] = OPEN;
    w->next[from] = 0;
    while (n) {
        const uint32_t v = w->stack[n - 1];
        if (v == target || w->next[v] == 2) {
            w->state[v] = DONE;
            n--;
            continue;
        }
        const uint32_t c = net->off[v] + w->row[w->next[v]++][v];
        if (c >= net->off[v + 1] || net->head[c] >= net->nsw) continue;
        const uint32_t u = net->head[c];
        if (w->state[u] == OPEN) return true;
        if (w->state[u] == DONE) continue;
        w->state[u] = OPEN;
        w->next[u] = 0;
        w->stack[n++] = u;
    }
    return false;
}

static bool rest_row_loops(struct rest_search *w, uint32_t target)
{
    if (memcmp(w->row[0], w->row[1], w->r->net->nsw) == 0) return false;
    memset(w->state, UNSEEN, w->r->net->nsw);
    for (uint32_t i = 0; i < w->r->nleaf; i++)
        if (w->state[w->r->leaf[i]] == UNSEEN && rest_loops_from(w, w->r->leaf[i], target)) return true;
    return false;
}

hd_status hd_rest_loops(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to, uint64_t *loops)
{
    const size_t nsw = from->net->nsw;
    struct hd_arena a = {0};
    struct rest_search w = {.r = from,
                            .state = HD_NEW(&a, uint8_t, nsw),
                            .next = HD_NEW(&a, uint8_t, nsw),
                            .stack = HD_NEW(&a, uint32_t, nsw)};
    const bool room = w.state && w.next && w.stack;
    *loops = 0;
    for (uint32_t t = 0; room && from->switch_table && to->switch_table && t < nsw; t++) {
        w.row[0] = from->switch_table + t * nsw;
        w.row[1] = to->switch_table + t * nsw;
        *loops += rest_row_loops(&w, t);
    }
    /* Tables with the same LIDs list them in the same order; of others there is nothing to compare. */
    const bool same = from->nfurther && from->nfurther == to->nfurther &&
                      memcmp(from->further_lid, to->further_lid, from->nfurther * sizeof *to->further_lid) == 0;
    for (uint32_t i = 0; room && same && i < from->nfurther; i++) {
        w.row[0] = from->further + i * nsw;
        w.row[1] = to->further + i * nsw;
        *loops += rest_row_loops(&w, UINT32_MAX);
    }
    hd_arena_release(&a);
    return room ? HD_OK : hd_fail_memory(ctx);
}
