/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes by LID: all rows are computed once, in parallel, because writers and differences look up every entry of every
 * switch. O(table + switches^2) bytes and time. */
#include "route/core/lid_view.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/core/switch_rows.h"

#include <string.h>

/* Where the entries are of LIDs that no pair is routed by. */
static hd_status view_place(struct hd_ctx *ctx, struct hd_arena *a, struct hd_lft_view *view)
{
    const struct hd_routes *r = view->r;
    const struct hd_lids *lids = &view->lids;
    view->nmore = r->nmore ? lids->last + 1u : 0;
    if (r->nmore && !(view->more = HD_NEW(a, uint32_t, view->nmore))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < r->nmore; i++) {
        const uint32_t v = r->more_switch[i], n = hd_lft_distance(r, v, r->more_lid[i]);
        if (n < hd_lids_count(lids, r->net, v)) view->more[lids->base[v] + n] = i + 1;
    }
    if (r->nfurther && !(view->further = HD_NEW(a, uint32_t, lids->last + 1u))) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < r->nfurther; i++) {
        const uint32_t v = r->net->nsw + r->further_dest[i], n = hd_lft_distance(r, v, r->further_lid[i]);
        if (n < hd_lids_count(lids, r->net, v)) view->further[lids->base[v] + n] = i + 1;
    }
    return HD_OK;
}

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
    *view = (struct hd_lft_view){.r = r, .lids = lids, .rows = rows, .switch_rows = switch_rows, .owner = owner};
    return view_place(ctx, a, view);
}

/* Room for LIDs up to this one. */
static hd_status view_reach(struct hd_ctx *ctx, struct hd_arena *a, struct hd_lft_view *view, uint32_t last)
{
    const uint32_t had = view->lids.last + 1u;
    uint32_t *owner, *further;
    if (last < had) return HD_OK;
    if (!HD_NEW_U32(a, last + 1u, &owner, &further)) return hd_fail_memory(ctx);
    memcpy(owner, view->owner, had * sizeof *owner);
    memcpy(further, view->further, had * sizeof *further);
    view->owner = owner;
    view->further = further;
    view->lids.last = (uint16_t)last;
    return HD_OK;
}

hd_status hd_lft_view_claim(struct hd_ctx *ctx, struct hd_arena *a, struct hd_lft_view *view, uint32_t *lost)
{
    const struct hd_routes *r = view->r;
    const struct hd_lids *lids = &view->lids;
    const uint32_t nsw = r->net->nsw;
    uint32_t last = 0, left_out = 0;
    for (uint32_t i = 0; i < r->nfurther; i++) {
        const uint32_t v = nsw + r->further_dest[i];
        if (r->lid[v] == lids->base[v] && r->further_lid[i] > last) last = r->further_lid[i];
    }
    HD_TRY(view_reach(ctx, a, view, last));
    for (uint32_t i = 0; i < r->nfurther; i++) {
        const uint32_t v = nsw + r->further_dest[i], lid = r->further_lid[i];
        if (hd_lft_distance(r, v, lid) < hd_lids_count(lids, r->net, v)) continue;
        const bool kept = r->lid[v] == lids->base[v] && !view->owner[lid];
        left_out += !kept;
        if (!kept) continue;
        view->owner[lid] = v + 1;
        view->further[lid] = i + 1;
    }
    for (uint32_t i = 0; i < r->nmore; i++) {
        const uint32_t v = r->more_switch[i];
        left_out += hd_lft_distance(r, v, r->more_lid[i]) >= hd_lids_count(lids, r->net, v);
    }
    *lost = left_out;
    return HD_OK;
}
