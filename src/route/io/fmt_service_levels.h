/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes of tables whose file does not tell them: service levels from a PSL file (ibdmchk's), which maps
 * (adapter, destination LID) to a level, and OpenSM's opensm-sl2vl.dump, which maps levels to lanes at
 * every pair of ports of every switch.
 *     0x0002c90100000000 7 2                                  adapter, LID in decimal, service level
 *     Switch 0x0002c90000100000, base LID 2, "L1-0000"        per node; then a line for each in and out port
 *     1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
 * Levels are kept by leaf switch where its sources agree, else by pair. Where a level has one lane at all
 * ports it is translated at once, else lanes are told hop by hop. */
#ifndef HD_ROUTE_IO_FMT_SERVICE_LEVELS_H
#define HD_ROUTE_IO_FMT_SERVICE_LEVELS_H

#include "base/input.h"
#include "route/core/routes.h"
#include "route/core/sl2vl.h"

/* Sets the lanes of r from either or both inputs (NULL: not given). Without service levels lanes are
 * unknown, unless all levels use one lane; without a dump a level is its lane. Pairs without a level and ports
 * without a table make lanes unknown, which is noted. */
hd_status hd_sl_read(struct hd_ctx *ctx, struct hd_routes *r, struct hd_in *psl, struct hd_in *sl2vl);

/* The service levels in leaf_lane or pair_lane as lanes: translated where a level has one lane everywhere (hops is
 * NULL: its own), else told by hop. Lives as long as hops, which must be the routes' own. */
void hd_sl_settle(struct hd_routes *r, struct hd_sl2vl *hops);

#endif
