/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding structure in cables: what the parts of inference hand each other. */
#ifndef HD_NET_INFER_INFER_H
#define HD_NET_INFER_INFER_H

#include "base/arena.h"
#include "heddle/net.h"
#include "net/core/disjoint_sets.h"

/* The switches alone, each neighbour once: those of v are to[off[v]] .. to[off[v+1]-1]. */
struct hd_fabric {
    uint32_t n;
    const uint32_t *off, *to;
    const uint32_t *chan;  /* first channel to that neighbour; UINT32_MAX for a cable only supposed */
    const uint8_t *cables; /* how many connect the two */
};

/* What all steps of inference work on. */
struct hd_inference {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    const struct hd_net *net;
    struct hd_fabric g;
};

/* A guess at the structure, not yet verified. */
struct hd_reading {
    struct hd_shape shape;
    uint8_t *level;    /* [nsw+nep] */
    uint16_t *coord;   /* [(nsw+nep) * shape.n] */
    char departs[512]; /* why there is no shape */
};

/* Why there is no shape: sets reading->departs (one printable line) and forgets the shape. That is a result and no
 * failure: returns HD_OK. */
hd_status hd_departs(struct hd_reading *reading, const char *fmt, ...) HD_PRINTF(2, 3);
/* "cable 'a' port 1 - 'b' port 2" */
void hd_cable_text(const struct hd_net *net, uint32_t c, char *text, size_t size);

/* As hd_net_infer, for a network without a shape that has not been handed out yet: it gets its structure itself. */
hd_status hd_infer_unpublished(struct hd_ctx *ctx, struct hd_net *net);

/* ---- switches without a place (infer_unplaced.c) -------------------------------------------- */

/* [nsw] marks those that no endpoint can be reached from; in a network without endpoints there are none. */
hd_status hd_unplaced_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, bool **unplaced,
                           uint32_t *n);
/* The network without them; the others keep their order. */
hd_status hd_unplaced_remove(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *unplaced,
                             struct hd_net **rest);
/* Makes a reading of the rest one of net. */
hd_status hd_unplaced_add(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *unplaced,
                          struct hd_reading *reading);

/* ---- levels (infer_level.c) ---------------------------------------------------------------- */

struct hd_level_map {
    uint32_t top;    /* highest level */
    uint32_t *of;    /* [n] from 1; 0: no host in reach */
    uint32_t *order; /* switches of level l, by number: order[first[l]] .. order[first[l+1]-1] */
    uint32_t *first; /* [top+2] */
};

/* Which switches without hosts are taken for part of an empty subtree, and not for a parent. FORCED: those
 * that cannot be parents, two of their children being in one subtree. EAGER: also those with one child. */
enum hd_level_fold { HD_LEVEL_FOLD_NONE, HD_LEVEL_FOLD_FORCED, HD_LEVEL_FOLD_EAGER };

hd_status hd_level_map_find(const struct hd_inference *f, enum hd_level_fold fold, struct hd_level_map *levels);

/* Fills order, first and top from of. */
void hd_level_map_sort(struct hd_level_map *levels, uint32_t n);
/* Moves switches to the level of those that have the same neighbours (infer_alike.c). Levels: unfolded. */
hd_status hd_levels_alike(const struct hd_inference *f, struct hd_level_map *levels);

/* A channel of the first cable that seems out of place in a tree, UINT32_MAX: none does. Levels: unfolded. */
hd_status hd_odd_cable(const struct hd_inference *f, const struct hd_level_map *levels, uint32_t *cable);

/* ---- shapes -------------------------------------------------------------------------------- */

/* Each sets shape and coord of reading, or its departs; a network without that structure is no error. */
hd_status hd_infer_tree(const struct hd_inference *f, const struct hd_level_map *levels, struct hd_reading *reading);
hd_status hd_infer_grid(const struct hd_inference *f, struct hd_reading *reading);

/* A torus, mesh or hypercube with faults, by its ports (infer_port_grid.c). */
hd_status hd_infer_port_grid(const struct hd_inference *f, struct hd_reading *reading);
/* A HyperX with faults, by its ports (infer_port_hyperx.c). */
hd_status hd_infer_port_hyperx(const struct hd_inference *f, struct hd_reading *reading);

/* f->g with the cables that a damaged grid seems to have lost (infer_lost_cables.c); strict first. */
enum hd_lost_rule { HD_LOST_CORNERS, HD_LOST_PATHS, HD_LOST_ANY };
hd_status hd_infer_lost_cables(const struct hd_inference *f, enum hd_lost_rule how, struct hd_fabric *whole,
                               bool *changed);

/* Whether reading fits every cable of the network, and nearly all cables it promises are there: sets
 * shape.missing, or departs. */
hd_status hd_reading_verify(const struct hd_inference *f, struct hd_reading *reading);

/* Parallel cables of a level or dimension: the most that a tenth of the pairs have, unless a third of the
 * cables would be missing then, so that one cable in the wrong place does not make all others miss one.
 * pairs[k]: how many pairs are connected by k cables. At least 1. */
uint32_t hd_usual_cables(const uint32_t pairs[256]);

#endif
