/* SPDX-License-Identifier: BSD-2-Clause */
/* VLs for given routes. Each path (or each destination's tree) goes into the VL that lacks the fewest of its turns
 * among those where it closes no cycle; a new VL is opened if there is none. A turn is a channel and the channel after
 * it; which VLs have it is one 16-bit word. Whether a new turn closes a cycle follows from a topological order of the
 * channels, kept for each VL and repaired locally (Pearce and Kelly: A dynamic topological sort algorithm for directed
 * acyclic graphs). Turns are never removed once a row is placed, so a turn that closed a cycle in a VL always will and
 * is not tried there again: each (turn, VL) is searched about once, and a path costs one word per entry.
 *
 * Destinations and leaves are taken breadth-first from the first switch: neighbours then share turns, which halves the
 * VLs on tori and chains numbered at random, compared with the order of numbers.
 * Cost: table + turns x VLs x (region of the order that they disturb); memory: 4 bytes per turn, 8 bytes per channel
 * and VL, and the VLs themselves (one byte per leaf switch and destination). "Lane" is short for VL below. */
#include "route/kernel/vl_assign.h"
#include "base/status.h"
#include "route/core/switch_distance.h"
#include "route/core/switch_links.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 1, BEHIND = 2 };

struct vl_turn {
    uint32_t from, to; /* links */
};

struct vl_change { /* made for the current row, so that it can be undone */
    uint32_t turn;
    uint16_t lane_bit;
    bool blocked;
};

struct vl_state {
    struct hd_routes *r; /* only its lanes are written */
    const struct hd_net *net;
    const struct hd_lanes_opt *opt;
    struct hd_links links;
    uint16_t *in, *blocked;         /* [nturn] lanes that have the turn; lanes where it closes a cycle */
    uint32_t *start;                /* [nlink] order a lane begins with */
    uint32_t *order[HD_LANES_MOST]; /* [nlink] place of each link in the lane's order; NULL: not open */
    uint32_t *at[HD_LANES_MOST];    /* [nlink] link at each place */
    uint32_t nopen;                 /* lanes open from 0 up, the reserved one not counted */
    uint32_t *leaves;               /* [nleaf] leaf numbers, breadth-first */

    struct hd_arena *arena;
    struct vl_turn *turn; /* of the current path or tree */
    uint32_t nturns;
    struct vl_change *change;
    size_t nchange, maxchange;
    uint16_t touched;                  /* lanes that the current row is in */
    uint32_t *ahead, *behind, *places; /* [nlink] */
    uint64_t *bits;                    /* [nlink / 64 + 1] */
    uint8_t *seen;                     /* [nlink] 0, AHEAD or BEHIND */
    uint16_t *have;        /* [nsw] lanes that have all turns from here on (or had, when it was looked up) */
    uint16_t *shut;        /* [nsw] lanes where one of them closes a cycle */
    uint32_t *stamp, pass; /* [nsw] */
    uint32_t *stack;       /* [nsw] */
};

/* ---- one lane's order ------------------------------------------------------------------------ */

/* One step of the search from t.to along the turns of the lane, among links before t.from: the
 * successors of the i-th link found. True when it meets the search from the other end. */
static bool step_ahead(struct vl_state *s, uint32_t lane, struct vl_turn t, uint32_t i, uint32_t *n)
{
    const uint32_t *order = s->order[lane];
    uint32_t a = s->ahead[i], v = s->links.head[a], limit = order[t.from];
    const uint16_t *in = s->in + s->links.turn[a];
    for (uint32_t b = s->links.first[v]; b < s->links.first[v + 1]; b++) {
        if (!(*in++ >> lane & 1) || order[b] > limit || s->seen[b] == AHEAD) continue;
        if (s->seen[b] == BEHIND) return true;
        s->seen[b] = AHEAD;
        s->ahead[(*n)++] = b;
    }
    return false;
}

/* The same from t.from against the turns, among links after t.to. */
static bool step_behind(struct vl_state *s, uint32_t lane, struct vl_turn t, uint32_t i, uint32_t *n)
{
    const struct hd_net *net = s->net;
    const uint32_t *order = s->order[lane];
    uint32_t b = s->behind[i], v = net->tail[s->links.chan[b]], at = b - s->links.first[v], limit = order[t.to];
    for (uint32_t x = s->links.first[v]; x < s->links.first[v + 1]; x++) {
        uint32_t a = s->links.back[x];
        if (!(s->in[s->links.turn[a] + at] >> lane & 1) || order[a] < limit || s->seen[a] == BEHIND) continue;
        if (s->seen[a] == AHEAD) return true;
        s->seen[a] = BEHIND;
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
static void sort_links(struct vl_state *s, uint32_t lane, uint32_t lo, uint32_t hi, uint32_t *link, uint32_t n)
{
    mark_places(s->bits, s->order[lane], link, n);
    drain_places(s->bits, lo, hi, s->places);
    for (uint32_t i = 0; i < n; i++) link[i] = s->at[lane][s->places[i]];
}

/* Gives the places of both sets to the links behind first, then to those ahead, each in the order that they had. */
static void reorder_links(struct vl_state *s, uint32_t lane, struct vl_turn t, uint32_t nbehind, uint32_t nahead)
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
static bool admits(struct vl_state *s, uint32_t lane, struct vl_turn t)
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

/* ---- putting turns into lanes ---------------------------------------------------------------- */

static hd_status open_lane(struct hd_ctx *ctx, struct vl_state *s, uint32_t lane, const uint32_t *order)
{
    s->order[lane] = HD_NEW(s->arena, uint32_t, s->links.n);
    s->at[lane] = HD_NEW(s->arena, uint32_t, s->links.n);
    if (!s->order[lane] || !s->at[lane]) return hd_fail_memory(ctx);
    memcpy(s->order[lane], order, s->links.n * sizeof *order);
    for (uint32_t a = 0; a < s->links.n; a++) s->at[lane][order[a]] = a;
    return HD_OK;
}

static hd_status note_change(struct hd_ctx *ctx, struct vl_state *s, struct vl_change c)
{
    if (s->nchange == s->maxchange) {
        size_t n = s->maxchange ? 2 * s->maxchange : 4096;
        struct vl_change *more = HD_NEW(s->arena, struct vl_change, n);
        if (!more) return hd_fail_memory(ctx);
        if (s->nchange) memcpy(more, s->change, s->nchange * sizeof *more);
        s->change = more;
        s->maxchange = n;
    }
    s->change[s->nchange++] = c;
    return HD_OK;
}

static void undo_changes(struct vl_state *s, size_t keep)
{
    while (s->nchange > keep) {
        const struct vl_change *c = &s->change[--s->nchange];
        uint16_t *word = c->blocked ? &s->blocked[c->turn] : &s->in[c->turn];
        *word &= (uint16_t)~c->lane_bit;
    }
}

/* All turns of the current path or tree into the lane, or none. */
static hd_status try_lane(struct hd_ctx *ctx, struct vl_state *s, uint32_t lane, bool *fits)
{
    uint16_t bit = (uint16_t)(1u << lane);
    size_t keep = s->nchange;
    *fits = true;
    for (uint32_t i = 0; i < s->nturns; i++) {
        uint32_t t = hd_turn(&s->links, s->turn[i].from, s->turn[i].to);
        if (s->in[t] & bit) continue;
        if (admits(s, lane, s->turn[i])) {
            s->in[t] |= bit;
            HD_TRY(note_change(ctx, s, (struct vl_change){t, bit, false}));
            continue;
        }
        *fits = false;
        bool alone = s->nchange == keep; /* else what was just added may be to blame */
        undo_changes(s, keep);
        if (!alone) break;
        s->blocked[t] |= bit;
        if (s->touched & bit)
            HD_TRY(note_change(ctx, s, (struct vl_change){t, bit, true})); /* or the rest of the row */
        break;
    }
    if (*fits) s->touched |= bit;
    return HD_OK;
}

/* The open lane, not yet tried, that lacks the fewest of the current turns; the lowest on ties. */
static uint32_t best_lane(const struct vl_state *s, uint32_t tried)
{
    uint32_t missing[HD_LANES_MOST] = {0}, blocked = tried, best = UINT32_MAX;
    for (uint32_t i = 0; i < s->nturns; i++) {
        uint32_t t = hd_turn(&s->links, s->turn[i].from, s->turn[i].to);
        blocked |= s->blocked[t];
        for (uint32_t lane = 0; lane < s->opt->maxlanes; lane++) missing[lane] += !(s->in[t] >> lane & 1);
    }
    for (uint32_t lane = 0; lane < s->opt->maxlanes; lane++) {
        if (!s->order[lane] || blocked >> lane & 1) continue;
        if (best == UINT32_MAX || missing[lane] < missing[best]) best = lane;
    }
    return best;
}

/* A lane for the current turns, UINT32_MAX if there is none. */
static hd_status place_turns(struct hd_ctx *ctx, struct vl_state *s, uint32_t *lane)
{
    bool fits = false;
    for (uint32_t tried = 0; (*lane = best_lane(s, tried)) != UINT32_MAX; tried |= 1u << *lane) {
        HD_TRY(try_lane(ctx, s, *lane, &fits));
        if (fits) return HD_OK;
    }
    if (s->nopen == s->opt->maxlanes || s->order[s->nopen]) return HD_OK;
    HD_TRY(open_lane(ctx, s, s->nopen, s->start));
    *lane = s->nopen++;
    return try_lane(ctx, s, *lane, &fits); /* a path or tree alone has no cycle */
}

/* ---- rows ----------------------------------------------------------------------------------- */

static uint32_t next_link(const struct vl_state *s, const uint8_t *row, uint32_t v)
{
    if (row[v] == HD_SLOT_NONE || row[v] >= hd_degree(s->net, v)) return UINT32_MAX;
    return s->links.of[s->net->off[v] + row[v]];
}

/* Visits the switches from v on that this pass has not met, the last one first. visit gets a switch, the
 * link it takes and the one after (UINT32_MAX: none). A cycle in the table is left out. */
static void walk_row(struct vl_state *s, const uint8_t *row, uint32_t v,
                     void (*visit)(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b))
{
    uint32_t n = 0, a;
    while (s->stamp[v] != s->pass) {
        s->stamp[v] = s->pass;
        s->stack[n++] = v;
        if ((a = next_link(s, row, v)) == UINT32_MAX) break;
        v = s->links.head[a];
    }
    while (n > 0) {
        v = s->stack[--n];
        a = next_link(s, row, v);
        visit(s, v, a, a == UINT32_MAX ? a : next_link(s, row, s->links.head[a]));
    }
}

static void look_up_turn(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b)
{
    s->have[v] = 0xffff;
    s->shut[v] = 0;
    if (b == UINT32_MAX) return;
    uint32_t next = s->links.head[a], t = hd_turn(&s->links, a, b);
    s->have[v] = s->have[next] & s->in[t];
    s->shut[v] = s->shut[next] | s->blocked[t];
}

static void gather_turn(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b)
{
    (void)v;
    if (b != UINT32_MAX) s->turn[s->nturns++] = (struct vl_turn){a, b};
}

/* The turns of one path; false when it leads nowhere. */
static bool gather_path(struct vl_state *s, const uint8_t *row, uint32_t v)
{
    uint32_t a = next_link(s, row, v), b;
    for (s->nturns = 0; a != UINT32_MAX; a = b) {
        b = next_link(s, row, s->links.head[a]);
        if (b == UINT32_MAX) return true;
        if (s->nturns == s->net->nsw) return false;
        s->turn[s->nturns++] = (struct vl_turn){a, b};
    }
    return true;
}

/* Looks up all leaves; false when one is shut out of every lane, open or not. */
static bool may_fit(struct vl_state *s, const uint8_t *row, uint16_t all)
{
    const struct hd_routes *r = s->r;
    bool fits = true;
    for (uint32_t i = 0; i < r->nleaf; i++) {
        walk_row(s, row, r->leaf[i], look_up_turn);
        fits &= (s->shut[r->leaf[i]] & all) != all;
    }
    return fits;
}

static hd_status place_paths(struct hd_ctx *ctx, struct vl_state *s, const uint8_t *row, uint32_t q, bool *fits)
{
    const struct hd_routes *r = s->r;
    size_t stride = (size_t)r->net->nep * r->nvar;
    uint32_t last = s->opt->maxlanes - 1;
    *fits = may_fit(s, row, (uint16_t)((2u << last) - 1));
    for (uint32_t i = 0; i < r->nleaf && *fits; i++) {
        uint32_t leaf = s->leaves[i], v = r->leaf[leaf], lane = 0;
        uint32_t have = s->have[v] & ((1u << s->nopen) - 1);
        if (s->opt->reserve) have |= s->have[v] & 1u << last;
        if (have)
            lane = (uint32_t)__builtin_ctz(have);
        else if (gather_path(s, row, v))
            HD_TRY(place_turns(ctx, s, &lane));
        *fits = lane != UINT32_MAX;
        r->leaf_lane[leaf * stride + q] = (uint8_t)lane;
    }
    if (*fits) return HD_OK;
    undo_changes(s, 0);
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) r->leaf_lane[leaf * stride + q] = (uint8_t)last;
    return HD_OK;
}

static hd_status place_tree(struct hd_ctx *ctx, struct vl_state *s, const uint8_t *row, uint32_t q, bool *fits)
{
    const struct hd_routes *r = s->r;
    uint32_t lane;
    s->nturns = 0;
    for (uint32_t i = 0; i < r->nleaf; i++) walk_row(s, row, r->leaf[i], gather_turn);
    HD_TRY(place_turns(ctx, s, &lane));
    *fits = lane != UINT32_MAX;
    r->dest_lane[q] = (uint8_t)(*fits ? lane : s->opt->maxlanes - 1);
    return HD_OK;
}

static hd_status vl_assign_place_rows(struct hd_ctx *ctx, struct vl_state *s, uint8_t *buf, bool *left)
{
    const struct hd_routes *r = s->r;
    const struct hd_net *net = s->net;
    uint32_t done = 0;
    for (uint32_t i = 0; i < r->nleaf; i++) {
        uint32_t t = r->leaf[s->leaves[i]];
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint32_t d = net->head[c] - net->nsw;
            for (uint32_t x = 0; x < r->nvar; x++) {
                uint32_t q = d * r->nvar + x;
                const uint8_t *row = hd_routes_row(r, d, x, buf);
                bool fits;
                s->pass++;
                s->nchange = s->touched = 0;
                if (s->opt->mode == HD_LANES_PATH)
                    HD_TRY(place_paths(ctx, s, row, q, &fits));
                else
                    HD_TRY(place_tree(ctx, s, row, q, &fits));
                left[q] = !fits;
                if (!fits && s->opt->stop) return HD_OK;
            }
            if (++done % 256 == 0) hd_progress(ctx, "lanes", done, net->nep);
        }
    }
    return HD_OK;
}

/* ---- one lane is often enough ---------------------------------------------------------------- */

static void add_turn(struct vl_state *s, uint32_t v, uint32_t a, uint32_t b)
{
    (void)v;
    if (b != UINT32_MAX) s->in[hd_turn(&s->links, a, b)] = 1;
}

/* Kahn's sort of all turns together. True when it takes every link; s->start is the order in either
 * case, the links it could not take at the end. */
static bool fits_one_lane(struct vl_state *s, uint8_t *buf)
{
    const struct hd_routes *r = s->r;
    uint32_t *waits = s->behind, *queue = s->ahead, done = 0, filled = 0;
    for (uint32_t d = 0; d < s->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            const uint8_t *row = hd_routes_row(r, d, x, buf);
            s->pass++;
            for (uint32_t i = 0; i < r->nleaf; i++) walk_row(s, row, r->leaf[i], add_turn);
        }
    memset(waits, 0, s->links.n * sizeof *waits);
    for (uint32_t a = 0; a < s->links.n; a++)
        for (uint32_t t = s->links.turn[a], b = s->links.first[s->links.head[a]]; t < s->links.turn[a + 1]; t++, b++)
            waits[b] += s->in[t];
    for (uint32_t a = 0; a < s->links.n; a++)
        if (!waits[a]) queue[filled++] = a;
    for (; done < filled; done++) {
        uint32_t a = queue[done];
        s->start[a] = done;
        for (uint32_t t = s->links.turn[a], b = s->links.first[s->links.head[a]]; t < s->links.turn[a + 1]; t++, b++)
            if (s->in[t] && --waits[b] == 0) queue[filled++] = b;
    }
    for (uint32_t a = 0; a < s->links.n; a++)
        if (waits[a]) s->start[a] = done++;
    memset(s->in, 0, s->links.turn[s->links.n] * sizeof *s->in);
    return filled == s->links.n;
}

/* ---- all together ---------------------------------------------------------------------------- */

static hd_status vl_init(struct hd_ctx *ctx, struct vl_state *s)
{
    struct hd_arena *a = s->arena;
    uint32_t nsw = s->net->nsw, nlink = s->links.n;
    s->in = HD_NEW(a, uint16_t, s->links.turn[s->links.n]);
    s->blocked = HD_NEW(a, uint16_t, s->links.turn[s->links.n]);
    s->start = HD_NEW(a, uint32_t, nlink);
    s->ahead = HD_NEW(a, uint32_t, nlink);
    s->behind = HD_NEW(a, uint32_t, nlink);
    s->places = HD_NEW(a, uint32_t, nlink);
    s->bits = HD_NEW(a, uint64_t, (size_t)nlink / 64 + 1);
    s->seen = HD_NEW(a, uint8_t, nlink);
    s->turn = HD_NEW(a, struct vl_turn, nsw);
    s->have = HD_NEW(a, uint16_t, nsw);
    s->shut = HD_NEW(a, uint16_t, nsw);
    s->stamp = HD_NEW(a, uint32_t, nsw);
    s->stack = HD_NEW(a, uint32_t, nsw);
    s->leaves = HD_NEW(a, uint32_t, s->r->nleaf);
    bool ok = s->in && s->blocked && s->start && s->ahead && s->behind && s->places && s->bits && s->seen && s->turn &&
              s->have && s->shut && s->stamp && s->stack && s->leaves;
    return ok ? HD_OK : hd_fail_memory(ctx);
}

static hd_status vl_order_leaves(struct hd_ctx *ctx, struct vl_state *s)
{
    const struct hd_net *net = s->net;
    uint8_t *dist = HD_NEW(s->arena, uint8_t, net->nsw);
    bool *met = HD_NEW(s->arena, bool, net->nsw);
    uint32_t n = 0;
    if (!dist || !met) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t reached = met[v] ? 0 : hd_dist_from(net, v, dist, s->stack);
        for (uint32_t i = 0; i < reached; i++) {
            uint32_t leaf = s->r->leaf_of[s->stack[i]];
            if (leaf != UINT32_MAX && !met[s->stack[i]]) s->leaves[n++] = leaf;
            met[s->stack[i]] = true;
        }
    }
    return HD_OK;
}

/* The last lane begins with every turn that up/down rows may make: up channels towards the first switch,
 * then down channels away from it. */
static hd_status open_reserved(struct hd_ctx *ctx, struct vl_state *s)
{
    const struct hd_updown *u = s->opt->reserve;
    const struct hd_net *net = s->net;
    uint32_t last = s->opt->maxlanes - 1, n = 0, *order = s->places;
    for (uint32_t i = net->nsw; i-- > 0;)
        for (uint32_t v = u->order[i], a = s->links.first[v]; a < s->links.first[v + 1]; a++)
            if (hd_updown_up(u, s->links.chan[a])) order[a] = n++;
    for (uint32_t i = 0; i < net->nsw; i++)
        for (uint32_t v = u->order[i], a = s->links.first[v]; a < s->links.first[v + 1]; a++)
            if (!hd_updown_up(u, s->links.chan[a])) order[a] = n++;
    for (uint32_t a = 0; a < s->links.n; a++)
        for (uint32_t t = s->links.turn[a], b = s->links.first[s->links.head[a]]; t < s->links.turn[a + 1]; t++, b++)
            if ((hd_updown_up(u, s->links.chan[a]) || !hd_updown_up(u, s->links.chan[b])) && b != s->links.back[a])
                s->in[t] = (uint16_t)(1u << last);
    return open_lane(ctx, s, last, order);
}

static hd_status set_lanes(struct hd_ctx *ctx, struct vl_state *s, struct hd_arena *arena, struct hd_lanes *lanes)
{
    struct hd_routes *r = s->r;
    size_t rows = (size_t)r->net->nep * r->nvar;
    bool *left = HD_NEW(s->arena, bool, rows);
    uint8_t *buf = HD_NEW(s->arena, uint8_t, r->net->nsw);
    *lanes = (struct hd_lanes){0};
    r->lane_rule = HD_LANE_ONE;
    r->nlanes = 1;
    if (!left || !buf) return hd_fail_memory(ctx);
    if (fits_one_lane(s, buf)) return HD_OK;
    bool path = s->opt->mode == HD_LANES_PATH;
    if (path && !r->leaf_lane) r->leaf_lane = HD_NEW(&r->arena, uint8_t, rows * r->nleaf);
    if (!path && !r->dest_lane) r->dest_lane = HD_NEW(&r->arena, uint8_t, rows);
    if (path ? !r->leaf_lane : !r->dest_lane) return hd_fail_memory(ctx);
    HD_TRY(vl_order_leaves(ctx, s));
    if (s->opt->reserve) HD_TRY(open_reserved(ctx, s));
    HD_TRY(vl_assign_place_rows(ctx, s, buf, left));
    for (size_t q = 0; q < rows; q++) lanes->nleft += left[q];
    lanes->left = HD_NEW(arena, uint32_t, lanes->nleft);
    if (!lanes->left) return hd_fail_memory(ctx);
    for (uint32_t q = 0, n = 0; q < rows; q++)
        if (left[q]) lanes->left[n++] = q;
    r->nlanes = s->opt->reserve ? s->opt->maxlanes : s->nopen;
    if (r->nlanes > 1) r->lane_rule = path ? HD_LANE_LEAF : HD_LANE_DEST;
    return HD_OK;
}

hd_status hd_lanes_assign(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_routes *r,
                          const struct hd_lanes_opt *opt, struct hd_lanes *lanes)
{
    struct hd_arena scratch = {0};
    struct vl_state s = {.r = r, .net = r->net, .opt = opt, .arena = &scratch};
    hd_status status = hd_links_init(ctx, &scratch, r->net, &s.links);
    if (status == HD_OK) status = vl_init(ctx, &s);
    if (status == HD_OK) status = set_lanes(ctx, &s, arena, lanes);
    hd_arena_release(&scratch);
    return status;
}

/* ---- with up/down as the last resort -------------------------------------------------------------------------- */

/* One per leaf that passes: enough to keep up/down rows from using the same channels. */
static void add_row_load(const struct hd_routes *r, const uint8_t *row, uint32_t *load)
{
    const struct hd_net *net = r->net;
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++)
        for (uint32_t v = r->leaf[leaf], n = 0; v < net->nsw && row[v] != HD_SLOT_NONE && n < net->nsw; n++) {
            load[net->off[v] + row[v]]++;
            v = net->head[net->off[v] + row[v]];
        }
}

static hd_status replace_rows(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_routes *r, struct hd_updown *u,
                              const struct hd_lanes *lanes)
{
    const struct hd_net *net = r->net;
    uint32_t *load = HD_NEW(scratch, uint32_t, net->nchan);
    if (!load) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < lanes->nleft; i++) {
        uint32_t q = lanes->left[i], d = q / r->nvar, c = net->rev[net->off[net->nsw + d]], t = net->tail[c];
        uint8_t *row = r->table + (size_t)q * net->nsw;
        hd_updown_row(u, t, load, row);
        row[t] = (uint8_t)(c - net->off[t]);
        add_row_load(r, row, load);
    }
    return HD_OK;
}

hd_status hd_lanes_ensure(struct hd_ctx *ctx, struct hd_routes *r, enum hd_lanes_mode mode, uint32_t maxlanes,
                          uint32_t *replaced)
{
    struct hd_arena scratch = {0};
    struct hd_updown u;
    struct hd_lanes lanes;
    struct hd_lanes_opt opt = {.mode = mode, .maxlanes = maxlanes, .stop = true};
    hd_status s = hd_lanes_assign(ctx, &scratch, r, &opt, &lanes);
    *replaced = 0;
    if (s == HD_OK && lanes.nleft) {
        opt.reserve = &u;
        opt.stop = false;
        s = hd_updown_init(ctx, &scratch, r->net, NULL, &u);
        if (s == HD_OK) s = hd_lanes_assign(ctx, &scratch, r, &opt, &lanes);
        if (s == HD_OK) s = replace_rows(ctx, &scratch, r, &u, &lanes);
        *replaced = lanes.nleft;
    }
    hd_arena_release(&scratch);
    return s;
}
