/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion for bash, zsh and fish. Scripts for the three are a few lines each and ask the command itself, with the
 * line up to the cursor: 'heddle help --format complete LINE' prints what the last word may become, one candidate per
 * line with a tab and what it means. So there is one set of rules, made of the rows of commands and registries:
 * commands; options; their values; names; and inside a spec its parameters and their values. Where nothing is printed
 * the shell completes files. */
#include "cli.h"

#include <string.h>

/* The last word of a line, and what comes before it. */
struct completion {
    const struct cli *cli;
    const struct command *command; /* NULL: the word is the command */
    const struct option *option;   /* whose value the word is; NULL: none */
    const char *word;
    int before;   /* bytes of --name= in front of it, which belong to the same word of the shell */
    int position; /* of the word among the arguments */
};

/* ---- candidates ------------------------------------------------------------------------------ */

/* Prints "HEAD NAME TAIL" without blanks between, if the word may become that, and the first words of the text. */
static void offer_whole(const struct completion *c, const char *head, size_t len, const char *name, const char *tail,
                        const char *text)
{
    const size_t typed = strlen(c->word), whole = len + strlen(name);
    if (typed < len || typed > whole + strlen(tail) || strncmp(c->word + len, name, typed - len) != 0) return;
    size_t shown = strcspn(text, "\n.:;(");
    while (shown && text[shown - 1] == ' ') shown--;
    hd_printf(c->cli->out, "%.*s%.*s%s%s\t%.*s\n", c->before, c->word - c->before, (int)len, head, name, tail,
              (int)shown, text);
}

static void offer(const struct completion *c, const char *name, const char *text)
{
    offer_whole(c, "", 0, name, "", text);
}

/* The values that a parameter lists, each after what is typed before them. */
static void offer_values(const struct completion *c, size_t len, const struct hd_param *p)
{
    const char *words = p->kind == HD_WORD ? p->words : p->kind == HD_FLAG ? "on|off" : "";
    for (const char *at = words; *at; at += *at == '|') {
        char value[64];
        const size_t n = strcspn(at, "|");
        snprintf(value, sizeof value, "%.*s", (int)n, at);
        offer_whole(c, c->word, len, value, "", p->doc);
        at += n;
    }
}

/* Parameters of the spec that the word begins: ft:m=4,n=2. */
static void offer_params(const struct completion *c, const struct hd_desc *d)
{
    const char *last = c->word + strlen(c->word);
    while (last[-1] != ':' && last[-1] != ',') last--;
    const size_t len = (size_t)(last - c->word), key = strcspn(last, "=");
    for (const struct hd_param *p = d->params; p && p->name; p++) {
        if (!last[key])
            offer_whole(c, c->word, len, p->name, "=", p->doc);
        else if (strlen(p->name) == key && strncmp(p->name, last, key) == 0)
            offer_values(c, len + key + 1, p);
    }
}

static void offer_names(const struct completion *c, enum hd_registry kind)
{
    const struct hd_desc *d;
    const size_t name = strcspn(c->word, ":");
    for (size_t i = 0; (d = hd_registry_at(c->cli->ctx, kind, i)); i++) {
        if (!c->word[name])
            offer(c, d->name, d->summary);
        else if (strlen(d->name) == name && strncmp(d->name, c->word, name) == 0)
            offer_params(c, d);
    }
}

/* ---- what the word may be -------------------------------------------------------------------- */

static void complete_value(const struct completion *c)
{
    const char *word;
    if (c->option->kind == OPTION_NAME || c->option->kind == OPTION_NAMES) {
        offer_names(c, c->option->registry);
        return;
    }
    for (size_t i = 0; (word = option_word(c->cli->ctx, c->option, i)); i++) offer(c, word, c->option->arg);
}

static void complete_option(const struct completion *c)
{
    const struct option *o;
    char name[64], doc[MAX_DOC];
    for (size_t i = 0; (o = option_at(c->command, i)); i++) {
        snprintf(name, sizeof name, "--%s", o->name);
        offer(c, name, option_doc(c->cli->ctx, o, doc));
    }
}

static bool is_command(const struct completion *c, const char *name)
{
    return strcmp(c->command->name, name) == 0;
}

/* A network comes first; what follows is a table, or either where there may be several networks. */
static void complete_argument(const struct completion *c)
{
    const bool help = is_command(c, "help"), plot = is_command(c, "plot");
    if (takes_net(c->command) && c->position >= plot) {
        if (c->position == plot || strstr(c->command->args, "NET...")) offer_names(c, HD_TOPOLOGIES);
        if (c->position > plot) offer_names(c, HD_ENGINES);
    }
    if (plot && c->position == 0) offer_names(c, HD_CHARTS);
    if (is_command(c, "cables")) offer_names(c, HD_TOPOLOGIES);
    if (is_command(c, "paper")) offer_names(c, HD_PAPERS);
    for (enum hd_registry k = 0; help && k < HD_REGISTRIES; k++) offer_names(c, k);
    for (enum hd_registry k = 0; is_command(c, "list") && k < HD_REGISTRIES; k++) offer(c, hd_registry_name(k), "");
    for (const struct schema *s = schemas; is_command(c, "schema") && s->name; s++)
        offer(c, s->name, s->summary ? s->summary : find_command(s->name)->summary);
    for (const struct command *h = commands; help && h->name; h++) offer(c, h->name, h->summary);
}

static const struct option *option_named(const struct command *command, const char *word, size_t len)
{
    const struct option *o;
    for (size_t i = 0; (o = option_at(command, i)); i++) {
        const bool named =
            strlen(o->name) + 2 == len && strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, len - 2) == 0;
        if (named || (len == 2 && word[0] == '-' && word[1] == o->letter)) return o;
    }
    return NULL;
}

/* Takes a word before the last one. */
static void complete_after(struct completion *c, const char *word, size_t len)
{
    if (!c->command) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)len, word);
        c->command = find_command(name);
    } else if (c->option) {
        c->option = NULL; /* this was its value */
    } else if (word[0] == '-' && len > 1) {
        c->option = option_named(c->command, word, len);
        if (c->option && c->option->kind == OPTION_FLAG) c->option = NULL;
    } else {
        c->position++;
    }
}

void print_candidates(const struct cli *cli, const char *line)
{
    struct completion c = {.cli = cli};
    bool first = true;
    const char *at = line + strspn(line, " \t");
    for (size_t len; at[len = strcspn(at, " \t")]; at += len + strspn(at + len, " \t"), first = false)
        complete_after(&c, at, len);
    c.word = at;
    const size_t equals = strcspn(at, "=");
    if (!first && c.command && !c.option && *at == '-' && at[equals]) {
        c.option = option_named(c.command, at, equals);
        if (!c.option) return;
        c.before = (int)equals + 1;
        c.word += c.before;
    }
    if (first)
        for (const struct command *k = commands; k->name; k++) offer(&c, k->name, k->summary);
    else if (!c.command)
        return;
    else if (c.option)
        complete_value(&c);
    else if (*c.word == '-')
        complete_option(&c);
    else
        complete_argument(&c);
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Where the shell breaks words at : and =, it replaces only what follows them. */
static const char bash_script[] =
    "# bash completion for heddle, generated by 'heddle help --format bash'\n"
    "_heddle()\n"
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word head=\n"
    "    word=${line##*[[:space:]]}\n"
    "    if [[ $COMP_WORDBREAKS == *:* ]]; then head=${word%\"${word##*[:=]}\"}; fi\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        COMPREPLY+=(\"${word#\"$head\"}\")\n"
    "    done < <(\"$1\" help --format complete -- \"${line#*[[:space:]]}\" 2>/dev/null)\n"
    "    if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
    "}\n"
    "complete -o default -F _heddle heddle heddle-mpi\n";

static const char zsh_script[] =
    "#compdef heddle heddle-mpi\n"
    "# zsh completion for heddle, generated by 'heddle help --format zsh'\n"
    "_heddle()\n"
    "{\n"
    "    local word text\n"
    "    local -a whole open\n"
    "    while IFS=$'\\t' read -r word text; do\n"
    "        text=${word//:/\\\\:}:$text\n"
    "        if [[ $word == *= ]]; then open+=(\"$text\"); else whole+=(\"$text\"); fi\n"
    "    done < <($words[1] help --format complete -- \"${(j: :)words[2,CURRENT-1]} $PREFIX\" 2>/dev/null)\n"
    "    if (( ! $#whole && ! $#open )); then _files; return; fi\n"
    "    (( $#whole )) && _describe heddle whole\n"
    "    (( $#open )) && _describe heddle open -S ''\n"
    "    return 0\n"
    "}\n"
    "if [[ ${funcstack[1]-} == _heddle ]]; then _heddle \"$@\"; else compdef _heddle heddle heddle-mpi; fi\n";

static const char fish_script[] =
    "# fish completion for heddle, generated by 'heddle help --format fish'\n"
    "function __heddle_candidates\n"
    "    set -l words (commandline -opc)\n"
    "    set -l program $words[1]\n"
    "    set -e words[1]\n"
    "    $program help --format complete -- (string join ' ' -- $words (commandline -ct)) 2>/dev/null\n"
    "end\n"
    "for program in heddle heddle-mpi\n"
    "    complete -c $program -f -n 'test (count (__heddle_candidates)) -gt 0' -a '(__heddle_candidates)'\n"
    "end\n";

void print_completion(const struct cli *cli, const char *shell)
{
    hd_puts(cli->out, strcmp(shell, "bash") == 0 ? bash_script : strcmp(shell, "zsh") == 0 ? zsh_script : fish_script);
}
