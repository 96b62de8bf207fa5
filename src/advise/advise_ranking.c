/* SPDX-License-Identifier: BSD-2-Clause */
/* Which routing suits the goal. A score is a bandwidth, or the geometric mean of several, relative to the best of
 * all options. What OpenSM can load as it is comes first: every pair is served, free of deadlock, no more VLs than the
 * hardware has, and no more LIDs per endpoint than the fabric is set up for. Among those within half a per cent of the
 * best, the current table is kept; otherwise the one with the fewest VLs is chosen, then the largest EBB. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "net/edit/lids.h"
#include "report/report_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scores ------------------------------------------------------------------------------------ */

/* The same collective in the current rank order; otherwise the quantity itself. */
static enum hd_advise_quantity ranking_now(enum hd_advise_quantity q)
{
    switch (q) {
    case HD_Q_RING: return HD_Q_RING_NOW;
    case HD_Q_ALLTOALL: return HD_Q_ALLTOALL_NOW;
    case HD_Q_RECDBL: return HD_Q_RECDBL_NOW;
    default: return q;
    }
}

/* The figure; of a collective, in the better rank order. */
static double ranking_figure(const struct hd_report_option *o, enum hd_advise_quantity q)
{
    double v = o->figure[q].value, now = o->figure[ranking_now(q)].value;
    return now < v ? now : v;
}

/* As a bandwidth: larger is better. */
static double ranking_rate(const struct hd_report *r, const struct hd_report_option *o, enum hd_advise_quantity q)
{
    return r->quantity[q].higher_is_better ? ranking_figure(o, q) : 1 / ranking_figure(o, q);
}

/* A quantity is left out of the score where it was not measured, or where it is 0 for all options: a permutation that
 * crosses the planes of a fabric is never served completely. */
static bool ranking_known(const struct hd_report *r, enum hd_advise_quantity q)
{
    for (uint32_t i = 0; i < r->noption; i++)
        if (hd_measured(&r->option[i]) && r->option[i].figure[q].value > 0) return true;
    return false;
}

static double ranking_score(const struct hd_advising *a, const struct hd_report_option *o)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < a->goal->nquantity; k++) {
        enum hd_advise_quantity q = a->goal->quantity[k];
        if (!ranking_known(a->report, q)) continue;
        sum += log(ranking_rate(a->report, o, q));
        n++;
    }
    return n ? exp(sum / n) : 1;
}

static void ranking_set_scores(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    double best = 0;
    for (uint32_t i = 0; i < r->noption; i++) {
        struct hd_report_option *o = &r->option[i];
        o->score = hd_measured(o) ? ranking_score(a, o) : NAN;
        if (o->score > best) best = o->score;
    }
    for (uint32_t i = 0; i < r->noption; i++) r->option[i].score = best > 0 ? r->option[i].score / best : NAN;
}

/* ---- what can be loaded ------------------------------------------------------------------------ */

static const char *ranking_mark(struct hd_advising *a, const struct hd_report_option *o)
{
    uint32_t lids = 1u << hd_lmc_least(a->net);
    const struct hd_choice_check *c = &a->current_check.choices;
    if (o->unreachable + o->loops) return "pairs do not arrive";
    if (o->current && c->unreachable + c->loops) return "some choices do not arrive";
    if (o->deadlock_free == 0) return "can deadlock";
    if (o->deadlock_free < 0) return "VLs not known";
    if (o->variants > lids) return hd_say(a, "needs %u LIDs", o->variants);
    if (o->lanes > HD_ADVISE_VLS) return hd_say(a, "needs %u VLs", o->lanes);
    return NULL;
}

/* ---- order ------------------------------------------------------------------------------------- */

struct ranking_place {
    struct hd_report_option o;
    uint32_t was;
};

enum ranking_class { CLASS_CURRENT, CLASS_LOADABLE, CLASS_MARKED, CLASS_NO_SCORE, CLASS_NOT_MEASURED };

static enum ranking_class ranking_class_of(const struct hd_report_option *o)
{
    if (o->current) return CLASS_CURRENT;
    if (!hd_measured(o)) return CLASS_NOT_MEASURED;
    if (isnan(o->score)) return CLASS_NO_SCORE;
    return o->mark ? CLASS_MARKED : CLASS_LOADABLE;
}

static int ranking_order(const void *x, const void *y)
{
    const struct ranking_place *a = x, *b = y;
    enum ranking_class x_class = ranking_class_of(&a->o), y_class = ranking_class_of(&b->o);
    if (x_class != y_class) return x_class < y_class ? -1 : 1;
    if (x_class < CLASS_NO_SCORE && a->o.score != b->o.score) return a->o.score > b->o.score ? -1 : 1;
    return a->was < b->was ? -1 : 1;
}

static hd_status ranking_sort(struct hd_advising *a)
{
    struct hd_arena scratch = {0};
    struct hd_report *r = a->report;
    struct ranking_place *place = HD_NEW(&scratch, struct ranking_place, r->noption);
    if (!place) return hd_fail_memory(a->ctx);
    for (uint32_t i = 0; i < r->noption; i++) place[i] = (struct ranking_place){r->option[i], i};
    qsort(place, r->noption, sizeof *place, ranking_order);
    for (uint32_t i = 0; i < r->noption; i++) r->option[i] = place[i].o;
    hd_arena_release(&scratch);
    return HD_OK;
}

/* Whether x is to be preferred to y, both good enough. */
static bool ranking_preferred(const struct hd_report_option *x, const struct hd_report_option *y)
{
    if (x->current != y->current) return x->current;
    if (x->lanes != y->lanes) return x->lanes < y->lanes;
    double p = x->figure[HD_Q_EBB].value, q = y->figure[HD_Q_EBB].value;
    return p > q;
}

/* Not what OpenSM itself computed: that is a choice by its name, and rerouting it would take a sweep per failure. */
static uint32_t ranking_choose(const struct hd_report *r)
{
    double best = 0;
    uint32_t chosen = UINT32_MAX;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *o = &r->option[i];
        if (hd_measured(o) && !o->mark && !o->run && o->score > best) best = o->score;
    }
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *o = &r->option[i];
        if (!hd_measured(o) || o->mark || o->run || !(o->score >= HD_SAME_SCORE * best)) continue;
        if (chosen == UINT32_MAX || ranking_preferred(o, &r->option[chosen])) chosen = i;
    }
    return chosen;
}

/* The recommended option comes first, after the current table. */
static void ranking_move_front(struct hd_report *r)
{
    uint32_t to = r->option[0].current ? 1 : 0;
    if (r->best == UINT32_MAX || r->best < to) return;
    struct hd_report_option o = r->option[r->best];
    memmove(&r->option[to + 1], &r->option[to], (r->best - to) * sizeof o);
    r->option[to] = o;
    r->best = to;
}

/* ---- words ------------------------------------------------------------------------------------- */

/* The best loadable option that is worse than that at i; UINT32_MAX: none. equals: those that are as good. */
static uint32_t ranking_runner_up(const struct hd_report *r, uint32_t i, struct hd_name_list *equals)
{
    uint32_t next = UINT32_MAX;
    for (uint32_t k = 0; k < r->noption; k++) {
        const struct hd_report_option *o = &r->option[k];
        if (k == i || !hd_measured(o) || o->mark || isnan(o->score)) continue;
        if (o->score >= HD_SAME_SCORE * r->option[i].score)
            hd_name_list_add(equals, "%.60s", hd_option_label(r, k));
        else if (next == UINT32_MAX || o->score > r->option[next].score)
            next = k;
    }
    return next;
}

/* Figures as the table of the report has them: those of the suggested rank order; that of the current one follows where
 * it is better, since scores are by the better one. */
static const char *ranking_numbers(struct hd_advising *a, const struct hd_report_option *o)
{
    struct hd_name_list parts = {.most = 4};
    for (uint32_t k = 0; k < a->goal->nquantity; k++) {
        enum hd_advise_quantity q = a->goal->quantity[k];
        const char *title = a->report->quantity[q].title;
        const double value = o->figure[q].value, now = o->figure[ranking_now(q)].value;
        if (!ranking_known(a->report, q)) continue;
        if (now < value)
            hd_name_list_add(&parts, "%s %.3g (%.3g in the current order)", title, value, now);
        else
            hd_name_list_add(&parts, "%s %.3g", title, value);
    }
    return hd_say(a, "%s", hd_name_list_end(&parts));
}

static void ranking_explain(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    r->reason = "";
    if (a->net->nsel < 2) return;
    if (r->best == UINT32_MAX) {
        r->reason = "No table that was tried serves every pair without deadlock.";
        return;
    }
    const struct hd_report_option *best = &r->option[r->best];
    struct hd_name_list equals = {.most = 3};
    uint32_t next = ranking_runner_up(r, r->best, &equals);
    const char *alike = "", *versus = "";
    if (equals.n > equals.most)
        alike = hd_say(a, "; %u others score the same", equals.n);
    else if (equals.n)
        alike = hd_say(a, "; %s score%s the same", equals.text, equals.n == 1 ? "s" : "");
    if (next != UINT32_MAX)
        versus = hd_say(a, "; next best is %s with %s", hd_option_label(r, next), ranking_numbers(a, &r->option[next]));
    r->reason = hd_say(a, "%s reaches %s with %u VL%s%s%s.", hd_option_label(r, r->best), ranking_numbers(a, best),
                       best->lanes, hd_plural(best->lanes), alike, versus);
}

/* The LMC that gives an endpoint that many LIDs. */
static uint32_t ranking_lmc(uint32_t lids)
{
    uint32_t lmc = 0;
    while (1u << lmc < lids) lmc++;
    return lmc;
}

/* A note on what would be better but cannot be loaded as it is. */
static void ranking_note_better(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    if (r->best == UINT32_MAX) return;
    if (a->in->current && hd_routes_adaptive(a->in->current) && r->option[r->best].current) return; /* static ports */
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *o = &r->option[i], *best = &r->option[r->best];
        if (!hd_measured(o) || !o->mark || o->deadlock_free != 1 || o->unreachable + o->loops) continue;
        if (!(o->score > (1 + HD_WORTH) * best->score)) continue;
        const char *how = o->variants > 1 ? hd_say(a, " per endpoint (LMC %u) and senders that use all of them",
                                                   ranking_lmc(o->variants))
                                          : "";
        hd_advise_note(a, hd_say(a, "%s would score %.0f %% higher (%s) but %s%s.", hd_option_label(r, i),
                                 100 * (o->score / best->score - 1), ranking_numbers(a, o), o->mark, how));
        return;
    }
}

hd_status hd_advise_ranking(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    ranking_set_scores(a);
    for (uint32_t i = 0; i < r->noption; i++)
        if (hd_measured(&r->option[i])) r->option[i].mark = ranking_mark(a, &r->option[i]);
    HD_TRY(ranking_sort(a));
    r->best = hd_advise_ar_best(a, ranking_choose(r));
    ranking_move_front(r);
    r->rule = a->goal->rule;
    ranking_explain(a);
    ranking_note_better(a);
    return HD_OK;
}
