/* SPDX-License-Identifier: BSD-2-Clause */
/* From words to values, by the rows of options. Long options take --name value or --name=value, letters -o value or
 * -ovalue; options and arguments may come in any order; -- ends the options. Values are checked here, so that every
 * command refuses the same text with the same words. */
#include "option_rows.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off */
const struct option common_options[] = {
    FLAG("json", 0, json, "Print one JSON object instead of a table"),
    INTEGER("seed", 0, "N", seed, 0, 0x1p64, "1", "Seed of all random numbers"),
    INTEGER("threads", 0, "N", threads, 0, 4096, "one per core",
            "Worker threads; the output never depends on it"),
    FLAG("quiet", 'q', quiet, "No warnings on standard error"),
    FLAG("no-progress", 0, no_progress, "No progress line on a terminal"),
    TEXTS("plugin", 0, "FILE.so", plugin,
          "Load engines, patterns and metrics of your own from a shared object (heddle/engine.h, pattern.h, metric.h); "
          "may be given several times"),
    FLAG("help", 'h', help, "Show help and exit"),
    {0}};

const struct option net_options[] = {
    TEXT("node-name-map", 0, "FILE", open.name_map, "Names for GUIDs, in the format of infiniband-diags"),
    TEXT("rails", 0, "RULE", open.rails,
         "How adapters form hosts and rails: auto, port, none or a regular expression (host)(rail)"),
    TEXT("fail", 0, "WHAT", open.fail,
         "Remove cables and switches: links=N,switches=N,seed=S or link=NAME:PORT,switch=NAME; several names are "
         "separated by +, successive failures by ' then '"),
    TEXT("guid2lid", 0, "FILE", open.guid2lid, "Take LIDs from OpenSM's file guid2lid"),
    INTEGER("lmc", 0, "K", lmc, 0, 7, "",
            "2^K LIDs per endpoint; LIDs are reassigned where the current ones are too dense"),
    TEXT("part", 0, "N", open.part,
         "Only this connected component: its number, from 0 by decreasing size, or the name of a node in it"),
    TEXT("rail", 0, "N", open.rail,
         "Restrict traffic to the endpoints of this rail; several rails are separated by +"),
    TEXT("endpoints", 0, "REGEX", open.endpoints, "Restrict traffic to the endpoints whose name matches"),
    FLAG("repair", 0, open.repair,
         "Evaluate the fabric as repaired: cables added, moved, removed and at full rate"),
    {0}};
/* clang-format on */

hd_status usage_error(struct cli *cli, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *name = cli->command ? cli->command->name : NULL;
    return hd_fail(cli->ctx, HD_USAGE, "%s (see 'heddle help%s%s')", text, name ? " " : "", name ? name : "");
}

bool takes_net(const struct command *c)
{
    return strstr(c->args, "NET");
}

const struct option *option_at(const struct command *c, size_t i)
{
    const struct option *const table[] = {c->options, takes_net(c) ? net_options : NULL, common_options};
    for (size_t t = 0; t < sizeof table / sizeof *table; t++)
        for (const struct option *o = table[t]; o && o->name; o++) {
            bool absent = c->no_json && o->offset == offsetof(struct values, json);
            if (!absent && i-- == 0) return o;
        }
    return NULL;
}

/* ---- values --------------------------------------------------------------------------------- */

/* By its letter where there is one, otherwise by its name of len bytes. */
static const struct option *find_option(const struct command *c, char letter, const char *name, size_t len)
{
    const struct option *o;
    for (size_t i = 0; (o = option_at(c, i)); i++)
        if (letter ? o->letter == letter : strlen(o->name) == len && memcmp(o->name, name, len) == 0) return o;
    return NULL;
}

static hd_status opt_set_number(struct cli *cli, const struct option *o, const char *text, void *slot)
{
    union hd_number number;
    char expected[HD_MAX_RANGE];
    enum hd_kind kind = option_number(o);
    bool given = kind == HD_REAL ? ((struct real *)slot)->given : ((struct integer *)slot)->given;
    if (given) return usage_error(cli, "--%s given twice", o->name);
    if (!hd_number_parse(kind, o->min, o->max, text, &number))
        return usage_error(cli, "--%s %.40s: expected %s", o->name, text,
                           hd_number_expected(kind, o->min, o->max, expected));
    if (kind == HD_REAL)
        *(struct real *)slot = (struct real){number.real, true};
    else
        *(struct integer *)slot = (struct integer){number.u, true};
    return HD_OK;
}

static hd_status add_word(struct cli *cli, const struct option *o, const char *text, struct words *w)
{
    if (w->n == MAX_WORDS) return usage_error(cli, "--%s given more than %d times", o->name, MAX_WORDS);
    w->word[w->n++] = text;
    return HD_OK;
}

static hd_status check_choice(struct cli *cli, const struct option *o, const char *text)
{
    enum { MOST = 32 };
    const char *names[MOST], *name;
    size_t n = 0;
    for (; n < MOST && (name = o->word(n)); n++) {
        if (strcmp(name, text) == 0) return HD_OK;
        names[n] = name;
    }
    char why[600];
    hd_fail_choice(cli->ctx, o->name, text, names, n);
    snprintf(why, sizeof why, "%s", hd_ctx_error(cli->ctx));
    return usage_error(cli, "--%s", why);
}

static hd_status set_option(struct cli *cli, const struct option *o, const char *text)
{
    void *slot = (char *)&cli->v + o->offset;
    if (o->kind == OPTION_FLAG) {
        *(bool *)slot = true;
        return HD_OK;
    }
    if (!*text) return usage_error(cli, "--%s has an empty value, expected %s", o->name, o->arg);
    if (o->kind == OPTION_TEXTS || o->kind == OPTION_NAMES) return add_word(cli, o, text, slot);
    if (option_is_number(o)) return opt_set_number(cli, o, text, slot);
    if (*(const char **)slot) return usage_error(cli, "--%s given twice", o->name);
    *(const char **)slot = o->kind == OPTION_OUTPUT && hd_is_standard_output(text) ? "-" : text;
    return o->kind == OPTION_CHOICE ? check_choice(cli, o, text) : HD_OK;
}

/* ---- the words of a command line ------------------------------------------------------------- */

static hd_status unknown_option(struct cli *cli, const char *word)
{
    enum { MOST = 64 };
    const char *all[MOST];
    char typed[64];
    size_t n = 0;
    for (const struct option *o; n < MOST && (o = option_at(cli->command, n)); n++) all[n] = o->name;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    const char *near = hd_nearest(typed + strspn(typed, "-"), all, n);
    return usage_error(cli, "%s: unknown option '%.60s'%s%s%s", cli->command->name, typed,
                       near ? ", did you mean '--" : "", near ? near : "", near ? "'?" : "");
}

/* One word that begins with '-'; *next is the word after it, set to NULL when used as its value. */
static hd_status parse_option(struct cli *cli, const char *word, const char **next)
{
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1), *value = NULL;
    size_t len = is_long ? strcspn(name, "=") : 1;
    const struct option *o = find_option(cli->command, is_long ? 0 : *name, name, len);
    if (!o) return unknown_option(cli, word);
    if (name[len]) value = name + len + (is_long ? 1 : 0);
    if (o->kind == OPTION_FLAG)
        return value ? usage_error(cli, "--%s takes no value", o->name) : set_option(cli, o, NULL);
    if (!value) {
        value = *next;
        *next = NULL;
        if (!value) return usage_error(cli, "--%s needs a value (%s)", o->name, o->arg);
    }
    return set_option(cli, o, value);
}

const struct command *find_command(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

static hd_status unknown_command(struct cli *cli, const char *word)
{
    const char *all[32], *near;
    size_t n = 0;
    for (const struct command *c = commands; c->name && n < 32; c++) all[n++] = c->name;
    near = hd_nearest(word, all, n);
    if (near) return usage_error(cli, "unknown command '%.60s', did you mean '%s'?", word, near);
    return usage_error(cli, "unknown command '%.60s': the first word is a command", word);
}

/* ---- what options say together --------------------------------------------------------------- */

/* Calls visit for every word that may name a file to read: arguments, values of options, and values within specs, such
 * as file:path=FILE. */
static hd_status visit_value(struct cli *cli, const char *word, hd_status (*visit)(struct cli *, const char *, void *),
                             void *user)
{
    char part[4096];
    for (const char *at = word; at; at = strchr(at, '='), at += at != NULL) {
        HD_TRY(visit(cli, at, user));
        snprintf(part, sizeof part, "%.*s", (int)strcspn(at, ","), at);
        HD_TRY(visit(cli, part, user));
    }
    return HD_OK;
}

hd_status visit_inputs(struct cli *cli, hd_status (*visit)(struct cli *cli, const char *path, void *user), void *user)
{
    const struct option *o;
    for (int i = 0; i < cli->nargs; i++) HD_TRY(visit_value(cli, cli->arg[i], visit, user));
    for (size_t i = 0; (o = option_at(cli->command, i)); i++) {
        const void *slot = (const char *)&cli->v + o->offset;
        const struct words *words = slot;
        for (int k = 0; (o->kind == OPTION_TEXTS || o->kind == OPTION_NAMES) && k < words->n; k++)
            HD_TRY(visit_value(cli, words->word[k], visit, user));
        if (o->kind == OPTION_TEXT || o->kind == OPTION_NAME)
            HD_TRY(visit_value(cli, *(const char *const *)slot, visit, user));
    }
    return HD_OK;
}

/* The file that an option says to write, NULL where it says none. */
static const char *output_of(const struct cli *cli, const struct option *o)
{
    return o->kind == OPTION_OUTPUT ? *(const char *const *)((const char *)&cli->v + o->offset) : NULL;
}

/* user: the option whose value would overwrite the input. */
static hd_status check_input(struct cli *cli, const char *path, void *user)
{
    const struct option *o = user;
    struct stat st;
    if (stat(path, &st) != 0 || !hd_same_file(path, output_of(cli, o))) return HD_OK;
    return usage_error(cli, "--%s %.60s would overwrite an input file", o->name, output_of(cli, o));
}

/* People mean the number of samples when they give one. */
static hd_status check_file_name(struct cli *cli, const struct option *o, const char *path)
{
    if (strcmp(o->name, "samples") != 0 || path[strspn(path, "0123456789")]) return HD_OK;
    return usage_error(
        cli, "--samples %.40s: expected a file to write, such as samples.csv; -n %.40s sets their number", path, path);
}

/* Result number i must not land in the file of an earlier one, nor with another on standard output, nor on an input. */
static hd_status check_output(struct cli *cli, size_t i)
{
    struct option o = *option_at(cli->command, i);
    const char *path = output_of(cli, &o), *other;
    bool standard = strcmp(path, "-") == 0;
    HD_TRY(check_file_name(cli, &o, path));
    cli->taken |= standard;
    if (cli->v.json && standard) return usage_error(cli, "--json and --%s cannot both go to standard output", o.name);
    for (size_t k = 0; k < i; k++) {
        other = output_of(cli, option_at(cli->command, k));
        if (!other || strcmp(path, "/dev/null") == 0) continue;
        if (strcmp(other, path) == 0 || (!standard && hd_same_file(other, path)))
            return usage_error(cli, "--%s and --%s cannot both go to %.60s", option_at(cli->command, k)->name, o.name,
                               standard ? "standard output" : path);
    }
    return standard ? HD_OK : visit_inputs(cli, check_input, &o);
}

static hd_status check_outputs(struct cli *cli)
{
    const struct option *o;
    for (size_t i = 0; (o = option_at(cli->command, i)); i++) {
        if (!output_of(cli, o)) continue;
        cli->outputs++;
        HD_TRY(check_output(cli, i));
    }
    return HD_OK;
}

/* As help writes the arguments: those in brackets may be absent, one with dots may be repeated. */
static hd_status check_arg_count(struct cli *cli)
{
    const char *args = cli->command->args;
    int least = 0, most = 0;
    bool optional = false;
    for (const char *at = args; *at; at += strspn(at, " ")) {
        optional |= *at == '[';
        least += !optional;
        most++;
        at += strcspn(at, " ");
    }
    if (strstr(args, "...")) most = MAX_ARGS;
    if (cli->nargs >= least && cli->nargs <= most) return HD_OK;
    return usage_error(cli, "%s: expected %s, got %d argument%s", cli->command->name, *args ? args : "options only",
                       cli->nargs, cli->nargs == 1 ? "" : "s");
}

static void apply_common(struct cli *cli)
{
    if (cli->v.seed.given) hd_ctx_set_seed(cli->ctx, cli->v.seed.value);
    if (cli->v.threads.given) hd_ctx_set_threads(cli->ctx, (int)cli->v.threads.value);
}

hd_status parse_command_line(struct cli *cli, int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "help";
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) first = "version";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) first = "help";
    cli->command = find_command(first);
    if (!cli->command) return unknown_command(cli, first);
    bool options = true;
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && word[0] == '-' && word[1]) {
            const char *next = i + 1 < argc ? argv[i + 1] : NULL;
            bool had = next != NULL;
            hd_status s = parse_option(cli, word, &next);
            if (s != HD_OK) return s;
            if (had && !next) i++;
        } else if (cli->nargs == MAX_ARGS) {
            return usage_error(cli, "more than %d arguments", MAX_ARGS);
        } else {
            cli->arg[cli->nargs++] = word;
        }
    }
    if (cli->v.help) return HD_OK;
    HD_TRY(check_arg_count(cli));
    apply_common(cli);
    return check_outputs(cli);
}

hd_status open_net_named(struct cli *cli, const char *text, struct hd_net **net)
{
    struct hd_open open = cli->v.open;
    open.set_lmc = cli->v.lmc.given;
    open.lmc = (uint32_t)cli->v.lmc.value;
    return hd_net_open(cli->ctx, text, &open, net);
}

hd_status open_net(struct cli *cli, int i, struct hd_net **net)
{
    return open_net_named(cli, cli->arg[i], net);
}

hd_status open_usual_routes(struct cli *cli, const struct hd_net *net, const char **name, struct hd_routes **r)
{
    *name = hd_registry_at(cli->ctx, HD_ENGINES, 0)->name;
    for (;;) {
        hd_status s = hd_routes_open(cli->ctx, net, *name, r);
        const struct hd_engine *row = (const void *)hd_registry_find(cli->ctx, HD_ENGINES, *name);
        if (s != HD_NA || !row || !row->fallback || strcmp(row->fallback, *name) == 0) return s;
        *name = row->fallback;
    }
}

hd_status open_routes(struct cli *cli, const char *text, const struct hd_net *net, const char *table,
                      struct hd_routes **r)
{
    const struct hd_open open = cli->v.open;
    const char *how = cli->v.after_fail;
    struct hd_net *before;
    struct hd_routes *old;
    if (!how || strcmp(how, "new") == 0) return hd_routes_open(cli->ctx, net, table, r);
    if (!open.fail) return usage_error(cli, "--after-fail %s goes with --fail", how);
    if (strcmp(text, "-") == 0)
        return usage_error(cli, "--after-fail reads NET twice: give a file, not standard input");
    cli->v.open.fail = NULL;
    hd_status s = open_net_named(cli, text, &before);
    cli->v.open = open;
    HD_TRY(s);
    s = hd_routes_open(cli->ctx, before, table, &old);
    if (s == HD_OK) {
        s = hd_routes_carry_groups(cli->ctx, old, net, strcmp(how, "pfrn") == 0, r);
        hd_routes_free(old);
    }
    hd_net_free(before);
    return s;
}
