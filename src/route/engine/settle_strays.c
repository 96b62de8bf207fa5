/* SPDX-License-Identifier: BSD-2-Clause */
/* Stray cables: those that contradict the structure (hd_net_cabling), and those that are swapped. Cost: O(channels),
 * and what reading the cabling costs. */
#include "route/engine/settle_strays.h"
#include "base/status.h"

static bool is_misplaced(const struct hd_cabling_fault *f)
{
    return f->kind == HD_CABLING_SWAPPED || f->kind == HD_CABLING_WRONG || f->kind == HD_CABLING_EXTRA;
}

/* Marks the cable between switches in this port, in both directions. */
static void mark_stray(const struct hd_net *net, const struct hd_plug *plug, bool *stray)
{
    if (plug->node >= net->nsw) return;
    for (uint32_t c = net->off[plug->node]; c < net->off[plug->node + 1]; c++)
        if (net->port[c] == plug->port && net->head[c] < net->nsw) stray[c] = stray[net->rev[c]] = true;
}

hd_status hd_settle_strays(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, bool **stray)
{
    const struct hd_cabling *cabling;
    bool any = false;
    HD_TRY(hd_net_cabling(ctx, net, &cabling));
    bool *mark = HD_NEW(arena, bool, (size_t)net->nchan + 1);
    if (!mark) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) mark[c] = cabling->aside[c];
    for (uint32_t i = 0; i < cabling->n; i++) {
        const struct hd_cabling_fault *f = &cabling->fault[i];
        if (!is_misplaced(f)) continue;
        mark_stray(net, &f->from, mark);
        if (f->kind == HD_CABLING_SWAPPED) mark_stray(net, &f->from2, mark);
    }
    for (uint32_t c = 0; c < net->nchan; c++) any = any || mark[c];
    *stray = any ? mark : NULL;
    return HD_OK;
}
