/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes with a row for each LID that an endpoint has (LMC). Tables repeat variants in the LIDs beyond them, so rows do
 * and VLs with them; what switches hold for these LIDs can then take the place of a row. Endpoints with fewer LIDs than
 * others have nothing in the rest of their rows. Packets may come by any LID: every pair uses all rows.
 * Cost: O(table + VLs), times the LIDs for each variant, rows in parallel. */
#include "base/status.h"
#include "base/threads.h"
#include "route/core/routes.h"
#include "route/core/sl2vl.h"
#include "route/core/switch_rows.h"

#include <string.h>

/* n lists of VLs, for every destination one for each variant of from; NULL stays NULL. */
static hd_status by_lid_list(struct hd_ctx *ctx, const struct hd_routes *from, const uint8_t *list, size_t n,
                             struct hd_routes *to, uint8_t **out)
{
    const size_t rows = n * from->net->nep;
    if (!list) return HD_OK;
    if (!(*out = HD_NEW(&to->arena, uint8_t, rows * to->nvar))) return hd_fail_memory(ctx);
    for (size_t i = 0; i < rows; i++)
        for (uint32_t x = 0; x < to->nvar; x++) (*out)[i * to->nvar + x] = list[i * from->nvar + x % from->nvar];
    return HD_OK;
}

static hd_status by_lid_vls(struct hd_ctx *ctx, const struct hd_routes *from, struct hd_routes *to)
{
    if (from->lane_rule == HD_LANE_HOP) {
        hd_routes_vls_unknown(to);
        return HD_OK;
    }
    to->lane_rule = from->lane_rule;
    to->nlanes = from->nlanes;
    HD_TRY(by_lid_list(ctx, from, from->dest_lane, 1, to, &to->dest_lane));
    HD_TRY(by_lid_list(ctx, from, from->leaf_lane, from->nleaf, to, &to->leaf_lane));
    HD_TRY(by_lid_list(ctx, from, from->pair_lane, from->net->nep, to, &to->pair_lane));
    HD_TRY(by_lid_list(ctx, from, from->leaf_level, from->nleaf, to, &to->leaf_level));
    HD_TRY(by_lid_list(ctx, from, from->pair_level, from->net->nep, to, &to->pair_level));
    return from->sl2vl ? hd_sl2vl_copy(ctx, &to->arena, from->sl2vl, to->net, &to->sl2vl) : HD_OK;
}

static hd_status by_lid_rows(struct hd_ctx *ctx, const struct hd_routes *from, struct hd_routes *to)
{
    const struct hd_net *net = from->net;
    uint8_t *switch_rows;
    HD_TRY(hd_routes_table(ctx, to, 1u << net->lmc));
    HD_TRY(hd_routes_switch_rows(ctx, to, &switch_rows));
    HD_TRY(hd_switch_rows_fill(ctx, from, switch_rows));
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; x < 1u << net->lmc_of[d]; x++) {
            uint8_t *own = hd_row(to, d, x);
            const uint8_t *row = hd_routes_row(from, d, x % from->nvar, own);
            if (row != own) memcpy(own, row, net->nsw);
        }
    return HD_OK;
}

hd_status hd_routes_by_lid(struct hd_ctx *ctx, const struct hd_routes *r, struct hd_routes **out)
{
    struct hd_routes *to;
    HD_TRY(hd_routes_new(ctx, r->net, &to));
    const char *spec = hd_strdup(&to->arena, r->spec, strlen(r->spec));
    hd_status s = spec ? by_lid_rows(ctx, r, to) : hd_fail_memory(ctx);
    if (s == HD_OK) {
        to->spec = spec;
        to->select = to->nvar > 1 ? HD_SELECT_ALL : HD_SELECT_ONE;
        s = by_lid_vls(ctx, r, to);
    }
    return hd_routes_give(s, to, out);
}
