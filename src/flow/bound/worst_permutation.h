/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst that can happen to a routing: for each channel the largest matching of the pairs that use it,
 * and the largest of them all. Every channel's matching is bounded from above first; channels are taken by
 * decreasing bound, and the search ends when the best found is no less than the next bound. */
#ifndef HD_FLOW_BOUND_WORST_PERMUTATION_H
#define HD_FLOW_BOUND_WORST_PERMUTATION_H

#include "flow/bound/cuts.h"

struct hd_worst_in {
    const struct hd_routes *routes;
    const struct hd_ranks *among; /* who takes part */
    const struct hd_rates *rates;
    const struct hd_cuts *cuts; /* only traffic that some routing could carry with load 1, as far as these cuts
                                      tell; NULL: any permutation */
};

struct hd_worst {
    double load;         /* relative to the channel's rate; 0: no pair has a path */
    uint32_t chan;       /* that carries it (an endpoint's cable where nothing is worse) */
    uint32_t n;          /* a permutation of so many pairs that does it; 0 where rates differ and cuts are given */
    uint32_t *src, *dst; /* with room for all who take part */
    uint64_t unserved;   /* pairs without a path */
    uint32_t searched;   /* channels a matching was made for */
};

/* Arrays come from arena. O(groups * endpoints * hops) for the bounds, plus the matchings. */
hd_status hd_worst_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_worst_in *in,
                        struct hd_worst *worst);

/* Makes it a full permutation: everybody sends and receives, nobody to itself (one endpoint may be left
 * over). */
hd_status hd_worst_complete(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_ranks *among,
                            struct hd_worst *worst);

#endif
