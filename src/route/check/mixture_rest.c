/* SPDX-License-Identifier: BSD-2-Clause */
/* Mixtures of the entries for LIDs that no pair is routed by. For each LID the old and the new entry of every switch
 * form a graph with at most two edges out of a switch; a mixture loops if and only if that graph has a cycle that a
 * leaf switch reaches, which one depth-first search finds. Rows that do not change are searched as well: a loop of both
 * tables is one of every mixture. Credit loops are not searched for: on a tree that has lost cables, no table is free
 * of those that packets to switches close. LIDs whose entries differ are counted instead, and those that the new table
 * cuts: each of the two rows is walked from all leaf switches. A file that lists no LIDs of switches at all says
 * nothing of them; one that lacks a further LID cuts it, as check has it.
 * What is compared is what would be written. A table that was given no entries for a further LID repeats those of a
 * variant, and for a LID of a switch beyond its base LID those of that; only of an old table that was read from a file
 * it is known that switches have none.
 * Switches keep groups of ports apart from entries, so that these are not followed: LIDs that have any are counted if
 * anything of theirs differs, by the ports of the groups and not by their numbers.
 * Where the new table has SL2VL tables, it cuts a further LID as well if these send its packets to VL 15. For packets
 * to switches that is no matter: those of management have VL 15 of their own.
 * Cost O(LIDs * switches), of further LIDs only those that a table was given, and O(endpoints) more for each of these
 * where there are SL2VL tables. */
#include "route/check/mixture_rest.h"
#include "base/status.h"
#include "route/check/arriving_levels.h"
#include "route/check/check_everyone.h"
#include "route/check/further_lids.h"
#include "route/core/groups.h"
#include "route/core/lid_view.h"
#include "route/core/switch_rows.h"
#include "route/kernel/row_walk.h"

#include <string.h>

enum { UNSEEN, OPEN, DONE };

struct rest_row { /* of one LID */
    const uint8_t *entry;
    const uint16_t *of; /* groups; NULL: none */
    uint32_t own;       /* of a switch: the port to which it sends its LID, 0: itself; HD_LFT_HOLE: nowhere */
    bool lacks;         /* the table has no entries for it */
};

struct rest_search {
    const struct hd_routes *r, *to;
    const uint8_t *row[2], *hole; /* [nsw] hole: no entries */
    uint32_t node;                /* whose LID it is */
    uint32_t target;              /* the switch whose LID it is, UINT32_MAX: an endpoint's */
    uint8_t own[2];               /* where that switch sends its own LID, HD_SLOT_NONE: nowhere else */
    const uint8_t *switches[2];   /* [nsw * nsw] rows towards base LIDs; NULL: the table lists none */
    uint8_t *state, *next;        /* [nsw] next: which of the two entries is followed now */
    uint32_t *stack;              /* [nsw] */
    struct hd_reach reach[2];     /* of the old and of the new row */
    struct hd_arrivals arrive[2]; /* likewise, for further LIDs */
    const uint8_t *kind;          /* [nep] of hd_proof_kind */
    bool drops, levels_differ;    /* the new SL2VL tables drop levels; the old ones are others */
};

/* Depth first; whether a switch on the current path is met again. */
static bool rest_loops_from(struct rest_search *w, uint32_t from)
{
    const struct hd_net *net = w->r->net;
    uint32_t n = 0;
    w->stack[n++] = from;
    w->state[from] = OPEN;
    w->next[from] = 0;
    while (n) {
        const uint32_t v = w->stack[n - 1];
        if (w->next[v] == 2) {
            w->state[v] = DONE;
            n--;
            continue;
        }
        const uint32_t i = w->next[v]++, c = net->off[v] + (v == w->target ? w->own[i] : w->row[i][v]);
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

static bool rest_row_loops(struct rest_search *w)
{
    memset(w->state, UNSEEN, w->r->net->nsw);
    for (uint32_t i = 0; i < w->r->nleaf; i++)
        if (w->state[w->r->leaf[i]] == UNSEEN && rest_loops_from(w, w->r->leaf[i])) return true;
    return false;
}

static struct rest_row rest_row_at(const uint8_t *rows, const struct hd_group_rows *groups, size_t i, size_t nsw)
{
    return (struct rest_row){rows + i * nsw, groups && groups->of ? groups->of + i * nsw : NULL, 0, false};
}

struct rest_result { /* of one LID */
    bool differs, groups, loops, cut;
};

/* Whether the new table loses what some leaf switch, the target itself too, sends to this LID, and the old one does
 * not. */
static bool rest_row_cuts(struct rest_search *w, struct rest_row from, struct rest_row to)
{
    const bool sw = w->target != UINT32_MAX, none = to.lacks || to.own;
    const uint8_t *row[2] = {from.entry, to.entry};
    uint32_t n = 0;
    if (from.lacks || from.own || (sw && w->to->no_switch_lids)) return false;
    for (uint32_t i = 0; i < w->r->nleaf; i++) {
        w->stack[n] = w->r->leaf[i];
        n += w->r->leaf[i] != w->target;
    }
    for (int i = 0; i < 2; i++) {
        hd_reach_begin(&w->reach[i]);
        hd_reach_follow(&w->reach[i], row[i], w->node, w->stack, n);
    }
    bool cut = none && n < w->r->nleaf;
    for (uint32_t i = 0; i < n; i++)
        cut |=
            w->reach[0].hops[w->stack[i]] < HD_REACH_LOOP && (none || w->reach[1].hops[w->stack[i]] >= HD_REACH_LOOP);
    return cut;
}

/* Where a switch sends its own LID, if not to itself. */
static uint8_t rest_own_slot(const struct hd_net *net, uint32_t v, uint32_t port)
{
    for (uint32_t c = net->off[v]; port && c < net->off[v + 1]; c++)
        if (net->port[c] == port) return (uint8_t)(c - net->off[v]);
    return HD_SLOT_NONE;
}

/* Unchanged rows are searched only on request. */
static struct rest_result rest_row_compare(struct rest_search *w, struct rest_row from, struct rest_row to, bool search)
{
    struct rest_result r = {.differs = from.lacks || to.lacks || from.own != to.own};
    for (uint32_t v = 0; v < w->r->net->nsw; v++) {
        if (v == w->target) continue;
        r.differs |= from.entry[v] != to.entry[v];
        if (!(from.of && from.of[v]) && !(to.of && to.of[v])) continue;
        const struct hd_port_set one = hd_choices(w->r, from.entry, from.of, v),
                                 two = hd_choices(w->to, to.entry, to.of, v);
        r.differs |= memcmp(&one, &two, sizeof one) != 0;
        r.groups = true;
    }
    if (w->target != UINT32_MAX) {
        w->own[0] = rest_own_slot(w->r->net, w->target, from.own);
        w->own[1] = rest_own_slot(w->r->net, w->target, to.own);
    }
    w->row[0] = from.entry;
    w->row[1] = to.entry;
    r.loops = (r.differs || search) && rest_row_loops(w);
    r.cut = r.differs && !r.groups && rest_row_cuts(w, from, to);
    return r;
}

/* ---- LIDs of switches ----------------------------------------------------------------------------------- */

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

/* What a table has for the base LID of switch t. */
static struct rest_row rest_switch_row(const struct rest_search *w, uint32_t side, uint32_t t)
{
    const struct hd_routes *r = side ? w->to : w->r;
    if (!w->switches[side]) return (struct rest_row){w->hole, NULL, HD_LFT_HOLE, true};
    struct rest_row row = rest_row_at(w->switches[side], r->groups ? &r->groups->switches : NULL, t, r->net->nsw);
    row.own = hd_lft_own_port(r, t);
    row.lacks = r->no_switch_lids;
    return row;
}

static void rest_switch_compare(struct rest_search *w, uint32_t t, const struct rest_row row[2], bool given,
                                struct hd_rest *rest)
{
    w->node = w->target = t;
    const struct rest_result r = rest_row_compare(w, row[0], row[1], given);
    rest->unproved += r.differs && given;
    rest->cut += r.cut && given;
    rest->adaptive += r.differs && r.groups;
    rest->switch_loops += r.loops;
}

static hd_status rest_switches(struct hd_ctx *ctx, struct hd_arena *a, struct rest_search *w, struct hd_rest *rest)
{
    const struct hd_routes *from = w->r, *to = w->to;
    const bool given = from->switch_table || to->switch_table || from->own_entry || to->own_entry ||
                       from->no_switch_lids || to->no_switch_lids;
    if (from->no_switch_lids && to->no_switch_lids) return HD_OK;
    if (!from->no_switch_lids) HD_TRY(rest_switch_rows(ctx, a, from, &w->switches[0]));
    HD_TRY(rest_switch_rows(ctx, a, to, &w->switches[1]));
    for (uint32_t t = 0; t < from->net->nsw; t++) {
        const struct rest_row row[2] = {rest_switch_row(w, 0, t), rest_switch_row(w, 1, t)};
        rest_switch_compare(w, t, row, given, rest);
    }
    return HD_OK;
}

/* What a table has for a LID of a switch beyond its base LID. */
static struct rest_row rest_more_row(const struct rest_search *w, const struct hd_lids *plan, uint32_t side,
                                     const struct hd_more_lid *m)
{
    const struct hd_routes *r = side ? w->to : w->r;
    const bool written = m->lid - plan->base[m->sw] < 1 << plan->switch_lmc[m->sw];
    if (m->row[side]) {
        const uint32_t i = m->row[side] - 1;
        struct rest_row row = rest_row_at(r->more, r->groups ? &r->groups->more : NULL, i, r->net->nsw);
        row.own = hd_lft_own_port_in(r->more_own[i]);
        return row;
    }
    if (!written || (r->lid && side == 0)) return (struct rest_row){w->hole, NULL, HD_LFT_HOLE, true};
    struct rest_row row = rest_switch_row(w, side, m->sw);
    row.lacks = r->lid != NULL;
    return row;
}

/* LIDs of switches beyond the base LID: without rows of its own, a table repeats those of the base LID. */
static hd_status rest_more(struct hd_ctx *ctx, struct hd_arena *a, struct rest_search *w, struct hd_rest *rest)
{
    struct hd_more_lid *list;
    struct hd_lids plan; /* as tables are written */
    uint32_t n;
    HD_TRY(hd_more_lids(ctx, a, w->r, w->to, &list, &n));
    HD_TRY(hd_lids_plan(ctx, a, w->r->net, w->r->nvar, &plan));
    for (uint32_t i = 0; i < n; i++) {
        const struct rest_row row[2] = {rest_more_row(w, &plan, 0, &list[i]), rest_more_row(w, &plan, 1, &list[i])};
        rest_switch_compare(w, list[i].sw, row, true, rest);
    }
    return HD_OK;
}

/* ---- further LIDs --------------------------------------------------------------------------------------- */

/* What a table has for a LID; room has place for a row. */
static struct rest_row rest_lid_row(const struct rest_search *w, const struct hd_lids *plan,
                                    const struct hd_further_lid *f, uint32_t side, uint8_t *room)
{
    const struct hd_routes *r = side ? w->to : w->r;
    const uint32_t v = r->net->nsw + f->dest, x = hd_further_variant(f, r->nvar);
    const bool written = plan->base[v] == f->base && f->lid - f->base < 1 << plan->lmc_of[f->dest];
    const bool file = r->lid && r->lid[v];
    if (f->row[side])
        return rest_row_at(r->further, r->groups ? &r->groups->further : NULL, f->row[side] - 1, r->net->nsw);
    if (!written || (file && side == 0)) return (struct rest_row){w->hole, NULL, 0, true};
    return (struct rest_row){hd_routes_row(r, f->dest, x, room), hd_group_row(r, f->dest, x), 0, file};
}

/* What the SL2VL tables of the new table drop and those of the old one do not. Nobody tells the service levels of
 * packets to such LIDs: a source is cut if none is left of those with which its packets arrive so far, and if some are,
 * nothing is known of it. */
static void rest_levels(struct rest_search *w, uint32_t d, struct rest_row from, struct rest_row to,
                        struct rest_result *r)
{
    const struct hd_net *net = w->r->net;
    const struct rest_row row[2] = {from, to};
    if (!w->drops || !(w->levels_differ || r->differs) || from.lacks || to.lacks) return;
    r->differs |= r->groups; /* choices are not followed */
    if (r->groups) return;
    for (int i = 0; i < 2; i++) hd_arrivals_begin(&w->arrive[i], row[i].entry, net->nsw + d);
    for (uint32_t s = 0; s < net->nep && !r->cut; s++) {
        if (s == d || w->kind[s] >= HD_PROOF_AGGREGATION) continue;
        const uint32_t old = hd_arrivals_of(&w->arrive[0], s, HD_ALL_LEVELS),
                       new = hd_arrivals_of(&w->arrive[1], s, HD_ALL_LEVELS);
        r->differs |= (old & ~new) != 0;
        r->cut |= old && !(old & new);
    }
}

static void rest_compare_levels(struct rest_search *w)
{
    const struct hd_sl2vl *from = w->r->sl2vl, *to = w->to->sl2vl;
    for (uint32_t i = 0; to && i < to->nmap; i++) w->drops |= memchr(to->map[i], HD_LANE_DROP, sizeof *to->map) != NULL;
    w->levels_differ = w->drops && (!from || !hd_sl2vl_same(from, to));
}

static hd_status rest_further(struct hd_ctx *ctx, struct hd_arena *a, struct rest_search *w, struct hd_rest *rest)
{
    const size_t nsw = w->r->net->nsw;
    struct hd_further_lid *list;
    struct hd_lids plan; /* as tables are written */
    uint32_t n;
    uint8_t *room[2] = {HD_NEW(a, uint8_t, nsw), HD_NEW(a, uint8_t, nsw)}, *kind = HD_NEW(a, uint8_t, w->r->net->nep);
    if (!room[0] || !room[1] || !kind) return hd_fail_memory(ctx);
    hd_proof_kinds(w->r->net, kind);
    w->kind = kind;
    rest_compare_levels(w);
    HD_TRY(hd_further_lids(ctx, a, w->r, w->to, &list, &n));
    HD_TRY(hd_lids_plan(ctx, a, w->r->net, w->r->nvar, &plan));
    HD_TRY(hd_arrivals_init(ctx, a, w->r, NULL, &w->arrive[0]));
    HD_TRY(hd_arrivals_init(ctx, a, w->to, NULL, &w->arrive[1]));
    w->target = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        w->node = w->r->net->nsw + list[i].dest;
        const struct rest_row from = rest_lid_row(w, &plan, &list[i], 0, room[0]),
                              to = rest_lid_row(w, &plan, &list[i], 1, room[1]);
        struct rest_result r = rest_row_compare(w, from, to, true);
        rest_levels(w, list[i].dest, from, to, &r);
        rest->adaptive += r.differs && r.groups;
        rest->unproved += r.differs;
        rest->cut += r.cut;
        rest->further_loops += r.loops;
    }
    return HD_OK;
}

hd_status hd_rest_compare(struct hd_ctx *ctx, const struct hd_routes *from, const struct hd_routes *to,
                          struct hd_rest *rest)
{
    const size_t nsw = from->net->nsw;
    struct hd_arena a = {0};
    uint8_t *hole = HD_NEW(&a, uint8_t, nsw);
    struct rest_search w = {.r = from,
                            .to = to,
                            .hole = hole,
                            .state = HD_NEW(&a, uint8_t, nsw),
                            .next = HD_NEW(&a, uint8_t, nsw),
                            .stack = HD_NEW(&a, uint32_t, nsw)};
    *rest = (struct hd_rest){0};
    hd_status s = hole && w.state && w.next && w.stack ? HD_OK : hd_fail_memory(ctx);
    for (int i = 0; i < 2 && s == HD_OK; i++) s = hd_reach_init(ctx, &a, from->net, &w.reach[i]);
    if (s == HD_OK) {
        memset(hole, HD_SLOT_NONE, nsw);
        s = rest_switches(ctx, &a, &w, rest);
    }
    if (s == HD_OK && from->nmore + to->nmore) s = rest_more(ctx, &a, &w, rest);
    if (s == HD_OK && from->nfurther + to->nfurther) s = rest_further(ctx, &a, &w, rest);
    hd_arena_release(&a);
    return s;
}
