/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of switches from the cables alone: without cables within a level, what is left connected is a group of a
 * Dragonfly+; on one level, two switches of a group have most of their neighbours in common, and those of different
 * groups hardly any (Kim, Dally, Scott, Abts: a group is a clique). Cost: O(switches * ports^2). */
#include "net/describe/switch_groups.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"

#include <stdio.h>

static bool groups_flat(const struct hd_net *net)
{
    for (uint32_t v = 1; v < net->nsw; v++)
        if (net->level[v] != net->level[0]) return false;
    return true;
}

/* How many switches are next to both: mark has v's neighbours. */
static uint32_t groups_common(const struct hd_net *net, const uint32_t *mark, uint32_t v, uint32_t u)
{
    uint32_t n = 0, last = UINT32_MAX;
    for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
        uint32_t w = net->head[c];
        if (w < net->nsw && w != v && w != last) n += mark[w] == v + 1;
        last = w;
    }
    return n;
}

/* Without sets: the most neighbours that each switch has in common with one it is cabled to. With sets: joins two that
 * are cabled and have more than half of that in common. */
static void groups_scan(const struct hd_net *net, uint32_t *mark, uint32_t *most, uint32_t *sets)
{
    for (uint32_t v = 0; v < net->nsw; v++) {
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
            if (net->head[c] < net->nsw) mark[net->head[c]] = v + 1;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (u >= net->nsw) continue;
            uint32_t common = groups_common(net, mark, v, u);
            if (!sets && common > most[v]) most[v] = common;
            uint32_t fewer = most[u] < most[v] ? most[u] : most[v];
            if (sets && 2 * common > fewer) hd_sets_join(sets, u, v);
        }
    }
}

static hd_status groups_join_cliques(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                     uint32_t *sets)
{
    uint32_t n = net->nsw, *mark, *most;
    if (!HD_NEW_U32(arena, n, &mark, &most)) return hd_fail_memory(ctx);
    groups_scan(net, mark, most, NULL);
    for (uint32_t v = 0; v < n; v++) mark[v] = 0;
    groups_scan(net, mark, most, sets);
    return HD_OK;
}

static void groups_join_levels(const struct hd_net *net, uint32_t *sets)
{
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t u = net->tail[c], v = net->head[c];
        if (u < v && v < net->nsw && net->level[u] != net->level[v]) hd_sets_join(sets, u, v);
    }
}

/* Fewer than three groups of several switches, or many switches outside of them, are no groups. */
static void groups_number(const struct hd_net *net, uint32_t *sets, const uint32_t *order, uint32_t *number,
                          struct hd_grouped_switches *g)
{
    uint32_t n = net->nsw, whole = 0, within = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t root = hd_sets_find(sets, order[i]);
        if (!number[root]) number[root] = ++g->n;
        g->of[order[i]] = number[root] - 1;
        g->size[number[root] - 1]++;
    }
    for (uint32_t k = 0; k < g->n; k++) {
        whole += g->size[k] > 1 ? g->size[k] : 0;
        within += g->size[k] > 1;
    }
    if (within < 3 || (uint64_t)whole * 5 < (uint64_t)n * 4) g->n = 0;
}

/* Whether most of the cables that flat groups would have within are there. */
static bool groups_are_cliques(const struct hd_net *net, const struct hd_grouped_switches *g)
{
    uint64_t have = 0, whole = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t last = UINT32_MAX;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            have += u < v && u != last && g->of[u] == g->of[v];
            last = u;
        }
    }
    for (uint32_t k = 0; k < g->n; k++) whole += (uint64_t)g->size[k] * (g->size[k] - 1) / 2;
    return have * 4 >= whole * 3;
}

hd_status hd_switch_groups_find(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                const uint32_t *order, struct hd_grouped_switches *g)
{
    uint32_t *sets, *number;
    *g = (struct hd_grouped_switches){.flat = groups_flat(net)};
    if (!HD_NEW_U32(arena, net->nsw, &sets, &number, &g->of, &g->size)) return hd_fail_memory(ctx);
    hd_sets_init(sets, net->nsw);
    if (g->flat)
        HD_TRY(groups_join_cliques(ctx, arena, net, sets));
    else
        groups_join_levels(net, sets);
    groups_number(net, sets, order, number, g);
    if (g->flat && g->n && !groups_are_cliques(net, g)) g->n = 0;
    return HD_OK;
}

/* ---- in words ------------------------------------------------------------------------------ */

/* Whether three quarters of the pairs of groups have a cable. */
static hd_status groups_meet(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net,
                             const struct hd_grouped_switches *g, bool *meet)
{
    enum { MOST = 4096 }; /* 16 MB */
    uint64_t pairs = 0, n = g->n;
    *meet = false;
    if (n > MOST) return HD_OK;
    uint8_t *cabled = HD_NEW(scratch, uint8_t, n * n);
    if (!cabled) return hd_fail_memory(ctx);
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->tail[c] >= net->nsw || net->head[c] >= net->nsw) continue;
        uint32_t a = g->of[net->tail[c]], b = g->of[net->head[c]];
        if (a == b || cabled[a * n + b]) continue;
        cabled[a * n + b] = 1;
        pairs++;
    }
    *meet = pairs * 4 >= n * (n - 1) * 3;
    return HD_OK;
}

hd_status hd_switch_groups_text(struct hd_ctx *ctx, struct hd_arena *scratch, const struct hd_net *net, char *text,
                                size_t size)
{
    struct hd_grouped_switches g;
    uint32_t *order = HD_NEW(scratch, uint32_t, net->nsw), least, most;
    bool meet;
    *text = 0;
    if (!order) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) order[v] = v;
    HD_TRY(hd_switch_groups_find(ctx, scratch, net, order, &g));
    if (!g.n) return HD_OK;
    HD_TRY(groups_meet(ctx, scratch, net, &g, &meet));
    least = most = g.size[0];
    for (uint32_t k = 1; k < g.n; k++) {
        if (g.size[k] < least) least = g.size[k];
        if (g.size[k] > most) most = g.size[k];
    }
    int at = snprintf(text, size, "%s%u groups of %u",
                      !meet    ? ""
                      : g.flat ? "dragonfly: "
                               : "dragonfly+: ",
                      g.n, least);
    snprintf(text + at, size - (size_t)at, least < most ? " to %u switches" : " switches", most);
    return HD_OK;
}
