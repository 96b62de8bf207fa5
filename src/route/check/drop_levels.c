/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of service levels along one path and over all choices. The choices from which packets arrive have no cycle, and
 * the search meets a switch after those it leads to, so one pass over what it met is enough. Most switches treat all
 * their ports alike: there the port of arrival does not matter. */
#include "route/check/drop_levels.h"
#include "base/status.h"

static int32_t drop_even(const struct hd_drop_levels *k, uint32_t v)
{
    const uint32_t n = hd_degree(k->r->net, v);
    int32_t even = HD_ALL_LEVELS;
    bool first = true;
    for (uint32_t i = 0; i < n * n; i++) {
        if (i / n == i % n) continue; /* no packet takes this turn */
        const int32_t passes = k->passes[*hd_sl2vl_at(k->r->sl2vl, v, i / n, i % n)];
        if (!first && passes != even) return -1;
        even = passes;
        first = false;
    }
    return even;
}

hd_status hd_drop_levels_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_routes *r, bool known,
                              struct hd_drop_levels *k)
{
    *k = (struct hd_drop_levels){.r = r};
    if (!r->sl2vl || (r->lane_rule != HD_LANE_HOP && r->lane_rule != HD_LANE_UNKNOWN)) return HD_OK;
    const uint16_t *passes = hd_sl2vl_passes(arena, r->sl2vl);
    uint32_t dropped = 0;
    k->even = HD_NEW(arena, int32_t, r->net->nsw);
    if (!passes || !k->even) return hd_fail_memory(ctx);
    for (uint32_t i = 1; i <= r->sl2vl->nmap; i++) dropped |= HD_ALL_LEVELS & ~(uint32_t)passes[i];
    if (known ? !dropped : dropped != HD_ALL_LEVELS) return HD_OK;
    k->passes = passes;
    for (uint32_t v = 0; v < r->net->nsw; v++) k->even[v] = drop_even(k, v);
    return HD_OK;
}

struct hd_drop_path hd_drop_follow(const struct hd_drop_levels *k, const uint8_t *row, uint32_t v, uint32_t target)
{
    const struct hd_net *net = k->r->net;
    struct hd_drop_path path = {.levels = HD_ALL_LEVELS};
    uint32_t in = UINT32_MAX, n = 0;
    while (v < net->nsw) {
        const uint32_t out = net->off[v] + row[v];
        if (out >= net->off[v + 1] || n++ > net->nsw) return path;
        if (in != UINT32_MAX) path.levels &= hd_drop_turn(k, in, out);
        in = out;
        v = net->head[out];
    }
    if (v == target) path.hops = n;
    return path;
}

/* Levels that arrive whatever of these ports is chosen. in: where packets come from, UINT32_MAX: not counting this
 * switch itself. */
static uint32_t drop_all_of(const struct hd_drop_levels *k, const struct hd_choice_walk *w, const uint16_t *levels,
                            uint32_t v, uint32_t in, struct hd_port_set left)
{
    const struct hd_net *net = k->r->net;
    uint32_t all = HD_ALL_LEVELS;
    for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
        const uint32_t out = net->off[v] + slot;
        if (net->head[out] != w->target) all &= levels[out];
        if (in != UINT32_MAX) all &= hd_drop_turn(k, in, out);
    }
    return all;
}

void hd_drop_choices(const struct hd_drop_levels *k, const struct hd_choice_walk *w, uint16_t *levels)
{
    const struct hd_net *net = k->r->net;
    for (uint32_t i = 0; i < w->nseen; i++) {
        const uint32_t v = w->seen[i];
        const int32_t even = k->even[v];
        if (w->state[v] != HD_CHOICE_GOOD) continue;
        const struct hd_port_set ports = hd_choices(w->r, w->row, w->of, v);
        const uint32_t behind = even < 0 ? 0 : (uint32_t)even & drop_all_of(k, w, levels, v, UINT32_MAX, ports);
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            const uint32_t in = net->rev[c];
            levels[in] = (uint16_t)(even < 0 ? drop_all_of(k, w, levels, v, in, ports) : behind);
        }
    }
}
