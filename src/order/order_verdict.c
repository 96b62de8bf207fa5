/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether an order is worth using. Gains are ratios of bandwidth with synchronised stages, since that is the time that
 * a pattern takes. How far they can be trusted follows from the pattern: a ring is one stage, so its flows meet
 * whatever the ranks do; recursive doubling and a binomial tree wait for each other from stage to stage; the stages of
 * an all-to-all drift apart unless the library synchronises them, and the total load of a channel does not depend on
 * the order. Under adaptive routing switches avoid what is counted here. A gain below 2 % is none: measurements of real
 * machines scatter more. */
#include "heddle/order.h"

#include <math.h>

#define WORTH 0.02

const char *hd_confidence_name(enum hd_confidence confidence)
{
    static const char *const names[] = {"low", "medium", "high"};
    return (size_t)confidence < sizeof names / sizeof *names ? names[confidence] : "low";
}

int hd_gain_sign(double gain)
{
    return gain > 1 + WORTH ? 1 : gain < 1 - WORTH ? -1 : 0;
}

static double verdict_of_goal(const struct hd_order_verdict *v, enum hd_goal goal)
{
    if (goal == HD_FOR_RING) return v->gain[HD_CASE_RING];
    if (goal == HD_FOR_ALLTOALL) return v->gain[HD_CASE_SHIFT];
    if (goal == HD_FOR_RECDBL) return v->gain[HD_CASE_RECDBL];
    return cbrt(v->gain[HD_CASE_RING] * v->gain[HD_CASE_SHIFT] * v->gain[HD_CASE_RECDBL]);
}

void hd_order_judge(const struct hd_routes *r, enum hd_goal goal, const struct hd_hsd before[HD_CASES],
                    const struct hd_hsd after[HD_CASES], struct hd_order_verdict *verdict)
{
    bool adaptive = r && hd_routes_adaptive(r);
    for (int c = 0; c < HD_CASES; c++) {
        verdict->gain[c] = after[c].bandwidth / before[c].bandwidth;
        verdict->confidence[c] = c == HD_CASE_RING    ? HD_CONFIDENCE_HIGH
                                 : c == HD_CASE_SHIFT ? HD_CONFIDENCE_LOW
                                                      : HD_CONFIDENCE_MEDIUM;
        verdict->why[c] = c == HD_CASE_RING    ? "all flows run at once"
                          : c == HD_CASE_SHIFT ? "only if the stages are synchronised"
                                               : "stages follow each other";
        if (!adaptive) continue;
        verdict->confidence[c] = HD_CONFIDENCE_LOW;
        verdict->why[c] = "counted for the static ports: switches route adaptively";
    }
    verdict->use = goal >= HD_FOR_RANDOM || hd_gain_sign(verdict_of_goal(verdict, goal)) > 0;
}
