/* SPDX-License-Identifier: BSD-2-Clause */
/* The average hot-spot degree of each pattern in the current rank order and in the suggested one, connected by a line;
 * a dashed tick is the bound that no order can beat with this table. Left is better. */
#include "base/status.h"
#include "report/charts.h"

#include <math.h>
#include <stdio.h>

enum { PX = HD_PX, LABEL = 210 * HD_PX, PLOT = 720 * HD_PX, NUMBERS = 220 * HD_PX, ROW = 40 * HD_PX };

static bool order_shown(const struct hd_report_before_after *b)
{
    return isfinite(b->before.average) && isfinite(b->after.average);
}

bool hd_has_orders(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->nbefore_after; i++)
        if (order_shown(&r->before_after[i])) return true;
    return false;
}

static void order_draw_row(struct hd_ink *k, const struct hd_axis *a, const struct hd_report_before_after *b, int32_t y)
{
    char before[HD_NUMBER], after[HD_NUMBER], bound[HD_NUMBER];
    int32_t x = hd_axis_at(a, b->before.average), z = hd_axis_at(a, b->after.average);
    hd_ink_text(k, "b", 0, y + 4 * PX, "%s", hd_case_name(b->use));
    hd_ink_line(k, "best thin", x, y, z, y);
    if (isfinite(b->bound)) {
        int32_t at = hd_axis_at(a, b->bound);
        hd_ink_line(k, "bound", at, y - 13 * PX, at, y + 13 * PX);
    }
    hd_ink_dot(k, "cur hollow", x, y, 55);
    hd_ink_dot(k, "best", z, y, 55);
    hd_ink_text(k, "num e tc", LABEL + PLOT + 66 * PX, y + 4 * PX, "%s", hd_number(before, b->before.average, 3));
    hd_ink_text(k, "num e tb b", LABEL + PLOT + 122 * PX, y + 4 * PX, "%s", hd_number(after, b->after.average, 3));
    hd_ink_text(k, "num e m", LABEL + PLOT + 218 * PX, y + 4 * PX, "%s", hd_number(bound, b->bound, 3));
}

static void order_draw_head(struct hd_ink *k, int32_t y)
{
    hd_ink_text(k, "s e tc", LABEL + PLOT + 66 * PX, y, "\xe2\x97\x8b before");
    hd_ink_text(k, "s e tb", LABEL + PLOT + 122 * PX, y, "\xe2\x97\x8f after");
    hd_ink_text(k, "s e", LABEL + PLOT + 218 * PX, y, "\xc2\xa6 table's bound");
}

hd_status hd_chart_order(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    struct hd_axis a = {.at = LABEL, .length = PLOT};
    double most = 1;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < r->nbefore_after; i++) {
        const struct hd_report_before_after *b = &r->before_after[i];
        if (!order_shown(b)) continue;
        most = fmax(most, fmax(b->before.average, b->after.average));
        if (isfinite(b->bound)) most = fmax(most, b->bound);
        rows++;
    }
    hd_axis_fit(&a, 0, most, 6);
    int32_t top = 20 * PX, bottom = top + (int32_t)rows * ROW, y = top + ROW / 2;
    hd_ink_begin(k, LABEL + PLOT + NUMBERS, bottom + 42 * PX, "Hot spots before and after ordering the ranks",
                 "Average hot-spot degree of each pattern, before and after; less is better, 1 is the least.");
    hd_axis_draw(k, &a, top, bottom,
                 "Average over stages of the flows on the busiest channel; 1 is free of contention");
    order_draw_head(k, 11 * PX);
    for (uint32_t i = 0; i < r->nbefore_after; i++) {
        if (!order_shown(&r->before_after[i])) continue;
        order_draw_row(k, &a, &r->before_after[i], y);
        y += ROW;
    }
    hd_ink_end(k);
    return HD_OK;
}
