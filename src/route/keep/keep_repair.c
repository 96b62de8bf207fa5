/* SPDX-License-Identifier: BSD-2-Clause */
/* The repair of an old table: entries that lead nowhere are taken out, what is left is put into the graph of turns
 * in the VLs that its pairs have, and then the rows with holes grow (keep_tree.c), one after the other. A row whose
 * old paths close a cycle of dependencies gives way: its paths change VLs, or the row is grown from nothing. If
 * there is no place for a row at all, everything is repeated with a spanning tree reserved, over which such a row
 * can go: beside the old rows if they admit one, else before them, and those that close a cycle with it give way. A
 * path that changes keeps the VL of its pairs if that admits it. With VLs by destination all paths of a row change
 * together. Entries towards a switch follow those towards an endpoint of it wherever they did; all others are
 * repaired without regard to turns, unless levels give an order.
 * Cost: O(table), in parallel unless turns are in a graph, plus a growth per row that is affected. Our own. */
#include "route/keep/keeper.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/lid_view.h"
#include "route/core/sl2vl.h"
#include "route/kernel/sssp_options.h"

#include <string.h>

/* When a spanning tree is reserved. */
enum repair_escape { ESCAPE_NEVER, ESCAPE_AFTER, ESCAPE_BEFORE, ESCAPES };

/* ---- threads ------------------------------------------------------------------------------------ */

struct repair_walker { /* of one thread: shares all of a tree but what a walk changes */
    struct hd_keep_tree tree;
    uint8_t *buf, *dist;
};

static hd_status repair_walkers(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_keep_tree *tree,
                                struct repair_walker **out)
{
    const struct hd_net *net = tree->turns->links->net;
    const int threads = hd_threads(ctx);
    struct repair_walker *w = HD_NEW(arena, struct repair_walker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    for (int i = 0; i < threads; i++) {
        w[i] = (struct repair_walker){*tree, HD_NEW(arena, uint8_t, net->nsw), HD_NEW(arena, uint8_t, net->nsw)};
        w[i].tree.queue = HD_NEW(arena, uint32_t, net->nsw);
        if (!w[i].buf || !w[i].dist || !w[i].tree.queue) return hd_fail_memory(ctx);
        HD_TRY(hd_reach_init(ctx, arena, net, &w[i].tree.reach));
    }
    *out = w;
    return HD_OK;
}

/* ---- what had to change ------------------------------------------------------------------------- */

/* Walks the row from all switches but t, towards t. */
static void repair_walk(struct hd_keep_tree *w, const uint8_t *row, uint32_t t)
{
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, row, t, w->all, t);
    hd_reach_follow(&w->reach, row, t, w->all + t + 1, w->turns->links->net->nsw - t - 1);
}

static uint8_t repair_exit(const struct hd_net *net, uint32_t d)
{
    uint32_t c = net->rev[net->off[net->nsw + d]];
    return (uint8_t)(c - net->off[net->tail[c]]);
}

/* Whether a switch has or should have an entry. */
static bool repair_lacks(const uint8_t *row, const uint8_t *fresh, uint32_t v)
{
    return row[v] != HD_SLOT_NONE || fresh[v] != HD_SLOT_NONE;
}

/* Switches of the part of t whose entries lead nowhere, or that are not of it and have one. */
static uint64_t forced_in(struct hd_keep_tree *w, const uint8_t *row, const uint8_t *fresh, uint32_t t)
{
    const uint32_t nsw = w->turns->links->net->nsw;
    uint64_t n = 0;
    repair_walk(w, row, t);
    for (uint32_t v = 0; v < nsw; v++) {
        if (v == t) continue;
        if (w->part_of[v] == w->part_of[t])
            n += w->reach.hops[v] >= HD_REACH_LOOP && repair_lacks(row, fresh, v);
        else
            n += row[v] != HD_SLOT_NONE;
    }
    return n;
}

/* The fresh entries towards endpoint d, into row; every switch with sources should have one if d counts. */
static const uint8_t *repair_fresh(const struct hd_routes *fresh, const struct hd_keep_tree *w, uint32_t d, uint32_t x,
                                   uint8_t *row)
{
    const uint8_t *from = hd_routes_row(fresh, d, x, row);
    if (from != row) memcpy(row, from, fresh->net->nsw);
    for (uint32_t i = 0; hd_sssp_counts(fresh->net, d) && i < fresh->nleaf; i++)
        if (w->load.sources[fresh->leaf[i]] && row[fresh->leaf[i]] == HD_SLOT_NONE) row[fresh->leaf[i]] = 0;
    return row;
}

/* The fresh entries towards switch t; every leaf switch should have one. dist and queue are scratch of nsw entries. */
static void repair_switch_fresh(const struct hd_routes *fresh, uint32_t t, uint8_t *row, uint8_t *dist, uint32_t *queue)
{
    hd_routes_switch_row_in(fresh, t, row, dist, queue);
    for (uint32_t i = 0; i < fresh->nleaf; i++)
        if (row[fresh->leaf[i]] == HD_SLOT_NONE) row[fresh->leaf[i]] = 0;
}

/* Of a row of endpoint d that is, or repeats, variant x. */
static uint64_t forced_of(struct repair_walker *w, const uint8_t *row, const struct hd_routes *fresh, uint32_t d,
                          uint32_t x)
{
    const struct hd_net *net = fresh->net;
    const uint32_t t = hd_leaf(net, d);
    const uint8_t *now = repair_fresh(fresh, &w->tree, d, x % fresh->nvar, w->buf);
    uint64_t n = 0;
    if (row[t] == repair_exit(net, d)) return forced_in(&w->tree, row, now, t);
    for (uint32_t v = 0; v < net->nsw; v++) n += repair_lacks(row, now, v); /* all that arrive at t are lost there */
    return n;
}

hd_status hd_keep_forced(struct hd_ctx *ctx, const struct hd_routes *was, const struct hd_routes *fresh,
                         uint64_t *forced)
{
    struct hd_arena scratch = {0};
    struct hd_keep_turns turns = {.lanes = 1};
    struct hd_keep_tree tree;
    struct repair_walker *w = NULL;
    const struct hd_net *net = was->net;
    const int threads = hd_threads(ctx);
    uint64_t n = 0;
    hd_status s = hd_keep_turns_init(ctx, &scratch, HD_KEEP_ANY, was, NULL, &turns);
    if (s == HD_OK) s = hd_keep_tree_init(ctx, &scratch, &turns, &tree);
    if (s == HD_OK) s = repair_walkers(ctx, &scratch, &tree, &w);
    if (s == HD_OK) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) reduction(+ : n)
        for (uint32_t d = 0; d < net->nep; d++)
            for (uint32_t x = 0; x < was->nvar; x++)
                n += forced_of(&w[hd_thread_id()], was->table + ((size_t)d * was->nvar + x) * net->nsw, fresh, d, x);
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) reduction(+ : n)
        for (uint32_t i = 0; i < was->nfurther; i++) {
            const uint32_t d = was->further_dest[i], x = was->further_lid[i] - was->lid[net->nsw + d];
            n += forced_of(&w[hd_thread_id()], was->further + (size_t)i * net->nsw, fresh, d, x % was->nvar);
        }
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) reduction(+ : n)
        for (uint32_t t = 0; t < net->nsw; t++) {
            struct repair_walker *own = &w[hd_thread_id()];
            repair_switch_fresh(fresh, t, own->buf, own->dist, own->tree.queue);
            n += forced_in(&own->tree, was->switch_table + (size_t)t * net->nsw, own->buf, t);
            n += hd_lft_own_port(was, t) != 0;
        }
    }
    *forced = n;
    hd_arena_release(&scratch);
    return s;
}

/* ---- rows in and out ---------------------------------------------------------------------------- */

static bool repair_counts(const struct hd_keeper *k, size_t q)
{
    return hd_sssp_counts(k->r->net, (uint32_t)(q / k->r->nvar));
}

static bool repair_needed(const struct hd_keeper *k, size_t q)
{
    return k->needed[q / k->r->nvar];
}

void hd_keeper_take(struct hd_keeper *k, size_t q)
{
    if (k->placed[q] && repair_needed(k, q))
        hd_keep_take(&k->turns, hd_keeper_row(k, q), k->lane ? k->lane + q : NULL, k->rows);
    k->placed[q] = false;
    if (repair_counts(k, q)) hd_keep_count(&k->tree, hd_keeper_target(k, q), hd_keeper_row(k, q), false);
}

void hd_keeper_put(struct hd_keeper *k, size_t q)
{
    k->placed[q] =
        !repair_needed(k, q) || hd_keep_put(&k->turns, hd_keeper_row(k, q), k->lane ? k->lane + q : NULL, k->rows);
    if (repair_counts(k, q)) hd_keep_count(&k->tree, hd_keeper_target(k, q), hd_keeper_row(k, q), true);
}

/* Entries that lead nowhere are taken out; whether any is missing that should be there. */
static bool repair_cut(struct hd_keep_tree *w, const uint32_t t, const uint8_t *fresh, uint8_t *row)
{
    const uint32_t nsw = w->turns->links->net->nsw;
    bool cut = false;
    repair_walk(w, row, t);
    for (uint32_t v = 0; v < nsw; v++) {
        if (v == t) continue;
        if (w->reach.hops[v] < HD_REACH_LOOP && w->part_of[v] == w->part_of[t]) continue;
        cut |= w->part_of[v] == w->part_of[t] && repair_lacks(row, fresh, v);
        row[v] = HD_SLOT_NONE;
    }
    return cut;
}

/* ---- one row ------------------------------------------------------------------------------------ */

/* Lanes of leaf switches whose entries are missing. */
static uint32_t repair_lanes_wanted(const struct hd_keeper *k, size_t q)
{
    const uint8_t *row = hd_keeper_row(k, q);
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < k->view.nleaf; i++)
        if (row[k->view.leaf[i]] == HD_SLOT_NONE) lanes |= 1u << k->lane[i * k->rows + q];
    return lanes;
}

/* Every path keeps its lane if that is open. */
static void repair_set_lanes(struct hd_keeper *k, size_t q)
{
    const struct hd_keep_tree *w = &k->tree;
    const uint32_t t = hd_keeper_target(k, q);
    for (uint32_t i = 0; k->lane && i < k->view.nleaf; i++) {
        uint32_t v = k->by_dest ? t : k->view.leaf[i];
        uint8_t *lane = &k->lane[i * k->rows + q];
        if (w->part_of[v] == w->part_of[t] && !(w->open[v] >> *lane & 1)) *lane = (uint8_t)__builtin_ctz(w->open[v]);
    }
}

/* Tries a growth in some lanes; the row is replaced if it succeeds. */
static bool repair_try(struct hd_keeper *k, size_t q, const struct hd_keep_job *job)
{
    uint8_t *row = hd_keeper_row(k, q);
    k->done += k->turns.links->n;
    if (hd_keep_grow(&k->tree, job, row)) {
        repair_set_lanes(k, q);
        hd_keeper_put(k, q);
        return true;
    }
    hd_keep_settle(&k->turns);
    return false;
}

bool hd_keeper_grow(struct hd_keeper *k, size_t q, bool from_kept, const uint64_t *stay)
{
    const uint32_t all = k->turns.lanes;
    struct hd_keep_job job = {.t = hd_keeper_target(k, q),
                              .kept = from_kept ? hd_keeper_row(k, q) : NULL,
                              .was = hd_keeper_was(k, q),
                              .fresh = hd_keeper_fresh(k, q),
                              .lanes = all,
                              .joining = all,
                              .stay = stay};
    if (!k->lane) return repair_try(k, q, &job);
    if (k->by_dest) {
        uint32_t own = k->lane[q];
        for (uint32_t i = 0; all >> i; i++) { /* its own lane first */
            job.lanes = job.joining = 1u << (i == 0 ? own : i <= own ? i - 1 : i);
            if (repair_try(k, q, &job)) return true;
        }
        return false;
    }
    uint32_t wanted = from_kept ? repair_lanes_wanted(k, q) : 0;
    if (wanted && wanted != all) {
        job.joining = wanted;
        if (repair_try(k, q, &job)) return true;
        job.joining = all;
    }
    return repair_try(k, q, &job);
}

/* The row along a spanning tree. */
static bool repair_escape(struct hd_keeper *k, size_t q)
{
    struct hd_keep_job job = {.t = hd_keeper_target(k, q), .was = hd_keeper_was(k, q), .fresh = hd_keeper_fresh(k, q)};
    for (uint32_t lane = 0; k->lane && lane < k->turns.graph.nlanes; lane++) {
        job.lanes = job.joining = 1u << lane;
        job.only = k->turns.graph.reserved[lane];
        if (job.only && repair_try(k, q, &job)) return true;
    }
    return false;
}

/* A row that no pair uses: over admitted turns if levels say which, else over any. */
static void repair_loosely(struct hd_keeper *k, struct hd_keep_job *job, uint8_t *row)
{
    const enum hd_keep_rule rule = k->turns.rule;
    job->lanes = job->joining = 1;
    if (rule == HD_KEEP_LEVELS && hd_keep_grow(&k->tree, job, row)) return;
    k->turns.rule = HD_KEEP_ANY;
    hd_keep_grow(&k->tree, job, row);
    k->turns.rule = rule;
}

static bool repair_row(struct hd_keeper *k, size_t q)
{
    if (!repair_needed(k, q)) {
        uint8_t *row = hd_keeper_row(k, q);
        struct hd_keep_job job = {
            .t = hd_keeper_target(k, q), .kept = row, .was = hd_keeper_was(k, q), .fresh = hd_keeper_fresh(k, q)};
        repair_loosely(k, &job, row);
        return true;
    }
    hd_keeper_take(k, q);
    return hd_keeper_grow(k, q, true, NULL) || hd_keeper_grow(k, q, false, NULL) || repair_escape(k, q);
}

/* ---- entries towards switches ------------------------------------------------------------------- */

/* Whether every leaf switch that is connected with t has an entry. */
static bool repair_complete(const struct hd_keeper *k, uint32_t t, const uint8_t *row)
{
    const struct hd_routes *r = k->r;
    for (uint32_t i = 0; i < r->nleaf; i++)
        if (row[r->leaf[i]] == HD_SLOT_NONE && k->tree.part_of[r->leaf[i]] == k->tree.part_of[t]) return false;
    return true;
}

/* The row of an endpoint at t whose old entries were those towards t; NULL: none. */
static const uint8_t *repair_leader(const struct hd_keeper *k, uint32_t t, const uint8_t *was)
{
    const struct hd_net *net = k->r->net;
    for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
        if (net->head[c] < net->nsw) continue;
        size_t q = (size_t)(net->head[c] - net->nsw) * k->r->nvar;
        const uint8_t *row = hd_keeper_was(k, q);
        if (memcmp(row, was, t) == 0 && memcmp(row + t + 1, was + t + 1, net->nsw - t - 1) == 0)
            return repair_complete(k, t, hd_keeper_row(k, q)) ? hd_keeper_row(k, q) : NULL;
    }
    return NULL;
}

/* Takes out what leads nowhere; whether any is missing that should be there. */
static bool repair_switch_cut(const struct hd_keeper *k, struct repair_walker *w, uint32_t t)
{
    uint8_t *row = k->r->switch_table + (size_t)t * k->r->net->nsw;
    row[t] = HD_SLOT_NONE;
    repair_switch_fresh(k->fresh, t, w->buf, w->dist, w->tree.queue);
    return repair_cut(&w->tree, t, w->buf, row);
}

static void repair_switch_row(struct hd_keeper *k, uint32_t t, uint8_t *dist)
{
    const uint32_t nsw = k->r->net->nsw;
    uint8_t *row = k->r->switch_table + (size_t)t * nsw;
    const uint8_t *was = k->was->switch_table + (size_t)t * nsw, *leader = repair_leader(k, t, was);
    struct hd_keep_job job = {.t = t, .kept = row, .was = was, .fresh = k->buf};
    if (leader) {
        memcpy(row, leader, nsw);
        row[t] = HD_SLOT_NONE;
        return;
    }
    repair_switch_fresh(k->fresh, t, k->buf, dist, k->tree.queue);
    repair_loosely(k, &job, row);
}

static hd_status repair_switch_rows(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_keeper *k)
{
    const uint32_t nsw = k->r->net->nsw;
    struct repair_walker *w;
    bool *cut = HD_NEW(arena, bool, nsw);
    if (!cut) return hd_fail_memory(ctx);
    HD_TRY(repair_walkers(ctx, arena, &k->tree, &w));
#pragma omp parallel for schedule(dynamic, 16) num_threads(hd_threads(ctx))
    for (uint32_t t = 0; t < nsw; t++) cut[t] = repair_switch_cut(k, &w[hd_thread_id()], t);
    for (uint32_t t = 0; t < nsw; t++)
        if (cut[t]) repair_switch_row(k, t, w->dist);
    return HD_OK;
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* Which sources and destinations count. */
static hd_status repair_view(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_keeper *k)
{
    const struct hd_net *net = k->r->net;
    bool *sends = HD_NEW(arena, bool, net->nsw);
    k->needed = HD_NEW(arena, bool, net->nep);
    k->view = *k->r;
    k->view.leaf = HD_NEW(arena, uint32_t, k->r->nleaf);
    k->view.nleaf = 0;
    if (!sends || !k->needed || !k->view.leaf) return hd_fail_memory(ctx);
    for (uint32_t d = 0; d < net->nep; d++) k->needed[d] = hd_sssp_counts(net, d);
    for (uint32_t i = 0; i < net->nsel; i++) k->needed[net->sel[i]] = true;
    for (uint32_t d = 0; d < net->nep; d++) sends[hd_leaf(net, d)] |= k->needed[d];
    for (uint32_t v = 0; v < net->nsw; v++)
        if (sends[v]) k->view.leaf[k->view.nleaf++] = v;
    return HD_OK;
}

static hd_status repair_expand_lanes(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_keeper *k)
{
    const struct hd_routes *was = k->was;
    if (!(k->lane = HD_NEW(arena, uint8_t, k->rows * (k->view.nleaf + 1u)))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < k->view.nleaf; i++) {
        uint8_t *to = k->lane + i * k->rows;
        if (was->lane_rule == HD_LANE_LEAF)
            memcpy(to, was->leaf_lane + was->leaf_of[k->view.leaf[i]] * k->rows, k->rows);
        if (was->lane_rule == HD_LANE_DEST) memcpy(to, was->dest_lane, k->rows);
    }
    return HD_OK;
}

/* Rows without what leads nowhere; affected[q]: some is missing. */
static hd_status repair_cut_all(struct hd_ctx *ctx, struct hd_keeper *k, bool *affected)
{
    struct hd_arena scratch = {0};
    struct hd_keep_turns plain = {.lanes = 1};
    struct repair_walker *w = NULL;
    const struct hd_net *net = k->r->net;
    hd_status s = hd_keep_turns_init(ctx, &scratch, HD_KEEP_ANY, &k->view, NULL, &plain);
    if (s == HD_OK) s = hd_keep_tree_init(ctx, &scratch, &plain, &k->tree);
    if (s == HD_OK) s = repair_walkers(ctx, &scratch, &k->tree, &w);
#pragma omp parallel for schedule(dynamic, 16) num_threads(hd_threads(ctx))
    for (size_t q = 0; q < (s == HD_OK ? k->rows : 0); q++) {
        struct repair_walker *own = &w[hd_thread_id()];
        uint32_t d = (uint32_t)(q / k->r->nvar), x = (uint32_t)(q % k->r->nvar), t = hd_leaf(net, d);
        uint8_t *row = hd_keeper_row(k, q);
        row[t] = repair_exit(net, d);
        affected[q] = repair_cut(&own->tree, t, repair_fresh(k->fresh, &own->tree, d, x, own->buf), row);
    }
    hd_arena_release(&scratch);
    return s;
}

/* Where turns are in no graph, each thread has what putting a row in changes, and loads are added up afterwards. */
static hd_status repair_put_parallel(struct hd_ctx *ctx, struct hd_keeper *k)
{
    struct hd_arena scratch = {0};
    const int threads = hd_threads(ctx);
    const struct hd_links *l = k->turns.links;
    struct hd_keeper *own = HD_NEW(&scratch, struct hd_keeper, (size_t)threads);
    hd_status s = own ? HD_OK : hd_fail_memory(ctx);
    for (int i = 0; s == HD_OK && i < threads; i++) {
        struct hd_keep_load *load = &own[i].tree.load;
        own[i] = *k;
        if (i == 0) continue;
        load->pairs = HD_NEW(&scratch, uint32_t, l->n);
        load->turn_pairs = HD_NEW(&scratch, uint32_t, l->turn[l->n]);
        s = load->pairs && load->turn_pairs && HD_NEW_U32(&scratch, l->net->nsw, &load->flow, &own[i].turns.stamp)
                ? hd_reach_init(ctx, &scratch, l->net, &own[i].tree.reach)
                : hd_fail_memory(ctx);
        own[i].turns.pass = 0;
    }
    if (s == HD_OK) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
        for (size_t q = 0; q < k->rows; q++) hd_keeper_put(&own[hd_thread_id()], q);
    }
    for (int i = 1; s == HD_OK && i < threads; i++) {
        for (uint32_t a = 0; a < l->n; a++) k->tree.load.pairs[a] += own[i].tree.load.pairs[a];
        for (uint32_t a = 0; a < l->turn[l->n]; a++) k->tree.load.turn_pairs[a] += own[i].tree.load.turn_pairs[a];
    }
    if (s == HD_OK) k->turns.pass = own[0].turns.pass;
    hd_arena_release(&scratch);
    return s;
}

static bool repair_is_long(const struct hd_keeper *k)
{
    return k->most && k->done + k->turns.graph.lanes.looks > k->most;
}

/* Puts all rows in; with levels all of them have to fit. */
static hd_status repair_put_all(struct hd_ctx *ctx, struct hd_keeper *k, bool *fit)
{
    *fit = true;
    if (k->turns.rule != HD_KEEP_GRAPH) HD_TRY(repair_put_parallel(ctx, k));
    for (size_t q = 0; q < k->rows && *fit; q++) {
        if (k->turns.rule == HD_KEEP_GRAPH) hd_keeper_put(k, q);
        *fit = !repair_is_long(k);
        *fit &= k->turns.rule != HD_KEEP_LEVELS || k->placed[q];
    }
    return HD_OK;
}

/* Puts all rows in and repairs those that need it. Not done if one has no admitted tree. */
static hd_status repair_all(struct hd_ctx *ctx, struct hd_keeper *k, const bool *affected, enum repair_escape escape,
                            bool *done)
{
    bool fit;
    *done = false;
    if (escape == ESCAPE_BEFORE) HD_TRY(hd_keep_escapes(ctx, &k->turns, k->lane));
    HD_TRY(repair_put_all(ctx, k, &fit));
    if (!fit) return HD_OK;
    if (escape == ESCAPE_AFTER) HD_TRY(hd_keep_escapes(ctx, &k->turns, k->lane));
    for (size_t q = 0; q < k->rows; q++) {
        if (q % 256 == 0) hd_progress(ctx, "keeping", q, k->rows);
        if (repair_is_long(k) || ((affected[q] || !k->placed[q]) && !repair_row(k, q))) return HD_OK;
    }
    *done = true;
    return HD_OK;
}

static hd_status repair_start(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_keep_rule rule, struct hd_keeper *k)
{
    k->placed = HD_NEW(arena, bool, k->rows);
    if (!k->placed) return hd_fail_memory(ctx);
    if (rule == HD_KEEP_GRAPH) HD_TRY(repair_expand_lanes(ctx, arena, k));
    HD_TRY(hd_keep_turns_init(ctx, arena, rule, &k->view, k->lane, &k->turns));
    return hd_keep_tree_init(ctx, arena, &k->turns, &k->tree);
}

hd_status hd_keep_repair(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_keep_rule rule, const bool *up,
                         uint32_t nlanes, struct hd_keeper *k, bool *done)
{
    const size_t bytes = (k->rows = (size_t)k->r->net->nep * k->r->nvar) * k->r->net->nsw;
    bool *affected = HD_NEW(arena, bool, k->rows);
    uint8_t *cut = HD_NEW(arena, uint8_t, bytes);
    *done = false;
    k->buf = HD_NEW(arena, uint8_t, k->r->net->nsw);
    if (!affected || !cut || !k->buf) return hd_fail_memory(ctx);
    HD_TRY(repair_view(ctx, arena, k));
    HD_TRY(repair_cut_all(ctx, k, affected));
    memcpy(cut, k->r->table, bytes);
    for (int escape = ESCAPE_NEVER; !*done && escape < (rule == HD_KEEP_GRAPH ? ESCAPES : 1); escape++) {
        struct hd_mark mark = hd_arena_mark(arena);
        struct hd_keep_turns turns = {.lanes = (1u << nlanes) - 1, .up = up};
        memcpy(turns.root, k->turns.root, sizeof turns.root);
        k->turns = turns;
        HD_TRY(repair_start(ctx, arena, rule, k));
        HD_TRY(repair_all(ctx, k, affected, (enum repair_escape)escape, done));
        if (*done || repair_is_long(k)) break;
        k->done += k->turns.graph.lanes.looks;
        memcpy(k->r->table, cut, bytes);
        hd_arena_rewind(arena, mark);
    }
    return *done ? repair_switch_rows(ctx, arena, k) : HD_OK;
}

/* ---- lanes -------------------------------------------------------------------------------------- */

/* Leaf switches without a source that counts have their old lanes, or that of the destination. */
static void repair_fill_lanes(const struct hd_keeper *k, uint8_t *lane)
{
    const struct hd_routes *was = k->was;
    for (uint32_t i = 0; was->lane_rule == HD_LANE_LEAF && i < was->nleaf; i++)
        memcpy(lane + i * k->rows, was->leaf_lane + i * k->rows, k->rows);
    for (uint32_t i = 0; i < k->view.nleaf; i++)
        memcpy(lane + was->leaf_of[k->view.leaf[i]] * k->rows, k->lane + i * k->rows, k->rows);
}

/* Service levels where they are not the VLs: those that paths had, where the VL is the same, and the lowest level with
 * the VL elsewhere. NULL: the table of all ports gives some VL to none. */
static hd_status repair_levels(struct hd_ctx *ctx, struct hd_keeper *k, const uint8_t *lane, uint8_t **level)
{
    const struct hd_routes *was = k->was;
    const uint8_t *map = k->r->sl2vl ? k->r->sl2vl->map[0] : NULL;
    *level = NULL;
    if (!was->leaf_level || was->lane_rule != HD_LANE_LEAF || !map) return HD_OK;
    uint8_t *list = HD_NEW(&k->r->arena, uint8_t, k->rows * (was->nleaf + 1u));
    if (!list) return hd_fail_memory(ctx);
    for (size_t i = 0; i < k->rows * was->nleaf; i++) {
        if (lane[i] != was->leaf_lane[i])
            while (list[i] < 16 && map[list[i]] != lane[i]) list[i]++;
        else
            list[i] = was->leaf_level[i];
        if (list[i] == 16) return HD_OK;
    }
    *level = list;
    return HD_OK;
}

hd_status hd_keeper_lanes(struct hd_ctx *ctx, struct hd_keeper *k)
{
    struct hd_routes *r = k->r;
    uint32_t most = 0;
    if (k->turns.rule != HD_KEEP_GRAPH) return HD_OK;
    uint8_t *lane = HD_NEW(&r->arena, uint8_t, k->rows * (r->nleaf + 1u)), *level;
    if (!lane) return hd_fail_memory(ctx);
    repair_fill_lanes(k, lane);
    HD_TRY(repair_levels(ctx, k, lane, &level));
    for (size_t i = 0; i < k->rows * r->nleaf; i++)
        if (lane[i] > most) most = lane[i];
    r->dest_lane = NULL;
    r->leaf_lane = most && !k->by_dest ? lane : NULL;
    r->pair_lane = NULL;
    r->leaf_level = r->leaf_lane ? level : NULL;
    r->pair_level = NULL;
    if (!r->leaf_level) r->sl2vl = NULL;
    r->nlanes = most + 1;
    r->lane_rule = !most ? HD_LANE_ONE : k->by_dest ? HD_LANE_DEST : HD_LANE_LEAF;
    if (r->lane_rule != HD_LANE_DEST) return HD_OK;
    memcpy(lane, k->lane, k->rows); /* the same from all leaf switches */
    r->dest_lane = lane;
    return HD_OK;
}
