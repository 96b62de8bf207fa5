/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbourhoods of a tree, found so that a few wrong cables change nothing.
 *
 * Connected components would do on a fabric without faults, but one cable between two of them makes them one. So two
 * lower switches are in one neighbourhood if more than half of the parents of the one with fewer are common to both:
 * with parallel cables also more than half of the cables, unless one of them has no other parents, since two switches
 * whose cables were exchanged have a parent of each other. An upper switch belongs where more than half of its cables
 * lead, and a lower one with half of its cables in each of two neighbourhoods where it fits better. A cable that
 * connects different neighbourhoods, or levels that are not adjacent, is set aside. Where these are more than a few per
 * cent, or parts of the fabric meet by them alone, it is no tree, and nothing is said.
 * Cost: O(sum over cables of the children of a switch). */
#include "base/status.h"
#include "net/cabling/wiring.h"
#include "net/core/disjoint_sets.h"

#include <string.h>

struct hood_finder {
    struct hd_wiring *w;
    uint32_t *set;      /* [nsw] disjoint sets of lower switches */
    uint32_t *parents;  /* [nsw] distinct */
    uint32_t *common;   /* [nsw] parents shared with the current switch; zero between switches */
    uint32_t *cables;   /* [nsw] to parents */
    uint32_t *together; /* [nsw] cables to shared parents that both have; zero between switches */
    uint32_t *width;    /* [nsw] cables of the current switch to a parent; zero between switches */
    uint32_t *size;     /* [nsw] members of a set, at its root */
    uint32_t *met;      /* [nsw] switches that share one */
    uint32_t *kid;      /* [nsw] cables to the current parent; zero between parents */
};

static bool hood_is_up(const struct hd_net *net, uint32_t c)
{
    uint32_t u = net->head[c];
    return u < net->nsw && net->level[u] == net->level[net->tail[c]] + 1;
}

static bool hood_is_down(const struct hd_net *net, uint32_t c)
{
    uint32_t u = net->head[c];
    return u < net->nsw && net->level[u] + 1 == net->level[net->tail[c]];
}

/* Counts what v has in common, over its parent y, with switches before it. */
static uint32_t hood_count_common(struct hood_finder *f, uint32_t v, uint32_t y, uint32_t n)
{
    const struct hd_net *net = f->w->net;
    for (uint32_t d = net->off[y]; d < net->off[y + 1]; d++) {
        uint32_t x = net->head[d];
        if (!hood_is_down(net, d) || x >= v) continue;
        if (!f->kid[x] && !f->common[x]++) f->met[n++] = x;
        f->together[x] += f->kid[x]++ < f->width[y];
    }
    for (uint32_t d = net->off[y]; d < net->off[y + 1]; d++)
        if (hood_is_down(net, d)) f->kid[net->head[d]] = 0;
    return n;
}

static bool hood_is_alike(const struct hood_finder *f, uint32_t x, uint32_t v)
{
    const uint32_t least = f->parents[x] < f->parents[v] ? f->parents[x] : f->parents[v];
    const uint32_t fewest = f->cables[x] < f->cables[v] ? f->cables[x] : f->cables[v];
    if (2 * f->common[x] <= least) return false;
    return f->common[x] == least || 2 * f->together[x] > fewest;
}

/* Joins v with the switches before it that share most of its parents. */
static void hood_join_alike(struct hood_finder *f, uint32_t v)
{
    const struct hd_net *net = f->w->net;
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        if (!hood_is_up(net, c)) continue;
        f->parents[v] += !f->width[net->head[c]]++;
        f->cables[v]++;
    }
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t y = net->head[c];
        if (!hood_is_up(net, c) || !f->width[y]) continue;
        n = hood_count_common(f, v, y, n);
        f->width[y] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = f->met[i];
        if (hood_is_alike(f, x, v)) hd_sets_join(f->set, x, v);
        f->common[x] = f->together[x] = 0;
    }
}

/* The set of lower switches that more than half of the cables of y lead to; HD_NOWHERE: there is none. A switch with
 * cables to few of them and more to its own parents is no upper one of theirs: chassis may meet by single cables. */
static uint32_t hood_of_upper(struct hood_finder *f, uint32_t y)
{
    const struct hd_net *net = f->w->net;
    uint32_t best = HD_NOWHERE, all = 0, up = 0;
    for (uint32_t c = net->off[y]; c < net->off[y + 1]; c++) {
        up += hood_is_up(net, c);
        if (!hood_is_down(net, c)) continue;
        uint32_t set = hd_sets_find(f->set, net->head[c]);
        all++;
        f->common[set]++;
        if (best == HD_NOWHERE || f->common[set] > f->common[best]) best = set;
    }
    bool clear = best != HD_NOWHERE && 2 * f->common[best] > all && (8 * all > f->size[best] || up <= 2 * all);
    for (uint32_t c = net->off[y]; c < net->off[y + 1]; c++)
        if (hood_is_down(net, c)) f->common[hd_sets_find(f->set, net->head[c])] = 0;
    return clear ? best : HD_NOWHERE;
}

/* Neighbourhoods get their numbers in order of their first lower switch. */
static hd_status hoods_number(struct hood_finder *f)
{
    struct hd_wiring *w = f->w;
    const struct hd_net *net = w->net;
    uint32_t *number = f->met;
    memset(number, 0xff, net->nsw * sizeof *number);
    for (uint32_t v = 0; v < net->nsw; v++) f->size[hd_sets_find(f->set, v)]++;
    for (uint32_t y = 0; y < net->nsw; y++) {
        w->high[y] = hood_of_upper(f, y);
        if (w->high[y] != HD_NOWHERE) number[w->high[y]] = 0;
    }
    for (uint32_t v = 0; v < net->nsw; v++)
        if (number[v] == 0) number[v] = w->nhood++;
    w->hood = HD_NEW(w->arena, struct hd_hood, (size_t)w->nhood + 1);
    if (!w->hood) return hd_fail_memory(w->ctx);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (number[v] != HD_NOWHERE) w->hood[number[v]].level = net->level[v];
    for (uint32_t v = 0; v < net->nsw; v++) {
        w->low[v] = number[hd_sets_find(f->set, v)];
        if (w->high[v] != HD_NOWHERE) w->high[v] = number[w->high[v]];
        if (w->low[v] != HD_NOWHERE) w->hood[w->low[v]].nx++;
        if (w->high[v] != HD_NOWHERE) w->hood[w->high[v]].ny++;
    }
    return HD_OK;
}

/* ---- switches with half of their cables in each of two neighbourhoods ------------------------------ */

/* Cables from v to the upper switches of a neighbourhood. */
static uint32_t torn_cables(const struct hd_wiring *w, uint32_t v, uint32_t hood)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) n += hood_is_up(net, c) && w->high[net->head[c]] == hood;
    return n;
}

/* Whether a lower switch of the neighbourhood is above one of those that v is above. */
static bool torn_shares_child(const struct hd_wiring *w, uint32_t v, uint32_t hood)
{
    const struct hd_net *net = w->net;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t x = net->head[c];
        if (!hood_is_down(net, c)) continue;
        for (uint32_t d = net->off[x]; d < net->off[x + 1]; d++)
            if (hood_is_up(net, d) && w->low[net->head[d]] == hood) return true;
    }
    return false;
}

/* Cables from v to the neighbourhood in ports by which others meet the same upper switch. */
static uint32_t torn_fits(const struct hd_wiring *w, uint32_t v, uint32_t hood)
{
    const struct hd_net *net = w->net;
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
        uint32_t y = net->head[c];
        if (!hood_is_up(net, c) || w->high[y] != hood) continue;
        bool fits = false;
        for (uint32_t d = net->off[y]; d < net->off[y + 1]; d++)
            fits |= hood_is_down(net, d) && net->head[d] != v && net->port[net->rev[d]] == net->port[c];
        n += fits;
    }
    return n;
}

/* Whether v belongs to one neighbourhood rather than to another: where none of its group is, as in a tree with one
 * switch of each group in a plane; by its ports; where there are fewer lower switches. If nothing tells, either of its
 * cables may be the one that was moved, and moving either back makes the tree whole: the first one stays. */
static bool torn_is_better(const struct hd_wiring *w, uint32_t v, uint32_t hood, uint32_t than)
{
    if (than == HD_NOWHERE) return true;
    const bool a = torn_shares_child(w, v, hood), b = torn_shares_child(w, v, than);
    if (a != b) return b;
    const uint32_t fits = torn_fits(w, v, hood), others = torn_fits(w, v, than);
    return fits == others ? w->hood[hood].nx < w->hood[than].nx : fits > others;
}

/* The neighbourhood that v belongs to; HD_NOWHERE: v is not torn. */
static uint32_t torn_belongs(const struct hood_finder *f, uint32_t v)
{
    const struct hd_wiring *w = f->w;
    const struct hd_net *net = w->net;
    uint32_t best = HD_NOWHERE;
    for (uint32_t c = net->off[v]; w->low[v] == HD_NOWHERE && c < net->off[v + 1]; c++) {
        uint32_t h = hood_is_up(net, c) ? w->high[net->head[c]] : HD_NOWHERE;
        if (h == HD_NOWHERE || h == best || 2 * torn_cables(w, v, h) < f->cables[v]) continue;
        if (torn_is_better(w, v, h, best)) best = h;
    }
    return best;
}

/* Two cables that are exchanged tear two switches of two parents; more of them are no accident, and stay alone. */
static void hoods_place_torn(struct hood_finder *f)
{
    struct hd_wiring *w = f->w;
    uint32_t torn[2], n = 0;
    for (uint32_t v = 0; v < w->net->nsw; v++) {
        if (torn_belongs(f, v) == HD_NOWHERE) continue;
        if (n == 2) return;
        torn[n++] = v;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t hood = torn_belongs(f, torn[i]);
        w->low[torn[i]] = hood;
        w->hood[hood].nx++;
    }
}

static void hoods_list(struct hd_wiring *w, uint32_t *list)
{
    uint32_t nsw = w->net->nsw, *lower = list, *upper = list + nsw;
    for (uint32_t i = 0; i < w->nhood; i++) {
        struct hd_hood *h = &w->hood[i];
        h->x = lower;
        h->y = upper;
        lower += h->nx;
        upper += h->ny;
        h->nx = h->ny = 0;
    }
    for (uint32_t v = 0; v < nsw; v++) {
        struct hd_hood *l = w->low[v] == HD_NOWHERE ? NULL : &w->hood[w->low[v]];
        struct hd_hood *u = w->high[v] == HD_NOWHERE ? NULL : &w->hood[w->high[v]];
        if (l) list[(size_t)(l->x - list) + l->nx++] = v;
        if (u) list[(size_t)(u->y - list) + u->ny++] = v;
    }
}

/* Marks what is set aside; false: too much is. Four cables, those of two exchanges, may be more of a small tree. */
static bool hoods_set_aside(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    uint64_t all = 0, aside = 0;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        uint32_t v = net->tail[c], u = net->head[c];
        if (u >= net->nsw || net->rev[c] < c || net->unplaced[v]) continue;
        uint32_t x = net->level[v] < net->level[u] ? v : u, y = x == v ? u : v;
        all++;
        if (net->level[x] + 1 == net->level[y] && (w->low[x] == w->high[y] || w->high[y] == HD_NOWHERE)) {
            if (w->high[y] != HD_NOWHERE) w->hood[w->low[x]].cables++;
            continue;
        }
        w->wire[c] = w->wire[net->rev[c]] = HD_WIRE_ASIDE;
        aside++;
    }
    return all > 0 &&
           (aside * 100 <= all * 3 || (aside <= 2 && aside * 10 <= all) || (aside <= 4 && aside * 25 <= all));
}

/* What is connected by cables set aside, or over an upper switch of no neighbourhood, alone: a stub, such as a switch
 * that somebody added, keeps them. False if two parts that are trees of their own meet so: then it is no tree as a
 * whole. */
static bool hoods_keep_bridges(struct hd_wiring *w, uint32_t *set, uint32_t *uppers)
{
    const struct hd_net *net = w->net;
    hd_sets_init(set, net->nsw);
    memset(uppers, 0, net->nsw * sizeof *uppers);
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (hood_is_up(net, c) && w->wire[c] != HD_WIRE_ASIDE && w->high[net->head[c]] != HD_NOWHERE)
            hd_sets_join(set, net->tail[c], net->head[c]);
    for (uint32_t v = 0; v < net->nsw; v++) uppers[hd_sets_find(set, v)] += w->high[v] != HD_NOWHERE;
    for (uint32_t c = 0; c < net->off[net->nsw]; c++) {
        if (w->wire[c] != HD_WIRE_ASIDE) continue;
        uint32_t v = hd_sets_find(set, net->tail[c]), u = hd_sets_find(set, net->head[c]);
        if (v == u) continue;
        if (uppers[v] && uppers[u]) return false;
        w->wire[c] = HD_WIRE_BRIDGE;
    }
    return true;
}

static bool hoods_have_levels(const struct hd_net *net)
{
    uint32_t top = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (net->level[v] == 0 || net->level[v] == HD_NO_LEVEL) return false;
        if (net->level[v] > top) top = net->level[v];
    }
    return net->shape.kind != HD_SHAPE_GRID && top > 1;
}

hd_status hd_hoods_find(struct hd_wiring *w)
{
    const struct hd_net *net = w->net;
    struct hood_finder f = {.w = w};
    uint32_t *list;
    if (!hoods_have_levels(net)) return HD_OK;
    if (!HD_NEW_U32(w->arena, net->nsw, &f.set, &f.parents, &f.common, &f.cables, &f.together, &f.width) ||
        !HD_NEW_U32(w->arena, net->nsw, &f.size, &f.met, &f.kid) || !HD_NEW_U32(w->arena, 2 * (size_t)net->nsw, &list))
        return hd_fail_memory(w->ctx);
    hd_sets_init(f.set, net->nsw);
    for (uint32_t v = 0; v < net->nsw; v++) hood_join_alike(&f, v);
    HD_TRY(hoods_number(&f));
    hoods_place_torn(&f);
    hoods_list(w, list);
    w->tree = hoods_set_aside(w) && hoods_keep_bridges(w, f.set, f.common);
    return HD_OK;
}
