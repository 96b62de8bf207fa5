/* SPDX-License-Identifier: BSD-2-Clause */
/* The impact of a change of tables: entries, blocks of 64 entries, and pairs whose path changes. For a destination a
 * switch is affected if its entry differs, or if the next switch is affected: one walk over the entries of a row
 * decides for all sources at once. Pairs that change the variant they use, or that use several, are compared variant by
 * variant. VLs that change along the path are compared channel by channel unless the SL2VL tables are the same, and
 * service levels where both are known: a connection keeps its level, which has another VL by other SL2VL tables. All
 * endpoints are compared; pairs with one that is not selected are counted apart. Entries for LIDs of switches are
 * compared if both tables list them: what heddle would derive for a file without them is in no switch. LIDs are matched
 * by node and by distance from its base LID. Those of a table that would get no place where it is written are entries
 * all the same: they are gone, or new, where the other table does not have them, and so are those of the plan that a
 * file does not have. Nodes whose base LIDs differ are
 * counted apart: a table that gives LIDs to other nodes may have equal entries for each of them.
 * O(table), and O(pairs) where pairs from one switch may differ. */
#include "base/keyed.h"
#include "base/sized.h"
#include "base/status.h"
#include "route/core/lid_view.h"
#include "route/core/routes_levels.h"
#include "route/core/sl2vl.h"

#include <string.h>

enum { BLOCK = 64, UNKNOWN = 0, SAME = 1, TOUCHED = 2, OPEN = 3 };

struct differ {
    const struct hd_routes *a, *b;
    const struct hd_net *net;
    uint32_t nvar;   /* of the table with more */
    uint8_t *row[2]; /* [nsw] room for a row of each */
    uint8_t *state;  /* [nvar * nsw] of the current destination */
    uint32_t *stack;
    bool vls;                 /* known, and some may differ */
    bool hops;                /* VLs change along the path, and not by the same tables */
    bool *selected;           /* [nep] */
    uint32_t *sources, *rest; /* [nleaf] selected endpoints, and others; sources NULL: pairs differ */
    uint32_t *one;            /* [nleaf] an endpoint */
};

/* ---- entries ------------------------------------------------------------------------------- */

/* What a table has for a LID: slots of all switches, and the port of the switch whose own LID it is. */
struct diff_row {
    const uint8_t *slot;
    uint32_t own;
};

struct diff_beyond {    /* a LID of a table for which the plan has no place */
    struct hd_keyed at; /* the node and how far the LID is from its base LID; the table */
    uint32_t lid;
    struct diff_row row;
};

struct entry_differ {
    const struct hd_net *net;
    const struct hd_routes *table[2];
    struct hd_lft_view view[2];
    bool switches;       /* whose LIDs both list */
    const uint8_t *none; /* [nsw] */
    struct diff_beyond *beyond;
    uint32_t nbeyond, last; /* last: LID */
    bool *changed;          /* [block * nsw + v] */
};

static uint32_t diff_port(const struct hd_net *net, const struct diff_row *row, uint32_t node, uint32_t v)
{
    if (v == node) return row->own;
    return row->slot[v] < hd_degree(net, v) ? net->port[net->off[v] + row->slot[v]] : HD_LFT_HOLE;
}

/* One LID of a node at all switches, which are adjacent in memory. */
static void diff_lid(const struct entry_differ *w, uint32_t node, uint32_t lid, const struct diff_row row[2],
                     struct hd_diff *d)
{
    const uint32_t nsw = w->net->nsw;
    bool *changed = w->changed + (size_t)(lid / BLOCK) * nsw;
    d->entries += nsw;
    if (row[0].own == row[1].own && memcmp(row[0].slot, row[1].slot, nsw) == 0) return;
    for (uint32_t v = 0; v < nsw; v++) {
        const bool differs = diff_port(w->net, &row[0], node, v) != diff_port(w->net, &row[1], node, v);
        d->entries_changed += differs;
        changed[v] |= differs;
    }
}

/* Whether a file has no such LID of a node, though it has others: it is in no switch. Other tables have those that they
 * would be written with. */
static bool diff_lacks(const struct hd_lft_view *w, uint32_t v, uint32_t lid)
{
    const struct hd_routes *r = w->r;
    const uint32_t far = lid - w->lids.base[v];
    if (!far || !r->lid || !r->lid[v] || !r->lmc_of) return false;
    if (v < r->net->nsw) return !hd_lft_more(w, lid);
    return far >> r->lmc_of[v - r->net->nsw] && !(w->further && w->further[lid]);
}

/* The LIDs of the plan, each where one table has it or both do. */
static void diff_planned(const struct entry_differ *w, struct hd_diff *d)
{
    const uint32_t *owner = w->view[0].owner;
    for (uint32_t lid = 1; lid <= w->view[0].lids.last; lid++) {
        struct diff_row row[2] = {{w->none, HD_LFT_HOLE}, {w->none, HD_LFT_HOLE}};
        uint32_t sw, tables = 0;
        if (!owner[lid] || (owner[lid] <= w->net->nsw && !w->switches)) continue;
        for (uint32_t i = 0; i < 2; i++) {
            if (diff_lacks(&w->view[i], owner[lid] - 1, lid)) continue;
            tables++;
            row[i].slot = hd_lft_row(&w->view[i], lid, &sw);
            row[i].own = sw == UINT32_MAX ? HD_LFT_HOLE : hd_lft_own_port_of(&w->view[i], sw, lid);
        }
        if (tables) diff_lid(w, owner[lid] - 1, lid, row, d);
    }
}

/* The others, each where one table has it or both do. */
static void diff_unplanned(const struct entry_differ *w, struct hd_diff *d)
{
    for (uint32_t i = 0, n; i < w->nbeyond; i += n) {
        const struct diff_beyond *b = &w->beyond[i];
        struct diff_row row[2] = {{w->none, HD_LFT_HOLE}, {w->none, HD_LFT_HOLE}};
        for (n = 0; i + n < w->nbeyond && b[n].at.key == b->at.key; n++) row[b[n].at.value] = b[n].row;
        diff_lid(w, (uint32_t)(b->at.key >> 16), b->lid, row, d);
    }
}

static void beyond_add(struct entry_differ *w, uint32_t i, uint32_t v, uint32_t lid, struct diff_row row)
{
    const uint32_t far = hd_lft_distance(w->table[i], v, lid);
    if (far < hd_lids_count(&w->view[i].lids, w->net, v)) return;
    w->beyond[w->nbeyond++] = (struct diff_beyond){{(uint64_t)v << 16 | far, i}, lid, row};
    if (lid > w->last) w->last = lid;
}

static hd_status beyond_list(struct hd_ctx *ctx, struct hd_arena *scratch, struct entry_differ *w)
{
    const size_t nsw = w->net->nsw;
    size_t most = 0;
    for (int i = 0; i < 2; i++) most += (size_t)w->table[i]->nfurther + w->table[i]->nmore;
    if (!(w->beyond = HD_NEW(scratch, struct diff_beyond, most))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < 2; i++) {
        const struct hd_routes *r = w->table[i];
        for (size_t k = 0; k < r->nfurther; k++)
            beyond_add(w, i, r->net->nsw + r->further_dest[k], r->further_lid[k],
                       (struct diff_row){r->further + k * nsw, HD_LFT_HOLE});
        for (size_t k = 0; w->switches && k < r->nmore; k++)
            beyond_add(w, i, r->more_switch[k], r->more_lid[k],
                       (struct diff_row){r->more + k * nsw, hd_lft_own_port_in(r->more_own[k])});
    }
    hd_keyed_sort(w->beyond, w->nbeyond, sizeof *w->beyond);
    return HD_OK;
}

static void diff_count_blocks(const struct entry_differ *w, uint32_t nblocks, struct hd_diff *d)
{
    const uint32_t nsw = w->net->nsw;
    d->blocks = (uint64_t)nblocks * nsw;
    for (uint32_t v = 0; v < nsw; v++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < nblocks; i++) n += w->changed[(size_t)i * nsw + v];
        d->blocks_changed += n;
        d->switches_changed += n > 0;
    }
}

static hd_status diff_entries(struct hd_ctx *ctx, struct hd_arena *scratch, const struct differ *tables,
                              struct hd_diff *diff)
{
    struct entry_differ w = {.net = tables->net, .table = {tables->a, tables->b}};
    const size_t nsw = w.net->nsw;
    struct hd_lids lids;
    uint8_t *none = HD_NEW(scratch, uint8_t, nsw);
    if (!none) return hd_fail_memory(ctx);
    memset(none, HD_SLOT_NONE, nsw);
    w.none = none;
    w.switches = diff->from_switch_lids && diff->to_switch_lids;
    HD_TRY(hd_lids_plan(ctx, scratch, w.net, tables->nvar, &lids));
    for (int i = 0; i < 2; i++) HD_TRY(hd_lft_view_init(ctx, scratch, w.table[i], lids, &w.view[i]));
    w.last = lids.last;
    HD_TRY(beyond_list(ctx, scratch, &w));
    const uint32_t nblocks = w.last / BLOCK + 1;
    const size_t marks = nblocks * nsw;
    w.changed = HD_NEW(scratch, bool, marks);
    if (!w.changed) return hd_fail_memory(ctx);
    diff_planned(&w, diff);
    diff_unplanned(&w, diff);
    diff_count_blocks(&w, nblocks, diff);
    return HD_OK;
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* Whether the paths from v on differ between two rows. */
static uint8_t compare_paths(struct differ *w, const uint8_t *a, const uint8_t *b, uint8_t *state, uint32_t v)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    uint8_t end = SAME;
    while (v < net->nsw && state[v] == UNKNOWN) {
        state[v] = OPEN;
        w->stack[n++] = v;
        if (a[v] != b[v]) end = TOUCHED;
        if (a[v] != b[v] || a[v] >= hd_degree(net, v)) break;
        v = net->head[net->off[v] + a[v]];
    }
    if (v < net->nsw && state[v] == TOUCHED) end = TOUCHED; /* OPEN: a loop, the same in both */
    while (n > 0) state[w->stack[--n]] = end;
    return end;
}

static bool same_path(const struct differ *w, uint32_t s, uint32_t d, uint32_t xa, uint32_t xb)
{
    uint32_t pa[HD_MAX_HOPS], pb[HD_MAX_HOPS];
    uint32_t na = hd_routes_path(w->a, s, d, xa, pa), nb = hd_routes_path(w->b, s, d, xb, pb);
    return na == nb && memcmp(pa, pb, na * sizeof *pa) == 0;
}

static bool pair_changes(const struct differ *w, uint32_t s, uint32_t d)
{
    uint32_t v = hd_leaf(w->net, s), na = w->a->nvar, nb = w->b->nvar;
    if ((hd_routes_paths_per_pair(w->a) > 1) != (hd_routes_paths_per_pair(w->b) > 1)) return w->nvar > 1;
    if (hd_routes_paths_per_pair(w->a) > 1) {
        for (uint32_t x = 0; x < w->nvar; x++)
            if (w->state[(size_t)x * w->net->nsw + v] != SAME) return true;
        return false;
    }
    uint32_t xa = hd_routes_variant(w->a, s, d), xb = hd_routes_variant(w->b, s, d);
    if (xa == xb && xa < na && xb < nb) return w->state[(size_t)xa * w->net->nsw + v] != SAME;
    return !same_path(w, s, d, xa, xb);
}

/* VL on the i-th channel of a path, i > 0, of a packet with this service level, or in this VL. */
static uint32_t lane_on(const struct hd_routes *r, const uint32_t *path, uint32_t i, uint32_t level)
{
    return r->lane_rule == HD_LANE_HOP ? hd_sl2vl_lane(r->sl2vl, path[i - 1], path[i], level) : level;
}

/* Of a pair that uses these variants. A path that changes its length is compared as far as both go. */
static bool lane_changes(const struct differ *w, uint32_t s, uint32_t d, uint32_t xa, uint32_t xb)
{
    const uint32_t la = hd_routes_lane(w->a, s, d, xa), lb = hd_routes_lane(w->b, s, d, xb);
    uint32_t pa[HD_MAX_HOPS], pb[HD_MAX_HOPS];
    if (hd_level_differs(w->a, xa, w->b, xb, s, d)) return true;
    if (!w->hops) return la != lb;
    const uint32_t na = hd_routes_path(w->a, s, d, xa, pa), nb = hd_routes_path(w->b, s, d, xb, pb);
    for (uint32_t i = 1; i < na && i < nb; i++)
        if (lane_on(w->a, pa, i, la) != lane_on(w->b, pb, i, lb)) return true;
    return false;
}

static bool vl_changes(const struct differ *w, uint32_t s, uint32_t d)
{
    const uint32_t na = hd_routes_paths_per_pair(w->a), nb = hd_routes_paths_per_pair(w->b);
    if (!w->vls) return false;
    if (na == 1 || nb == 1) return lane_changes(w, s, d, hd_routes_variant(w->a, s, d), hd_routes_variant(w->b, s, d));
    for (uint32_t x = 0; x < w->nvar; x++)
        if (lane_changes(w, s, d, x % na, x % nb)) return true;
    return false;
}

/* Counts n pairs that change alike. */
static void count_pairs(struct hd_diff *diff, bool selected, uint64_t n, bool path, bool vl)
{
    *(selected ? &diff->pairs : &diff->other_pairs) += n;
    if (path) *(selected ? &diff->pairs_changed : &diff->other_pairs_changed) += n;
    if (vl) *(selected ? &diff->lanes_changed : &diff->other_lanes_changed) += n;
}

static void diff_destination(struct differ *w, uint32_t d, struct hd_diff *diff)
{
    const struct hd_net *net = w->net;
    for (uint32_t x = 0; x < w->nvar; x++) {
        const uint8_t *a = hd_routes_row(w->a, d, x % w->a->nvar, w->row[0]);
        const uint8_t *b = hd_routes_row(w->b, d, x % w->b->nvar, w->row[1]);
        bool same = memcmp(a, b, net->nsw) == 0;
        memset(w->state + (size_t)x * net->nsw, same ? SAME : UNKNOWN, net->nsw);
        for (uint32_t i = 0; !same && i < w->a->nleaf; i++)
            compare_paths(w, a, b, w->state + (size_t)x * net->nsw, w->a->leaf[i]);
    }
    const bool selected = w->selected[d];
    for (uint32_t i = 0; w->sources && i < w->a->nleaf; i++) {
        const uint32_t v = w->a->leaf[i], here = v == hd_leaf(net, d);
        const uint32_t n = w->sources[i] - (selected && here), rest = w->rest[i] - (!selected && here);
        const bool path = w->state[v] != SAME, vl = n + rest && w->vls && vl_changes(w, w->one[i], d);
        count_pairs(diff, selected, n, path, vl);
        count_pairs(diff, false, rest, path, vl);
    }
    for (uint32_t s = 0; !w->sources && s < net->nep; s++)
        if (s != d) count_pairs(diff, selected && w->selected[s], 1, pair_changes(w, s, d), vl_changes(w, s, d));
}

/* Whether all endpoints of a switch have the same path and VL, or service level, to a destination. */
static bool diff_by_leaf(const struct hd_routes *r)
{
    bool by_pair = r->lane_rule == HD_LANE_PAIR || (r->lane_rule == HD_LANE_HOP && !r->leaf_lane);
    return r->nvar == 1 && r->select == HD_SELECT_ONE && !by_pair && !r->pair_level;
}

static hd_status diff_sources(struct hd_ctx *ctx, struct hd_arena *scratch, struct differ *w)
{
    const struct hd_net *net = w->net;
    if (!(w->selected = HD_NEW(scratch, bool, net->nep))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < net->nsel; i++) w->selected[net->sel[i]] = true;
    if (w->hops || !diff_by_leaf(w->a) || !diff_by_leaf(w->b)) return HD_OK;
    if (!HD_NEW_U32(scratch, w->a->nleaf, &w->sources, &w->rest, &w->one)) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        const uint32_t leaf = w->a->leaf_of[hd_leaf(net, e)];
        (w->selected[e] ? w->sources : w->rest)[leaf]++;
        w->one[leaf] = e;
    }
    return HD_OK;
}

static hd_status diff_run(struct hd_ctx *ctx, struct hd_arena *scratch, struct differ *w, struct hd_diff *diff)
{
    const uint32_t nsw = w->net->nsw;
    HD_TRY(diff_entries(ctx, scratch, w, diff));
    HD_TRY(diff_sources(ctx, scratch, w));
    w->row[0] = HD_NEW(scratch, uint8_t, nsw);
    w->row[1] = HD_NEW(scratch, uint8_t, nsw);
    w->state = HD_NEW(scratch, uint8_t, (size_t)w->nvar * nsw);
    w->stack = HD_NEW(scratch, uint32_t, nsw);
    if (!w->row[0] || !w->row[1] || !w->state || !w->stack) return hd_fail_memory(ctx);
    for (uint32_t d = 0; d < w->net->nep; d++) diff_destination(w, d, diff);
    return HD_OK;
}

static void diff_vls(struct differ *w, struct hd_diff *diff)
{
    const struct hd_routes *a = w->a, *b = w->b;
    const bool same = hd_sl2vl_same(a->sl2vl, b->sl2vl);
    diff->sl2vl_changed = a->sl2vl && b->sl2vl && !same;
    diff->from_lanes_known = a->lane_rule != HD_LANE_UNKNOWN;
    diff->to_lanes_known = b->lane_rule != HD_LANE_UNKNOWN;
    const bool one = a->lane_rule == HD_LANE_ONE && b->lane_rule == HD_LANE_ONE && !a->sl2vl && !b->sl2vl;
    w->vls = diff->from_lanes_known && diff->to_lanes_known && !one;
    w->hops = w->vls && (a->lane_rule == HD_LANE_HOP || b->lane_rule == HD_LANE_HOP) && !same;
}

/* Only files have LIDs of their own; a node that one of them leaves out has none there. */
static uint32_t count_lids_changed(const struct hd_routes *a, const struct hd_routes *b)
{
    uint32_t n = 0;
    if (!a->lid || !b->lid) return 0;
    for (uint32_t v = 0; v < a->net->nsw + a->net->nep; v++) n += a->lid[v] && b->lid[v] && a->lid[v] != b->lid[v];
    return n;
}

hd_status hd_routes_diff_sized(struct hd_ctx *ctx, const struct hd_routes *a, const struct hd_routes *b,
                               struct hd_diff *out, size_t size)
{
    struct hd_arena scratch = {0};
    struct hd_diff diff = {0};
    struct differ w = {.a = a, .b = b, .net = a->net, .nvar = a->nvar > b->nvar ? a->nvar : b->nvar};
    if (a->net != b->net) return hd_fail(ctx, HD_USAGE, "the two tables are of different networks");
    diff.from_switch_lids = !a->no_switch_lids;
    diff.to_switch_lids = !b->no_switch_lids;
    diff.lids_changed = count_lids_changed(a, b);
    diff_vls(&w, &diff);
    hd_status s = diff_run(ctx, &scratch, &w, &diff);
    if (s == HD_OK) hd_sized_out(out, size, &diff, sizeof diff);
    hd_arena_release(&scratch);
    return s;
}
