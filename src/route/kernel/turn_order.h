/* SPDX-License-Identifier: BSD-2-Clause */
/* An order of all links in which the turns that matter go forwards. Turns that go forwards in one order close no cycle,
 * so they may share a VL: a good order is a good choice of the turns that a VL admits. */
#ifndef HD_ROUTE_KERNEL_TURN_ORDER_H
#define HD_ROUTE_KERNEL_TURN_ORDER_H

#include "base/rng.h"
#include "route/core/switch_links.h"

/* A turn of this weight that goes forwards stays so. */
#define HD_TURN_MUST ((uint64_t)1 << 48)

/* Improves place[links], a permutation, so that the turns that go forwards weigh more: the sum of weight[turns], each
 * below 2^40 or HD_TURN_MUST. Randomised by rng. O(passes * turns log ports). */
hd_status hd_turn_order(struct hd_ctx *ctx, const struct hd_links *l, const uint64_t *weight, uint32_t passes,
                        struct hd_rng *rng, uint32_t *place);

#endif
