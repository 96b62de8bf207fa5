/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX's regular expressions, called in one place: both compiling and matching allocate, and a match that ran out of
 * memory must not pass as "does not match". The C library has paths on which it does just that; errno tells. regcomp
 * recurses into parentheses and copies what {n} and + repeat, so that a short text could take all of the stack or the
 * memory: length, nesting and the length with all copies are bounded before it sees the text, far beyond expressions
 * for names. Back-references, which POSIX leaves out of extended expressions and the C library has, are
 * refused: to match them takes exponential time. The time of a match grows with the square of the text, so that
 * this is bounded too. */
#include "base/expression.h"
#include "base/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING = 64, WRITTEN_OUT = 2000 };

/* Copies that regcomp makes of what +, {n}, {n,} or {n,m} repeats, of a+ as of aa*; *s is moved to the last character.
 * 0: none of these. */
static uint64_t expression_copies(const char **s)
{
    char *end;
    if (**s == '+') return 2;
    if (**s != '{' || !strchr("0123456789,", (*s)[1])) return 0;
    const uint64_t low = strtoull(*s + 1, &end, 10);
    if ((*s)[1] == ',') end = (char *)*s + 1;
    const bool range = *end == ',', open = range && end[1] == '}';
    const uint64_t high = range && !open ? strtoull(end + 1, &end, 10) : open ? low : 0;
    end += open;
    if (*end != '}') return 0;
    *s = end;
    const uint64_t most = high > low ? high : low;
    return most > WRITTEN_OUT ? WRITTEN_OUT + 1 : most + open + (most + open == 0);
}

/* The last character of a bracket expression; NULL: it has no end, as regcomp will say. */
static const char *expression_bracket(const char *s)
{
    s += s[1] == '^' ? 2 : 1;
    for (const char *first = s; *s && (*s != ']' || s == first); s++) {
        if (*s != '[' || !s[1] || !strchr(".=:", s[1])) continue;
        const char end[] = {s[1], ']', 0};
        s = strstr(s + 2, end);
        if (!s++) return NULL;
    }
    return *s ? s : NULL;
}

/* Why an expression is not given to regcomp; NULL: it is. */
static const char *expression_fault(const char *text)
{
    uint64_t open[NESTING + 1] = {0}, all = 0,
                            last = 0; /* characters before each parenthesis, in all, in what was last */
    int depth = 0;
    for (const char *s = text; *s; s++) {
        const uint64_t copies = expression_copies(&s);
        if (copies) {
            all += last * (copies - 1);
            last *= copies;
        } else if (*s == '(') {
            if (++depth > NESTING) return "parentheses nested deeper than 64";
            open[depth] = all;
        } else if (*s == ')' && depth) {
            last = all - open[depth--];
        } else if (*s != '*' && *s != '?') {
            if (*s == '[' && !(s = expression_bracket(s))) return NULL;
            if (*s == '\\' && s[1] && *++s >= '1' && *s <= '9')
                return "references back to parentheses are not supported";
            all += last = 1;
        }
        if (all > WRITTEN_OUT) return "more than 2000 characters when repetitions are written out";
    }
    return NULL;
}

hd_status hd_expression(struct hd_ctx *ctx, const char *param, const char *text, const char *expected, regex_t *re)
{
    if (strlen(text) > HD_MAX_EXPRESSION)
        return hd_fail(ctx, HD_INPUT, "%s: '%.60s...': expected %s of at most %d bytes", param, text, expected,
                       HD_MAX_EXPRESSION);
    const char *fault = expression_fault(text);
    if (fault) return hd_fail(ctx, HD_INPUT, "%s: '%.200s': expected %s: %s", param, text, expected, fault);
    errno = 0;
    int bad = regcomp(re, text, REG_EXTENDED);
    if (!bad) return HD_OK;
    if (bad == REG_ESPACE || errno == ENOMEM) return hd_fail_memory(ctx);
    char why[128];
    regerror(bad, re, why, sizeof why);
    return hd_fail(ctx, HD_INPUT, "%s: '%.200s': expected %s: %s", param, text, expected, why);
}

hd_status hd_expression_match(struct hd_ctx *ctx, const regex_t *re, const char *text, size_t n, regmatch_t *m,
                              bool *found)
{
    if (strnlen(text, HD_MAX_MATCHED + 1) > HD_MAX_MATCHED)
        return hd_fail(ctx, HD_INPUT,
                       "name '%.60s...': longer than %d bytes, which cannot be matched with an expression", text,
                       HD_MAX_MATCHED);
    errno = 0;
    int answer = regexec(re, text, n, m, 0);
    if (answer != 0 && (answer != REG_NOMATCH || errno == ENOMEM)) return hd_fail_memory(ctx);
    *found = answer == 0;
    return HD_OK;
}
