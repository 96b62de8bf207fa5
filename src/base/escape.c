/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, XML and lines, checked byte by byte: names come from files of others and reach reports, drawings and JSON,
 * where one bad byte would make the whole document invalid. Linear in the text. */
#include "base/escape.h"
#include "tool/words.h"

#include <string.h>

size_t hd_utf8(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;
    unsigned char c = p[0];
    if (c < 0x80) return c != 0;
    size_t n = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    /* Too long a form, a surrogate, or beyond U+10FFFF. */
    if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] >= 0xa0)) return 0;
    if ((c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] >= 0x90)) return 0;
    return n;
}

size_t hd_character(const char *s, size_t left, bool *control)
{
    const unsigned char c = (unsigned char)*s;
    size_t n = c < 0x80 ? 1 : hd_utf8(s);
    if (n == 0 || n > left) n = 1;
    *control =
        n == 1 ? c < 32 || c == 127 || (c >= 0x80 && c < 0xa0) : n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0;
    return n;
}

void hd_replace_controls(char *s, size_t n, char with)
{
    bool control;
    for (size_t i = 0, size; i < n; i += size) {
        size = hd_character(s + i, n - i, &control);
        if (control) memset(s + i, with, size);
    }
}

static const char *xml_entity(unsigned char c)
{
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default: return c < 32 || c == 127 ? "\xef\xbf\xbd" : NULL;
    }
}

void hd_put_xml(struct hd_out *o, const char *s)
{
    while (*s) {
        size_t n = hd_utf8(s);
        bool control;
        hd_character(s, n, &control);
        const char *as = n == 1 ? xml_entity((unsigned char)*s) : n == 0 || control ? "\xef\xbf\xbd" : NULL;
        /* U+FFFE and U+FFFF are UTF-8 but no XML characters. */
        if (n == 3 && s[0] == '\xef' && s[1] == '\xbf' && (unsigned char)s[2] >= 0xbe) as = "\xef\xbf\xbd";
        if (as)
            hd_puts(o, as);
        else
            hd_put(o, s, n);
        s += n ? n : 1;
    }
}

void hd_put_visible(struct hd_out *o, const char *text, size_t n)
{
    bool control;
    n = strnlen(text, n);
    for (size_t i = 0, size; i < n; i += size) {
        size = hd_character(text + i, n - i, &control);
        if (control)
            hd_put(o, "??", size);
        else
            hd_put(o, text + i, size);
    }
}

void hd_put_plain(struct hd_out *o, const char *s)
{
    hd_put_visible(o, s, SIZE_MAX);
}
