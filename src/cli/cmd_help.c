/* SPDX-License-Identifier: BSD-2-Clause */
/* list, help, version: the tables, for people. */
#include "cli.h"

#include <string.h>

enum { WIDTH = 100 };

/* Words of text wrapped at WIDTH, each line indented. */
static void put_wrapped(struct hd_out *o, const char *text, int indent)
{
    int column = 0;
    while (*text) {
        size_t len = strcspn(text, " ");
        if (column && column + 1 + (int)len > WIDTH) {
            hd_puts(o, "\n");
            column = 0;
        }
        column += column ? hd_puts(o, " "), 1 : (hd_printf(o, "%*s", indent, ""), indent);
        hd_put(o, text, len);
        column += (int)len;
        text += len;
        text += strspn(text, " ");
    }
    hd_puts(o, "\n");
}

void print_overview(struct hd_out *o)
{
    hd_puts(o, "heddle: routing and rank order for statically routed fabrics\n\nusage: heddle COMMAND [ARGUMENTS] [OPTIONS]\n\n");
    for (const struct command *c = commands; c->name; c++) {
        char head[64];
        snprintf(head, sizeof head, "%s %s", c->name, c->args);
        hd_printf(o, "  %-24s %s\n", head, c->summary);
    }
    hd_puts(o, "\nNET is a topology such as ft:m=16,n=3 or a file: ibnetdiscover output or an ibsim net, plain, .gz or .zst.\n"
               "'heddle list' shows every name, 'heddle help NAME' explains a command or a name.\n\n"
               "Exit status: 0 fine; 1 ran and found a fault; 2 usage; 3 unreadable or invalid input, or a method that does\n"
               "not apply; 4 could not finish.\n");
}

static void put_option(void *user, const struct option *op)
{
    struct hd_out *o = user;
    char head[80], letter[8] = "    ";
    if (op->letter) snprintf(letter, sizeof letter, "-%c, ", op->letter);
    snprintf(head, sizeof head, "%s--%s%s%s", letter, op->name, op->arg ? " " : "", op->arg ? op->arg : "");
    hd_printf(o, "  %-28s %s\n", head, op->doc);
}

void print_command_help(struct hd_out *o, const struct command *c)
{
    hd_printf(o, "usage: heddle %s%s%s [OPTIONS]\n\n%s.\n", c->name, *c->args ? " " : "", c->args, c->summary);
    if (c->text && *c->text) {
        hd_puts(o, "\n");
        put_wrapped(o, c->text, 0);
    }
    hd_puts(o, "\nOptions:\n");
    each_option(c, put_option, o);
    if (c->examples) hd_puts(o, "\nExamples:\n");
    for (const char *const *e = c->examples; e && *e; e++) hd_printf(o, "  %s\n", *e);
}

static const char *kind_name(enum hd_kind kind)
{
    static const char *const names[] = {[HD_UINT] = "whole number", [HD_REAL] = "number", [HD_WORD] = "word",
                                        [HD_FLAG] = "on|off",       [HD_LIST] = "list", [HD_TEXT] = "text"};
    return names[kind];
}

void print_desc_help(struct hd_out *o, const char *kind, const struct hd_desc *d)
{
    hd_printf(o, "%s %s: %s\n", kind, d->name, d->summary);
    if (d->text) {
        hd_puts(o, "\n");
        put_wrapped(o, d->text, 0);
    }
    for (const struct hd_param *p = d->params; p && p->name; p++) {
        if (p == d->params) hd_puts(o, "\nParameters:\n");
        hd_printf(o, "  %-12s %s", p->name, p->doc);
        if (p->kind == HD_WORD) hd_printf(o, " (%s; default %s)", p->words, p->value);
        else if (p->kind == HD_FLAG) hd_printf(o, " (on|off; default %s)", p->value);
        else if (p->kind == HD_TEXT) hd_printf(o, "%s%s%s", *p->value ? " (default " : "", p->value, *p->value ? ")" : "");
        else hd_printf(o, " (%s %.16g to %.16g; default %s)", kind_name(p->kind), p->min, p->max, *p->value ? p->value : "none");
        hd_puts(o, "\n");
    }
    if (d->cite) hd_printf(o, "\nSource: %s\n", d->cite);
    for (const char *const *e = d->examples; e && *e; e++) hd_printf(o, "%s  %s\n", e == d->examples ? "\nExamples:\n" : "", *e);
}

static bool print_name_help(struct hd_out *o, const char *name)
{
    bool found = false;
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        const struct hd_desc *d = hd_registry_find(k, name);
        if (!d) continue;
        if (found) hd_puts(o, "\n");
        print_desc_help(o, hd_registry_name(k), d);
        found = true;
    }
    return found;
}

hd_status run_help(struct cli *cli)
{
    const char *name = cli->nargs ? cli->arg[0] : NULL;
    if (cli->v.format) return print_manual(cli, cli->v.format, name);
    if (!name) {
        print_overview(cli->out);
        return HD_OK;
    }
    bool found = false;
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0) {
            print_command_help(cli->out, c);
            found = true;
        }
    if (!found) found = print_name_help(cli->out, name);
    return found ? HD_OK : usage_error(cli, "nothing is called '%.60s'", name);
}

static void list_json(struct hd_json *j, enum hd_registry kind)
{
    const struct hd_desc *d;
    hd_json_open(j, hd_registry_name(kind), '[');
    for (size_t i = 0; (d = hd_registry_at(kind, i)); i++) {
        hd_json_open(j, NULL, '{');
        hd_json_text(j, "name", d->name);
        hd_json_text(j, "summary", d->summary);
        hd_json_open(j, "params", '[');
        for (const struct hd_param *p = d->params; p && p->name; p++) {
            hd_json_open(j, NULL, '{');
            hd_json_text(j, "name", p->name);
            hd_json_text(j, "default", p->value);
            hd_json_text(j, "doc", p->doc);
            hd_json_close(j, '}');
        }
        hd_json_close(j, ']');
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

static void list_text(struct hd_out *o, enum hd_registry kind, bool heading)
{
    const struct hd_desc *d;
    if (heading) hd_printf(o, "%s%s\n", kind ? "\n" : "", hd_registry_name(kind));
    for (size_t i = 0; (d = hd_registry_at(kind, i)); i++) hd_printf(o, "%s%-14s %s\n", heading ? "  " : "", d->name, d->summary);
}

hd_status run_list(struct cli *cli)
{
    int only = -1;
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++)
        if (cli->nargs && strcmp(cli->arg[0], hd_registry_name(k)) == 0) only = (int)k;
    if (cli->nargs && only < 0) return usage_error(cli, "nothing of kind '%.60s' to list", cli->arg[0]);
    struct hd_json j;
    hd_json_init(&j, cli->out);
    if (cli->v.json) {
        hd_json_open(&j, NULL, '{');
        hd_json_uint(&j, "schema", 1);
    }
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        if (only >= 0 && only != (int)k) continue;
        if (cli->v.json) list_json(&j, k);
        else list_text(cli->out, k, only < 0);
    }
    if (cli->v.json) hd_json_close(&j, '}');
    return HD_OK;
}

hd_status run_version(struct cli *cli)
{
    hd_printf(cli->out, "heddle %s\n", hd_version());
    return HD_OK;
}
