/* SPDX-License-Identifier: BSD-2-Clause */
/* The sheet of svg_sheet.h: colours and rules as one style sheet, the frame of a chart with its title and description
 * for screen readers, marks, axes with round numbers, and the colour ramp. Lengths are whole tenths of a pixel and
 * numbers are printed with fixed digits, so that the same report gives the same bytes. */
#include "report/svg_sheet.h"
#include "base/c_locale.h"
#include "base/escape.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PX = HD_PX, HEAD = 62 * HD_PX, EDGE = 24 * HD_PX };

/* ---- style --------------------------------------------------------------------------------- */

const char hd_ink_light[] =
    "--paper:#fff;--ink:#16202c;--mut:#526071;--rule:#dde3ea;--soft:#f4f6f9;--best:#0a5fb4;"
    "--cur:#9c4a00;--oth:#8c98a6;--bnd:#16202c;--slow:#0a9396;"
    "--q0:#dfe4ea;--q1:#f8d3ab;--q2:#f7a674;--q3:#ea715c;--q4:#c83f69;--q5:#8b2671;--q6:#43125c;";
const char hd_ink_dark[] =
    "--paper:#10151c;--ink:#e8edf3;--mut:#a5b2c1;--rule:#2a333f;--soft:#181f29;--best:#6ab5ff;"
    "--cur:#f2a766;--oth:#6f7d8d;--bnd:#e8edf3;--slow:#3fd0d4;"
    "--q0:#2c3442;--q1:#502c70;--q2:#86327e;--q3:#c24279;--q4:#ee6c5e;--q5:#fbab73;--q6:#fee6bd;";
const char hd_ink_rules[] =
    ".c text{font-size:12px;fill:var(--ink)}.c .m{fill:var(--mut)}.c .s{font-size:11px;fill:var(--mut)}.c "
    ".b{font-weight:600}.c .e{text-anchor:end}.c .c{text-anchor:middle}.c .num{font-variant-numeric:tabular-nums}.c "
    ".tb{fill:var(--best)}.c .tc{fill:var(--cur)}.c .g{stroke:var(--rule)}.c .a{stroke:var(--mut)}.c "
    ".bound{stroke:var(--bnd);stroke-width:1.5;stroke-dasharray:4 3}.c .best{fill:var(--best);stroke:var(--best)}.c "
    ".cur{fill:var(--cur);stroke:var(--cur)}.c .oth{fill:var(--oth);stroke:var(--oth)}.c "
    ".body{fill-opacity:.24;stroke-width:1}.c .ci{fill:none;stroke:var(--ink);stroke-width:1.5}.c "
    ".dot{stroke:var(--paper);stroke-width:1.5}.c .thin{stroke-width:2}.c .hollow{fill:var(--paper);stroke-width:2}.c "
    ".outline{fill:none;stroke-width:1.6}.c .q0{fill:var(--q0)}.c .q1{fill:var(--q1)}.c .q2{fill:var(--q2)}.c "
    ".q3{fill:var(--q3)}.c .q4{fill:var(--q4)}.c .q5{fill:var(--q5)}.c .q6{fill:var(--q6)}.c "
    ".s0{stroke:var(--q0);--w:1}.c .s1{stroke:var(--q1);--w:1.2}.c .s2{stroke:var(--q2);--w:1.5}.c "
    ".s3{stroke:var(--q3);--w:1.8}.c .s4{stroke:var(--q4);--w:2.2}.c .s5{stroke:var(--q5);--w:2.6}.c "
    ".s6{stroke:var(--q6);--w:3}.c .lines path{fill:none;stroke-width:calc(var(--w)*1px*var(--t,1))}.c "
    ".none{stroke:var(--rule);stroke-width:1}.c .hd-sw{fill:var(--paper);stroke:var(--mut);stroke-width:1.1}.c "
    ".hd-sw[class*=\" hd-s\"]{fill:var(--mut)}.c .hd-sw[class*=\" hd-l\"]{fill:var(--paper)}.c "
    ".hd-t{font-weight:600}.c .hd-m{fill:var(--mut)}.c .hd-n,.c .hd-c,.c .hd-e,.c .hd-f{text-anchor:middle}.c .hd-n,.c "
    ".hd-r{font-size:9px}.c .hd-f{font-size:8px}.c .hd-e{font-size:10px;fill:var(--mut)}.c .hd-x{text-anchor:end}.c "
    ".hd-ep{fill:var(--oth)}.c .hd-off{fill:none;stroke:var(--oth);stroke-width:.8}.c "
    ".hd-tip{fill:none;stroke:var(--oth)}.c .hd-pod{fill:var(--soft);stroke:var(--rule)}.c "
    ".hd-gone{fill:none;stroke:var(--ink);stroke-width:1.2;stroke-dasharray:2 4}.c "
    ".hd-slow{fill:none;stroke:var(--slow);stroke-width:8;stroke-opacity:.6}.c .hd-slow-ep{fill:var(--slow)}.c "
    "text.slow{fill:var(--slow)}";

/* Widths of lines by colour, as numbers: what reads a file of its own may not know calc. */
static const char *const line_width[][HD_BINS_OF_RAMP] = {{"1", "1.2", "1.5", "1.8", "2.2", "2.6", "3"},
                                                          {".6", ".72", ".9", "1.08", "1.32", "1.56", "1.8"},
                                                          {".4", ".48", ".6", ".72", ".88", "1.04", "1.2"}};
static const char *const line_class[] = {".lines", ".lines.t6", ".lines.t4"};

static const char fonts[] = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/* The value of --name among "--name:value;..." */
static void sheet_put_value(struct hd_out *o, const char *name, size_t n, const char *values)
{
    for (const char *v = values; (v = strstr(v, "--")); v++)
        if (strncmp(v, name, n) == 0 && v[n] == ':') {
            hd_put(o, v + n + 1, strcspn(v + n + 1, ";"));
            return;
        }
}

/* The rules with values in place of variables: librsvg, Inkscape and LaTeX know no variables. */
static void sheet_put_rules(struct hd_out *o, const char *values)
{
    static const char calc[] = "calc(var(--w)*1px*var(--t,1))";
    for (const char *p = hd_ink_rules; *p;) {
        if (strncmp(p, calc, strlen(calc)) == 0) {
            hd_puts(o, "1");
            p += strlen(calc);
        } else if (strncmp(p, "var(", 4) == 0) {
            size_t n = strcspn(p + 4, ")");
            sheet_put_value(o, p + 4, n, values);
            p += 4 + n + 1;
        } else {
            hd_put(o, p++, 1);
        }
    }
    hd_puts(o, ".c .ground{fill:");
    sheet_put_value(o, "--paper", 7, values);
    hd_puts(o, "}");
}

static void sheet_put_style(struct hd_out *o)
{
    hd_printf(o, "<style>.c{%s}", fonts);
    sheet_put_rules(o, hd_ink_light);
    hd_puts(o, ".c .h{font-size:17px}");
    for (size_t k = 0; k < sizeof line_class / sizeof *line_class; k++)
        for (int i = 0; i < HD_BINS_OF_RAMP; i++)
            hd_printf(o, ".c %s .s%d{stroke-width:%s}", line_class[k], i, line_width[k][i]);
    hd_puts(o, "@media (prefers-color-scheme:dark){");
    sheet_put_rules(o, hd_ink_dark);
    hd_puts(o, "}</style>\n");
}

/* ---- the sheet ----------------------------------------------------------------------------- */

static void sheet_attr(struct hd_out *o, const char *name, int32_t tenths)
{
    hd_printf(o, " %s=\"", name);
    hd_draw_number(o, tenths);
    hd_puts(o, "\"");
}

static void sheet_open_tag(struct hd_ink *k, int32_t w, int32_t h)
{
    hd_puts(k->o, "<svg class=\"c\"");
    if (k->whole) hd_puts(k->o, " xmlns=\"http://www.w3.org/2000/svg\"");
    sheet_attr(k->o, "width", w);
    sheet_attr(k->o, "height", h);
    hd_puts(k->o, " viewBox=\"0 0 ");
    hd_draw_number(k->o, w);
    hd_puts(k->o, " ");
    hd_draw_number(k->o, h);
    /* On a phone a wide chart scrolls rather than shrinks beyond reading. */
    if (!k->whole) hd_printf(k->o, "\" style=\"min-width:%dpx", w / PX * 3 / 4);
    hd_printf(k->o, "\" role=\"img\" aria-labelledby=\"c%u-t c%u-d\">", k->charts, k->charts);
}

void hd_ink_begin(struct hd_ink *k, int32_t w, int32_t h, const char *title, const char *desc)
{
    char text[HD_NAME];
    k->charts++;
    sheet_open_tag(k, k->whole ? w + 2 * EDGE : w, k->whole ? h + HEAD + EDGE : h);
    hd_printf(k->o, "<title id=\"c%u-t\">", k->charts);
    hd_put_xml(k->o, title);
    hd_printf(k->o, "</title><desc id=\"c%u-d\">", k->charts);
    hd_put_xml(k->o, desc);
    hd_puts(k->o, "</desc>\n");
    if (!k->whole) return;
    sheet_put_style(k->o);
    hd_puts(k->o, "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
    hd_ink_text(k, "b h", EDGE, 32 * PX, "%s", title);
    hd_ink_text(k, "m", EDGE, 51 * PX, "%s", hd_short(text, k->r->title ? k->r->title : k->r->net->spec, 90));
    hd_puts(k->o, "<g transform=\"translate(");
    hd_draw_number(k->o, EDGE);
    hd_puts(k->o, " ");
    hd_draw_number(k->o, HEAD);
    hd_puts(k->o, ")\">\n");
}

void hd_ink_end(struct hd_ink *k)
{
    hd_puts(k->o, k->whole ? "</g></svg>\n" : "</svg>\n");
}

/* ---- marks --------------------------------------------------------------------------------- */

void hd_ink_line(struct hd_ink *k, const char *class, int32_t x1, int32_t y1, int32_t x2, int32_t y2)
{
    hd_printf(k->o, "<path class=\"%s\" d=\"", class);
    hd_draw_move(k->o, x1, y1);
    hd_draw_line(k->o, x2, y2);
    hd_puts(k->o, "\"/>");
}

void hd_ink_rect(struct hd_ink *k, const char *class, int32_t x, int32_t y, int32_t w, int32_t h)
{
    hd_printf(k->o, "<rect class=\"%s\"", class);
    sheet_attr(k->o, "x", x);
    sheet_attr(k->o, "y", y);
    sheet_attr(k->o, "width", w);
    sheet_attr(k->o, "height", h);
    hd_puts(k->o, "/>");
}

void hd_ink_dot(struct hd_ink *k, const char *class, int32_t x, int32_t y, int32_t radius)
{
    hd_printf(k->o, "<circle class=\"%s\"", class);
    sheet_attr(k->o, "cx", x);
    sheet_attr(k->o, "cy", y);
    sheet_attr(k->o, "r", radius);
    hd_puts(k->o, "/>");
}

void hd_ink_text(struct hd_ink *k, const char *class, int32_t x, int32_t y, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    hd_puts(k->o, "<text");
    if (*class) hd_printf(k->o, " class=\"%s\"", class);
    sheet_attr(k->o, "x", x);
    sheet_attr(k->o, "y", y);
    hd_puts(k->o, ">");
    hd_put_xml(k->o, text);
    hd_puts(k->o, "</text>\n");
}

/* ---- words and numbers --------------------------------------------------------------------- */

static const char *sheet_skip(const char *text, uint32_t n)
{
    for (; n > 0 && *text; n--) {
        size_t bytes = hd_utf8(text);
        text += bytes ? bytes : 1;
    }
    return text;
}

const char *hd_short(char buf[HD_NAME], const char *text, uint32_t most)
{
    uint32_t n = hd_draw_characters(text), front = (most - 1) / 2, back = most - 1 - front;
    if (n <= most) {
        /* Few characters may still be many bytes: cut between two of them. */
        const char *end = sheet_skip(text, n);
        while (end - text >= HD_NAME) end = sheet_skip(text, --n);
        snprintf(buf, HD_NAME, "%.*s", (int)(end - text), text);
        return buf;
    }
    const char *head = sheet_skip(text, front), *tail = sheet_skip(text, n - back);
    if (head - text + (long)strlen(tail) + 4 > HD_NAME) return hd_short(buf, text, most / 2);
    snprintf(buf, HD_NAME, "%.*s\xe2\x80\xa6%s", (int)(head - text), text, tail);
    return buf;
}

int hd_digits(const double *value, size_t n)
{
    double most = 0;
    bool whole = true;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(value[i])) continue;
        if (fabs(value[i]) > most) most = fabs(value[i]);
        whole = whole && value[i] == floor(value[i]);
    }
    return whole ? 0 : most < 10 ? 4 : most < 100 ? 3 : most < 1000 ? 2 : 1;
}

const char *hd_number(char buf[HD_NUMBER], double value, int digits)
{
    if (isfinite(value) && fabs(value) < 1e15)
        hd_format(buf, HD_NUMBER, "%.*f", digits, value);
    else
        snprintf(buf, HD_NUMBER, "%s", isnan(value) ? "\xe2\x80\x93" : value > 0 ? "\xe2\x88\x9e" : "-\xe2\x88\x9e");
    for (char *p = buf; (p = strchr(p, ','));) *p = '.'; /* whatever the locale */
    return buf;
}

/* ---- axes ---------------------------------------------------------------------------------- */

/* The least of 1, 2, 5 times a power of ten that is at least x; digits: after the point. */
static double sheet_nice_step(double x, int *digits)
{
    static const double factor[] = {1, 2, 5};
    double power = 1;
    int exponent = 0;
    while (power * 5 < x && exponent < 15) power *= 10, exponent++;
    while (power / 10 * 5 >= x && exponent > -9) power /= 10, exponent--;
    *digits = exponent < 0 ? -exponent : 0;
    for (int i = 0; i < 3; i++)
        if (factor[i] * power >= x * 0.999999) return factor[i] * power;
    if (*digits) (*digits)--;
    return 10 * power;
}

void hd_axis_fit(struct hd_axis *a, double min, double max, int steps)
{
    if (!(max > min)) max = min + (min != 0 ? fabs(min) : 1);
    a->step = sheet_nice_step((max - min) / steps, &a->digits);
    a->min = floor(min / a->step + 1e-6) * a->step;
    a->max = ceil(max / a->step - 1e-6) * a->step;
}

int32_t hd_axis_at(const struct hd_axis *a, double value)
{
    if (value < a->min) value = a->min;
    if (value > a->max) value = a->max;
    return a->at + (int32_t)lround((value - a->min) / (a->max - a->min) * a->length);
}

void hd_axis_draw(struct hd_ink *k, const struct hd_axis *a, int32_t top, int32_t bottom, const char *title)
{
    char text[HD_NUMBER];
    int n = (int)lround((a->max - a->min) / a->step);
    for (int i = 0; i <= n; i++) {
        double value = a->min + i * a->step;
        int32_t x = hd_axis_at(a, value);
        hd_ink_line(k, i == 0 && a->min == 0 ? "a" : "g", x, top, x, bottom);
        hd_ink_text(k, "s c num", x, bottom + 15 * PX, "%s", hd_number(text, value == 0 ? 0.0 : value, a->digits));
    }
    if (title) hd_ink_text(k, "s", a->at, bottom + 32 * PX, "%s", title);
}

/* ---- the ramp ------------------------------------------------------------------------------ */

void hd_ramp_fit(struct hd_ramp *ramp, double min, double max)
{
    static const double factor[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    *ramp = (struct hd_ramp){.min = min};
    if (!(max > min)) max = min + 1;
    double least = (max - min) / HD_BINS_OF_RAMP * 0.999999, power = 1;
    int digits = 0;
    while (power * 8 < least) power *= 10, digits--;
    while (power > least && digits < 9) power /= 10, digits++;
    for (size_t i = 0; i < sizeof factor / sizeof factor[0]; i++) {
        ramp->step = factor[i] * power;
        ramp->digits = digits + (factor[i] != floor(factor[i]));
        if (ramp->step >= least) break;
    }
    if (ramp->step < least) ramp->step = 10 * power, ramp->digits = digits - 1;
    if (ramp->digits < 0) ramp->digits = 0;
}

uint32_t hd_ramp_bin(const struct hd_ramp *ramp, double value)
{
    double bin = floor((value - ramp->min) / ramp->step + 1e-9);
    return !(bin > 0) ? 0 : bin >= HD_BINS_OF_RAMP ? HD_BINS_OF_RAMP - 1 : (uint32_t)bin;
}

void hd_ramp_draw(struct hd_ink *k, const struct hd_ramp *ramp, bool reversed, int32_t x, int32_t y, const char *title)
{
    enum { WIDE = 40 * PX };
    hd_ink_text(k, "s", x, y + 10 * PX, "%s", title);
    for (int32_t i = 0; i <= HD_BINS_OF_RAMP; i++) {
        char class[8], text[HD_NUMBER];
        int32_t at = x + 12 * PX + i * WIDE;
        snprintf(class, sizeof class, "q%d", reversed ? HD_BINS_OF_RAMP - 1 - i : i);
        if (i < HD_BINS_OF_RAMP) hd_ink_rect(k, class, at, y + 17 * PX, WIDE - PX, 10 * PX);
        hd_ink_text(k, "s c num", at, y + 40 * PX, "%s%s%s", i == 0 && ramp->less ? "\xe2\x89\xa4" : "",
                    hd_number(text, ramp->min + i * ramp->step, ramp->digits),
                    i == HD_BINS_OF_RAMP && ramp->more ? "+" : "");
    }
}
