/* SPDX-License-Identifier: BSD-2-Clause */
/* The rest of a table: further LIDs of endpoints (LMC), which no pair is routed by or no pair uses (unused_lids.h), and
 * the LIDs of switches. Libraries may be configured to use the former, management by LID uses the latter, so a table
 * that misroutes them is faulty even if all pairs arrive. Each row is walked once from all leaf switches (row_walk.c),
 * and its dependencies are added to those of the pairs, those of switch LIDs also to those of further LIDs. Where
 * entries have groups of ports, all choices are followed beside the static ports (choice_walk.c): a path counts as one
 * that does not arrive if some choice does not. So it does if VL 15 drops all service levels that packets from some
 * host there may have: any, or those of the variant. Packets to switches, which management sends in VL 15 itself, pass.
 *
 * Which VLs these packets use is not known if there are several: then they are proved free of credit loops only if all
 * VLs taken as one have none. Rows are split over threads; the sums and the smallest example do not depend on how.
 * Cost O(rows * switches), as for pairs, and for rows with groups O(channels * ports) more each. */
#include "route/check/check_lids.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/check/check_everyone.h"
#include "route/check/drop_levels.h"
#include "route/check/unused_lids.h"

#include <string.h>

struct lid_rows {
    const struct hd_routes *r;
    uint32_t given;        /* rows that are listed; those behind them are rows of variants */
    const uint8_t *rows;   /* [given * nsw] */
    const uint16_t *lid;   /* [n] of further LIDs; NULL: base LIDs of switches */
    const uint32_t *owner; /* [n] endpoint; NULL: switches */
    uint32_t n;
    const struct hd_unused_lid *unused; /* [n - given] */
    const bool *hosts;            /* [nleaf] with endpoints that count, not aggregation nodes: these send to variants */
    const uint32_t *sw;           /* [n] switch; NULL: row i is that of switch i */
    const uint16_t *own;          /* [n] its entry for itself, as own_entry; NULL: all are good */
    const uint16_t *of;           /* [given * nsw] groups of ports; NULL: none */
    const struct hd_port_set *up; /* for choice_walk.h */
    const uint8_t *kind;          /* [nep] enum hd_proof_kind */
    struct hd_drop_levels drop;   /* of endpoints' LIDs */
};

struct lid_worker {
    struct hd_reach reach;
    struct hd_credit credit;
    struct hd_choice_walk walk; /* if there are groups */
    struct hd_lid_check sum;
    uint64_t choices; /* entries with several ports */
    uint64_t first;   /* smallest (row, leaf) that does not arrive, UINT64_MAX: none */
    uint32_t *start;  /* [nleaf] */
    uint16_t *levels; /* [nchan] behind each channel, by all choices */
    uint8_t *buf;     /* [nsw] */
};

static hd_status lid_worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct lid_rows *k, const bool *up,
                                 struct lid_worker *w)
{
    const struct hd_routes *r = k->r;
    w->first = UINT64_MAX;
    w->start = HD_NEW(a, uint32_t, r->nleaf);
    w->levels = HD_NEW(a, uint16_t, r->net->nchan);
    w->buf = HD_NEW(a, uint8_t, r->net->nsw);
    if (!w->start || !w->levels || !w->buf) return hd_fail_memory(ctx);
    if (r->groups) HD_TRY(hd_choice_walk_init(ctx, a, r, k->up, &w->walk));
    HD_TRY(hd_reach_init(ctx, a, r->net, &w->reach));
    return hd_credit_init(ctx, a, r->net, 1, up, &w->credit);
}

static const uint8_t *lid_row(const struct lid_rows *k, uint32_t i, uint8_t *buf)
{
    if (i < k->given) return k->rows + (size_t)i * k->r->net->nsw;
    const struct hd_unused_lid *u = &k->unused[i - k->given];
    return hd_routes_row(k->r, u->dest, u->variant, buf);
}

static const uint16_t *lid_groups(const struct lid_rows *k, uint32_t i)
{
    const struct hd_unused_lid *u = i < k->given ? NULL : &k->unused[i - k->given];
    if (u) return hd_group_row(k->r, u->dest, u->variant);
    return k->of ? k->of + (size_t)i * k->r->net->nsw : NULL;
}

/* All choices of a row from n switches, with their dependencies. Returns false if no entry has a group. */
static bool lid_check_choices(const struct lid_rows *k, struct lid_worker *w, uint32_t i, const uint8_t *row,
                              uint32_t target, uint32_t n)
{
    const uint16_t *of = lid_groups(k, i);
    bool any = false;
    for (uint32_t v = 0; of && v < k->r->net->nsw; v++) {
        any |= of[v] != 0;
        w->choices += v != target && of[v] && hd_set_count(&k->r->groups->at[v].set[of[v] - 1]) > 1;
    }
    if (!any) return false;
    if (!hd_choice_walk_begin(&w->walk, row, of, target)) {
        for (uint32_t s = 0; s < n; s++) hd_choice_walk_from(&w->walk, w->start[s]);
        hd_choice_walk_depend(&w->walk, 1, &w->credit);
    }
    if (k->drop.passes) hd_drop_choices(&k->drop, &w->walk, w->levels);
    return true;
}

static uint32_t lid_target(const struct lid_rows *k, uint32_t i)
{
    return k->owner ? k->r->net->nsw + k->owner[i] : k->sw ? k->sw[i] : i;
}

/* Service levels that packets from endpoint s to the LID of row i may have. */
static uint32_t lid_levels(const struct lid_rows *k, uint32_t i, uint32_t s)
{
    const struct hd_unused_lid *u = i < k->given ? NULL : &k->unused[i - k->given];
    return u ? hd_drop_pair(k->r, s, u->dest, u->variant) : HD_ALL_LEVELS;
}

/* Whether VL 15 drops whatever some host at switch v sends to the LID of row i, to which entries lead. */
static bool lid_drops(const struct lid_rows *k, const struct lid_worker *w, uint32_t i, const uint8_t *row, uint32_t v,
                      bool choices)
{
    const struct hd_net *net = k->r->net;
    const uint32_t target = lid_target(k, i), out = net->off[v] + row[v];
    if (!k->drop.passes) return false;
    const uint32_t behind = hd_drop_follow(&k->drop, row, v, target).levels;
    bool drops = false;
    for (uint32_t c = net->off[v]; c < net->off[v + 1] && !drops; c++) {
        const uint32_t s = net->head[c] - net->nsw, in = net->rev[c];
        if (net->head[c] < net->nsw || net->head[c] == target || k->kind[s] >= HD_PROOF_AGGREGATION) continue;
        const uint32_t levels = lid_levels(k, i, s);
        drops = !(levels & behind & hd_drop_turn(&k->drop, in, out)) || (choices && !(levels & w->levels[in]));
    }
    return drops;
}

/* What becomes of packets from switch v: HD_REACH_LOOP or HD_REACH_DEAD if some do not arrive. */
static uint16_t lid_hops(const struct lid_rows *k, const struct lid_worker *w, uint32_t i, const uint8_t *row,
                         uint32_t v, bool choices)
{
    const uint16_t hops = w->reach.hops[v];
    if (hops >= HD_REACH_LOOP) return hops;
    if (choices && w->walk.state[v] != HD_CHOICE_GOOD)
        return w->walk.state[v] == HD_CHOICE_LOOPS ? HD_REACH_LOOP : HD_REACH_DEAD;
    return lid_drops(k, w, i, row, v, choices) ? HD_REACH_DEAD : hops;
}

static void lid_check_row(const struct lid_rows *k, const uint8_t *dist, struct lid_worker *w, uint32_t i)
{
    const struct hd_routes *r = k->r;
    const struct hd_net *net = r->net;
    const uint32_t target = lid_target(k, i), home = k->owner ? hd_leaf(net, k->owner[i]) : target;
    uint32_t n = 0;
    const uint8_t *row = lid_row(k, i, w->buf);
    for (uint32_t leaf = 0; leaf < r->nleaf; leaf++) {
        const bool sends = i < k->given || k->hosts[leaf];
        w->start[n] = r->leaf[leaf];
        n += sends && dist[(size_t)leaf * net->nsw + home] != HD_FAR && r->leaf[leaf] != target;
    }
    hd_reach_begin(&w->reach);
    hd_reach_follow(&w->reach, row, target, w->start, n);
    hd_credit_row(&w->credit, &w->reach, row, 0);
    const bool choices = lid_check_choices(k, w, i, row, target, n);
    w->sum.paths += n;
    const uint32_t own = k->own ? k->own[i] : HD_OWN_GOOD;
    if (own != HD_OWN_GOOD) { /* whatever arrives there is dropped, or sent on */
        w->sum.paths += !n;
        *(own == HD_OWN_NONE ? &w->sum.unreachable : &w->sum.loops) += n ? n : 1;
        uint64_t at = (uint64_t)i << 32 | (n ? w->start[0] : target);
        if (at < w->first) w->first = at;
        return;
    }
    for (uint32_t s = 0; s < n; s++) {
        const uint16_t hops = lid_hops(k, w, i, row, w->start[s], choices);
        uint64_t at = (uint64_t)i << 32 | w->start[s];
        if (hops < HD_REACH_LOOP) continue;
        *(hops == HD_REACH_LOOP ? &w->sum.loops : &w->sum.unreachable) += 1;
        if (at < w->first) w->first = at;
    }
}

/* Sums, the first path that does not arrive, and all dependencies, into the first worker. */
static void lid_sum_up(const struct lid_rows *k, struct lid_worker *w, int threads, struct hd_lid_check *out,
                       uint64_t *choices)
{
    const struct hd_net *net = k->r->net;
    for (int t = 1; t < threads; t++) {
        w[0].sum.paths += w[t].sum.paths;
        w[0].sum.unreachable += w[t].sum.unreachable;
        w[0].sum.loops += w[t].sum.loops;
        w[0].choices += w[t].choices;
        if (w[t].first < w[0].first) w[0].first = w[t].first;
        hd_credit_merge(&w[0].credit, &w[t].credit);
    }
    *out = w[0].sum;
    *choices = w[0].choices;
    out->lids = k->n;
    if (w[0].first == UINT64_MAX) return;
    uint32_t i = (uint32_t)(w[0].first >> 32);
    out->source = (uint32_t)w[0].first;
    out->dest = lid_target(k, i);
    out->lid = k->lid ? k->lid[i] : net->lid[i];
}

static hd_status lid_prove(struct hd_ctx *ctx, struct hd_arena *a, struct hd_credit *own, const struct hd_lid_job *job,
                           const struct hd_check *k, struct hd_lid_check *out, bool *turned)
{
    uint32_t *cycle, n;
    out->deadlock_free = k->deadlock_free;
    if (k->deadlock_free == 0) return HD_OK; /* the pairs alone have a cycle */
    *turned |= own->turned;
    if (own->up) return HD_OK;
    hd_deps_flatten(&own->deps, &job->pairs->deps);
    if (job->further && k->further.deadlock_free == 1) hd_deps_merge(&own->deps, &job->further->deps);
    HD_TRY(hd_deps_cycle(ctx, a, &own->deps, 1, &cycle, &n));
    if (n) out->deadlock_free = k->lanes == 1 ? 0 : -1;
    return HD_OK;
}

/* Leaves the dependencies of this kind, and those that it was joined with, in *credit. */
static hd_status lid_check_kind(struct hd_ctx *ctx, struct hd_arena *a, const struct lid_rows *k,
                                const struct hd_lid_job *job, struct hd_check *check, struct hd_credit *credit,
                                bool *turned)
{
    struct hd_lid_check *out = k->owner ? &check->further : &check->switches;
    int threads = hd_threads(ctx);
    struct lid_worker *w = HD_NEW(a, struct lid_worker, (size_t)threads);
    hd_status s = w ? HD_OK : hd_fail_memory(ctx);
    for (int t = 0; s == HD_OK && t < threads; t++) s = lid_worker_init(ctx, a, k, job->pairs->up, &w[t]);
    if (s == HD_OK) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
        for (uint32_t i = 0; i < k->n; i++) lid_check_row(k, job->dist, &w[hd_thread_id()], i);
        lid_sum_up(k, w, threads, out, k->owner ? &check->further_choices : &check->switch_choices);
        s = lid_prove(ctx, a, &w[0].credit, job, check, out, turned);
        *credit = w[0].credit;
    }
    return s;
}

/* Appends the LIDs of variants that no pair uses to those that are listed. */
static hd_status lid_rows_unused(struct hd_ctx *ctx, struct hd_arena *a, struct lid_rows *k)
{
    const struct hd_routes *r = k->r;
    struct hd_unused_lid *unused;
    uint32_t n;
    HD_TRY(hd_unused_lids(ctx, a, r, k->kind, &unused, &n));
    if (!n) return HD_OK;
    uint16_t *lid = HD_NEW(a, uint16_t, (size_t)k->given + n);
    uint32_t *owner = HD_NEW(a, uint32_t, (size_t)k->given + n);
    bool *hosts = HD_NEW(a, bool, r->nleaf);
    if (!lid || !owner || !hosts) return hd_fail_memory(ctx);
    if (k->given) memcpy(lid, k->lid, k->given * sizeof *lid);
    if (k->given) memcpy(owner, k->owner, k->given * sizeof *owner);
    for (uint32_t i = 0; i < n; i++) {
        owner[k->given + i] = unused[i].dest;
        lid[k->given + i] = (uint16_t)(r->lid[r->net->nsw + unused[i].dest] + unused[i].variant);
    }
    for (uint32_t e = 0; e < r->net->nep; e++)
        hosts[r->leaf_of[hd_leaf(r->net, e)]] |= k->kind[e] < HD_PROOF_AGGREGATION;
    k->lid = lid;
    k->owner = owner;
    k->unused = unused;
    k->hosts = hosts;
    k->n += n;
    return HD_OK;
}

/* The base LIDs of switches and more, in one list. */
static hd_status lid_rows_join(struct hd_ctx *ctx, struct hd_arena *a, struct lid_rows *k)
{
    const struct hd_routes *r = k->r;
    const size_t nsw = r->net->nsw, first = k->n, n = first + r->nmore;
    const uint16_t *more_of = r->groups ? r->groups->more.of : NULL;
    const bool grouped = k->of || more_of;
    uint8_t *rows = HD_NEW(a, uint8_t, n * nsw);
    uint16_t *of = grouped ? HD_NEW(a, uint16_t, n * nsw) : NULL;
    uint16_t *lid = HD_NEW(a, uint16_t, n), *own = HD_NEW(a, uint16_t, n);
    uint32_t *sw = HD_NEW(a, uint32_t, n);
    if (!rows || !lid || !own || !sw || (grouped && !of)) return hd_fail_memory(ctx);
    if (first) memcpy(rows, k->rows, first * nsw);
    memcpy(rows + first * nsw, r->more, r->nmore * nsw);
    if (of && first && k->of) memcpy(of, k->of, first * nsw * sizeof *of);
    if (of && more_of) memcpy(of + first * nsw, more_of, r->nmore * nsw * sizeof *of);
    for (size_t i = 0; i < n; i++) {
        sw[i] = i < first ? (uint32_t)i : r->more_switch[i - first];
        lid[i] = i < first ? r->net->lid[i] : r->more_lid[i - first];
        own[i] = i >= first ? r->more_own[i - first] : k->own ? k->own[i] : HD_OWN_GOOD;
    }
    *k = (struct lid_rows){.r = r,
                           .given = (uint32_t)n,
                           .rows = rows,
                           .lid = lid,
                           .n = (uint32_t)n,
                           .sw = sw,
                           .own = own,
                           .of = of,
                           .up = k->up};
    return HD_OK;
}

hd_status hd_check_lids(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_lid_job *job,
                        struct hd_check *check, bool *turned)
{
    const uint32_t nswitches = r->switch_table ? r->net->nsw : 0;
    struct lid_rows further = {.r = r,
                               .given = r->nfurther,
                               .rows = r->further,
                               .lid = r->further_lid,
                               .owner = r->further_dest,
                               .n = r->nfurther,
                               .kind = job->kind};
    struct lid_rows switches = {
        .r = r, .given = nswitches, .rows = r->switch_table, .n = nswitches, .own = r->own_entry};
    struct hd_arena a = {0};
    struct hd_lid_job joined = *job;
    struct hd_credit credit = {0}, ignored;
    hd_status s = HD_OK;
    *turned = false;
    check->further = check->switches = (struct hd_lid_check){.deadlock_free = check->deadlock_free};
    check->no_switch_lids = r->no_switch_lids;
    check->further_choices = check->switch_choices = 0;
    if (r->groups) {
        further.of = r->groups->further.of;
        switches.of = r->groups->switches.of;
        s = hd_choice_up(ctx, &a, r->net, job->pairs->up, &further.up);
        switches.up = further.up;
    }
    if (s == HD_OK) s = lid_rows_unused(ctx, &a, &further);
    const bool known = further.unused && r->lane_rule != HD_LANE_UNKNOWN; /* those of variants */
    if (further.n && s == HD_OK) s = hd_drop_levels_init(ctx, &a, r, known, &further.drop);
    if (r->nmore && s == HD_OK) s = lid_rows_join(ctx, &a, &switches);
    if (further.n && s == HD_OK) s = lid_check_kind(ctx, &a, &further, job, check, &credit, turned);
    if (further.n && s == HD_OK && !credit.up) joined.further = &credit;
    if (switches.n && s == HD_OK) s = lid_check_kind(ctx, &a, &switches, &joined, check, &ignored, turned);
    hd_arena_release(&a);
    return s;
}
