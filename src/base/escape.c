/* SPDX-License-Identifier: BSD-2-Clause */
/* XML and lines, checked byte by byte: names come from files of others and reach reports, drawings and JSON,
 * where one bad byte would make the whole document invalid. Linear in the text. */
#include "base/escape.h"
#include "tool/words.h"

#include <string.h>

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
            hd_put(o, "???", size);
        else
            hd_put(o, text + i, size);
    }
}

void hd_put_plain(struct hd_out *o, const char *s)
{
    hd_put_visible(o, s, SIZE_MAX);
}
