/* SPDX-License-Identifier: BSD-2-Clause */
/* The one sentence, and what to do: a reader who stops here knows whether to act. */
#include "advise/advise_steps.h"

#include <math.h>
#include <string.h>

static bool keeps_current(const struct hd_report *r)
{
    return r->best != UINT32_MAX && r->option[r->best].current;
}

/* What the recommended table is compared with: the current one, else OpenSM's default. */
static const struct hd_option *yardstick(const struct hd_report *r)
{
    const struct hd_option *minhop = NULL;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_option *o = &r->option[i];
        if (o->why_not) continue;
        if (o->current) return o;
        if (strcmp(o->table, "minhop") == 0) minhop = o;
    }
    return minhop;
}

/* "random pairs get 0.71 of a link instead of 0.62 (+14 %)", in what the goal asks for first. */
static const char *gain(struct hd_advising *a, const struct hd_option *from, const struct hd_option *to)
{
    static const struct {
        enum hd_q q;
        const char *before, *behind;
    } words[HD_GOALS] = {
        [HD_GOAL_BALANCED] = {HD_Q_EBB, "random pairs get ", " of a link"},
        [HD_GOAL_ALLTOALL] = {HD_Q_ALLTOALL, "", " flows on the busiest cable of an all-to-all"},
        [HD_GOAL_RING] = {HD_Q_RING, "", " flows on the busiest cable of a ring"},
        [HD_GOAL_RANDOM] = {HD_Q_EBB, "random pairs get ", " of a link"},
        [HD_GOAL_WORST] = {HD_Q_WORST, "at worst ", " flows on a cable"},
    };
    double x = from->figure[words[a->goal].q].value, y = to->figure[words[a->goal].q].value;
    if (isnan(x) || isnan(y)) return "";
    /* a table that serves next to nothing is no measure: per cents in thousands tell nobody anything */
    const char *change = x > 0 && y < 10 * x ? hd_say(a, " (%+.0f %%)", 100 * (y / x - 1)) : "";
    return hd_say(a, "%s%.3g%s instead of %.3g%s", words[a->goal].before, y, words[a->goal].behind, x, change);
}

/* What stops traffic comes before everything else. */
static const char *fault(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->nfinding; i++) {
        const char *subject = r->finding[i].subject;
        if (r->finding[i].verdict != HD_FAIL) continue;
        if (strcmp(subject, "deadlock") == 0) return "The current table can deadlock. ";
        if (strcmp(subject, "current table") == 0) return "The current table does not serve every pair. ";
        return r->noption && r->net->nsel ? "The fabric is split. " : "";
    }
    return "";
}

static const char *routing(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    if (a->net->nsel < 2) return "Nothing to route: fewer than two endpoints.";
    if (a->net->nsw == 1) return "One switch: any table will do, and every pattern runs at full rate.";
    if (r->best == UINT32_MAX) return "No routing was found that serves every pair without deadlock.";
    const struct hd_option *best = &r->option[r->best], *from = yardstick(r);
    if (keeps_current(r))
        return "Keep the current table: nothing that can be loaded is better by more than half a per cent.";
    if (!from) return hd_say(a, "Use %s.", best->table);
    if (from == best) return hd_say(a, "Use %s, OpenSM's default: nothing that can be loaded is better.", best->table);
    const char *than = from->current ? "the current table" : "minhop (OpenSM's default)";
    const char *risk = from->deadlock_free == 0 && !from->current ? ", which can deadlock" : "";
    if (!from->mark && from->score >= 0.995 * best->score)
        return hd_say(a, "Use %s: nothing that can be loaded is better, and %s does as well.", best->table, than);
    const char *what = gain(a, from, best);
    if (!*what) return hd_say(a, "Use %s.", best->table);
    return hd_say(a, "Use %s: %s with %s%s.", best->table, what, than, risk);
}

/* The rank order, where it gains. */
static const char *ranks(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    bool ring = a->goal == HD_GOAL_RING;
    for (uint32_t i = 0; i < r->nbefore_after; i++) {
        const struct hd_before_after *b = &r->before_after[i];
        if (b->use == (ring ? HD_CASE_RING : HD_CASE_SHIFT) && b->after.average < 0.95 * b->before.average)
            return hd_say(a, " Order ranks along the fabric: %s then has %.3g flow%s on its busiest cable, not %.3g.",
                          ring ? "a ring" : "an all-to-all", b->after.average, b->after.average == 1 ? "" : "s",
                          b->before.average);
    }
    return "";
}

const char *hd_advise_needless(const struct hd_advising *a)
{
    if (a->net->nsel < 2) return "there are fewer than two endpoints";
    return a->net->nsw == 1 && !a->in->current ? "any table will do on one switch" : NULL;
}

void hd_advise_headline(struct hd_advising *a)
{
    a->report->headline = hd_say(a, "%s%s%s", fault(a->report), routing(a), a->report->order_better ? ranks(a) : "");
}

void hd_advise_steps(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    r->step = hd_advise_alloc(a, 4, sizeof *r->step);
    if (!r->step) return;
    r->nstep = hd_advise_mend_step(a, &r->step[0]);
    if (r->best == UINT32_MAX) return;
    const struct hd_option *best = &r->option[r->best];
    if (!best->current && !hd_advise_needless(a))
        r->step[r->nstep++] =
            (struct hd_step){.what = "Write all that OpenSM needs to load the new tables",
                             .command = hd_advise_command(a, "route", best->table, "--deploy deploy")};
    if (r->order_better)
        r->step[r->nstep++] =
            (struct hd_step){.what = "Start jobs in the rank order of the fabric",
                             .command = hd_say(a, "%s --format openmpi -o rankfile", r->order_command)};
    r->step[r->nstep++] =
        (struct hd_step){.what = "Give Slurm the topology",
                         .command = hd_advise_command(a, "topo", NULL, "--format slurm -o topology.conf")};
}
