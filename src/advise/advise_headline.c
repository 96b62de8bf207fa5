/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline: one sentence on what stops traffic, which table to use and what it gains. A reader who stops here knows
 * whether to act. */
#include "advise/advise_steps.h"
#include "report/report_options.h"

#include <math.h>
#include <string.h>

static bool headline_keeps_current(const struct hd_report *r)
{
    return r->best != UINT32_MAX && r->option[r->best].current;
}

/* "random pairs get 0.71 of a link instead of 0.62 (+14 %)", in the quantity that the goal is about. */
static const char *headline_gain(struct hd_advising *a, const struct hd_report_option *from,
                                 const struct hd_report_option *to)
{
    const struct hd_advise_goal *goal = a->goal;
    double x = from->figure[goal->quantity[0]].value, y = to->figure[goal->quantity[0]].value;
    if (isnan(x) || isnan(y)) return "";
    /* A table that serves next to nothing is no measure: percentages in the thousands mean nothing. */
    const char *change = x > 0 && y < 10 * x ? hd_say(a, " (%+.0f %%)", 100 * (y / x - 1)) : "";
    return hd_say(a, "%s%.3g%s instead of %.3g%s", goal->before, y, goal->behind, x, change);
}

/* What stops traffic comes before everything else. */
static const char *headline_fault(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->nfinding; i++) {
        const char *subject = r->finding[i].subject;
        if (r->finding[i].verdict != HD_FAIL) continue;
        if (strcmp(subject, "deadlock") == 0) return "The current table can deadlock. ";
        if (strcmp(subject, "current table") == 0) return "The current table does not serve every pair. ";
        if (strcmp(subject, "further LIDs") == 0 || strcmp(subject, "switch LIDs") == 0)
            return "The current table does not serve every LID. ";
        return r->noption && r->net->nsel ? "The fabric is split. " : "";
    }
    return "";
}

static const struct hd_report_option *headline_from(const struct hd_report *r)
{
    uint32_t i = hd_yardstick(r);
    return i < r->noption ? &r->option[i] : NULL;
}

static const char *headline_routing(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    if (a->net->nsel < 2) return "Nothing to route: fewer than two endpoints.";
    if (a->net->nsw == 1) return "One switch: any table will do, and every pattern runs at full rate.";
    if (r->best == UINT32_MAX) return "No routing was found that serves every pair without deadlock.";
    const struct hd_report_option *best = &r->option[r->best], *from = headline_from(r);
    if (headline_keeps_current(r))
        return "Keep the current table: nothing that can be loaded is better by more than half a per cent.";
    if (!from) return hd_say(a, "Use %s.", best->table);
    if (from == best) return hd_say(a, "Use %s, OpenSM's default: nothing that can be loaded is better.", best->table);
    const char *than = from->current ? "the current table" : hd_say(a, "%s (OpenSM's default)", from->table);
    const char *risk = from->deadlock_free == 0 && !from->current ? ", which can deadlock" : "";
    if (!from->mark && from->score >= HD_SAME_SCORE * best->score)
        return hd_say(a, "Use %s: nothing that can be loaded is better, and %s does as well.", best->table, than);
    const char *what = headline_gain(a, from, best);
    if (!*what) return hd_say(a, "Use %s.", best->table);
    return hd_say(a, "Use %s: %s with %s%s.", best->table, what, than, risk);
}

/* The rank order, where it gains. */
static const char *headline_ranks(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    for (uint32_t i = 0; i < r->nbefore_after; i++) {
        const struct hd_report_before_after *b = &r->before_after[i];
        if (b->use == a->goal->collective && b->after.average < (1 - HD_WORTH) * b->before.average)
            return hd_say(a, " In the suggested rank order, %s has %.3g flow%s on its busiest cable instead of %.3g.",
                          a->goal->collective_text, b->after.average, b->after.average == 1 ? "" : "s",
                          b->before.average);
    }
    return "";
}

void hd_advise_headline(struct hd_advising *a)
{
    a->report->headline = hd_say(a, "%s%s%s", headline_fault(a->report), headline_routing(a),
                                 a->report->order_better ? headline_ranks(a) : "");
}
