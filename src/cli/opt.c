/* SPDX-License-Identifier: BSD-2-Clause */
/* Option rows to values. Long options take --name value or --name=value, letters -o value or -ovalue;
 * options and arguments may come in any order; -- ends the options. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#define AT(field) offsetof(struct values, field)

const struct option common_options[] = {
    {"json", 0, NULL, "print one JSON object instead of a table", AT(json)},
    {"seed", 0, "N", "seed of everything random (default 1)", AT(seed)},
    {"threads", 0, "N", "worker threads (default: all cores); never changes the output", AT(threads)},
    {"quiet", 'q', NULL, "no warnings on standard error", AT(quiet)},
    {"no-progress", 0, NULL, "no progress line on a terminal", AT(no_progress)},
    {"help", 'h', NULL, "show help and exit", AT(help)},
    {0}};

const struct option net_options[] = {
    {"node-name-map", 0, "FILE", "names for GUIDs, as infiniband-diags read them", AT(open.read.name_map)},
    {"rails", 0, "RULE", "how adapters make up hosts and rails: auto, port, none or a regular expression (host)(rail)",
     AT(open.read.rails)},
    {"fail", 0, "WHAT",
     "take out cables and switches: links=N,switches=N,seed=S or link=NAME:PORT,switch=NAME; several names joined by "
     "+, further failures by ' then '",
     AT(open.fail)},
    {"repair", 0, NULL,
     "mend the cabling: put in cables the structure lacks, bring slow ones to the rate of their level",
     AT(open.repair)},
    {"guid2lid", 0, "FILE", "LIDs from OpenSM's file guid2lid", AT(open.guid2lid)},
    {"lmc", 0, "K", "2^K LIDs for every endpoint; given out anew where those there are leave no room", AT(open.lmc)},
    {"part", 0, "N", "only this connected part: its number, from 0 by decreasing size, or a node in it",
     AT(open.choice.part)},
    {"rail", 0, "N", "only endpoints of this rail count; several joined by +", AT(open.choice.rail)},
    {"endpoints", 0, "REGEX", "only endpoints whose name matches count", AT(open.choice.endpoints)},
    {0}};

hd_status usage_error(struct cli *cli, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *name = cli->command ? cli->command->name : NULL;
    snprintf(cli->ctx.error, sizeof cli->ctx.error, "%s (see 'heddle help%s%s')", text, name ? " " : "",
             name ? name : "");
    return HD_USAGE;
}

hd_status no_memory(struct cli *cli)
{
    snprintf(cli->ctx.error, sizeof cli->ctx.error, "out of memory");
    return HD_LIMIT;
}

void each_option(const struct command *c, void (*visit)(void *user, const struct option *o), void *user)
{
    for (const struct option *o = c->options; o && o->name; o++) visit(user, o);
    for (const struct option *o = net_options; c->takes_net && o->name; o++) visit(user, o);
    for (const struct option *o = common_options; o->name; o++)
        if (o->offset != AT(json) || !c->no_json) visit(user, o);
}

struct search {
    const char *name;
    size_t len;
    char letter;
    const struct option *found;
};

static void match(void *user, const struct option *o)
{
    struct search *s = user;
    if (s->name ? strlen(o->name) == s->len && memcmp(o->name, s->name, s->len) == 0 : o->letter == s->letter)
        s->found = o;
}

static const struct option *find_option(const struct command *c, struct search s)
{
    each_option(c, match, &s);
    return s.found;
}

static hd_status set_option(struct cli *cli, const struct option *o, const char *value)
{
    void *slot = (char *)&cli->v + o->offset;
    if (!o->arg) {
        *(bool *)slot = true;
        return HD_OK;
    }
    if (strstr(o->arg, "...")) {
        struct words *w = slot;
        if (w->n == MAX_WORDS) return usage_error(cli, "--%s given more than %d times", o->name, MAX_WORDS);
        w->word[w->n++] = value;
        return HD_OK;
    }
    if (*(const char **)slot) return usage_error(cli, "--%s given twice", o->name);
    if (!*value) return usage_error(cli, "--%s has an empty value, expected %s", o->name, o->arg);
    *(const char **)slot = value;
    return HD_OK;
}

struct names {
    const char *name[64];
    size_t n;
};

static void add_name(void *user, const struct option *o)
{
    struct names *all = user;
    if (all->n < 64) all->name[all->n++] = o->name;
}

static hd_status unknown_option(struct cli *cli, const char *word)
{
    char typed[64];
    struct names all = {.n = 0};
    each_option(cli->command, add_name, &all);
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    const char *near = hd_nearest(typed + strspn(typed, "-"), all.name, all.n);
    return usage_error(cli, "%s: unknown option '%.60s'%s%s%s", cli->command->name, typed,
                       near ? ", did you mean '--" : "", near ? near : "", near ? "'?" : "");
}

/* One word that begins with '-'; *next is the word after it, set to NULL when used as its value. */
static hd_status parse_option(struct cli *cli, const char *word, const char **next)
{
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1), *value = NULL;
    size_t len = is_long ? strcspn(name, "=") : 1;
    const struct option *o =
        find_option(cli->command, (struct search){is_long ? name : NULL, len, is_long ? 0 : *name, NULL});
    if (!o) return unknown_option(cli, word);
    if (name[len]) value = name + len + (is_long ? 1 : 0);
    if (!o->arg) return value ? usage_error(cli, "--%s takes no value", o->name) : set_option(cli, o, NULL);
    if (!value) {
        value = *next;
        *next = NULL;
        if (!value) return usage_error(cli, "--%s needs a value (%s)", o->name, o->arg);
    }
    return set_option(cli, o, value);
}

static hd_status parse_number(struct cli *cli, const char *name, const char *text, uint64_t max, uint64_t *value)
{
    uint64_t v = 0;
    for (const char *p = text; *p || p == text; p++) {
        if (*p < '0' || *p > '9' || v > (UINT64_MAX - 9) / 10)
            return usage_error(cli, "--%s %.40s: expected a whole number up to %llu", name, text,
                               (unsigned long long)max);
        v = v * 10 + (uint64_t)(*p - '0');
    }
    if (v > max) return usage_error(cli, "--%s %.40s: at most %llu", name, text, (unsigned long long)max);
    *value = v;
    return HD_OK;
}

static hd_status apply_common(struct cli *cli)
{
    uint64_t n = 0;
    hd_status s = HD_OK;
    if (cli->v.seed) s = parse_number(cli, "seed", cli->v.seed, UINT64_MAX, &cli->ctx.seed);
    if (s == HD_OK && cli->v.threads && (s = parse_number(cli, "threads", cli->v.threads, 4096, &n)) == HD_OK)
        cli->ctx.threads = (int)n;
    return s;
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

static void match_offset(void *user, const struct option *o)
{
    struct search *s = user;
    if (o->offset == s->len) s->found = o;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Two results must not land in one file, nor on standard output, and none on what was read. */
static hd_status check_outputs(struct cli *cli)
{
    static const size_t written[] = {AT(output), AT(loads),    AT(samples),  AT(checkpoint),
                                     AT(series), AT(channels), AT(schedule), AT(renumber)};
    const char *name[8], *path[8];
    size_t n = 0;
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        const char *value = *(const char **)((char *)&cli->v + written[i]);
        if (!value) continue;
        struct search s = {.len = written[i]};
        each_option(cli->command, match_offset, &s);
        if (cli->v.json && strcmp(value, "-") == 0)
            return usage_error(cli, "--json and --%s cannot both go to standard output", s.found->name);
        for (int k = 0; k < cli->nargs; k++)
            if (same_file(value, cli->arg[k]))
                return usage_error(cli, "--%s %.60s would overwrite what is read", s.found->name, value);
        for (size_t k = 0; k < n; k++)
            if (strcmp(path[k], value) == 0 && strcmp(value, "/dev/null") != 0)
                return usage_error(cli, "--%s and --%s cannot both go to %.60s", name[k], s.found->name,
                                   strcmp(value, "-") ? value : "standard output");
        name[n] = s.found->name;
        path[n++] = value;
    }
    return HD_OK;
}

/* Before anything is computed for a format that there is not. */
static hd_status check_format(struct cli *cli)
{
    const char *names[32], *name;
    size_t n = 0;
    if (!cli->v.format || !cli->command->format) return HD_OK;
    for (; n < 32 && (name = cli->command->format(n)); n++) {
        if (strcmp(name, cli->v.format) == 0) return HD_OK;
        names[n] = name;
    }
    return hd_fail_choice(&cli->ctx, "--format", cli->v.format, names, n);
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
    if (cli->nargs < cli->command->min_args || cli->nargs > cli->command->max_args)
        return usage_error(cli, "%s: expected %s, got %d argument%s", cli->command->name,
                           *cli->command->args ? cli->command->args : "none", cli->nargs, cli->nargs == 1 ? "" : "s");
    hd_status s = check_format(cli);
    if (s == HD_OK) s = check_outputs(cli);
    return s == HD_OK ? apply_common(cli) : s;
}

hd_status open_net(struct cli *cli, int i, struct hd_net **net)
{
    return hd_net_open(&cli->ctx, cli->arg[i], &cli->v.open, net);
}
