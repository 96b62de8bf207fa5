/* SPDX-License-Identifier: BSD-2-Clause */
/* The best split over the groups of adaptive routing: a concurrent flow whose largest load is least, where a flow may
 * take any path that the groups allow. Flows to one destination could share the split of a switch without loss, so this
 * is also the best that splits per switch and destination can do.
 *
 * Every flow has the acyclic graph of its choices, with the share that each switch gives to each port. It begins even,
 * which is the optimum of an intact tree, and is improved by multiplicative weights: a channel has the weight
 * (load / largest load)^p, and a path loses share by the product of 1 / (1 + 2 weight / p) along it. Along a graph this
 * takes one pass backwards, since the shares of paths are products of the shares of ports. p grows, so that first large
 * and then small differences count. Weights prove a bound at any time, whatever made them: of flows with demands d and
 * shortest paths of lengths s in these weights, no split carries more at once than
 *     sum of capacity * weight / sum of d * s.
 * Bounds are taken with several powers, the host cables (which no split changes) are another. The search ends when both
 * are within 0.2 %, or after a number of rounds. No function of the mathematical library is called, whose last digits
 * differ between machines.
 * Cost: O(rounds * channels that flows may use). Source: Plotkin, Shmoys, Tardos: Fast approximation algorithms for
 * fractional packing and covering problems; Garg, Könemann: Faster and simpler algorithms for multicommodity flow. */
#include "flow/bound/best_split.h"
#include "base/status.h"
#include "route/core/routes_view.h"

#include <string.h>

enum { ROUNDS = 96, EACH = 12, POWERS = 5, END = -1 };
enum { BUILD = 8 }; /* passes that take as long as building the graphs */

static const double close_enough = 1.002;

struct split_arc {
    uint32_t chan;
    int32_t to; /* switch of the flow, END: the destination */
    float part; /* of what is at the switch */
};

struct split_flow {
    size_t node, arc; /* where its switches and arcs begin */
    uint32_t nnode;
    uint32_t from, into; /* cables of its two hosts */
    double demand;
};

struct hd_splitter {
    struct hd_split_in in;
    const struct hd_net *net;
    struct hd_arena *arena;
    uint32_t nflow, flow_room, nnode, node_room, order_room, narc, arc_room;
    struct split_flow *flow;
    uint32_t *first; /* [nnode] first arc of each switch of each flow, counted from that of the flow */
    uint32_t *order; /* [nnode] switches of a flow such that every one comes after those that lead to it */
    struct split_arc *arc;
    double *load, *weight;        /* [nchan] relative to the rate of the channel */
    double *keep;                 /* [nchan] what a path keeps of its share */
    uint32_t nused, *used;        /* channels with load */
    double *amount, *rest, *dist; /* [nsw] of the flow being visited */
    uint32_t *local, *queue, *into;
    uint64_t steps;
    bool leaks; /* some switch has a port behind which nothing leads to the destination of a flow */
};

hd_status hd_splitter_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_split_in *in,
                           struct hd_splitter **splitter)
{
    const struct hd_net *net = hd_routes_net(in->routes);
    struct hd_splitter *w = HD_NEW(arena, struct hd_splitter, 1);
    if (!w) return hd_fail_memory(ctx);
    *w = (struct hd_splitter){.in = *in, .net = net, .arena = arena};
    w->load = HD_NEW(arena, double, net->nchan);
    w->weight = HD_NEW(arena, double, net->nchan);
    w->keep = HD_NEW(arena, double, net->nchan);
    w->amount = HD_NEW(arena, double, net->nsw);
    w->rest = HD_NEW(arena, double, net->nsw);
    w->dist = HD_NEW(arena, double, net->nsw);
    if (!w->load || !w->weight || !w->keep || !w->amount || !w->rest || !w->dist ||
        !HD_NEW_U32(arena, net->nchan, &w->used) || !HD_NEW_U32(arena, net->nsw, &w->local, &w->queue, &w->into))
        return hd_fail_memory(ctx);
    memset(w->local, 0xff, net->nsw * sizeof *w->local);
    *splitter = w;
    return HD_OK;
}

uint64_t hd_split_steps(const struct hd_splitter *w)
{
    return w->steps;
}

/* ---- the graph of a flow ------------------------------------------------------------------------------------ */

static bool split_add_arc(struct hd_splitter *w, uint32_t chan, int32_t to)
{
    if (w->narc == UINT32_MAX / 2 || !HD_MORE(w->arena, w->arc, w->narc, w->arc_room)) return false;
    w->arc[w->narc++] = (struct split_arc){chan, to, 0};
    return true;
}

static bool split_add_node(struct hd_splitter *w, uint32_t first)
{
    if (!HD_MORE(w->arena, w->first, w->nnode, w->node_room) || !HD_MORE(w->arena, w->order, w->nnode, w->order_room))
        return false;
    w->first[w->nnode++] = first;
    return true;
}

/* Switches that a flow may come to, breadth first, and the arcs between them. *n: how many; false: out of memory. */
static bool split_explore(struct hd_splitter *w, uint32_t s, uint32_t d, uint32_t x, const struct split_flow *f,
                          uint32_t *n)
{
    const struct hd_net *net = w->net;
    w->queue[0] = hd_leaf(net, s);
    w->local[w->queue[0]] = 0;
    w->into[0] = 0;
    *n = 1;
    for (uint32_t i = 0; i < *n; i++) {
        uint8_t slot[HD_MAX_PORTS + 1];
        const uint32_t v = w->queue[i], ports = hd_routes_choices(w->in.routes, d, x, v, slot);
        if (!split_add_node(w, w->narc - (uint32_t)f->arc)) return false;
        for (uint32_t k = 0; k < ports; k++) {
            const uint32_t c = net->off[v] + slot[k], u = net->head[c];
            if (u >= net->nsw && u != net->nsw + d) continue;
            if (u < net->nsw && w->local[u] == UINT32_MAX) {
                w->local[u] = *n;
                w->into[*n] = 0;
                w->queue[(*n)++] = u;
            }
            if (u < net->nsw) w->into[w->local[u]]++;
            if (!split_add_arc(w, c, u < net->nsw ? (int32_t)w->local[u] : END)) return false;
        }
    }
    return true;
}

static uint32_t split_end(const struct hd_splitter *w, const struct split_flow *f, uint32_t v)
{
    return v + 1 < f->nnode ? w->first[f->node + v + 1] : w->narc - (uint32_t)f->arc;
}

/* Puts the switches of the last flow in order; false: choices lead around a cycle. */
static bool split_sort(struct hd_splitter *w, const struct split_flow *f)
{
    uint32_t n = 0, *order = w->order + f->node;
    order[n++] = 0;
    if (w->into[0]) return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t a = w->first[f->node + order[i]], end = split_end(w, f, order[i]); a < end; a++) {
            const int32_t to = w->arc[f->arc + a].to;
            if (to != END && --w->into[to] == 0) order[n++] = (uint32_t)to;
        }
    return n == f->nnode;
}

/* Even parts of all arcs that lead to the destination; those that do not keep none. False: none does. */
static bool split_even(struct hd_splitter *w, const struct split_flow *f)
{
    for (uint32_t i = f->nnode; i-- > 0;) {
        const uint32_t v = w->order[f->node + i];
        struct split_arc *a = w->arc + f->arc + w->first[f->node + v], *end = w->arc + f->arc + split_end(w, f, v);
        uint32_t good = 0;
        for (struct split_arc *k = a; k < end; k++) good += k->to == END || w->dist[k->to] > 0;
        for (struct split_arc *k = a; k < end; k++) k->part = k->to == END || w->dist[k->to] > 0 ? 1 / (float)good : 0;
        w->leaks = w->leaks || a + good < end;
        w->dist[v] = good; /* used as a flag here */
    }
    return w->dist[0] > 0;
}

/* Adds the graph of a flow; one without a path, or with choices that do not end, adds none. False: out of memory. */
static bool split_add(struct hd_splitter *w, uint32_t s, uint32_t d, uint32_t x, double demand)
{
    const struct hd_net *net = w->net;
    struct split_flow f = {.node = w->nnode, .arc = w->narc, .demand = demand, .from = net->off[net->nsw + s]};
    f.into = net->rev[net->off[net->nsw + d]];
    if (!HD_MORE(w->arena, w->flow, w->nflow, w->flow_room)) return false;
    const bool room = split_explore(w, s, d, x, &f, &f.nnode);
    for (uint32_t i = 0; i < f.nnode; i++) w->local[w->queue[i]] = UINT32_MAX;
    if (!room) return false;
    if (split_sort(w, &f) && split_even(w, &f)) {
        w->flow[w->nflow++] = f;
    } else {
        w->nnode = (uint32_t)f.node;
        w->narc = (uint32_t)f.arc;
    }
    return true;
}

/* ---- loads and weights -------------------------------------------------------------------------------------- */

static uint32_t split_arcs_end(const struct hd_splitter *w, uint32_t i, uint32_t v)
{
    const struct split_flow *f = &w->flow[i];
    if (v + 1 < f->nnode) return w->first[f->node + v + 1];
    return (uint32_t)((i + 1 < w->nflow ? w->flow[i + 1].arc : w->narc) - f->arc);
}

/* Adds the loads of a flow; returns which share of it arrives. blind: switches split evenly over all of their ports,
 * those included behind which nothing leads to the destination. */
static double split_load_flow(struct hd_splitter *w, uint32_t i, bool blind)
{
    const struct split_flow *f = &w->flow[i];
    double arrived = 0;
    for (uint32_t k = 0; k < f->nnode; k++) w->amount[k] = 0;
    w->amount[0] = f->demand;
    for (uint32_t k = 0; k < f->nnode; k++) {
        const uint32_t v = w->order[f->node + k];
        const double here = w->amount[v];
        const uint32_t first = w->first[f->node + v], end = split_arcs_end(w, i, v);
        for (uint32_t a = first; a < end; a++) {
            const struct split_arc *arc = &w->arc[f->arc + a];
            const double x = blind ? here / (end - first) : here * (double)arc->part;
            w->load[arc->chan] += x;
            *(arc->to == END ? &arrived : &w->amount[arc->to]) += x;
        }
    }
    return arrived / f->demand;
}

static double split_capacity(const struct hd_splitter *w, uint32_t c)
{
    const struct hd_rates *rates = w->in.rates;
    return rates->factor ? (double)rates->scale / rates->factor[c] : 1;
}

/* Loads of the split as it is, or of a blind one, relative to rates; returns the largest. Cables into the network are
 * no part of it. *arrives: the least share of any flow. */
static double split_loads(struct hd_splitter *w, bool blind, double *arrives)
{
    double most = 0;
    *arrives = 1;
    for (uint32_t i = 0; i < w->nused; i++) w->load[w->used[i]] = 0;
    for (uint32_t i = 0; i < w->nflow; i++) {
        const double share = split_load_flow(w, i, blind);
        if (share < *arrives) *arrives = share;
    }
    for (uint32_t i = 0; i < w->nused; i++) {
        const uint32_t c = w->used[i];
        w->load[c] /= split_capacity(w, c);
        if (w->load[c] > most) most = w->load[c];
    }
    w->steps += w->narc;
    return most;
}

/* (load / largest)^(2^squares) of every channel that is used. */
static void split_weigh(struct hd_splitter *w, double most, int squares)
{
    for (uint32_t i = 0; i < w->nused; i++) {
        const uint32_t c = w->used[i];
        double x = w->load[c] / most;
        for (int k = 0; k < squares; k++) x *= x;
        w->weight[c] = x;
    }
}

/* What the weights prove: no split gives every flow more than this. Lengths are weights by capacity. */
static double split_bound(struct hd_splitter *w)
{
    double capacity = 0, length = 0;
    for (uint32_t i = 0; i < w->nused; i++) capacity += w->weight[w->used[i]];
    for (uint32_t i = 0; i < w->nflow; i++) {
        const struct split_flow *f = &w->flow[i];
        for (uint32_t k = f->nnode; k-- > 0;) {
            const uint32_t v = w->order[f->node + k];
            double least = -1;
            for (uint32_t a = w->first[f->node + v], end = split_arcs_end(w, i, v); a < end; a++) {
                const struct split_arc *arc = &w->arc[f->arc + a];
                if (arc->to != END && w->dist[arc->to] < 0) continue;
                const double x =
                    w->weight[arc->chan] / split_capacity(w, arc->chan) + (arc->to == END ? 0 : w->dist[arc->to]);
                if (least < 0 || x < least) least = x;
            }
            w->dist[v] = least; /* below 0: does not lead to the destination */
        }
        length += f->demand * w->dist[0];
    }
    w->steps += w->narc;
    return length > 0 ? capacity / length : -1;
}

/* Moves shares away from paths of large weight. */
static void split_improve(struct hd_splitter *w, double rate)
{
    for (uint32_t i = 0; i < w->nused; i++) w->keep[w->used[i]] = 1 / (1 + rate * w->weight[w->used[i]]);
    for (uint32_t i = 0; i < w->nflow; i++) {
        const struct split_flow *f = &w->flow[i];
        for (uint32_t k = f->nnode; k-- > 0;) {
            const uint32_t v = w->order[f->node + k];
            struct split_arc *first = w->arc + f->arc + w->first[f->node + v],
                             *end = w->arc + f->arc + split_arcs_end(w, i, v);
            double sum = 0;
            for (struct split_arc *a = first; a < end; a++) {
                a->part = (float)((double)a->part * w->keep[a->chan] * (a->to == END ? 1 : w->rest[a->to]));
                sum += (double)a->part;
            }
            for (struct split_arc *a = first; sum > 0 && a < end; a++) a->part = (float)((double)a->part / sum);
            w->rest[v] = sum;
        }
    }
    w->steps += w->narc;
}

/* ---- one sample --------------------------------------------------------------------------------------------- */

/* Cables of hosts, which carry the same whatever switches choose: their largest load. */
static double split_ends(struct hd_splitter *w)
{
    double most = 0;
    for (uint32_t i = 0; i < w->nflow; i++) w->load[w->flow[i].from] = w->load[w->flow[i].into] = 0;
    for (uint32_t i = 0; i < w->nflow; i++) {
        const uint32_t end[] = {w->flow[i].from, w->flow[i].into};
        for (int k = 0; k < 2; k++) {
            w->load[end[k]] += w->flow[i].demand / split_capacity(w, end[k]);
            if (w->load[end[k]] > most) most = w->load[end[k]];
        }
    }
    return most;
}

static void split_list_used(struct hd_splitter *w)
{
    w->nused = 0;
    for (uint32_t a = 0; a < w->narc; a++) w->weight[w->arc[a].chan] = 0;
    for (uint32_t a = 0; a < w->narc; a++) {
        const uint32_t c = w->arc[a].chan;
        if (w->weight[c] == 0) w->used[w->nused++] = c;
        w->weight[c] = 1;
    }
}

static void split_prove(struct hd_splitter *w, double most, struct hd_split *out)
{
    for (int k = 0; k < POWERS && out->bound > out->best * close_enough; k++) {
        split_weigh(w, most, 4 + 2 * k);
        const double bound = split_bound(w);
        if (bound > 0 && bound < out->bound) out->bound = bound;
    }
}

static void split_search(struct hd_splitter *w, double ends, struct hd_split *out)
{
    double arrives = 1, even = w->leaks ? split_loads(w, true, &arrives) : 0;
    even = arrives / (even > ends ? even : ends);
    double all, most = split_loads(w, false, &all);
    if (ends > most) most = ends;
    out->best = 1 / most;
    out->even = w->leaks && even < out->best ? even : out->best;
    out->bound = 1 / ends;
    for (int round = 0; round < ROUNDS && out->bound > out->best * close_enough; round++) {
        const int squares = 3 + 2 * (round / (ROUNDS / 4));
        if (round % EACH == 0) split_prove(w, most, out);
        split_weigh(w, most, squares);
        split_improve(w, 2 / (double)(1 << squares));
        most = split_loads(w, false, &all);
        if (ends > most) most = ends;
        if (1 / most > out->best) out->best = 1 / most;
    }
    split_prove(w, most, out);
    if (out->bound < out->best) out->bound = out->best; /* by a rounding error */
}

hd_status hd_split_run(struct hd_ctx *ctx, struct hd_splitter *w, const struct hd_flows *f, struct hd_split *out)
{
    *out = (struct hd_split){.served = false};
    w->nflow = w->nnode = w->narc = 0;
    w->steps = 0;
    w->leaks = false;
    for (uint32_t i = 0; i < f->n; i++) {
        const uint32_t first = w->in.nvar > 1 ? 0 : hd_routes_variant(w->in.routes, f->src[i], f->dst[i]);
        const double demand = (f->weight ? f->weight[i] : 1.0) / w->in.unit;
        for (uint32_t x = first; x < first + w->in.nvar; x++)
            if (!split_add(w, f->src[i], f->dst[i], x, demand)) return hd_fail_memory(ctx);
    }
    if (!w->nflow) return HD_OK;
    split_list_used(w);
    w->steps += BUILD * (uint64_t)w->narc;
    out->served = true;
    split_search(w, split_ends(w), out);
    return HD_OK;
}
