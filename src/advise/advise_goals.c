/* SPDX-License-Identifier: BSD-2-Clause */
/* The goals of --for, one row each: how options are scored, which rank order goes with the goal, and what the headline
 * says about the gain. A new goal is a new row. */
#include "advise/advise_steps.h"
#include "base/status.h"
#include "tool/words.h"

#include <string.h>

static const struct hd_advise_goal goals[] = {
    {.name = "balanced",
     .order = HD_FOR_TREE,
     .rule = "balanced: geometric mean of EBB, permutation bandwidth and all-to-all bandwidth (1 / its hot-spot "
             "degree, in the suggested or the current rank order, whichever is better)",
     .nquantity = 3,
     .quantity = {HD_Q_EBB, HD_Q_PERMUTATION, HD_Q_ALLTOALL},
     .before = "random pairs get ",
     .behind = " of a link",
     .collective = HD_CASE_SHIFT,
     .collective_text = "an all-to-all"},
    {.name = "alltoall",
     .order = HD_FOR_ALLTOALL,
     .rule = "all-to-all in stages: 1 / its hot-spot degree, in the suggested or the current rank order, whichever is "
             "better",
     .nquantity = 1,
     .quantity = {HD_Q_ALLTOALL},
     .before = "",
     .behind = " flows on the busiest cable of an all-to-all",
     .collective = HD_CASE_SHIFT,
     .collective_text = "an all-to-all"},
    {.name = "ring",
     .order = HD_FOR_RING,
     .rule = "ring: 1 / its hot-spot degree, in the suggested or the current rank order, whichever is better",
     .nquantity = 1,
     .quantity = {HD_Q_RING},
     .before = "",
     .behind = " flows on the busiest cable of a ring",
     .collective = HD_CASE_RING,
     .collective_text = "a ring"},
    {.name = "random",
     .order = HD_FOR_TREE,
     .rule = "random traffic: effective bisection bandwidth (EBB)",
     .nquantity = 1,
     .quantity = {HD_Q_EBB},
     .before = "random pairs get ",
     .behind = " of a link",
     .collective = HD_CASE_SHIFT,
     .collective_text = "an all-to-all"},
    {.name = "worst",
     .order = HD_FOR_TREE,
     .rule = "worst case: 1 / the load of the worst permutation",
     .nquantity = 1,
     .quantity = {HD_Q_WORST},
     .before = "at worst ",
     .behind = " flows on a cable",
     .collective = HD_CASE_SHIFT,
     .collective_text = "an all-to-all"},
};

enum { GOALS = sizeof goals / sizeof *goals };

const char *hd_advise_goal_name(size_t i)
{
    return i < GOALS ? goals[i].name : NULL;
}

hd_status hd_advise_goal_unknown(struct hd_ctx *ctx, const char *name)
{
    const char *names[GOALS];
    for (size_t i = 0; i < GOALS; i++) names[i] = goals[i].name;
    return hd_fail_choice(ctx, "goal", name, names, GOALS);
}

const struct hd_advise_goal *hd_advise_goal(const char *name)
{
    if (!name) return &goals[0];
    for (size_t i = 0; i < GOALS; i++)
        if (strcmp(name, goals[i].name) == 0) return &goals[i];
    return NULL;
}
