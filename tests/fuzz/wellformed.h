/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges of texts that share nothing with the code that writes them: JSON by its grammar, markup by markup.h of the
 * unit tests, lines by their bytes, commands by the quoting rules of a shell. A text that is none aborts the fuzz
 * target. */
#ifndef WELLFORMED_H
#define WELLFORMED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), abort())
#define assert_int_equal(a, b) ((a) == (b) ? (void)0 : fail_msg("%s: expected %s", #a, #b))
#include "markup.h"

/* One UTF-8 character: its bytes, 0: none. */
static inline size_t utf8_bytes(const char *text)
{
    const uint8_t *s = (const uint8_t *)text;
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

static inline const char *json_blank(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

static inline const char *json_string(const char *s)
{
    if (*s++ != '"') fail_msg("JSON: expected a string: %.40s", s - 1);
    while (*s != '"') {
        size_t n = utf8_bytes(s);
        if (!n || (uint8_t)*s < 32) fail_msg("JSON: bad byte %02x in a string", (uint8_t)*s);
        if (*s == '\\') {
            n = s[1] && strchr("\"\\/bfnrt", s[1]) ? 2 : 0;
            if (s[1] == 'u' && strspn(s + 2, "0123456789abcdefABCDEF") >= 4) n = 6;
            if (!n) fail_msg("JSON: bad escape: %.10s", s);
        }
        s += n;
    }
    return s + 1;
}

static inline const char *json_number(const char *s)
{
    char *end;
    size_t n = strspn(s, "-+.eE0123456789");
    if (!n || (strtod(s, &end), end != s + n)) fail_msg("JSON: bad value: %.40s", s);
    return s + n;
}

static inline const char *json_value(const char *s, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    s = json_blank(s);
    if (depth > 64) fail_msg("JSON: too deep");
    if (*s == '"') return json_string(s);
    for (size_t i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0) return s + strlen(words[i]);
    if (*s != '{' && *s != '[') return json_number(s);
    char end = *s == '{' ? '}' : ']';
    s = json_blank(s + 1);
    while (*s != end) {
        if (end == '}') {
            s = json_blank(json_string(s));
            if (*s++ != ':') fail_msg("JSON: expected a colon");
        }
        s = json_blank(json_value(s, depth + 1));
        if (*s == ',' && *(s = json_blank(s + 1)) != end) continue;
        if (*s != end || s[-1] == ',') fail_msg("JSON: expected a comma or the end: %.40s", s);
    }
    return s + 1;
}

static inline void check_json(const char *text)
{
    if (*json_blank(json_value(text, 0))) fail_msg("JSON: something behind the end");
}

/* Markup behind the line that says it is XML, where there is one. */
static inline void check_xml(const char *text)
{
    check_markup(strncmp(text, "<?xml ", 6) == 0 ? strchr(text, '\n') : text, true);
}

/* Characters that turn text around or end a line, three bytes or two. */
static const char *const turning[] = {"\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c",
                                      "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u061c"};

/* Lines: no byte that a terminal obeys but line ends and tabs, and the last line ends. Returns how many. */
static inline uint32_t check_lines(const char *text, size_t size, const char *what)
{
    uint32_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (((uint8_t)text[i] < 32 && text[i] != '\n' && text[i] != '\t') || text[i] == 127)
            fail_msg("%s: byte %02x in the text", what, (uint8_t)text[i]);
        if ((uint8_t)text[i] == 0xc2 && i + 1 < size && (uint8_t)text[i + 1] < 0xa0 && (uint8_t)text[i + 1] >= 0x80)
            fail_msg("%s: U+00%02x in the text", what, (uint8_t)text[i + 1]);
        for (size_t k = 0; (uint8_t)text[i] >= 0xd8 && k < sizeof turning / sizeof *turning; k++)
            if (strncmp(text + i, turning[k], strlen(turning[k])) == 0)
                fail_msg("%s: %s in the text", what, turning[k]);
        n += text[i] == '\n';
    }
    if (size && text[size - 1] != '\n') fail_msg("%s: the last line does not end", what);
    return n;
}

/* Graphviz: outside strings no quote; strings end on their line and escape what is theirs. */
static inline void check_dot(const char *text)
{
    bool inside = false;
    for (const char *s = text; *s; s++) {
        if (inside && *s == '\n') fail_msg("dot: a string runs over the end of its line");
        if (inside && *s == '\\' && s[1]) {
            s++;
            continue;
        }
        if (*s == '"') inside = !inside;
    }
    if (inside) fail_msg("dot: a string without end");
}

/* ---- commands ------------------------------------------------------------------------------- */

/* A command line as a shell takes it: words without their quotes and with a blank behind each, what a shell obeys as
 * itself behind a zero byte, nothing from a comment on. `own` within a word becomes @. Returns the bytes of out. */
static inline size_t shell_words(const char *line, const char *own, char *out, size_t room)
{
    size_t n = 0, first = 0, long_own = strlen(own);
    bool word = false;
    char quote = 0;
    for (const char *s = line;; s++) {
        if (n + 4 > room) fail_msg("a command that is too long: %.80s", line);
        if (quote && (!*s || *s == '\n')) fail_msg("a quote without end: %.200s", line);
        const bool blank = !quote && (!*s || strchr(" \t\n", *s));
        if (word && (blank || (!quote && strchr(";&|<>()", *s)))) out[n++] = ' ', word = false;
        if (!quote && (!*s || *s == '\n' || (*s == '#' && !word))) return n;
        if (blank) continue;
        if (!word) first = n;
        word = true;
        if (quote ? *s == quote : *s == '\'' || *s == '"')
            quote = quote ? 0 : *s;
        else if (*s == '\\' && quote != '\'' && s[1] && s[1] != '\n' && (!quote || strchr("$`\"\\", s[1])))
            out[n++] = *++s;
        else if (quote != '\'' && strchr(quote ? "$`" : "$`;&|<>()*?[]{}~!", *s))
            out[n++] = 0, out[n++] = *s;
        else
            out[n++] = *s;
        if (n - first >= long_own && memcmp(out + n - long_own, own, long_own) == 0) {
            n -= long_own;
            out[n++] = '@';
        }
    }
}

/* The commands of two texts, which are lines that begin with four blanks or more, must be the same to a shell but for
 * `own` in the first and `own2` in the second. */
static inline void check_commands(const char *text, const char *own, const char *text2, const char *own2)
{
    static char words[1 << 14], words2[1 << 14];
    while (*text && *text2) {
        if (strncmp(text2, "    ", 4) == 0) {
            size_t n = shell_words(text, own, words, sizeof words),
                   n2 = shell_words(text2, own2, words2, sizeof words2);
            if (n != n2 || memcmp(words, words2, n) != 0) fail_msg("another command: %.300s", text);
        }
        text += strcspn(text, "\n"), text += *text == '\n';
        text2 += strcspn(text2, "\n"), text2 += *text2 == '\n';
    }
    if (*text || *text2) fail_msg("other lines");
}

#endif
