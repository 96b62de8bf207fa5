/* SPDX-License-Identifier: BSD-2-Clause */
/* How far from possible a result is: bounds no routing can beat, put into the result beside its value. */
#ifndef HD_FLOW_BOUND_BOUND_H
#define HD_FLOW_BOUND_BOUND_H

#include "flow/core/eval_job.h"
#include "flow/bound/worst_permutation.h"

/* Lower bounds of the worst case (any permutation) and of the oblivious ratio (in->cuts given), for the
 * routes' network and kind of routing. cuts are the network's. */
hd_status hd_bound_worst(struct hd_ctx *ctx, const struct hd_worst_in *in, const struct hd_cuts *cuts,
                         struct hd_result *result);

struct hd_bound_in {
    const struct hd_job *job;
    const struct hd_ranks *ranks;
    const void *state; /* of the pattern */
    const struct hd_rates *rates;
};

/* Bound of the mean over the samples or stages of a pattern, by what cuts and distances let through. Leaves
 * the result alone where none is known, or some flow had no path. */
hd_status hd_bound_samples(struct hd_ctx *ctx, const struct hd_bound_in *in, struct hd_flows *flows,
                           struct hd_result *result);

/* ---- of the papers ---------------------------------------------------------------------------------- */

/* Any single-path routing on the full T(n+m,r): some permutation puts this many flows on one channel. 0 where
 * the theorem does not apply to the shape. Theorem 1 of Nienaber, Mahapatra, Yuan. */
double hd_bound_theorem1(const struct hd_shape *shape);
/* The same by counting pairs, a real number: its proof (bound_theorems.c) needs no whole division. 0 for other
 * shapes. */
double hd_bound_pairs(const struct hd_shape *shape);
/* Any single-path routing on FT(m,n), by Lemmas 10 to 12 of Yuan, Nienaber, Duan, Melhem; and by their Lemma 9
 * applied to the level that gives most. 0 for other shapes. */
double hd_bound_lemma12(const struct hd_shape *shape);
double hd_bound_lemma9(const struct hd_shape *shape);

#endif
