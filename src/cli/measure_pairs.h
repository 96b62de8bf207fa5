/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle-mpi measure: what was measured, pair by pair, as CSV and as a heat map. */
#ifndef HD_CLI_MEASURE_PAIRS_H
#define HD_CLI_MEASURE_PAIRS_H

#include "cli.h"

/* The slow channel on the path of a pair that the tables make busiest; UINT32_MAX: none explains it. */
uint32_t pair_explained_by(const struct hd_routes *r, const struct hd_measurement *m, const struct hd_measure_pair *p);
/* One row per pair and round; without tables the columns that need them are empty. */
hd_status write_pairs(struct cli *cli, const struct hd_routes *r, const struct hd_measurement *m, const char *path);
/* Rank by rank: measured over expected, or without tables over the fastest pair. */
hd_status write_heat(struct cli *cli, const struct hd_measurement *m, const char *path);
/* Bus bandwidth as nccl-tests define it, of the patterns ring and shift: bytes that a rank sends over the time of the
 * slowest pair, over all rounds. MB/s; NAN for other patterns. */
double bus_bandwidth(const char *pattern, const struct hd_measurement *m);

#endif
