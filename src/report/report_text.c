/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on a terminal: one screen of at most 100 columns. The verdict first, then what it rests on. */
#include "base/arena.h"
#include "base/status.h"
#include "heddle/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, CELL = 40, COLUMNS = 16, NOTES = 5 };

void hd_report_free(struct hd_report *report)
{
    if (!report) return;
    struct hd_arena a = *(struct hd_arena *)report->arena;
    hd_arena_release(&a);
}

const char *hd_verdict_name(enum hd_verdict verdict)
{
    return verdict == HD_PASS ? "PASS" : verdict == HD_WARN ? "WARN" : "FAIL";
}

struct page {
    const struct hd_report *r;
    struct hd_out *o;
    bool colour;
};

/* ---- pieces ------------------------------------------------------------------------------------ */

static void colour(const struct page *p, const char *code)
{
    if (p->colour) hd_printf(p->o, "\033[%sm", code);
}

static void heading(const struct page *p, const char *text)
{
    hd_puts(p->o, "\n");
    colour(p, "1");
    hd_puts(p->o, text);
    colour(p, "0");
    hd_puts(p->o, "\n");
}

static void verdict(const struct page *p, enum hd_verdict v)
{
    static const char *const codes[] = {[HD_PASS] = "32", [HD_WARN] = "33", [HD_FAIL] = "1;31"};
    colour(p, codes[v]);
    hd_puts(p->o, hd_verdict_name(v));
    colour(p, "0");
}

/* Words from column at on, wrapped to indent. */
static void flow(const struct page *p, size_t at, size_t indent, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > indent && at + n > WIDTH) {
            hd_printf(p->o, "\n%*s", (int)indent, "");
            at = indent;
        }
        hd_put(p->o, text, n);
        at += n;
        text += n;
        if (!*text) break;
        text++;
        if (at + 1 + strcspn(text, " ") <= WIDTH) {
            hd_puts(p->o, " ");
            at++;
        } else {
            hd_printf(p->o, "\n%*s", (int)indent, "");
            at = indent;
        }
    }
    hd_puts(p->o, "\n");
}

/* ---- what it is -------------------------------------------------------------------------------- */

static size_t widest(const char *const *names, uint32_t n)
{
    size_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (strlen(names[i]) > most) most = strlen(names[i]);
    return most;
}

static void put_top(const struct page *p)
{
    verdict(p, p->r->verdict);
    hd_printf(p->o, "  %s\n", p->r->net->spec);
    colour(p, "1");
    hd_printf(p->o, "%6s", "");
    flow(p, 6, 6, p->r->headline);
    colour(p, "0");
}

static void put_facts(const struct page *p)
{
    size_t wide = widest(p->r->fact_name, p->r->nfact);
    heading(p, "Fabric");
    for (uint32_t i = 0; i < p->r->nfact; i++) {
        hd_printf(p->o, "  %-*s  ", (int)wide, p->r->fact_name[i]);
        flow(p, wide + 4, wide + 4, p->r->fact_text[i]);
    }
}

static void put_findings(const struct page *p)
{
    size_t wide = 0;
    heading(p, "Checks");
    for (uint32_t i = 0; i < p->r->nfinding; i++)
        if (strlen(p->r->finding[i].subject) > wide) wide = strlen(p->r->finding[i].subject);
    for (uint32_t i = 0; i < p->r->nfinding; i++) {
        const struct hd_finding *f = &p->r->finding[i];
        hd_puts(p->o, "  ");
        verdict(p, f->verdict);
        hd_printf(p->o, "  %-*s  ", (int)wide, f->subject);
        flow(p, wide + 10, wide + 10, f->text);
    }
}

/* ---- comparison -------------------------------------------------------------------------------- */

struct column {
    const char *title;
    int q, now; /* quantities; now: the one in brackets, -1: none */
    int digits;
};

static int find(const struct hd_report *r, const char *name)
{
    for (uint32_t q = 0; q < r->nquantity; q++)
        if (strcmp(r->quantity[q].name, name) == 0) return (int)q;
    return -1;
}

/* Columns somebody has a figure for. */
static int choose_columns(const struct hd_report *r, struct column *c)
{
    const struct {
        const char *title, *q, *now;
        int digits;
    } all[] = {{"EBB", "ebb", NULL, 3},
               {"permutation", "permutation", NULL, 3},
               {"worst", "worst", NULL, 1},
               {"load", "efi", NULL, 0},
               {"ring", "ring", "ring_now", 1},
               {"all-to-all", "alltoall", "alltoall_now", 2},
               {"doubling", "recdbl", "recdbl_now", 2},
               {"packets", "packets", NULL, 2}};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int q = find(r, all[i].q);
        bool known = false;
        for (uint32_t k = 0; q >= 0 && k < r->noption; k++)
            known |= !r->option[k].why_not && !isnan(r->option[k].figure[q].value);
        if (known) c[n++] = (struct column){all[i].title, q, all[i].now ? find(r, all[i].now) : -1, all[i].digits};
    }
    return n;
}

static void number(char *text, size_t size, double v, int digits)
{
    if (isnan(v))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.*f", v >= 1000 ? 0 : digits, v);
}

static void figure(char text[CELL], const struct hd_option *o, const struct column *c)
{
    number(text, CELL, o->figure[c->q].value, c->digits);
    if (c->now < 0 || isnan(o->figure[c->now].value)) return;
    size_t used = strlen(text);
    char now[CELL];
    number(now, sizeof now, o->figure[c->now].value, c->digits);
    if (strcmp(now, text) != 0) snprintf(text + used, CELL - used, " (%.20s)", now);
}

enum { ROWS = 40 };

struct grid {
    char cell[ROWS][COLUMNS][CELL];     /* row 0: titles */
    uint32_t option[ROWS], alike[ROWS]; /* alike: how many options have these figures */
    int nrow, ncol;
};

static bool same_row(const struct grid *g, int i, int j)
{
    for (int k = 1; k < g->ncol; k++)
        if (strcmp(g->cell[i][k], g->cell[j][k]) != 0) return false;
    return true;
}

/* Options with the same figures as the one before them share its row. */
static void fill_row(struct grid *g, const struct hd_report *r, uint32_t i, const struct column *c, int n)
{
    const struct hd_option *o = &r->option[i];
    char(*cell)[CELL] = g->cell[g->nrow];
    memset(cell, 0, sizeof g->cell[0]);
    snprintf(cell[0], CELL, "%.24s", o->current ? "current" : o->table);
    for (int k = 0; k < n; k++) figure(cell[k + 1], o, &c[k]);
    if (o->lanes)
        snprintf(cell[n + 1], CELL, "%u", o->lanes);
    else
        snprintf(cell[n + 1], CELL, "?");
    snprintf(cell[n + 2], CELL, "%.39s", o->mark ? o->mark : "");
    if (g->nrow > 1 && !r->option[g->option[g->nrow - 1]].current && same_row(g, g->nrow, g->nrow - 1)) {
        g->alike[g->nrow - 1]++;
        return;
    }
    g->alike[g->nrow] = 1;
    g->option[g->nrow++] = i;
}

/* Some bounds hold for one table only: the loosest is the one that none of the tables can beat. */
static double loosest(const struct hd_report *r, uint32_t q, bool *differ)
{
    double least = NAN, most = NAN;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_option *o = &r->option[i];
        if (o->why_not || !o->figure) continue;
        least = fmin(least, o->figure[q].bound);
        most = fmax(most, o->figure[q].bound);
    }
    *differ = least < most;
    return r->quantity[q].higher_is_better ? most : least;
}

static void fill_bound(struct grid *g, const struct hd_report *r, const struct column *c, int n)
{
    bool any = false;
    for (uint32_t i = 0; i < r->noption; i++) any = any || !r->option[i].why_not;
    if (!any) return;
    memset(g->cell[g->nrow], 0, sizeof g->cell[0]);
    snprintf(g->cell[g->nrow][0], CELL, "bound");
    for (int k = 0; k < n; k++) {
        bool differ;
        double b = loosest(r, c[k].q, &differ);
        if (!isnan(b)) number(g->cell[g->nrow][k + 1], CELL, b, c[k].digits);
    }
    g->option[g->nrow++] = UINT32_MAX;
}

static void put_row(const struct page *p, const struct grid *g, int i, const size_t *wide)
{
    int last = g->ncol - 1;
    while (last > 0 && !*g->cell[i][last]) last--;
    for (int k = 0; k <= last; k++) {
        int w = k == 0 ? -(int)wide[k] : k == g->ncol - 1 ? 0 : (int)wide[k];
        hd_printf(p->o, "%s%*s", k ? "  " : "", w, g->cell[i][k]);
    }
    hd_puts(p->o, "\n");
}

static void put_alike(const struct page *p, const struct grid *g, int i)
{
    char text[1000];
    size_t used = 0;
    const struct hd_option *o = &p->r->option[g->option[i]];
    for (uint32_t k = 1; k < g->alike[i] && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", k > 1 ? ", " : "", o[k].table);
    hd_puts(p->o, "    the same: ");
    flow(p, 14, 6, text);
}

static void put_grid(const struct page *p, const struct grid *g)
{
    size_t wide[COLUMNS] = {0};
    for (int i = 0; i < g->nrow; i++)
        for (int k = 0; k < g->ncol; k++)
            if (strlen(g->cell[i][k]) > wide[k]) wide[k] = strlen(g->cell[i][k]);
    for (int i = 0; i < g->nrow; i++) {
        bool option = i > 0 && g->option[i] != UINT32_MAX, best = option && g->option[i] == p->r->best;
        if (best) colour(p, "1");
        hd_puts(p->o, best ? "> " : "  ");
        put_row(p, g, i, wide);
        if (best) colour(p, "0");
        if (option && g->alike[i] > 1) put_alike(p, g, i);
    }
}

/* Names of the options that carry a reason beginning with prefix. */
static void put_left_out(const struct page *p, const char *prefix, const char *title)
{
    char text[2000];
    size_t used = 0;
    for (uint32_t i = 0; i < p->r->noption; i++) {
        const struct hd_option *o = &p->r->option[i];
        if (!o->why_not || strncmp(o->why_not, prefix, strlen(prefix)) != 0) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", used ? ", " : "", o->table);
        if (used >= sizeof text) break;
    }
    if (!used) return;
    hd_printf(p->o, "  %s: ", title);
    flow(p, strlen(title) + 4, 4, text);
}

static void put_legend(const struct page *p)
{
    colour(p, "2");
    hd_puts(p->o, "  ");
    flow(p, 2, 2, "EBB, permutation, packets: share of a link. worst: flows on a cable. load: pairs on a cable.");
    if (p->r->order_how) {
        hd_puts(p->o, "  ");
        int q = find(p->r, "alltoall");
        bool differ = false; /* the bounds of an all-to-all, which are each table's own */
        if (q >= 0) loosest(p->r, (uint32_t)q, &differ);
        flow(p, 2, 2,
             differ
                 ? "ring, all-to-all, doubling: flows on the busiest cable, our order (today's); bound: best table's."
                 : "ring, all-to-all, doubling: flows on the busiest cable, in our rank order (in today's).");
    }
    colour(p, "0");
}

static hd_status put_options(struct hd_ctx *ctx, const struct page *p)
{
    const struct hd_report *r = p->r;
    struct hd_arena scratch = {0};
    struct grid *g = HD_NEW(&scratch, struct grid, 1);
    struct column c[COLUMNS];
    char title[200];
    if (!g) return hd_fail_memory(ctx);
    int n = choose_columns(r, c);
    g->nrow = 1;
    g->ncol = n + 3;
    snprintf(g->cell[0][0], CELL, "table");
    for (int k = 0; k < n; k++) snprintf(g->cell[0][k + 1], CELL, "%s", c[k].title);
    snprintf(g->cell[0][n + 1], CELL, "lanes");
    for (uint32_t i = 0; i < r->noption && g->nrow < ROWS - 2; i++)
        if (!r->option[i].why_not) fill_row(g, r, i, c, n);
    if (g->nrow > 1 && n > 0) {
        fill_bound(g, r, c, n);
        snprintf(title, sizeof title, "Routings, best first for: %s", r->goal);
        heading(p, title);
        put_grid(p, g);
        put_legend(p);
    }
    hd_arena_release(&scratch);
    if (n == 0) return HD_OK;
    put_left_out(p, "does not apply", "do not apply here");
    put_left_out(p, "left out", "left out, too much work");
    return HD_OK;
}

static void put_why(const struct page *p)
{
    const struct hd_report *r = p->r;
    int ar = find(r, "adaptive"), packets = find(r, "packets");
    hd_puts(p->o, "  why: ");
    flow(p, 7, 4, r->reason);
    if (r->best >= r->noption || ar < 0 || isnan(r->option[r->best].figure[ar].value)) return;
    double on = r->option[r->best].figure[ar].value, off = r->option[r->best].figure[packets].value;
    hd_printf(p->o, "  adaptive routing on: %.2f of what a sender gets alone, packet by packet", on);
    if (!isnan(off))
        hd_printf(p->o, "; %.30s %.2f", r->option[r->best].current ? "current" : r->option[r->best].table, off);
    hd_puts(p->o, "\n");
}

/* ---- what if, steps, notes --------------------------------------------------------------------- */

static void put_what_if(const struct page *p)
{
    if (!p->r->nwhat_if) return;
    char title[120];
    snprintf(title, sizeof title, "What if (EBB of the same %llu samples each, +-%.3f)",
             (unsigned long long)p->r->what_if[0].samples, p->r->what_if[0].ci / 2);
    heading(p, title);
    for (uint32_t i = 0; i < p->r->nwhat_if; i++) {
        const struct hd_what_if *w = &p->r->what_if[i];
        char text[700];
        snprintf(text, sizeof text,
                 "%.1f %% of pairs cut off (at most %.1f %%), EBB %.3f -> %.3f; routed anew %.3f, %.1f %% of entries "
                 "change; worst of %u: %.80s",
                 100 * w->lost_mean, 100 * w->lost_max, w->ebb_before, w->stays_mean, w->rerouted_mean,
                 100 * w->changed_mean, w->cases, w->worst);
        hd_printf(p->o, "  %-16s  ", w->what);
        flow(p, 20, 20, text);
    }
}

static void put_steps(const struct page *p)
{
    if (!p->r->nstep) return;
    heading(p, "To do");
    for (uint32_t i = 0; i < p->r->nstep; i++) {
        const struct hd_step *s = &p->r->step[i];
        char text[4000];
        snprintf(text, sizeof text, "%s%s%s", s->what, s->path ? ": " : "", s->path ? s->path : "");
        hd_printf(p->o, "  %u. ", i + 1);
        flow(p, 5, 5, text);
        if (s->command) hd_printf(p->o, "     %s\n", s->command);
    }
}

static void put_notes(const struct page *p)
{
    if (!p->r->nnote) return;
    heading(p, "Notes");
    for (uint32_t i = 0; i < p->r->nnote && i < NOTES; i++) {
        hd_puts(p->o, "  - ");
        flow(p, 4, 4, p->r->note[i]);
    }
    if (p->r->nnote > NOTES) hd_printf(p->o, "  - and %u more in the report\n", p->r->nnote - NOTES);
}

hd_status hd_report_text(struct hd_ctx *ctx, const struct hd_report *report, bool with_colour, struct hd_out *o)
{
    struct page p = {report, o, with_colour};
    put_top(&p);
    put_facts(&p);
    put_findings(&p);
    HD_TRY(put_options(ctx, &p));
    if (*report->reason) put_why(&p);
    put_what_if(&p);
    put_steps(&p);
    put_notes(&p);
    return HD_OK;
}
