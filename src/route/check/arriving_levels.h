/* SPDX-License-Identifier: BSD-2-Clause */
/* Service levels with which packets arrive along a row, where switches drop those that go to VL 15. */
#ifndef HD_ROUTE_CHECK_ARRIVING_LEVELS_H
#define HD_ROUTE_CHECK_ARRIVING_LEVELS_H

#include "route/core/routes.h"
#include "route/core/sl2vl.h"

enum { HD_ALL_LEVELS = 0xffff };

struct hd_arrivals {
    const struct hd_routes *r;    /* whose SL2VL tables count */
    const uint16_t *passes;       /* [maps + 1] levels that a table does not send to VL 15; first: not known */
    const uint8_t *row;           /* the row at work, of whichever table */
    uint32_t target;              /* the node it leads to */
    struct hd_arrival_path *path; /* [nleaf] from switches with endpoints */
};

struct hd_arrival_path {
    bool followed, arrives;
    uint16_t levels; /* that arrive if they leave the switch */
};

/* Room in arena; like, if not NULL, is one of the same r, and the list of levels is shared with it. */
hd_status hd_arrivals_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r,
                           const struct hd_arrivals *like, struct hd_arrivals *a);
/* Another row towards a node. O(leaf switches). */
void hd_arrivals_begin(struct hd_arrivals *a, const uint8_t *row, uint32_t target);
/* Those of some levels with which packets of endpoint s arrive. O(hops) for the first endpoint of a switch, O(1) for
 * others. */
uint32_t hd_arrivals_of(struct hd_arrivals *a, uint32_t s, uint32_t levels);

/* Levels that pass from channel in to channel out, through the switch between them. */
static inline uint32_t hd_arrivals_pass(const struct hd_arrivals *a, uint32_t in, uint32_t out)
{
    const struct hd_sl2vl *m = a->r->sl2vl;
    if (!m) return HD_ALL_LEVELS;
    const struct hd_net *net = m->net;
    const uint32_t v = net->tail[out];
    return a->passes[*hd_sl2vl_at(m, v, net->rev[in] - net->off[v], out - net->off[v])];
}
/* The service level of a pair as a bit; all of them if it is not known. */
static inline uint32_t hd_arrivals_level(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    const uint32_t level = hd_routes_level(r, s, d, x);
    return level == HD_LEVEL_UNKNOWN ? (uint32_t)HD_ALL_LEVELS : 1u << level;
}

#endif
