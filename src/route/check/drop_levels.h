/* SPDX-License-Identifier: BSD-2-Clause */
/* What VL 15 drops, by sets of service levels: a packet begins with the levels that it may have, one if it is known,
 * and every switch on its path takes away those that its SL2VL table sends to VL 15. Nothing left: whatever level it
 * has, it does not arrive. Ports whose table is not known take nothing away. */
#ifndef HD_ROUTE_CHECK_DROP_LEVELS_H
#define HD_ROUTE_CHECK_DROP_LEVELS_H

#include "route/check/choice_walk.h"
#include "route/core/sl2vl.h"

struct hd_drop_levels {
    const struct hd_routes *r;
    const uint16_t *passes; /* hd_sl2vl_passes; NULL: nothing can be cut */
    int32_t *even; /* [nsw] levels that pass from every port to every other one; -1: that depends on the ports */
};

struct hd_drop_path { /* from a switch */
    uint32_t hops;    /* channels, 0: entries do not lead to the target */
    uint32_t levels;  /* that arrive if they leave the switch */
};

/* known: whether packets have one level each; otherwise only tables that drop all levels between them cut anything. */
hd_status hd_drop_levels_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, bool known,
                              struct hd_drop_levels *k);
/* Whether the levels of some pairs are. */
static inline bool hd_drop_some_known(const struct hd_routes *r)
{
    return r->lane_rule != HD_LANE_UNKNOWN || r->leaf_level || r->pair_level;
}
/* Levels that a packet from s to d may have. */
static inline uint32_t hd_drop_pair(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x)
{
    const uint32_t level = hd_routes_level(r, s, d, x);
    return level == HD_LEVEL_UNKNOWN ? HD_ALL_LEVELS : 1u << level;
}
/* Those that get through a switch, from channel `in` to channel `out`. */
static inline uint32_t hd_drop_turn(const struct hd_drop_levels *k, uint32_t in, uint32_t out)
{
    return hd_sl2vl_pass(k->r->sl2vl, k->passes, in, out);
}
/* Along a row from switch v to a node. */
struct hd_drop_path hd_drop_follow(const struct hd_drop_levels *k, const uint8_t *row, uint32_t v, uint32_t target);
/* After a search over all choices: the levels that arrive whatever is chosen, behind each channel to a switch from
 * which packets do; levels[nchan], others are left as they are. O(channels), and O(channels * ports) at uneven
 * switches. */
void hd_drop_choices(const struct hd_drop_levels *k, const struct hd_choice_walk *w, uint16_t *levels);

#endif
