/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the old table for further LIDs of endpoints, which no pair uses, and for LIDs of switches beyond the base
 * LID. A row that still leads every leaf switch to the node stays. In others, switches from which it does not arrive
 * take the entries of the variant, or of the base LID, that the LID would repeat: what follows these arrives, or comes
 * to a switch from which the old entries arrive, so nothing loops. Cost O(LIDs * switches). */
#include "base/status.h"
#include "route/keep/keeper.h"
#include "route/kernel/row_walk.h"

/* all: [nsw] switches other than the node. */
static void further_repair(const struct hd_routes *r, struct hd_reach *reach, uint32_t node, const uint8_t *repeated,
                           uint32_t *all, uint8_t *row)
{
    const uint32_t nsw = r->net->nsw;
    uint32_t n = 0;
    bool cut = false;
    for (uint32_t v = 0; v < nsw; v++)
        if (v != node) all[n++] = v;
    hd_reach_begin(reach);
    hd_reach_follow(reach, row, node, all, n);
    for (uint32_t k = 0; k < r->nleaf; k++) cut |= r->leaf[k] != node && reach->hops[r->leaf[k]] >= HD_REACH_LOOP;
    for (uint32_t i = 0; cut && i < n; i++)
        if (reach->hops[all[i]] >= HD_REACH_LOOP) row[all[i]] = repeated[all[i]];
}

hd_status hd_keep_further(struct hd_ctx *ctx, struct hd_routes *r)
{
    const size_t nsw = r->net->nsw;
    struct hd_arena scratch = {0};
    struct hd_reach reach;
    uint32_t *all = HD_NEW(&scratch, uint32_t, r->net->nsw);
    hd_status s = all ? hd_reach_init(ctx, &scratch, r->net, &reach) : hd_fail_memory(ctx);
    for (uint32_t i = 0; s == HD_OK && i < r->nfurther; i++) {
        const uint32_t d = r->further_dest[i], x = (uint32_t)(r->further_lid[i] - r->lid[nsw + d]) % r->nvar;
        further_repair(r, &reach, (uint32_t)nsw + d, hd_row(r, d, x), all, r->further + i * nsw);
    }
    for (uint32_t i = 0; s == HD_OK && i < r->nmore; i++) {
        const uint32_t t = r->more_switch[i];
        further_repair(r, &reach, t, r->switch_table + t * nsw, all, r->more + i * nsw);
        r->more_own[i] = HD_OWN_GOOD;
    }
    hd_arena_release(&scratch);
    return s;
}
