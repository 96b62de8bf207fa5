/* SPDX-License-Identifier: BSD-2-Clause */
/* Dmodc: D-mod-K over what is left of a tree.
 *
 * For a destination with number j on switch t, a switch v that lies above t goes down, any other goes
 * up, by one of its channels to a neighbour nearer to t (on paths up and then down):
 *     channel (j / P_v) mod n of these n
 * listed cable by cable: the first cable to each such neighbour in order, then the second to each.
 * P_v is the product of w below v's level. On an intact PGFT this is D-mod-K; with cables or switches missing it stays
 * free of deadlock (up, then down) and serves every pair that has such a path. This is what is used on intact trees,
 * where it is the fastest, and for rule=local; dmodc_layers.c has the better rule for all others.
 * On most trees hardly any entry has to be looked for. Towards a target t a switch is *regular* when it goes up and
 * all its parents are nearer: then its list is that of all its upward channels, whatever t is. Neighbours in number
 * whose lists are the same, slot by slot (a whole level of a generated tree), form a run, and a run's entries are one
 * byte for each destination. The others towards t, found 64 targets at a time, are those above t, whose lists a climb
 * from t meets, and those that miss parents, which ask the costs. Of these, switches outside the runs with one channel
 * in their list have the same entry for all endpoints of t: a row begins as a copy of those, is filled run by run,
 * and the rest is patched. (j / P) mod n is computed once per destination for all switches with equal P and n.
 * O(L channels) bytes of costs, plus the table, mostly by memcpy and memset.
 * Gliksberg, Capra, Louvet, Garcia, Sohier: High-quality fault-resiliency in fat-tree networks. Where
 * neighbours have unequal numbers of cables the list by cables is ours. */
#include "base/status.h"
#include "base/threads.h"
#include "route/engine/settle_rest.h"
#include "route/core/switch_distance.h"
#include "route/engine/dmodc_layers.h"
#include "route/engine/engines.h"
#include "route/core/endpoint_names.h"
#include "route/kernel/tree_ports.h"
#include "route/kernel/updown_levels.h"

#include <string.h>

struct dmodc_run { /* switches first .. first + n - 1 */
    uint32_t first, n;
    uint32_t kind; /* class * 256 + length of the list */
};

struct dmodc {
    struct hd_levels lv;
    struct hd_routes *r;
    uint64_t *number; /* [nep] j */
    uint8_t *slot;    /* [nchan] each switch's, from off[v]: upward by cable, then neighbour; then downward so */
    uint8_t *place;   /* [nchan] of a downward channel among these */
    uint32_t nclass;
    uint64_t *divider;  /* [nclass] distinct values of P */
    uint32_t *class_of; /* [nsw] */
    uint32_t nrun;
    struct dmodc_run *run; /* every switch that has parents is in one */
};

struct dmodc_patch {
    uint32_t v, kind;
};

struct dmodc_worker {
    uint8_t *cost;             /* [nsw * block] */
    uint32_t *odd, *nodd;      /* [block * nsw], [block] switches that are not regular towards a target */
    uint8_t *slot;             /* [nchan] their lists, from off[v] */
    uint8_t *above;            /* [nsw] for switches above the target: the length of the list */
    uint32_t *queue, nqueue;   /* [nsw] the target and they */
    uint8_t *base;             /* [nsw] entries all endpoints of the target have in common */
    struct dmodc_patch *patch; /* [nsw] */
    uint32_t npatch;
    uint8_t *residue;                    /* [nclass * 256] of the current destination */
    uint32_t *used, nused, *stamp, pass; /* kinds that occur */
};

/* ---- dividers ------------------------------------------------------------------------------ */

static hd_status find_dividers(struct hd_ctx *ctx, struct hd_arena *a, struct dmodc *m)
{
    const struct hd_net *net = m->lv.net;
    uint64_t *p = HD_NEW(a, uint64_t, net->nsw), of_level = 1;
    m->divider = HD_NEW(a, uint64_t, net->nsw);
    m->class_of = HD_NEW(a, uint32_t, net->nsw);
    if (!p || !m->divider || !m->class_of) return hd_fail_memory(ctx);
    for (uint32_t i = 0, l = 0; i < net->nsw; i++) {
        uint32_t v = m->lv.by_level[i];
        for (; l < net->level[v]; l++) of_level *= net->shape.w[l];
        p[v] = of_level;
    }
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t k = 0;
        while (k < m->nclass && m->divider[k] != p[v]) k++;
        if (k == m->nclass) m->divider[m->nclass++] = p[v];
        m->class_of[v] = k;
    }
    return HD_OK;
}

/* ---- lists and runs ------------------------------------------------------------------------ */

static uint32_t parent_channels(const struct dmodc *m, uint32_t v)
{
    return m->lv.up[v + 1] - m->lv.up[v];
}

/* From neighbour by neighbour to cable by cable: cable k of every neighbour before any cable k+1. */
static void by_cable(const struct dmodc *m, uint32_t v, const uint32_t *chan, uint32_t n, uint8_t *slot)
{
    const struct hd_net *net = m->lv.net;
    uint32_t done = 0;
    for (uint32_t k = 0; done < n; k++)
        for (uint32_t i = 0, nth = 0; i < n; i++) {
            nth = i && net->head[chan[i]] == net->head[chan[i - 1]] ? nth + 1 : 0;
            if (nth != k) continue;
            m->place[chan[i]] = (uint8_t)done;
            slot[done++] = (uint8_t)(chan[i] - net->off[v]);
        }
}

static hd_status list_slots(struct hd_ctx *ctx, struct hd_arena *a, struct dmodc *m)
{
    const struct hd_levels *lv = &m->lv;
    const struct hd_net *net = lv->net;
    m->slot = HD_NEW(a, uint8_t, net->nchan);
    m->place = HD_NEW(a, uint8_t, net->nchan);
    if (!m->slot || !m->place) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint8_t *slot = m->slot + net->off[v];
        by_cable(m, v, lv->up_chan + lv->up[v], parent_channels(m, v), slot);
        by_cable(m, v, lv->down_chan + lv->down[v], lv->down[v + 1] - lv->down[v], slot + parent_channels(m, v));
    }
    return HD_OK;
}

static hd_status find_runs(struct hd_ctx *ctx, struct hd_arena *a, struct dmodc *m)
{
    const struct hd_net *net = m->lv.net;
    if (!(m->run = HD_NEW(a, struct dmodc_run, net->nsw))) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t n = parent_channels(m, v), kind = m->class_of[v] * 256 + n;
        struct dmodc_run *last = m->nrun ? &m->run[m->nrun - 1] : NULL;
        if (n == 0) continue;
        if (last && last->first + last->n == v && last->kind == kind &&
            memcmp(m->slot + net->off[v], m->slot + net->off[last->first], n) == 0)
            last->n++;
        else
            m->run[m->nrun++] = (struct dmodc_run){v, 1, kind};
    }
    return HD_OK;
}

static hd_status dmodc_worker_init(struct hd_ctx *ctx, struct hd_arena *a, const struct dmodc *m,
                                   struct dmodc_worker *w)
{
    const struct hd_net *net = m->lv.net;
    *w = (struct dmodc_worker){.cost = HD_NEW(a, uint8_t, (size_t)net->nsw * HD_LEVELS_BLOCK),
                               .odd = HD_NEW(a, uint32_t, (size_t)net->nsw * HD_LEVELS_BLOCK),
                               .nodd = HD_NEW(a, uint32_t, HD_LEVELS_BLOCK),
                               .slot = HD_NEW(a, uint8_t, net->nchan),
                               .above = HD_NEW(a, uint8_t, net->nsw),
                               .queue = HD_NEW(a, uint32_t, net->nsw),
                               .base = HD_NEW(a, uint8_t, net->nsw),
                               .patch = HD_NEW(a, struct dmodc_patch, net->nsw),
                               .residue = HD_NEW(a, uint8_t, (size_t)m->nclass * 256)};
    bool ok = w->cost && w->odd && w->nodd && w->slot && w->above && w->queue && w->base && w->patch && w->residue;
    return ok && HD_NEW_U32(a, (size_t)m->nclass * 256, &w->used, &w->stamp) ? HD_OK : hd_fail_memory(ctx);
}

/* ---- one target ---------------------------------------------------------------------------- */

/* Towards which targets of the block v is regular, a bit each: a byte each first, for then all 64 go together. */
static uint64_t find_regular(const struct dmodc *m, const uint8_t *cost, uint32_t v)
{
    const struct hd_net *net = m->lv.net;
    const uint8_t *own = cost + (size_t)v * HD_LEVELS_BLOCK;
    uint8_t yes[HD_LEVELS_BLOCK];
    uint64_t bits = 0;
    if (parent_channels(m, v) == 0) return 0;
    for (uint32_t i = 0; i < HD_LEVELS_BLOCK; i++) yes[i] = own[i] != HD_FAR;
    for (uint32_t k = m->lv.up[v], last = UINT32_MAX; k < m->lv.up[v + 1]; k++) {
        uint32_t u = net->head[m->lv.up_chan[k]];
        const uint8_t *above = cost + (size_t)u * HD_LEVELS_BLOCK;
        for (uint32_t i = 0; u != last && i < HD_LEVELS_BLOCK; i++) yes[i] &= above[i] == (uint8_t)(own[i] - 1);
        last = u;
    }
    for (uint32_t i = 0; i < HD_LEVELS_BLOCK; i++) bits |= (uint64_t)yes[i] << i;
    return bits;
}

static void find_odd(const struct dmodc *m, struct dmodc_worker *w, uint32_t n)
{
    uint32_t nsw = m->lv.net->nsw;
    memset(w->nodd, 0, n * sizeof *w->nodd);
    for (uint32_t v = 0; v < nsw; v++)
        for (uint64_t odd = ~find_regular(m, w->cost, v) & UINT64_MAX >> (HD_LEVELS_BLOCK - n); odd; odd &= odd - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(odd);
            w->odd[(size_t)i * nsw + w->nodd[i]++] = v;
        }
}

/* Everything above t, and lists of the channels by which it goes down: places first, kept in order. */
static void dmodc_climb(const struct dmodc *m, struct dmodc_worker *w, uint32_t t)
{
    const struct hd_net *net = m->lv.net;
    uint32_t n = 0;
    w->queue[n++] = t;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = m->lv.up[w->queue[i]]; k < m->lv.up[w->queue[i] + 1]; k++) {
            uint32_t c = net->rev[m->lv.up_chan[k]], u = net->tail[c], j = w->above[u]++;
            uint8_t *list = w->slot + net->off[u];
            if (j == 0) w->queue[n++] = u;
            for (; j > 0 && list[j - 1] > m->place[c]; j--) list[j] = list[j - 1];
            list[j] = m->place[c];
        }
    w->nqueue = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t u = w->queue[i];
        const uint8_t *down = m->slot + net->off[u] + parent_channels(m, u);
        for (uint32_t j = 0; j < w->above[u]; j++) w->slot[net->off[u] + j] = down[w->slot[net->off[u] + j]];
    }
}

/* The list of a switch that climbs to target i of the block by some of its parents; returns its length. */
static uint32_t list_up(const struct dmodc *m, struct dmodc_worker *w, uint32_t v, uint32_t i)
{
    const struct hd_net *net = m->lv.net;
    uint32_t n = 0, next = w->cost[(size_t)v * HD_LEVELS_BLOCK + i] - 1u;
    for (uint32_t k = 0; k < parent_channels(m, v); k++) {
        uint8_t slot = m->slot[net->off[v] + k];
        w->slot[net->off[v] + n] = slot;
        n += w->cost[(size_t)net->head[net->off[v] + slot] * HD_LEVELS_BLOCK + i] == next;
    }
    return n;
}

static void use_kind(struct dmodc_worker *w, uint32_t kind)
{
    if (w->stamp[kind] == w->pass) return;
    w->stamp[kind] = w->pass;
    w->used[w->nused++] = kind;
}

/* What the rows towards t, target i of the block, are made of. */
static void prepare_target(const struct dmodc *m, struct dmodc_worker *w, uint32_t t, uint32_t i)
{
    const struct hd_net *net = m->lv.net;
    w->pass++;
    w->nused = w->npatch = 0;
    for (uint32_t k = 0; k < m->nrun; k++) use_kind(w, m->run[k].kind);
    dmodc_climb(m, w, t);
    for (uint32_t k = 0; k < w->nodd[i]; k++) {
        uint32_t v = w->odd[(size_t)i * net->nsw + k];
        if (v == t) continue; /* its entry is the cable of the endpoint */
        uint32_t n = w->above[v] ? w->above[v] : list_up(m, w, v, i);
        uint8_t *list = w->slot + net->off[v];
        if (n <= 1 && parent_channels(m, v) == 0) {
            w->base[v] = n ? list[0] : HD_SLOT_NONE;
        } else {
            if (n == 0) list[n++] = HD_SLOT_NONE;
            w->patch[w->npatch++] = (struct dmodc_patch){v, m->class_of[v] * 256 + n};
            use_kind(w, m->class_of[v] * 256 + n);
        }
    }
    for (uint32_t k = 0; k < w->nqueue; k++) w->above[w->queue[k]] = 0;
}

static void dmodc_row(const struct dmodc *m, struct dmodc_worker *w, uint32_t d, uint8_t *row)
{
    const struct hd_net *net = m->lv.net;
    for (uint32_t i = 0; i < w->nused; i++) {
        uint32_t kind = w->used[i];
        w->residue[kind] = (uint8_t)(m->number[d] / m->divider[kind / 256] % (kind % 256));
    }
    memcpy(row, w->base, net->nsw);
    for (uint32_t i = 0; i < m->nrun; i++) {
        const struct dmodc_run *run = &m->run[i];
        uint8_t slot = m->slot[net->off[run->first] + w->residue[run->kind]];
        if (run->n == 1)
            row[run->first] = slot;
        else
            memset(row + run->first, slot, run->n);
    }
    for (uint32_t i = 0; i < w->npatch; i++) {
        const struct dmodc_patch *p = &w->patch[i];
        row[p->v] = w->slot[net->off[p->v] + w->residue[p->kind]];
    }
}

static void route_block(const struct dmodc *m, struct dmodc_worker *w, const uint32_t *target, uint32_t n)
{
    const struct hd_net *net = m->lv.net;
    hd_levels_cost(&m->lv, target, n, w->cost);
    find_odd(m, w, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = target[i];
        prepare_target(m, w, t, i);
        for (uint32_t c = net->off[t]; c < net->off[t + 1]; c++) {
            if (net->head[c] < net->nsw) continue;
            uint8_t *row = hd_row(m->r, net->head[c] - net->nsw, 0);
            dmodc_row(m, w, net->head[c] - net->nsw, row);
            row[t] = (uint8_t)(c - net->off[t]);
        }
    }
}

struct dmodc_opt {
    const char *index;
    int rule;
};

enum dmodc_rule { MEET, LOCAL };

static hd_status dmodc_digits(struct hd_ctx *ctx, struct hd_arena *a, struct dmodc *m)
{
    const struct hd_routes *r = m->r;
    int blocks = (int)(r->nleaf / HD_LEVELS_BLOCK) + 1, threads = hd_threads(ctx) < blocks ? hd_threads(ctx) : blocks;
    struct dmodc_worker *w = HD_NEW(a, struct dmodc_worker, (size_t)threads);
    if (!w) return hd_fail_memory(ctx);
    HD_TRY(find_dividers(ctx, a, m));
    HD_TRY(list_slots(ctx, a, m));
    HD_TRY(find_runs(ctx, a, m));
    for (int i = 0; i < threads; i++) HD_TRY(dmodc_worker_init(ctx, a, m, &w[i]));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint32_t at = 0; at < r->nleaf; at += HD_LEVELS_BLOCK) {
        uint32_t n = r->nleaf - at < HD_LEVELS_BLOCK ? r->nleaf - at : HD_LEVELS_BLOCK;
        route_block(m, &w[hd_thread_id()], r->leaf + at, n);
    }
    return HD_OK;
}

static hd_status dmodc_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *a, struct hd_routes *r)
{
    const struct dmodc_opt *o = opt;
    bool digits = o->rule == LOCAL ? r->net->shape.kind == HD_SHAPE_TREE : hd_tree_whole(r->net);
    struct dmodc m = {.r = r};
    uint32_t *leaf, nleaf;
    HD_TRY(hd_routes_table_unset(ctx, r, 1));
    HD_TRY(hd_levels_init(ctx, a, r->net, &m.lv));
    HD_TRY(hd_levels_number(ctx, a, &m.lv, &m.number, &leaf, &nleaf));
    if (*o->index) HD_TRY(hd_index_make(ctx, a, r->net, o->index, m.number));
    HD_TRY(digits ? dmodc_digits(ctx, a, &m) : hd_dmodc_layers(ctx, a, &m.lv, m.number, r));
    return hd_settle_rest_holes(ctx, r);
}

const struct hd_engine hd_engine_dmodc = {
    .desc = {.name = "dmodc",
             .summary = "D-mod-K on degraded fat trees: missing cables and switches are routed around",
             .text = "On an intact tree this is D-mod-K entry by entry: up by channel (j / P) mod n of n, j being the "
                     "number of the destination in the tree and P the product of w below the level of the switch. "
                     "Where cables or switches are missing, and on other networks with levels (directors behind leaf "
                     "switches), the path from the destination up to the top is chosen by this rule, packets come "
                     "down by it, and every other switch climbs by the same rule to meet it; where the channel by "
                     "rule leads elsewhere or carries more than others, counters choose. rule=local is Dmodc as "
                     "published: each switch picks by itself among all channels that lead nearer. It needs levels "
                     "only, and serves every pair that has a path up and then down.",
             .cite =
                 "Gliksberg, Capra, Louvet, Garcia, Sohier: High-quality fault-resiliency in fat-tree networks, IEEE "
                 "Micro 40(1)",
             .params =
                 (const struct hd_param[]){
                     {"index", HD_TEXT, "",
                      "number the endpoints as this file lists them (names or port GUIDs, one per line); "
                      "index=selected: selected endpoints first",
                      offsetof(struct dmodc_opt, index), 0, 0, NULL, false},
                     {"rule", HD_WORD, "meet",
                      "on damaged trees: meet the path of the destination, or each switch by itself (as published)",
                      offsetof(struct dmodc_opt, rule), 0, 0, "meet|local", false},
                     {0}},
             .examples = (const char *const[]){"dmodc", "dmodc:rule=local", NULL},
             .opt_size = sizeof(struct dmodc_opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE,
    .applies = hd_levels_applies,
    .fallback = "settle",
    .route = dmodc_route};
