/* SPDX-License-Identifier: BSD-2-Clause */
/* Regular expressions that users give for names. */
#ifndef HD_NET_CORE_EXPRESSION_H
#define HD_NET_CORE_EXPRESSION_H

#include "heddle/base.h"

#include <regex.h>

/* Compiles an extended expression; HD_INPUT with what owner expected, which is "a regular expression" behind before, if
 * it is none or if its size has no bound. flags are those of regcomp beside REG_EXTENDED. */
hd_status hd_expression_compile(struct hd_ctx *ctx, const char *owner, const char *before, const char *text, int flags,
                                regex_t *re);

#endif
