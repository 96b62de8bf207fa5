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

/* "random pairs get 0.71 of a link instead of 0.62 (+14 % +-1 %)", in the quantity that the goal is about. */
static const char *headline_gain(struct hd_advising *a, const struct hd_report_option *from,
                                 const struct hd_report_choice *c)
{
    const struct hd_advise_goal *goal = a->goal;
    double x = from->figure[goal->quantity[0]].value;
    if (isnan(x) || isnan(c->value)) return "";
    return hd_say(a, "%s%.3g%s instead of %.3g%s", goal->before, c->value, goal->behind, x, hd_advise_percent(a, c));
}

/* What stops traffic comes before everything else. */
static const char *headline_fault(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->nfinding; i++) {
        const char *subject = r->finding[i].subject;
        if (r->finding[i].verdict != HD_FAIL) continue;
        if (strcmp(subject, "deadlock") == 0) return "The current table can deadlock: it has a credit loop. ";
        if (strcmp(subject, "current table") == 0 || strcmp(subject, "other endpoints") == 0)
            return "The current table does not serve every pair. ";
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

/* What the fabric has, in words. */
static const char *headline_than(struct hd_advising *a, const struct hd_report_option *from)
{
    return from->current ? "the current table" : hd_say(a, "OpenSM's default, %s", from->table);
}

/* What the best table adds to the recommended choice, from half a per cent on. */
static const char *headline_more(struct hd_advising *a, const struct hd_report_choice *taken)
{
    const struct hd_report *r = a->report;
    const struct hd_report_choice *last = &r->choice[r->nchoice - 1];
    if (last->option == taken->option || !(HD_SAME_SCORE * (1 + last->gain) > 1 + taken->gain)) return "";
    return hd_say(a, " With %s it is %.3g%s.", hd_option_label(r, last->option), last->value,
                  hd_advise_percent(a, last));
}

static const char *headline_choice(struct hd_advising *a, const struct hd_report_option *from,
                                   const struct hd_report_choice *c)
{
    const struct hd_report *r = a->report;
    const char *than = headline_than(a, from), *label = hd_option_label(r, c->option);
    const char *risk = from->deadlock_free == 0 && !from->current ? ", which can deadlock" : "";
    const char *gain = headline_gain(a, from, c);
    if (c->option == hd_yardstick(r))
        return hd_say(a, "Stay with %s: nothing that can be loaded is better by much.%s", than, headline_more(a, c));
    if (!*gain) return hd_say(a, "Use %s.", label);
    const char *how = strcmp(c->name, "opensm.conf") == 0 ? "opensm.conf" : "plug-in or file";
    const double score = r->option[c->option].score;
    if (!c->take) return hd_say(a, "Not worth a change: with %s, %s with %s.", label, gain, than);
    if (!from->mark && c->gain < HD_WORTH_CHANGE)
        return hd_say(a, "Use %s (%s): it scores %.0f %% higher than %s, %s %s.", label, how,
                      100 * (score / from->score - 1), than, c->gain < 0 ? "though" : "and", gain);
    return hd_say(a, "Use %s (%s): %s with %s%s.%s", label, how, gain, than, risk, headline_more(a, c));
}

static const char *headline_routing(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const struct hd_report_choice *nearest = hd_advise_nearest(r);
    if (a->net->nsel < 2) return "Nothing to route: fewer than two endpoints.";
    if (a->net->nsw == 1) return "One switch: any table will do, and every pattern runs at full rate.";
    if (r->best == UINT32_MAX) return "No routing was found that serves every pair without deadlock.";
    const struct hd_report_option *from = headline_from(r);
    const char *adaptive = hd_advise_ar_headline(a);
    if (adaptive) return adaptive;
    if (headline_keeps_current(r))
        return "Keep the current table: nothing that can be loaded is better by more than half a per cent.";
    if (!from || !nearest) return hd_say(a, "Use %s.", hd_option_label(r, r->best));
    return headline_choice(a, from, nearest);
}

/* Cables first, where repairing them gains more than any routing of what is there. */
static const char *headline_cables(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    double routing = 0;
    if (!r->repair_table || !(r->repair_before > 0)) return "";
    double gain = r->repair_after / r->repair_before - 1;
    for (uint32_t i = 0; i < r->nchoice; i++)
        if (r->choice[i].gain > routing) routing = r->choice[i].gain;
    if (gain < HD_WORTH_CHANGE || gain <= routing) return "";
    return hd_say(a, "Repair the cabling first: that alone gives random pairs %.0f %% more. ", 100 * gain);
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
    a->report->headline = hd_say(a, "%s%s%s%s", headline_fault(a->report), headline_cables(a), headline_routing(a),
                                 a->report->order_better ? headline_ranks(a) : "");
}
