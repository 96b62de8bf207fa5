/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts of networks that are not trees: the switches are halved where they hang together least, then the halves,
 * and so on. Any partition bounds all routings, so this may search by rules of thumb: to split a part, its
 * switches are put in a row (by the slowest mode of a random walk on the cables, and along each dimension of a
 * grid), the row is cut where capacity over crossing pairs is least, and single switches change sides as long as
 * that helps. Fiedler: Algebraic connectivity of graphs; Cheeger's inequality says how far off such a sweep can be.
 * O(DEPTH * STEPS * channels). */
#include "base/keyed.h"
#include "base/status.h"
#include "flow/bound/cuts.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 5, STEPS = 120, MOVES = 8 };

struct parts {
    const struct hd_net *net;
    const struct hd_rates *rates;
    uint32_t n;      /* parts so far */
    uint32_t *part;  /* [nsw] */
    uint32_t *hosts; /* [nsw] endpoints on a switch */
    uint8_t *side;   /* [nsw] of the part being split: 1 in, 0 out */
    uint8_t *best;   /* the best sides so far */
    double *x, *y;   /* [nsw] */
    uint32_t *row;   /* [nsw] the part's switches */
};

static bool inside(const struct parts *p, uint32_t c, uint32_t part)
{
    return p->net->head[c] < p->net->nsw && p->part[p->net->head[c]] == part;
}

/* Capacity from one side over the pairs it separates: what a good cut has little of. */
static double badness(uint64_t capacity, uint64_t hosts, uint64_t all)
{
    return hosts == 0 || hosts == all ? INFINITY : (double)capacity / ((double)hosts * (double)(all - hosts));
}

/* How much the capacity out of side 1 changes when v joins it (it is symmetric: leaves it, negated). */
static int64_t joins(const struct parts *p, uint32_t v)
{
    int64_t change = 0;
    for (uint32_t c = p->net->off[v]; c < p->net->off[v + 1]; c++) {
        if (!inside(p, c, p->part[v]) || p->net->head[c] == v) continue;
        int64_t cap = (int64_t)hd_cut_capacity(p->rates, c);
        change += p->side[p->net->head[c]] ? -cap : cap;
    }
    return change;
}

struct cut {
    uint64_t capacity, hosts;
    double value;
};

/* Cuts the row where it is best; side is set to that, the cut returned. */
static struct cut sweep(struct parts *p, uint32_t n, uint64_t all)
{
    struct cut now = {0, 0, INFINITY}, best = now;
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) p->side[p->row[i]] = 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        now.capacity += (uint64_t)joins(p, p->row[i]);
        now.hosts += p->hosts[p->row[i]];
        p->side[p->row[i]] = 1;
        now.value = badness(now.capacity, now.hosts, all);
        if (now.value < best.value) best = now, at = i + 1;
    }
    for (uint32_t i = 0; i < n; i++) p->side[p->row[i]] = i < at;
    return best;
}

/* Single switches change sides while that makes the cut better. */
static void refine(struct parts *p, uint32_t n, uint64_t all, struct cut *cut)
{
    bool moved = cut->value > 0 && isfinite(cut->value);
    for (uint32_t pass = 0; pass < MOVES && moved; pass++) {
        moved = false;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = p->row[i];
            int64_t change = joins(p, v);
            struct cut next = *cut;
            next.capacity += (uint64_t)(p->side[v] ? -change : change);
            next.hosts += p->side[v] ? -(uint64_t)p->hosts[v] : p->hosts[v];
            next.value = badness(next.capacity, next.hosts, all);
            if (next.value >= cut->value) continue;
            *cut = next;
            p->side[v] ^= 1;
            moved = true;
        }
    }
}

/* Sorts the row by x; key has room for it. */
static void sort_row(struct parts *p, uint32_t n, struct hd_scored *key)
{
    for (uint32_t i = 0; i < n; i++) key[i] = (struct hd_scored){p->x[p->row[i]], p->row[i]};
    hd_scored_sort(key, n);
    for (uint32_t i = 0; i < n; i++) p->row[i] = (uint32_t)key[i].value;
}

/* x: the slowest mode of a lazy random walk within the part, roughly. Begins from numbers that favour nothing. */
static void slowest_mode(struct parts *p, uint32_t n)
{
    const struct hd_net *net = p->net;
    for (uint32_t i = 0; i < n; i++) p->x[p->row[i]] = fmod((i + 1) * 0.6180339887498949, 1) - 0.5;
    for (uint32_t step = 0; step < STEPS; step++) {
        double mean = 0, weight = 0, norm = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = p->row[i];
            double sum = 0, degree = 0;
            for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
                if (!inside(p, c, p->part[v])) continue;
                double cap = (double)hd_cut_capacity(p->rates, c);
                sum += cap * p->x[net->head[c]];
                degree += cap;
            }
            p->y[v] = degree > 0 ? (p->x[v] + sum / degree) / 2 : p->x[v];
            mean += degree * p->y[v];
            weight += degree;
        }
        mean = weight > 0 ? mean / weight : 0;
        for (uint32_t i = 0; i < n; i++) norm = fmax(norm, fabs(p->y[p->row[i]] - mean));
        for (uint32_t i = 0; i < n; i++) p->x[p->row[i]] = norm > 0 ? (p->y[p->row[i]] - mean) / norm : 0;
    }
}

static void keep_better(struct parts *p, uint32_t n, uint64_t all, double *value)
{
    struct cut cut = sweep(p, n, all);
    refine(p, n, all, &cut);
    if (!(cut.value < *value)) return;
    *value = cut.value;
    for (uint32_t i = 0; i < n; i++) p->best[p->row[i]] = p->side[p->row[i]];
}

/* Splits one part in two that both have endpoints; false when it cannot. */
static bool cuts_spectral_split(struct parts *p, uint32_t part, struct hd_scored *key)
{
    const struct hd_net *net = p->net;
    uint32_t n = 0;
    uint64_t all = 0;
    double value = INFINITY;
    for (uint32_t v = 0; v < net->nsw; v++) {
        if (p->part[v] != part) continue;
        p->row[n++] = v;
        all += p->hosts[v];
    }
    slowest_mode(p, n);
    sort_row(p, n, key);
    keep_better(p, n, all, &value);
    for (uint32_t i = 0; net->shape.kind == HD_SHAPE_GRID && i < net->shape.n; i++) {
        for (uint32_t j = 0; j < n; j++) p->x[p->row[j]] = hd_coord(net, p->row[j])[i];
        sort_row(p, n, key);
        keep_better(p, n, all, &value);
    }
    if (!isfinite(value)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (p->best[p->row[i]]) p->part[p->row[i]] = p->n;
    p->n++;
    return true;
}

static hd_status cuts_spectral_add_level(struct hd_ctx *ctx, struct hd_arena *arena, const struct parts *p,
                                         struct hd_cuts *k)
{
    const struct hd_net *net = p->net;
    uint32_t l = k->all, *group = HD_NEW(arena, uint32_t, net->nep);
    uint64_t *cap = HD_NEW(arena, uint64_t, p->n);
    if (!group || !cap) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) group[e] = p->part[hd_leaf(net, e)];
    for (uint32_t c = 0; c < net->off[net->nsw]; c++)
        if (net->head[c] < net->nsw && p->part[net->head[c]] != p->part[net->tail[c]])
            cap[p->part[net->tail[c]]] += hd_cut_capacity(p->rates, c);
    k->group[l] = group;
    k->cap[l] = cap;
    k->ngroup[l] = p->n;
    k->all++;
    return HD_OK;
}

hd_status hd_cuts_parts(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_rates *rates, struct hd_cuts *k)
{
    const struct hd_net *net = k->net;
    struct hd_arena a = {0};
    struct parts p = {.net = net, .rates = rates, .n = 1};
    p.part = HD_NEW(&a, uint32_t, net->nsw);
    p.hosts = HD_NEW(&a, uint32_t, net->nsw);
    p.row = HD_NEW(&a, uint32_t, net->nsw);
    p.side = HD_NEW(&a, uint8_t, net->nsw);
    p.best = HD_NEW(&a, uint8_t, net->nsw);
    p.x = HD_NEW(&a, double, net->nsw);
    p.y = HD_NEW(&a, double, net->nsw);
    struct hd_scored *key = HD_NEW(&a, struct hd_scored, net->nsw);
    bool room = p.part && p.hosts && p.row && p.side && p.best && p.x && p.y && key;
    hd_status s = room ? HD_OK : hd_fail_memory(ctx);
    for (uint32_t e = 0; s == HD_OK && e < net->nep; e++)
        if (hd_leaf(net, e) < net->nsw) p.hosts[hd_leaf(net, e)]++;
    for (uint32_t depth = 0; s == HD_OK && depth < DEPTH && net->nsw > 1; depth++) {
        bool any = false;
        for (uint32_t part = 0, parts = p.n; part < parts; part++) any |= cuts_spectral_split(&p, part, key);
        if (!any) break;
        s = cuts_spectral_add_level(ctx, arena, &p, k);
    }
    hd_arena_release(&a);
    return s;
}
