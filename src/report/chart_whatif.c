/* SPDX-License-Identifier: BSD-2-Clause */
/* After a failure: effective bisection bandwidth with the old tables and after rerouting, each as a dot at the mean
 * with a whisker to the lowest of the cases tried; dashed: before it. */
#include "base/status.h"
#include "report/charts.h"

#include <math.h>
#include <stdio.h>

enum {
    PX = HD_PX,
    LABEL = 250 * HD_PX,
    PLOT = 680 * HD_PX,
    NUMBERS = 206 * HD_PX,
    ROW = 30 * HD_PX,
    CASE = 92 * HD_PX
};

bool hd_has_whatif(const struct hd_report *r)
{
    return r->nwhat_if > 0;
}

struct whatif_line {
    const char *name, *class, *words;
    double mean, least, lost; /* lost: share of pairs without a path */
};

static void whatif_draw_line(struct hd_ink *k, const struct hd_axis *a, const struct whatif_line *l, int32_t y)
{
    char mean[HD_NUMBER], least[HD_NUMBER], lost[HD_NUMBER], class[40];
    hd_ink_text(k, "m", 14 * PX, y + 4 * PX, "%s", l->name);
    hd_ink_text(k, l->words, LABEL + PLOT + 66 * PX, y + 4 * PX, "%s", hd_number(mean, l->mean, 4));
    hd_ink_text(k, "num e m", LABEL + PLOT + 132 * PX, y + 4 * PX, "%s", hd_number(least, l->least, 4));
    hd_ink_text(k, "num e m", LABEL + PLOT + 200 * PX, y + 4 * PX, "%s %%", hd_number(lost, 100 * l->lost, 1));
    if (!isfinite(l->mean)) return;
    int32_t x = hd_axis_at(a, l->mean), z = isfinite(l->least) ? hd_axis_at(a, l->least) : x;
    snprintf(class, sizeof class, "%s thin", l->class);
    hd_ink_line(k, class, z, y, x, y);
    hd_ink_line(k, class, z, y - 5 * PX, z, y + 5 * PX);
    snprintf(class, sizeof class, "%s dot", l->class);
    hd_ink_dot(k, class, x, y, 55);
}

static void whatif_fit(const struct hd_report *r, struct hd_axis *a)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < r->nwhat_if; i++) {
        const struct hd_report_what_if *w = &r->what_if[i];
        const double v[] = {w->ebb_before, w->stays_mean, w->stays_min, w->rerouted_mean, w->rerouted_min, 0};
        for (int j = 0; j < 5; j++) {
            if (!isfinite(v[j])) continue;
            least = fmin(least, v[j]);
            most = fmax(most, v[j]);
        }
    }
    if (!isfinite(least)) least = 0, most = 1;
    if (most - least < 0.02) least = least > 0.02 ? least - 0.02 : 0;
    hd_axis_fit(a, least, most, 5);
}

hd_status hd_chart_whatif(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    struct hd_axis a = {.at = LABEL, .length = PLOT};
    whatif_fit(r, &a);
    int32_t top = 20 * PX, bottom = top + (int32_t)r->nwhat_if * CASE;
    hd_ink_begin(k, LABEL + PLOT + NUMBERS, bottom + 42 * PX, "After a failure",
                 "Effective bisection bandwidth with the old tables and after rerouting: mean, the lowest of the cases "
                 "tried, and the most pairs that one of them cuts off.");
    hd_axis_draw(k, &a, top, bottom, "Effective bisection bandwidth, share of an endpoint's rate");
    hd_ink_text(k, "s e", LABEL + PLOT + 66 * PX, 11 * PX, "\xe2\x97\x8f mean");
    hd_ink_text(k, "s e", LABEL + PLOT + 132 * PX, 11 * PX, "| lowest");
    hd_ink_text(k, "s e", LABEL + PLOT + 200 * PX, 11 * PX, "cut off");
    for (uint32_t i = 0; i < r->nwhat_if; i++) {
        const struct hd_report_what_if *w = &r->what_if[i];
        int32_t y = top + (int32_t)i * CASE + 18 * PX;
        char whole[HD_NUMBER];
        hd_ink_text(k, "b", 0, y, "%s", w->what);
        if (isfinite(w->ebb_before)) {
            hd_ink_line(k, "bound", hd_axis_at(&a, w->ebb_before), y - 8 * PX, hd_axis_at(&a, w->ebb_before),
                        y + 62 * PX);
            hd_ink_text(k, "s e num", LABEL + PLOT + 66 * PX, y, "\xc2\xa6 before %s",
                        hd_number(whole, w->ebb_before, 4));
        }
        whatif_draw_line(
            k, &a,
            &(struct whatif_line){"old tables stay", "cur", "num e tc", w->stays_mean, w->stays_min, w->lost_max},
            y + 22 * PX);
        whatif_draw_line(k, &a,
                         &(struct whatif_line){"rerouted", "best", "num e tb b", w->rerouted_mean, w->rerouted_min, 0},
                         y + 22 * PX + ROW);
    }
    hd_ink_end(k);
    return HD_OK;
}
