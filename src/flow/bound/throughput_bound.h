/* SPDX-License-Identifier: BSD-2-Clause */
/* TUB: a bound on the throughput of a network from distances alone, for its worst-case permutation. */
#ifndef HD_FLOW_BOUND_THROUGHPUT_BOUND_H
#define HD_FLOW_BOUND_THROUGHPUT_BOUND_H

#include "flow/bound/cuts.h"

/* Some permutation of the endpoints gives at least this load to some channel, whatever the routing, single
 * or multi-path. 0 where distances are not at hand (cuts->dist). */
hd_status hd_tub_load(struct hd_ctx *ctx, const struct hd_cuts *cuts, const struct hd_ranks *among, double *load);

#endif
