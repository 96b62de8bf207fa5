/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank orders under the recommended table: hot spots of the usual collectives before and after. */
#include "advise/advise_steps.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum hd_goal hd_advise_today(const struct hd_advise_in *in)
{
    return in->nodes ? HD_FOR_GIVEN : HD_FOR_SORTED;
}

enum hd_goal hd_advise_rank_goal(const char *goal)
{
    return strcmp(goal, "ring") == 0 ? HD_FOR_RING : strcmp(goal, "alltoall") == 0 ? HD_FOR_ALLTOALL : HD_FOR_TREE;
}

static void fill(struct hd_advising *a, const struct hd_hsd *old, const struct hd_hsd *new, double bound)
{
    struct hd_report *r = a->report;
    r->before_after = hd_advise_alloc(a, HD_CASES, sizeof *r->before_after);
    if (!r->before_after) return;
    for (int c = 0; c < HD_CASES; c++) {
        if (isnan(old[c].average) || isnan(new[c].average)) continue;
        r->before_after[r->nbefore_after++] = (struct hd_before_after){
            .use = (enum hd_case)c, .before = old[c], .after = new[c], .bound = c == HD_CASE_SHIFT ? bound : 1};
    }
}

/* Whether ours is the better one, in what the goal asks for or in the usual three together. */
static bool gains(const struct hd_advising *a, const struct hd_hsd *old, const struct hd_hsd *new)
{
    if (a->after == HD_FOR_RING) return new[HD_CASE_RING].average < old[HD_CASE_RING].average;
    if (a->after == HD_FOR_ALLTOALL) return new[HD_CASE_SHIFT].average < old[HD_CASE_SHIFT].average;
    double before = 1, after = 1;
    for (int c = HD_CASE_RING; c <= HD_CASE_RECDBL; c++) {
        before *= old[c].average;
        after *= new[c].average;
    }
    return after < before;
}

hd_status hd_advise_order(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    const struct hd_routes *routes;
    struct hd_routes *made;
    struct hd_order *before = NULL, *after = NULL;
    struct hd_hsd old[HD_CASES], new[HD_CASES];
    double bound;
    if (!a->nodes || r->best == UINT32_MAX || a->net->nsel < 2 || !hd_work_order(a, 1)) return HD_OK;
    const struct hd_option *best = &r->option[r->best];
    HD_TRY(hd_advise_open(a, a->ctx, best, &routes, &made));
    hd_status s = hd_order_make(a->ctx, routes, a->nodes, a->before, &before);
    if (s == HD_OK) s = hd_order_make(a->ctx, routes, a->nodes, a->after, &after);
    if (s == HD_OK) s = hd_order_count_all(a->ctx, routes, a->nodes, before->rank, old, &bound);
    if (s == HD_OK) s = hd_order_count_all(a->ctx, routes, a->nodes, after->rank, new, NULL);
    if (s == HD_OK) {
        fill(a, old, new, bound);
        r->order_better = gains(a, old, new);
        if (!r->order_better) hd_advise_note(a, "Today's rank order is no worse than ours: keep it.");
        r->order_how = hd_say(a, "%s", after->how);
        r->order_claim = *after->claim ? hd_say(a, "%s", after->claim) : NULL;
        r->order_command = best->figure[HD_Q_RING].command;
    }
    hd_order_free(before);
    hd_order_free(after);
    hd_routes_free(made);
    return hd_unsuited(s) ? HD_OK : s;
}
