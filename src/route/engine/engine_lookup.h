/* SPDX-License-Identifier: BSD-2-Clause */
/* Engines by spec, and what their rows say. */
#ifndef HD_ROUTE_ENGINE_ENGINE_LOOKUP_H
#define HD_ROUTE_ENGINE_ENGINE_LOOKUP_H

#include "heddle/engine.h"
#include "route/core/routes.h"

/* The engine that a spec names; NULL: none, so it is the name of a table file. */
const struct hd_engine *hd_engine_of(const struct hd_ctx *ctx, const char *spec);
/* HD_INPUT where a text is neither an engine nor a file that exists; "-" is one. */
hd_status hd_table_exists(struct hd_ctx *ctx, const char *text);
/* Predicted steps of making this table. */
double hd_engine_cost(const struct hd_ctx *ctx, const char *spec, const struct hd_sizes *z);
/* What to try where this spec failed; NULL: nothing else. */
const char *hd_engine_fallback(const struct hd_ctx *ctx, const char *spec);

#endif
