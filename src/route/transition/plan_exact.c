/* SPDX-License-Identifier: BSD-2-Clause */
/* Exhaustive search for a safe sequence of tables, on small networks.
 *
 * A step that is safe in any order can be taken one entry at a time, so it suffices to search over all tables whose
 * rows are trees, with moves that change one entry. In the union of two rows that differ at one switch every walk
 * passes that switch at most once, so it is a walk of one of them: a move is safe if the dependencies of the table
 * and of the changed row have no cycle together. If the new table is not met from the old one, no sequence of tables
 * leads to it. Then destinations are drained, i.e. left out, in sets of increasing size, and the first set without
 * which the new table is met is a smallest one.
 *
 * Trees are not all there is where service levels may be mapped to VL 15, or where some packets of aggregation nodes do
 * not count: such tables are left alone.
 * Dependencies are 64 words of 64 bits: switch-to-switch channels times VLs may be at most 64. The number of tables is
 * the product of the numbers of trees per destination, at most MOST_TABLES.
 * Cost O(tables * moves), MOST_MOVES at most in all. */
#include "route/transition/plan_exact.h"
#include "base/status.h"
#include "route/check/check_everyone.h"
#include "route/check/mixture_hops.h"
#include "route/core/routes_levels.h"
#include "route/kernel/row_walk.h"

#include <string.h>

enum { PLACES = 64, MOST_SWITCHES = 12, MOST_DESTS = 16 };
enum { MOST_TREES = 2048, MOST_TABLES = 1 << 18, MOST_MOVES = 8000000 };
#define NONE UINT32_MAX

struct exact_tree { /* a row, and what it depends on */
    uint8_t row[MOST_SWITCHES];
    uint64_t dep[PLACES];
};

struct exact_trees { /* of a destination */
    struct exact_tree *at;
    uint32_t n, old, new;
};

struct exact_search {
    struct hd_steps_plan *p;
    const struct hd_net *net;
    uint32_t nlanes, *link; /* [nchan] number among the switch-to-switch channels, NONE: another */
    struct exact_trees *dest;
    struct hd_arena arena;
    uint32_t *parent, *queue; /* [MOST_TABLES]; parent: table before + 1, 0: not met */
    uint64_t moves;
    bool counts[MOST_DESTS]; /* endpoints that the proof is about */
};

/* ---- trees -------------------------------------------------------------------------------------------- */

static bool exact_is_tree(const struct hd_net *net, const uint8_t *row, uint32_t d)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t u = v, n = 0;
        while (u < net->nsw && n++ <= net->nsw && row[u] < hd_degree(net, u)) u = net->head[net->off[u] + row[u]];
        if (u != net->nsw + d) return false;
    }
    return true;
}

static void exact_depend(const struct exact_search *x, uint32_t s, uint32_t d, struct exact_tree *t)
{
    const struct hd_net *net = x->net;
    uint32_t chan[HD_MAX_HOPS], n = hd_row_path(net, t->row, s, d, chan);
    for (int i = 0; i < 2 && x->p->vl[i]; i++) {
        uint32_t lane = x->nlanes == 1 ? 0 : hd_routes_lane(x->p->vl[i], s, d, 0);
        for (uint32_t k = 1; k + 2 < n; k++)
            t->dep[x->link[chan[k]] * x->nlanes + lane] |= (uint64_t)1 << (x->link[chan[k + 1]] * x->nlanes + lane);
    }
}

/* Counts up in the slots of the switches other than home; false after the last row. */
static bool exact_next_row(const struct hd_net *net, uint32_t home, uint8_t *row)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (v == home) continue;
        if (++row[v] < hd_degree(net, v)) return true;
        row[v] = 0;
    }
    return false;
}

static hd_status exact_find_trees(struct exact_search *x, uint32_t d, bool *fits)
{
    const struct hd_net *net = x->net;
    struct exact_trees *t = &x->dest[d];
    const uint8_t *old, *new;
    uint8_t row[MOST_SWITCHES] = {0}, room[2][MOST_SWITCHES];
    uint32_t home = hd_leaf(net, d), size = 0;
    double rows = 1;
    for (uint32_t v = 0; v < net->nsw; v++) rows *= v == home ? 1 : hd_degree(net, v);
    old = hd_routes_row(x->p->old, d, 0, room[0]);
    new = hd_routes_row(x->p->new, d, 0, room[1]);
    *fits = rows <= 1e6 && exact_is_tree(net, old, d) && exact_is_tree(net, new, d);
    row[home] = old[home];
    for (bool more = *fits; more; more = *fits && exact_next_row(net, home, row)) {
        if (!exact_is_tree(net, row, d)) continue;
        *fits = t->n < MOST_TREES;
        if (!*fits) break;
        if (!HD_MORE(&x->arena, t->at, t->n, size)) return hd_fail_memory(x->p->ctx);
        struct exact_tree *tree = &t->at[t->n];
        memset(tree, 0, sizeof *tree);
        memcpy(tree->row, row, net->nsw);
        for (uint32_t e = 0; e < net->nep; e++)
            if (e != d && x->counts[e]) exact_depend(x, e, d, tree);
        if (!memcmp(row, old, net->nsw)) t->old = t->n;
        if (!memcmp(row, new, net->nsw)) t->new = t->n;
        t->n++;
    }
    return HD_OK;
}

/* ---- the search --------------------------------------------------------------------------------------- */

/* Removes places that lead nowhere until none is left, or a cycle. */
static bool exact_acyclic(const uint64_t dep[PLACES])
{
    uint64_t alive = ~(uint64_t)0, before = 0;
    while (alive && alive != before) {
        before = alive;
        for (uint64_t left = alive; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(left);
            if (!(dep[i] & alive)) alive &= ~((uint64_t)1 << i);
        }
    }
    return !alive;
}

static bool exact_one_entry(const struct exact_search *x, const struct exact_tree *a, const struct exact_tree *b)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < x->net->nsw; v++) n += a->row[v] != b->row[v];
    return n == 1;
}

struct exact_state { /* a table: the tree of every destination */
    uint32_t tree[MOST_DESTS];
};

static bool exact_drained(const struct exact_search *x, uint32_t drained, uint32_t d)
{
    return drained >> d & 1 || x->dest[d].n == 0;
}

static uint32_t exact_number(const struct exact_search *x, uint32_t drained, const struct exact_state *s)
{
    uint32_t number = 0;
    for (uint32_t d = 0; d < x->net->nep; d++)
        if (!exact_drained(x, drained, d)) number = number * x->dest[d].n + s->tree[d];
    return number;
}

static void exact_state_of(const struct exact_search *x, uint32_t drained, uint32_t number, struct exact_state *s)
{
    for (uint32_t d = x->net->nep; d-- > 0;) {
        s->tree[d] = x->dest[d].new;
        if (exact_drained(x, drained, d)) continue;
        s->tree[d] = number % x->dest[d].n;
        number /= x->dest[d].n;
    }
}

/* What a table depends on. */
static void exact_depends(const struct exact_search *x, uint32_t drained, const struct exact_state *s,
                          uint64_t all[PLACES])
{
    memset(all, 0, PLACES * sizeof *all);
    for (uint32_t d = 0; d < x->net->nep; d++)
        for (uint32_t i = 0; i < PLACES && !exact_drained(x, drained, d); i++)
            all[i] |= x->dest[d].at[s->tree[d]].dep[i];
}

/* All tables that one safe move leads to from a table. */
static void exact_expand(struct exact_search *x, uint32_t drained, uint32_t number, uint32_t *filled)
{
    struct exact_state s;
    uint64_t all[PLACES], both[PLACES];
    exact_state_of(x, drained, number, &s);
    exact_depends(x, drained, &s, all);
    for (uint32_t d = 0; d < x->net->nep; d++) {
        uint32_t was = s.tree[d];
        for (uint32_t t = 0; !exact_drained(x, drained, d) && t < x->dest[d].n; t++) {
            if (!exact_one_entry(x, &x->dest[d].at[was], &x->dest[d].at[t])) continue;
            s.tree[d] = t;
            uint32_t next = exact_number(x, drained, &s);
            x->moves++;
            if (x->parent[next]) continue;
            for (uint32_t i = 0; i < PLACES; i++) both[i] = all[i] | x->dest[d].at[t].dep[i];
            if (!exact_acyclic(both)) continue;
            x->parent[next] = number + 1;
            x->queue[(*filled)++] = next;
        }
        s.tree[d] = was;
    }
}

/* Whether moves lead from the old table to the new one, without the drained destinations. *decided is false when that
 * took too many. */
static bool exact_reaches(struct exact_search *x, uint32_t drained, bool *decided)
{
    struct exact_state from, to;
    double tables = 1;
    uint32_t done = 0, filled = 0;
    for (uint32_t d = 0; d < x->net->nep; d++) {
        from.tree[d] = x->dest[d].old;
        to.tree[d] = x->dest[d].new;
        if (!exact_drained(x, drained, d)) tables *= x->dest[d].n;
    }
    *decided = tables <= MOST_TABLES;
    if (!*decided) return false;
    memset(x->parent, 0, (size_t)tables * sizeof *x->parent);
    uint32_t first = exact_number(x, drained, &from), last = exact_number(x, drained, &to);
    x->parent[first] = first + 1;
    x->queue[filled++] = first;
    while (done < filled && !x->parent[last] && x->moves < MOST_MOVES)
        exact_expand(x, drained, x->queue[done++], &filled);
    *decided = x->parent[last] || done == filled;
    return x->parent[last] != 0;
}

/* ---- steps -------------------------------------------------------------------------------------------- */

static hd_status exact_table(struct exact_search *x, uint32_t drained, uint32_t number, struct hd_routes **out)
{
    struct exact_state s;
    exact_state_of(x, drained, number, &s);
    HD_TRY(hd_plan_copy(x->p, x->p->new, out));
    for (uint32_t d = 0; d < x->net->nep; d++)
        if (x->dest[d].n) memcpy(hd_row(*out, d, 0), x->dest[d].at[s.tree[d]].row, x->net->nsw);
    return HD_OK;
}

/* The moves that were found, as few steps as proofs allow: from each table to the farthest that is safe at once. */
static hd_status exact_steps(struct exact_search *x, uint32_t drained)
{
    struct exact_state to;
    uint32_t n = 0, at = 0, number;
    const struct hd_routes *now = x->p->old;
    for (uint32_t d = 0; d < x->net->nep; d++) to.tree[d] = x->dest[d].new;
    for (number = exact_number(x, drained, &to); x->parent[number] != number + 1; number = x->parent[number] - 1)
        x->queue[n++] = number; /* from the last to the first */
    while (at < n) {
        bool safe = false;
        for (uint32_t far = 0; far < n - at && !safe; far++) {
            struct hd_routes *r;
            HD_TRY(exact_table(x, drained, x->queue[far], &r));
            hd_status s = hd_plan_proves(x->p, now, r, &safe);
            if (s != HD_OK || !safe) hd_routes_free(r);
            HD_TRY(s);
            if (!safe) continue;
            HD_TRY(hd_plan_append(x->p, r));
            now = r;
            at = n - far;
        }
        if (!safe) return hd_fail(x->p->ctx, HD_LIMIT, "transition: a move of the search is not proved");
    }
    return HD_OK;
}

static hd_status exact_name_drained(struct exact_search *x, uint32_t drained, struct hd_transition *t)
{
    struct hd_steps_plan *p = x->p;
    uint32_t *list = HD_NEW(&p->arena, uint32_t, MOST_DESTS);
    bool *idle = HD_NEW(&p->arena, bool, x->net->nep);
    if (!list || !idle) return hd_fail_memory(p->ctx);
    for (uint32_t d = 0; d < x->net->nep; d++) {
        idle[d] = drained >> d & 1;
        if (idle[d]) list[t->ndrain++] = d;
    }
    p->idle = idle;
    t->drain = list;
    return HD_OK;
}

/* Draining helps only between tables that are safe themselves. */
static bool exact_ends_safe(const struct exact_search *x)
{
    struct exact_state from, to;
    uint64_t all[PLACES];
    for (uint32_t d = 0; d < x->net->nep; d++) {
        from.tree[d] = x->dest[d].old;
        to.tree[d] = x->dest[d].new;
    }
    exact_depends(x, 0, &from, all);
    if (!exact_acyclic(all)) return false;
    exact_depends(x, 0, &to, all);
    return exact_acyclic(all);
}

/* Sets of increasing size; of one size, by number. */
static hd_status exact_run(struct exact_search *x, struct hd_transition *t)
{
    uint32_t all = 0, most = 0;
    for (uint32_t d = 0; d < x->net->nep; d++) all |= (uint32_t)(x->dest[d].n != 0) << d;
    most = (uint32_t)__builtin_popcount(all);
    for (uint32_t size = 0; size <= most; size++)
        for (uint32_t set = 0; set <= all; set++) {
            bool decided;
            if ((set & ~all) || (uint32_t)__builtin_popcount(set) != size) continue;
            bool reached = exact_reaches(x, set, &decided);
            if (!decided) return HD_OK;
            if (!reached) continue;
            t->verdict = size ? HD_DRAIN : HD_ORDERED;
            t->method = "exact search";
            if (size) HD_TRY(exact_name_drained(x, set, t));
            return exact_steps(x, set);
        }
    return HD_OK;
}

static bool exact_fits(struct exact_search *x)
{
    const struct hd_net *net = x->net;
    uint32_t links = 0;
    for (uint32_t c = 0; c < net->nchan; c++) {
        bool between = net->tail[c] < net->nsw && net->head[c] < net->nsw;
        x->link[c] = between ? links++ : NONE;
    }
    return links * x->nlanes <= PLACES;
}

hd_status hd_plan_exact(struct hd_steps_plan *p, struct hd_transition *t)
{
    const struct hd_net *net = p->net;
    struct exact_search x = {.p = p, .net = net, .nlanes = 1};
    if (net->nsw > MOST_SWITCHES || net->nep > MOST_DESTS || p->new->nvar > 1) return HD_OK;
    if (hd_mix_hops_needed(&(struct hd_mix){p->old, p->new, {p->old, p->new}, NULL})) return HD_OK;
    uint8_t kind[MOST_DESTS];
    hd_proof_kinds(net, kind);
    if (memchr(kind, HD_PROOF_AGGREGATION, net->nep)) return HD_OK;
    bool known = hd_routes_lanes(p->old) && hd_routes_lanes(p->new), fits;
    if (p->old->lane_rule == HD_LANE_HOP || p->new->lane_rule == HD_LANE_HOP) known = false;
    known = known && hd_levels_agree(p->old, p->new);
    if (known) x.nlanes = p->old->nlanes > p->new->nlanes ? p->old->nlanes : p->new->nlanes;
    x.dest = HD_NEW(&x.arena, struct exact_trees, net->nep);
    hd_status s =
        x.dest && HD_NEW_U32(&x.arena, net->nchan, &x.link) && HD_NEW_U32(&x.arena, MOST_TABLES, &x.parent, &x.queue)
            ? HD_OK
            : hd_fail_memory(p->ctx);
    fits = s == HD_OK && exact_fits(&x);
    hd_proof_endpoints(net, x.counts);
    for (uint32_t d = 0; s == HD_OK && fits && d < net->nep; d++)
        if (x.counts[d]) s = exact_find_trees(&x, d, &fits);
    if (s == HD_OK && fits && exact_ends_safe(&x)) {
        p->limit = UINT64_MAX;
        s = exact_run(&x, t);
    }
    hd_arena_release(&x.arena);
    return s;
}
