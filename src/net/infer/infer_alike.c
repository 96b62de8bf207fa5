/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels by likeness, for trees that distances from hosts misread: a spare leaf without hosts would be a root, a spine
 * with a host, or with a stray cable from a leaf, would be a leaf.
 *
 * Switches of one level have the same neighbours: the leaves of a group share its line ASICs, the spines of a
 * director all lines of that director. So each switch is compared with all that share a neighbour with it, by the
 * squared share of common neighbours, (common / larger degree)^2; the levels of those that are most alike are votes.
 * Where leaves and spines have the same neighbours (one director, one group) the ports decide: cables in adjacent
 * ports of a switch lead to the same side. A switch moves if the vote is clear, its neighbours' ports do not
 * contradict, and hardly any cable contradicts its new level, or far fewer than contradict the one it has; then two
 * voters are enough, since a small director that lost a spine may have no more. What lies behind a switch that moves
 * down (the leaves of a group without hosts) moves with it. All this is kept only if nearly all cables connect
 * adjacent levels in the end.
 * Cost: O(sum of squared degrees) a round, a few rounds. */
#include "base/status.h"
#include "net/infer/infer.h"

#include <string.h>

enum {
    ALIKE_ROUNDS = 8,
    ALIKE_LEVELS = 64,
    ALIKE_LEAST = 205 /* of 1024: the smallest likeness that counts */,
    ALIKE_FEW = 3 /* voters */
};

struct alike {
    const struct hd_net *net;
    const struct hd_fabric *g;
    uint32_t *of;     /* [n] levels */
    uint32_t *next;   /* [n] those of the next round, 0: as before */
    uint32_t *common; /* [n] neighbours shared with the current switch; zero between switches */
    uint32_t *met;    /* [n] switches that share one */
};

static uint32_t alike_degree(const struct alike *a, uint32_t v)
{
    return a->g->off[v + 1] - a->g->off[v];
}

/* Fills met and common; returns how many. */
static uint32_t alike_meet(struct alike *a, uint32_t v)
{
    const struct hd_fabric *g = a->g;
    uint32_t n = 0;
    for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++)
        for (uint32_t u = g->to[i], k = g->off[u]; k < g->off[u + 1]; k++) {
            uint32_t x = g->to[k];
            if (x != v && !a->common[x]++) a->met[n++] = x;
        }
    return n;
}

/* The level of those most alike v: more than two thirds of at least two have it; 0: there is none. few: there are only
 * two. tied: some have that of v. */
static uint32_t alike_vote(struct alike *a, uint32_t v, bool *few, bool *tied)
{
    uint32_t n = alike_meet(a, v), votes[ALIKE_LEVELS] = {0}, all = 0, level = 0;
    uint64_t best = 0, score;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t x = a->met[i];
            uint64_t most = alike_degree(a, v) > alike_degree(a, x) ? alike_degree(a, v) : alike_degree(a, x);
            score = (uint64_t)a->common[x] * a->common[x] * 1024 / (most * most);
            if (pass == 0 && score > best) best = score;
            if (pass == 0 || score * 3 < best * 2 || a->of[x] >= ALIKE_LEVELS) continue;
            votes[a->of[x]]++;
            all++;
        }
    for (uint32_t i = 0; i < n; i++) a->common[a->met[i]] = 0;
    for (uint32_t l = 1; l < ALIKE_LEVELS; l++)
        if (votes[l] > votes[level] || !level) level = l;
    *tied = a->of[v] < ALIKE_LEVELS && votes[a->of[v]] > 0;
    *few = all < ALIKE_FEW;
    return best >= ALIKE_LEAST && all > 1 && votes[level] * 3 > all * 2 ? level : 0;
}

/* Whether the cables beside those of v, at its neighbours, do not nearly all lead to the level that v has rather than
 * to this one. */
static bool ports_agree(const struct alike *a, uint32_t v, uint32_t level)
{
    const struct hd_net *net = a->net;
    uint32_t yes = 0, no = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t u = net->head[c], back = net->rev[c];
        if (u >= net->nsw) continue;
        for (uint32_t b = back > net->off[u] ? back - 1 : back + 1; b <= back + 1 && b < net->off[u + 1]; b += 2) {
            if (net->head[b] >= net->nsw || net->head[b] == v) continue;
            yes += a->of[net->head[b]] == level;
            no += a->of[net->head[b]] == a->of[v];
        }
    }
    return no <= 3 * yes;
}

/* Cables of v that contradict a level; those to switches behind it, which move with it, do not. */
static uint32_t alike_contradictions(const struct alike *a, uint32_t v, uint32_t level)
{
    const struct hd_net *net = a->net;
    uint32_t n = 0, old = a->of[v];
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t u = net->head[c];
        if (u >= net->nsw)
            n += level != 1 && net->ca_role[net->ca[u - net->nsw]] == HD_ROLE_HOST;
        else if (a->of[u] != level + 1 && a->of[u] + 1 != level)
            n += level < 2 || level > old || a->of[u] != old + 1;
    }
    return n;
}

static bool alike_round(struct alike *a)
{
    const struct hd_fabric *g = a->g;
    bool changed = false;
    memset(a->next, 0, g->n * sizeof *a->next);
    for (uint32_t v = 0; v < g->n; v++) {
        bool few, tied;
        uint32_t level = a->of[v] ? alike_vote(a, v, &few, &tied) : 0;
        if (!level || level == a->of[v] || (tied && !ports_agree(a, v, level))) continue;
        uint32_t against = alike_contradictions(a, v, level), cables = hd_degree(a->net, v);
        uint32_t before = alike_contradictions(a, v, a->of[v]);
        bool hardly = against * 6 <= cables || (against == 1 && cables > ALIKE_FEW);
        if ((hardly && !few) || (before && against * 4 <= before)) a->next[v] = level;
    }
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t i = g->off[v]; a->next[v] > 1 && a->next[v] < a->of[v] && i < g->off[v + 1]; i++)
            if (!a->next[g->to[i]] && a->of[g->to[i]] == a->of[v] + 1) a->next[g->to[i]] = a->next[v] - 1;
    for (uint32_t v = 0; v < g->n; v++) {
        changed |= a->next[v] != 0;
        if (a->next[v]) a->of[v] = a->next[v];
    }
    return changed;
}

/* Cables between switches that are not of adjacent levels are at most 3 %. */
static bool alike_fits(const struct alike *a)
{
    const struct hd_fabric *g = a->g;
    uint64_t all = 0, off = 0;
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) {
            uint32_t l = a->of[v], m = a->of[g->to[i]];
            all += g->cables[i];
            if (!l || !m || (l != m + 1 && m != l + 1)) off += g->cables[i];
        }
    return off * 100 <= all * 3;
}

hd_status hd_levels_alike(const struct hd_inference *f, struct hd_level_map *lv)
{
    struct alike a = {.net = f->net, .g = &f->g};
    if (!HD_NEW_U32(f->arena, f->g.n, &a.of, &a.next, &a.common, &a.met)) return hd_fail_memory(f->ctx);
    memcpy(a.of, lv->of, f->g.n * sizeof *a.of);
    for (int round = 0; round < ALIKE_ROUNDS && alike_round(&a); round++) {
    }
    if (!alike_fits(&a)) return HD_OK;
    memcpy(lv->of, a.of, f->g.n * sizeof *a.of);
    hd_level_map_sort(lv, f->g.n);
    return HD_OK;
}
