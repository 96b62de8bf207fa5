/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/registry.h - everything that has a name, and networks by name. */
#ifndef HEDDLE_REGISTRY_H
#define HEDDLE_REGISTRY_H

#include "heddle/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

enum hd_registry {
    HD_TOPOLOGIES,
    HD_ENGINES,
    HD_PATTERNS,
    HD_METRICS,
    HD_SELECTORS,
    HD_MODELS,
    HD_CHARTS,
    HD_PAPERS,
    HD_REGISTRIES
};

/* "topology", ... ; NULL past the last. */
HD_API const char *hd_registry_name(enum hd_registry kind);
/* Row i of a registry, NULL past the last. */
HD_API const struct hd_desc *hd_registry_at(enum hd_registry kind, size_t i);
HD_API const struct hd_desc *hd_registry_find(enum hd_registry kind, const char *name);

struct hd_open {
    struct hd_read read;
    struct hd_choice choice;
    const char *fail;           /* hd_net_fail, NULL: nothing fails */
    const char *guid2lid, *lmc; /* hd_net_lids, NULL: LIDs stay as they are; lmc is a number in words */
    bool repair;                /* hd_net_repair, after all else */
};

/* A network from a topology spec or a file: read or generate, infer the structure, fail, choose, repair. */
HD_API hd_status hd_net_open(struct hd_ctx *ctx, const char *text, const struct hd_open *opt, struct hd_net **net);

/* Whether a text that names no engine is a table file rather than a network file, by its first lines. */
HD_API bool hd_routes_is_table(const char *text);

/* Routes for a network from an engine spec or a table file. HD_INPUT with the reason when the engine
 * does not apply. The network must outlive them. */
HD_API hd_status hd_routes_open(struct hd_ctx *ctx, const struct hd_net *net, const char *text, struct hd_routes **r);

#ifdef __cplusplus
}
#endif
#endif
