/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated documents from the rows of commands and registries: manual pages (one per command, heddle(1),
 * heddle-names(7), and one for any name) and the reference in Markdown. */
#include "cli.h"

#include <string.h>

/* ---- roff ---------------------------------------------------------------------------------- */

/* Text as roff: hyphens and backslashes escaped, control characters at line starts defused. */
static void roff(struct hd_out *o, const char *s)
{
    if (*s == '.' || *s == '\'') hd_puts(o, "\\&");
    for (; *s; s++) {
        if (*s == '-')
            hd_puts(o, "\\-");
        else if (*s == '\\')
            hd_puts(o, "\\e");
        else
            hd_put(o, s, 1);
    }
}

static void roff_line(struct hd_out *o, const char *macro, const char *text)
{
    hd_puts(o, macro);
    roff(o, text);
    hd_puts(o, "\n");
}

static void man_head(struct hd_out *o, const char *name, const char *section, const char *summary)
{
    hd_printf(o, ".TH \"%s\" %s \"2026-11-15\" \"heddle %s\" \"heddle manual\"\n.SH NAME\n", name, section,
              hd_version());
    roff(o, name);
    hd_puts(o, " \\- ");
    roff(o, summary);
    hd_puts(o, "\n");
}

static void man_option(const struct cli *cli, const struct option *op)
{
    struct hd_out *o = cli->out;
    char doc[MAX_DOC];
    hd_puts(o, ".TP\n.B ");
    if (op->letter) hd_printf(o, "\\-%c, ", op->letter);
    hd_puts(o, "\\-\\-");
    roff(o, op->name);
    if (op->arg) hd_printf(o, " \\fI%s\\fR", op->arg);
    hd_puts(o, "\n");
    roff_line(o, "", option_doc(cli->ctx, op, doc));
}

static void man_bold(struct hd_out *o, const char *text)
{
    hd_puts(o, "\\fB");
    roff(o, text);
    hd_puts(o, "\\fR");
}

/* A command on lines of its own, not filled. */
static void man_example(struct hd_out *o, const char *before, const char *command)
{
    hd_printf(o, "%s.EX\n", before);
    roff_line(o, "", command);
    hd_puts(o, ".EE\n");
}

static void man_status(struct hd_out *o)
{
    hd_puts(o, ".SH EXIT STATUS\n.TP\n.B 0\nsuccess, warnings included\n.TP\n.B 1\nran, and found a fault\n.TP\n.B "
               "2\nusage error\n"
               ".TP\n.B 3\nunreadable or invalid input, or a method that does not apply to it\n"
               ".TP\n.B 4\ncould not finish: memory, disk, a missing program\n"
               ".TP\n.B 130, 143\ninterrupted: eval, sim, paper and order have printed what they had by then\n");
}

static void man_command(struct cli *cli, const struct command *c)
{
    struct hd_out *o = cli->out;
    char name[64];
    snprintf(name, sizeof name, "heddle-%s", c->name);
    man_head(o, name, "1", c->summary);
    hd_printf(o, ".SH SYNOPSIS\n.B heddle %s\n", c->name);
    roff_line(o, "", c->args);
    hd_puts(o, "[OPTIONS]\n.SH DESCRIPTION\n");
    roff_line(o, "", c->text && *c->text ? c->text : c->summary);
    hd_puts(o, ".SH OPTIONS\n");
    for (size_t i = 0; option_at(c, i); i++) man_option(cli, option_at(c, i));
    if (c->examples) hd_puts(o, ".SH EXAMPLES\n");
    for (const char *const *e = c->examples; e && *e; e++) man_example(o, e == c->examples ? "" : ".PP\n", *e);
    man_status(o);
    hd_puts(o, ".SH SEE ALSO\n.BR heddle (1),\n.BR heddle\\-formats (5),\n.BR heddle\\-names (7),\n.BR "
               "heddle\\-tutorial (7)\n");
}

static void man_overview(struct cli *cli)
{
    struct hd_out *o = cli->out;
    man_head(o, "heddle", "1", "routing and rank order for statically routed fabrics");
    hd_puts(o, ".SH SYNOPSIS\n.B heddle\n.I COMMAND\n[ARGUMENTS] [OPTIONS]\n.SH DESCRIPTION\n"
               "Reads or generates a switched fabric, computes its routes, proves them correct and measures them.\n"
               ".PP\n"
               "A NET is a topology such as \\fBft:m=16,n=3\\fR or a file: output of ibnetdiscover or iblinkinfo,\n"
               "or an ibsim net, plain, gzip or zstd; or what ibdiagnet wrote, as a folder or a tar archive.\n"
               "A TABLE is an engine such as \\fBdmodk\\fR or a file: an LFT dump of OpenSM; or the folder or archive\n"
               "of \\fBibdiagnet \\-r\\fR.\n"
               "A spec is a name with parameters, \\fBname:key=value,key=value\\fR; a list inside a value is written\n"
               "\\fB4x4x4\\fR, and every key has a default. \\fB\\-\\fR is standard input or output.\n"
               ".SH COMMANDS\n");
    for (const struct command *c = commands; c->name; c++) {
        hd_puts(o, ".TP\n.BR heddle\\-");
        roff(o, c->name);
        hd_puts(o, " (1)\n");
        roff_line(o, "", c->summary);
    }
    hd_puts(o, ".SH EXAMPLES\n");
    for (const struct command *c = commands; c->name; c++)
        if (takes_net(c) && c->examples) man_example(o, c == commands ? "" : ".PP\n", c->examples[0]);
    hd_puts(o, ".SH COMMON OPTIONS\n");
    for (const struct option *op = common_options; op->name; op++) man_option(cli, op);
    hd_puts(o, ".SH OPTIONS OF COMMANDS THAT TAKE A NETWORK\n");
    for (const struct option *op = net_options; op->name; op++) man_option(cli, op);
    man_status(o);
    hd_puts(o, ".SH SEE ALSO\n.BR heddle\\-formats (5),\n.BR heddle\\-names (7),\n.BR heddle\\-tutorial (7)\n");
}

static void man_mpi(struct hd_out *o)
{
    man_head(o, "heddle-mpi", "1", "heddle on many machines");
    hd_puts(o,
            ".SH SYNOPSIS\n.B mpirun\n\\-n\n.I N\n.B heddle\\-mpi\n.I COMMAND\n[ARGUMENTS] [OPTIONS]\n.SH DESCRIPTION\n"
            "The same commands as\n.BR heddle (1),\n"
            "linked with MPI: the samples of\n.BR heddle\\-eval (1)\nare shared out over all ranks and the first one "
            "prints, the same bytes on any number of them.\n.BR heddle\\-measure (1)\nmeasures the machine the ranks "
            "run on.\n");
    man_status(o);
    hd_puts(o, ".SH SEE ALSO\n.BR heddle (1),\n.BR heddle\\-measure (1),\n.BR mpirun (1)\n");
}

static void man_param(struct hd_out *o, const struct hd_param *p)
{
    hd_puts(o, ".TP\n.B ");
    roff(o, p->name);
    if (*p->value) {
        hd_puts(o, "\\fR (default ");
        roff(o, p->value);
        hd_puts(o, ")");
    }
    hd_puts(o, "\n");
    roff(o, p->doc);
    if (p->kind == HD_WORD) {
        hd_puts(o, ": ");
        roff(o, p->words);
    }
    hd_puts(o, "\n");
}

static void man_desc(struct hd_out *o, enum hd_registry kind, const struct hd_desc *d)
{
    char command[MAX_COMMAND];
    roff_line(o, "", d->summary);
    if (d->text) roff_line(o, ".PP\n", d->text);
    for (const struct hd_param *p = d->params; p && p->name; p++) man_param(o, p);
    if (d->cite) roff_line(o, ".PP\nSource: ", d->cite);
    for (const char *const *e = d->examples; e && *e; e++) {
        hd_puts(o, e == d->examples ? ".PP\nExamples:\n" : ",\n");
        man_bold(o, *e);
    }
    if (d->examples) hd_puts(o, "\n");
    man_example(o, ".PP\nTry:\n.PP\n", desc_command(kind, d, command));
}

static void man_names(const struct cli *cli)
{
    struct hd_out *o = cli->out;
    man_head(o, "heddle-names", "7", "every topology, engine and other name heddle knows");
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        hd_printf(o, ".SH %s\n", hd_registry_name(k));
        const struct hd_desc *d;
        for (size_t i = 0; (d = hd_registry_at(cli->ctx, k, i)); i++) {
            roff_line(o, ".SS ", d->name);
            man_desc(o, k, d);
        }
    }
    hd_puts(o, ".SH SEE ALSO\n.BR heddle (1)\n");
}

/* One name, a section for each kind that has it; false when none has. */
static bool man_name(const struct cli *cli, const char *name)
{
    struct hd_out *o = cli->out;
    bool found = false;
    char page[96];
    snprintf(page, sizeof page, "heddle-%s", name);
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        const struct hd_desc *d = hd_registry_find(cli->ctx, k, name);
        if (!d) continue;
        if (!found) man_head(o, page, "7", d->summary);
        found = true;
        hd_printf(o, ".SH %s\n", hd_registry_name(k));
        man_desc(o, k, d);
    }
    if (found) hd_puts(o, ".SH SEE ALSO\n.BR heddle (1),\n.BR heddle\\-names (7)\n");
    return found;
}

/* ---- Markdown ------------------------------------------------------------------------------ */

static void markdown_option(const struct cli *cli, const struct option *op)
{
    struct hd_out *o = cli->out;
    char doc[MAX_DOC];
    hd_puts(o, "| `");
    if (op->letter) hd_printf(o, "-%c, ", op->letter);
    hd_printf(o, "--%s%s%s` | %s |\n", op->name, op->arg ? " " : "", op->arg ? op->arg : "",
              option_doc(cli->ctx, op, doc));
}

/* A table cell: | would end it. */
static void markdown_cell(struct hd_out *o, const char *s)
{
    for (; *s; s++) {
        if (*s == '|') hd_puts(o, "\\");
        hd_put(o, s, 1);
    }
}

static void markdown_desc(struct hd_out *o, enum hd_registry kind, const struct hd_desc *d)
{
    char command[MAX_COMMAND];
    hd_printf(o, "### `%s`\n\n%s.", d->name, d->summary);
    if (d->text) hd_printf(o, " %s", d->text);
    hd_puts(o, "\n\n");
    for (const struct hd_param *p = d->params; p && p->name; p++) {
        if (p == d->params) hd_puts(o, "| key | default | meaning |\n|---|---|---|\n");
        hd_printf(o, "| `%s` | %s%s%s | ", p->name, *p->value ? "`" : "", p->value, *p->value ? "`" : "");
        markdown_cell(o, p->doc);
        if (p->kind == HD_WORD) {
            hd_puts(o, ": ");
            markdown_cell(o, p->words);
        }
        hd_puts(o, " |\n");
    }
    if (d->params) hd_puts(o, "\n");
    for (const char *const *e = d->examples; e && *e; e++)
        hd_printf(o, "%s`%s`", e == d->examples ? "Examples: " : ", ", *e);
    if (d->examples) hd_puts(o, "\n\n");
    hd_printf(o, "Try: `%s`\n\n", desc_command(kind, d, command));
    if (d->cite) hd_printf(o, "Source: %s.\n\n", d->cite);
}

static void print_reference(const struct cli *cli)
{
    struct hd_out *o = cli->out;
    hd_puts(
        o,
        "# Reference\n\nGenerated by `heddle help --format markdown`; `make docs` regenerates it.\n\n## Commands\n\n");
    for (const struct command *c = commands; c->name; c++) {
        hd_printf(o, "### `heddle %s%s%s`\n\n%s.", c->name, *c->args ? " " : "", c->args, c->summary);
        if (c->text && *c->text) hd_printf(o, " %s", c->text);
        hd_puts(o, "\n\n");
        if (c->options) hd_puts(o, "| option | meaning |\n|---|---|\n");
        for (const struct option *op = c->options; op && op->name; op++) markdown_option(cli, op);
        if (c->options) hd_puts(o, "\n");
        if (c->examples) hd_puts(o, "```\n");
        for (const char *const *e = c->examples; e && *e; e++) hd_printf(o, "%s\n", *e);
        if (c->examples) hd_puts(o, "```\n\n");
    }
    hd_puts(o, "## Options of commands that take a network\n\n| option | meaning |\n|---|---|\n");
    for (const struct option *op = net_options; op->name; op++) markdown_option(cli, op);
    hd_puts(o, "\n## Options of every command\n\n| option | meaning |\n|---|---|\n");
    for (const struct option *op = common_options; op->name; op++) markdown_option(cli, op);
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        const struct hd_desc *d;
        hd_printf(o, "\n## Names: %s\n\n", hd_registry_name(k));
        for (size_t i = 0; (d = hd_registry_at(cli->ctx, k, i)); i++) markdown_desc(o, k, d);
    }
}

hd_status print_manual(struct cli *cli, const char *format, const char *name)
{
    bool man = strcmp(format, "man") == 0;
    const struct command *c = name ? find_command(name) : NULL;
    if (!man && name) return usage_error(cli, "--format %s covers everything: it excludes '%.60s'", format, name);
    if (strcmp(format, "markdown") == 0)
        print_reference(cli);
    else if (!man)
        print_completion(cli, format);
    else if (!name)
        man_overview(cli);
    else if (strcmp(name, "names") == 0)
        man_names(cli);
    else if (strcmp(name, "mpi") == 0)
        man_mpi(cli->out);
    else if (c)
        man_command(cli, c);
    else if (!man_name(cli, name))
        return unknown_name(cli, name);
    return HD_OK;
}
