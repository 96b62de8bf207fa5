/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/bottleneck.h"
#include "route/core/routes.h"
#include "route/kernel/tree_form.h"

hd_status hd_bottlenecks_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, uint64_t flows,
                              struct hd_bottlenecks **b)
{
    enum { WORTH = 32 }; /* walking a flow costs about as much as writing down this many paths */
    *b = NULL;
    if (r->select != HD_SELECT_ONE && r->select != HD_SELECT_SOURCE) return HD_OK;
    if (hd_tree_form_of(r)) return hd_bottlenecks_tree(ctx, arena, r, b);
    if (!r->table || flows < (uint64_t)r->nleaf * r->net->nep * r->nvar / WORTH) return HD_OK;
    return hd_bottlenecks_table(ctx, arena, r, b);
}
