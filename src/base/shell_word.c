/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in quotes. Words as a POSIX shell reads them, so that a printed command can be pasted: single quotes preserve
 * everything but themselves, which become '\''. Fields of CSV: double quotes, doubled inside (RFC 4180);
 * what a spreadsheet would compute, and what begins with an apostrophe, gets an apostrophe in front. O(length). */
#include "base/c_locale.h"
#include "tool/words.h"

#include <stdlib.h>
#include <string.h>

static bool word_is_plain(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/@%";
    return *s && s[strspn(s, plain)] == 0;
}

char *hd_shell_word(char *at, const char *word)
{
    if (word_is_plain(word)) return stpcpy(at, word);
    *at++ = '\'';
    for (; *word; word++) {
        if (*word == '\'') at = stpcpy(at, "'\\'");
        *at++ = *word;
    }
    return stpcpy(at, "'");
}

void hd_put_shell_word(struct hd_out *o, const char *word)
{
    if (word_is_plain(word)) {
        hd_puts(o, word);
        return;
    }
    hd_puts(o, "'");
    for (; *word; word++) {
        if (*word == '\'') hd_puts(o, "'\\'");
        hd_put(o, word, 1);
    }
    hd_puts(o, "'");
}

/* "-" alone is standard input or output. */
static bool word_looks_like_option(const char *word)
{
    return word[0] == '-' && word[1];
}

char *hd_shell_path(char *at, const char *path)
{
    if (!word_looks_like_option(path)) return hd_shell_word(at, path);
    at = stpcpy(at, "./");
    return hd_shell_word(at, path);
}

void hd_put_shell_path(struct hd_out *o, const char *path)
{
    if (word_looks_like_option(path)) hd_puts(o, "./");
    hd_put_shell_word(o, path);
}

/* -1.5, +3e9: a number, or a dash alone, which is no formula either. */
static bool csv_is_number(const char *text, size_t n)
{
    char copy[64], *end = copy;
    if (n >= sizeof copy) return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    if (strcmp(copy, "-") == 0) return true;
    size_t sign = strspn(copy, "+-") == 1;
    if (copy[sign] != '.' && (copy[sign] < '0' || copy[sign] > '9')) return false;
    hd_strtod(copy, &end);
    return end == copy + n && !strpbrk(copy, "xX");
}

/* With flat, control characters become question marks. */
static void csv_put(struct hd_out *o, const char *text, size_t n, bool always, bool flat)
{
    bool quotes = always || (n && text[0] == '#'); /* or a reader takes the row for a comment */
    bool formula = n && strchr(HD_CSV_FORMULA, text[0]) && !(flat && text[0] < ' ') && !csv_is_number(text, n);
    for (size_t i = 0; i < n && !quotes; i++) quotes = strchr(",\"", text[i]) || (!flat && strchr("\n\r", text[i]));
    if (quotes) hd_puts(o, "\"");
    if (formula) hd_puts(o, "'");
    for (size_t i = 0, end; i < n; i = end) { /* a quote goes before each one */
        if (text[i] == '"') hd_puts(o, "\"");
        for (end = i + 1; end < n && text[end] != '"';) end++;
        if (flat)
            hd_put_visible(o, text + i, end - i);
        else
            hd_put(o, text + i, end - i);
    }
    if (quotes) hd_puts(o, "\"");
}

void hd_put_csv(struct hd_out *o, const char *text, bool always)
{
    csv_put(o, text, strlen(text), always, false);
}

void hd_put_csv_name(struct hd_out *o, const char *text, size_t n, bool always)
{
    csv_put(o, text, n, always, true);
}

char *hd_csv_value(char *field)
{
    return field[0] == '\'' && field[1] && strchr(HD_CSV_FORMULA, field[1]) ? field + 1 : field;
}
