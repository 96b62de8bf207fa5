/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain graph questions about a network, answered in the simplest way there is: what tests of topologies
 * compare against. Include after testing.h. */
#ifndef GRAPH_TOOLS_H
#define GRAPH_TOOLS_H

#include "heddle.h"

#define FAR UINT32_MAX

static inline void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    assert_non_null(p);
    return p;
}

/* Cables from a node to every other, FAR where there is no way. */
static inline uint32_t *distances(const struct hd_net *net, uint32_t from)
{
    uint32_t nodes = net->nsw + net->nep, n = 1;
    uint32_t *dist = zeroed(nodes, sizeof *dist), *queue = zeroed(nodes, sizeof *queue);
    memset(dist, 0xff, nodes * sizeof *dist);
    dist[from] = 0;
    queue[0] = from;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[queue[i]]; c < net->off[queue[i] + 1]; c++) {
            uint32_t v = net->head[c];
            if (dist[v] != FAR) continue;
            dist[v] = dist[queue[i]] + 1;
            queue[n++] = v;
        }
    free(queue);
    return dist;
}

/* Largest distance from a switch to a switch of at most the given level; FAR when not connected. */
static inline uint32_t switch_eccentricity(const struct hd_net *net, uint32_t from, uint32_t level)
{
    uint32_t *dist = distances(net, from), most = 0;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (net->level[v] <= level && dist[v] > most) most = dist[v];
    free(dist);
    return most;
}

static inline uint32_t switch_diameter(const struct hd_net *net, uint32_t level)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t e = net->level[v] <= level ? switch_eccentricity(net, v, level) : 0;
        if (e > most) most = e;
    }
    return most;
}

static inline bool is_connected(const struct hd_net *net)
{
    uint32_t *dist = distances(net, 0), v = 0;
    while (v < net->nsw + net->nep && dist[v] != FAR) v++;
    free(dist);
    return v == net->nsw + net->nep;
}

static inline uint32_t cables_between(const struct hd_net *net, uint32_t u, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->off[u]; c < net->off[u + 1]; c++) n += net->head[c] == v;
    return n;
}

/* Cables from a switch to other switches. */
static inline uint32_t switch_cables(const struct hd_net *net, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) n += net->head[c] < net->nsw;
    return n;
}

/* The channel that leaves a node by this port, FAR when the port is open. */
static inline uint32_t channel_at(const struct hd_net *net, uint32_t v, uint32_t port)
{
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->port[c] == port) return c;
    return FAR;
}

static inline void assert_cable(const struct hd_net *net, uint32_t u, uint32_t uport, uint32_t v, uint32_t vport)
{
    uint32_t c = channel_at(net, u, uport);
    if (c == FAR) fail_msg("%s: port %u of node %u is open, expected node %u port %u", net->spec, uport, u, v, vport);
    uint32_t head = net->head[c], port = net->port[net->rev[c]];
    if (head != v || port != vport)
        fail_msg("%s: port %u of node %u leads to node %u port %u, expected node %u port %u", net->spec, uport, u, head,
                 port, v, vport);
}

/* ---- flows --------------------------------------------------------------------------------- */

struct flow {
    const struct hd_net *net;
    const bool *source; /* [nep] the others are sinks */
    bool *used;         /* [nchan] */
    uint32_t *level, *next;
};

static inline bool residual(const struct flow *f, uint32_t c)
{
    return !f->used[c] || f->used[f->net->rev[c]];
}

static inline bool flow_levels(struct flow *f)
{
    const struct hd_net *net = f->net;
    uint32_t nodes = net->nsw + net->nep, n = 0;
    uint32_t *queue = zeroed(nodes, sizeof *queue);
    bool reached = false;
    memset(f->level, 0xff, nodes * sizeof *f->level);
    for (uint32_t e = 0; e < net->nep; e++)
        if (f->source[e]) f->level[queue[n++] = net->nsw + e] = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = net->off[queue[i]]; c < net->off[queue[i] + 1]; c++) {
            uint32_t v = net->head[c];
            if (f->level[v] != FAR || !residual(f, c)) continue;
            f->level[v] = f->level[queue[i]] + 1;
            queue[n++] = v;
            reached |= v >= net->nsw;
        }
    free(queue);
    return reached;
}

static inline bool flow_push(struct flow *f, uint32_t v)
{
    const struct hd_net *net = f->net;
    if (v >= net->nsw && f->level[v]) return true;
    for (uint32_t *i = &f->next[v]; *i < net->off[v + 1]; ++*i) {
        uint32_t c = *i, to = net->head[c];
        if (f->level[to] != f->level[v] + 1 || !residual(f, c) || !flow_push(f, to)) continue;
        if (f->used[net->rev[c]])
            f->used[net->rev[c]] = false;
        else
            f->used[c] = true;
        return true;
    }
    return false;
}

/* How many endpoints of the one side can send to as many of the other at full rate: the maximum flow
 * with one unit a channel (Dinic). */
static inline uint32_t max_flow(const struct hd_net *net, const bool *source)
{
    uint32_t nodes = net->nsw + net->nep, flow = 0;
    struct flow f = {net, source, zeroed(net->nchan, sizeof(bool)), zeroed(nodes, sizeof(uint32_t)),
                     zeroed(nodes, sizeof(uint32_t))};
    while (flow_levels(&f)) {
        memcpy(f.next, net->off, nodes * sizeof *f.next);
        for (uint32_t e = 0; e < net->nep; e++)
            if (source[e] && flow_push(&f, net->nsw + e)) flow++;
    }
    free(f.used);
    free(f.level);
    free(f.next);
    return flow;
}

#endif
