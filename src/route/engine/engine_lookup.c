/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions about an engine, given its spec as a user writes it. The answers are in the rows of the engines; a spec
 * that names no engine is a table file, which costs as much as an ordinary table and has nothing to fall back to. */
#include "route/engine/engine_lookup.h"
#include "base/rows.h"

#include <string.h>
#include <sys/stat.h>

const struct hd_engine *hd_engine_of(const struct hd_ctx *ctx, const char *spec)
{
    return (const struct hd_engine *)hd_spec_find(ctx, HD_ENGINES, spec);
}

hd_status hd_table_exists(struct hd_ctx *ctx, const char *text)
{
    struct stat st;
    if (hd_engine_of(ctx, text) || strcmp(text, "-") == 0 || stat(text, &st) == 0) return HD_OK;
    return hd_spec_unknown(ctx, HD_ENGINES, text);
}

double hd_engine_cost(const struct hd_ctx *ctx, const char *spec, const struct hd_sizes *z)
{
    const struct hd_engine *e = hd_engine_of(ctx, spec);
    return e && e->cost ? e->cost(z) : hd_cost_table(z);
}

const char *hd_engine_fallback(const struct hd_ctx *ctx, const char *spec)
{
    const struct hd_engine *e = hd_engine_of(ctx, spec);
    return e && e->fallback && strcmp(e->fallback, spec) != 0 ? e->fallback : NULL;
}
