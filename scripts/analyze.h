/* SPDX-License-Identifier: BSD-2-Clause */
/* Included before every file that static analysis looks at: what the functions that word a failure return. Analyzers
 * see one file at a time, and would take each of them for one that may return HD_OK. */
#ifndef HD_SCRIPTS_ANALYZE_H
#define HD_SCRIPTS_ANALYZE_H

#include "heddle/extend.h"

#define hd_fail(ctx, status, ...) (hd_fail(ctx, status, __VA_ARGS__), status)
#define hd_fail_about(ctx, status, ...) (hd_fail_about(ctx, status, __VA_ARGS__), status)
#define hd_fail_na(...) (hd_fail_na(__VA_ARGS__), HD_NA)
#define hd_fail_memory(ctx) (hd_fail_memory(ctx), HD_LIMIT)

#endif
