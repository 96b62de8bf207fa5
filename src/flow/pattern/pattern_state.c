/* SPDX-License-Identifier: BSD-2-Clause */
/* States of the built-in patterns (pattern_state.h). O(1). */
#include "flow/pattern/pattern_state.h"
#include "base/status.h"

hd_status hd_pattern_state_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_pattern_in *in, size_t size,
                                void **state)
{
    struct hd_pattern_state *s = hd_alloc(arena, 1, size);
    if (!s) return hd_fail_memory(ctx);
    HD_TRY(hd_ranks_need(ctx, in->ranks, 2));
    s->ranks = in->ranks;
    s->max_flows = in->ranks->n;
    *state = s;
    return HD_OK;
}

uint64_t hd_pattern_stages(const void *state)
{
    return ((const struct hd_pattern_state *)state)->stages;
}

uint32_t hd_pattern_max_flows(const void *state)
{
    return ((const struct hd_pattern_state *)state)->max_flows;
}
