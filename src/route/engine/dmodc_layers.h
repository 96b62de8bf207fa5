/* SPDX-License-Identifier: BSD-2-Clause */
/* D-mod-K on levels: damaged trees, director fabrics, and trees of which too much is missing for digits. */
#ifndef HD_ROUTE_ENGINE_DMODC_LAYERS_H
#define HD_ROUTE_ENGINE_DMODC_LAYERS_H

#include "route/core/routes.h"
#include "route/kernel/updown_levels.h"

/* Fills the rows of r, of one variant. number: [nep] of the endpoints. Scratch from arena. */
hd_status hd_dmodc_layers(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_levels *lv,
                          const uint64_t *number, struct hd_routes *r);

#endif
