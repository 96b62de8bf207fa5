/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches send and receive themselves: traps, and requests and replies of management by LID. Where a tree has
 * lost cables, paths that go up and then down lead from some switches nowhere near an endpoint, and to some switches
 * only the wrong way round. No pair needs these entries, so engines for trees leave the former out; but a switch
 * without them cannot report the next loss to the subnet manager on that endpoint. Entries for either direction may
 * close a credit loop with the other one, and with the paths of pairs, which no proof of pairs sees: both are made
 * together here.
 *
 * Turns are admitted in this order, none that closes a loop with those before: those of the pairs and of further
 * LIDs, which all have to fit; those of the entries that switches have; of paths from switches to the endpoint that
 * comes first, of paths from endpoints to switches, and of those from switches to all other endpoints (safe_rows.c).
 * Entries that do not fit are made again. Towards a switch there must be an entry wherever endpoints need one, so if
 * some row cannot be made to fit, all of this begins again with that row before the others, and without the entries
 * that switches have; if that does not help, it stays as it was, in the best of these tries. So do entries that an
 * engine made for switches and that have no safe place, or not yet. VLs of such packets are not known, so all are taken
 * as one.
 *
 * Packets between endpoints pass none of the switches that get entries, so their paths and what is proved of them
 * stay; while tables are being written, entries that switches still hold may lead them there, and then the entry has to
 * wait.
 *
 * Cost: one walk of every row for the dependencies, in parallel; then what safe_rows.c takes. Our own. */
#include "route/keep/keep_answers.h"
#include "base/status.h"
#include "base/threads.h"
#include "net/core/subtrees.h"
#include "route/check/check_credit.h"
#include "route/core/switch_rows.h"
#include "route/keep/safe_rows.h"

#include <string.h>

enum { MOST_TRIES = 4 };

/* Channels that a try may look at for turns that are new, and all rows after it: some seconds at worst, on fabrics with
 * thousands of endpoints that have lost hundreds of cables. What it takes to admit turns that are there is not counted:
 * without them no try is worth anything. */
static const uint64_t most_looks = 600000000, most_looks_after = 400000000;

/* Copies of the rows that a try changes, and what else comes of it. */
struct answer_rows {
    uint8_t *first, *to_switch; /* of the endpoint that comes first, and of switches */
    uint32_t failed;            /* rows towards switches that do not fit */
    bool misfits;
    struct hd_answers out;
};

struct answerer {
    struct hd_routes *r;
    const struct hd_answer_job *job;
    uint8_t *last;                     /* [nsw] last slot of switches without endpoints; UINT8_MAX: others */
    uint32_t *part;                    /* [nsw] connected part */
    struct hd_deps pairs, every, most; /* what depends on what; each has the one before in it */
    struct hd_safe_rows safe;
    uint32_t *all, *stack;      /* [nsw] */
    uint32_t *queue;            /* [nsw] switches in the order of their rows */
    uint8_t *held, *was, *made; /* [nsw] held: by the first LID of a row */
    bool *mixed;                /* [nsw] other LIDs of the row have another entry */
    bool *seen;                 /* [nsw] by one of them */
    bool *lack;                 /* [d * nvar + x] some switch does not arrive by the row; or the row has changed */
    bool *came;                 /* [nsw] arrives by the row as it was, which has a claim to stay */
    struct answer_rows were;    /* before any try */
    struct answer_rows best;    /* of the try that failed least so far */
    bool *met;                  /* [nsw] by packets between endpoints, whichever entries are written */
    bool misfits;               /* some entries that switches have may not fit */
    struct hd_reach reach;
    struct hd_answers *out;
};

static uint64_t answers_limit(const struct answerer *w, uint64_t most)
{
    return w->job->effort < 1 ? (uint64_t)(w->job->effort * (double)most) : most;
}

/* As how many entries of its table a switch holds that of a row: one for each LID of this variant, which repeat. */
static uint32_t answers_entries(const struct answerer *w, uint32_t d, uint32_t x)
{
    const struct hd_net *net = w->r->net;
    const uint32_t lids = net->lid[net->nsw + d] ? 1u << net->lmc_of[d] : 0;
    return (lids + w->r->nvar - 1 - x) / w->r->nvar;
}

static size_t answers_number(const struct answerer *w, uint32_t d, uint32_t x)
{
    return (size_t)d * w->r->nvar + x;
}

/* Switches without endpoints that do not arrive by a row that was followed from all, and should: a hole may be in their
 * way, or a cycle without any. */
static uint32_t answers_lost(const struct answerer *w, const struct hd_reach *reach, uint32_t d)
{
    const struct hd_net *net = w->r->net;
    const uint32_t home = w->part[hd_leaf(net, d)];
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++)
        n += reach->hops[v] >= HD_REACH_LOOP && w->last[v] != UINT8_MAX && w->part[v] == home;
    return n;
}

/* Entries that tables of these routes lack, or that lead to such a switch. */
static uint64_t answers_missing(struct answerer *w)
{
    const struct hd_net *net = w->r->net;
    uint64_t n = 0;
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < w->r->nvar; x++) {
            if (!w->lack[answers_number(w, d, x)]) continue;
            hd_reach_begin(&w->reach);
            hd_reach_follow(&w->reach, hd_row(w->r, d, x), net->nsw + d, w->all, net->nsw);
            n += (uint64_t)answers_lost(w, &w->reach, d) * answers_entries(w, d, x);
        }
    return n;
}

/* ---- turns -------------------------------------------------------------------------------------- */

static void deps_of(struct hd_credit *credit, struct hd_reach *reach, const uint8_t *row, uint32_t target,
                    const struct hd_routes *r)
{
    hd_reach_begin(reach);
    for (uint32_t i = 0; i < r->nleaf; i++)
        if (r->leaf[i] != target) hd_reach_follow(reach, row, target, &r->leaf[i], 1);
    hd_credit_row(credit, reach, row, 0);
}

/* What depends on what along paths that begin at endpoints and, in *every, at switches too, all VLs as one; in *most
 * those to switches come to them. And by which rows some switch does not arrive. */
static hd_status answers_deps(struct hd_ctx *ctx, struct hd_arena *a, struct answerer *w)
{
    const struct hd_routes *r = w->r;
    const uint32_t nsw = r->net->nsw;
    const int threads = hd_threads(ctx);
    struct hd_credit *pairs = HD_NEW(a, struct hd_credit, 2 * (size_t)threads + 1);
    struct hd_reach *reach = HD_NEW(a, struct hd_reach, (size_t)threads);
    if (!pairs || !reach) return hd_fail_memory(ctx);
    struct hd_credit *every = pairs + threads;
    for (int t = 0; t <= 2 * threads; t++) HD_TRY(hd_credit_init(ctx, a, r->net, 1, NULL, &pairs[t]));
    for (int t = 0; t < threads; t++) HD_TRY(hd_reach_init(ctx, a, r->net, &reach[t]));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            const uint8_t *row = hd_row(w->r, d, x);
            const int t = hd_thread_id();
            hd_reach_begin(&reach[t]);
            hd_reach_follow(&reach[t], row, nsw + d, r->leaf, r->nleaf);
            hd_credit_row(&pairs[t], &reach[t], row, 0);
            const uint32_t done = reach[t].nmet;
            hd_reach_follow(&reach[t], row, nsw + d, w->all, nsw);
            w->lack[answers_number(w, d, x)] = answers_lost(w, &reach[t], d) > 0;
            for (uint32_t i = done; i < reach[t].nmet; i++)
                if (reach[t].out[i] != UINT32_MAX) hd_credit_add(&every[t], row, reach[t].out[i], 0);
        }
    for (uint32_t i = 0; i < r->nfurther; i++)
        deps_of(&pairs[0], &reach[0], r->further + (size_t)i * nsw, nsw + r->further_dest[i], r);
    for (uint32_t t = 0; r->switch_table && t < nsw; t++)
        deps_of(&every[threads], &reach[0], r->switch_table + (size_t)t * nsw, t, r);
    for (int t = 1; t < threads; t++) {
        hd_credit_merge(&pairs[0], &pairs[t]);
        hd_credit_merge(&every[0], &every[t]);
    }
    hd_credit_merge(&every[0], &pairs[0]);
    hd_credit_merge(&every[threads], &every[0]);
    w->pairs = pairs[0].deps;
    w->every = every[0].deps;
    w->most = every[threads].deps;
    return HD_OK;
}

/* An order in which as much as possible goes forwards; *free: everything does, *some: at least the pairs do. */
static hd_status answers_order(struct hd_ctx *ctx, struct hd_arena *a, struct answerer *w, bool *free, bool *some)
{
    const struct hd_net *net = w->r->net;
    uint32_t *order, n;
    HD_TRY(hd_deps_order(ctx, a, &w->most, &order, &n));
    *free = n == net->nchan;
    if (n < net->nchan) HD_TRY(hd_deps_order(ctx, a, &w->every, &order, &n));
    if (n < net->nchan) HD_TRY(hd_deps_order(ctx, a, &w->pairs, &order, &n));
    *some = n == net->nchan;
    return *some ? hd_safe_init(ctx, a, net, order, n, &w->safe) : HD_OK;
}

/* ---- rows towards switches ----------------------------------------------------------------------- */

/* Switches that do not arrive: those with endpoints first, which need to. */
static void lid_row_holes(struct answerer *w, uint32_t t)
{
    struct hd_safe_rows *s = &w->safe;
    for (int leaves = 1; leaves >= 0; leaves--) {
        for (uint32_t v = 0; v < w->r->net->nsw; v++)
            if ((w->r->leaf_of[v] != UINT32_MAX) == leaves && v != t && w->part[v] == w->part[t] &&
                s->reach.hops[v] >= HD_REACH_LOOP)
                s->hole[s->nhole++] = v;
        if (leaves) s->needs = s->nhole;
    }
}

/* Makes the row towards switch t safe from all switches with endpoints; false: it cannot be, and stays as it is. */
static bool lid_row_fit(struct answerer *w, uint32_t t)
{
    const struct hd_routes *r = w->r;
    const uint32_t nsw = r->net->nsw;
    struct hd_safe_rows *s = &w->safe;
    uint8_t *row = r->switch_table + (size_t)t * nsw;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nleaf; i++)
        if (r->leaf[i] != t && w->part[r->leaf[i]] == w->part[t]) w->stack[n++] = r->leaf[i];
    memcpy(w->was, row, nsw);
    hd_safe_begin(s, t);
    if (!hd_safe_follow(s, row, t, w->stack, n)) return true;
    hd_safe_follow(s, row, t, w->all, nsw);
    lid_row_holes(w, t);
    hd_safe_join(s, row, w->was);
    if (s->needs)
        memcpy(row, w->was, nsw);
    else
        hd_switch_row_close(r->net, t, row, w->held); /* what is left are switches without endpoints */
    w->out->again += memcmp(row, w->was, nsw) != 0;
    w->out->unsafe += s->needs > 0;
    return !s->needs;
}

/* All rows towards switches; those that do not fit are the first of the queue from now on. Returns how many. */
static uint32_t lid_rows_fit(struct answerer *w)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; w->r->switch_table && i < w->r->net->nsw; i++) {
        const uint32_t t = w->queue[i];
        if (lid_row_fit(w, t)) continue;
        memmove(w->queue + failed + 1, w->queue + failed, (i - failed) * sizeof *w->queue);
        w->queue[failed++] = t;
    }
    return failed;
}

/* ---- rows towards endpoints ---------------------------------------------------------------------- */

/* Where packets between endpoints may come by one LID while any switch has the entry that it holds or the new one. */
static void answers_meet_by(struct answerer *w, const uint8_t *row, const uint8_t *held)
{
    const struct hd_net *net = w->r->net;
    const uint8_t *entry[2] = {row, held};
    uint32_t n = 0;
    memset(w->seen, 0, net->nsw * sizeof *w->seen);
    for (uint32_t i = 0; i < w->r->nleaf; i++) w->seen[w->stack[n++] = w->r->leaf[i]] = true;
    while (n > 0) {
        const uint32_t v = w->stack[--n];
        w->met[v] = true;
        for (int i = 0; i < 2; i++) {
            const uint32_t c = net->off[v] + entry[i][v];
            if (c >= net->off[v + 1] || net->head[c] >= net->nsw || w->seen[net->head[c]]) continue;
            w->seen[w->stack[n++] = net->head[c]] = true;
        }
    }
}

/* The same by any LID that has this row. */
static void answers_meet(struct answerer *w, const uint8_t *row, uint32_t d, uint32_t x)
{
    const uint32_t nsw = w->r->net->nsw, lids = answers_entries(w, d, x);
    memset(w->met, 0, nsw * sizeof *w->met);
    memset(w->mixed, 0, nsw * sizeof *w->mixed);
    memset(w->held, HD_SLOT_NONE, nsw);
    if (w->job->held) w->job->held(w->job->user, d, x, w->held);
    answers_meet_by(w, row, w->held);
    for (uint32_t i = 1; w->job->held && i < lids; i++) {
        w->job->held(w->job->user, d, x + i * w->r->nvar, w->made);
        if (memcmp(w->made, w->held, nsw) == 0) continue;
        answers_meet_by(w, row, w->made);
        for (uint32_t v = 0; v < nsw; v++) w->mixed[v] |= w->made[v] != w->held[v];
    }
}

/* Whether the new entry of switch v has to wait until others are written. */
static bool answer_waits(const struct answerer *w, const uint8_t *row, uint32_t v)
{
    return w->met[v] || (w->job->held && !w->job->settled && (w->mixed[v] || w->held[v] != row[v]));
}

static void answers_walk(struct answerer *w, const uint8_t *row, uint32_t d)
{
    hd_reach_begin(&w->safe.reach);
    hd_reach_follow(&w->safe.reach, row, w->r->net->nsw + d, w->all, w->r->net->nsw);
}

/* Which switches arrive by the row as it was, if that has a claim to stay. */
static void answers_came(struct answerer *w, uint32_t d)
{
    answers_walk(w, w->was, d);
    for (uint32_t v = 0; v < w->r->net->nsw; v++) w->came[v] = !w->job->anew && w->safe.reach.hops[v] < HD_REACH_LOOP;
}

/* Switches that had an entry that arrives and got none that is safe keep it: nothing is taken away that works. */
static void answers_restore(struct answerer *w, uint8_t *row)
{
    const struct hd_safe_rows *s = &w->safe;
    for (uint32_t i = 0; i < s->nhole; i++) {
        const uint32_t v = s->hole[i];
        if (w->came[v]) row[v] = w->was[v];
        w->out->unsafe += w->came[v];
    }
}

/* Puts back what switches had in the place of entries that have to wait; whether there were any. All together: if old
 * entries and new ones lead to each other, the old ones alone arrive. */
static bool answers_put_back(struct answerer *w, uint8_t *row, uint32_t d)
{
    const struct hd_safe_rows *s = &w->safe;
    bool any = false, all = false;
    for (uint32_t i = 0; i < s->njoined; i++) {
        const uint32_t v = s->joined[i];
        if (!answer_waits(w, row, v)) continue;
        row[v] = w->came[v] ? w->was[v] : HD_SLOT_NONE;
        any |= w->came[v];
    }
    if (!any) return false;
    answers_walk(w, row, d);
    for (uint32_t v = 0; v < w->r->net->nsw; v++) all |= w->came[v] && s->reach.hops[v] >= HD_REACH_LOOP;
    for (uint32_t i = 0; all && i < s->njoined; i++)
        if (w->came[s->joined[i]]) row[s->joined[i]] = w->was[s->joined[i]];
    return true;
}

/* Entries that have to wait are those of before for now, if there were any that arrive, else there are none, nor such
 * as lead there. Their turns stay admitted, so that all other entries are those of the request after it. */
static void answers_wait(struct answerer *w, uint8_t *row, uint32_t d, uint32_t x)
{
    const struct hd_safe_rows *s = &w->safe;
    const uint32_t n = s->njoined, entries = answers_entries(w, d, x);
    uint32_t later = 0, stay = 0;
    memcpy(w->made, row, w->r->net->nsw);
    const bool back = answers_put_back(w, row, d);
    answers_walk(w, row, d);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = s->joined[i];
        if (s->reach.hops[v] >= HD_REACH_LOOP) row[v] = HD_SLOT_NONE;
        later += row[v] == HD_SLOT_NONE;
        stay += back && row[v] != HD_SLOT_NONE && row[v] != w->made[v];
    }
    w->out->later += (uint64_t)later * entries;
    w->out->stay += (uint64_t)stay * entries;
    w->out->unsafe += stay;
    w->out->closed += n - later - stay;
}

static bool answers_any_wait(const struct answerer *w, const uint8_t *row)
{
    for (uint32_t i = 0; i < w->safe.njoined; i++)
        if (answer_waits(w, row, w->safe.joined[i])) return true;
    return false;
}

/* What a row has in the end; what packets between endpoints may meet is known. */
static void answers_end(struct answerer *w, uint8_t *row, uint32_t d, uint32_t x)
{
    const bool wait = answers_any_wait(w, row);
    if (wait || w->safe.nhole) answers_came(w, d);
    answers_restore(w, row);
    if (wait)
        answers_wait(w, row, d, x);
    else
        w->out->closed += w->safe.njoined;
    w->out->again += memcmp(row, w->was, w->r->net->nsw) != 0;
}

static void answers_row(struct answerer *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->r;
    const uint32_t nsw = r->net->nsw, home = w->part[hd_leaf(r->net, d)];
    struct hd_safe_rows *s = &w->safe;
    uint8_t *row = hd_row(w->r, d, x);
    memcpy(w->was, row, nsw);
    answers_meet(w, row, d, x);
    hd_safe_begin(s, nsw + d);
    hd_safe_follow(s, row, nsw + d, w->all, nsw);
    for (uint32_t v = 0; v < nsw; v++)
        if (w->last[v] != UINT8_MAX && w->part[v] == home && s->reach.hops[v] >= HD_REACH_LOOP) s->hole[s->nhole++] = v;
    s->needs = s->nhole;
    hd_safe_join(s, row, w->held);
    answers_end(w, row, d, x);
}

/* ---- all of them -------------------------------------------------------------------------------- */

static hd_status answer_rows_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r,
                                  struct answer_rows *rows)
{
    const size_t nsw = r->net->nsw;
    rows->first = HD_NEW(a, uint8_t, nsw * r->nvar);
    rows->to_switch = HD_NEW(a, uint8_t, nsw * nsw);
    return rows->first && rows->to_switch ? HD_OK : hd_fail_memory(ctx);
}

static hd_status answers_init(struct hd_ctx *ctx, struct hd_arena *a, struct answerer *w)
{
    const struct hd_net *net = w->r->net;
    const size_t nsw = net->nsw;
    w->last = HD_NEW(a, uint8_t, nsw);
    w->held = HD_NEW(a, uint8_t, nsw);
    w->was = HD_NEW(a, uint8_t, nsw);
    HD_TRY(answer_rows_init(ctx, a, w->r, &w->were));
    HD_TRY(answer_rows_init(ctx, a, w->r, &w->best));
    w->made = HD_NEW(a, uint8_t, nsw);
    w->met = HD_NEW(a, bool, nsw);
    w->came = HD_NEW(a, bool, nsw);
    w->mixed = HD_NEW(a, bool, nsw);
    w->seen = HD_NEW(a, bool, nsw);
    w->lack = HD_NEW(a, bool, (size_t)net->nep * w->r->nvar);
    const bool room = w->last && w->held && w->was && w->made && w->met && w->came && w->mixed && w->seen && w->lack;
    if (!room || !HD_NEW_U32(a, nsw, &w->part, &w->all, &w->stack, &w->queue)) return hd_fail_memory(ctx);
    HD_TRY(hd_reach_init(ctx, a, net, &w->reach));
    hd_components(net, HD_NO_LEVEL, w->part);
    for (uint32_t v = 0; v < nsw; v++) {
        const uint32_t degree = hd_degree(net, v);
        w->last[v] = w->r->leaf_of[v] == UINT32_MAX && degree ? (uint8_t)(degree - 1) : UINT8_MAX;
        w->all[v] = w->queue[v] = v;
    }
    return HD_OK;
}

/* The rows that a try changes, into copies or out of them. */
static void answers_copy(struct answerer *w, struct answer_rows *copies, bool back)
{
    const size_t nsw = w->r->net->nsw;
    uint8_t *row[2] = {w->r->switch_table, w->job->first < w->r->net->nep ? hd_row(w->r, w->job->first, 0) : NULL};
    uint8_t *copy[2] = {copies->to_switch, copies->first};
    const size_t n[2] = {nsw * nsw, nsw * w->r->nvar};
    for (int i = 0; i < 2; i++)
        if (row[i]) memcpy(back ? row[i] : copy[i], back ? copy[i] : row[i], n[i]);
}

static void answers_rows(struct answerer *w, uint32_t d)
{
    for (uint32_t x = 0; x < w->r->nvar; x++) {
        bool *lack = &w->lack[answers_number(w, d, x)];
        if (!w->misfits && !*lack) continue;
        answers_row(w, d, x);
        *lack = true;
    }
}

/* What comes before most endpoints. keep: entries that switches have come before it. *failed: rows towards switches
 * that do not fit. */
static hd_status answers_try(struct hd_ctx *ctx, struct answerer *w, bool keep, uint32_t *failed)
{
    *w->out = (struct hd_answers){0};
    HD_TRY(hd_safe_clear(ctx, &w->safe));
    hd_safe_admit(&w->safe, &w->pairs);
    w->misfits = !keep || hd_safe_admit(&w->safe, &w->every) > 0;
    hd_safe_limit(&w->safe, answers_limit(w, most_looks));
    if (w->job->first < w->r->net->nep) answers_rows(w, w->job->first);
    *failed = lid_rows_fit(w);
    w->out->cut = w->safe.cut;
    return HD_OK;
}

static hd_status answers_note(struct hd_ctx *ctx, struct answerer *w, uint32_t failed)
{
    answers_copy(w, &w->best, false);
    w->best.failed = failed;
    w->best.misfits = w->misfits;
    w->best.out = *w->out;
    return hd_safe_save(ctx, &w->safe);
}

static hd_status answers_take_best(struct hd_ctx *ctx, struct answerer *w)
{
    answers_copy(w, &w->best, true);
    w->misfits = w->best.misfits;
    *w->out = w->best.out;
    return hd_safe_back(ctx, &w->safe);
}

/* The best of some tries; none follows one that was cut short, which would be as well. */
static hd_status answers_tries(struct hd_ctx *ctx, struct answerer *w)
{
    uint32_t failed;
    answers_copy(w, &w->were, false);
    w->best.failed = UINT32_MAX;
    for (uint32_t i = 0; i < MOST_TRIES; i++) {
        if (i) answers_copy(w, &w->were, true);
        HD_TRY(answers_try(ctx, w, i == 0 && !w->job->anew, &failed));
        if (!failed) return HD_OK;
        if (failed < w->best.failed) HD_TRY(answers_note(ctx, w, failed));
        if (w->out->cut) break;
    }
    return failed > w->best.failed ? answers_take_best(ctx, w) : HD_OK;
}

static hd_status answers_close(struct hd_ctx *ctx, struct hd_arena *a, struct answerer *w)
{
    const uint32_t nep = w->r->net->nep;
    bool free, some, lack = false;
    HD_TRY(answers_init(ctx, a, w));
    HD_TRY(answers_deps(ctx, a, w));
    HD_TRY(answers_order(ctx, a, w, &free, &some));
    for (size_t i = 0; i < (size_t)nep * w->r->nvar; i++) lack |= w->lack[i];
    if (!some || (free && !lack)) return HD_OK;
    HD_TRY(answers_tries(ctx, w));
    hd_safe_limit(&w->safe, answers_limit(w, most_looks_after));
    for (uint32_t d = 0; d < nep; d++)
        if (d != w->job->first) answers_rows(w, d);
    w->out->cut |= w->safe.cut;
    return HD_OK;
}

hd_status hd_keep_answers(struct hd_ctx *ctx, struct hd_routes *r, const struct hd_answer_job *job,
                          struct hd_answers *answers)
{
    struct hd_arena scratch = {0};
    struct answerer w = {.r = r, .job = job, .out = answers};
    *answers = (struct hd_answers){0};
    const hd_status s = r->table ? answers_close(ctx, &scratch, &w) : HD_OK;
    if (s == HD_OK && r->table) answers->missing = answers_missing(&w);
    hd_arena_release(&scratch);
    return s;
}

hd_status hd_keep_answers_look(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_answers_found *found)
{
    struct hd_arena a = {0};
    struct hd_routes view = *r; /* which is only read */
    struct answerer w = {.r = &view};
    bool free = true, some = false;
    hd_status s = r->table ? answers_init(ctx, &a, &w) : HD_OK;
    if (s == HD_OK && r->table) s = answers_deps(ctx, &a, &w);
    if (s == HD_OK && r->table) s = answers_order(ctx, &a, &w, &free, &some);
    *found = (struct hd_answers_found){.loop = some && !free};
    if (s == HD_OK && r->table) found->missing = answers_missing(&w);
    hd_arena_release(&a);
    return s;
}
