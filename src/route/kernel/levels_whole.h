/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees that are whole though they are no PGFT. */
#ifndef HD_ROUTE_KERNEL_LEVELS_WHOLE_H
#define HD_ROUTE_KERNEL_LEVELS_WHOLE_H

#include "heddle/net.h"

/* Whether every neighbourhood of the levels of net is complete and every two leaf switches have a path up and then
 * down. */
hd_status hd_levels_whole(struct hd_ctx *ctx, const struct hd_net *net, bool *whole);

#endif
