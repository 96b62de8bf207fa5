/* SPDX-License-Identifier: BSD-2-Clause */
/* How a loader finds paths and bottlenecks: the interface between loader.c and load_tree.c, load_table.c and
 * load_walk.c. Only these include it. */
#ifndef HD_LOAD_LOAD_STRATEGY_H
#define HD_LOAD_LOAD_STRATEGY_H

#include "base/always_inline.h"
#include "load/loader.h"

/* Templates: called with sizes as constants for the usual cases, so that the compiler unrolls loops and chooses
 * instructions, and once with variables for all others. */
#define INLINE HD_ALWAYS_INLINE

/* Whole numbers of a size known when compiled. */
INLINE uint32_t hd_load_get(const void *v, uint32_t bytes, size_t i)
{
    if (bytes == 1) return ((const uint8_t *)v)[i];
    return bytes == 2 ? ((const uint16_t *)v)[i] : ((const uint32_t *)v)[i];
}

INLINE void hd_load_set(void *v, uint32_t bytes, size_t i, uint32_t to)
{
    if (bytes == 1) ((uint8_t *)v)[i] = (uint8_t)to;
    if (bytes == 2) ((uint16_t *)v)[i] = (uint16_t)to;
    if (bytes == 4) ((uint32_t *)v)[i] = to;
}

struct hd_load_strategy {
    /* Sets data and stride of the loader; leaves data NULL if the strategy cannot serve these routes or would not
     * pay. */
    hd_status (*make)(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader_in *in,
                      struct hd_loader *loader);
    /* Bottlenecks of simple flows if all channels have the same rate, 0 without a path; NULL: count along the paths. */
    void (*bottlenecks)(const struct hd_loader *loader, void *scratch, const struct hd_flows *f, uint32_t *most);
    /* A thread's memory for that many flows; NULL: needs none. */
    hd_status (*scratch)(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_loader *loader, uint32_t max_flows,
                         void **scratch);
    /* Channels between switches of n pairs, in `stride` places each: see hd_loader_path. */
    void (*paths)(const struct hd_loader *loader, const uint32_t *src, const uint32_t *dst, uint32_t n, uint32_t *chan);
};

extern const struct hd_load_strategy hd_load_tree, hd_load_table, hd_load_walk, hd_load_fluid;

struct hd_loader {
    const struct hd_routes *routes;
    const struct hd_rates *rates;
    const struct hd_load_strategy *how;
    const void *data; /* of the strategy */
    uint32_t stride;
    uint32_t nvar;
    void (*run)(struct hd_loads *l); /* for simple flows; others are walked */
};

struct hd_load_room { /* a thread's memory */
    struct hd_arena *arena;
    void *scratch; /* of the strategy */
    size_t chan;   /* places in hd_loads.chan */
    size_t used;   /* those that the last run counted */
    bool ends;     /* and whether the cables of endpoints are among them */
};

/* Makes room for that many channels in l->chan, keeping the first `used`; false, and l->failed: out of memory. */
bool hd_loads_ensure(struct hd_loads *l, size_t used, size_t want);

/* Bottlenecks of all flows, each split over the groups of adaptive routing. */
void hd_fluid_count(struct hd_loads *l);
/* Paths of all flows hop by hop into at and chan. Counting: cables of endpoints included, and loads added up. */
void hd_walk_count(struct hd_loads *l);
void hd_walk_list(struct hd_loads *l);

#endif
