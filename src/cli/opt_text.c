/* SPDX-License-Identifier: BSD-2-Clause */
/* Options as text: the sentence that help, manual and reference print for a row, and a given option as a shell
 * would take it, so that a report can name the command that repeats it. */
#include "cli.h"

#include <string.h>

bool option_is_number(const struct option *o)
{
    return o->kind == OPTION_INTEGER || o->kind == OPTION_BYTES || o->kind == OPTION_REAL;
}

enum hd_kind option_number(const struct option *o)
{
    switch (o->kind) {
    case OPTION_BYTES: return HD_BYTES;
    case OPTION_REAL: return HD_REAL;
    default: return HD_UINT;
    }
}

const char *option_word(const struct hd_ctx *ctx, const struct option *o, size_t i)
{
    if (o->word) return o->word(i);
    const struct hd_desc *d =
        o->kind == OPTION_NAME || o->kind == OPTION_NAMES ? hd_registry_at(ctx, o->registry, i) : NULL;
    return d ? d->name : NULL;
}

static void list_words(const struct hd_ctx *ctx, const struct option *o, char *text, size_t room)
{
    size_t n = 0, used = 0;
    *text = 0;
    while (option_word(ctx, o, n)) n++;
    for (size_t i = 0; i < n && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s%s", hd_separator(i, n), option_word(ctx, o, i),
                                 i == 0 && o->first_is_default ? " (default)" : "");
}

/* " (integer, 1..10; default 2)" */
static void print_range(const struct option *o, char *text, size_t room)
{
    char range[HD_MAX_RANGE];
    hd_number_range(option_number(o), o->min, o->max, range);
    snprintf(text, room, " (%s%s%s)", range, *o->usual ? "; default " : "", o->usual);
}

const char *option_doc(const struct hd_ctx *ctx, const struct option *o, char text[MAX_DOC])
{
    const char *at = o->word ? strstr(o->doc, "%s") : NULL;
    size_t before = at ? (size_t)(at - o->doc) : strlen(o->doc);
    char words[MAX_DOC / 2] = "", range[MAX_DOC / 4] = "";
    if (at) list_words(ctx, o, words, sizeof words);
    if (option_is_number(o)) print_range(o, range, sizeof range);
    snprintf(text, MAX_DOC, "%.*s%s%s%s.", (int)before, o->doc, words, at ? at + 2 : "", range);
    return text;
}

/* ---- messages ------------------------------------------------------------------------------- */

/* The option for a parameter of the library, NULL where the command has none. */
static const char *option_of(const struct cli *cli, const char *param, size_t len)
{
    static const char *const other[][2] = {{"name_map", "node-name-map"}, {"goal", "for"}};
    const struct option *tables[] = {cli->command->options, takes_net(cli->command) ? net_options : NULL};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (strlen(other[i][0]) == len && memcmp(other[i][0], param, len) == 0) return other[i][1];
    for (size_t i = 0; i < 2; i++)
        for (const struct option *o = tables[i]; o && o->name; o++)
            if (strlen(o->name) == len && memcmp(o->name, param, len) == 0) return o->name;
    return NULL;
}

/* Whether the word of that length is one of a blank-separated list. */
static bool is_listed(const char *list, const char *word, size_t len)
{
    for (const char *at = list; at && *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (n == len && memcmp(at, word, n) == 0) return true;
        at += n;
    }
    return false;
}

const char *error_text(const struct cli *cli, char text[MAX_MESSAGE])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    size_t used = 0;
    *text = 0;
    for (const char *at = hd_ctx_error(cli->ctx); *at && used < MAX_MESSAGE;) {
        size_t len = strspn(at, letters);
        const char *option =
            cli->command && is_listed(hd_ctx_about(cli->ctx), at, len) ? option_of(cli, at, len) : NULL;
        if (len == 0) len = 1;
        used += (size_t)(option ? snprintf(text + used, MAX_MESSAGE - used, "--%s", option)
                                : snprintf(text + used, MAX_MESSAGE - used, "%.*s", (int)len, at));
        at += len;
    }
    return text;
}

/* ---- options for a shell -------------------------------------------------------------------- */

static void opt_text_put_pair(struct hd_out *o, const char *name, const char *value)
{
    hd_printf(o, " --%s ", name);
    hd_put_shell_word(o, value);
}

void put_given(struct hd_out *o, const struct option *option, const struct values *v)
{
    const void *slot = (const char *)v + option->offset;
    const struct integer *integer = slot;
    const struct real *real = slot;
    const struct words *words = slot;
    switch (option->kind) {
    case OPTION_FLAG:
        if (*(const bool *)slot) hd_printf(o, " --%s", option->name);
        break;
    case OPTION_INTEGER:
    case OPTION_BYTES:
        if (integer->given) hd_printf(o, " --%s %llu", option->name, (unsigned long long)integer->value);
        break;
    case OPTION_REAL:
        if (real->given) hd_printf(o, " --%s %.17g", option->name, real->value);
        break;
    case OPTION_TEXTS:
    case OPTION_NAMES:
        for (int i = 0; i < words->n; i++) opt_text_put_pair(o, option->name, words->word[i]);
        break;
    case OPTION_TEXT:
    case OPTION_OUTPUT:
    case OPTION_CHOICE:
    case OPTION_NAME:
        if (*(const char *const *)slot) opt_text_put_pair(o, option->name, *(const char *const *)slot);
        break;
    }
}
