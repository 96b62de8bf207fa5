/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/engine.h - routing engines of your own. An engine is a row that says how its options are written, what it is
 * for, what it promises and what it costs, and the function that routes. Added to a context with hd_registry_add, it
 * works wherever a built-in one does; examples/own_engine.c is a whole one. Everything that treats engines differently
 * asks the row, never the name.
 * Thread safety: route may be called from several threads at once, each with its own context, scratch and routes. */
#ifndef HEDDLE_ENGINE_H
#define HEDDLE_ENGINE_H

#include "heddle/extend.h"
#include "heddle/registry.h"
#include "heddle/route.h"

#ifdef __cplusplus
extern "C" {
#endif

enum hd_engine_role {
    HD_ENGINE_CANDIDATE, /* compared, and may be recommended */
    HD_ENGINE_DEFAULT,   /* a candidate too, and what a fabric runs unless it is configured: gains are relative to it */
    HD_ENGINE_BASELINE,  /* a yardstick for the others, never recommended; compared only if it is named */
    HD_ENGINE_EXTERNAL,  /* runs another program or reads a file: only if it is named */
};

/* What the property tests check. */
enum hd_engine_claim {
    HD_CLAIM_MINIMAL = 1, /* every path is a shortest one */
    HD_CLAIM_DEADLOCK_FREE = 2,
    HD_CLAIM_COMPLETE = 4, /* serves every pair of a connected network to which it applies */
};

/* What the predicted cost of an engine depends on. */
struct hd_sizes {
    double endpoints, switches, channels;
    double leaves; /* switches with endpoints */
    double hops;   /* channels of a path, on average */
};

struct hd_engine {
    struct hd_desc desc;
    enum hd_engine_role role;
    unsigned claims; /* of enum hd_engine_claim */
    /* Spec of the engine that takes over where this one fails after a loss of cables or switches. NULL: none. */
    const char *fallback;
    /* Predicted steps, a step being one table entry or one channel of one path. NULL: hd_cost_table. */
    double (*cost)(const struct hd_sizes *z);
    /* Whether the engine can route this network: HD_NA and the reason if not (hd_fail_na). NULL: always.
     * e is the row itself, so that engines with the same needs can share the function. */
    hd_status (*applies)(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt);
    /* Called only where it applies. r comes from hd_routes_new and belongs to the caller, also on failure, as does
     * scratch; the engine calls hd_routes_table, hd_routes_table_unset or hd_routes_form and fills in the rest. The
     * caller sets the spec, and refuses slots that a switch does not have (HD_INPUT). */
    hd_status (*route)(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r);
};

/* One look at every channel for every destination. */
static inline double hd_cost_table(const struct hd_sizes *z)
{
    return z->endpoints * z->channels;
}

/* The virtual lanes of one path for every leaf switch and destination. */
static inline double hd_cost_lanes(const struct hd_sizes *z)
{
    return 4 * z->endpoints * z->leaves * z->hops;
}

static inline double hd_cost_table_and_lanes(const struct hd_sizes *z)
{
    return hd_cost_table(z) + hd_cost_lanes(z);
}

/* Stored rows with nvar variants, filled with HD_SLOT_NONE. */
HD_API hd_status hd_routes_table(struct hd_ctx *ctx, struct hd_routes *r, uint32_t nvar);
/* The entries of all switches for (endpoint d, variant x), to be filled in: [nsw] slots. At the switch of d itself the
 * slot is that of the channel to d. */
HD_API uint8_t *hd_routes_entries(struct hd_routes *r, uint32_t d, uint32_t x);

#ifdef __cplusplus
}
#endif
#endif
