/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for people. Cells are kept as text until all are known, then printed in two passes: widths, then rows. Linear
 * in the text; widths are counted in characters, not bytes. */
#include "table.h"
#include "tool/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hd_status table_init(struct hd_ctx *ctx, struct table *t, const char *titles)
{
    memset(t, 0, sizeof *t);
    hd_status s = hd_out_memory(ctx, &t->text);
    while (s == HD_OK && t->ncol < TABLE_COLUMNS) {
        size_t len = strcspn(titles, "|");
        bool spare = *titles == '~', right = titles[spare] == '>';
        t->spare[t->ncol] = spare;
        t->right[t->ncol++] = right;
        table_cell(t, "%.*s", (int)len - right - spare, titles + right + spare);
        if (!titles[len]) break;
        titles += len + 1;
    }
    return s;
}

void table_cell(struct table *t, const char *fmt, ...)
{
    char cell[HD_MAX_SPEC + 64];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(cell, sizeof cell, fmt, ap);
    va_end(ap);
    hd_put_visible(t->text, cell, SIZE_MAX);
    hd_put(t->text, "", 1);
    t->ncell++;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
static int width_of(const char *s)
{
    int n = 0;
    for (; *s; s++) n += (*s & 0xc0) != 0x80;
    return n;
}

/* Which columns fit; those that do not are spare ones, the last first. */
static void choose_columns(const struct table *t, const int *width, size_t columns, bool *shown)
{
    size_t sum = 0;
    for (uint32_t c = 0; c < t->ncol; c++) sum += (size_t)width[c] + (c ? 2 : 0), shown[c] = true;
    for (uint32_t c = t->ncol; columns && sum > columns && c-- > 0;)
        if (t->spare[c]) sum -= (size_t)width[c] + 2, shown[c] = false;
}

static void print_left_out(const struct table *t, const bool *shown, const char *titles, struct hd_out *o)
{
    char text[400] = "Left out, lines are too short: ";
    size_t used = strlen(text), first = used;
    for (uint32_t c = 0; c < t->ncol && used < sizeof text; c++, titles += strlen(titles) + 1)
        if (!shown[c])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > first ? ", " : "", titles);
    if (used > first) hd_put_wrapped(o, 0, 0, text);
}

static void print_rows(const struct table *t, const int *width, const bool *shown, const char *p, struct hd_out *o)
{
    enum { INDENT = 4 };
    size_t columns = hd_out_columns(o), at = 0;
    for (uint32_t i = 0; i < t->ncell; i++, p += strlen(p) + 1) {
        uint32_t c = i % t->ncol;
        int is = width_of(p), pad = width[c] - is;
        bool last = c + 1 == t->ncol,
             says = shown[c] && (!last || *p); /* no blanks behind the last cell that says something */
        size_t wide = last && !t->right[c] ? (size_t)is : (size_t)width[c];
        if (says && columns && at > INDENT && at + 2 + wide > columns)
            hd_printf(o, "\n%*s", INDENT, ""), at = INDENT;
        else if (says && at)
            hd_puts(o, "  "), at += 2;
        if (says && t->right[c])
            hd_printf(o, "%*s%s", pad, "", p);
        else if (says)
            hd_printf(o, "%s%*s", p, last ? 0 : pad, "");
        if (says) at += wide;
        if (last) hd_puts(o, "\n"), at = 0;
    }
}

void table_print(struct table *t, struct hd_out *o)
{
    int width[TABLE_COLUMNS] = {0};
    bool shown[TABLE_COLUMNS];
    if (hd_out_pass_error(t->text, o)) t->ncell = 0;
    const char *text = hd_out_text(t->text, NULL), *p = text;
    for (uint32_t i = 0; i < t->ncell; i++, p += strlen(p) + 1) {
        int w = width_of(p);
        if (w > width[i % t->ncol]) width[i % t->ncol] = w;
    }
    choose_columns(t, width, hd_out_columns(o), shown);
    print_rows(t, width, shown, text, o);
    if (t->ncell) print_left_out(t, shown, text, o);
    hd_out_drop(t->text);
}

void put_field(struct hd_out *o, size_t width, const char *label, const char *fmt, ...)
{
    char text[2000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    hd_printf(o, "%-*s", (int)width, label);
    if (hd_out_columns(o))
        hd_put_wrapped(o, width, width, text);
    else
        hd_put_visible(o, text, SIZE_MAX), hd_puts(o, "\n");
}

void put_name(struct hd_out *o, const char *label, const char *name)
{
    hd_printf(o, "%-*s", FIELD_LABEL, label);
    hd_put_visible(o, name, SIZE_MAX);
    hd_puts(o, "\n");
}
