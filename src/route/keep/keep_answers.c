/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches send themselves: traps, and replies to management by LID. Where a tree has lost cables, paths that go
 * up and then down lead from some switches nowhere near an endpoint. No pair needs these entries, so engines for trees
 * leave them out; but a switch without them cannot report the next loss to the subnet manager on that endpoint.
 *
 * Per destination, switches that do not arrive join those that do, breadth-first, at the neighbour with the fewest hops
 * whose path closes no credit loop together with all paths of endpoints, those of switches that the table has, as far
 * as they are free of loops themselves, and all that were added before. VLs of such packets are not known, so all are
 * taken as one. Packets between endpoints pass none of these switches, so their paths and what is proved of them stay;
 * while tables are being written, entries that switches still hold may lead them there, and then the entry has to
 * wait.
 *
 * Cost: one walk of every row for the dependencies, in parallel, if there is a hole at all; then O(ports) for each hole
 * and hop, and a search for each turn that no path had. Beyond a limit holes stay. Our own. */
#include "route/keep/keep_answers.h"
#include "base/status.h"
#include "base/threads.h"
#include "net/core/subtrees.h"
#include "route/check/check_credit.h"
#include "route/kernel/acyclic_order.h"

#include <string.h>

/* Neighbours looked at in one call, and what a turn that no path had counts: some tenths of a second. The endpoint that
 * comes first is served before it can matter. */
static const uint64_t most_looks = 10000000;
enum { NEW_TURN = 500 };

struct answerer {
    struct hd_routes *r;
    const struct hd_answer_job *job;
    uint8_t *last;  /* [nsw] last slot of switches without endpoints; UINT8_MAX: others */
    uint32_t *part; /* [nsw] connected part */
    struct hd_acyclic turns;
    struct hd_reach reach;
    uint32_t *all, *hole, *stack; /* [nsw] */
    uint8_t *held;                /* [nsw] */
    bool *met;                    /* [nsw] by packets between endpoints, whichever entries are written */
    uint64_t looks;
    struct hd_answers *out;
};

static bool answers_lack(const struct answerer *w, uint32_t d, uint32_t x)
{
    const uint32_t nsw = w->r->net->nsw;
    const uint8_t *row = hd_row(w->r, d, x);
    uint32_t n = 0;
    for (uint32_t v = 0; v < nsw; v++) n += row[v] > w->last[v];
    for (uint32_t v = 0; n && v < nsw; v++)
        if (row[v] > w->last[v] && w->part[v] == w->part[hd_leaf(w->r->net, d)]) return true;
    return false;
}

/* ---- turns -------------------------------------------------------------------------------------- */

/* What depends on what along the paths of endpoints and, in *every, of switches as well, all VLs as one. */
static hd_status answers_deps(struct hd_ctx *ctx, struct hd_arena *a, const struct answerer *w, struct hd_deps *pairs,
                              struct hd_deps *every)
{
    const struct hd_routes *r = w->r;
    const uint32_t nsw = r->net->nsw;
    const int threads = hd_threads(ctx);
    struct hd_credit *credit = HD_NEW(a, struct hd_credit, 2 * (size_t)threads);
    struct hd_reach *reach = HD_NEW(a, struct hd_reach, (size_t)threads);
    if (!credit || !reach) return hd_fail_memory(ctx);
    for (int t = 0; t < 2 * threads; t++) HD_TRY(hd_credit_init(ctx, a, r->net, 1, NULL, &credit[t]));
    for (int t = 0; t < threads; t++) HD_TRY(hd_reach_init(ctx, a, r->net, &reach[t]));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (uint32_t d = 0; d < r->net->nep; d++)
        for (uint32_t x = 0; x < r->nvar; x++) {
            const uint8_t *row = hd_row(w->r, d, x);
            const int t = hd_thread_id();
            hd_reach_begin(&reach[t]);
            hd_reach_follow(&reach[t], row, nsw + d, r->leaf, r->nleaf);
            hd_credit_row(&credit[t], &reach[t], row, 0);
            hd_reach_follow(&reach[t], row, nsw + d, w->all, nsw);
            hd_credit_row(&credit[threads + t], &reach[t], row, 0);
        }
    for (int t = 1; t < threads; t++) {
        hd_credit_merge(&credit[0], &credit[t]);
        hd_credit_merge(&credit[threads], &credit[threads + t]);
    }
    *pairs = credit[0].deps;
    *every = credit[threads].deps;
    return HD_OK;
}

static void answers_add(struct hd_acyclic *turns, const struct hd_deps *deps)
{
    const struct hd_links *l = &turns->links;
    for (uint32_t from = 0; from < l->n; from++)
        for (uint32_t to = l->first[l->head[from]]; to < l->first[l->head[from] + 1]; to++)
            if (hd_deps_has(deps, l->chan[from], 0, hd_link_slot(l, l->head[from], to)))
                hd_acyclic_add(turns, 0, (struct hd_turn){from, to});
}

/* The turns of all paths, in an order in which they go forwards; those of switches as far as there is one. *some is
 * false if there is none for endpoints. */
static hd_status answers_turns(struct hd_ctx *ctx, struct hd_arena *a, struct answerer *w, bool *some)
{
    const uint32_t nchan = w->r->net->nchan;
    const struct hd_links *l = &w->turns.links;
    struct hd_deps pairs, every;
    uint32_t *order, n, places = 0;
    HD_TRY(hd_acyclic_init(ctx, a, w->r->net, &w->turns));
    HD_TRY(hd_acyclic_remember(ctx, &w->turns));
    HD_TRY(answers_deps(ctx, a, w, &pairs, &every));
    HD_TRY(hd_deps_order(ctx, a, &every, &order, &n));
    if (n < nchan) HD_TRY(hd_deps_order(ctx, a, &pairs, &order, &n));
    *some = n == nchan;
    if (!*some) return HD_OK;
    uint32_t *place = HD_NEW(a, uint32_t, l->n);
    if (!place) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++)
        if (l->of[order[i]] != UINT32_MAX) place[l->of[order[i]]] = places++;
    HD_TRY(hd_acyclic_open(ctx, &w->turns, 0, place));
    answers_add(&w->turns, &pairs);
    answers_add(&w->turns, &every);
    return HD_OK;
}

/* Whether a path may begin with channel c; all its turns are then admitted. */
static bool answer_admitted(struct answerer *w, const uint8_t *row, uint32_t c)
{
    const struct hd_net *net = w->r->net;
    const struct hd_links *l = &w->turns.links;
    uint32_t from = l->of[c], v = net->head[c];
    for (uint32_t to; (to = l->of[net->off[v] + row[v]]) != UINT32_MAX; from = to, v = l->head[to]) {
        if (!(w->turns.in[hd_turn(l, from, to)] & 1)) w->looks += NEW_TURN;
        if (!hd_acyclic_add(&w->turns, 0, (struct hd_turn){from, to})) return false;
    }
    return true;
}

/* ---- one row ------------------------------------------------------------------------------------ */

/* The entry by which v arrives; *hops is the length of its path. */
static uint8_t answer_slot(struct answerer *w, const uint8_t *row, uint32_t v, uint16_t *hops)
{
    const struct hd_net *net = w->r->net;
    bool refused[HD_MAX_PORTS + 1] = {false};
    while (w->looks < most_looks) {
        uint32_t best = UINT32_MAX;
        *hops = HD_REACH_LOOP;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            if (net->head[c] >= net->nsw || refused[c - net->off[v]] || w->reach.hops[net->head[c]] >= *hops) continue;
            *hops = w->reach.hops[net->head[c]];
            best = c;
        }
        w->looks += hd_degree(net, v);
        if (best == UINT32_MAX) break;
        if (answer_admitted(w, row, best)) return (uint8_t)(best - net->off[v]);
        refused[best - net->off[v]] = true;
    }
    return HD_SLOT_NONE;
}

/* Where packets between endpoints may come while any switch has the entry that it holds or the new one. */
static void answers_meet(struct answerer *w, const uint8_t *row, uint32_t d, uint32_t x)
{
    const struct hd_net *net = w->r->net;
    const uint8_t *entry[2] = {row, w->held};
    uint32_t n = 0;
    if (w->job->held)
        w->job->held(w->job->user, d, x, w->held);
    else
        memset(w->held, HD_SLOT_NONE, net->nsw);
    memset(w->met, 0, net->nsw * sizeof *w->met);
    for (uint32_t i = 0; i < w->r->nleaf; i++) w->met[w->stack[n++] = w->r->leaf[i]] = true;
    while (n > 0) {
        const uint32_t v = w->stack[--n];
        for (int i = 0; i < 2; i++) {
            const uint32_t c = net->off[v] + entry[i][v];
            if (c >= net->off[v + 1] || net->head[c] >= net->nsw || w->met[net->head[c]]) continue;
            w->met[w->stack[n++] = net->head[c]] = true;
        }
    }
}

/* Switches in w->hole that the row serves from now on; returns how many are left. Entries of this round count in the
 * next one. */
static uint32_t answers_round(struct answerer *w, uint8_t *row, uint32_t n)
{
    uint32_t left = 0, closed = 0;
    uint16_t hops;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = w->hole[i];
        const uint8_t slot = answer_slot(w, row, v, &hops);
        if (slot == HD_SLOT_NONE)
            w->hole[left++] = v;
        else {
            row[v] = slot;
            w->stack[closed++] = v;
        }
    }
    for (uint32_t i = 0; i < closed; i++) {
        const uint32_t v = w->stack[i];
        w->reach.hops[v] = (uint16_t)(w->reach.hops[w->r->net->head[w->r->net->off[v] + row[v]]] + 1);
    }
    w->out->closed += closed;
    return left;
}

static void answers_row(struct answerer *w, uint32_t d, uint32_t x)
{
    const struct hd_routes *r = w->r;
    const uint32_t nsw = r->net->nsw, home = w->part[hd_leaf(r->net, d)];
    uint8_t *row = hd_row(w->r, d, x);
    uint32_t n = 0, before;
    answers_meet(w, row, d, x);
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, row, nsw + d, w->all, nsw);
    for (uint32_t v = 0; v < nsw; v++) {
        if (w->last[v] == UINT8_MAX || w->part[v] != home || w->reach.hops[v] < HD_REACH_LOOP) continue;
        row[v] = HD_SLOT_NONE; /* an entry may lead to a hole: once that is closed, its path would not be looked at */
        if (w->met[v])
            w->out->later++;
        else
            w->hole[n++] = v;
    }
    do {
        before = n;
        n = answers_round(w, row, n);
    } while (n && n < before);
}

/* ---- all of them -------------------------------------------------------------------------------- */

static hd_status answers_init(struct hd_ctx *ctx, struct hd_arena *a, struct answerer *w)
{
    const struct hd_net *net = w->r->net;
    w->last = HD_NEW(a, uint8_t, net->nsw);
    w->held = HD_NEW(a, uint8_t, net->nsw);
    w->met = HD_NEW(a, bool, net->nsw);
    if (!w->last || !w->held || !w->met || !HD_NEW_U32(a, net->nsw, &w->part, &w->all, &w->hole, &w->stack))
        return hd_fail_memory(ctx);
    hd_components(net, HD_NO_LEVEL, w->part);
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint32_t degree = hd_degree(net, v);
        w->last[v] = w->r->leaf_of[v] == UINT32_MAX && degree ? (uint8_t)(degree - 1) : UINT8_MAX;
        w->all[v] = v;
    }
    return hd_reach_init(ctx, a, net, &w->reach);
}

static hd_status answers_close(struct hd_ctx *ctx, struct hd_arena *a, struct answerer *w)
{
    const uint32_t nep = w->r->net->nep, nvar = w->r->nvar;
    bool any = false, some;
    HD_TRY(answers_init(ctx, a, w));
    bool *lacks = HD_NEW(a, bool, (size_t)nep *nvar);
    if (!lacks) return hd_fail_memory(ctx);
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx)) reduction(|| : any)
    for (uint32_t d = 0; d < nep; d++)
        for (uint32_t x = 0; x < nvar; x++) any = (lacks[(size_t)d * nvar + x] = answers_lack(w, d, x)) || any;
    if (!any) return HD_OK;
    HD_TRY(answers_turns(ctx, a, w, &some));
    for (uint32_t i = 0; some && i <= nep; i++) {
        const uint32_t d = i ? i - 1 : w->job->first;
        for (uint32_t x = 0; d < nep && (!i || d != w->job->first) && x < nvar; x++)
            if (lacks[(size_t)d * nvar + x]) answers_row(w, d, x);
    }
    return HD_OK;
}

hd_status hd_keep_answers(struct hd_ctx *ctx, struct hd_routes *r, const struct hd_answer_job *job,
                          struct hd_answers *answers)
{
    struct hd_arena scratch = {0};
    struct answerer w = {.r = r, .job = job, .out = answers};
    *answers = (struct hd_answers){0};
    const hd_status s = r->table ? answers_close(ctx, &scratch, &w) : HD_OK;
    hd_arena_release(&scratch);
    return s;
}
