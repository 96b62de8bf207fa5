/* SPDX-License-Identifier: BSD-2-Clause */
/* The comparison of routings: one row per routing, one column per quantity, the bound below; then the routings that
 * were not compared and why; and the command behind every figure. */
#include "base/escape.h"
#include "report/page.h"

#include <math.h>
#include <stdio.h>

static double compare_value_of(const struct hd_report *r, uint32_t option, uint32_t q)
{
    const struct hd_report_option *p = &r->option[option];
    return hd_measured(p) && p->figure ? p->figure[q].value : NAN;
}

static int compare_digits_of(const struct hd_report *r, uint32_t q)
{
    int digits = 0;
    for (uint32_t i = 0; i < r->noption; i++) {
        double v = compare_value_of(r, i, q);
        int d = hd_digits(&v, 1);
        if (d > digits) digits = d;
    }
    return digits;
}

/* The best of a column; NAN: nothing to compare. */
static double compare_best_of(const struct hd_report *r, uint32_t q)
{
    double best = NAN;
    for (uint32_t i = 0; i < r->noption; i++) {
        double v = compare_value_of(r, i, q);
        if (isnan(v)) continue;
        if (isnan(best) || (r->quantity[q].higher_is_better ? v > best : v < best)) best = v;
    }
    return best;
}

/* The bounds of a column. Some hold for every routing; one may be a bound of single paths that routings over several
 * have beaten; others hold only for the table they were found for. */
struct compare_bounds {
    double least, most; /* NAN: none known */
    bool beaten;
};

static struct compare_bounds compare_bounds_of(const struct hd_report *r, uint32_t q)
{
    struct compare_bounds b = {NAN, NAN, false};
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *p = &r->option[i];
        if (!hd_measured(p) || !p->figure || isnan(p->figure[q].bound)) continue;
        b.least = fmin(b.least, p->figure[q].bound);
        b.most = fmax(b.most, p->figure[q].bound);
    }
    double best = compare_best_of(r, q), slack = 1e-9 * fabs(best);
    b.beaten = r->quantity[q].higher_is_better ? best > b.least + slack : best < b.most - slack;
    return b;
}

static void compare_put_head(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    hd_puts(k->o, "<thead><tr><th scope=\"col\">Routing</th><th scope=\"col\">Deadlock-free</th>"
                  "<th scope=\"col\" class=\"n\">VLs</th>");
    for (uint32_t q = 0; q < r->nquantity; q++) {
        hd_printf(k->o, "<th scope=\"col\" class=\"n\"%s>", r->quantity[q].higher_is_better ? " data-high" : "");
        hd_put_xml(k->o, r->quantity[q].title);
        hd_puts(k->o, "</th>");
    }
    hd_puts(k->o, "</tr></thead>\n");
}

static void compare_put_figure(struct hd_ink *k, uint32_t option, uint32_t q)
{
    const struct hd_report *r = k->r;
    double v = compare_value_of(r, option, q), best = compare_best_of(r, q);
    char text[HD_NUMBER];
    if (isnan(v)) {
        hd_puts(k->o, "<td class=\"n\" data-v=\"\">\xe2\x80\x93</td>");
        return;
    }
    double part = r->quantity[q].higher_is_better ? v / best : best / v;
    part = best == v ? 1 : isfinite(part) && part > 0 ? part : 0;
    hd_printf(k->o, "<td class=\"n%s\" data-v=\"%.10g\">%s", v == best ? " top" : "", v,
              hd_number(text, v, compare_digits_of(r, q)));
    hd_printf(k->o, "<span class=\"bar\" style=\"--p:%d%%\"></span></td>", (int)lround(100 * part));
}

static void compare_put_safety(struct hd_ink *k, const struct hd_report_option *p)
{
    static const char *const words[] = {"not known", "no", "yes"};
    hd_printf(k->o, "<td>%s", words[p->deadlock_free < 0 ? 0 : p->deadlock_free ? 2 : 1]);
    if (p->unreachable)
        hd_printf(k->o, "<span class=\"is\">%llu pairs without a path</span>", (unsigned long long)p->unreachable);
    if (p->loops) hd_printf(k->o, "<span class=\"is\">%llu pairs loop</span>", (unsigned long long)p->loops);
    hd_puts(k->o, "</td>");
    if (p->lanes)
        hd_printf(k->o, "<td class=\"n\" data-v=\"%u\">%u</td>", p->lanes, p->lanes);
    else
        hd_puts(k->o, "<td class=\"n\" data-v=\"\">\xe2\x80\x93</td>");
}

static void compare_put_row(struct hd_ink *k, uint32_t option)
{
    const struct hd_report *r = k->r;
    const struct hd_report_option *p = &r->option[option];
    hd_printf(k->o, "<tr class=\"%s\"><th scope=\"row\">", hd_option_class(r, option));
    hd_page_option(k, option);
    if (p->mark) hd_page_text(k, "<span class=\"is\">", p->mark, "</span>");
    hd_puts(k->o, "</th>");
    compare_put_safety(k, p);
    for (uint32_t q = 0; q < r->nquantity; q++) compare_put_figure(k, option, q);
    hd_puts(k->o, "</tr>\n");
}

static void compare_put_bound(struct hd_ink *k, uint32_t q)
{
    struct compare_bounds b = compare_bounds_of(k->r, q);
    double both[] = {b.least, b.most}, loosest = k->r->quantity[q].higher_is_better ? b.most : b.least;
    char text[HD_NUMBER];
    int digits = compare_digits_of(k->r, q), own = hd_digits(both, 2);
    hd_printf(k->o, "<td class=\"n\">%s", hd_number(text, loosest, own > digits ? own : digits));
    if (k->r->quantity[q].own_bound)
        hd_puts(k->o, "<span class=\"is\">best<br>table's<br>own</span>");
    else if (b.most > b.least)
        hd_puts(k->o, "<span class=\"is\">by table</span>");
    else if (b.beaten)
        hd_puts(k->o, "<span class=\"is\">single path</span>");
    hd_puts(k->o, "</td>");
}

static void compare_put_bounds(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    bool any = false;
    for (uint32_t q = 0; q < r->nquantity; q++) any = any || !isnan(compare_bounds_of(r, q).least);
    if (!any) return;
    hd_puts(
        k->o,
        "<tfoot><tr><th scope=\"row\">Bound<span class=\"is\">no routing can beat it</span></th><td></td><td></td>");
    for (uint32_t q = 0; q < r->nquantity; q++) compare_put_bound(k, q);
    hd_puts(k->o, "</tr></tfoot>\n");
}

static void compare_put_meanings(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    hd_puts(k->o, "<dl class=\"words\">");
    for (uint32_t q = 0; q < r->nquantity; q++) {
        hd_page_text(k, "<dt>", r->quantity[q].title, "</dt>");
        hd_page_text(k, "<dd>", r->quantity[q].meaning,
                     r->quantity[q].higher_is_better ? " More is better." : " Less is better.");
        hd_puts(k->o, r->quantity[q].own_bound ? " Its bound is the table's own: no rank order can beat it with "
                                                 "that table.</dd>"
                                               : "</dd>");
    }
    hd_puts(k->o, "</dl>\n");
}

static void compare_put_others(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->noption; i++) n += !hd_measured(&r->option[i]);
    if (!n) return;
    hd_printf(k->o, "<details><summary>Not compared: %u</summary>\n", n);
    hd_page_scroll(k, "Routings that were not compared");
    hd_puts(k->o, "<table><caption>Routings that do not apply to this fabric, or were left out");
    hd_page_columns(k, "Routing|Reason");
    for (uint32_t i = 0; i < r->noption; i++) {
        if (hd_measured(&r->option[i])) continue;
        hd_puts(k->o, "<tr><th scope=\"row\">");
        hd_page_option(k, i);
        hd_page_text(k, "</th><td>", r->option[i].why_not, "</td></tr>\n");
    }
    hd_page_table_end(k);
    hd_puts(k->o, "</details>\n");
}

void hd_page_compare(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    uint32_t n = 0;
    hd_page_section(k, "compare", "Routings compared");
    for (uint32_t i = 0; i < r->noption; i++) n += hd_measured(&r->option[i]);
    if (r->rule) hd_page_text(k, "<p class=\"lead\">", r->rule, "</p>\n");
    if (r->reason && *r->reason) hd_page_text(k, "<p>", r->reason, "</p>\n");
    if (n) {
        hd_page_scroll(k, "Comparison of routings");
        hd_printf(
            k->o,
            "<table class=\"sort wide\"><caption>%u routing%s measured on this fabric. Bold: best of its column; the "
            "bar is its distance to that.</caption>\n",
            n, n == 1 ? "" : "s");
        compare_put_head(k);
        hd_puts(k->o, "<tbody>\n");
        for (uint32_t i = 0; i < r->noption; i++)
            if (hd_measured(&r->option[i])) compare_put_row(k, i);
        hd_puts(k->o, "</tbody>\n");
        compare_put_bounds(k);
        hd_puts(k->o, "</table>");
        hd_page_scroll_end(k);
        compare_put_meanings(k);
    }
    compare_put_others(k);
    hd_page_section_end(k);
}

/* ---- the commands behind the figures ------------------------------------------------------- */

static void compare_put_own_bound(struct hd_ink *k, const struct hd_report_quantity *q, double bound)
{
    char text[HD_NUMBER];
    if (!q->own_bound || isnan(bound))
        hd_page_number(k, bound, hd_digits(&bound, 1));
    else
        hd_printf(k->o, "<td class=\"n\" data-v=\"%.10g\">%s<span class=\"is\">its own</span></td>", bound,
                  hd_number(text, bound, hd_digits(&bound, 1)));
}

static void compare_put_commands(struct hd_ink *k, uint32_t option)
{
    const struct hd_report *r = k->r;
    const struct hd_report_option *p = &r->option[option];
    char half[HD_NUMBER];
    hd_page_text(k, "<details><summary>", p->table, "");
    if (*hd_option_tag(r, option)) hd_printf(k->o, " (%s)", hd_option_tag(r, option));
    hd_puts(k->o, "</summary>\n");
    hd_page_scroll(k, "Commands");
    hd_page_text(k, "<table><caption>Figures of ", p->table, " and the commands that print them");
    hd_page_columns(k, "Figure|>Value|>99 %|>Bound|Command");
    if (p->command)
        hd_page_text(k, "<tr><th scope=\"row\">deadlock, VLs, paths</th><td></td><td></td><td></td><td><code>",
                     p->command, "</code></td></tr>\n");
    for (uint32_t q = 0; p->figure && q < r->nquantity; q++) {
        const struct hd_report_figure *f = &p->figure[q];
        if (isnan(f->value)) continue;
        hd_page_text(k, "<tr><th scope=\"row\">", r->quantity[q].title, "</th>");
        hd_page_number(k, f->value, hd_digits(&f->value, 1));
        hd_printf(k->o, "<td class=\"n\">%s%s</td>", f->ci > 0 ? "\xc2\xb1" : "",
                  f->ci > 0 ? hd_number(half, f->ci / 2, 4) : "exact");
        compare_put_own_bound(k, &r->quantity[q], f->bound);
        hd_page_text(k, "<td><code>", f->command ? f->command : "", "</code></td></tr>\n");
    }
    hd_page_table_end(k);
    hd_puts(k->o, "</details>\n");
}

void hd_page_repeat(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    hd_page_section(k, "repeat", "Repeat every number");
    hd_puts(k->o, "<p class=\"lead\">The same command prints the same figures on any machine. The whole report:</p>\n");
    if (r->command) hd_page_command(k, r->command);
    for (uint32_t i = 0; i < r->noption; i++)
        if (hd_measured(&r->option[i])) compare_put_commands(k, i);
    hd_page_section_end(k);
}
