/* SPDX-License-Identifier: BSD-2-Clause */
/* Which routing suits the goal. A score is a bandwidth, or the geometric mean of several, relative to the best of
 * all options. What OpenSM can load as it is comes first: every pair arrives, free of deadlock, lanes the hardware
 * has, and no more LIDs an endpoint than the fabric is set up for. Among those within half a per cent of the best
 * the one the fabric already has is kept, else the one with fewest lanes, then the largest EBB. */
#include "advise/advise_steps.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double equal = 0.995; /* scores no further apart than this are the same */

static const struct {
    const char *rule;
    enum hd_q part[4];
    uint32_t n;
} rules[HD_GOALS] = {
    [HD_GOAL_BALANCED] = {"balanced: geometric mean of EBB, permutation bandwidth and all-to-all bandwidth (1 / its "
                          "hot-spot degree, in our rank order or today's)",
                          {HD_Q_EBB, HD_Q_PERMUTATION, HD_Q_ALLTOALL},
                          3},
    [HD_GOAL_ALLTOALL] = {"all-to-all in stages: 1 / its hot-spot degree, in our rank order or today's",
                          {HD_Q_ALLTOALL},
                          1},
    [HD_GOAL_RING] = {"ring: 1 / its hot-spot degree, in our rank order or today's", {HD_Q_RING}, 1},
    [HD_GOAL_RANDOM] = {"random traffic: effective bisection bandwidth (EBB)", {HD_Q_EBB}, 1},
    [HD_GOAL_WORST] = {"worst case: 1 / the load of the worst permutation", {HD_Q_WORST}, 1},
};

/* ---- scores ------------------------------------------------------------------------------------ */

/* The figure; of a collective in the better rank order. */
static double figure(const struct hd_option *o, enum hd_q q)
{
    double v = o->figure[q].value;
    bool ordered = q == HD_Q_RING || q == HD_Q_ALLTOALL || q == HD_Q_RECDBL;
    return ordered && o->figure[q - 1].value < v ? o->figure[q - 1].value : v;
}

/* As a bandwidth: larger is better. */
static double rate(const struct hd_report *r, const struct hd_option *o, enum hd_q q)
{
    return r->quantity[q].higher_is_better ? figure(o, q) : 1 / figure(o, q);
}

/* A part of the rule does not count when nobody was measured for it, or nobody has anything: a permutation that
 * crosses the planes of a fabric is never served whole. */
static bool is_known(const struct hd_report *r, enum hd_q q)
{
    for (uint32_t i = 0; i < r->noption; i++)
        if (!r->option[i].why_not && r->option[i].figure[q].value > 0) return true;
    return false;
}

static double score(const struct hd_advising *a, const struct hd_option *o)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < rules[a->goal].n; k++) {
        enum hd_q q = rules[a->goal].part[k];
        if (!is_known(a->report, q)) continue;
        sum += log(rate(a->report, o, q));
        n++;
    }
    return n ? exp(sum / n) : 1;
}

static void set_scores(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    double best = 0;
    for (uint32_t i = 0; i < r->noption; i++) {
        struct hd_option *o = &r->option[i];
        o->score = o->why_not ? NAN : score(a, o);
        if (o->score > best) best = o->score;
    }
    for (uint32_t i = 0; i < r->noption; i++) r->option[i].score = best > 0 ? r->option[i].score / best : NAN;
}

/* ---- what can be loaded ------------------------------------------------------------------------ */

static const char *mark(struct hd_advising *a, const struct hd_option *o)
{
    uint32_t lids = 1u << a->net->lmc;
    if (o->unreachable + o->loops) return "pairs do not arrive";
    if (o->deadlock_free == 0) return "can deadlock";
    if (o->deadlock_free < 0) return "lanes not known";
    if (o->variants > lids) return hd_say(a, "needs %u LIDs", o->variants);
    if (o->lanes > HD_ADVISE_LANES) return hd_say(a, "needs %u lanes", o->lanes);
    return NULL;
}

/* ---- order ------------------------------------------------------------------------------------- */

struct place {
    struct hd_option o;
    uint32_t was;
};

static int class_of(const struct hd_option *o)
{
    return o->current ? 0 : o->why_not ? 4 : isnan(o->score) ? 3 : o->mark ? 2 : 1;
}

static int best_first(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    int c = class_of(&a->o) - class_of(&b->o);
    if (c) return c;
    if (class_of(&a->o) < 3 && a->o.score != b->o.score) return a->o.score > b->o.score ? -1 : 1;
    return a->was < b->was ? -1 : 1;
}

static hd_status sort_options(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_report *r = a->report;
    struct place *place = HD_NEW(&scratch, struct place, r->noption);
    if (!place) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < r->noption; i++) place[i] = (struct place){r->option[i], i};
    qsort(place, r->noption, sizeof *place, best_first);
    for (uint32_t i = 0; i < r->noption; i++) r->option[i] = place[i].o;
    hd_arena_release(&scratch);
    return HD_OK;
}

/* Whether x is to be preferred to y, both good enough. */
static bool preferred(const struct hd_option *x, const struct hd_option *y)
{
    if (x->current != y->current) return x->current;
    if (x->lanes != y->lanes) return x->lanes < y->lanes;
    double p = x->figure[HD_Q_EBB].value, q = y->figure[HD_Q_EBB].value;
    return p > q;
}

static uint32_t choose(const struct hd_report *r)
{
    double best = 0;
    uint32_t chosen = UINT32_MAX;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_option *o = &r->option[i];
        if (!o->why_not && !o->mark && o->score > best) best = o->score;
    }
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_option *o = &r->option[i];
        if (o->why_not || o->mark || !(o->score >= equal * best)) continue;
        if (chosen == UINT32_MAX || preferred(o, &r->option[chosen])) chosen = i;
    }
    return chosen;
}

/* Behind the current table the recommended one comes first, whatever it was preferred for. */
static void move_front(struct hd_report *r)
{
    uint32_t to = r->option[0].current ? 1 : 0;
    if (r->best == UINT32_MAX || r->best < to) return;
    struct hd_option o = r->option[r->best];
    memmove(&r->option[to + 1], &r->option[to], (r->best - to) * sizeof o);
    r->option[to] = o;
    r->best = to;
}

/* ---- words ------------------------------------------------------------------------------------- */

/* The best option that could be loaded and is worse than that at i; UINT32_MAX: none. equals: how many are not. */
static uint32_t runner_up(const struct hd_report *r, uint32_t i, uint32_t *equals)
{
    uint32_t next = UINT32_MAX;
    *equals = 0;
    for (uint32_t k = 0; k < r->noption; k++) {
        const struct hd_option *o = &r->option[k];
        if (k == i || o->why_not || o->mark || isnan(o->score)) continue;
        if (o->score >= equal * r->option[i].score)
            ++*equals;
        else if (next == UINT32_MAX || o->score > r->option[next].score)
            next = k;
    }
    return next;
}

static const char *numbers(struct hd_advising *a, const struct hd_option *o)
{
    struct hd_name_list parts = {.most = 4};
    for (uint32_t k = 0; k < rules[a->goal].n; k++) {
        enum hd_q q = rules[a->goal].part[k];
        if (is_known(a->report, q)) hd_name_list_add(&parts, "%s %.3g", a->report->quantity[q].title, figure(o, q));
    }
    return hd_say(a, "%s", hd_name_list_end(&parts));
}

static const char *name_of(const struct hd_option *o)
{
    return o->current ? "the current table" : o->table;
}

static void explain(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    r->reason = "";
    if (a->net->nsel < 2) return;
    if (r->best == UINT32_MAX) {
        r->reason = "No table that was tried serves every pair without deadlock.";
        return;
    }
    const struct hd_option *best = &r->option[r->best];
    uint32_t equals, next = runner_up(r, r->best, &equals);
    const char *alike =
        equals ? hd_say(a, ", as %s", equals == 1 ? "has one other" : hd_say(a, "have %u others", equals)) : "";
    const char *versus = next == UINT32_MAX ? ""
                                            : hd_say(a, "; next comes %s with %s", name_of(&r->option[next]),
                                                     numbers(a, &r->option[next]));
    r->reason = hd_say(a, "%s has %s in %u lane%s%s%s.", name_of(best), numbers(a, best), best->lanes,
                       best->lanes == 1 ? "" : "s", alike, versus);
}

/* The LMC that gives an endpoint so many LIDs. */
static uint32_t lmc_for(uint32_t lids)
{
    uint32_t lmc = 0;
    while (1u << lmc < lids) lmc++;
    return lmc;
}

/* What would be better and cannot be loaded as it is. */
static void tell_better(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    if (r->best == UINT32_MAX) return;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_option *o = &r->option[i], *best = &r->option[r->best];
        if (o->why_not || !o->mark || o->deadlock_free != 1 || o->unreachable + o->loops) continue;
        if (!(o->score > 1.05 * best->score)) continue;
        const char *how =
            o->variants > 1 ? hd_say(a, " an endpoint (LMC %u), and senders that use them", lmc_for(o->variants)) : "";
        hd_advise_note(a, hd_say(a, "%s would score %.0f %% higher (%s) but %s%s.", o->table,
                                 100 * (o->score / best->score - 1), numbers(a, o), o->mark, how));
        return;
    }
}

hd_status hd_advise_rank(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    set_scores(a);
    for (uint32_t i = 0; i < r->noption; i++)
        if (!r->option[i].why_not) r->option[i].mark = mark(a, &r->option[i]);
    HD_TRY(sort_options(a));
    r->best = choose(r);
    move_front(r);
    r->rule = rules[a->goal].rule;
    explain(a);
    tell_better(a);
    return HD_OK;
}
