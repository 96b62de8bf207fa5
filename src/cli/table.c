/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for people. Cells are kept as text until all are known, then printed in two passes: widths, then rows. Linear
 * in the text; widths are counted in characters, not bytes. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hd_status table_init(struct hd_ctx *ctx, struct table *t, const char *titles)
{
    memset(t, 0, sizeof *t);
    hd_status s = hd_out_memory(ctx, &t->text);
    while (s == HD_OK && t->ncol < TABLE_COLUMNS) {
        size_t len = strcspn(titles, "|");
        bool right = *titles == '>';
        t->right[t->ncol++] = right;
        table_cell(t, "%.*s", (int)len - right, titles + right);
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
    hd_put(t->text, cell, strlen(cell) + 1);
    t->ncell++;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
static int width_of(const char *s)
{
    int n = 0;
    for (; *s; s++) n += (*s & 0xc0) != 0x80;
    return n;
}

void table_print(struct table *t, struct hd_out *o)
{
    int width[TABLE_COLUMNS] = {0};
    if (hd_out_pass_error(t->text, o)) t->ncell = 0;
    const char *text = hd_out_text(t->text, NULL), *p = text;
    for (uint32_t i = 0; i < t->ncell; i++, p += strlen(p) + 1) {
        int w = width_of(p);
        if (w > width[i % t->ncol]) width[i % t->ncol] = w;
    }
    p = text;
    for (uint32_t i = 0; i < t->ncell; i++, p += strlen(p) + 1) {
        uint32_t c = i % t->ncol;
        int pad = width[c] - width_of(p);
        bool last = c + 1 == t->ncol;
        if (c && (!last || *p)) hd_puts(o, "  "); /* no blanks behind the last cell that says something */
        if (t->right[c])
            hd_printf(o, "%*s%s", pad, "", p);
        else
            hd_printf(o, "%s%*s", p, last ? 0 : pad, "");
        if (last) hd_puts(o, "\n");
    }
    hd_out_drop(t->text);
}
