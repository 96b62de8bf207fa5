/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a network with levels is a whole tree, though no PGFT: a director fabric, say.
 *
 * The switches of two adjacent levels that are connected form a neighbourhood, and in each of them every lower switch
 * has the same number of cables to every upper one. Every switch below the top has cables up, compute hosts are on
 * level 1, and every two leaf switches have a path up and then down. Then such paths are shortest: a path that comes
 * down to climb again is still below the same upper switches. Cost: O(channels + leaves * channels / 64). */
#include "route/kernel/levels_whole.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"
#include "route/core/switch_distance.h"
#include "route/kernel/updown_levels.h"

struct whole_check {
    const struct hd_net *net;
    uint32_t *set;    /* [2 * nsw] as lower switches, then as upper ones */
    uint32_t *uppers; /* [2 * nsw] of a neighbourhood, at its root */
    uint32_t *cables; /* [2 * nsw] of each pair there */
    uint32_t *have;   /* [nsw] cables from the current switch; zero between switches */
};

static bool whole_is_up(const struct hd_net *net, uint32_t c)
{
    return net->head[c] < net->nsw && net->level[net->head[c]] == net->level[net->tail[c]] + 1;
}

/* Neighbourhoods, and whether hosts and cables are where they belong. */
static bool whole_has_levels(struct whole_check *k)
{
    const struct hd_net *net = k->net;
    uint32_t top = 0;
    hd_sets_init(k->set, 2 * net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++) top = net->level[v] > top ? net->level[v] : top;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t up = 0;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw) {
                if (net->level[v] != 1 && net->ca_role[net->ca[u - net->nsw]] == HD_ROLE_HOST) return false;
                continue;
            }
            if (net->level[u] + 1 != net->level[v] && !whole_is_up(net, c) && !net->unplaced[v]) return false;
            if (!whole_is_up(net, c)) continue;
            up++;
            hd_sets_join(k->set, v, net->nsw + u);
        }
        if (!up && net->level[v] < top && !net->unplaced[v]) return false;
    }
    for (uint32_t u = net->nsw; u < 2 * net->nsw; u++) k->uppers[hd_sets_find(k->set, u)]++;
    return top > 1;
}

/* Whether v has the same number of cables to every upper switch of its neighbourhood as the others there have. */
static bool whole_is_even(struct whole_check *k, uint32_t v)
{
    const struct hd_net *net = k->net;
    uint32_t root = hd_sets_find(k->set, v), distinct = 0, *cables = &k->cables[root];
    bool even = true;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (whole_is_up(net, c)) distinct += !k->have[net->head[c]]++;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!whole_is_up(net, c)) continue;
        if (!*cables) *cables = k->have[net->head[c]];
        even = even && k->have[net->head[c]] == *cables;
    }
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (whole_is_up(net, c)) k->have[net->head[c]] = 0;
    return even && (!distinct || distinct == k->uppers[root]);
}

/* Whether every two leaf switches have a path up and then down. */
static hd_status whole_is_connected(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, bool *whole)
{
    struct hd_levels lv;
    uint8_t *cost = HD_NEW(scratch, uint8_t, (size_t)net->nsw * HD_LEVELS_BLOCK);
    if (!cost) return hd_fail_memory(ctx);
    HD_TRY(hd_levels_init(ctx, scratch, net, &lv));
    uint32_t last = lv.first[2];
    for (uint32_t at = lv.first[1]; at < last && *whole; at += HD_LEVELS_BLOCK) {
        uint32_t n = last - at < HD_LEVELS_BLOCK ? last - at : HD_LEVELS_BLOCK;
        hd_levels_cost(&lv, lv.by_level + at, n, cost);
        for (uint32_t k = lv.first[1]; k < last; k++)
            for (uint32_t i = 0; i < n; i++)
                *whole = *whole && (net->unplaced[lv.by_level[k]] || net->unplaced[lv.by_level[at + i]] ||
                                    cost[(size_t)lv.by_level[k] * HD_LEVELS_BLOCK + i] != HD_FAR);
    }
    return HD_OK;
}

static hd_status whole_find(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, bool *whole)
{
    struct whole_check k = {.net = net};
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] > HD_FAR / 2) return HD_OK; /* not known, or too high */
    if (!HD_NEW_U32(scratch, 2 * (size_t)net->nsw, &k.set, &k.uppers, &k.cables) ||
        !HD_NEW_U32(scratch, net->nsw, &k.have))
        return hd_fail_memory(ctx);
    *whole = whole_has_levels(&k);
    for (uint32_t v = 0; v < net->nsw && *whole; v++) *whole = whole_is_even(&k, v);
    return *whole ? whole_is_connected(ctx, scratch, net, whole) : HD_OK;
}

hd_status hd_levels_whole(struct hd_ctx *ctx, const struct hd_net *net, bool *whole)
{
    struct hd_arena scratch = {0};
    *whole = false;
    hd_status s = whole_find(ctx, &scratch, net, whole);
    hd_arena_release(&scratch);
    return s;
}
