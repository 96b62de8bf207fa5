/* SPDX-License-Identifier: BSD-2-Clause */
/* From leaf to leaf: the mean share of an endpoint's rate that a flow gets, rows sending, columns receiving. The less
 * it is, the stronger the colour. Cells of one colour are one path in units of cells, so that 64 x 64 take 50 kB; with
 * more leaves the map is larger, and pages have fewer of them. */
#include "base/c_locale.h"
#include "base/status.h"
#include "report/charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PX = HD_PX, LEFT = 76 * HD_PX, TOP = 76 * HD_PX, LABEL = 11 * HD_PX };

static int32_t heat_side(const struct hd_report *r)
{
    return (r->ngroup > HD_HEAT_SMALL ? 600 : 264) * PX;
}

#define LEAST_SPAN 0.3 /* of the most: smaller differences are not to look dramatic */

bool hd_has_heat(const struct hd_report *r, uint32_t option)
{
    return hd_measured(&r->option[option]) && r->option[option].heat && r->ngroup;
}

struct heat_span {
    double least, most, sum;
    uint64_t n;
    uint32_t from, to; /* of the least */
};

static struct heat_span heat_span_of(const struct hd_report *r, uint32_t option)
{
    const float *heat = r->option[option].heat;
    struct heat_span s = {.least = INFINITY, .most = -INFINITY};
    for (uint32_t i = 0; i < r->ngroup; i++)
        for (uint32_t j = 0; j < r->ngroup; j++) {
            double share = heat[(size_t)i * r->ngroup + j];
            if (isnan(share)) continue;
            if (share < s.least) s.least = share, s.from = i, s.to = j;
            if (share > s.most) s.most = share;
            s.sum += share;
            s.n++;
        }
    return s;
}

void hd_heat_ramp(const struct hd_report *r, struct hd_ramp *ramp)
{
    double least = INFINITY, most = 0, lowest = INFINITY;
    for (uint32_t i = 0; i < r->noption; i++) {
        if (!hd_has_heat(r, i)) continue;
        struct heat_span s = heat_span_of(r, i);
        lowest = fmin(lowest, s.least);
        if (!s.n || !hd_option_on_scale(r, i)) continue;
        if (s.least < least) least = s.least;
        if (s.most > most) most = s.most;
    }
    if (!isfinite(least)) least = 0, most = 1;
    if (most - least < LEAST_SPAN * most) least = (1 - LEAST_SPAN) * most;
    /* Steps that end at the most, so that a whole share is the palest. What is less than the largest step can hold
     * shares the strongest. */
    static const struct {
        double step;
        int digits;
    } steps[] = {{0.005, 3}, {0.01, 2}, {0.02, 2}, {0.03, 2}, {0.04, 2}, {0.05, 2}, {0.06, 2}, {0.08, 2}, {0.1, 1}};
    double top = ceil(most * 20 - 1e-6) / 20;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        *ramp = (struct hd_ramp){
            .min = top - HD_BINS_OF_RAMP * steps[i].step, .step = steps[i].step, .digits = steps[i].digits};
        if (ramp->min <= least + 1e-6) break;
    }
    ramp->less = ramp->min > lowest + 1e-6;
    if (ramp->min < 0) ramp->min = 0;
}

/* The cells of one colour, in units of cells. */
static void heat_put_bin(struct hd_ink *k, const float *heat, const struct hd_ramp *ramp, uint32_t bin)
{
    uint32_t n = k->r->ngroup;
    bool open = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double share = heat[(size_t)i * n + j];
            uint32_t wide = 0;
            while (j + wide < n && !isnan(share) && hd_ramp_bin(ramp, share) == bin) {
                wide++;
                share = j + wide < n ? heat[(size_t)i * n + j + wide] : NAN;
            }
            if (!wide) continue;
            if (!open) hd_printf(k->o, "<path class=\"q%u\" d=\"", HD_BINS_OF_RAMP - 1 - bin);
            open = true;
            hd_printf(k->o, "M%u %uh%uv1h-%uz", j, i, wide, wide);
            j += wide - 1;
        }
    if (open) hd_puts(k->o, "\"/>\n");
}

/* "leaf-01 .. leaf-18 (18)" is labelled with its first name. */
static const char *heat_label_of(char buf[HD_NAME], const char *group)
{
    const char *range = strstr(group, " .. ");
    char first[HD_NAME];
    snprintf(first, sizeof first, "%.*s", range ? (int)(range - group) : HD_NAME - 1, group);
    return hd_short(buf, first, 9);
}

static void heat_put_labels(struct hd_ink *k)
{
    uint32_t n = k->r->ngroup;
    int32_t side = heat_side(k->r), last = side - side / (int32_t)(2 * n), next = 0;
    char name[HD_NAME];
    for (uint32_t i = 0; i < n; i++) {
        int32_t middle = (int32_t)((int64_t)side * (2 * i + 1) / (2 * n));
        if (i && i != n - 1 && (middle < next || middle > last - LABEL)) continue;
        next = middle + LABEL;
        hd_ink_text(k, "s e", LEFT - 5 * PX, TOP + middle + 4 * PX, "%s", heat_label_of(name, k->r->group[i]));
        hd_draw_text(k->o, &(struct hd_draw_text){LEFT + middle, TOP - 5 * PX, "s", -90, 0, true}, name);
    }
}

void hd_heat_words(const struct hd_report *r, uint32_t option, char *text, size_t room)
{
    struct heat_span s = heat_span_of(r, option);
    char a[HD_NAME], b[HD_NAME];
    if (!s.n)
        snprintf(text, room, "No pair of leaves to show.");
    else
        hd_format(text, room, "Mean share %.4f; least %.4f, from %s to %s; most %.4f.", s.sum / (double)s.n, s.least,
                  hd_short(a, r->group[s.from], 40), hd_short(b, r->group[s.to], 40), s.most);
}

hd_status hd_chart_heat(struct hd_ink *k, uint32_t option)
{
    const struct hd_report *r = k->r;
    struct hd_ramp ramp;
    char title[300], desc[500], name[HD_NAME];
    hd_heat_ramp(r, &ramp);
    snprintf(title, sizeof title, "Bandwidth from leaf to leaf: %s", hd_short(name, r->option[option].table, 30));
    hd_heat_words(r, option, desc, sizeof desc);
    int32_t side = heat_side(r), foot = k->whole ? HD_RAMP_HEIGHT + 24 * PX : 22 * PX, width = side + 4 * PX;
    if (k->whole && width < HD_RAMP_WIDTH + 12 * PX) width = HD_RAMP_WIDTH + 12 * PX;
    hd_ink_begin(k, LEFT + width, TOP + side + foot, title, desc);
    hd_puts(k->o, "<g transform=\"translate(");
    hd_draw_number(k->o, LEFT);
    hd_puts(k->o, " ");
    hd_draw_number(k->o, TOP);
    hd_printf(k->o, ")scale(%.5f)\" shape-rendering=\"crispEdges\">\n", (double)side / PX / r->ngroup);
    for (uint32_t bin = 0; bin < HD_BINS_OF_RAMP; bin++) heat_put_bin(k, r->option[option].heat, &ramp, bin);
    hd_puts(k->o, "</g>\n");
    heat_put_labels(k);
    hd_ink_text(k, "s", LEFT, TOP + side + 16 * PX, "rows send, columns receive");
    if (k->whole) hd_ramp_draw(k, &ramp, true, LEFT, TOP + side + 26 * PX, "Share of an endpoint's rate");
    hd_ink_end(k);
    return HD_OK;
}
