/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX's regular expressions, called in one place: both compiling and matching allocate, and a match that ran out of
 * memory must not pass as "does not match". The C library has paths on which it does just that; errno tells. */
#include "base/expression.h"
#include "base/status.h"

#include <errno.h>
#include <string.h>

hd_status hd_expression(struct hd_ctx *ctx, const char *param, const char *text, const char *expected, regex_t *re)
{
    if (strlen(text) > HD_MAX_EXPRESSION)
        return hd_fail(ctx, HD_INPUT, "%s: '%.60s...': expected %s of at most %d bytes", param, text, expected,
                       HD_MAX_EXPRESSION);
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
