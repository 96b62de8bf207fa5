/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes of tables whose file does not tell them: service levels from a PSL file (ibdmchk's), which maps
 * (adapter, destination LID) to a level, and OpenSM's opensm-sl2vl.dump, which maps levels to lanes at
 * every pair of ports of every switch.
 *     0x0002c90100000000 7 2                                  adapter, LID in decimal, service level
 *     Switch 0x0002c90000100000, base LID 2, "L1-0000"        per node; then a line for each in and out port
 *     1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
 * We know one lane a pair: where a level changes its lane on the way lanes stay unknown, which is noted. */
#ifndef HD_ROUTE_FMT_SL_H
#define HD_ROUTE_FMT_SL_H

#include "base/input.h"
#include "route/routes.h"

/* Sets the lanes of r from either or both inputs (NULL: not given). Without service levels lanes are
 * unknown, unless all levels use one lane; without a dump a level is its lane. HD_INPUT when pairs of one
 * leaf switch towards one LID use different levels. */
hd_status hd_sl_read(struct hd_ctx *ctx, struct hd_routes *r, struct hd_in *psl, struct hd_in *sl2vl);

#endif
