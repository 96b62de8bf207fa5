/* SPDX-License-Identifier: BSD-2-Clause */
/* Regular expressions of users: compiled and matched with every failure reported. */
#ifndef HD_BASE_EXPRESSION_H
#define HD_BASE_EXPRESSION_H

#include "base/context.h"

#include <regex.h>

/* Longest expression: regcomp recurses over parentheses, so that its stack grows with the text. */
enum { HD_MAX_EXPRESSION = 1000 };
/* Longest name that is matched: a node description has 64 bytes, a host name 255. */
enum { HD_MAX_MATCHED = 512 };

/* Extended syntax. A text that is none is HD_INPUT, worded "PARAM: 'TEXT': expected EXPECTED: reason". */
hd_status hd_expression(struct hd_ctx *ctx, const char *param, const char *text, const char *expected, regex_t *re);
/* m has n entries, filled where *found. A longer name is HD_INPUT, and never one that does not match. */
hd_status hd_expression_match(struct hd_ctx *ctx, const regex_t *re, const char *text, size_t n, regmatch_t *m,
                              bool *found);

#endif
