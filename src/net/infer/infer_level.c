/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels: the distance of a switch from the nearest one that holds a host, plus one.
 *
 * A subtree of a fat tree without hosts (spare leaves, a partial machine) would so be numbered upwards
 * from where it is attached. Folding corrects that. Let C be a connected set of switches of level <= l. A
 * true parent, at level l+1, has one child in C: children of one parent are in distinct subtrees. So a
 * switch without hosts that meets two switches of level l in one C is a child, at level l-1, and what
 * hangs behind it lies deeper still; where that ends there are leaves, which are added to the sources,
 * and levels are found again. Each round has new sources; a tree of h levels takes at most h rounds.
 * A dead end with one cable left may be a spine or an empty leaf: where that port leads up from other switches,
 * it is a spine.
 * Cost: O(cables) a round. */
#include "net/infer/infer.h"
#include "base/status.h"

#include <string.h>

enum { MAX_ROUNDS = 64 };

struct level_finder {
    const struct hd_net *net;
    const struct hd_fabric *g;
    struct hd_level_map *lv;
    uint32_t *start;             /* [n] level given, 0: none */
    uint32_t *queue;             /* [n] */
    uint32_t *set;               /* [n] disjoint sets: subtrees */
    uint32_t *met;               /* [n] by subtree: last switch that met it, plus one */
    bool *behind;                /* [n] in an empty subtree of this round */
    uint32_t *depth;             /* [n] levels that lie behind a switch, away from hosts */
    uint32_t *children;          /* [n] neighbours one level below */
    uint32_t up[256], down[256]; /* by port: of how many switches of a level it leads there */
    enum hd_level_fold fold;
};

/* ---- distance ------------------------------------------------------------------------------ */

/* A host makes a leaf. Where there is none, any endpoint does. */
static void find_leaves(const struct hd_net *net, uint32_t *start)
{
    bool hosts = false;
    for (uint32_t e = 0; e < net->nep && !hosts; e++) hosts = net->ca_role[net->ca[e]] == HD_ROLE_HOST;
    for (uint32_t e = 0; e < net->nep; e++)
        if (!hosts || net->ca_role[net->ca[e]] == HD_ROLE_HOST) start[hd_leaf(net, e)] = 1;
}

void hd_level_map_sort(struct hd_level_map *lv, uint32_t n)
{
    memset(lv->first, 0, (n + 3) * sizeof *lv->first);
    lv->top = 0;
    for (uint32_t v = 0; v < n; v++) {
        lv->first[lv->of[v]]++;
        if (lv->of[v] > lv->top) lv->top = lv->of[v];
    }
    for (uint32_t l = 0, at = 0; l <= lv->top + 1; l++) {
        uint32_t count = lv->first[l];
        lv->first[l] = at;
        at += count;
    }
    for (uint32_t v = 0; v < n; v++) lv->order[lv->first[lv->of[v]]++] = v;
    for (uint32_t l = lv->top + 1; l > 0; l--) lv->first[l] = lv->first[l - 1];
    lv->first[0] = 0;
}

/* Breadth first from all sources, level by level; a source that starts higher is added at its level. */
static void levels_spread(struct level_finder *f)
{
    const struct hd_fabric *g = f->g;
    uint32_t *of = f->lv->of, *waiting = f->lv->order; /* sources by start, before it holds the result */
    memcpy(of, f->start, g->n * sizeof *of);
    hd_level_map_sort(f->lv, g->n);
    memset(of, 0, g->n * sizeof *of);
    uint32_t head = 0, tail = 0, at = f->lv->first[1];
    for (uint32_t l = 1; head < tail || at < g->n; l++) {
        if (head == tail) l = f->start[waiting[at]];
        for (; at < g->n && f->start[waiting[at]] == l; at++) {
            if (of[waiting[at]]) continue;
            of[waiting[at]] = l;
            f->queue[tail++] = waiting[at];
        }
        for (uint32_t end = tail; head < end; head++) {
            uint32_t v = f->queue[head];
            for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++) {
                if (of[g->to[i]]) continue;
                of[g->to[i]] = l + 1;
                f->queue[tail++] = g->to[i];
            }
        }
    }
    hd_level_map_sort(f->lv, g->n);
}

/* ---- folding ------------------------------------------------------------------------------- */

static void levels_look_around(struct level_finder *f)
{
    const struct hd_fabric *g = f->g;
    memset(f->depth, 0, g->n * sizeof *f->depth);
    memset(f->children, 0, g->n * sizeof *f->children);
    for (uint32_t i = g->n; i-- > 0;) {
        uint32_t v = f->lv->order[i];
        for (uint32_t k = g->off[v]; k < g->off[v + 1]; k++) {
            uint32_t u = g->to[k];
            if (f->lv->of[u] + 1 == f->lv->of[v]) f->children[v]++;
            if (f->lv->of[u] == f->lv->of[v] + 1 && f->depth[u] >= f->depth[v]) f->depth[v] = f->depth[u] + 1;
        }
    }
}

/* Where the ports of switches of level l lead: up only to those above several of them. Others may be children. */
static void levels_count_ports(struct level_finder *f, uint32_t l)
{
    const struct hd_net *net = f->net;
    memset(f->up, 0, sizeof f->up);
    memset(f->down, 0, sizeof f->down);
    for (uint32_t i = f->lv->first[l]; i < f->lv->first[l + 1]; i++) {
        const uint32_t v = f->lv->order[i];
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            const uint32_t u = net->head[c];
            if (u >= net->nsw || f->lv->of[u] < l)
                f->down[net->port[c]]++;
            else if (f->lv->of[u] > l && f->children[u] > 1)
                f->up[net->port[c]]++;
        }
    }
}

/* Whether a port leads up, to judge by the other switches of the level: at most one in four of those for which it, or
 * else the nearest port that says anything, leads anywhere have it lead down. */
static bool levels_port_is_up(const struct level_finder *f, uint32_t port)
{
    for (uint32_t d = 0; d < 256; d++) {
        const uint32_t below = port >= d ? port - d : 0, above = port + d < 256 ? port + d : 0;
        const uint32_t up = f->up[below] + f->up[above], down = f->down[below] + f->down[above];
        if (up || down) return up > 3 * down;
    }
    return false;
}

static bool levels_leads_up(const struct level_finder *f, uint32_t v, uint32_t x)
{
    const struct hd_net *net = f->net;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->head[c] == x && levels_port_is_up(f, net->port[c])) return true;
    return false;
}

/* Whether x, of level l+1, cannot be a parent of what it meets at level l; or, eagerly, need not be: it
 * has one child, would be just deep enough for a child of that, or is a dead end, and its port contradicts neither. */
static bool is_child(struct level_finder *f, uint32_t x, uint32_t l)
{
    uint32_t children = 0, child = 0;
    for (uint32_t i = f->g->off[x]; i < f->g->off[x + 1]; i++) {
        uint32_t v = f->g->to[i];
        if (f->lv->of[v] != l) continue;
        uint32_t subtree = hd_sets_find(f->set, v);
        if (f->met[subtree] == x + 1) return true;
        f->met[subtree] = x + 1;
        child = v;
        children++;
    }
    if (f->fold != HD_LEVEL_FOLD_EAGER || children != 1) return false;
    return (f->depth[x] == l - 2 || !f->depth[x]) && !levels_leads_up(f, child, x);
}

/* queue[0] .. queue[n-1], found at level l+1, are children of level l-1: follows what is behind them
 * down to its leaves and makes those sources. */
static void levels_descend(struct level_finder *f, uint32_t n, uint32_t l)
{
    uint32_t *of = f->lv->of, head = 0, tail = n, deep = l + 1;
    for (uint32_t t = l - 1; head < tail; t--, deep++)
        for (uint32_t end = tail; head < end; head++) {
            uint32_t x = f->queue[head];
            bool ends = true;
            for (uint32_t i = f->g->off[x]; i < f->g->off[x + 1] && t > 1; i++) {
                uint32_t v = f->g->to[i];
                if (of[v] != deep + 1) continue;
                ends = false;
                if (!f->behind[v]) f->queue[tail++] = v;
                f->behind[v] = true;
            }
            if (ends) f->start[x] = t;
        }
}

/* Finds the lowest level at which something has to be folded. False: nothing is left to fold. */
static bool fold_once(struct level_finder *f)
{
    const struct hd_level_map *lv = f->lv;
    const struct hd_fabric *g = f->g;
    hd_sets_init(f->set, g->n);
    memset(f->met, 0, g->n * sizeof *f->met);
    memset(f->behind, 0, g->n * sizeof *f->behind);
    levels_look_around(f);
    for (uint32_t l = 2; l < lv->top; l++) {
        for (uint32_t i = lv->first[l]; i < lv->first[l + 1]; i++) {
            uint32_t v = lv->order[i];
            for (uint32_t k = g->off[v]; k < g->off[v + 1]; k++)
                if (lv->of[g->to[k]] == l - 1) hd_sets_join(f->set, v, g->to[k]);
        }
        uint32_t n = 0;
        if (f->fold == HD_LEVEL_FOLD_EAGER) levels_count_ports(f, l);
        for (uint32_t i = lv->first[l + 1]; i < lv->first[l + 2]; i++) {
            uint32_t x = lv->order[i];
            if (!f->start[x] && is_child(f, x, l)) f->queue[n++] = x;
        }
        if (!n) continue;
        levels_descend(f, n, l);
        return true;
    }
    return false;
}

hd_status hd_level_map_find(const struct hd_inference *in, enum hd_level_fold fold, struct hd_level_map *lv)
{
    struct hd_arena *arena = in->arena;
    const struct hd_fabric *g = &in->g;
    struct level_finder f = {.net = in->net, .g = g, .lv = lv, .fold = fold};
    lv->first = HD_NEW(arena, uint32_t, g->n + 3);
    f.behind = HD_NEW(arena, bool, g->n);
    if (!HD_NEW_U32(arena, g->n, &lv->of, &lv->order, &f.start, &f.queue, &f.set, &f.met, &f.depth, &f.children) ||
        !lv->first || !f.behind)
        return hd_fail_memory(in->ctx);
    find_leaves(in->net, f.start);
    levels_spread(&f);
    for (int round = 0; fold != HD_LEVEL_FOLD_NONE && round < MAX_ROUNDS && fold_once(&f); round++) levels_spread(&f);
    return HD_OK;
}
