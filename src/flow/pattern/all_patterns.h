/* SPDX-License-Identifier: BSD-2-Clause */
/* Every pattern; registry.c lists them. */
#ifndef HD_FLOW_PATTERN_ALL_PATTERNS_H
#define HD_FLOW_PATTERN_ALL_PATTERNS_H

#include "base/rng.h"
#include "flow/core/rank_map.h"

extern const struct hd_pattern hd_pattern_bisect, hd_pattern_permutation, hd_pattern_dissemination;
extern const struct hd_pattern hd_pattern_shift, hd_pattern_ring, hd_pattern_bruck, hd_pattern_rev_bruck;
extern const struct hd_pattern hd_pattern_tournament, hd_pattern_binomial, hd_pattern_recdbl, hd_pattern_rechalf;
extern const struct hd_pattern hd_pattern_recdbl_tree, hd_pattern_collective, hd_pattern_bridge, hd_pattern_alltoall;
extern const struct hd_pattern hd_pattern_uniform, hd_pattern_clustered, hd_pattern_file;
extern const struct hd_pattern hd_pattern_worst;
extern const struct hd_pattern hd_pattern_nccl_ring, hd_pattern_nccl_tree, hd_pattern_nccl_alltoall;
extern const struct hd_pattern hd_pattern_nccl_pat, hd_pattern_rail_alltoall, hd_pattern_moe;

#endif
