/* SPDX-License-Identifier: BSD-2-Clause */
/* Dmodc: D-mod-K over what is left of a tree.
 *
 * For a destination with number j on switch t, a switch v that lies above t goes down, any other goes
 * up, by one of its channels to a neighbour nearer to t (on ways up and then down):
 *     channel (j / P_v) mod n of these n
 * listed cable by cable: the first cable to each such neighbour in order, then the second to each.
 * P_v is the product of w below v's level where the tree's shape is known; else 1 for switches of level
 * 1 and above the largest product of P and the number of parents over the children. On an intact PGFT
 * this is D-mod-K; with cables or switches missing it stays free of deadlock (up, then down) and serves
 * every pair that has such a way.
 * Lists are made once for a target switch and used for all its endpoints; (j / P) mod n is the same for
 * all switches with equal P and n, so an entry costs three loads. O(L channels + table).
 * Gliksberg, Capra, Louvet, Garcia, Sohier: High-quality fault-resiliency in fat-tree networks. Where
 * neighbours have unequal numbers of cables the list by cables is ours. */
#include "base/status.h"
#include "base/threads.h"
#include "route/dist.h"
#include "route/engines.h"
#include "route/index.h"
#include "route/levels.h"

#include <string.h>

struct dmodc {
    struct hd_levels lv;
    struct hd_routes *r;
    uint64_t *number; /* [nep] j */
    uint32_t *order;  /* [nchan] each switch's channels by cable, then neighbour; upward and downward apart */
    uint32_t nclass;
    uint64_t *divider;  /* [nclass] distinct values of P */
    uint32_t *class_of; /* [nsw] */
};

struct worker {
    uint8_t *cost;    /* [nsw * block] */
    uint8_t *column;  /* [nsw] costs to the target at hand */
    uint8_t *slot;    /* [nchan + 1] lists; those of v begin at off[v] + 1, slot[0] is HD_SLOT_NONE */
    uint32_t *list;   /* [nsw] where the list of v begins */
    uint32_t *kind;   /* [nsw] class_of * 256 + length */
    uint8_t *residue; /* [nclass * 256] of the destination at hand */
    uint32_t *used, nused, *stamp, pass; /* kinds that occur */
};

/* ---- dividers ------------------------------------------------------------------------------ */

static uint32_t parents(const struct hd_levels *lv, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t k = lv->up[v]; k < lv->up[v + 1]; k++)
        n += k == lv->up[v] || lv->net->head[lv->up_chan[k]] != lv->net->head[lv->up_chan[k - 1]];
    return n;
}

static hd_status find_dividers(struct hd_ctx *ctx, struct hd_arena *a, struct dmodc *m)
{
    const struct hd_net *net = m->lv.net;
    uint64_t *p = HD_NEW(a, uint64_t, net->nsw), of_level = 1;
    m->divider = HD_NEW(a, uint64_t, net->nsw);
    m->class_of = HD_NEW(a, uint32_t, net->nsw);
    if (!p || !m->divider || !m->class_of) return hd_fail_memory(ctx);
    for (uint32_t i = 0, l = 0; i < net->nsw; i++) {
        uint32_t v = m->lv.by_level[i], n = parents(&m->lv, v);
        if (net->shape.kind == HD_SHAPE_TREE) {
            for (; l < net->level[v]; l++) of_level *= net->shape.w[l];
            p[v] = of_level;
        } else if (p[v] == 0)
            p[v] = 1;
        for (uint32_t k = m->lv.up[v]; k < m->lv.up[v + 1]; k++) {
            uint32_t u = net->head[m->lv.up_chan[k]];
            uint64_t above = p[v] > UINT64_MAX / n ? UINT64_MAX : p[v] * n;
            if (above > p[u]) p[u] = above;
        }
    }
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t k = 0;
        while (k < m->nclass && m->divider[k] != p[v]) k++;
        if (k == m->nclass) m->divider[m->nclass++] = p[v];
        m->class_of[v] = k;
    }
    return HD_OK;
}

/* From neighbour by neighbour to cable by cable: cable k of every neighbour before any cable k+1. */
static void by_cable(const struct hd_net *net, const uint32_t *chan, uint32_t n, uint32_t *out)
{
    uint32_t done = 0;
    for (uint32_t k = 0; done < n; k++)
        for (uint32_t i = 0, nth = 0; i < n; i++) {
            nth = i && net->head[chan[i]] == net->head[chan[i - 1]] ? nth + 1 : 0;
            if (nth == k) out[done++] = chan[i];
        }
}

static hd_status init(struct hd_ctx *ctx, struct hd_arena *a, struct hd_routes *r, const char *index, struct dmodc *m)
{
    const struct hd_net *net = r->net;
    uint32_t *leaf, nleaf;
    m->r = r;
    HD_TRY(hd_levels_init(ctx, a, net, &m->lv));
    HD_TRY(hd_levels_number(ctx, a, &m->lv, &m->number, &leaf, &nleaf));
    if (*index) HD_TRY(hd_index_make(ctx, a, net, index, m->number));
    HD_TRY(find_dividers(ctx, a, m));
    if (!(m->order = HD_NEW(a, uint32_t, net->nchan))) return hd_fail_memory(ctx);
    const struct hd_levels *lv = &m->lv;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t up = lv->up[v + 1] - lv->up[v];
        by_cable(net, lv->up_chan + lv->up[v], up, m->order + net->off[v]);
        by_cable(net, lv->down_chan + lv->down[v], lv->down[v + 1] - lv->down[v], m->order + net->off[v] + up);
    }
    return HD_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static hd_status worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct dmodc *m, struct worker *w)
{
    const struct hd_net *net = m->lv.net;
    *w = (struct worker){.cost = HD_NEW(a, uint8_t, (size_t)net->nsw * HD_LEVELS_BLOCK),
                         .column = HD_NEW(a, uint8_t, net->nsw),
                         .slot = HD_NEW(a, uint8_t, net->nchan + 1),
                         .list = HD_NEW(a, uint32_t, net->nsw),
                         .kind = HD_NEW(a, uint32_t, net->nsw),
                         .residue = HD_NEW(a, uint8_t, (size_t)m->nclass * 256),
                         .used = HD_NEW(a, uint32_t, (size_t)m->nclass * 256),
                         .stamp = HD_NEW(a, uint32_t, (size_t)m->nclass * 256)};
    if (!w->cost || !w->column || !w->slot || !w->list || !w->kind || !w->residue || !w->used || !w->stamp)
        return hd_fail_memory(ctx);
    w->slot[0] = HD_SLOT_NONE;
    return HD_OK;
}

/* The channels of every switch to neighbours nearer to t. */
static void make_lists(const struct dmodc *m, struct worker *w, uint32_t t)
{
    const struct hd_net *net = m->lv.net;
    const uint8_t *cost = w->column;
    w->pass++;
    w->nused = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        const uint32_t *chan = m->order + net->off[v];
        uint32_t up = m->lv.up[v + 1] - m->lv.up[v], end = up, n = 0;
        if (hd_levels_above(net->level[v], net->level[t], cost[v])) {
            chan += up;
            end = m->lv.down[v + 1] - m->lv.down[v];
        }
        uint8_t *slot = w->slot + net->off[v] + 1;
        uint32_t next = cost[v] - 1u; /* no neighbour has 0 - 1 */
        for (uint32_t i = 0; i < end; i++) {
            slot[n] = (uint8_t)(chan[i] - net->off[v]);
            n += cost[net->head[chan[i]]] == next;
        }
        w->list[v] = n ? net->off[v] + 1 : 0;
        w->kind[v] = m->class_of[v] * 256 + (n ? n : 1);
        if (w->stamp[w->kind[v]] == w->pass) continue;
        w->stamp[w->kind[v]] = w->pass;
        w->used[w->nused++] = w->kind[v];
    }
}

static void fill_row(const struct dmodc *m, struct worker *w, uint32_t d, uint8_t *row)
{
    uint32_t nsw = m->lv.net->nsw;
    for (uint32_t i = 0; i < w->nused; i++) {
        uint32_t kind = w->used[i];
        w->residue[kind] = (uint8_t)(m->number[d] / m->divider[kind / 256] % (kind % 256));
    }
    for (uint32_t v = 0; v < nsw; v++) row[v] = w->slot[w->list[v] + w->residue[w->kind[v]]];
}

static void route_block(const struct dmodc *m, struct worker *w, const uint32_t *target, uint32_t n)
{
    const struct hd_net *net = m->lv.net;
    hd_levels_cost(&m->lv, target, n, w->cost);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = target[i];
        for (uint32_t v = 0; v < net->nsw; v++) w->column[v] = w->cost[(size_t)v * HD_LEVELS_BLOCK + i];
        make_lists(m, w, t);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint8_t *row = hd_row(m->r, net->head[c] - net->nsw, 0);
            fill_row(m, w, net->head[c] - net->nsw, row);
            row[t] = (uint8_t)(c - net->off[t]);
        }
    }
}

static hd_status fill(struct hd_ctx *ctx, struct hd_arena *a, struct hd_routes *r, const char *index)
{
    struct dmodc m = {0};
    int blocks = (int)(r->nleaf / HD_LEVELS_BLOCK) + 1, threads = hd_threads(ctx) < blocks ? hd_threads(ctx) : blocks;
    struct worker *w = HD_NEW(a, struct worker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    HD_TRY(init(ctx, a, r, index, &m));
    for (int i = 0; i < threads; i++) HD_TRY(worker_init(ctx, a, &m, &w[i]));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint32_t at = 0; at < r->nleaf; at += HD_LEVELS_BLOCK) {
        uint32_t n = r->nleaf - at < HD_LEVELS_BLOCK ? r->nleaf - at : HD_LEVELS_BLOCK;
        route_block(&m, &w[hd_thread_id()], r->leaf + at, n);
    }
    return HD_OK;
}

struct opt {
    const char *index;
};

static hd_status applies_dmodc(struct hd_ctx *ctx, const struct hd_net *net, const void *opt)
{
    (void)opt;
    return hd_levels_applies(ctx, net, "dmodc");
}

static hd_status route_dmodc(struct hd_ctx *ctx, const struct hd_net *net, const void *opt, struct hd_routes **out)
{
    struct hd_arena scratch = {0};
    struct hd_routes *r;
    HD_TRY(hd_routes_make(ctx, net, 1, &r));
    hd_status s = fill(ctx, &scratch, r, ((const struct opt *)opt)->index);
    hd_arena_release(&scratch);
    if (s != HD_OK) {
        hd_routes_free(r);
        return s;
    }
    *out = r;
    return HD_OK;
}

const struct hd_engine hd_engine_dmodc = {
    .desc =
        {.name = "dmodc",
         .summary = "D-mod-K over what is left of a tree: missing cables and switches are routed around",
         .text =
             "A switch above the destination goes down, any other up, by channel (j / P) mod n of its n channels to "
             "neighbours nearer to the destination, taken cable by cable: j is the destination's number in the tree, "
             "P "
             "the product of w below the switch's level (without a known shape: of the numbers of parents). On an "
             "intact "
             "tree this is D-mod-K entry by entry. It needs levels only, and serves every pair that has a way up and "
             "then down.",
         .cite = "Gliksberg, Capra, Louvet, Garcia, Sohier: High-quality fault-resiliency in fat-tree networks, IEEE "
                 "Micro 40(1)",
         .params = (const struct hd_param[]){{"index", HD_TEXT, "",
                                              "number the endpoints as this file lists them (names or port GUIDs, one "
                                              "a line); selected: those that count first",
                                              offsetof(struct opt, index), 0, 0, NULL, false},
                                             {0}},
         .examples = (const char *const[]){"dmodc", NULL},
         .opt_size = sizeof(struct opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE,
    .applies = applies_dmodc,
    .route = route_dmodc};
