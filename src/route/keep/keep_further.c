/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the old table for further LIDs of endpoints, which no pair uses. A row that still leads every leaf switch
 * to the endpoint stays. In others, switches from which it does not arrive take the entries of the variant that the LID
 * would repeat: what follows these arrives, or comes to a switch from which the old entries arrive, so nothing loops.
 * Cost O(further LIDs * switches). */
#include "base/status.h"
#include "route/keep/keeper.h"
#include "route/kernel/row_walk.h"

static void further_repair(const struct hd_routes *r, struct hd_reach *reach, const uint32_t *all, uint32_t i)
{
    const uint32_t nsw = r->net->nsw, d = r->further_dest[i];
    const uint32_t x = (uint32_t)(r->further_lid[i] - r->lid[nsw + d]) % r->nvar;
    const uint8_t *variant = r->table + ((size_t)d * r->nvar + x) * nsw;
    uint8_t *row = r->further + (size_t)i * nsw;
    bool cut = false;
    hd_reach_begin(reach);
    hd_reach_follow(reach, row, nsw + d, all, nsw);
    for (uint32_t k = 0; k < r->nleaf; k++) cut |= reach->hops[r->leaf[k]] >= HD_REACH_LOOP;
    for (uint32_t v = 0; cut && v < nsw; v++)
        if (reach->hops[v] >= HD_REACH_LOOP) row[v] = variant[v];
}

hd_status hd_keep_further(struct hd_ctx *ctx, struct hd_routes *r)
{
    struct hd_arena scratch = {0};
    struct hd_reach reach;
    uint32_t *all = HD_NEW(&scratch, uint32_t, r->net->nsw);
    hd_status s = all ? hd_reach_init(ctx, &scratch, r->net, &reach) : hd_fail_memory(ctx);
    for (uint32_t v = 0; s == HD_OK && v < r->net->nsw; v++) all[v] = v;
    for (uint32_t i = 0; s == HD_OK && i < r->nfurther; i++) further_repair(r, &reach, all, i);
    hd_arena_release(&scratch);
    return s;
}
