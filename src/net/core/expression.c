/* SPDX-License-Identifier: BSD-2-Clause */
/* regcomp recurses into parentheses and copies what {n} repeats, so that a short text can take all of the stack or the
 * memory: length, nesting and the product of all repetitions are bounded before it sees the text. The bounds are far
 * beyond expressions for names. Cost: one pass over the text. */
#include "net/core/expression.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH = 4096, NESTING = 64, COPIES = 10000 };

/* Why an expression is not given to regcomp; NULL: it is. Characters that are escaped or in brackets are counted too:
 * that makes the bounds a little narrower, and reading them the same way as regcomp unnecessary. */
static const char *expression_fault(const char *text)
{
    uint64_t copies = 1;
    int depth = 0;
    if (strlen(text) > LENGTH) return "longer than 4096 bytes";
    for (const char *s = text; *s; s++) {
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

hd_status hd_expression_compile(struct hd_ctx *ctx, const char *owner, const char *before, const char *text, int flags,
                                regex_t *re)
{
    char words[128];
    const char *why = expression_fault(text);
    int bad = why ? 0 : regcomp(re, text, REG_EXTENDED | flags);
    if (!why && !bad) return HD_OK;
    if (bad == REG_ESPACE) return hd_fail_memory(ctx);
    if (bad) regerror(bad, re, words, sizeof words);
    return hd_fail(ctx, HD_INPUT, "%s: '%.200s': expected %sa regular expression: %s", owner, text, before,
                   why ? why : words);
}
