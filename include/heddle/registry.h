/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/registry.h - everything that has a name.
 *
 * Threads. Looking up only reads the context. Add rows before a context is used by calls or copied by worker
 * threads. */
#ifndef HEDDLE_REGISTRY_H
#define HEDDLE_REGISTRY_H

#include "heddle/base.h"

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
/* Row i of a registry, built-in rows first, then added ones; NULL past the last. */
HD_API const struct hd_desc *hd_registry_at(const struct hd_ctx *ctx, enum hd_registry kind, size_t i);
HD_API const struct hd_desc *hd_registry_find(const struct hd_ctx *ctx, enum hd_registry kind, const char *name);
/* Adds a row: desc is the first member of a struct hd_engine, hd_pattern or hd_metric, and size is that of the whole
 * struct, which is copied; what it points to must outlive the context. From then on its name works wherever a built-in
 * one does. HD_USAGE if the name is taken, a member is missing that must be set, or one is set that this version does
 * not know. Not while others use ctx. */
HD_API hd_status hd_registry_add(struct hd_ctx *ctx, enum hd_registry kind, const struct hd_desc *desc, size_t size);

#ifdef __cplusplus
}
#endif
#endif
