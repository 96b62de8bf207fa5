/* SPDX-License-Identifier: BSD-2-Clause */
/* Bandwidth of random bisections, one row per routing: the distribution over samples as a body whose thickness is the
 * number of samples near that value (a histogram smoothed with a triangle, mirrored), the mean as a dot with its 99 %
 * confidence interval, and the bound, if known, as a dashed line. O(samples) per routing. */
#include "base/c_locale.h"
#include "base/status.h"
#include "report/charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PX = HD_PX,
    LABEL = 210 * HD_PX,
    PLOT = 776 * HD_PX,
    NUMBERS = 120 * HD_PX,
    ROW = 44 * HD_PX,
    STEPS = 160,
    BLUR = 5
};

bool hd_has_samples(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->noption; i++)
        if (hd_measured(&r->option[i]) && r->option[i].nsample) return true;
    return false;
}

/* The mean, its width and bound come from the figure of that name; the samples' own mean where there is none. */
static struct hd_report_figure bandwidth_figure_of(const struct hd_report *r, const struct hd_report_option *p)
{
    struct hd_report_figure f = {.value = NAN, .ci = 0, .bound = NAN};
    for (uint32_t q = 0; q < r->nquantity; q++)
        if (strcmp(r->quantity[q].name, "ebb") == 0 && p->figure) f = p->figure[q];
    if (!isnan(f.value)) return f;
    double sum = 0;
    for (uint32_t i = 0; i < p->nsample; i++) sum += p->sample[i];
    f.value = sum / p->nsample;
    return f;
}

/* Bodies are wider than their samples by the blur: where the axis ends too close to samples it is one tick longer, but
 * no bandwidth is below 0, and none is above 1 unless a sample is. */
static void bandwidth_fit(const struct hd_report *r, struct hd_axis *a)
{
    double least = INFINITY, most = 0, bound = 0;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *p = &r->option[i];
        if (!hd_measured(p) || !p->nsample) continue;
        for (uint32_t j = 0; j < p->nsample; j++) {
            if (p->sample[j] < least) least = p->sample[j];
            if (p->sample[j] > most) most = p->sample[j];
        }
        struct hd_report_figure f = bandwidth_figure_of(r, p);
        if (f.bound > bound) bound = f.bound;
    }
    if (fmax(most, bound) - least < 0.02) least = least > 0.02 ? least - 0.02 : 0;
    hd_axis_fit(a, least, fmax(most, bound), 6);
    const double room = (a->max - a->min) * BLUR / STEPS, first = round(a->min / a->step);
    const double last = round(a->max / a->step), end = most > 1 ? INFINITY : 1 - a->step / 2;
    if (least - room < a->min && first > 0) a->min = (first - 1) * a->step;
    if (most + room > a->max && a->max < end) a->max = (last + 1) * a->step;
    a->at = LABEL;
    a->length = PLOT;
}

/* Half-thickness at STEPS+1 places, in tenths of a pixel. */
static void bandwidth_thickness(const struct hd_axis *a, const struct hd_report_option *p, int32_t half[STEPS + 1])
{
    uint32_t count[STEPS + 1] = {0};
    uint64_t smooth[STEPS + 1] = {0}, most = 1;
    for (uint32_t i = 0; i < p->nsample; i++) {
        double at = (p->sample[i] - a->min) / (a->max - a->min) * STEPS;
        count[at < 0 ? 0 : at > STEPS ? STEPS : (uint32_t)lround(at)]++;
    }
    for (int i = 0; i <= STEPS; i++) {
        for (int j = -BLUR; j <= BLUR; j++)
            if (i + j >= 0 && i + j <= STEPS) smooth[i] += count[i + j] * (uint64_t)(BLUR + 1 - (j < 0 ? -j : j));
        if (smooth[i] > most) most = smooth[i];
    }
    for (int i = 0; i <= STEPS; i++) half[i] = (int32_t)(smooth[i] * (uint64_t)(16 * PX) / most);
}

static void bandwidth_draw_body(struct hd_ink *k, const struct hd_axis *a, uint32_t option, int32_t y)
{
    int32_t half[STEPS + 1], first = 0, last = STEPS;
    const struct hd_report_option *p = &k->r->option[option];
    char class[40];
    uint32_t same = 1;
    while (same < p->nsample && p->sample[same] == p->sample[0]) same++;
    if (same == p->nsample) return; /* all samples are equal: the dot is enough */
    bandwidth_thickness(a, p, half);
    while (first < STEPS && !half[first]) first++;
    while (last > 0 && !half[last]) last--;
    snprintf(class, sizeof class, "body %s", hd_option_class(k->r, option));
    hd_draw_path(k->o, class, 0, 0);
    for (int32_t i = first; i <= last; i++)
        (i == first ? hd_draw_move : hd_draw_line)(k->o, a->at + i * a->length / STEPS, y - half[i]);
    for (int32_t i = last; i >= first; i--) hd_draw_line(k->o, a->at + i * a->length / STEPS, y + half[i]);
    hd_puts(k->o, "z");
    hd_draw_path_end(k->o);
}

static void bandwidth_draw_row(struct hd_ink *k, const struct hd_axis *a, uint32_t option, int32_t y)
{
    const struct hd_report_option *p = &k->r->option[option];
    struct hd_report_figure f = bandwidth_figure_of(k->r, p);
    const char *tag = hd_option_tag(k->r, option);
    char class[40], name[HD_NAME], value[HD_NUMBER], width[HD_NUMBER];
    hd_ink_text(k, *tag ? "b" : "", 0, y + (*tag ? -PX : 4 * PX), "%s", hd_short(name, p->table, 28));
    snprintf(class, sizeof class, "s b %s", option == k->r->best ? "tb" : "tc");
    if (*tag) hd_ink_text(k, class, 0, y + 13 * PX, "%s", tag);
    bandwidth_draw_body(k, a, option, y);
    int32_t low = hd_axis_at(a, f.value - f.ci / 2), high = hd_axis_at(a, f.value + f.ci / 2);
    if (high - low > 8 * PX) { /* else the dot covers it */
        hd_draw_path(k->o, "ci", 0, 0);
        hd_draw_move(k->o, low, y - 5 * PX);
        hd_draw_line(k->o, low, y + 5 * PX);
        hd_draw_move(k->o, low, y);
        hd_draw_line(k->o, high, y);
        hd_draw_move(k->o, high, y - 5 * PX);
        hd_draw_line(k->o, high, y + 5 * PX);
        hd_draw_path_end(k->o);
    }
    hd_ink_dot(k, hd_option_class(k->r, option), hd_axis_at(a, f.value), y, 40);
    hd_ink_text(k, "b num e", LABEL + PLOT + 66 * PX, y + 4 * PX, "%s", hd_number(value, f.value, 4));
    hd_ink_text(k, "s num", LABEL + PLOT + 72 * PX, y + 4 * PX, "\xc2\xb1%s", hd_number(width, f.ci / 2, 4));
}

static void bandwidth_draw_bound(struct hd_ink *k, const struct hd_axis *a, int32_t bottom)
{
    double bound = NAN;
    char text[HD_NUMBER];
    for (uint32_t i = 0; i < k->r->noption && isnan(bound); i++)
        if (hd_measured(&k->r->option[i]) && k->r->option[i].nsample)
            bound = bandwidth_figure_of(k->r, &k->r->option[i]).bound;
    if (isnan(bound)) return;
    int32_t x = hd_axis_at(a, bound);
    hd_ink_line(k, "bound", x, 16 * PX, x, bottom);
    hd_ink_text(k, "s e num", x + 4 * PX, 11 * PX, "no routing beats %s", hd_number(text, bound, 4));
}

hd_status hd_chart_bandwidth(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    struct hd_axis a = {0};
    uint32_t rows = 0, samples = 0;
    char desc[300], name[HD_NAME];
    for (uint32_t i = 0; i < r->noption; i++) {
        if (!hd_measured(&r->option[i]) || !r->option[i].nsample) continue;
        rows++;
        if (r->option[i].nsample > samples) samples = r->option[i].nsample;
    }
    bandwidth_fit(r, &a);
    int32_t top = 20 * PX, bottom = top + (int32_t)rows * ROW;
    int at = snprintf(desc, sizeof desc, "Distribution over %u random bisections for %u routings.", samples, rows);
    if (r->best < r->noption && r->option[r->best].nsample)
        hd_format(desc + at, sizeof desc - (size_t)at, " %s is ranked first, with a mean of %.4f.",
                  hd_short(name, r->option[r->best].table, 60), bandwidth_figure_of(r, &r->option[r->best]).value);
    hd_ink_begin(k, LABEL + PLOT + NUMBERS, bottom + 42 * PX, "Effective bandwidth of random bisections", desc);
    hd_axis_draw(k, &a, top, bottom, "Effective bandwidth of a random bisection, share of an endpoint's rate");
    bandwidth_draw_bound(k, &a, bottom);
    hd_ink_text(k, "s e", LABEL + PLOT + 66 * PX, 11 * PX, "mean");
    hd_ink_text(k, "s", LABEL + PLOT + 72 * PX, 11 * PX, "99 %%");
    int32_t y = top + ROW / 2;
    for (uint32_t i = 0; i < r->noption; i++) {
        if (!hd_measured(&r->option[i]) || !r->option[i].nsample) continue;
        bandwidth_draw_row(k, &a, i, y);
        y += ROW;
    }
    hd_ink_end(k);
    return HD_OK;
}
