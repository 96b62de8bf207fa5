/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes for one permutation, known in advance, on a tree with enough cables upwards: no channel carries two flows.
 * This is what a routing with global knowledge could do, and the proof that a bound of 1 is met.
 *
 * Level by level. At level l every flow that has not met its way down is at a switch a, on its way up, and
 * has to come down through a switch b. These flows are the edges a-b of a bipartite multigraph; its colours
 * are the up ports of level l: a flow of colour q leaves a by port q, and comes back to b from the parent at
 * b's port q. Flows that share a switch have different colours, so no cable carries two. Both parents have the
 * same digit, that of port q, so the two ways stay in one plane and meet at the lowest common subtree.
 * There must be as many ports as the largest number of flows at a switch: m_l p_l <= w_{l+1} p_{l+1} does. */
#ifndef REARRANGE_PAIRS_H
#define REARRANGE_PAIRS_H

#include "base/status.h"
#include "edge_colouring.h"
#include "heddle/load.h"
#include "heddle/route.h"
#include "route/kernel/tree_ports.h"

struct hd_path_list {
    uint32_t n;
    size_t *at;     /* [n + 1] */
    uint32_t *chan; /* path i: chan[at[i]] .. chan[at[i+1]-1], both endpoint cables included */
};

struct rearrange_job {
    const struct hd_net *net;
    const struct hd_flows *f;
    struct hd_tree tree;
    uint32_t n;
    uint32_t *a, *b;     /* [n] where the flow is on its way up, and where it must come down */
    uint32_t *top;       /* [n] level at which they met */
    uint32_t *up, *down; /* [n * h] channel between levels l and l+1 at l */
    uint32_t *who, *u, *v, *colour;
};

static hd_status climb(struct hd_ctx *ctx, struct rearrange_job *k, uint32_t l)
{
    const struct hd_net *net = k->net;
    uint32_t n = 0, colours, ports = net->shape.w[l] * net->shape.p[l];
    for (uint32_t i = 0; i < k->n; i++) {
        if (k->a[i] == k->b[i]) continue;
        k->u[n] = k->a[i];
        k->v[n] = k->b[i];
        k->who[n++] = i;
    }
    HD_TRY(hd_edge_colour(ctx, &(struct hd_edges){net->nsw, net->nsw, n, k->u, k->v}, k->colour, &colours));
    if (colours > ports && n)
        return hd_fail(ctx, HD_INPUT, "%.200s: %u flows meet at a switch of level %u, which has %u cables upwards",
                       net->spec, colours, l, ports);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t i = k->who[j], *a = &k->a[i], *b = &k->b[i];
        uint8_t up = hd_tree_up(&k->tree, *a, k->colour[j]), back = hd_tree_up(&k->tree, *b, k->colour[j]);
        if (up == HD_SLOT_NONE || back == HD_SLOT_NONE)
            return hd_fail(ctx, HD_INPUT, "%.200s: a cable upwards from level %u is missing", net->spec, l);
        k->up[(size_t)i * k->tree.h + l] = net->off[*a] + up;
        k->down[(size_t)i * k->tree.h + l] = net->rev[net->off[*b] + back];
        *a = net->head[net->off[*a] + up];
        *b = net->head[net->off[*b] + back];
        k->top[i] = l + 1;
    }
    return HD_OK;
}

static void write_path(const struct rearrange_job *k, uint32_t i, uint32_t *chan, size_t *n)
{
    const struct hd_net *net = k->net;
    chan[(*n)++] = net->off[net->nsw + k->f->src[i]];
    for (uint32_t l = 1; l < k->top[i]; l++) chan[(*n)++] = k->up[(size_t)i * k->tree.h + l];
    for (uint32_t l = k->top[i]; l-- > 1;) chan[(*n)++] = k->down[(size_t)i * k->tree.h + l];
    chan[(*n)++] = net->rev[net->off[net->nsw + k->f->dst[i]]];
}

static hd_status rearrange_init(struct hd_ctx *ctx, struct hd_arena *a, struct rearrange_job *k)
{
    const struct hd_net *net = k->net;
    if (net->shape.kind != HD_SHAPE_TREE || net->shape.missing)
        return hd_fail(ctx, HD_INPUT, "%.200s: not an intact tree", net->spec);
    HD_TRY(hd_tree_init(ctx, a, net, &k->tree));
    size_t n = k->n;
    uint32_t **arrays[] = {&k->a, &k->b, &k->top, &k->who, &k->u, &k->v, &k->colour};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!(*arrays[i] = HD_NEW(a, uint32_t, n))) return hd_fail_memory(ctx);
    k->up = HD_NEW(a, uint32_t, n * k->tree.h);
    k->down = HD_NEW(a, uint32_t, n * k->tree.h);
    if (!k->up || !k->down) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < k->n; i++) {
        k->a[i] = hd_leaf(net, k->f->src[i]);
        k->b[i] = hd_leaf(net, k->f->dst[i]);
        k->top[i] = 1;
        if (net->level[k->a[i]] != 1 || net->level[k->b[i]] != 1)
            return hd_fail(ctx, HD_INPUT, "%.200s: an endpoint sits above the leaf switches", net->spec);
    }
    return HD_OK;
}

/* HD_INPUT with the reason where the network is no intact tree, or some switch would need more cables upwards than it
 * has. Nobody may send or receive twice. Arrays come from arena. O(flows * levels * log(flows) * log(ports)). */
static inline hd_status hd_route_permutation(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                             const struct hd_flows *flows, struct hd_path_list *paths)
{
    struct hd_arena scratch = {0};
    struct rearrange_job k = {.net = net, .f = flows, .n = flows->n};
    size_t hops = 0, n = 0;
    hd_status s = rearrange_init(ctx, &scratch, &k);
    for (uint32_t l = 1; s == HD_OK && l < k.tree.h; l++) s = climb(ctx, &k, l);
    for (uint32_t i = 0; s == HD_OK && i < k.n; i++) hops += 2 * k.top[i];
    struct hd_path_list out = {k.n, NULL, NULL};
    if (s == HD_OK) {
        out.at = HD_NEW(arena, size_t, (size_t)k.n + 1);
        out.chan = HD_NEW(arena, uint32_t, hops);
        if (!out.at || !out.chan) s = hd_fail_memory(ctx);
    }
    for (uint32_t i = 0; s == HD_OK && i < k.n; i++) {
        write_path(&k, i, out.chan, &n);
        out.at[i + 1] = n;
    }
    hd_arena_release(&scratch);
    if (s == HD_OK) *paths = out;
    return s;
}

#endif
