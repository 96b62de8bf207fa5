/* SPDX-License-Identifier: BSD-2-Clause */
/* Specs: name:key=value,key=value. A list inside a value is written 4x4x4. A comma begins a new key
 * only when word= follows, so that a path may hold commas. */
#ifndef HD_BASE_SPEC_H
#define HD_BASE_SPEC_H

#include "base/arena.h"
#include "base/number.h"

/* Fill opt (desc->opt_size bytes) from "key=value,..." (may be NULL or ""): defaults first, then what
 * is given. Errors name the spec's owner, the key and what was expected. Strings live in arena. */
hd_status hd_opts_parse(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_desc *desc, const char *text,
                        void *opt);

/* The canonical spec: keys in table order; those that equal their default are left out unless they
 * are part of the shape. Fails when it does not fit. */
hd_status hd_opts_print(struct hd_ctx *ctx, const struct hd_desc *desc, const void *opt, char spec[HD_MAX_SPEC]);

struct hd_named_rows { /* a table of rows whose first member is their name */
    const void *row;
    size_t n, size;
};
/* The row with this name; NULL and a usage failure that lists all names (hd_fail_choice) if there is none. */
const void *hd_named_row(struct hd_ctx *ctx, const char *param, const char *name, const struct hd_named_rows *rows);

/* Length of the name before ':' (or the whole). */
size_t hd_spec_name(const char *spec);

#endif
