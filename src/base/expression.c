/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX's regular expressions, called in one place: both compiling and matching allocate, and a match that ran out of
 * memory must not pass as "does not match". The C library has paths on which it does just that; errno tells. regcomp
 * recurses into parentheses and copies what {n} repeats, so that a short text could take all of the stack or the
 * memory: length, nesting and the product of all repetitions are bounded before it sees the text, far beyond
 * expressions for names. Back-references, which POSIX leaves out of extended expressions and the C library has, are
 * refused: to match them takes exponential time. */
#include "base/expression.h"
#include "base/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Why an expression is not given to regcomp; NULL: it is. Characters in brackets are counted too: that makes the
 * bounds a little narrower, and reading them the same way as regcomp unnecessary. */
static const char *expression_fault(const char *text)
{
    enum { NESTING = 64, COPIES = 10000 };
    uint64_t copies = 1;
    int depth = 0;
    for (const char *s = text; *s; s++) {
        if (*s == '\\' && s[1]) {
            if (*++s >= '1' && *s <= '9') return "references back to parentheses are not supported";
            continue;
        }
        if (*s == '(' && ++depth > NESTING) return "parentheses nested deeper than 64";
        if (*s == ')' && depth) depth--;
        if (*s != '{') continue;
        const char *comma = s + 1 + strspn(s + 1, "0123456789");
        uint64_t low = strtoull(s + 1, NULL, 10), high = *comma == ',' ? strtoull(comma + 1, NULL, 10) : 0;
        uint64_t most = high > low ? high : low;
        copies *= most > COPIES ? COPIES + 1 : most > 1 ? most : 1;
        if (copies > COPIES) return "more than 10000 repetitions";
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
    errno = 0;
    int answer = regexec(re, text, n, m, 0);
    if (answer != 0 && (answer != REG_NOMATCH || errno == ENOMEM)) return hd_fail_memory(ctx);
    *found = answer == 0;
    return HD_OK;
}
