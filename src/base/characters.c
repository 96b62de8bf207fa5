/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 and control characters, byte by byte. Apart from what writes them, because OpenSM's plug-in has this file and
 * little else of the library. Linear in the text. */
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

/* U+0080 to U+009F, which terminals obey, and those that change the direction of what follows or end a line, so that a
 * name shows as another one: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. */
static bool character_acts(const unsigned char *p, size_t n)
{
    if (n == 2) return (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c);
    if (n != 3 || p[0] != 0xe2) return false;
    if (p[1] == 0x81) return p[2] >= 0xa6 && p[2] <= 0xa9;
    return p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae));
}

size_t hd_character(const char *s, size_t left, bool *control)
{
    const unsigned char c = (unsigned char)*s;
    const size_t needs = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    size_t n = c < 0x80 || needs > left ? 1 : hd_utf8(s);
    if (n == 0) n = 1;
    *control = n == 1 ? c < 32 || c == 127 || (c >= 0x80 && c < 0xa0) : character_acts((const unsigned char *)s, n);
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

bool hd_has_controls(const char *text)
{
    bool control = false;
    for (const char *end = text + strlen(text); text < end && !control;)
        text += hd_character(text, (size_t)(end - text), &control);
    return control;
}
