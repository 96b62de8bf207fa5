/* SPDX-License-Identifier: BSD-2-Clause */
/* VLs of tables whose file does not contain them: service levels from a PSL file (ibdmchk's), which maps (adapter,
 * destination LID) to a level, and OpenSM's opensm-sl2vl.dump, which maps levels to VLs at every pair of ports of every
 * switch.
 *     0x0002c90100000000 7 2                                  adapter, LID in decimal, service level
 *     Switch 0x0002c90000100000, base LID 2, "L1-0000"        per node; then one line per in and out port
 *     1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
 * or, as ibdiagnet writes ibdiagnet2.slvl, with the GUID of the switch in every line and a digit per level:
 *     0x0002c90000100000 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67
 * Tables of adapters count by what they drop (adapter_drops.h).
 * Levels are kept by leaf switch if its sources agree, otherwise by pair. If a level has the same VL at all ports it is
 * translated at once, and table and level stay beside the VL; otherwise VLs change by hop. */
#ifndef HD_ROUTE_IO_FMT_SERVICE_LEVELS_H
#define HD_ROUTE_IO_FMT_SERVICE_LEVELS_H

#include "base/input.h"
#include "heddle/route.h"
#include "route/core/sl2vl.h"

/* Sets the VLs of r from either or both inputs (NULL: not given). Without service levels VLs are unknown, unless all
 * levels use one VL; without a dump a level is its VL. Pairs without a level and ports without a table make VLs
 * unknown, which is noted; the other levels are kept, and what VL 15 drops at the other ports. */
hd_status hd_sl_read(struct hd_ctx *ctx, struct hd_routes *r, struct hd_in *psl, struct hd_in *sl2vl);

/* VLs of tables from a folder or an archive of ibdiagnet: ibdiagnet2.slvl and ibdiagnet2.vl2vl, if they are there and
 * the tables do not say more. Which levels pairs use is not in the folder: the check proves what holds for all. */
hd_status hd_sl_read_bundle(struct hd_ctx *ctx, const char *path, struct hd_routes *r);

/* Turns the service levels of r into VLs: translated if a level has one VL everywhere (hops is NULL: VL = level),
 * beside which the levels are kept, otherwise by hop, and also where VL 15 drops packets. hops must belong to the
 * routes. */
hd_status hd_sl_settle(struct hd_ctx *ctx, struct hd_routes *r, struct hd_sl2vl *hops);

#endif
