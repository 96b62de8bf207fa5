/* SPDX-License-Identifier: BSD-2-Clause */
/* What no routing can beat. A cut is a group of endpoints and the cables that lead out of it: traffic that
 * leaves the group is at most what those carry. Level 0 are single endpoints, level 1 leaf switches; on a
 * tree levels 2 and up are its larger subtrees. On an intact tree, slimmed or not, spreading every flow
 * evenly over all shortest paths loads each cable out of a subtree alike, so these cuts are met: they are
 * the optimum. Elsewhere they only bound it: further levels, not nested in the first ones, are parts that hang
 * together by little (cuts_spectral.c), and distances help: a flow needs as many channels as its shortest path has.
 * Capacities are counted in units of 1/unit of a usual endpoint cable. */
#ifndef HD_FLOW_BOUND_CUTS_H
#define HD_FLOW_BOUND_CUTS_H

#include "flow/core/rank_map.h"
#include "heddle/load.h"
#include "load/rates.h"

enum { HD_CUT_LEVELS = HD_MAX_DIM + 8 };

struct hd_cuts {
    const struct hd_net *net;
    uint32_t unit, levels; /* levels: nested groups */
    uint32_t all;          /* with the further ones */
    uint32_t ngroup[HD_CUT_LEVELS];
    uint32_t *group[HD_CUT_LEVELS]; /* [nep] */
    uint64_t *cap[HD_CUT_LEVELS];   /* [ngroup] out, and as much in */
    bool tree;                      /* levels above 1 are there */
    bool exact;                     /* the cuts are met */
    uint32_t up[HD_MAX_DIM + 1]; /* exact: load of a flow on a channel up from level l, in 1/unit; all have the same */
    bool slim;                   /* some group has less capacity than its endpoints together */
    bool even;                   /* every endpoint cable has capacity unit */
    uint64_t volume;             /* capacity of all channels between switches */
    uint8_t *dist; /* [leaf * nsw + v] hops from the switch of group `leaf` of level 1; NULL: exact, or too many */
    uint32_t *leaf_switch; /* [ngroup[1]] */
};

/* Of one channel; rounded up, so that no bound is above what it bounds. */
static inline uint64_t hd_cut_capacity(const struct hd_rates *rates, uint32_t c)
{
    uint64_t scale = rates->scale, factor = rates->factor ? rates->factor[c] : 1;
    return (scale * scale + factor - 1) / factor;
}

/* A fact of the network (net/core/facts.h): computed once and kept with it. */
hd_status hd_cuts_of(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_cuts **cuts);

/* Adds the levels of a network that is no tree. */
hd_status hd_cuts_parts(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_rates *rates, struct hd_cuts *k);

/* Room for the sums of one set of flows; one per thread. */
struct hd_cut_sums {
    uint64_t *out, *in; /* zero between uses */
};
hd_status hd_cut_sums_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_cuts *k,
                           struct hd_cut_sums *sums);

/* Load of the fullest cut: no routing carries the flows with less on every channel (relative to rates). */
double hd_cuts_load(const struct hd_cuts *k, const struct hd_cut_sums *sums, const struct hd_flows *f);
/* Largest mean share of a usual cable that the flows (all of weight 1) can get at once. */
double hd_cuts_share(const struct hd_cuts *k, const struct hd_cut_sums *sums, const struct hd_flows *f);
/* Largest mean share to be expected of so many random flows, nobody sending or receiving twice and every
 * ordered pair of the ranks equally likely. */
hd_status hd_cuts_expected(struct hd_ctx *ctx, const struct hd_cuts *k, const struct hd_ranks *ranks, double flows,
                           double *share);

#endif
