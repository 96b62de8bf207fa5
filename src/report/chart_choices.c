/* SPDX-License-Identifier: BSD-2-Clause */
/* The choices beside what the fabric has, one row each: a dot at the value that the goal is about, its 99 % confidence
 * interval, the gain, and whether it heals. The dashed line is what the fabric has. Without choices, the best tables
 * that were compared take their place. The sheet is narrow: it is the first picture of the page, on a phone too. */
#include "base/status.h"
#include "report/charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PX = HD_PX, WIDE = 372 * HD_PX, PLOT = 210 * HD_PX, ROW = 42 * HD_PX, TOP = 4 * HD_PX, MOST = 4 };

struct choices_row {
    char label[HD_NAME];
    const char *class, *healing;
    double value, half, gain, error; /* half: of the interval of the value; NAN: not known */
};

struct choices_chart {
    struct choices_row row[MOST];
    uint32_t n, quantity;
};

static void choices_add(const struct hd_report *r, struct choices_chart *c, uint32_t option, const char *class)
{
    const struct hd_report_figure *f = &r->option[option].figure[c->quantity];
    if (c->n == MOST || isnan(f->value)) return;
    struct choices_row *row = &c->row[c->n++];
    *row = (struct choices_row){.class = class, .value = f->value, .half = f->ci / 2, .gain = NAN, .error = NAN};
    hd_short(row->label, hd_option_label(r, option), 40);
}

/* What the fabric has, then every other choice. */
static void choices_rows(const struct hd_report *r, struct choices_chart *c)
{
    uint32_t from = hd_yardstick(r);
    c->quantity = r->choice[0].quantity;
    if (from < r->noption) {
        choices_add(r, c, from, "cur");
        snprintf(c->row[0].label, HD_NAME, "%s", r->option[from].current ? "the current table" : "OpenSM's default, ");
        if (!r->option[from].current) hd_short(c->row[0].label + strlen(c->row[0].label), r->option[from].table, 20);
    }
    for (uint32_t i = 0; i < r->nchoice; i++) {
        const struct hd_report_choice *x = &r->choice[i];
        char name[HD_NAME];
        uint32_t n = c->n;
        if (x->option == from) continue;
        choices_add(r, c, x->option, x->take ? "best" : "oth");
        if (c->n == n) continue;
        struct choices_row *row = &c->row[n];
        snprintf(row->label, HD_NAME, "%s: %s", x->name, hd_short(name, hd_option_label(r, x->option), 24));
        row->healing = x->heals ? "heals itself" : "does not heal";
        row->gain = x->gain;
        row->error = x->error;
    }
}

static bool choices_better(const struct hd_report_option *x, const struct hd_report_option *y)
{
    return !(x->score <= y->score);
}

/* The table to keep, or the best one, and those next to it. */
static void choices_best(const struct hd_report *r, struct choices_chart *c)
{
    uint32_t first = r->best < r->noption ? r->best : hd_yardstick(r), last = first;
    if (first < r->noption && r->option[first].figure)
        choices_add(r, c, first, r->option[first].current ? "cur" : "best");
    while (c->n && c->n < MOST) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < r->noption; i++) {
            const struct hd_report_option *o = &r->option[i];
            if (i == first || !hd_measured(o) || !o->figure || o->mark || isnan(o->score)) continue;
            bool after =
                last == first || o->score < r->option[last].score || (o->score == r->option[last].score && i > last);
            if (after &&
                (next == UINT32_MAX || (o->score != r->option[next].score && choices_better(o, &r->option[next]))))
                next = i;
        }
        if (next == UINT32_MAX) return;
        choices_add(r, c, next, "oth");
        last = next;
    }
}

static void choices_make(const struct hd_report *r, struct choices_chart *c)
{
    *c = (struct choices_chart){.quantity = 0};
    if (!r->nquantity) return;
    if (r->nchoice) choices_rows(r, c);
    if (c->n > 1) return;
    c->n = 0;
    choices_best(r, c);
}

bool hd_has_choices(const struct hd_report *r)
{
    struct choices_chart c;
    choices_make(r, &c);
    return c.n > 0;
}

static void choices_fit(const struct choices_chart *c, struct hd_axis *a)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < c->n; i++) {
        least = fmin(least, c->row[i].value - c->row[i].half);
        most = fmax(most, c->row[i].value + c->row[i].half);
    }
    /* Differences that nobody would notice are not spread over the whole width. */
    double spare = 0.05 * fabs(most) - (most - least);
    if (spare > 0) least -= spare;
    hd_axis_fit(a, least < 0 ? 0 : least, most, 4);
}

static void choices_draw_gain(struct hd_ink *k, const struct choices_row *row, int32_t y)
{
    char value[HD_NUMBER];
    double most[] = {row->value};
    int digits = hd_digits(most, 1);
    hd_ink_text(k, "num e b", PLOT + 62 * PX, y, "%s", hd_number(value, row->value, digits > 3 ? 3 : digits));
    if (isnan(row->gain) || row->gain > 9) return;
    if (row->error > 0)
        hd_ink_text(k, "num e m", WIDE - 3 * PX, y, "%+.0f \xc2\xb1 %.0f %%", hd_percent(row->gain),
                    fmax(1, ceil(100 * row->error)));
    else
        hd_ink_text(k, "num e m", WIDE - 3 * PX, y, "%+.0f %%", hd_percent(row->gain));
}

static void choices_draw_row(struct hd_ink *k, const struct hd_axis *a, const struct choices_row *row, int32_t y)
{
    char class[40];
    int32_t at = y + 26 * PX, x = hd_axis_at(a, row->value);
    bool taken = strcmp(row->class, "best") == 0;
    hd_ink_text(k, taken ? "b tb" : "b", 0, y + 12 * PX, "%s", row->label);
    if (row->healing)
        hd_ink_text(k, "s e", WIDE - 3 * PX, y + 12 * PX, "%s%s", taken ? "recommended, " : "", row->healing);
    hd_ink_line(k, "g", a->at, at, a->at + a->length, at);
    if (row->half > 0) {
        int32_t low = hd_axis_at(a, row->value - row->half), high = hd_axis_at(a, row->value + row->half);
        hd_ink_line(k, "ci", low, at, high, at);
        hd_ink_line(k, "ci", low, at - 7 * PX, low, at + 7 * PX);
        hd_ink_line(k, "ci", high, at - 7 * PX, high, at + 7 * PX);
    }
    snprintf(class, sizeof class, "%s dot", row->class);
    hd_ink_dot(k, class, x, at, 38);
    choices_draw_gain(k, row, at + 4 * PX);
}

hd_status hd_chart_choices(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    struct choices_chart c;
    struct hd_axis a = {.at = 15 * PX, .length = PLOT - 15 * PX};
    choices_make(r, &c);
    const struct hd_report_quantity *q = &r->quantity[c.quantity];
    char title[HD_NAME];
    choices_fit(&c, &a);
    int32_t bottom = TOP + (int32_t)c.n * ROW;
    hd_ink_begin(k, WIDE, bottom + 40 * PX, "What to choose from",
                 "A dot for each choice at its value, with the 99 % confidence interval; dashed: what the fabric has.");
    snprintf(title, sizeof title, "%s, with 99 %% interval",
             strcmp(q->name, "ebb") == 0 ? "Share of a link that random pairs get"
             : q->higher_is_better       ? q->title
                                         : "Flows on the busiest cable (fewer are better)");
    hd_axis_draw(k, &a, bottom, bottom, title);
    for (uint32_t i = 0; i < c.n; i++) {
        int32_t y = TOP + (int32_t)i * ROW, x = hd_axis_at(&a, c.row[0].value);
        if (i && strcmp(c.row[0].class, "cur") == 0) hd_ink_line(k, "bound", x, y + 19 * PX, x, y + 34 * PX);
        choices_draw_row(k, &a, &c.row[i], y);
    }
    hd_ink_end(k);
    return HD_OK;
}
