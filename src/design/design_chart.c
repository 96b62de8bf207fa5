/* SPDX-License-Identifier: BSD-2-Clause */
/* The designs as one picture for a slide: EBB over cost, the Pareto front as a line, every dot numbered as in the list
 * below it. Colours are attributes, so that programs without style sheets (librsvg, LaTeX, slides) draw it as intended;
 * a media query changes them on dark ground. Lengths are whole pixels. */
#include "base/c_locale.h"
#include "base/escape.h"
#include "base/status.h"
#include "design/design_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 960, LEFT = 70, TOP = 84, PLOT_W = 840, PLOT_H = 330, LIST_ROW = 20, TICKS = 5, MOST_LABELS = 64 };

struct design_axis {
    double min, max, step;
};

static const char style[] =
    "<style>text{font-family:'Helvetica Neue',Arial,'DejaVu Sans',sans-serif}"
    "@media (prefers-color-scheme:dark){.bg{fill:#10151c}.ink{fill:#e8edf3}.mut{fill:#a5b2c1}.grid{stroke:#2a333f}"
    ".front{stroke:#6ab5ff}.best{fill:#6ab5ff}.rest{fill:#6f7d8d}.on{fill:#10151c}}</style>\n";

/* Steps of 1, 2 or 5 times a power of ten, five or so. Values that differ by rounding alone count as equal: a step from
 * one to the other would be lost in the sum. */
static struct design_axis round_axis(double min, double max)
{
    double span = max - min > 1e-9 * max ? max - min : max > 0 ? max : 1, power = pow(10, floor(log10(span / TICKS)));
    double step = span / TICKS / power;
    struct design_axis a = {.step = (step <= 1 ? 1 : step <= 2 ? 2 : step <= 5 ? 5 : 10) * power};
    a.min = floor(min / a.step) * a.step;
    a.max = ceil(max / a.step) * a.step;
    if (a.max <= a.min) a.max = a.min + a.step;
    return a;
}

static int axis_x(const struct design_axis *a, double v)
{
    return LEFT + (int)lround((v - a->min) / (a->max - a->min) * PLOT_W);
}

static int axis_y(const struct design_axis *a, double v)
{
    return TOP + PLOT_H - (int)lround((v - a->min) / (a->max - a->min) * PLOT_H);
}

static void chart_text(struct hd_out *o, int x, int y, const char *attributes, const char *text)
{
    hd_printf(o, "<text x=\"%d\" y=\"%d\" %s>", x, y, attributes);
    hd_put_xml(o, text);
    hd_puts(o, "</text>\n");
}

#define INK "class=\"ink\" fill=\"#14202b\" font-size=\"13\""
#define MUTED "class=\"mut\" fill=\"#55636f\" font-size=\"12\""

static void chart_axes(struct hd_out *o, const struct design_axis *x, const struct design_axis *y, const char *cost)
{
    char label[40];
    const char *grid = "class=\"grid\" stroke=\"#d5dbe2\" stroke-width=\"1\"";
    for (double v = y->min; v <= y->max + y->step / 2; v += y->step) {
        int at = axis_y(y, v);
        hd_printf(o, "<path %s d=\"M%d %dH%d\"/>\n", grid, LEFT, at, LEFT + PLOT_W);
        hd_format(label, sizeof label, "%.2f", v);
        chart_text(o, LEFT - 8, at + 4, MUTED " text-anchor=\"end\"", label);
    }
    for (double v = x->min; v <= x->max + x->step / 2; v += x->step) {
        int at = axis_x(x, v);
        hd_printf(o, "<path %s d=\"M%d %dV%d\"/>\n", grid, at, TOP, TOP + PLOT_H);
        hd_format(label, sizeof label, "%.3g", v);
        chart_text(o, at, TOP + PLOT_H + 18, MUTED " text-anchor=\"middle\"", label);
    }
    chart_text(o, LEFT + PLOT_W, TOP + PLOT_H + 36, MUTED " text-anchor=\"end\"", cost);
    chart_text(o, LEFT, TOP - 12, MUTED, "effective bisection bandwidth, share of the rate of a port");
}

/* Where a number goes: on its dot, or beside it where another one is. */
struct chart_label {
    int x, y;
};

static struct chart_label chart_place(const struct chart_label *taken, uint32_t n, int cx, int cy)
{
    static const struct chart_label beside[] = {{0, 0}, {18, 0}, {-18, 0}, {0, -18}, {0, 18}, {18, 18}, {-18, -18}};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        struct chart_label at = {cx + beside[i].x, cy + beside[i].y};
        bool free = true;
        for (uint32_t k = 0; k < n; k++) free = free && (abs(at.x - taken[k].x) > 15 || abs(at.y - taken[k].y) > 12);
        if (free) return at;
    }
    return (struct chart_label){cx, cy};
}

static void chart_dots(struct hd_out *o, const struct hd_design *d, const struct design_axis *x,
                       const struct design_axis *y, double unit)
{
    const char *move = "M";
    struct chart_label taken[MOST_LABELS];
    uint32_t placed = 0;
    hd_puts(o, "<path class=\"front\" fill=\"none\" stroke=\"#1769aa\" stroke-width=\"2\" d=\"");
    for (uint32_t i = 0; i < d->nrow; i++) {
        if (!d->row[i].pareto) continue;
        hd_printf(o, "%s%d %d", move, axis_x(x, d->row[i].cost / unit), axis_y(y, d->row[i].ebb));
        move = "L";
    }
    hd_puts(o, *move == 'M' ? "M0 0\"/>\n" : "\"/>\n");
    for (uint32_t i = 0; i < d->nrow; i++) {
        const struct hd_design_row *r = &d->row[i];
        if (isnan(r->ebb)) continue;
        int cx = axis_x(x, r->cost / unit), cy = axis_y(y, r->ebb);
        struct chart_label at = chart_place(taken, placed, cx, cy);
        bool on = at.x == cx && at.y == cy;
        char number[12];
        if (placed < MOST_LABELS) taken[placed++] = at;
        snprintf(number, sizeof number, "%u", i + 1);
        hd_printf(o, "<circle class=\"%s\" fill=\"%s\" cx=\"%d\" cy=\"%d\" r=\"10\"/>\n", r->pareto ? "best" : "rest",
                  r->pareto ? "#1769aa" : "#7f8c99", cx, cy);
        chart_text(o, at.x, at.y + 4,
                   on ? "class=\"on\" fill=\"#ffffff\" font-size=\"11\" font-weight=\"700\" text-anchor=\"middle\""
                      : "class=\"ink\" fill=\"#14202b\" font-size=\"11\" font-weight=\"700\" text-anchor=\"middle\"",
                   number);
    }
}

/* What the numbers mean, in two columns. */
static void chart_list(struct hd_out *o, const struct hd_design *d)
{
    uint32_t rows = (d->nrow + 1) / 2;
    for (uint32_t i = 0; i < d->nrow; i++) {
        const struct hd_design_row *r = &d->row[i];
        int x = LEFT + (int)(i / rows) * (PLOT_W / 2), y = TOP + PLOT_H + 64 + (int)(i % rows) * LIST_ROW;
        char text[160], figure[24] = "-";
        if (!isnan(r->ebb)) hd_format(figure, sizeof figure, "%.3f", r->ebb);
        snprintf(text, sizeof text, "%u  %s: EBB %s, %u switches", i + 1, r->family, figure, r->switches);
        chart_text(o, x, y, r->pareto ? INK " font-weight=\"700\"" : INK, text);
    }
}

/* EBB over cost of the designs that were measured; false: none was. */
static bool chart_plot(struct hd_out *o, const struct hd_design *d)
{
    char cost[60];
    double min = INFINITY, max = 0, high = 0, low = 1;
    for (uint32_t i = 0; i < d->nrow; i++) {
        if (isnan(d->row[i].ebb)) continue;
        min = fmin(min, d->row[i].cost), max = fmax(max, d->row[i].cost);
        low = fmin(low, d->row[i].ebb), high = fmax(high, d->row[i].ebb);
    }
    if (min > max) return false;
    double unit = max >= 2e6 ? 1e6 : max >= 2e3 ? 1e3 : 1;
    struct design_axis x = round_axis(min / unit, max / unit), y = round_axis(low, high);
    snprintf(cost, sizeof cost, "cost, %s%.15s",
             unit == 1e6   ? "million "
             : unit == 1e3 ? "thousand "
                           : "",
             d->prices.currency);
    chart_text(o, LEFT, 58, MUTED, "Up and to the left is better; the line is the Pareto front.");
    chart_axes(o, &x, &y, cost);
    chart_dots(o, d, &x, &y, unit);
    return true;
}

hd_status hd_design_chart(struct hd_ctx *ctx, const struct hd_design *d, struct hd_out *o)
{
    char title[120];
    int height = TOP + PLOT_H + 64 + (int)((d->nrow + 1) / 2) * LIST_ROW + 10;
    (void)ctx;
    snprintf(title, sizeof title, "Fabrics for %llu endpoints with switches of %llu ports",
             (unsigned long long)d->in.endpoints, (unsigned long long)d->in.radix);
    hd_printf(o,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
              "role=\"img\">\n<title>%s</title>\n",
              WIDTH, height, WIDTH, height, title);
    hd_puts(o, style);
    hd_printf(o, "<rect class=\"bg\" fill=\"#ffffff\" width=\"%d\" height=\"%d\"/>\n", WIDTH, height);
    chart_text(o, LEFT, 38, "class=\"ink\" fill=\"#14202b\" font-size=\"20\" font-weight=\"700\"", title);
    if (!chart_plot(o, d))
        chart_text(o, LEFT, TOP + PLOT_H / 2, INK,
                   d->nrow ? "No design was measured." : "No design has this many endpoints.");
    chart_list(o, d);
    hd_puts(o, "</svg>\n");
    return HD_OK;
}
