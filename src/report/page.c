/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: one HTML file that needs nothing else. The verdict, what to do and a picture of the choices come first and
 * fit the first screen; then figures, findings, the comparison, charts, and last the command behind every figure, which
 * is not printed on paper. All text that comes from the fabric passes hd_put_xml. */
#include "report/page.h"
#include "base/escape.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of a long table on paper, as page.css has it. */
enum { TILES = 4, PAPER_ROWS = 12 };

/* ---- pieces -------------------------------------------------------------------------------- */

void hd_page_text(struct hd_ink *k, const char *open, const char *text, const char *close)
{
    hd_puts(k->o, open);
    hd_put_xml(k->o, text);
    hd_puts(k->o, close);
}

void hd_page_section(struct hd_ink *k, const char *id, const char *heading)
{
    hd_printf(k->o, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n", id, id, id, heading);
}

void hd_page_section_end(struct hd_ink *k)
{
    hd_puts(k->o, "</section>\n");
}

void hd_page_scroll(struct hd_ink *k, const char *what)
{
    hd_printf(k->o, "<div class=\"scroll\" role=\"group\" aria-label=\"%s\" tabindex=\"0\">\n", what);
}

void hd_page_scroll_end(struct hd_ink *k)
{
    hd_puts(k->o, "</div>\n");
}

void hd_page_columns(struct hd_ink *k, const char *titles)
{
    hd_puts(k->o, "</caption><thead><tr>");
    for (size_t n; *titles; titles += n, titles += *titles == '|') {
        bool number = *titles == '>';
        titles += number;
        n = strcspn(titles, "|");
        hd_printf(k->o, "<th scope=\"col\"%s>%.*s</th>", number ? " class=\"n\"" : "", (int)n, titles);
    }
    hd_puts(k->o, "</tr></thead><tbody>\n");
}

void hd_page_table_end(struct hd_ink *k)
{
    hd_puts(k->o, "</tbody></table>");
    hd_page_scroll_end(k);
}

void hd_page_command(struct hd_ink *k, const char *command)
{
    hd_page_text(k, "<div class=\"cmd\"><pre tabindex=\"0\"><code>", command, "</code></pre></div>\n");
}

void hd_page_number(struct hd_ink *k, double value, int digits)
{
    char text[HD_NUMBER];
    if (isnan(value))
        hd_puts(k->o, "<td class=\"n\" data-v=\"\">\xe2\x80\x93</td>");
    else
        hd_printf(k->o, "<td class=\"n\" data-v=\"%.10g\">%s</td>", value, hd_number(text, value, digits));
}

void hd_page_option(struct hd_ink *k, uint32_t option)
{
    const char *tag = hd_option_tag(k->r, option);
    hd_put_xml(k->o, k->r->option[option].current ? k->r->option[option].table : hd_option_label(k->r, option));
    if (*tag) hd_printf(k->o, "<span class=\"is %s\">%s</span>", option == k->r->best ? "b" : "c", tag);
}

static void page_put_tag(struct hd_ink *k, enum hd_verdict v)
{
    static const char *const class[] = {"pass", "warn", "fail"}, *const word[] = {"PASS", "WARN", "FAIL"},
                             *const glyph[] = {"\xe2\x9c\x93", "!", "\xe2\x9c\x95"};
    hd_printf(k->o, "<span class=\"tag %s\"><span aria-hidden=\"true\">%s </span>%s</span>", class[v], glyph[v],
              word[v]);
}

/* Prose of the advice, in which "+-1 %" is written as terminals without UTF-8 can show it. */
static void page_put_prose(struct hd_ink *k, const char *open, const char *text, const char *close)
{
    hd_puts(k->o, open);
    for (const char *at; (at = strstr(text, "+-")); text = at + 2) {
        char part[1000];
        for (; at - text >= (long)sizeof part; text += sizeof part - 1) {
            snprintf(part, sizeof part, "%s", text);
            hd_put_xml(k->o, part);
        }
        snprintf(part, sizeof part, "%.*s", (int)(at - text), text);
        hd_put_xml(k->o, part);
        hd_puts(k->o, at[2] >= '0' && at[2] <= '9' ? "\xc2\xb1" : "+-");
    }
    hd_page_text(k, "", text, close);
}

/* ---- the head ------------------------------------------------------------------------------ */

static void page_put_lines(struct hd_ink *k, const char *const *line)
{
    for (; *line; line++) hd_puts(k->o, *line);
}

static void page_put_head(struct hd_ink *k)
{
    hd_puts(k->o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n");
    hd_printf(k->o, "<meta name=\"generator\" content=\"heddle %s\">\n", hd_version());
    hd_page_text(k, "<title>", k->r->title ? k->r->title : k->r->net->spec, " \xe2\x80\x93 fabric report</title>\n");
    hd_printf(k->o,
              "<style>:root{color-scheme:light dark;%s}@media (prefers-color-scheme:dark){:root{%s}}@media "
              "print{:root{%s}}\n",
              hd_ink_light, hd_ink_dark, hd_ink_light);
    hd_puts(k->o, hd_ink_rules);
    page_put_lines(k, hd_page_style);
    hd_page_switch_rules(k);
    hd_puts(k->o, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n");
}

/* How a figure compares: "(up) 12.3 % better, 0.512 with the current table". */
static void page_put_gain(struct hd_ink *k, uint32_t q, double value, int digits)
{
    const struct hd_report *r = k->r;
    uint32_t other = hd_yardstick(r);
    char text[HD_NUMBER];
    if (other >= r->noption || other == r->best || isnan(r->option[other].figure[q].value)) return;
    const char *with = hd_option_label(r, other);
    double was = r->option[other].figure[q].value;
    double change = value / was - 1;
    bool worse = value != was && (value > was) != r->quantity[q].higher_is_better;
    hd_puts(k->o, worse ? "<span class=\"worse\">" : "<span>");
    if (value == was) hd_puts(k->o, "as ");
    if (value != was && isfinite(change) && fabs(change) < 100)
        hd_printf(k->o, "%s %s %% %s, ", change > 0 ? "\xe2\x96\xb2" : "\xe2\x96\xbc",
                  hd_number(text, 100 * fabs(change), 1),
                  (change > 0) == r->quantity[q].higher_is_better ? "better" : "worse");
    if (value != was) hd_printf(k->o, "%s ", hd_number(text, was, digits));
    hd_page_text(k, "with ", with, "</span>");
}

static void page_put_tile(struct hd_ink *k, uint32_t q)
{
    const struct hd_report *r = k->r;
    uint32_t other = hd_yardstick(r);
    const struct hd_report_figure *f = &r->option[r->best].figure[q];
    double both[] = {f->value, other < r->noption ? r->option[other].figure[q].value : NAN};
    char text[HD_NUMBER];
    int digits = hd_digits(both, 2);
    hd_page_text(k, "<li><span>", r->quantity[q].title, "</span>");
    hd_printf(k->o, "<b>%s</b>", hd_number(text, f->value, digits > 3 ? 3 : digits));
    hd_printf(k->o, "<span>%s</span>", r->quantity[q].higher_is_better ? "of a link's rate" : "flows on a channel");
    page_put_gain(k, q, f->value, digits);
    if (!isnan(f->bound)) {
        int own = hd_digits(&f->bound, 1);
        hd_printf(k->o, "<span>%s %s</span>", r->quantity[q].own_bound ? "this table's bound" : "bound",
                  hd_number(text, f->bound, own > digits ? own : digits));
    }
    hd_puts(k->o, "</li>\n");
}

/* What most readers ask for first, then any others. */
static uint32_t page_choose_tiles(const struct hd_report *r, uint32_t tile[TILES])
{
    static const char *const first[] = {"ebb", "permutation", "alltoall", "worst", ""};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        for (uint32_t q = 0; q < r->nquantity && n < TILES; q++) {
            bool taken = isnan(r->option[r->best].figure[q].value);
            for (uint32_t j = 0; j < n; j++) taken = taken || tile[j] == q;
            if (!taken && (!*first[i] || strcmp(r->quantity[q].name, first[i]) == 0)) tile[n++] = q;
        }
    return n;
}

static void page_put_tiles(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    uint32_t tile[TILES];
    if (r->best >= r->noption || !hd_measured(&r->option[r->best]) || !r->option[r->best].figure) return;
    uint32_t n = page_choose_tiles(r, tile);
    if (!n) return;
    hd_page_text(k, "<p class=\"eye\">The best table that can be loaded: ", hd_option_label(r, r->best), "</p>\n");
    hd_page_text(k, "<ul class=\"tiles\" aria-label=\"Figures of ", r->option[r->best].table, "\">\n");
    for (uint32_t i = 0; i < n; i++) page_put_tile(k, tile[i]);
    hd_puts(k->o, "</ul>\n");
}

/* The first sentence is what to do; the others explain it. */
static void page_put_headline(struct hd_ink *k, const char *text)
{
    const char *end = strstr(text, ". ");
    char first[1000];
    if (!end || end - text + 2 >= (long)sizeof first) {
        page_put_prose(k, "<p class=\"headline\">", text, "</p>");
        return;
    }
    snprintf(first, sizeof first, "%.*s.", (int)(end - text), text);
    page_put_prose(k, "<p class=\"headline\">", first, "</p>");
    page_put_prose(k, "<p>", end + 2, "</p>");
}

static void page_put_verdict(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    hd_puts(k->o, "<header>\n");
    hd_page_text(k, "<p class=\"eye\">heddle fabric report, goal: ", r->goal ? r->goal : "balanced", "</p>\n");
    hd_page_text(k, "<h1>", r->title ? r->title : r->net->spec, "</h1>\n<div class=\"verdict\">");
    page_put_tag(k, r->verdict);
    page_put_headline(k, r->headline ? r->headline : "");
    hd_puts(k->o, "</div>\n</header>\n<main id=\"main\">\n");
}

static void page_put_nav(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    bool heat = false, load = false;
    for (uint32_t i = 0; i < r->noption; i++) {
        heat = heat || (hd_has_heat(r, i) && r->ngroup > 1);
        load = load || hd_has_load(r, i, 0);
    }
    const struct {
        const char *id, *text;
        bool present;
    } part[] = {{"deploy", "What to do", r->nstep > 0},
                {"bandwidth", "Bandwidth", hd_has_samples(r)},
                {"found", "Findings", true},
                {"compare", "Routings", r->noption > 0},
                {"load", "Under load", load},
                {"heat", "Leaf to leaf", heat},
                {"order", "Rank order", hd_has_orders(r)},
                {"whatif", "Failures", hd_has_whatif(r)},
                {"notes", "Notes", r->nnote > 0},
                {"repeat", "Repeat", true}};
    hd_puts(k->o, "<nav aria-label=\"Parts of the report\"><ul>");
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        if (part[i].present) hd_printf(k->o, "<li><a href=\"#%s\">%s</a></li>", part[i].id, part[i].text);
    hd_puts(k->o, "</ul></nav>\n");
}

/* ---- findings, steps, notes ---------------------------------------------------------------- */

static void page_put_findings(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    hd_puts(k->o, "<section id=\"found\" class=\"two\" aria-label=\"Findings and facts\">\n<div>\n<h2>What was "
                  "found</h2>\n<ul class=\"finds\">\n");
    for (int v = HD_FAIL; v >= HD_PASS; v--) /* the worst first */
        for (uint32_t i = 0; i < r->nfinding; i++) {
            if ((int)r->finding[i].verdict != v) continue;
            hd_puts(k->o, "<li>");
            page_put_tag(k, r->finding[i].verdict);
            hd_page_text(k, "<div><b>", r->finding[i].subject, "</b>");
            page_put_prose(k, "", r->finding[i].text, "</div></li>\n");
        }
    hd_puts(k->o, "</ul>\n</div>\n<div>\n<h2>The fabric</h2>\n<dl>\n");
    for (uint32_t i = 0; i < r->nfact; i++) {
        hd_page_text(k, "<dt>", r->fact_name[i], "</dt>");
        hd_page_text(k, "<dd>", r->fact_text[i], "</dd>\n");
    }
    hd_puts(k->o, "</dl>\n</div>\n</section>\n");
}

static void page_put_end(struct hd_ink *k, const char *name, uint32_t port)
{
    hd_page_text(k, "<td>", name, "</td>");
    if (port)
        hd_page_number(k, port, 0);
    else
        hd_puts(k->o, "<td class=\"n\" data-v=\"\"></td>");
}

static void page_put_cables(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    hd_page_scroll(k, "Cables to repair");
    hd_puts(
        k->o,
        "<table class=\"sort long\"><caption>Cables to repair, those that gain most first; ports where they are known");
    if (r->nrepair > PAPER_ROWS)
        hd_printf(k->o, "<span class=\"paper\">The first %d of %u; the file <code>cables</code> has all.</span>",
                  PAPER_ROWS, r->nrepair);
    hd_page_columns(k, "What|From|>Port|To|>Port|Rate|Usual rate|In words");
    for (uint32_t i = 0; i < r->nrepair; i++) {
        const struct hd_report_repair *x = &r->repair[i];
        hd_printf(k->o, "<tr><th scope=\"row\">%s</th>", x->kind);
        page_put_end(k, x->from_label, x->from_port);
        page_put_end(k, x->to_label, x->to_port);
        hd_page_text(k, "<td>", x->link, "</td>");
        hd_page_text(k, "<td>", x->usual, "</td>");
        hd_page_text(k, "<td>", x->text, "</td></tr>\n");
    }
    hd_page_table_end(k);
}

/* A figure of a choice, with a bar. */
static void page_put_reach(struct hd_ink *k, double value, double most)
{
    char text[HD_NUMBER];
    hd_printf(k->o, "<td class=\"n\" data-v=\"%.10g\">%s", value, hd_number(text, value, 3));
    if (value > 0 && most > 0)
        hd_printf(k->o, "<span class=\"bar\" style=\"--p:%d%%\"></span>", (int)lround(100 * value / most));
    hd_puts(k->o, "</td>");
}

/* What the choices are compared with. */
static void page_put_as_it_is(struct hd_ink *k, double most)
{
    const struct hd_report_choice *c = &k->r->choice[0];
    uint32_t from = hd_yardstick(k->r);
    if (from >= k->r->noption || isnan(c->gain)) return;
    hd_page_text(k, "<tr><th scope=\"row\">As it is: ", hd_option_label(k->r, from), "</th>");
    page_put_reach(
        k, k->r->quantity[c->quantity].higher_is_better ? c->value / (1 + c->gain) : c->value * (1 + c->gain), most);
    hd_puts(k->o, "<td class=\"n\" data-v=\"0\"></td><td></td></tr>\n");
}

/* The ways to a better routing as a table: what, figure, gain, cost. */
static void page_put_choices(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    char text[HD_NUMBER];
    double most = 0;
    for (uint32_t i = 0; i < r->nchoice; i++) {
        const struct hd_report_choice *c = &r->choice[i];
        double from = r->quantity[c->quantity].higher_is_better || isnan(c->gain) ? c->value : c->value * (1 + c->gain);
        most = fmax(most, from);
    }
    if (!r->nchoice || (r->nchoice == 1 && r->choice[0].option == hd_yardstick(r))) return;
    hd_page_scroll(k, "Choices");
    hd_puts(k->o, "<table class=\"choices\"><caption>The choices in detail, the cheapest first");
    hd_page_columns(k, "Choice|>Reaches|>Gain|What it costs");
    page_put_as_it_is(k, most);
    for (uint32_t i = 0; i < r->nchoice; i++) {
        const struct hd_report_choice *c = &r->choice[i];
        hd_page_text(k, "<tr><th scope=\"row\">", c->what, "");
        hd_printf(k->o, "%s</th>", c->take ? "<span class=\"is b\">recommended</span>" : "");
        page_put_reach(k, c->value, most);
        if (isnan(c->gain))
            hd_puts(k->o, "<td class=\"n\" data-v=\"\"></td>");
        else
            hd_printf(k->o, "<td class=\"n\" data-v=\"%.4f\">%s%s %%</td>", c->gain, hd_percent(c->gain) < 0 ? "" : "+",
                      hd_number(text, hd_percent(c->gain), 0));
        hd_page_text(k, "<td>", c->cost, ". ");
        if (c->known) hd_page_text(k, "", c->known, ".");
        hd_puts(k->o, "</td></tr>\n");
    }
    hd_page_table_end(k);
}

/* What a step is about in full, where the page shows it in brief: which cables, and the command that measures them. */
static void page_put_details(struct hd_ink *k, const struct hd_report_step *s)
{
    uint32_t n = k->r->nrepair;
    hd_puts(k->o, "<details><summary>");
    if (n)
        hd_printf(k->o, "%u fault%s, by name and port", n, n == 1 ? "" : "s");
    else
        hd_puts(k->o, "Which");
    page_put_prose(k, "</summary>\n<p>", s->what, "");
    if (s->path) hd_page_text(k, ": <code>", s->path, "</code>");
    hd_puts(k->o, "</p>\n");
    if (s->command) hd_page_command(k, s->command);
    if (n) page_put_cables(k);
    hd_puts(k->o, "</details>\n");
}

static void page_put_step(struct hd_ink *k, const struct hd_report_step *s)
{
    page_put_prose(k, "<li><p>", s->brief ? s->brief : s->what, "");
    if (s->path && !s->brief) hd_page_text(k, ": <code>", s->path, "</code>");
    hd_puts(k->o, "</p>");
    if (s->brief)
        page_put_details(k, s);
    else if (s->command)
        hd_page_command(k, s->command);
    hd_puts(k->o, "</li>\n");
}

/* The first screen: what to do, beside the picture of what there is to choose from. */
static hd_status page_put_steps(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    bool picture = hd_has_choices(r);
    if (!r->nstep && !picture) return HD_OK;
    hd_page_section(k, "deploy", r->nstep ? "What to do" : "Nothing to do");
    hd_puts(k->o, "<div class=\"act\">\n");
    if (picture) {
        hd_puts(k->o, "<figure>");
        HD_TRY(hd_chart_choices(k));
        hd_puts(k->o, "</figure>\n");
    }
    if (r->nstep) {
        hd_puts(k->o, "<ol class=\"steps\">\n");
        for (uint32_t i = 0; i < r->nstep; i++) page_put_step(k, &r->step[i]);
        hd_puts(k->o, "</ol>\n");
    }
    hd_puts(k->o, "</div>\n");
    page_put_choices(k);
    hd_page_section_end(k);
    return HD_OK;
}

static void page_put_notes(struct hd_ink *k)
{
    const struct hd_report *r = k->r;
    if (!r->nnote) return;
    hd_page_section(k, "notes", "Notes");
    hd_puts(k->o, "<ul class=\"notes\">\n");
    for (uint32_t i = 0; i < r->nnote; i++) page_put_prose(k, "<li>", r->note[i], "</li>\n");
    hd_puts(k->o, "</ul>\n");
    hd_page_section_end(k);
}

static hd_status page_put_page(struct hd_ink *k)
{
    page_put_head(k);
    page_put_verdict(k);
    HD_TRY(page_put_steps(k));
    page_put_nav(k);
    page_put_tiles(k);
    HD_TRY(hd_page_bandwidth(k));
    page_put_findings(k);
    hd_page_compare(k);
    HD_TRY(hd_page_load(k));
    HD_TRY(hd_page_heat(k));
    HD_TRY(hd_page_order(k));
    HD_TRY(hd_page_whatif(k));
    page_put_notes(k);
    hd_page_repeat(k);
    hd_printf(k->o, "</main>\n<footer>Made by heddle %s from ", hd_version());
    hd_page_text(k, "<code>", k->r->net_text ? k->r->net_text : k->r->net->spec, "</code>.</footer>\n");
    hd_puts(k->o, "<script>");
    page_put_lines(k, hd_page_script);
    hd_puts(k->o, "</script>\n</body>\n</html>\n");
    return HD_OK;
}

hd_status hd_report_html(struct hd_ctx *ctx, const struct hd_report *report, struct hd_out *o)
{
    struct hd_ink k = {.ctx = ctx, .r = report, .o = o};
    hd_status s = page_put_page(&k);
    hd_arena_release(&k.arena);
    return s;
}
