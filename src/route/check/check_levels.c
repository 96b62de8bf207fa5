/* SPDX-License-Identifier: BSD-2-Clause */
/* Any service level on any pair: what ibdiagnet's folder allows to prove, which has the SL2VL tables of all switches
 * and no service levels. A packet keeps its level, and its VL follows at every switch from the ports in and out.
 * Towards each destination and for each level, places (a channel in a VL) are searched from the hosts on, over all
 * ports that groups allow, and once more over the static ports alone, which packets without adaptive routing take;
 * each place depends on those that may follow it. Levels that all tables treat
 * alike are searched once. No cycle is a proof for every use of service levels. A cycle is none of the contrary, since
 * it may need levels that nobody uses. Cost: O(destinations * different levels * places * ports), only where one VL
 * has a cycle. */
#include "route/check/check_levels.h"
#include "base/status.h"
#include "route/check/check_everyone.h"
#include "route/core/groups.h"
#include "route/core/sl2vl.h"
#include "route/kernel/channel_deps.h"

#include <string.h>

struct level_search {
    const struct hd_routes *r;
    const struct hd_net *net;
    struct hd_deps deps;
    const uint8_t *kind; /* [nep] enum hd_proof_kind */
    uint32_t lanes;
    uint32_t *seen;  /* [places] stamp of the search that has met it */
    uint32_t *queue; /* [places] */
    uint32_t stamp, n;
    bool used[HD_MAX_LANES];
};

/* Levels that differ somewhere: their number, and one of each kind. */
static uint32_t level_kinds(const struct hd_sl2vl *m, uint32_t kind[16])
{
    uint32_t n = 0;
    for (uint32_t sl = 0; sl < 16; sl++) {
        bool new = true;
        for (uint32_t k = 0; k < n && new; k++) {
            bool same = true;
            for (uint32_t i = 0; i < m->nmap; i++) same = same && m->map[i][sl] == m->map[i][kind[k]];
            new = !same;
        }
        if (new) kind[n++] = sl;
    }
    return n;
}

/* The place of channel `next` behind channel c; UINT32_MAX: a host is there, or VL 15, where packets are dropped. */
static uint32_t level_meet(struct level_search *w, uint32_t c, uint32_t next, uint32_t sl)
{
    if (w->net->head[next] >= w->net->nsw) return UINT32_MAX;
    const uint32_t lane = hd_sl2vl_lane(w->r->sl2vl, c, next, sl), place = next * w->lanes + lane;
    if (lane == HD_LANE_DROP) return UINT32_MAX;
    w->used[lane] = true;
    if (w->seen[place] != w->stamp) {
        w->seen[place] = w->stamp;
        w->queue[w->n++] = place;
    }
    return place;
}

/* All packets of one level towards one destination. */
static void level_search_row(struct level_search *w, uint32_t d, const uint8_t *row, const uint16_t *of, uint32_t sl)
{
    const struct hd_net *net = w->net;
    w->stamp++;
    w->n = 0;
    for (uint32_t s = 0; s < net->nep; s++) {
        const uint32_t in = net->off[net->nsw + s], v = net->head[in];
        if (s == d || w->kind[s] >= HD_PROOF_AGGREGATION) continue;
        struct hd_port_set left = hd_choices(w->r, row, of, v);
        for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;) level_meet(w, in, net->off[v] + slot, sl);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t c = w->queue[i] / w->lanes, lane = w->queue[i] % w->lanes, v = net->head[c];
        struct hd_port_set left = hd_choices(w->r, row, of, v);
        for (uint32_t slot; (slot = hd_set_take(&left)) != HD_SLOT_NONE;) {
            const uint32_t place = level_meet(w, c, net->off[v] + slot, sl);
            if (place != UINT32_MAX) hd_deps_add(&w->deps, c, lane, place % w->lanes * w->deps.ports + slot);
        }
    }
}

static hd_status level_search_all(struct hd_ctx *ctx, struct hd_arena *a, struct level_search *w, uint32_t *ncycle)
{
    const struct hd_net *net = w->net;
    const size_t places = (size_t)net->nchan * w->lanes;
    uint32_t kind[16] = {0}, *cycle;
    const uint32_t kinds = level_kinds(w->r->sl2vl, kind);
    uint8_t *buf = HD_NEW(a, uint8_t, net->nsw);
    if (places > UINT32_MAX) return hd_fail_memory(ctx);
    if (!buf || !HD_NEW_U32(a, places, &w->seen, &w->queue)) return hd_fail_memory(ctx);
    HD_TRY(hd_deps_init(ctx, a, net, w->lanes, true, &w->deps));
    for (uint32_t d = 0; d < net->nep; d++)
        for (uint32_t x = 0; w->kind[d] < HD_PROOF_AGGREGATION && x < w->r->nvar; x++) {
            const uint8_t *row = hd_routes_row(w->r, d, x, buf);
            for (uint32_t k = 0; k < kinds; k++) level_search_row(w, d, row, NULL, kind[k]);
            for (uint32_t k = 0; w->r->groups && k < kinds; k++)
                level_search_row(w, d, row, hd_group_row(w->r, d, x), kind[k]);
        }
    return hd_deps_cycle(ctx, a, &w->deps, 1, &cycle, ncycle);
}

/* One table everywhere, which passes some level: those packets stay in one VL, where the cycle is. */
static bool levels_alike(const struct hd_sl2vl *m)
{
    bool pass = false;
    for (uint32_t sl = 0; m->nmap == 1 && sl < 16; sl++) pass |= m->map[0][sl] != HD_LANE_DROP;
    return pass;
}

hd_status hd_check_levels(struct hd_ctx *ctx, const struct hd_routes *r, const uint8_t *kind, struct hd_check *check)
{
    const struct hd_sl2vl *m = r->sl2vl;
    struct level_search w = {.r = r, .net = r->net, .kind = kind, .lanes = 1};
    struct hd_arena a = {0};
    uint32_t ncycle;
    if (!m || r->lane_rule != HD_LANE_UNKNOWN || !check->ncycle || !hd_sl2vl_complete(m) || levels_alike(m))
        return HD_OK;
    for (uint32_t i = 0; i < m->nmap; i++)
        for (uint32_t sl = 0; sl < 16; sl++)
            if (m->map[i][sl] >= w.lanes && m->map[i][sl] != HD_LANE_DROP) w.lanes = m->map[i][sl] + 1u;
    const hd_status s = level_search_all(ctx, &a, &w, &ncycle);
    hd_arena_release(&a);
    HD_TRY(s);
    if (ncycle) return HD_OK;
    check->deadlock_free = 1;
    if (check->adaptive) check->choices.deadlock_free = 1;
    check->ncycle = 0;
    check->any_level = true;
    for (uint32_t lane = 0; lane < w.lanes; lane++)
        if (w.used[lane]) check->lanes = lane + 1;
    return HD_OK;
}
