/* SPDX-License-Identifier: BSD-2-Clause */
/* Every selector; registry.c lists them. */
#ifndef HD_SIM_ALL_SELECTORS_H
#define HD_SIM_ALL_SELECTORS_H

#include "sim/selector.h"

extern const struct hd_selector hd_selector_static, hd_selector_random, hd_selector_adaptive, hd_selector_probing;
extern const struct hd_selector hd_selector_ar, hd_selector_ecmp, hd_selector_spray;

#endif
