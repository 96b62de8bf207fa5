/* SPDX-License-Identifier: BSD-2-Clause */
/* A small streaming JSON writer: two spaces of indent, keys in the order they are given. */
#include "base/escape.h"
#include "tool/json.h"
#include "base/out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void hd_json_init(struct hd_json *j, struct hd_out *o)
{
    memset(j, 0, sizeof *j);
    j->o = o;
    j->first[0] = true;
}

/* Escapes what JSON demands; bytes that are not UTF-8 become U+FFFD so that the file stays valid. */
static void put_string(struct hd_out *o, const char *s)
{
    hd_put(o, "\"", 1);
    while (*s) {
        size_t n = hd_utf8(s);
        unsigned char c = (unsigned char)*s;
        if (n == 0)
            hd_puts(o, "\\ufffd");
        else if (c < 32)
            hd_printf(o, "\\u%04x", c);
        else {
            if (c == '"' || c == '\\') hd_put(o, "\\", 1);
            hd_put(o, s, n);
        }
        s += n ? n : 1;
    }
    hd_put(o, "\"", 1);
}

static void item(struct hd_json *j, const char *key)
{
    if (!j->first[j->depth]) hd_puts(j->o, ",");
    if (j->depth > 0) hd_printf(j->o, "\n%*s", 2 * j->depth, "");
    j->first[j->depth] = false;
    if (key) {
        put_string(j->o, key);
        hd_puts(j->o, ": ");
    }
}

void hd_json_open(struct hd_json *j, const char *key, char bracket)
{
    item(j, key);
    hd_put(j->o, &bracket, 1);
    if (j->depth + 1 < (int)(sizeof j->first / sizeof j->first[0])) j->depth++;
    j->first[j->depth] = true;
}

void hd_json_close(struct hd_json *j, char bracket)
{
    bool empty = j->first[j->depth];
    if (j->depth > 0) j->depth--;
    if (!empty) hd_printf(j->o, "\n%*s", 2 * j->depth, "");
    hd_put(j->o, &bracket, 1);
    if (j->depth == 0) hd_puts(j->o, "\n");
}

void hd_json_text(struct hd_json *j, const char *key, const char *value)
{
    item(j, key);
    if (value)
        put_string(j->o, value);
    else
        hd_puts(j->o, "null");
}

void hd_json_uint(struct hd_json *j, const char *key, uint64_t value)
{
    item(j, key);
    hd_putu(j->o, value);
}

void hd_json_real(struct hd_json *j, const char *key, double value)
{
    item(j, key);
    if (!isfinite(value)) {
        hd_puts(j->o, "null");
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    /* The decimal point is a point in every locale. */
    for (char *p = text; *p; p++)
        if (*p == ',') *p = '.';
    hd_puts(j->o, text);
}

void hd_json_bool(struct hd_json *j, const char *key, bool value)
{
    item(j, key);
    hd_puts(j->o, value ? "true" : "false");
}

void hd_json_null(struct hd_json *j, const char *key)
{
    item(j, key);
    hd_puts(j->o, "null");
}
