/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing routes from outside src/route, one call per property, so that only this folder knows how they are stored.
 * Arrays are made by the first call and returned again by later ones: OpenSM's routes are read component by component
 * into the same routes. */
#include "route/core/routes_build.h"
#include "base/status.h"
#include "route/core/routes.h"

#include <string.h>

hd_status hd_routes_switch_rows(struct hd_ctx *ctx, struct hd_routes *r, uint8_t **rows)
{
    size_t n = (size_t)r->net->nsw * r->net->nsw;
    if (!r->switch_table) {
        r->switch_table = HD_NEW(&r->arena, uint8_t, n);
        if (!r->switch_table) return hd_fail_memory(ctx);
        memset(r->switch_table, HD_SLOT_NONE, n);
    }
    *rows = r->switch_table;
    return HD_OK;
}

hd_status hd_routes_select_by_use(struct hd_ctx *ctx, struct hd_routes *r, enum hd_use use)
{
    if (r->nvar == 1) return HD_OK;
    r->select = use == HD_USE_ALL ? HD_SELECT_ALL : HD_SELECT_SOURCE;
    if (r->select == HD_SELECT_ALL) return HD_OK;
    r->source_class = HD_NEW(&r->arena, uint16_t, r->net->nep);
    if (!r->source_class) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < r->net->nep; e++) r->source_class[e] = (uint16_t)(e % r->nvar);
    return HD_OK;
}

void hd_routes_vls_unknown(struct hd_routes *r)
{
    r->lane_rule = HD_LANE_UNKNOWN;
    r->nlanes = 0;
    r->sl2vl = NULL;
    r->leaf_level = r->pair_level = NULL;
}

hd_status hd_routes_leaf_levels(struct hd_ctx *ctx, struct hd_routes *r, uint8_t **level)
{
    if (!r->leaf_lane) r->leaf_lane = HD_NEW(&r->arena, uint8_t, (size_t)r->nleaf * r->net->nep * r->nvar);
    *level = r->leaf_lane;
    return r->leaf_lane ? HD_OK : hd_fail_memory(ctx);
}

void hd_routes_set_spec(struct hd_routes *r, const char *spec)
{
    r->spec = spec;
}

void hd_routes_set_other_cpu(struct hd_routes *r, double seconds)
{
    r->other_cpu = seconds;
}

struct hd_arena *hd_routes_arena(struct hd_routes *r)
{
    return &r->arena;
}
