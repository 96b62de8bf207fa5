/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps between two tables. Entries are ranked, and a step writes all of a few ranks:
 *   near  by the distance that the new table gives a switch, nearest first. Switches that are written lead to the
 *         destination over switches that are written too, so a loop would have to be one of the old table.
 *   far   by the distance that the old table gave it, farthest first: the same, seen from the end. Entries that a fault
 *         has cut come first, so that nothing waits to be healed.
 * Neither can loop or drop if neither table does (docs/transition.md); credit loops are left to the proof. Mixtures of
 * fewer entries are among those of more, so the largest number of ranks that a step may write is found by bisection.
 * Where all destinations together fail, halves of them are tried one after the other, and those that fail even alone
 * again after the others.
 * Cost: a proof per try, each O(table). */
#include "base/status.h"
#include "route/kernel/row_walk.h"
#include "route/transition/transition_plan.h"

#include <string.h>

enum { RANKS = 256, UNREACHED = 255 };

struct plan_leg { /* from where the plan is now to a table */
    struct hd_steps_plan *p;
    const struct hd_routes *at, *to;
    uint8_t *rank[2];  /* [table] near, far: the part of the order in which an entry is written */
    uint32_t nrank[2]; /* how many there are */
    uint32_t *dest, n; /* destinations with entries that differ */
};

/* ---- ranks ------------------------------------------------------------------------------------------- */

/* Distances along a table, UNREACHED where it does not lead to the destination. */
static hd_status rank_distances(struct hd_steps_plan *p, const struct hd_routes *r, uint8_t *rank)
{
    struct hd_arena scratch = {0};
    struct hd_reach reach;
    uint32_t nsw = p->net->nsw, *all = HD_NEW(&scratch, uint32_t, nsw);
    uint8_t *room = HD_NEW(&scratch, uint8_t, nsw);
    hd_status s = all && room ? hd_reach_init(p->ctx, &scratch, p->net, &reach) : hd_fail_memory(p->ctx);
    for (uint32_t v = 0; s == HD_OK && v < nsw; v++) all[v] = v;
    for (uint32_t d = 0; s == HD_OK && d < p->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            uint8_t *out = rank + ((size_t)d * r->nvar + x) * nsw;
            hd_reach_begin(&reach);
            hd_reach_follow(&reach, hd_routes_row(r, d, x, room), nsw + d, all, nsw);
            for (uint32_t v = 0; v < nsw; v++)
                out[v] = (uint8_t)(reach.hops[v] < UNREACHED ? reach.hops[v] : UNREACHED);
        }
    hd_arena_release(&scratch);
    return s;
}

/* Numbers the ranks that occur from 0, in increasing or decreasing order. */
static uint32_t rank_number(uint8_t *rank, size_t n, bool decreasing)
{
    uint8_t number[RANKS] = {0};
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++) number[rank[i]] = 1;
    for (uint32_t i = 0; i < RANKS; i++) {
        uint32_t r = decreasing ? RANKS - 1 - i : i;
        if (number[r]) number[r] = (uint8_t)count++;
    }
    for (size_t i = 0; i < n; i++) rank[i] = number[rank[i]];
    return count;
}

/* ---- steps by rank ------------------------------------------------------------------------------------ */

/* The table after all entries of the first ranks, towards destinations from lo up to hi of the leg, are written. */
static hd_status leg_table(const struct plan_leg *g, const struct hd_routes *at, uint32_t lo, uint32_t hi,
                           const uint8_t *rank, uint32_t ranks, struct hd_routes **out)
{
    uint32_t nsw = g->p->net->nsw, nvar = at->nvar;
    struct hd_routes *r;
    struct hd_arena scratch = {0};
    uint8_t *room = HD_NEW(&scratch, uint8_t, nsw);
    hd_status s = room ? hd_plan_copy(g->p, at, &r) : hd_fail_memory(g->p->ctx);
    for (uint32_t i = lo; s == HD_OK && i < hi; i++)
        for (uint32_t x = 0; x < nvar; x++) {
            const uint8_t *to = hd_routes_row(g->to, g->dest[i], x, room);
            const uint8_t *when = rank ? rank + ((size_t)g->dest[i] * nvar + x) * nsw : NULL;
            uint8_t *row = hd_row(r, g->dest[i], x);
            for (uint32_t v = 0; v < nsw; v++)
                if (!when || when[v] < ranks) row[v] = to[v];
        }
    hd_arena_release(&scratch);
    if (s == HD_OK) *out = r;
    return s;
}

/* The largest number of ranks that one step may write, of which `done` are; 0: none. Its table is the next step. */
static hd_status leg_next(struct plan_leg *g, uint32_t lo, uint32_t hi, int kind, uint32_t *done, bool *found)
{
    uint32_t low = *done, high = g->nrank[kind] + 1;
    struct hd_routes *best = NULL;
    hd_status s = HD_OK;
    while (s == HD_OK && high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        struct hd_routes *r;
        bool safe = false;
        s = leg_table(g, g->at, lo, hi, g->rank[kind], mid, &r);
        if (s != HD_OK) break;
        s = hd_plan_proves(g->p, g->at, r, &safe);
        *(safe ? &low : &high) = mid;
        hd_routes_free(safe ? best : r);
        if (safe) best = r;
    }
    *found = s == HD_OK && low > *done;
    *done = low;
    if (s == HD_OK && best) return hd_plan_append(g->p, best);
    hd_routes_free(best);
    return s;
}

static hd_status leg_by_rank(struct plan_leg *g, uint32_t lo, uint32_t hi, int kind, bool *found)
{
    uint32_t mark = g->p->nsteps, done = 0;
    const struct hd_routes *at = g->at;
    *found = true;
    while (*found && done < g->nrank[kind]) {
        HD_TRY(leg_next(g, lo, hi, kind, &done, found));
        if (*found) g->at = g->p->step[g->p->nsteps - 1];
    }
    if (*found) return HD_OK;
    hd_plan_rewind(g->p, mark);
    g->at = at;
    return HD_OK;
}

/* ---- groups of destinations --------------------------------------------------------------------------- */

/* All at once, or by rank, whichever of the two needs fewer steps. */
static hd_status leg_group(struct plan_leg *g, uint32_t lo, uint32_t hi, bool *found)
{
    struct hd_routes *all;
    const struct hd_routes *at = g->at;
    uint32_t mark = g->p->nsteps, near;
    HD_TRY(leg_table(g, g->at, lo, hi, NULL, 0, &all));
    hd_status s = hd_plan_proves(g->p, g->at, all, found);
    if (s == HD_OK && *found) {
        HD_TRY(hd_plan_append(g->p, all));
        g->at = all;
        return HD_OK;
    }
    hd_routes_free(all);
    if (s != HD_OK) return s;
    HD_TRY(leg_by_rank(g, lo, hi, 0, found));
    near = g->p->nsteps - mark;
    if (*found && near <= 2) return HD_OK;
    bool first = *found;
    hd_plan_rewind(g->p, mark);
    g->at = at;
    HD_TRY(leg_by_rank(g, lo, hi, 1, found));
    if (!first || (*found && g->p->nsteps - mark <= near)) return HD_OK;
    hd_plan_rewind(g->p, mark);
    g->at = at;
    return leg_by_rank(g, lo, hi, 0, found);
}

/* Destinations lo up to hi of the leg; those that fail alone are moved to the front of `left`, which has *nleft. */
static hd_status leg_split(struct plan_leg *g, uint32_t lo, uint32_t hi, uint32_t *left, uint32_t *nleft)
{
    bool found;
    HD_TRY(leg_group(g, lo, hi, &found));
    if (found) return HD_OK;
    if (hi - lo == 1 || g->p->work >= g->p->limit) {
        for (uint32_t i = lo; i < hi; i++) left[(*nleft)++] = g->dest[i];
        return HD_OK;
    }
    HD_TRY(leg_split(g, lo, lo + (hi - lo) / 2, left, nleft));
    return leg_split(g, lo + (hi - lo) / 2, hi, left, nleft);
}

static hd_status leg_run(struct plan_leg *g, uint32_t *left, bool split, bool *found)
{
    uint32_t nleft = 0, before;
    if (!split) return leg_group(g, 0, g->n, found);
    do {
        before = g->n;
        nleft = 0;
        HD_TRY(leg_split(g, 0, g->n, left, &nleft));
        memcpy(g->dest, left, nleft * sizeof *left);
        g->n = nleft;
    } while (nleft && nleft < before);
    *found = nleft == 0;
    return HD_OK;
}

static void leg_find_changed(struct plan_leg *g, uint8_t *room[2])
{
    for (uint32_t d = 0; d < g->p->net->nep; d++) {
        bool changed = false;
        for (uint32_t x = 0; x < g->to->nvar && !changed; x++)
            changed =
                memcmp(hd_routes_row(g->at, d, x, room[0]), hd_routes_row(g->to, d, x, room[1]), g->p->net->nsw) != 0;
        if (changed) g->dest[g->n++] = d;
    }
}

hd_status hd_plan_between(struct hd_steps_plan *p, const struct hd_routes *from, const struct hd_routes *to, bool split,
                          bool *found)
{
    struct hd_arena a = {0};
    struct plan_leg g = {.p = p, .at = from, .to = to};
    uint32_t mark = p->nsteps, *left;
    size_t n = (size_t)p->net->nep * to->nvar * p->net->nsw;
    uint8_t *room[2] = {HD_NEW(&a, uint8_t, p->net->nsw), HD_NEW(&a, uint8_t, p->net->nsw)};
    for (int i = 0; i < 2; i++) g.rank[i] = HD_NEW(&a, uint8_t, n);
    hd_status s = room[0] && room[1] && g.rank[0] && g.rank[1] && HD_NEW_U32(&a, p->net->nep, &g.dest, &left)
                      ? HD_OK
                      : hd_fail_memory(p->ctx);
    if (s == HD_OK) s = rank_distances(p, to, g.rank[0]);
    if (s == HD_OK) s = rank_distances(p, from, g.rank[1]);
    *found = true;
    if (s == HD_OK) {
        for (int i = 0; i < 2; i++) g.nrank[i] = rank_number(g.rank[i], n, i == 1);
        leg_find_changed(&g, room);
        if (g.n) s = leg_run(&g, left, split, found);
    }
    hd_arena_release(&a);
    if (s != HD_OK || !*found) hd_plan_rewind(p, mark);
    return s;
}
