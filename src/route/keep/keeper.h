/* SPDX-License-Identifier: BSD-2-Clause */
/* A table that changes little: the state that its repair (keep_repair.c) and its improvement (keep_improve.c) share. A
 * row is a destination's entries, number d * nvar + x; "lane" is short for VL. */
#ifndef HD_ROUTE_KEEP_KEEPER_H
#define HD_ROUTE_KEEP_KEEPER_H

#include "route/keep/keep_tree.h"

struct hd_keeper {
    const struct hd_routes *was; /* the old table on this network, with holes */
    const struct hd_routes *fresh;
    struct hd_routes *r;   /* the new one */
    struct hd_routes view; /* of it, with only those leaf switches whose endpoints are sources that count */
    bool *needed;          /* [nep] destinations that count: all but aggregation nodes that nobody selected */
    size_t rows;
    struct hd_keep_turns turns;
    struct hd_keep_tree tree;
    uint8_t *lane; /* [leaf of view * rows + row] NULL: VLs stay as they are, or are assigned afterwards */
    bool by_dest;  /* all paths to a destination have one lane */
    bool *placed;  /* [rows] the turns of the row are in the graph */
    uint8_t *buf;  /* [nsw] room for a row of the fresh table */
    uint64_t most; /* steps that a repair may take; 0: any number */
    uint64_t done; /* those that it has taken, but for searches of its present graph */
};

static inline uint8_t *hd_keeper_row(const struct hd_keeper *k, size_t q)
{
    return k->r->table + q * k->r->net->nsw;
}
static inline const uint8_t *hd_keeper_was(const struct hd_keeper *k, size_t q)
{
    return k->was->table + q * k->r->net->nsw;
}
static inline const uint8_t *hd_keeper_fresh(const struct hd_keeper *k, size_t q)
{
    return hd_routes_row(k->fresh, (uint32_t)(q / k->r->nvar), (uint32_t)(q % k->r->nvar), k->buf);
}
/* The switch of a row's destination. */
static inline uint32_t hd_keeper_target(const struct hd_keeper *k, size_t q)
{
    return hd_leaf(k->r->net, (uint32_t)(q / k->r->nvar));
}

/* The old table with all entries that must change changed, and as few others as possible: *done. Not done if no
 * admitted paths were found by this rule within so many VLs. k is in arena, k->r belongs to the caller in any case. up
 * is that of hd_credit_levels. O(table), plus a growth per row that is affected. */
hd_status hd_keep_repair(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_keep_rule rule, const bool *up,
                         uint32_t nlanes, struct hd_keeper *k, bool *done);
/* The same for further LIDs that no pair uses, once the rows of r are repaired. */
hd_status hd_keep_further(struct hd_ctx *ctx, struct hd_routes *r);
/* Takes a row out of turns and loads, and puts it in again. */
void hd_keeper_take(struct hd_keeper *k, size_t q);
void hd_keeper_put(struct hd_keeper *k, size_t q);
/* Grows row q, which was taken out, and puts it in: from what it has, or from nothing. False: there is no admitted
 * tree, and it is still out, as it was. */
bool hd_keeper_grow(struct hd_keeper *k, size_t q, bool from_kept, const uint64_t *stay);
/* Writes the lanes into the routes. */
hd_status hd_keeper_lanes(struct hd_ctx *ctx, struct hd_keeper *k);

/* How many entries of the old table had to change: those for which there is no port, or whose path met a hole. A hole
 * that the fresh table has as well, at a switch to which no traffic comes, is none. */
hd_status hd_keep_forced(struct hd_ctx *ctx, const struct hd_routes *was, const struct hd_routes *fresh,
                         uint64_t *forced);

/* Rows are grown again, those on the most loaded links first, a block of 64 LIDs after the other, until the share of
 * random pairs is at least `enough`; *share is that of k->r before and after. */
hd_status hd_keep_improve(struct hd_ctx *ctx, struct hd_keeper *k, double enough, double *share);

#endif
