/* SPDX-License-Identifier: BSD-2-Clause */
/* The one sentence, and what to do: a reader who stops here knows whether to act. */
#include "advise/advise.h"

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

/* "EBB 0.62 -> 0.71 (+14 %)" of the first part of the goal that both have. */
static const char *gain(struct hd_advising *a, const struct hd_option *from, const struct hd_option *to)
{
    static const struct {
        enum hd_q q;
        const char *what;
    } by_goal[HD_GOALS] = {
        [HD_GOAL_BALANCED] = {HD_Q_EBB, "of its link for random pairs"},
        [HD_GOAL_ALLTOALL] = {HD_Q_ALLTOALL, "flows on the busiest cable of an all-to-all"},
        [HD_GOAL_RING] = {HD_Q_RING, "flows on the busiest cable of a ring"},
        [HD_GOAL_RANDOM] = {HD_Q_EBB, "of its link for random pairs"},
        [HD_GOAL_WORST] = {HD_Q_WORST, "flows on the busiest cable at worst"},
    };
    enum hd_q q = by_goal[a->goal].q;
    double x = from->figure[q].value, y = to->figure[q].value;
    if (isnan(x) || isnan(y)) return "";
    const char *change = x > 0 ? hd_say(a, " (%+.0f %%)", 100 * (y / x - 1)) : "";
    return hd_say(a, "%.3g %s instead of %.3g%s", y, by_goal[a->goal].what, x, change);
}

static const char *routing(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    if (a->net->nsel < 2) return "Nothing to route: fewer than two endpoints.";
    if (a->net->nsw == 1) return "One switch: any table will do, and every pattern runs at full rate.";
    if (r->best == UINT32_MAX) return "No routing was found that serves every pair without deadlock.";
    const struct hd_option *best = &r->option[r->best], *from = yardstick(r);
    if (keeps_current(r)) return "Keep the current table: nothing that can be loaded is better by more than half a per cent.";
    if (!from || from == best) return hd_say(a, "Use %s.", best->table);
    const char *what = gain(a, from, best);
    const char *than = from->current ? "the current table" : "minhop, OpenSM's default";
    if (!*what) return hd_say(a, "Use %s.", best->table);
    return hd_say(a, "Use %s: %s with %s.", best->table, what, than);
}

/* The rank order, where it gains. */
static const char *ranks(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    for (uint32_t i = 0; i < r->nbefore_after; i++) {
        const struct hd_before_after *b = &r->before_after[i];
        if (b->use == HD_CASE_SHIFT && b->after.average < 0.95 * b->before.average)
            return hd_say(a, " Order ranks by the fabric: all-to-all stages share a cable %.3g ways instead of %.3g.",
                          b->after.average, b->before.average);
    }
    return "";
}

void hd_advise_headline(struct hd_advising *a)
{
    a->report->headline = hd_say(a, "%s%s", routing(a), a->net->nsw > 1 ? ranks(a) : "");
}

void hd_advise_steps(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    r->step = hd_advise_alloc(a, 3, sizeof *r->step);
    if (!r->step || r->best == UINT32_MAX) return;
    const struct hd_option *best = &r->option[r->best];
    if (!best->current)
        r->step[r->nstep++] = (struct hd_step){"Write all that OpenSM needs to load the new tables", "deploy",
                                               hd_advise_command(a, "route", best->table, "--deploy deploy")};
    if (r->order_command)
        r->step[r->nstep++] = (struct hd_step){"Start jobs in the rank order of the fabric", "rankfile",
                                               hd_say(a, "%s --format openmpi -o rankfile", r->order_command)};
    r->step[r->nstep++] = (struct hd_step){"Tell Slurm the topology", "topology.conf",
                                           hd_advise_command(a, "topo", NULL, "--format slurm -o topology.conf")};
}
