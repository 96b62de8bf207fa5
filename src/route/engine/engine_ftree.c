/* SPDX-License-Identifier: BSD-2-Clause */
/* FTREE: trees routed one destination at a time, spread by loads, after OpenSM's engine.
 *
 * Destinations come leaf by leaf. From the destination's switch the main path climbs to the top, each
 * step by the cable that carries the fewest pairs downwards (then to the parent on the fewest main
 * paths, then the first): packets come down by the same cables, so a down cable serves few destinations
 * and a Shift of all ranks does not collide. From every switch on the main path the destination is
 * spread downwards: each switch below that is not above the destination and for which this is a
 * shortest path goes up to it, by the cable with the fewest pairs. A leaf that still has no entry
 * (cables are missing) climbs on its own: to a parent that has one, else by the least used cable.
 * Leaves with fewer endpoints than the fullest one are filled up with dummy destinations that only
 * count. OpenSM counts destinations; pairs are the same on an intact tree and better on others.
 * Paths go up and then down and are shortest among those. Switches that no pair needs get some such path too.
 * Loads make it serial: O(L channels) for the costs, split over threads, then O(switches) per
 * destination. Zahavi, Johnson, Kerbyson, Lang: Optimized InfiniBand fat-tree routing for shift all-to-all
 * communication patterns; OpenSM's ftree. */
#include "base/keyed.h"
#include "base/status.h"
#include "base/threads.h"
#include "route/engine/settle_rest.h"
#include "route/core/groups.h"
#include "route/core/switch_distance.h"
#include "route/engine/engines.h"
#include "route/core/endpoint_names.h"
#include "route/kernel/updown_levels.h"

#include <string.h>

struct ftree_cable { /* downwards from a switch, seen from below */
    uint32_t v, c;   /* the lower switch, and its channel up */
};

struct ftree {
    struct hd_levels lv;
    struct hd_routes *r;
    uint32_t ntarget, *target;  /* switches of level 1, then higher ones with endpoints */
    uint32_t *target_of;        /* [nsw] number among them */
    uint8_t *cost;              /* [target * nsw + v] */
    uint8_t *spare;             /* [target * nsw + v] an entry on some shortest path */
    uint32_t *sources;          /* [target] endpoints of all switches with a path to it */
    struct ftree_cable *cables; /* in the order of lv.down_chan */
    uint32_t *hosts;            /* [nsw] endpoints of a switch */
    uint64_t *load;             /* [nchan] pairs that use the channel */
    uint32_t *through;          /* [nsw] destinations whose main path passes */

    uint32_t *mark;         /* [nsw] stage in which a switch got its entry */
    uint32_t stage, begin;  /* the current one, and the first one of the current destination */
    uint32_t *via;          /* [nsw] the entry */
    uint32_t *entered, n;   /* switches that have one, each after the one it leads to */
    uint32_t met;           /* endpoints of those switches, and of the destination's own */
    uint32_t *flow, *chain; /* [nsw] */
};

/* ---- one destination ----------------------------------------------------------------------- */

struct ftree_job { /* a destination, or a dummy with no row */
    uint32_t t;
    uint8_t slot, *row;
    const uint8_t *cost;
};

static void ftree_enter(struct ftree *f, uint32_t v, uint32_t c)
{
    f->mark[v] = f->stage;
    f->via[v] = c;
    f->flow[v] = f->hosts[v];
    f->met += f->hosts[v];
    f->entered[f->n++] = v;
}

static bool has_entry(const struct ftree *f, uint32_t v)
{
    return f->mark[v] >= f->begin;
}

/* Switches below u that have no entry yet, and for which this is a shortest path, go up to it. Several may offer that
 * in one stage: the least used cable is taken. The inner loop of the engine, so that everything is in local variables:
 * the compiler cannot know that no array overlaps the struct. */
static void ftree_offer(struct ftree *f, const struct ftree_job *j, uint32_t u)
{
    const struct ftree_cable *k = f->cables + f->lv.down[u], *const end = f->cables + f->lv.down[u + 1];
    const uint8_t *const cost_of = j->cost;
    const uint32_t cost = cost_of[u] + 1u, stage = f->stage, begin = f->begin, *const hosts = f->hosts;
    uint32_t *const mark = f->mark, *const via = f->via, *const flow = f->flow, *to = f->entered + f->n, met = 0;
    for (; k < end; k++) {
        const uint32_t v = k->v, c = k->c;
        if (cost_of[v] != cost) continue;
        if (mark[v] < begin) {
            mark[v] = stage;
            via[v] = c;
            met += flow[v] = hosts[v];
            *to++ = v;
        } else if (mark[v] == stage && f->load[c] < f->load[via[v]])
            via[v] = c;
    }
    f->n = (uint32_t)(to - f->entered);
    f->met += met;
}

static bool has_below(const struct ftree *f, uint32_t v)
{
    return f->lv.down[v] < f->lv.down[v + 1];
}

/* Everything below u for which u is on a shortest path to the destination goes up to it: one level after the other,
 * since a switch may meet several of those above (the line ASICs of one director, say) and takes its least used
 * cable. */
static void ftree_spread(struct ftree *f, const struct ftree_job *j, uint32_t u)
{
    uint32_t at = f->n;
    f->stage++;
    ftree_offer(f, j, u);
    while (at < f->n) {
        const uint32_t end = f->n;
        f->stage++;
        for (; at < end; at++)
            if (has_below(f, f->entered[at])) ftree_offer(f, j, f->entered[at]);
    }
}

/* The upward channel of v whose other direction carries the fewest pairs; UINT32_MAX at the top. */
static uint32_t main_step(const struct ftree *f, uint32_t v)
{
    const struct hd_net *net = f->lv.net;
    uint32_t best = UINT32_MAX;
    for (uint32_t k = f->lv.up[v]; k < f->lv.up[v + 1]; k++) {
        uint32_t c = f->lv.up_chan[k];
        if (best == UINT32_MAX) {
            best = c;
            continue;
        }
        uint64_t mine = f->load[net->rev[c]], other = f->load[net->rev[best]];
        if (mine < other || (mine == other && f->through[net->head[c]] < f->through[net->head[best]])) best = c;
    }
    return best;
}

/* By which channel a switch that the spreading did not reach goes on: towards one that has an entry, else by the least
 * used one. */
static uint32_t climb_step(const struct ftree *f, const struct ftree_job *j, uint32_t v)
{
    const struct hd_net *net = f->lv.net;
    bool down = hd_levels_above(net->level[v], net->level[j->t], j->cost[v]);
    const uint32_t *chan = down ? f->lv.down_chan + f->lv.down[v] : f->lv.up_chan + f->lv.up[v];
    uint32_t n = down ? f->lv.down[v + 1] - f->lv.down[v] : f->lv.up[v + 1] - f->lv.up[v], best = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        if (j->cost[net->head[chan[k]]] + 1 != j->cost[v]) continue;
        if (best == UINT32_MAX) best = chan[k];
        bool met = has_entry(f, net->head[chan[k]]), had = has_entry(f, net->head[best]);
        if (met != had ? met : f->load[chan[k]] < f->load[best]) best = chan[k];
    }
    return best;
}

/* Such a switch climbs, and comes down, by itself until it meets an entry. */
static void ftree_climb(struct ftree *f, const struct ftree_job *j, uint32_t v)
{
    const struct hd_net *net = f->lv.net;
    uint32_t n = 0;
    while (!has_entry(f, v)) {
        f->chain[n++] = climb_step(f, j, v);
        v = net->head[f->chain[n - 1]];
    }
    while (n-- > 0) ftree_enter(f, net->tail[f->chain[n]], f->chain[n]);
}

/* Writes the entries, and adds the destination's traffic to the loads, from the far ends of the paths on. */
static void add_loads(struct ftree *f, const struct ftree_job *j)
{
    const uint32_t *const head = f->lv.net->head, *const off = f->lv.net->off;
    const uint32_t *const entered = f->entered, *const via = f->via;
    uint32_t *const flow = f->flow;
    uint64_t *const load = f->load;
    uint8_t *const row = j->row;
    flow[j->t] = 0;
    for (uint32_t i = f->n; i-- > 0;) {
        const uint32_t v = entered[i], c = via[v];
        load[c] += flow[v];
        flow[head[c]] += flow[v];
        if (row) row[v] = (uint8_t)(c - off[v]);
    }
}

static void route_job(struct ftree *f, const struct ftree_job *j)
{
    const struct hd_net *net = f->lv.net;
    f->begin = ++f->stage;
    f->n = 0;
    f->mark[j->t] = f->stage;
    f->met = f->hosts[j->t];
    if (j->row) j->row[j->t] = j->slot;
    ftree_spread(f, j, j->t);
    for (uint32_t v = j->t, c; (c = main_step(f, v)) != UINT32_MAX;) {
        v = net->head[c];
        ftree_enter(f, v, net->rev[c]);
        f->through[v]++;
        ftree_spread(f, j, v);
    }
    for (uint32_t i = 0; i < f->r->nleaf && f->met < f->sources[f->target_of[j->t]]; i++)
        if (j->cost[f->r->leaf[i]] != HD_FAR) ftree_climb(f, j, f->r->leaf[i]);
    add_loads(f, j);
}

/* ---- all of them --------------------------------------------------------------------------- */

static void route_endpoint(struct ftree *f, uint32_t e)
{
    const struct hd_net *net = f->lv.net;
    uint32_t c = net->rev[net->off[net->nsw + e]], t = net->tail[c];
    struct ftree_job j = {t, (uint8_t)(c - net->off[t]), hd_row(f->r, e, 0),
                          f->cost + (size_t)f->target_of[t] * net->nsw};
    route_job(f, &j);
}

static void route_dummies(struct ftree *f, uint32_t t, uint32_t n)
{
    struct ftree_job j = {t, 0, NULL, f->cost + (size_t)f->target_of[t] * f->lv.net->nsw};
    while (n-- > 0) route_job(f, &j);
}

/* Dummies follow a leaf's last endpoint; leaves without any keep their place in the order of leaves. */
static hd_status route_all(struct hd_ctx *ctx, struct hd_arena *a, struct ftree *f, const char *order)
{
    const struct hd_net *net = f->lv.net;
    uint64_t *number;
    uint32_t *leaf, nleaf, most = 0, next = 0;
    HD_TRY(hd_levels_number(ctx, a, &f->lv, &number, &leaf, &nleaf));
    if (*order) HD_TRY(hd_index_read(ctx, a, net, order, number, NULL));
    uint32_t *left, *have;
    struct hd_keyed *dest = HD_NEW(a, struct hd_keyed, net->nep);
    if (!dest || !HD_NEW_U32(a, net->nsw, &left, &have)) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t t = hd_leaf(net, e);
        left[t] = ++have[t];
        if (net->level[t] == 1 && have[t] > most) most = have[t];
        dest[e] = (struct hd_keyed){net->level[t] == 1 || *order ? number[e] : UINT64_MAX, e};
    }
    hd_keyed_sort(dest, net->nep, sizeof(struct hd_keyed));
    for (uint32_t i = 0; i < net->nep; i++) {
        uint32_t t = hd_leaf(net, dest[i].value);
        for (; !*order && next < nleaf && !have[leaf[next]] && net->level[t] == 1; next++)
            route_dummies(f, leaf[next], most);
        route_endpoint(f, dest[i].value);
        if (--left[t] || net->level[t] != 1) continue;
        route_dummies(f, t, most - have[t]);
        if (next < nleaf && leaf[next] == t) next++;
    }
    return HD_OK;
}

/* ---- costs --------------------------------------------------------------------------------- */

/* The first channel on a shortest path from every switch to target i. */
static void find_spare(const struct ftree *f, uint32_t i)
{
    const struct hd_net *net = f->lv.net;
    const uint8_t *cost = f->cost + (size_t)i * net->nsw;
    uint8_t *spare = f->spare + (size_t)i * net->nsw;
    for (uint32_t v = 0; v < net->nsw; v++) {
        bool down = hd_levels_above(net->level[v], net->level[f->target[i]], cost[v]);
        const uint32_t *chan = down ? f->lv.down_chan : f->lv.up_chan, *first = down ? f->lv.down : f->lv.up;
        spare[v] = HD_SLOT_NONE;
        for (uint32_t k = first[v]; k < first[v + 1] && spare[v] == HD_SLOT_NONE && cost[v] != HD_FAR; k++)
            if (cost[net->head[chan[k]]] + 1 == cost[v]) spare[v] = (uint8_t)(chan[k] - net->off[v]);
    }
}

static hd_status find_costs(struct hd_ctx *ctx, struct hd_arena *a, struct ftree *f)
{
    const struct hd_net *net = f->lv.net;
    int blocks = (int)(f->ntarget / HD_LEVELS_BLOCK) + 1, threads = hd_threads(ctx) < blocks ? hd_threads(ctx) : blocks;
    size_t block = (size_t)net->nsw * HD_LEVELS_BLOCK;
    uint8_t *buf = HD_NEW(a, uint8_t, (size_t)threads * block);
    f->cost = HD_NEW(a, uint8_t, (size_t)f->ntarget * net->nsw);
    f->spare = HD_NEW(a, uint8_t, (size_t)f->ntarget * net->nsw);
    if (!buf || !f->cost || !f->spare) return hd_fail_memory(ctx);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint32_t at = 0; at < f->ntarget; at += HD_LEVELS_BLOCK) {
        uint32_t n = f->ntarget - at < HD_LEVELS_BLOCK ? f->ntarget - at : HD_LEVELS_BLOCK;
        uint8_t *cost = buf + (size_t)hd_thread_id() * block;
        hd_levels_cost(&f->lv, f->target + at, n, cost);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t v = 0; v < net->nsw; v++) {
                const uint8_t hops = cost[(size_t)v * HD_LEVELS_BLOCK + i];
                f->cost[(size_t)(at + i) * net->nsw + v] = hops;
                f->sources[at + i] += hops == HD_FAR ? 0 : f->hosts[v];
            }
            find_spare(f, at + i);
        }
    }
    return HD_OK;
}

/* Every switch has some entry; those that pairs need are then replaced. */
static void fill_spare(struct hd_ctx *ctx, const struct ftree *f)
{
    const struct hd_net *net = f->lv.net;
#pragma omp parallel for schedule(static) num_threads(hd_threads(ctx))
    for (uint32_t e = 0; e < net->nep; e++)
        memcpy(hd_row(f->r, e, 0), f->spare + (size_t)f->target_of[hd_leaf(net, e)] * net->nsw, net->nsw);
}

static hd_status find_cables(struct hd_ctx *ctx, struct hd_arena *a, struct ftree *f)
{
    const struct hd_net *net = f->lv.net;
    const uint32_t n = f->lv.down[net->nsw];
    f->cables = HD_NEW(a, struct ftree_cable, n);
    if (!f->cables) return hd_fail_memory(ctx);
    for (uint32_t k = 0; k < n; k++)
        f->cables[k] = (struct ftree_cable){net->head[f->lv.down_chan[k]], net->rev[f->lv.down_chan[k]]};
    return HD_OK;
}

struct ftree_opt {
    const char *order;
};

/* Groups of all channels on shortest paths up and then down, towards the endpoints of target i. */
static hd_status ftree_groups(struct hd_ctx *ctx, const struct ftree *f, uint32_t i)
{
    const struct hd_net *net = f->lv.net;
    const uint8_t *cost = f->cost + (size_t)i * net->nsw;
    const uint32_t t = f->target[i];
    for (uint32_t v = 0; v < net->nsw; v++) {
        const bool down = hd_levels_above(net->level[v], net->level[t], cost[v]);
        const uint32_t *chan = down ? f->lv.down_chan : f->lv.up_chan, *first = down ? f->lv.down : f->lv.up;
        struct hd_port_set set = {{0}};
        for (uint32_t k = first[v]; v != t && k < first[v + 1] && cost[v] != HD_FAR; k++)
            if (cost[net->head[chan[k]]] + 1 == cost[v]) hd_set_add(&set, chan[k] - net->off[v]);
        for (uint32_t c = net->off[t]; v != t && c < net->off[t + 1]; c++)
            if (net->head[c] >= net->nsw) HD_TRY(hd_groups_set(ctx, f->r, net->head[c] - net->nsw, v, &set));
    }
    return HD_OK;
}

/* Fills the table, which has room and nothing else, and its groups if it has some. */
static hd_status ftree_fill(struct hd_ctx *ctx, const char *order, struct hd_arena *a, struct hd_routes *r)
{
    const struct hd_net *net = r->net;
    struct ftree f = {.r = r, .load = HD_NEW(a, uint64_t, net->nchan)};
    if (!f.load || !HD_NEW_U32(a, net->nsw, &f.target, &f.target_of, &f.sources, &f.hosts, &f.through, &f.mark, &f.via,
                               &f.entered, &f.flow, &f.chain))
        return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) f.hosts[hd_leaf(net, e)]++;
    HD_TRY(hd_levels_init(ctx, a, net, &f.lv));
    for (uint32_t i = 0; i < net->nsw; i++) {
        uint32_t v = f.lv.by_level[i];
        if (net->level[v] != 1 && r->leaf_of[v] == UINT32_MAX) continue;
        f.target_of[v] = f.ntarget;
        f.target[f.ntarget++] = v;
    }
    HD_TRY(find_cables(ctx, a, &f));
    HD_TRY(find_costs(ctx, a, &f));
    fill_spare(ctx, &f);
    HD_TRY(route_all(ctx, a, &f, order));
    for (uint32_t i = 0; r->groups && i < f.ntarget; i++) HD_TRY(ftree_groups(ctx, &f, i));
    return HD_OK;
}

static hd_status ftree_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *a, struct hd_routes *r)
{
    HD_TRY(hd_routes_table_unset(ctx, r, 1));
    HD_TRY(ftree_fill(ctx, ((const struct ftree_opt *)opt)->order, a, r));
    return hd_settle_rest_holes(ctx, r);
}

static hd_status ar_ftree_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *a, struct hd_routes *r)
{
    HD_TRY(hd_routes_table_unset(ctx, r, 1));
    HD_TRY(hd_groups_make(ctx, r));
    return ftree_fill(ctx, ((const struct ftree_opt *)opt)->order, a, r);
}

static const struct hd_param ftree_params[] = {
    {"order", HD_TEXT, "",
     "route destinations as this file lists them (names or port GUIDs, one per line), the others after them",
     offsetof(struct ftree_opt, order), 0, 0, NULL, false},
    {0}};

const struct hd_engine hd_engine_ftree = {
    .desc = {.name = "ftree",
             .summary = "fat trees by counters: few destinations per down cable, also on partial, uneven and degraded "
                        "trees",
             .text = "Destinations are routed leaf by leaf. The main path climbs from the switch of the destination "
                     "to the top, each step by the cable with the fewest pairs coming down; switches below the main "
                     "path go up to it by their least used cable. A leaf that this does not reach climbs by itself. "
                     "Leaves with fewer endpoints than the fullest are filled up with dummy destinations that only "
                     "count, so that a Shift of all ranks stays free of contention. It needs levels only, and serves "
                     "every pair that has a path up and then down, by a shortest such path.",
             .cite = "Zahavi, Johnson, Kerbyson, Lang: Optimized InfiniBand fat-tree routing for shift all-to-all "
                     "communication patterns; OpenSM's ftree",
             .params = ftree_params,
             .examples = (const char *const[]){"ftree", NULL},
             .opt_size = sizeof(struct ftree_opt)},
    .claims = HD_CLAIM_DEADLOCK_FREE,
    .applies = hd_levels_applies,
    .fallback = "settle",
    .route = ftree_route};

const struct hd_engine hd_engine_ar_ftree = {
    .desc = {.name = "ar_ftree",
             .summary = "adaptive fat trees: switches choose among all shortest paths up and then down",
             .text =
                 "Adaptive routing on networks with levels, as subnet managers of NVIDIA offer it. Static ports are "
                 "those of ftree; towards each destination a switch has a group of all ports that begin a shortest "
                 "path up and then down, and takes any of them, packet by packet. check proves reachability and "
                 "deadlock freedom for every choice that the groups allow. All commands that follow one path per "
                 "pair use the static ports.",
             .cite = "NVIDIA MLNX_SM, routing engine ar_ftree; Zahavi, Johnson, Kerbyson, Lang: Optimized InfiniBand "
                     "fat-tree routing for shift all-to-all communication patterns",
             .params = ftree_params,
             .examples = (const char *const[]){"ar_ftree", NULL},
             .opt_size = sizeof(struct ftree_opt)},
    .role = HD_ENGINE_BASELINE,
    .claims = HD_CLAIM_DEADLOCK_FREE,
    .applies = hd_levels_applies,
    .fallback = "ar_updn",
    .route = ar_ftree_route};
