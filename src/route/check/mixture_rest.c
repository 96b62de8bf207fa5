/* SPDX-License-Identifier: BSD-2-Clause */
/* Mixtures of the entries for LIDs that no pair is routed by. For each LID the old and the new entry of every switch
 * form a graph with at most two edges out of a switch; a mixture loops if and only if that graph has a cycle that a
 * leaf switch reaches, which one depth-first search finds. Credit loops are not searched for: on a tree that has lost
 * cables, no table is free of those that packets to switches close. LIDs whose entries differ are counted instead.
 * Switches keep groups of ports apart from entries, so that these are not followed: LIDs that have any are counted if
 * anything of theirs differs, by the ports of the groups and not by their numbers.
 * Cost O(LIDs * switches). */
#include "route/check/mixture_rest.h"
#include "base/status.h"
#include "route/core/groups.h"
#include "route/core/switch_rows.h"

#include <string.h>

enum { UNSEEN, OPEN, DONE };

struct rest_row { /* of one LID */
    const uint8_t *entry;
    const uint16_t *of; /* groups; NULL: none */
};

struct rest_search {
    const struct hd_routes *r, *to;
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
    memset(w->state, UNSEEN, w->r->net->nsw);
    for (uint32_t i = 0; i < w->r->nleaf; i++)
        if (w->state[w->r->leaf[i]] == UNSEEN && rest_loops_from(w, w->r->leaf[i], target)) return true;
    return false;
}

static struct rest_row rest_row_at(const uint8_t *rows, const struct hd_group_rows *groups, size_t i, size_t nsw)
{
    return (struct rest_row){rows + i * nsw, groups && groups->of ? groups->of + i * nsw : NULL};
}

/* One LID that both tables have. */
static bool rest_row_differs(struct rest_search *w, struct rest_row from, struct rest_row to, uint32_t target,
                             uint64_t *loops, uint64_t *adaptive)
{
    bool differ = false, groups = false;
    for (uint32_t v = 0; v < w->r->net->nsw; v++) {
        if (v == target) continue;
        differ |= from.entry[v] != to.entry[v];
        if (!(from.of && from.of[v]) && !(to.of && to.of[v])) continue;
        const struct hd_port_set one = hd_choices(w->r, from.entry, from.of, v),
                                 two = hd_choices(w->to, to.entry, to.of, v);
        differ |= memcmp(&one, &two, sizeof one) != 0;
        groups = true;
    }
    if (!differ) return false;
    *adaptive += groups;
    w->row[0] = from.entry;
    w->row[1] = to.entry;
    *loops += rest_row_loops(w, target);
    return true;
}

static hd_status rest_switch_rows(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r,
                                  const uint8_t **rows)
{
    const size_t nsw = r->net->nsw;
    *rows = r->switch_table;
    if (*rows) return HD_OK;
    uint8_t *derived = HD_NEW(a, uint8_t, nsw * nsw);
    *rows = derived;
    return derived ? hd_switch_rows_fill(ctx, r, derived) : hd_fail_memory(ctx);
}

static hd_status rest_switches(struct hd_ctx *ctx, struct hd_arena *a, struct rest_search *w,
                               const struct hd_routes *from, const struct hd_routes *to, struct hd_rest *rest)
{
    const size_t nsw = from->net->nsw;
    const bool given = from->switch_table || to->switch_table;
    const struct hd_group_rows *was = from->groups ? &from->groups->switches : NULL,
                               *is = to->groups ? &to->groups->switches : NULL;
    const uint8_t *old, *new;
    if (from->no_switch_lids || to->no_switch_lids) return HD_OK;
    HD_TRY(rest_switch_rows(ctx, a, from, &old));
    HD_TRY(rest_switch_rows(ctx, a, to, &new));
    for (uint32_t t = 0; t < nsw; t++)
        rest->unproved += rest_row_differs(w, rest_row_at(old, was, t, nsw), rest_row_at(new, is, t, nsw), t,
                                           &rest->switch_loops, &rest->adaptive) &&
                          given;
    return HD_OK;
}

static hd_status rest_further(struct hd_ctx *ctx, struct hd_arena *a, struct rest_search *w,
                              const struct hd_routes *from, const struct hd_routes *to, struct hd_rest *rest)
{
    const size_t nsw = from->net->nsw;
    const struct hd_group_rows *old = from->groups ? &from->groups->further : NULL,
                               *new = to->groups ? &to->groups->further : NULL;
    uint32_t *row = HD_NEW(a, uint32_t, UINT16_MAX + 1); /* of the old table, + 1, by LID */
    if (!row) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < from->nfurther; i++) row[from->further_lid[i]] = i + 1;
    rest->unproved += from->nfurther;
    for (uint32_t i = 0; i < to->nfurther; i++) {
        const uint32_t was = row[to->further_lid[i]];
        rest->unproved += !was;
        if (!was) continue;
        rest->unproved--;
        rest->unproved +=
            rest_row_differs(w, rest_row_at(from->further, old, was - 1, nsw), rest_row_at(to->further, new, i, nsw),
                             UINT32_MAX, &rest->further_loops, &rest->adaptive);
    }
    return HD_OK;
}

hd_status hd_rest_compare(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                          struct hd_rest *rest)
{
    const size_t nsw = from->net->nsw;
    struct hd_arena a = {0};
    struct rest_search w = {.r = from,
                            .to = to,
                            .state = HD_NEW(&a, uint8_t, nsw),
                            .next = HD_NEW(&a, uint8_t, nsw),
                            .stack = HD_NEW(&a, uint32_t, nsw)};
    *rest = (struct hd_rest){0};
    hd_status s = w.state && w.next && w.stack ? HD_OK : hd_fail_memory(ctx);
    if (s == HD_OK) s = rest_switches(ctx, &a, &w, from, to, rest);
    if (s == HD_OK && from->nfurther + to->nfurther) s = rest_further(ctx, &a, &w, from, to, rest);
    hd_arena_release(&a);
    return s;
}
