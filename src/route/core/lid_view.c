/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes by LID: all rows are computed once, in parallel, because writers and differences look up every entry of every
 * switch. O(table + switches^2) bytes and time. */
#include "route/core/lid_view.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/switch_rows.h"

hd_status hd_lft_view_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_routes *r, struct hd_lids lids,
                           struct hd_lft_view *view)
{
    const struct hd_net *net = r->net;
    uint32_t nsw = net->nsw, nep = net->nep;
    uint8_t *rows = r->table ? r->table : HD_NEW(a, uint8_t, (size_t)nep * r->nvar * nsw);
    uint8_t *switch_rows = HD_NEW(a, uint8_t, (size_t)nsw * nsw);
    uint32_t *owner = HD_NEW(a, uint32_t, lids.last + 1u);
    if (!rows || !switch_rows || !owner) return hd_fail_memory(ctx);
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t d = 0; d < (r->table ? 0 : nep); d++)
        for (uint32_t x = 0; x < r->nvar; x++) hd_routes_row(r, d, x, rows + ((size_t)d * r->nvar + x) * nsw);
    HD_TRY(hd_switch_rows_fill(ctx, r, switch_rows));
    for (uint32_t v = 0; v < nsw + nep; v++)
        for (uint32_t i = 0; i < hd_lids_count(&lids, net, v); i++) owner[lids.base[v] + i] = v + 1;
    *view = (struct hd_lft_view){r, lids, rows, switch_rows, owner, NULL};
    if (!r->nfurther) return HD_OK;
    if (!(view->further = HD_NEW(a, uint32_t, lids.last + 1u))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < r->nfurther; i++) { /* of endpoints that have other LIDs now they say nothing */
        const uint32_t v = nsw + r->further_dest[i], lid = r->further_lid[i];
        if (r->lid[v] == lids.base[v] && lid <= lids.last && owner[lid] == v + 1) view->further[lid] = i + 1;
    }
    return HD_OK;
}
