/* SPDX-License-Identifier: BSD-2-Clause */
/* Every pattern; registry.c lists them. */
#ifndef HD_FLOW_PATTERNS_H
#define HD_FLOW_PATTERNS_H

#include "flow/pattern.h"

extern const struct hd_pattern hd_pattern_bisect, hd_pattern_permutation, hd_pattern_dissemination;
extern const struct hd_pattern hd_pattern_worst;

#endif
