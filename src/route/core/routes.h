/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct hd_routes, for engines that write it and for kernels that read it fast. */
#ifndef HD_ROUTE_CORE_ROUTES_H
#define HD_ROUTE_CORE_ROUTES_H

#include "base/arena.h"
#include "heddle/route.h"

/* Routes that are computed when asked for instead of stored. */
struct hd_form {
    void (*row)(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *row);
    /* As hd_routes_path. */
    uint32_t (*path)(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t *chan);
};

struct hd_routes {
    const struct hd_net *net;
    const char *spec;
    uint32_t nvar;
    enum hd_select select;
    uint8_t *table; /* stored: [(d * nvar + x) * nsw + v]; NULL: form */
    const struct hd_form *form;
    void *data;             /* of the form */
    uint16_t *source_class; /* [nep] HD_SELECT_SOURCE */
    uint16_t *pair_variant; /* [s * nep + d] HD_SELECT_PAIR */
    uint8_t *switch_table;  /* [t * nsw + v] given entries towards switches; NULL: derived */

    enum hd_lane_rule lane_rule;
    uint32_t nlanes;    /* 0: unknown */
    uint8_t *dest_lane; /* [d * nvar + x] HD_LANE_DEST */
    uint8_t *leaf_lane; /* [(leaf * nep + d) * nvar + x] HD_LANE_LEAF; HD_LANE_HOP: service levels, */
    uint8_t *pair_lane; /* [(s * nep + d) * nvar + x] HD_LANE_PAIR; HD_LANE_HOP: levels where there are no leaf_lane */
    struct hd_sl2vl *sl2vl; /* HD_LANE_HOP */
    uint32_t nleaf;
    uint32_t *leaf_of; /* [nsw] number among the switches with endpoints, UINT32_MAX: none */
    uint32_t *leaf;    /* [nleaf] the switches with endpoints, increasing */
    double other_cpu;  /* CPU seconds of another program that made them, 0: none did */

    struct hd_arena arena;
};

/* Routes for net with nothing in them; stored tables are filled with HD_SLOT_NONE. */
hd_status hd_routes_make(struct hd_ctx *ctx, const struct hd_net *net, uint32_t nvar, struct hd_routes **r);
/* The same with a table that nothing has touched, for engines that write every entry: each of their threads then brings
 * in the pages it fills, and none is written twice. */
hd_status hd_routes_make_unset(struct hd_ctx *ctx, const struct hd_net *net, uint32_t nvar, struct hd_routes **r);
hd_status hd_routes_make_form(struct hd_ctx *ctx, const struct hd_net *net, uint32_t nvar, const struct hd_form *form,
                              struct hd_routes **r);
/* The same routes with every row stored: what writers and repeated walks want. */
hd_status hd_routes_store(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_routes **stored);

static inline uint8_t *hd_row(struct hd_routes *r, uint32_t d, uint32_t x)
{
    return r->table + ((size_t)d * r->nvar + x) * r->net->nsw;
}

/* ---- engines ------------------------------------------------------------------------------- */

/* What tests hold an engine to. */
enum hd_engine_claim {
    HD_CLAIM_MINIMAL = 1, /* every path is a shortest one */
    HD_CLAIM_DEADLOCK_FREE = 2,
    HD_CLAIM_COMPLETE = 4,  /* serves every pair of a connected network it applies to */
    HD_ENGINE_EXTERNAL = 8, /* no claim: runs other programs, so it is not tried on everything there is */
};

struct hd_engine {
    struct hd_desc desc;
    unsigned claims;
    /* Whether the engine can route this network; HD_INPUT and the reason when not. NULL: always. */
    hd_status (*applies)(struct hd_ctx *ctx, const struct hd_net *net, const void *opt);
    /* Only called where it applies. The routes' spec is set by the caller. */
    hd_status (*route)(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **r);
};

#endif
