/* SPDX-License-Identifier: BSD-2-Clause */
/* A quick estimate of the bandwidth routes give to random pairs, for engines that choose between routes. */
#ifndef HD_LOAD_SHARE_ESTIMATE_H
#define HD_LOAD_SHARE_ESTIMATE_H

#include "load/demand.h"
#include "heddle/route.h"

/* Mean over samples of random perfect matchings, or of pairs a demand has active together (NULL: none), of the mean
 * share 1 / (largest load on the pair's path); one variant, stored rows. A sample is the same for all routes of
 * a network, so that two can be compared on few. Exact integer sums: the same on any number of threads. */
hd_status hd_share_estimate(struct hd_ctx *ctx, const struct hd_routes *r, const struct hd_demand *demand,
                            uint32_t samples, double *share);

/* As many samples as suffice to compare two routes of the network. */
uint32_t hd_share_samples(const struct hd_net *net);

#endif
