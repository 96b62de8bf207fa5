/* SPDX-License-Identifier: BSD-2-Clause */
/* Specs with options: after failures and selections, the spec of a network is what one would type to get it again. */
#include "net/core/spec_option.h"

#include <stdbool.h>
#include <string.h>

static bool word_is_plain(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/@%";
    return *s && s[strspn(s, plain)] == 0;
}

/* Single quotes hold everything but themselves: those become '\''. */
static char *put_quoted_word(char *at, const char *s)
{
    *at++ = '\'';
    for (; *s; s++) {
        if (*s == '\'') at = stpcpy(at, "'\\'");
        *at++ = *s;
    }
    *at++ = '\'';
    *at = 0;
    return at;
}

char *hd_shell_word(char *at, const char *word)
{
    return word_is_plain(word) ? stpcpy(at, word) : put_quoted_word(at, word);
}

char *hd_spec_with(struct hd_arena *arena, const char *spec, const char *option, const char *value)
{
    size_t size = strlen(spec) + strlen(option) + 4 * strlen(value) + 8;
    char *out = hd_alloc(arena, size, 1);
    if (!out) return NULL;
    char *at = stpcpy(stpcpy(stpcpy(out, spec), " --"), option);
    *at++ = ' ';
    hd_shell_word(at, value);
    return out;
}
