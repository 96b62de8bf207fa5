/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynamic topological orders: a turn that goes backwards starts one search forwards from its second link and one
 * backwards from its first, both limited to the places between the two; where they meet there is a cycle, else the
 * links met exchange places. Turns of sets are never removed once they are kept, so a turn that closed a cycle in a
 * lane always will and is not tried there again: each (turn, lane) is searched about once. Where turns come and go one
 * by one, most of those that go backwards are refused again and again: the turns of the cycle that was found are
 * remembered, and as long as all of them are there, so is the cycle.
 * Cost: nothing for a turn that goes forwards, else the part of the order that is met, or the length of a cycle that
 * is remembered.
 * Pearce, Kelly: A dynamic topological sort algorithm for directed acyclic graphs. */
#include "route/kernel/acyclic_order.h"
#include "base/status.h"

#include <string.h>

enum {
    AHEAD = 1,
    BEHIND = 2,
    CYCLE_TURNS = 30, /* of cycles that are remembered */
    CYCLES_MOST = 1 << 14
};

struct acyclic_change {
    uint32_t turn;
    uint16_t lane_bit;
    bool blocked;
};

struct acyclic_cycle {
    uint32_t closing; /* turn + 1; 0: none */
    uint16_t lane, n;
    uint32_t turn[CYCLE_TURNS]; /* the others, in any order */
};

hd_status hd_acyclic_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_acyclic *s)
{
    *s = (struct hd_acyclic){.arena = arena};
    HD_TRY(hd_links_init(ctx, arena, net, &s->links));
    uint32_t nlink = s->links.n, turns = s->links.turn[nlink];
    s->in = HD_NEW(arena, uint16_t, turns);
    s->blocked = HD_NEW(arena, uint16_t, turns);
    s->turn = HD_NEW(arena, struct hd_turn, 2 * (size_t)net->nsw);
    s->bits = HD_NEW(arena, uint64_t, (size_t)nlink / 64 + 1);
    s->seen = HD_NEW(arena, uint8_t, nlink);
    bool ok = s->in && s->blocked && s->turn && s->bits && s->seen;
    return ok && HD_NEW_U32(arena, nlink, &s->ahead, &s->behind, &s->places, &s->via) ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_acyclic_open(struct hd_ctx *ctx, struct hd_acyclic *s, uint32_t lane, const uint32_t *order)
{
    if (!s->order[lane] && !HD_NEW_U32(s->arena, s->links.n, &s->order[lane], &s->at[lane])) return hd_fail_memory(ctx);
    for (uint32_t a = 0; a < s->links.n; a++) {
        s->order[lane][a] = order ? order[a] : a;
        s->at[lane][s->order[lane][a]] = a;
    }
    return HD_OK;
}

/* One step of the search from t.to along the turns of the lane, among links before t.from: the
 * successors of the i-th link found. True when it meets the search from the other end. */
static bool step_ahead(struct hd_acyclic *s, uint32_t lane, struct hd_turn t, uint32_t i, uint32_t *n)
{
    const uint32_t *order = s->order[lane];
    uint32_t a = s->ahead[i], v = s->links.head[a], limit = order[t.from];
    const uint16_t *in = s->in + s->links.turn[a];
    s->looks += s->links.first[v + 1] - s->links.first[v];
    for (uint32_t b = s->links.first[v]; b < s->links.first[v + 1]; b++) {
        if (!(*in++ >> lane & 1) || order[b] > limit || s->seen[b] == AHEAD) continue;
        s->meeting = (struct hd_turn){a, b};
        if (s->seen[b] == BEHIND) return true;
        s->seen[b] = AHEAD;
        s->via[b] = a;
        s->ahead[(*n)++] = b;
    }
    return false;
}

/* The same from t.from against the turns, among links after t.to. */
static bool step_behind(struct hd_acyclic *s, uint32_t lane, struct hd_turn t, uint32_t i, uint32_t *n)
{
    const uint32_t *order = s->order[lane];
    uint32_t b = s->behind[i], v = s->links.net->tail[s->links.chan[b]], at = b - s->links.first[v],
             limit = order[t.to];
    s->looks += s->links.first[v + 1] - s->links.first[v];
    for (uint32_t x = s->links.first[v]; x < s->links.first[v + 1]; x++) {
        uint32_t a = s->links.back[x];
        if (!(s->in[s->links.turn[a] + at] >> lane & 1) || order[a] < limit || s->seen[a] == BEHIND) continue;
        s->meeting = (struct hd_turn){a, b};
        if (s->seen[a] == AHEAD) return true;
        s->seen[a] = BEHIND;
        s->via[a] = b;
        s->behind[(*n)++] = a;
    }
    return false;
}

/* Places with a bit in `set`, from lo to hi, in increasing order; clears them. */
static uint32_t drain_places(uint64_t *set, uint32_t lo, uint32_t hi, uint32_t *places)
{
    uint32_t n = 0;
    for (uint32_t w = lo / 64; w <= hi / 64; w++)
        for (; set[w]; set[w] &= set[w] - 1) places[n++] = w * 64 + (uint32_t)__builtin_ctzll(set[w]);
    return n;
}

static void mark_places(uint64_t *set, const uint32_t *order, const uint32_t *link, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) set[order[link[i]] / 64] |= (uint64_t)1 << order[link[i]] % 64;
}

/* Sorts links by their place, all of which are from lo to hi: linear in the distance, without comparisons. */
static void sort_links(struct hd_acyclic *s, uint32_t lane, uint32_t lo, uint32_t hi, uint32_t *link, uint32_t n)
{
    mark_places(s->bits, s->order[lane], link, n);
    drain_places(s->bits, lo, hi, s->places);
    for (uint32_t i = 0; i < n; i++) link[i] = s->at[lane][s->places[i]];
}

/* Gives the places of both sets to the links behind first, then to those ahead, each in the order that they had. */
static void reorder_links(struct hd_acyclic *s, uint32_t lane, struct hd_turn t, uint32_t nbehind, uint32_t nahead)
{
    uint32_t *order = s->order[lane], *at = s->at[lane], lo = order[t.to], hi = order[t.from];
    sort_links(s, lane, lo, hi, s->behind, nbehind);
    sort_links(s, lane, lo, hi, s->ahead, nahead);
    mark_places(s->bits, order, s->behind, nbehind);
    mark_places(s->bits, order, s->ahead, nahead);
    uint32_t n = drain_places(s->bits, lo, hi, s->places);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = i < nbehind ? s->behind[i] : s->ahead[i - nbehind];
        order[a] = s->places[i];
        at[s->places[i]] = a;
    }
}

/* Whether the lane stays free of cycles with this turn; its order then has room for it. A cycle is
 * found where searches from both ends meet, long before either has seen everything. */
static bool admits(struct hd_acyclic *s, uint32_t lane, struct hd_turn t)
{
    uint32_t *order = s->order[lane], nahead = 1, nbehind = 1, i = 0, j = 0;
    bool cycle = false;
    if (order[t.from] < order[t.to]) return true;
    s->ahead[0] = t.to;
    s->behind[0] = t.from;
    s->seen[t.to] = AHEAD;
    s->seen[t.from] = BEHIND;
    while (!cycle && (i < nahead || j < nbehind)) {
        if (i < nahead) cycle = step_ahead(s, lane, t, i++, &nahead);
        if (!cycle && j < nbehind) cycle = step_behind(s, lane, t, j++, &nbehind);
    }
    for (i = 0; i < nahead; i++) s->seen[s->ahead[i]] = 0;
    for (j = 0; j < nbehind; j++) s->seen[s->behind[j]] = 0;
    if (!cycle) reorder_links(s, lane, t, nbehind, nahead);
    return !cycle;
}

/* ---- turns one by one ------------------------------------------------------------------------- */

hd_status hd_acyclic_remember(struct hd_ctx *ctx, struct hd_acyclic *s)
{
    s->ncycle = 8;
    while (s->ncycle < CYCLES_MOST && s->ncycle < s->links.turn[s->links.n]) s->ncycle *= 2;
    s->cycle = HD_NEW(s->arena, struct acyclic_cycle, s->ncycle);
    return s->cycle ? HD_OK : hd_fail_memory(ctx);
}

static struct acyclic_cycle *cycle_of(const struct hd_acyclic *s, uint32_t turn, uint32_t lane)
{
    return &s->cycle[(turn + lane * (s->ncycle / 8)) & (s->ncycle - 1)];
}

/* Whether the cycle that a turn closed before is still there. */
static bool is_closed(const struct hd_acyclic *s, uint32_t turn, uint32_t lane)
{
    const struct acyclic_cycle *c = cycle_of(s, turn, lane);
    if (c->closing != turn + 1 || c->lane != lane) return false;
    for (uint32_t i = 0; i < c->n; i++)
        if (!(s->in[c->turn[i]] >> lane & 1)) return false;
    return true;
}

/* The cycle that the search of admits has just met: from there along via to either end. */
static void remember_cycle(struct hd_acyclic *s, uint32_t lane, struct hd_turn t)
{
    const uint32_t closing = hd_turn(&s->links, t.from, t.to);
    struct acyclic_cycle *c = cycle_of(s, closing, lane);
    uint32_t n = 0, a = s->meeting.from, b = s->meeting.to;
    *c = (struct acyclic_cycle){0};
    c->turn[n++] = hd_turn(&s->links, a, b);
    for (; a != t.to && n < CYCLE_TURNS; a = s->via[a]) c->turn[n++] = hd_turn(&s->links, s->via[a], a);
    for (; b != t.from && n < CYCLE_TURNS; b = s->via[b]) c->turn[n++] = hd_turn(&s->links, b, s->via[b]);
    if (a != t.to || b != t.from) return;
    c->closing = closing + 1;
    c->lane = (uint16_t)lane;
    c->n = (uint16_t)n;
}

bool hd_acyclic_add(struct hd_acyclic *s, uint32_t lane, struct hd_turn t)
{
    const uint32_t turn = hd_turn(&s->links, t.from, t.to);
    if (!(s->in[turn] >> lane & 1)) {
        if (is_closed(s, turn, lane)) return false;
        if (!admits(s, lane, t)) {
            remember_cycle(s, lane, t);
            return false;
        }
    }
    s->in[turn] |= (uint16_t)(1u << lane);
    return true;
}

/* ---- sets ------------------------------------------------------------------------------------- */

static hd_status note_change(struct hd_ctx *ctx, struct hd_acyclic *s, struct acyclic_change c)
{
    if (!HD_MORE(s->arena, s->change, s->nchange, s->maxchange)) return hd_fail_memory(ctx);
    s->change[s->nchange++] = c;
    return HD_OK;
}

static void undo_changes(struct hd_acyclic *s, uint32_t keep)
{
    while (s->nchange > keep) {
        const struct acyclic_change *c = &s->change[--s->nchange];
        uint16_t *word = c->blocked ? &s->blocked[c->turn] : &s->in[c->turn];
        *word &= (uint16_t)~c->lane_bit;
    }
}

hd_status hd_acyclic_try(struct hd_ctx *ctx, struct hd_acyclic *s, uint32_t lane, bool *fits)
{
    uint16_t bit = (uint16_t)(1u << lane);
    uint32_t keep = s->nchange;
    *fits = true;
    for (uint32_t i = 0; i < s->nturn; i++) {
        uint32_t t = hd_turn(&s->links, s->turn[i].from, s->turn[i].to);
        if (s->in[t] & bit) continue;
        if (admits(s, lane, s->turn[i])) {
            s->in[t] |= bit;
            HD_TRY(note_change(ctx, s, (struct acyclic_change){t, bit, false}));
            continue;
        }
        *fits = false;
        bool alone = s->nchange == keep; /* else what was just added may be to blame */
        undo_changes(s, keep);
        if (!alone) break;
        s->blocked[t] |= bit;
        if (s->touched & bit)
            HD_TRY(note_change(ctx, s, (struct acyclic_change){t, bit, true})); /* or the rest of the row */
        break;
    }
    if (*fits) s->touched |= bit;
    return HD_OK;
}

void hd_acyclic_begin(struct hd_acyclic *s)
{
    s->nchange = s->touched = 0;
}

void hd_acyclic_undo(struct hd_acyclic *s)
{
    undo_changes(s, 0);
}
