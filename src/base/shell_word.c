/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in quotes. Words as a POSIX shell reads them, so that a printed command can be pasted: single quotes preserve
 * everything but themselves, which become '\''. Fields of CSV: double quotes, doubled inside (RFC 4180). O(length). */
#include "tool/words.h"

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

void hd_put_csv(struct hd_out *o, const char *text, bool always)
{
    const char *quote = always || strpbrk(text, ",\"\n\r") ? "\"" : "";
    hd_puts(o, quote);
    for (; *text; text++) {
        if (*text == '"') hd_puts(o, "\"");
        hd_put(o, text, 1);
    }
    hd_puts(o, quote);
}
