/* SPDX-License-Identifier: BSD-2-Clause */
/* Every engine, one a line; registry.c lists them. */
#ifndef HD_ROUTE_ENGINES_H
#define HD_ROUTE_ENGINES_H

#include "route/routes.h"

extern const struct hd_engine hd_engine_dmodk, hd_engine_smodk;
extern const struct hd_engine hd_engine_psssp, hd_engine_p2sssp, hd_engine_dfsssp;

#endif
