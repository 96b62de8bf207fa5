/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle list, help and version: the rows of commands and registries, as text and as JSON. A name may belong to
 * several kinds (random is a topology, an engine and a selector): help explains all of them. */
#include "cli.h"
#include "glossary.h"

#include <string.h>

enum { HEAD = 26 };

static void print_overview(struct hd_out *o)
{
    static const char *const words[] = {
        "NET is a topology such as ft:m=16,n=3 or a file: output of ibnetdiscover or iblinkinfo, or an ibsim net, "
        "plain, .gz or .zst; or what ibdiagnet wrote: a folder, or a tar archive of it.",
        "TABLE is an engine such as dmodk or a file: an LFT dump of OpenSM; or the folder or archive of ibdiagnet -r.",
        "'heddle list' shows every name, 'heddle help NAME' explains a command, a name or a word of the output.",
        "Exit status: 0 success; 1 ran and found a fault; 2 usage error; 3 unreadable or invalid input, or a method "
        "that does not apply; 4 could not finish; 130, 143 interrupted."};
    hd_puts(o, "heddle: routing and rank order for statically routed fabrics\n\n"
               "usage: heddle COMMAND [ARGUMENTS] [OPTIONS]\n\n");
    for (const struct command *c = commands; c->name; c++) {
        char head[64];
        snprintf(head, sizeof head, "%s %s", c->name, c->args);
        hd_printf(o, "  %-24s ", head);
        hd_put_wrapped(o, strlen(head) > 24 ? strlen(head) + 3 : 27, 27, c->summary);
    }
    hd_puts(o, "\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (i + 1 == sizeof words / sizeof *words) hd_puts(o, "\n");
        hd_put_wrapped(o, 0, 0, words[i]);
    }
}

static void put_option(const struct cli *cli, const struct option *op)
{
    struct hd_out *o = cli->out;
    char head[80], letter[8] = "    ", doc[MAX_DOC];
    if (op->letter) snprintf(letter, sizeof letter, "-%c, ", op->letter);
    snprintf(head, sizeof head, "%s--%s%s%s", letter, op->name, op->arg ? " " : "", op->arg ? op->arg : "");
    hd_printf(o, "  %-*s ", HEAD, head);
    hd_put_wrapped(o, HEAD + 3, HEAD + 3, option_doc(cli->ctx, op, doc));
}

void print_command_help(struct cli *cli, const struct command *c)
{
    struct hd_out *o = cli->out;
    hd_printf(o, "usage: heddle %s%s%s [OPTIONS]\n\n%s.\n", c->name, *c->args ? " " : "", c->args, c->summary);
    if (c->text && *c->text) {
        hd_puts(o, "\n");
        hd_put_wrapped(o, 0, 0, c->text);
    }
    hd_puts(o, "\nOptions:\n");
    for (size_t i = 0; option_at(c, i); i++) put_option(cli, option_at(c, i));
    if (c->examples) hd_puts(o, "\nExamples:\n");
    for (const char *const *e = c->examples; e && *e; e++) hd_printf(o, "  %s\n", *e);
}

const char *desc_command(enum hd_registry kind, const struct hd_desc *d, char text[MAX_COMMAND])
{
    static const char *const usual[] = {[HD_TOPOLOGIES] = "heddle topo",
                                        [HD_ENGINES] = "heddle check ft:m=8,n=2",
                                        [HD_PATTERNS] = "heddle eval ft:m=8,n=2 dmodk minhop -p",
                                        [HD_METRICS] = "heddle eval ft:m=8,n=2 dmodk minhop -m",
                                        [HD_SELECTORS] = "heddle sim ft:m=8,n=2 omrmn -n 2 --select",
                                        [HD_MODELS] = "heddle sim ft:m=8,n=2 omrmn -n 2 --messages 2 --model",
                                        [HD_CHARTS] = "heddle plot", /* rows have their own */
                                        [HD_PAPERS] = "heddle paper"};
    if (d->command) return d->command;
    snprintf(text, MAX_COMMAND, "%s %.150s", usual[kind], d->examples ? d->examples[0] : d->name);
    return text;
}

/* What a parameter may be and what it is without being given: "integer, 1..4; default 2". */
static void put_param_range(struct hd_out *o, const struct hd_param *p)
{
    char range[HD_MAX_RANGE] = "text";
    switch (p->kind) {
    case HD_UINT:
    case HD_BYTES:
    case HD_REAL: hd_number_range(p->kind, p->min, p->max, range); break;
    case HD_LIST: hd_number_range(HD_UINT, p->min, p->max, range); break;
    case HD_WORD: snprintf(range, sizeof range, "%s", p->words); break;
    case HD_FLAG: snprintf(range, sizeof range, "on|off"); break;
    case HD_TEXT: break;
    }
    if (p->kind == HD_TEXT && !*p->value) return;
    hd_printf(o, " (%s%s; default %s)", p->kind == HD_LIST ? "list of " : "", range, *p->value ? p->value : "none");
}

static void put_desc_params(struct hd_out *o, const struct hd_desc *d)
{
    for (const struct hd_param *p = d->params; p && p->name; p++) {
        if (p == d->params) hd_puts(o, "\nParameters:\n");
        hd_printf(o, "  %-12s %s", p->name, p->doc);
        put_param_range(o, p);
        hd_puts(o, "\n");
    }
}

static void print_desc_help(struct hd_out *o, enum hd_registry kind, const struct hd_desc *d)
{
    char command[MAX_COMMAND];
    hd_printf(o, "%s %s: %s\n", hd_registry_name(kind), d->name, d->summary);
    if (d->text) {
        hd_puts(o, "\n");
        hd_put_wrapped(o, 0, 0, d->text);
    }
    put_desc_params(o, d);
    if (d->cite) hd_printf(o, "\nSource: %s\n", d->cite);
    for (const char *const *e = d->examples; e && *e; e++)
        hd_printf(o, "%s  %s\n", e == d->examples ? "\nExamples:\n" : "", *e);
    hd_printf(o, "\nTry:\n  %s\n", desc_command(kind, d, command));
}

static void print_name_help(const struct cli *cli, const char *name, bool more)
{
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        const struct hd_desc *d = hd_registry_find(cli->ctx, k, name);
        if (!d) continue;
        if (more) hd_puts(cli->out, "\n");
        print_desc_help(cli->out, k, d);
        more = true;
    }
}

static void print_word_help(const struct cli *cli, const struct glossary_entry *word, bool more)
{
    if (more) hd_puts(cli->out, "\n");
    hd_printf(cli->out, "%s: ", word->term);
    hd_put_wrapped(cli->out, strlen(word->term) + 2, 0, word->text);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_texts(struct hd_json *j, const char *key, const char *const *text)
{
    hd_json_open(j, key, '[');
    for (; text && *text; text++) hd_json_fields(j, hd_text(NULL, *text));
    hd_json_close(j, ']');
}

static void json_desc(struct hd_json *j, enum hd_registry kind, const struct hd_desc *d)
{
    char command[MAX_COMMAND];
    hd_json_open(j, NULL, '{');
    hd_json_fields(j, hd_text("name", d->name), hd_text("summary", d->summary), hd_text("text", d->text),
                   hd_text("source", d->cite));
    hd_json_open(j, "params", '[');
    for (const struct hd_param *p = d->params; p && p->name; p++)
        hd_json_object(j, NULL, hd_text("name", p->name), hd_text("default", p->value), hd_text("doc", p->doc));
    hd_json_close(j, ']');
    json_texts(j, "examples", d->examples);
    hd_json_fields(j, hd_text("try", desc_command(kind, d, command)));
    hd_json_close(j, '}');
}

/* The rows of a kind as an array, or the one called name where there is one. */
static void json_kind(const struct cli *cli, struct hd_json *j, enum hd_registry kind, const char *name)
{
    const struct hd_desc *d;
    if (name && !hd_registry_find(cli->ctx, kind, name)) return;
    hd_json_open(j, hd_registry_name(kind), '[');
    for (size_t i = 0; (d = hd_registry_at(cli->ctx, kind, i)); i++)
        if (!name || strcmp(name, d->name) == 0) json_desc(j, kind, d);
    hd_json_close(j, ']');
}

static void json_option(const struct cli *cli, struct hd_json *j, const struct option *op)
{
    char letter[2] = {op->letter, 0}, doc[MAX_DOC];
    hd_json_object(j, NULL, hd_text("name", op->name), hd_text("letter", op->letter ? letter : NULL),
                   hd_text("value", op->arg), hd_text("doc", option_doc(cli->ctx, op, doc)));
}

static void json_command(const struct cli *cli, struct hd_json *j, const struct command *c)
{
    hd_json_open(j, NULL, '{');
    hd_json_fields(j, hd_text("name", c->name), hd_text("args", c->args), hd_text("summary", c->summary),
                   hd_text("text", c->text && *c->text ? c->text : NULL));
    hd_json_open(j, "options", '[');
    for (size_t i = 0; option_at(c, i); i++) json_option(cli, j, option_at(c, i));
    hd_json_close(j, ']');
    json_texts(j, "examples", c->examples);
    hd_json_close(j, '}');
}

/* ---- help ---------------------------------------------------------------------------------- */

/* Commands and registry rows of that name, all of them where name is NULL, in the form of 'list --json'. */
static void help_json(struct cli *cli, const char *name)
{
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    if (!name || find_command(name)) {
        hd_json_open(&j, "command", '[');
        for (const struct command *c = commands; c->name; c++)
            if (!name || strcmp(name, c->name) == 0) json_command(cli, &j, c);
        hd_json_close(&j, ']');
    }
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) json_kind(cli, &j, k, name);
    const struct glossary_entry *word = name ? find_word(name) : NULL;
    if (word) hd_json_object(&j, "word", hd_text("name", word->term), hd_text("text", word->text));
    hd_json_close(&j, '}');
}

hd_status unknown_name(struct cli *cli, const char *name)
{
    enum { MOST = 512 };
    const char *all[MOST];
    const struct hd_desc *d;
    size_t n = 0;
    for (const struct command *c = commands; c->name && n < MOST; c++) all[n++] = c->name;
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        all[n++] = hd_registry_name(k);
        for (size_t i = 0; n + HD_REGISTRIES < MOST && (d = hd_registry_at(cli->ctx, k, i)); i++) all[n++] = d->name;
    }
    const char *near = hd_nearest(name, all, n);
    if (near) return usage_error(cli, "unknown name '%.60s', did you mean '%s'?", name, near);
    return usage_error(cli, "unknown name '%.60s': 'heddle list' shows all names", name);
}

/* Help of a spec is help of its name: 'help pgft:m=4x4,w=1x4'. */
static const char *spec_name(const char *text, char name[80])
{
    snprintf(name, 80, "%.*s", (int)strcspn(text, ":"), text);
    return name;
}

hd_status run_help(struct cli *cli)
{
    char buffer[80];
    const char *name = cli->nargs ? spec_name(cli->arg[0], buffer) : NULL;
    if (cli->v.format && strcmp(cli->v.format, "complete") == 0) {
        print_candidates(cli, cli->nargs ? cli->arg[0] : "");
        return HD_OK;
    }
    if (cli->v.format && cli->v.json) return usage_error(cli, "help: --json and --format exclude each other");
    if (cli->v.format) return print_manual(cli, cli->v.format, name);
    const struct command *c = name ? find_command(name) : NULL;
    const struct glossary_entry *word = name ? find_word(name) : NULL;
    bool named = c != NULL;
    for (enum hd_registry k = 0; name && k < HD_REGISTRIES; k++) {
        if (!c && strcmp(name, hd_registry_name(k)) == 0) return run_list(cli);
        named |= hd_registry_find(cli->ctx, k, name) != NULL;
    }
    if (name && !named && !word) return unknown_name(cli, name);
    if (cli->v.json) {
        help_json(cli, name);
    } else if (!name) {
        print_overview(cli->out);
    } else {
        if (c) print_command_help(cli, c);
        print_name_help(cli, name, c != NULL);
        if (word) print_word_help(cli, word, named);
    }
    return HD_OK;
}

/* ---- list, version --------------------------------------------------------------------------- */

static void list_text(const struct cli *cli, enum hd_registry kind, bool heading)
{
    struct hd_out *o = cli->out;
    const struct hd_desc *d;
    size_t width = 14;
    for (size_t i = 0; (d = hd_registry_at(cli->ctx, kind, i)); i++)
        if (strlen(d->name) > width) width = strlen(d->name);
    if (heading) hd_printf(o, "%s%s\n", kind ? "\n" : "", hd_registry_name(kind));
    for (size_t i = 0; (d = hd_registry_at(cli->ctx, kind, i)); i++) {
        size_t indent = width + 1 + (heading ? 2 : 0);
        hd_printf(o, "%s%-*s ", heading ? "  " : "", (int)width, d->name);
        if (hd_out_columns(o))
            hd_put_wrapped(o, indent, indent, d->summary);
        else /* one line per name, for scripts */
            hd_printf(o, "%s\n", d->summary);
    }
}

static hd_status unknown_kind(struct cli *cli, const char *word)
{
    char kinds[128] = "";
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++)
        snprintf(kinds + strlen(kinds), sizeof kinds - strlen(kinds), "%s%s", hd_separator(k, HD_REGISTRIES),
                 hd_registry_name(k));
    return usage_error(cli, "list: unknown kind '%.60s': expected %s", word, kinds);
}

/* Whether a word is the name of a kind, in the singular or the plural: engine, engines, topologies. */
static bool is_kind(const char *word, const char *kind)
{
    size_t n = strlen(kind), stem = kind[n - 1] == 'y' ? n - 1 : n;
    return strcmp(word, kind) == 0 ||
           (strncmp(word, kind, stem) == 0 && strcmp(word + stem, stem < n ? "ies" : "s") == 0);
}

hd_status run_list(struct cli *cli)
{
    int only = -1;
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++)
        if (cli->nargs && is_kind(cli->arg[0], hd_registry_name(k))) only = (int)k;
    if (cli->nargs && only < 0) return unknown_kind(cli, cli->arg[0]);
    struct hd_json j;
    if (cli->v.json) hd_json_begin(&j, cli->out);
    for (enum hd_registry k = 0; k < HD_REGISTRIES; k++) {
        if (only >= 0 && only != (int)k) continue;
        if (cli->v.json)
            json_kind(cli, &j, k, NULL);
        else
            list_text(cli, k, only < 0);
    }
    if (cli->v.json) hd_json_close(&j, '}');
    return HD_OK;
}

hd_status run_version(struct cli *cli)
{
    struct hd_json j;
    if (!cli->v.json) {
        hd_printf(cli->out, "heddle %s\n", hd_version());
        return HD_OK;
    }
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_text("version", hd_version()));
    hd_json_close(&j, '}');
    return HD_OK;
}
