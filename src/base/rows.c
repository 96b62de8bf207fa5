/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows by kind and name: the built-in tables first, then rows that were added, in the order they came. Tables have tens
 * of rows, so a look-up compares names one by one. */
#include "base/rows.h"
#include "base/sized.h"
#include "base/spec.h"
#include "base/status.h"
#include "tool/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *hd_registry_name(enum hd_registry kind)
{
    static const char *const names[] = {
        [HD_TOPOLOGIES] = "topology", [HD_ENGINES] = "engine", [HD_PATTERNS] = "pattern", [HD_METRICS] = "metric",
        [HD_SELECTORS] = "selector",  [HD_MODELS] = "model",   [HD_CHARTS] = "chart",     [HD_PAPERS] = "paper"};
    return kind < HD_REGISTRIES ? names[kind] : NULL;
}

const struct hd_desc *hd_registry_at(const struct hd_ctx *ctx, enum hd_registry kind, size_t i)
{
    if (kind >= HD_REGISTRIES) return NULL;
    size_t builtin = ctx->tables ? ctx->tables[kind].n : 0, added = 0;
    if (i < builtin) return ctx->tables[kind].row[i];
    for (const struct hd_added *a = ctx->added; a; a = a->next) added += a->kind == kind;
    if (i - builtin >= added) return NULL;
    size_t after = added - 1 - (i - builtin); /* rows of this kind that came later and so are listed before it */
    for (const struct hd_added *a = ctx->added; a; a = a->next)
        if (a->kind == kind && after-- == 0) return a->desc;
    return NULL;
}

const struct hd_desc *hd_registry_added(const struct hd_ctx *ctx, enum hd_registry kind, size_t i)
{
    return hd_registry_at(ctx, kind, (ctx->tables ? ctx->tables[kind].n : 0) + i);
}

static bool is_name(const char *known, const char *name, size_t len)
{
    return strlen(known) == len && memcmp(known, name, len) == 0;
}

static const struct hd_desc *row_named(const struct hd_ctx *ctx, enum hd_registry kind, const char *name, size_t len)
{
    const struct hd_desc *d;
    for (size_t i = 0; (d = hd_registry_at(ctx, kind, i)); i++)
        if (is_name(d->name, name, len) || (d->alias && is_name(d->alias, name, len))) return d;
    return NULL;
}

const struct hd_desc *hd_registry_find(const struct hd_ctx *ctx, enum hd_registry kind, const char *name)
{
    return name ? row_named(ctx, kind, name, strlen(name)) : NULL;
}

hd_status hd_registry_add(struct hd_ctx *ctx, enum hd_registry kind, const struct hd_desc *desc, size_t size)
{
    if (kind >= HD_REGISTRIES || !desc || !desc->name || !*desc->name || !desc->summary || strpbrk(desc->name, ":=, /"))
        return hd_fail(ctx, HD_USAGE,
                       "registry: expected a kind, a name without ':', '=', ',', '/' or blanks, and a summary");
    static const struct hd_table none;
    const struct hd_table *table = ctx->tables ? &ctx->tables[kind] : &none;
    const char *what = hd_registry_name(kind);
    if (table->n && !table->size) return hd_fail(ctx, HD_USAGE, "registry: no %s can be added", what);
    if (hd_registry_find(ctx, kind, desc->name))
        return hd_fail(ctx, HD_USAGE, "registry: there is already %s %s", what, desc->name);
    const size_t known = table->size ? table->size : size;
    struct hd_added *a = malloc(sizeof *a + known);
    if (!a) return hd_fail_memory(ctx);
    *a = (struct hd_added){ctx->added, kind, (const struct hd_desc *)a->row};
    hd_status s = hd_sized_in(ctx, desc->name, a->row, known, desc, size);
    if (s == HD_OK && table->complete && !table->complete(a->desc))
        s = hd_fail(ctx, HD_USAGE, "registry: %s %s lacks a member that it must have", what, desc->name);
    if (s == HD_OK)
        ctx->added = a;
    else
        free(a);
    return s;
}

void hd_registry_release(struct hd_ctx *ctx)
{
    while (ctx->added) {
        struct hd_added *a = ctx->added;
        ctx->added = a->next;
        free(a);
    }
}

const struct hd_desc *hd_spec_find(const struct hd_ctx *ctx, enum hd_registry kind, const char *text)
{
    return row_named(ctx, kind, text, hd_spec_name(text));
}

static const char *article(const char *noun)
{
    return strchr("aeiou", *noun) ? "an" : "a";
}

hd_status hd_spec_unknown(struct hd_ctx *ctx, enum hd_registry kind, const char *text)
{
    struct stat st;
    char word[64];
    const char *names[64], *what = hd_registry_name(kind);
    const char *or_file = kind == HD_TOPOLOGIES || kind == HD_ENGINES ? " nor a file" : "";
    size_t n = 0;
    if (text[strspn(text, " \t\n")] == 0)
        return hd_fail(ctx, HD_INPUT, "an empty word: expected %s %s%s", article(what), what,
                       *or_file ? " or a file" : "");
    if (*or_file && lstat(text, &st) == 0 && stat(text, &st) != 0) /* a link that leads to no file */
        return hd_fail(ctx, HD_INPUT, "%.200s: cannot open: %s", text, strerror(errno));
    for (const struct hd_desc *d; n < 64 && (d = hd_registry_at(ctx, kind, n)); n++) names[n] = d->name;
    snprintf(word, sizeof word, "%.*s", (int)hd_spec_name(text), text);
    for (enum hd_registry k = 0; k < HD_PAPERS; k++)
        if (k != kind && hd_registry_find(ctx, k, word))
            return hd_fail(ctx, HD_INPUT, "%.200s: is %s %s, expected %s %s%s", text, article(hd_registry_name(k)),
                           hd_registry_name(k), article(what), what, *or_file ? " or a file" : "");
    const char *near = hd_nearest(word, names, n);
    if (near)
        return hd_fail(ctx, HD_INPUT, "%.200s: %s known %s%s, did you mean '%s'?", text,
                       *or_file ? "neither a" : "not a", what, or_file, near);
    return hd_fail(ctx, HD_INPUT, "%.200s: %s known %s%s ('heddle list %s' shows what there is)", text,
                   *or_file ? "neither a" : "not a", what, or_file, what);
}

hd_status hd_spec_parse(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_desc *d, const char *text,
                        void **opt, char spec[HD_MAX_SPEC])
{
    size_t name = hd_spec_name(text);
    *opt = hd_alloc(arena, 1, d->opt_size);
    if (!*opt) return hd_fail_memory(ctx);
    HD_TRY(hd_opts_parse(ctx, arena, d, text[name] ? text + name + 1 : NULL, *opt));
    return hd_opts_print(ctx, d, *opt, spec);
}

hd_status hd_spec_open(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_registry kind, const char *text,
                       struct hd_spec *out, char spec[HD_MAX_SPEC])
{
    out->desc = hd_spec_find(ctx, kind, text);
    return out->desc ? hd_spec_parse(ctx, arena, out->desc, text, &out->opt, spec) : hd_spec_unknown(ctx, kind, text);
}
