/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of switches from the cables alone: without cables within a level, what is left connected is a group of a
 * Dragonfly+; on one level, two switches of a group have most of their neighbours in common, and those of different
 * groups hardly any (Kim, Dally, Scott, Abts: a group is a clique). The groups show which ports lead within groups as a
 * rule; over these alone they are found again, because a swapped cable and a cable between groups that happens to be
 * beside it look like a clique. Cost: O(switches * ports^2). */
#include "net/core/switch_groups.h"
#include "base/status.h"
#include "net/core/disjoint_sets.h"

#include <string.h>

struct groups_finder {
    const struct hd_net *net;
    uint32_t *set;  /* [nsw] disjoint sets */
    uint32_t *seen; /* [nsw] stamps */
    uint32_t *most; /* [nsw] neighbours that a switch has in common with one that it is cabled to */
    uint32_t now;
    bool *local; /* [256] ports that lead within groups */
};

static bool groups_flat(const struct hd_net *net)
{
    uint32_t first = 0;
    while (first < net->nsw && net->unplaced[first]) first++;
    for (uint32_t v = first; v < net->nsw; v++)
        if (!net->unplaced[v] && net->level[v] != net->level[first]) return false;
    return true;
}

static bool groups_is_local(const struct groups_finder *f, uint32_t c)
{
    const struct hd_net *net = f->net;
    return net->head[c] < net->nsw && f->local[net->port[c]] && f->local[net->port[net->rev[c]]];
}

static void groups_mark(struct groups_finder *f, uint32_t v)
{
    f->now++;
    for (uint32_t c = f->net->off[v]; c < f->net->off[v + 1]; c++)
        if (groups_is_local(f, c)) f->seen[f->net->head[c]] = f->now;
}

/* How many switches are next to both: those next to v are marked. */
static uint32_t groups_common(const struct groups_finder *f, uint32_t v, uint32_t u)
{
    const struct hd_net *net = f->net;
    uint32_t n = 0, last = UINT32_MAX;
    for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) {
        uint32_t w = net->head[c];
        if (groups_is_local(f, c) && w != v && w != last) n += f->seen[w] == f->now;
        last = w;
    }
    return n;
}

/* First the most neighbours that each switch has in common with one it is cabled to; then joins two that are cabled and
 * have more than half of that in common. */
static void groups_scan(struct groups_finder *f, bool join)
{
    const struct hd_net *net = f->net;
    for (uint32_t v = 0; v < net->nsw; v++) {
        groups_mark(f, v);
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            uint32_t u = net->head[c];
            if (!groups_is_local(f, c)) continue;
            uint32_t common = groups_common(f, v, u), fewer = f->most[u] < f->most[v] ? f->most[u] : f->most[v];
            if (!join && common > f->most[v]) f->most[v] = common;
            if (join && 2 * common > fewer) hd_sets_join(f->set, u, v);
        }
    }
}

/* Ports most of whose cables lead within groups. */
static void groups_learn_local(struct groups_finder *f)
{
    const struct hd_net *net = f->net;
    uint32_t within[256] = {0}, all[256] = {0};
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        if (net->head[c] >= net->nsw) continue;
        all[net->port[c]]++;
        within[net->port[c]] += hd_sets_find(f->set, net->tail[c]) == hd_sets_find(f->set, net->head[c]);
    }
    for (uint32_t p = 0; p < 256; p++) f->local[p] = 2 * within[p] > all[p];
}

/* A switch that faults left alone joins those that most of its local cables lead to. */
static void groups_join_single(struct groups_finder *f, uint32_t v)
{
    const struct hd_net *net = f->net;
    uint32_t all = 0, most = 0, best = v;
    if (hd_sets_find(f->set, v) != v) return;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!groups_is_local(f, c)) continue;
        uint32_t same = 0, set = hd_sets_find(f->set, net->head[c]);
        if (set == v) return; /* it is not alone */
        for (uint32_t d = net->off[v]; d < net->off[v + 1]; d++)
            same += groups_is_local(f, d) && hd_sets_find(f->set, net->head[d]) == set;
        all++;
        if (same > most) most = same, best = set;
    }
    if (2 * most > all) hd_sets_join(f->set, v, best);
}

/* First over all ports, then over local ones alone. */
static void groups_join_cliques(struct groups_finder *f)
{
    const uint32_t nsw = f->net->nsw;
    memset(f->local, true, 256 * sizeof *f->local);
    for (int pass = 0; pass < 2; pass++) {
        hd_sets_init(f->set, nsw);
        memset(f->most, 0, nsw * sizeof *f->most);
        groups_scan(f, false);
        groups_scan(f, true);
        if (pass == 0) groups_learn_local(f);
    }
    for (uint32_t v = 0; v < nsw; v++) groups_join_single(f, v);
}

static void groups_join_levels(const struct hd_net *net, uint32_t *sets)
{
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t u = net->tail[c], v = net->head[c];
        if (u < v && v < net->nsw && net->level[u] != net->level[v]) hd_sets_join(sets, u, v);
    }
}

/* Fewer than three groups of several switches, or many switches outside of them, are no groups. Switches that nothing
 * uses come last and say nothing. */
static void groups_number(const struct hd_net *net, uint32_t *sets, const uint32_t *order, uint32_t *number,
                          struct hd_grouped_switches *g)
{
    uint32_t n = 0, whole = 0, within = 0;
    for (int unplaced = 0; unplaced < 2; unplaced++) {
        for (uint32_t i = 0; i < net->nsw; i++) {
            uint32_t root = hd_sets_find(sets, order[i]);
            if (net->unplaced[order[i]] != unplaced) continue;
            if (!number[root]) number[root] = ++g->n;
            g->of[order[i]] = number[root] - 1;
            g->size[number[root] - 1]++;
            n += !unplaced;
        }
        if (!unplaced) g->used = g->n;
    }
    for (uint32_t k = 0; k < g->used; k++) {
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
    struct groups_finder f = {.net = net, .local = g->local};
    uint32_t *number;
    *g = (struct hd_grouped_switches){.flat = groups_flat(net)};
    if (!HD_NEW_U32(arena, net->nsw, &f.set, &f.seen, &f.most, &number, &g->of, &g->size)) return hd_fail_memory(ctx);
    hd_sets_init(f.set, net->nsw);
    if (g->flat)
        groups_join_cliques(&f);
    else
        groups_join_levels(net, f.set);
    groups_number(net, f.set, order, number, g);
    if (g->flat && g->n && !groups_are_cliques(net, g)) g->n = 0;
    return HD_OK;
}
