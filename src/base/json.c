/* SPDX-License-Identifier: BSD-2-Clause */
/* A small streaming JSON writer: two spaces of indent, keys in the order they are given. */
#include "base/c_locale.h"
#include "base/escape.h"
#include "tool/json.h"
#include "base/out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of a control character, of up to three bytes of UTF-8. */
static unsigned json_code(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    if (n == 1) return p[0];
    if (n == 2) return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

/* Escapes what JSON demands, and all other control characters of hd_character; bytes that are not UTF-8 become U+FFFD
 * so that the file stays valid. */
static void put_string(struct hd_out *o, const char *s)
{
    hd_put(o, "\"", 1);
    while (*s) {
        size_t n = hd_utf8(s);
        unsigned char c = (unsigned char)*s;
        bool control;
        hd_character(s, n, &control);
        if (n == 0)
            hd_puts(o, "\\ufffd");
        else if (control)
            hd_printf(o, "\\u%04x", json_code(s, n));
        else {
            if (c == '"' || c == '\\') hd_put(o, "\\", 1);
            hd_put(o, s, n);
        }
        s += n ? n : 1;
    }
    hd_put(o, "\"", 1);
}

static void put_key(struct hd_json *j, const char *key)
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
    put_key(j, key);
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

/* The fewest digits, 15 at least, from which a reader gets the same number. */
static void put_real(struct hd_out *o, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        hd_format(text, sizeof text, "%.*g", digits, value);
        const double read = hd_strtod(text, NULL);
        if (!(read < value) && !(read > value)) break;
    }
    hd_puts(o, isfinite(value) ? text : "null");
}

void hd_json_put_fields(struct hd_json *j, const struct hd_json_field *field)
{
    for (; field->kind != HD_JSON_END; field++) {
        put_key(j, field->key);
        switch (field->kind) {
        case HD_JSON_TEXT: put_string(j->o, field->text); break;
        case HD_JSON_UINT: hd_putu(j->o, field->uint); break;
        case HD_JSON_REAL: put_real(j->o, field->real); break;
        case HD_JSON_BOOL: hd_puts(j->o, field->yes ? "true" : "false"); break;
        default: hd_puts(j->o, "null");
        }
    }
}

void hd_json_put_object(struct hd_json *j, const char *key, const struct hd_json_field *field)
{
    hd_json_open(j, key, '{');
    hd_json_put_fields(j, field);
    hd_json_close(j, '}');
}

void hd_json_begin(struct hd_json *j, struct hd_out *o)
{
    *j = (struct hd_json){.o = o, .first = {true}};
    hd_json_open(j, NULL, '{');
    hd_json_fields(j, hd_uint("schema", 1));
}
