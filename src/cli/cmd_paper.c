/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle paper: the papers' figures beside ours, as a table for each item, as Markdown or as JSON. Reasons
 * of known misses are numbered and follow the table they belong to. */
#include "cli.h"
#include "papers.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REASONS = 64 };

struct counts {
    uint32_t ok, known, missed;
    uint32_t shown; /* rows without a published figure: nothing to agree with */
};

/* Whose claims: of the papers, and of this library. */
enum { PAPERS, OWN, SIDES };

struct paper {
    struct cli *cli;
    bool markdown;
    struct hd_json json;
    struct counts all[SIDES];
    uint32_t items;
    char paper[32];                /* that of the last item */
    struct hd_out *summary, *body; /* of Markdown: the summary comes first and is known last */
    hd_status status;
    /* the current item */
    char item[64];
    struct counts its;
    struct table table;
    struct hd_out *lines; /* of a Markdown table */
    char *reason[MAX_REASONS];
    uint32_t nreason;
    double start;
};

/* ---- figures as people write them ----------------------------------------------------------- */

static void print_number(char text[32], double value)
{
    if (isnan(value))
        snprintf(text, 32, "-");
    else if (value == floor(value) && fabs(value) < 1e9)
        snprintf(text, 32, "%.0f", value);
    else
        snprintf(text, 32, "%.*f", fabs(value) < 10 ? 3 : 2, value);
}

static void print_percent(char text[32], const char *format, double fraction)
{
    if (isfinite(fraction))
        snprintf(text, 32, format, 100 * fraction);
    else
        text[0] = 0;
}

struct cells {
    char published[40], ours[32], difference[32], tolerance[32], verdict[32];
};

static const char *row_verdict(const struct hd_paper_row *row)
{
    if (isnan(row->published)) return "-";
    if (row->ok) return "ok";
    return row->known ? "known" : "MISS";
}

static void fill_cells(const struct hd_paper_row *row, uint32_t reason, struct cells *c)
{
    char figure[32];
    bool compared = !isnan(row->published);
    const char *sign = compared ? hd_relation_sign(row->relation) : "";
    print_number(figure, row->published);
    snprintf(c->published, sizeof c->published, "%s%s%s", sign, *sign ? " " : "", figure);
    print_number(c->ours, row->ours);
    print_percent(c->difference, "%+.1f %%", row->published == 0 ? NAN : row->ours / row->published - 1);
    if (compared && row->tolerance == 0)
        snprintf(c->tolerance, sizeof c->tolerance, "exact");
    else
        print_percent(c->tolerance, "%.1f %%", compared ? row->tolerance : NAN);
    const char *word = row_verdict(row);
    if (reason)
        snprintf(c->verdict, sizeof c->verdict, "%s [%u]", word, reason);
    else
        snprintf(c->verdict, sizeof c->verdict, "%s", word);
}

static bool is_own(const char *paper)
{
    return strcmp(paper, "own") == 0 || strncmp(paper, "own-", 4) == 0;
}

/* ---- one item ------------------------------------------------------------------------------- */

/* Number of this reason, from 1; rows of an item share equal ones. */
static uint32_t reason_number(struct paper *p, const char *why)
{
    if (!why) return 0;
    for (uint32_t i = 0; i < p->nreason; i++)
        if (strcmp(p->reason[i], why) == 0) return i + 1;
    if (p->nreason == MAX_REASONS) return 0;
    if (!(p->reason[p->nreason] = strdup(why))) {
        p->status = hd_fail_memory(p->cli->ctx);
        return 0;
    }
    return ++p->nreason;
}

static void put_reasons(struct paper *p, struct hd_out *o, const char *format)
{
    for (uint32_t i = 0; i < p->nreason; i++) {
        hd_printf(o, format, i + 1, p->reason[i]);
        free(p->reason[i]);
    }
    p->nreason = 0;
}

static void begin_item(struct paper *p, const char *name)
{
    snprintf(p->item, sizeof p->item, "%s", name);
    p->its = (struct counts){0};
    p->start = seconds();
    if (p->markdown)
        p->status = hd_out_memory(p->cli->ctx, &p->lines);
    else
        p->status = table_init(p->cli->ctx, &p->table, "case|quantity|>published|>ours|>difference|>tolerance|verdict");
}

static void end_markdown(struct paper *p, const struct hd_desc *d)
{
    struct hd_out *o = p->body;
    hd_printf(p->summary, "| [%s](#%s) | %s | %u | %u | %u | %u |\n", d->name, d->name, d->summary, p->its.ok,
              p->its.known, p->its.missed, p->its.shown);
    size_t len = strcspn(d->name, "-");
    if (strncmp(p->paper, d->name, len) != 0 || p->paper[len]) {
        if (is_own(d->name))
            hd_puts(o, "\n## Claims of heddle itself\n");
        else
            hd_printf(o, "\n## Paper %.*s\n", (int)len, d->name);
    }
    snprintf(p->paper, sizeof p->paper, "%.*s", (int)len, d->name);
    hd_printf(o, "\n### %s\n\n%s.%s%s\n\n", d->name, d->summary, d->text ? " " : "", d->text ? d->text : "");
    if (d->cite) hd_printf(o, "Source: %s.\n\n", d->cite);
    hd_puts(o, "| case | quantity | published | ours | difference | tolerance | verdict "
               "|\n|---|---|---:|---:|---:|---:|---|\n");
    hd_puts(o, hd_out_text(p->lines, NULL));
    hd_out_pass_error(p->lines, o);
    hd_out_drop(p->lines);
    p->lines = NULL;
    if (p->nreason) hd_puts(o, "\n");
    put_reasons(p, o, "- [%u] %s\n");
}

static void end_text(struct paper *p, const struct hd_desc *d)
{
    struct hd_out *o = p->cli->out;
    hd_printf(o, "%s%s: %s", p->items ? "\n" : "", d->name, d->summary);
    if (p->cli->v.timing) hd_printf(o, " (%.2f s)", seconds() - p->start);
    hd_puts(o, "\n");
    table_print(&p->table, o);
    put_reasons(p, o, "  [%u] %s\n");
}

static void end_item(struct paper *p)
{
    if (!*p->item) return;
    const struct hd_desc *d = hd_registry_find(p->cli->ctx, HD_PAPERS, p->item);
    if (p->markdown)
        end_markdown(p, d);
    else
        end_text(p, d);
    p->items++;
    p->item[0] = 0;
}

/* What an item that could not be finished holds. */
static void drop_item(struct paper *p)
{
    while (p->nreason) free(p->reason[--p->nreason]);
    if (!*p->item) return;
    hd_out_drop(p->markdown ? p->lines : p->table.text);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void put_json(struct hd_json *j, const struct hd_paper_row *row)
{
    hd_json_object(j, NULL, hd_text("paper", row->paper), hd_text("item", row->item), hd_text("case", row->subject),
                   hd_text("quantity", row->quantity),
                   hd_text("relation", row->relation == HD_ROW_IS ? "=" : hd_relation_sign(row->relation)),
                   hd_real("published", row->published), hd_real("ours", row->ours),
                   hd_real("tolerance", row->tolerance), hd_bool("ok", row->ok), hd_text("known", row->known));
}

static void put_cells(struct paper *p, const struct hd_paper_row *row)
{
    char name[64];
    struct cells c;
    snprintf(name, sizeof name, "%s-%s", row->paper, row->item);
    if (strcmp(name, p->item) != 0) {
        end_item(p);
        begin_item(p, name);
        if (p->status != HD_OK) return;
    }
    fill_cells(row, reason_number(p, row->known), &c);
    const char *cells[] = {row->subject, row->quantity, c.published, c.ours, c.difference, c.tolerance, c.verdict};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        if (p->markdown)
            hd_printf(p->lines, "%s%s%s", i ? " " : "| ", cells[i], *cells[i] ? " |" : "|");
        else
            table_cell(&p->table, "%s", cells[i]);
    }
    if (p->markdown) hd_puts(p->lines, "\n");
}

static void paper_count_row(struct counts *c, const struct hd_paper_row *row)
{
    if (isnan(row->published))
        c->shown++;
    else if (row->ok)
        c->ok++;
    else if (row->known)
        c->known++;
    else
        c->missed++;
}

static void take_row(void *user, const struct hd_paper_row *row)
{
    struct paper *p = user;
    if (hd_ctx_stopped(p->cli->ctx)) return; /* of an evaluation that was cut short */
    if (p->status != HD_OK || (row->timing && !p->cli->v.timing)) return;
    paper_count_row(&p->all[is_own(row->paper) ? OWN : PAPERS], row);
    if (p->cli->v.json) {
        put_json(&p->json, row);
    } else {
        put_cells(p, row);
        paper_count_row(&p->its, row);
    }
}

static uint32_t count_rows(const struct counts *c)
{
    return c->ok + c->known + c->missed + c->shown;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static const char *const side_names[SIDES] = {[PAPERS] = "papers", [OWN] = "own"};

static hd_status begin_papers(struct paper *p)
{
    if (p->cli->v.json) {
        hd_json_begin(&p->json, p->cli->out);
        hd_json_open(&p->json, "rows", '[');
    }
    if (!p->markdown) return HD_OK;
    hd_status s = hd_out_memory(p->cli->ctx, &p->body);
    return s == HD_OK ? hd_out_memory(p->cli->ctx, &p->summary) : s;
}

static void end_json(struct paper *p, double took)
{
    const struct counts *a = &p->all[PAPERS], *b = &p->all[OWN];
    hd_json_close(&p->json, ']');
    hd_json_fields(&p->json, hd_uint("ok", a->ok + b->ok), hd_uint("known", a->known + b->known),
                   hd_uint("unexpected", a->missed + b->missed), hd_uint("shown", a->shown + b->shown));
    for (int i = 0; i < SIDES; i++)
        hd_json_object(&p->json, side_names[i], hd_uint("ok", p->all[i].ok), hd_uint("known", p->all[i].known),
                       hd_uint("unexpected", p->all[i].missed), hd_uint("shown", p->all[i].shown));
    if (p->cli->v.timing) {
        hd_json_object(&p->json, "timing", hd_real("seconds", took));
    }
    hd_json_close(&p->json, '}');
}

static void print_markdown(const struct paper *p)
{
    static const char *const titles[SIDES] = {[PAPERS] = "all papers", [OWN] = "all claims of heddle itself"};
    struct hd_out *o = p->cli->out;
    /* clang-format off */
    hd_printf(o,
              "# The papers, recomputed\n\n"
              "The output of `heddle paper%s%s --format markdown`; `make results` regenerates it: tables, figures and "
              "claims of the papers, with the published value, the computed one and the difference, and then the "
              "claims that heddle makes itself. A row is ok when it is within its tolerance (\"exact\": equal, or on "
              "the right side of the bound), *known* when it is known to miss (an erratum, or something the paper "
              "leaves open: the reason follows its table), and MISS otherwise. Rows with a dash have no published "
              "value; they are counted as shown and as nothing else. Left out are steps inside proofs that make no "
              "statement about a routing, and measurements that a paper quotes from another one.\n\n",
              p->cli->v.full ? " --full" : "", p->cli->v.timing ? " --timing" : "");
    /* clang-format on */
    hd_puts(o, "| item | what | ok | known | MISS | shown |\n|---|---|---:|---:|---:|---:|\n");
    hd_puts(o, hd_out_text(p->summary, NULL));
    for (int i = 0; i < SIDES; i++)
        if (count_rows(&p->all[i]))
            hd_printf(o, "| %s | | %u | %u | %u | %u |\n", titles[i], p->all[i].ok, p->all[i].known, p->all[i].missed,
                      p->all[i].shown);
    hd_puts(o, hd_out_text(p->body, NULL));
    hd_out_pass_error(p->summary, o);
    hd_out_pass_error(p->body, o);
}

static void print_total(const struct paper *p, double took)
{
    struct hd_out *o = p->cli->out;
    hd_puts(o, "\n");
    for (int i = 0; i < SIDES; i++) {
        const struct counts *c = &p->all[i];
        if (!count_rows(c)) continue;
        hd_printf(o, "%s: %u rows: %u ok, %u known to miss, %u unexpected", side_names[i], count_rows(c), c->ok,
                  c->known, c->missed);
        if (c->shown) hd_printf(o, ", %u without a published figure", c->shown);
        hd_puts(o, "\n");
    }
    if (p->cli->v.timing) hd_printf(o, "%.1f s\n", took);
}

static hd_status recompute(struct paper *p)
{
    struct cli *cli = p->cli;
    hd_status s = begin_papers(p);
    begin_sampling(cli);
    for (int i = 0; s == HD_OK && !hd_ctx_stopped(cli->ctx) && i < (cli->nargs ? cli->nargs : 1); i++)
        s = hd_paper(cli->ctx, cli->nargs ? cli->arg[i] : NULL, cli->v.full, take_row, p);
    cli->stopped_by = end_sampling(cli, HD_OK);
    if (cli->stopped_by) s = HD_OK; /* what an evaluation that was cut short led to */
    if (s == HD_OK) s = p->status;
    if (s == HD_OK)
        end_item(p);
    else
        drop_item(p);
    return s;
}

hd_status run_paper(struct cli *cli)
{
    struct paper p = {.cli = cli, .markdown = cli->v.format != NULL};
    double start = seconds();
    if (p.markdown && cli->v.json) return usage_error(cli, "--json and --format exclude each other");
    hd_status s = recompute(&p);
    if (s == HD_OK && cli->v.json)
        end_json(&p, seconds() - start);
    else if (s == HD_OK && p.markdown)
        print_markdown(&p);
    else if (s == HD_OK)
        print_total(&p, seconds() - start);
    hd_out_drop(p.summary);
    hd_out_drop(p.body);
    return s == HD_OK && p.all[PAPERS].missed + p.all[OWN].missed ? HD_FAULT : s;
}
