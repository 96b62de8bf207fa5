/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on a terminal: the verdict, the choices and what to do first, then what they rest on. Lines are as long as
 * those of the reader, 100 columns where they are not known: words are wrapped here, since a terminal would break them
 * anywhere, and columns of the comparison that do not fit are left out. Options with the same figures share a row. */
#include "base/arena.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "report/report_options.h"
#include "tool/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 40, COLUMNS = 16, NOTES = 5, LONG_STEP = 400 };

struct text_page {
    const struct hd_report *r;
    struct hd_out *o;
    bool colour;
};

/* ---- pieces ------------------------------------------------------------------------------------ */

static size_t text_columns(const struct text_page *p)
{
    return hd_out_columns(p->o) ? hd_out_columns(p->o) : HD_COLUMNS;
}

static void text_colour(const struct text_page *p, const char *code)
{
    if (p->colour) hd_printf(p->o, "\033[%sm", code);
}

static void text_heading(const struct text_page *p, const char *text)
{
    hd_puts(p->o, "\n");
    text_colour(p, "1");
    hd_puts(p->o, text);
    text_colour(p, "0");
    hd_puts(p->o, "\n");
}

static void text_verdict(const struct text_page *p, enum hd_verdict v)
{
    static const char *const codes[] = {[HD_PASS] = "32", [HD_WARN] = "33", [HD_FAIL] = "1;31"};
    text_colour(p, codes[v]);
    hd_puts(p->o, hd_verdict_name(v));
    text_colour(p, "0");
}

/* ---- what it is -------------------------------------------------------------------------------- */

static size_t text_widest(const char *const *names, uint32_t n)
{
    size_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (strlen(names[i]) > most) most = strlen(names[i]);
    return most;
}

static void text_put_top(const struct text_page *p)
{
    text_verdict(p, p->r->verdict);
    hd_puts(p->o, "  ");
    hd_put_visible(p->o, p->r->net->spec, strlen(p->r->net->spec));
    hd_puts(p->o, "\n");
    text_colour(p, "1");
    hd_printf(p->o, "%6s", "");
    hd_put_wrapped(p->o, 6, 6, p->r->headline);
    text_colour(p, "0");
}

static void text_put_facts(const struct text_page *p)
{
    size_t wide = text_widest(p->r->fact_name, p->r->nfact);
    text_heading(p, "Fabric");
    for (uint32_t i = 0; i < p->r->nfact; i++) {
        hd_printf(p->o, "  %-*s  ", (int)wide, p->r->fact_name[i]);
        hd_put_wrapped(p->o, wide + 4, wide + 4, p->r->fact_text[i]);
    }
}

static void text_put_findings(const struct text_page *p)
{
    size_t wide = 0;
    text_heading(p, "Checks");
    for (uint32_t i = 0; i < p->r->nfinding; i++)
        if (strlen(p->r->finding[i].subject) > wide) wide = strlen(p->r->finding[i].subject);
    for (uint32_t i = 0; i < p->r->nfinding; i++) {
        const struct hd_report_finding *f = &p->r->finding[i];
        hd_puts(p->o, "  ");
        text_verdict(p, f->verdict);
        hd_printf(p->o, "  %-*s  ", (int)wide, f->subject);
        hd_put_wrapped(p->o, wide + 10, wide + 10, f->text);
    }
}

/* ---- comparison -------------------------------------------------------------------------------- */

struct text_column {
    const char *title;
    int q, now; /* quantities; now: the one in brackets, -1: none */
    int digits;
    int rank; /* by which columns are left out, the largest first */
};

static int text_quantity(const struct hd_report *r, const char *name)
{
    for (uint32_t q = 0; q < r->nquantity; q++)
        if (strcmp(r->quantity[q].name, name) == 0) return (int)q;
    return -1;
}

/* Columns that have a figure. */
static int text_choose_columns(const struct hd_report *r, struct text_column *c)
{
    const struct {
        const char *title, *q, *now;
        int digits, rank;
    } all[] = {{"EBB", "ebb", NULL, 3, 0},
               {"permutation", "permutation", NULL, 3, 2},
               {"worst", "worst", NULL, 1, 3},
               {"load", "efi", NULL, 0, 7},
               {"ring", "ring", "ring_now", 1, 5},
               {"all-to-all", "alltoall", "alltoall_now", 2, 1},
               {"doubling", "recdbl", "recdbl_now", 2, 6},
               {"packets", "packets", NULL, 2, 4}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int q = text_quantity(r, all[i].q);
        bool known = false;
        for (uint32_t k = 0; q >= 0 && k < r->noption; k++)
            known |= hd_measured(&r->option[k]) && !isnan(r->option[k].figure[q].value);
        if (known)
            c[n++] = (struct text_column){all[i].title, q, all[i].now ? text_quantity(r, all[i].now) : -1,
                                          all[i].digits, all[i].rank};
    }
    return n;
}

static void text_number(char *text, size_t size, double v, int digits)
{
    if (isnan(v))
        snprintf(text, size, "-");
    else
        hd_format(text, size, "%.*f", v >= 1000 ? 0 : digits, v);
}

static void text_figure(char text[CELL], const struct hd_report_option *o, const struct text_column *c)
{
    text_number(text, CELL, o->figure[c->q].value, c->digits);
    if (c->now < 0 || isnan(o->figure[c->now].value)) return;
    size_t used = strlen(text);
    char now[CELL];
    text_number(now, sizeof now, o->figure[c->now].value, c->digits);
    if (strcmp(now, text) != 0) snprintf(text + used, CELL - used, " (%.20s)", now);
}

enum { ROWS = 40 };

struct text_grid {
    char cell[ROWS][COLUMNS][CELL];     /* row 0: titles */
    uint32_t option[ROWS], alike[ROWS]; /* alike: how many options have these figures */
    bool hidden[COLUMNS];
    int nrow, ncol;
};

static bool grid_same_row(const struct text_grid *g, int i, int j)
{
    for (int k = 1; k < g->ncol; k++)
        if (strcmp(g->cell[i][k], g->cell[j][k]) != 0) return false;
    return true;
}

/* Options with the same figures as the one before them share its row. */
static void grid_fill_row(struct text_grid *g, const struct hd_report *r, uint32_t i, const struct text_column *c,
                          int n)
{
    const struct hd_report_option *o = &r->option[i];
    char(*cell)[CELL] = g->cell[g->nrow];
    memset(cell, 0, sizeof g->cell[0]);
    snprintf(cell[0], CELL, "%.31s", o->current ? "current" : hd_option_label(r, i));
    for (int k = 0; k < n; k++) text_figure(cell[k + 1], o, &c[k]);
    if (o->lanes)
        snprintf(cell[n + 1], CELL, "%u", o->lanes);
    else
        snprintf(cell[n + 1], CELL, "?");
    snprintf(cell[n + 2], CELL, "%.39s", o->mark ? o->mark : "");
    if (g->nrow > 1 && !r->option[g->option[g->nrow - 1]].current && grid_same_row(g, g->nrow, g->nrow - 1)) {
        g->alike[g->nrow - 1]++;
        return;
    }
    g->alike[g->nrow] = 1;
    g->option[g->nrow++] = i;
}

/* Some bounds hold for one table only: the loosest is the one that none of the tables can beat. */
static double text_loosest_bound(const struct hd_report *r, uint32_t q, bool *differ)
{
    double least = NAN, most = NAN;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *o = &r->option[i];
        if (!hd_measured(o) || !o->figure) continue;
        least = fmin(least, o->figure[q].bound);
        most = fmax(most, o->figure[q].bound);
    }
    *differ = least < most;
    return r->quantity[q].higher_is_better ? most : least;
}

static void grid_fill_bound(struct text_grid *g, const struct hd_report *r, const struct text_column *c, int n)
{
    bool any = false;
    for (uint32_t i = 0; i < r->noption; i++) any = any || hd_measured(&r->option[i]);
    if (!any) return;
    memset(g->cell[g->nrow], 0, sizeof g->cell[0]);
    snprintf(g->cell[g->nrow][0], CELL, "bound");
    for (int k = 0; k < n; k++) {
        bool differ;
        double b = text_loosest_bound(r, c[k].q, &differ);
        if (!isnan(b)) text_number(g->cell[g->nrow][k + 1], CELL, b, c[k].digits);
    }
    g->option[g->nrow++] = UINT32_MAX;
}

static void grid_put_row(const struct text_page *p, const struct text_grid *g, int i, const size_t *wide)
{
    int last = g->ncol - 1;
    while (last > 0 && (!*g->cell[i][last] || g->hidden[last])) last--;
    for (int k = 0; k <= last; k++) {
        int w = k == 0 ? -(int)wide[k] : k == g->ncol - 1 ? 0 : (int)wide[k];
        if (!g->hidden[k]) hd_printf(p->o, "%s%*s", k ? "  " : "", w, g->cell[i][k]);
    }
    hd_puts(p->o, "\n");
}

static void grid_put_alike(const struct text_page *p, const struct text_grid *g, int i)
{
    char text[1000];
    size_t used = 0;
    for (uint32_t k = 1; k < g->alike[i] && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", k > 1 ? ", " : "",
                                 hd_option_label(p->r, g->option[i] + k));
    hd_puts(p->o, "    the same: ");
    hd_put_wrapped(p->o, 14, 6, text);
}

/* Leaves out the columns of the largest ranks, one after the other, until the rest fits. Column k + 1 is that of c[k].
 */
static void grid_fit(struct text_grid *g, const struct text_column *c, int n, const size_t *wide, size_t columns)
{
    size_t sum = 0;
    for (int k = 0; k < g->ncol; k++) sum += wide[k] + 2;
    for (int rank = COLUMNS; rank > 0 && sum > columns; rank--)
        for (int k = 0; k < n; k++)
            if (c[k].rank == rank) g->hidden[k + 1] = true, sum -= wide[k + 1] + 2;
}

static void grid_put(const struct text_page *p, struct text_grid *g, const struct text_column *c, int n)
{
    size_t wide[COLUMNS] = {0};
    for (int i = 0; i < g->nrow; i++)
        for (int k = 0; k < g->ncol; k++)
            if (strlen(g->cell[i][k]) > wide[k]) wide[k] = strlen(g->cell[i][k]);
    grid_fit(g, c, n, wide, text_columns(p));
    for (int i = 0; i < g->nrow; i++) {
        bool option = i > 0 && g->option[i] != UINT32_MAX, best = option && g->option[i] == p->r->best;
        if (best) text_colour(p, "1");
        hd_puts(p->o, best ? "> " : "  ");
        grid_put_row(p, g, i, wide);
        if (best) text_colour(p, "0");
        if (option && g->alike[i] > 1) grid_put_alike(p, g, i);
    }
}

/* Names of the options that were not measured for this reason. */
static void text_put_left_out(const struct text_page *p, enum hd_report_option_state state, const char *title)
{
    char text[2000];
    size_t used = 0;
    for (uint32_t i = 0; i < p->r->noption; i++) {
        const struct hd_report_option *o = &p->r->option[i];
        if (o->state != state) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", used ? ", " : "",
                                 o->run ? hd_option_label(p->r, i) : o->table);
        if (used >= sizeof text) break;
    }
    if (!used) return;
    hd_printf(p->o, "  %s: ", title);
    hd_put_wrapped(p->o, strlen(title) + 4, 4, text);
}

/* " Columns left out: load, doubling." */
static void grid_left_out(const struct text_grid *g, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int k = 0; k < g->ncol && used < size; k++)
        if (g->hidden[k])
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : " Columns left out: ", g->cell[0][k]);
    if (used && used < size) snprintf(text + used, size - used, ".");
}

/* Why one flow may count as several: the slowest cable, relative to the usual rate of its kind. */
static void text_slow_cables(const struct hd_report *r, char *text, size_t size)
{
    double most = 1;
    *text = 0;
    for (uint32_t i = 0; i < r->nrepair; i++) {
        const struct hd_report_repair *x = &r->repair[i];
        uint32_t rate = hd_link_mbps(hd_link_code(x->link, strlen(x->link)));
        uint32_t usual = hd_link_mbps(hd_link_code(x->usual, strlen(x->usual)));
        if (!rate || usual <= most * rate) continue;
        most = (double)usual / rate;
        hd_format(text, size, "; on a slow one a flow counts as several (%s instead of %s: as %.3g)", x->link, x->usual,
                  most);
    }
}

enum { LEGEND = 700 };

/* Appends "EBB, packets: meaning" with those of the titles that have a column in the table; false: none has. */
static bool legend_add(const struct text_grid *g, char text[LEGEND], const char *const *titles, const char *meaning)
{
    size_t first = strlen(text), used = first;
    for (; *titles; titles++)
        for (int k = 1; k < g->ncol && used < LEGEND; k++)
            if (!g->hidden[k] && strcmp(g->cell[0][k], *titles) == 0)
                used += (size_t)snprintf(text + used, LEGEND - used, "%s%s", used > first ? ", " : "", *titles);
    if (used > first && used < LEGEND) snprintf(text + used, LEGEND - used, ": %s ", meaning);
    return used > first;
}

static void legend_put(const struct text_page *p, const char *text)
{
    if (!*text) return;
    hd_puts(p->o, "  ");
    hd_put_wrapped(p->o, 2, 2, text);
}

/* What the columns that are shown mean, and which are not. That slow cables count more is said where flows are counted
 * first. */
static void text_put_legend(const struct text_page *p, const struct text_grid *g)
{
    static const char *const shares[] = {"EBB", "permutation", "packets", NULL}, *const worst[] = {"worst", NULL};
    static const char *const load[] = {"load", NULL}, *const flows[] = {"ring", "all-to-all", "doubling", NULL};
    char text[LEGEND] = "", meaning[300], left_out[200], slow[120];
    int q = text_quantity(p->r, "alltoall");
    bool differ = false; /* the bounds of an all-to-all, of which each table has its own */
    text_slow_cables(p->r, slow, sizeof slow);
    grid_left_out(g, left_out, sizeof left_out);
    legend_add(g, text, shares, "share of link rate.");
    snprintf(meaning, sizeof meaning, "flows on a cable%s.", slow);
    if (legend_add(g, text, worst, meaning)) *slow = 0;
    legend_add(g, text, load, "pairs on a cable.");
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", left_out);
    text_colour(p, "2");
    legend_put(p, text);
    *text = 0;
    if (q >= 0) text_loosest_bound(p->r, (uint32_t)q, &differ);
    snprintf(meaning, sizeof meaning, "flows on the busiest cable, suggested (current) order%s%s.",
             differ ? "; lowest bound" : "", slow);
    if (p->r->order_how && legend_add(g, text, flows, meaning)) legend_put(p, text);
    text_colour(p, "0");
}

static hd_status text_put_options(struct hd_ctx *ctx, const struct text_page *p)
{
    const struct hd_report *r = p->r;
    struct hd_arena scratch = {0};
    struct text_grid *g = HD_NEW(&scratch, struct text_grid, 1);
    struct text_column c[COLUMNS];
    char title[200];
    if (!g) return hd_fail_memory(ctx);
    int n = text_choose_columns(r, c);
    g->nrow = 1;
    g->ncol = n + 3;
    snprintf(g->cell[0][0], CELL, "table");
    for (int k = 0; k < n; k++) snprintf(g->cell[0][k + 1], CELL, "%s", c[k].title);
    snprintf(g->cell[0][n + 1], CELL, "VLs");
    for (uint32_t i = 0; i < r->noption && g->nrow < ROWS - 2; i++)
        if (hd_measured(&r->option[i])) grid_fill_row(g, r, i, c, n);
    if (g->nrow > 1 && n > 0) {
        grid_fill_bound(g, r, c, n);
        snprintf(title, sizeof title, "Routings, best first for: %s", r->goal);
        text_heading(p, title);
        grid_put(p, g, c, n);
        text_put_legend(p, g);
    }
    hd_arena_release(&scratch);
    if (n == 0) return HD_OK;
    text_put_left_out(p, HD_OPTION_NOT_APPLICABLE, "do not apply here");
    text_put_left_out(p, HD_OPTION_TOO_MUCH_WORK, "left out, too much work");
    return HD_OK;
}

static void text_put_why(const struct text_page *p)
{
    const struct hd_report *r = p->r;
    int ar = text_quantity(r, "adaptive"), packets = text_quantity(r, "packets");
    hd_puts(p->o, "  why: ");
    hd_put_wrapped(p->o, 7, 4, r->reason);
    if (r->best >= r->noption || ar < 0 || isnan(r->option[r->best].figure[ar].value)) return;
    double on = r->option[r->best].figure[ar].value, off = r->option[r->best].figure[packets].value;
    char text[300], table[120] = "";
    if (!isnan(off))
        hd_format(table, sizeof table, "; off, %.60s: %.3f +-%.3f", hd_option_label(r, r->best), off,
                  r->option[r->best].figure[packets].ci / 2);
    hd_format(text, sizeof text, "adaptive routing on: %.3f +-%.3f of a sender's link, simulated by packets%s", on,
              r->option[r->best].figure[ar].ci / 2, table);
    hd_puts(p->o, "  ");
    hd_put_wrapped(p->o, 2, 4, text);
}

/* ---- choices ----------------------------------------------------------------------------------- */

/* "0.805, +18 % +-1 %." */
static void choice_figures(const struct hd_report_choice *c, char *text, size_t size)
{
    char gain[60] = "";
    if (!isnan(c->gain) && c->gain <= 9) hd_format(gain, sizeof gain, ", %+.0f %%", hd_percent(c->gain));
    if (*gain && c->error > 0) {
        size_t used = strlen(gain);
        hd_format(gain + used, sizeof gain - used, " +-%.0f %%", fmax(1, ceil(100 * c->error)));
    }
    if (isnan(c->value))
        *text = 0;
    else
        hd_format(text, size, ": %.3g%s", c->value, gain);
}

static void text_put_choices(const struct text_page *p)
{
    const struct hd_report *r = p->r;
    if (!r->nchoice || (r->nchoice == 1 && r->choice[0].option == hd_yardstick(r))) return;
    bool taken = false;
    for (uint32_t i = 0; i < r->nchoice; i++) taken = taken || r->choice[i].take;
    if (!taken)
        text_heading(p, r->nchoice > 1 ? "Choices (none is worth a change)" : "The choice (not worth a change)");
    else
        text_heading(p, r->nchoice > 1 ? "Choices (> is recommended)" : "The choice");
    for (uint32_t i = 0; i < r->nchoice; i++) {
        const struct hd_report_choice *c = &r->choice[i];
        char text[1000], figures[120];
        choice_figures(c, figures, sizeof figures);
        snprintf(text, sizeof text, "%s%s. %s.%s%s%s", c->what, figures, c->cost, c->known ? " " : "",
                 c->known ? c->known : "", c->known ? "." : "");
        hd_printf(p->o, "%s%c. ", c->take ? "> " : "  ", 'a' + (int)i);
        hd_put_wrapped(p->o, 5, 5, text);
    }
}

/* ---- what if, steps, notes --------------------------------------------------------------------- */

static void text_put_what_if(const struct text_page *p)
{
    if (!p->r->nwhat_if) return;
    char title[120];
    hd_format(title, sizeof title, "What if (EBB of the same %llu samples each, +-%.3f)",
              (unsigned long long)p->r->what_if[0].samples, p->r->what_if[0].ci / 2);
    text_heading(p, title);
    for (uint32_t i = 0; i < p->r->nwhat_if; i++) {
        const struct hd_report_what_if *w = &p->r->what_if[i];
        char text[700];
        hd_format(
            text, sizeof text,
            "%.80s: %.1f %% of pairs cut off (at most %.1f %%), EBB %.3f -> %.3f; after rerouting %.3f, %.1f %% of "
            "entries change; worst of %u: %.80s",
            w->table, 100 * w->lost_mean, 100 * w->lost_max, w->ebb_before, w->stays_mean, w->rerouted_mean,
            100 * w->changed_mean, w->cases, w->worst);
        hd_printf(p->o, "  %-16s  ", w->what);
        hd_put_wrapped(p->o, 20, 20, text);
    }
}

static void text_put_steps(const struct text_page *p)
{
    if (!p->r->nstep) return;
    text_heading(p, "To do");
    for (uint32_t i = 0; i < p->r->nstep; i++) {
        const struct hd_report_step *s = &p->r->step[i];
        char text[4000];
        if (s->brief && strlen(s->what) > LONG_STEP) /* the checks below name the first */
            snprintf(text, sizeof text, "%s. Full list: %s%s", s->brief, s->path ? "" : "heddle topo ",
                     s->path ? s->path : p->r->net_text);
        else
            snprintf(text, sizeof text, "%s%s%s", s->what, s->path ? ": " : "", s->path ? s->path : "");
        hd_printf(p->o, "  %u. ", i + 1);
        hd_put_wrapped(p->o, 5, 5, text);
        if (!s->command) continue;
        hd_puts(p->o, "     ");
        hd_put_visible(p->o, s->command, strlen(s->command));
        hd_puts(p->o, "\n");
    }
}

static void text_put_notes(const struct text_page *p)
{
    if (!p->r->nnote) return;
    text_heading(p, "Notes");
    for (uint32_t i = 0; i < p->r->nnote && i < NOTES; i++) {
        hd_puts(p->o, "  - ");
        hd_put_wrapped(p->o, 4, 4, p->r->note[i]);
    }
    if (p->r->nnote > NOTES) hd_printf(p->o, "  - and %u more in the report\n", p->r->nnote - NOTES);
}

hd_status hd_report_text(struct hd_ctx *ctx, const struct hd_report *report, bool with_colour, struct hd_out *o)
{
    struct text_page p = {report, o, with_colour};
    text_put_top(&p);
    text_put_steps(&p);
    text_put_choices(&p);
    text_put_facts(&p);
    text_put_findings(&p);
    HD_TRY(text_put_options(ctx, &p));
    if (*report->reason) text_put_why(&p);
    text_put_what_if(&p);
    text_put_notes(&p);
    return HD_OK;
}
