/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of a fat tree by their digits. Levels and digits of both ends say what a cable is, so one pass over the up
 * cables fills both directions; cables beyond those of the shape are not used. Cost O(channels). */
#include "route/kernel/tree_ports.h"
#include "base/status.h"
#include "heddle/route.h"
#include "net/core/shape.h"

#include <string.h>

/* Whether an up cable is one of the shape: both ends agree in all digits but that of the step between them. */
static bool is_tree_cable(const struct hd_net *net, uint32_t c)
{
    const uint16_t *x = hd_coord(net, net->tail[c]), *y = hd_coord(net, net->head[c]);
    uint32_t l = net->level[net->tail[c]];
    for (uint32_t i = 0; i < net->shape.n; i++)
        if (i != l && x[i] != y[i]) return false;
    return y[l] < net->shape.w[l];
}

/* Cables of switch v to its parents in the shape; those beyond p to one parent do not make up for another. */
static uint32_t count_tree_cables(const struct hd_net *net, uint32_t v)
{
    uint8_t cables[HD_MAX_PORTS + 1] = {0};
    uint32_t l = net->level[v], n = 0;
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->level[net->head[c]] == l + 1 && is_tree_cable(net, c))
            n += ++cables[hd_coord(net, net->head[c])[l]] <= net->shape.p[l];
    return n;
}

/* Unlike shape.missing this counts cables to switches that are gone as well; but where a whole level is
 * not there, as above the planes of a fabric with several, nothing was ever cabled to it. */
static uint32_t missing_up_cables(const struct hd_net *net)
{
    uint32_t missing = 0, top = 0;
    for (uint32_t v = 0; v < net->nsw; v++)
        if (!net->unplaced[v] && net->level[v] > top) top = net->level[v];
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t l = net->level[v];
        if (l < top && !net->unplaced[v]) missing += net->shape.w[l] * net->shape.p[l] - count_tree_cables(net, v);
    }
    return missing;
}

bool hd_tree_whole(const struct hd_net *net)
{
    return net->shape.kind == HD_SHAPE_TREE && !missing_up_cables(net);
}

hd_status hd_tree_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    uint32_t missing;
    (void)opt;
    if (net->shape.kind != HD_SHAPE_TREE) return hd_fail_na(ctx, e->desc.name, net->spec, "not a tree");
    if ((missing = missing_up_cables(net)))
        return hd_fail_na(ctx, e->desc.name, net->spec, "up cables missing: %u (dmodc and ftree route around them)",
                          missing);
    return HD_OK;
}

/* Cable k of a pair: how many cables of the lower switch to the same parent come before channel c. */
static uint32_t cable_number(const struct hd_net *net, uint32_t c)
{
    uint32_t k = 0;
    for (uint32_t b = net->off[net->tail[c]]; b < c; b++) k += net->head[b] == net->head[c];
    return k;
}

static void place_up_cable(struct hd_tree *t, uint32_t c)
{
    const struct hd_net *net = t->net;
    uint32_t u = net->tail[c], v = net->head[c], l = net->level[u], k = cable_number(net, c);
    uint32_t a = hd_coord(net, u)[l], b = hd_coord(net, v)[l];
    if (k >= t->shape->p[l] || !is_tree_cable(net, c)) return; /* a cable that the shape has not is not used */
    t->slot[t->up[u] + b + k * t->shape->w[l]] = (uint8_t)(c - net->off[u]);
    t->slot[t->down[v] + a + k * t->shape->m[l]] = (uint8_t)(net->rev[c] - net->off[v]);
}

hd_status hd_tree_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_tree *t)
{
    const struct hd_shape *s = &net->shape;
    *t = (struct hd_tree){.net = net, .shape = s, .h = s->n};
    t->wprod[0] = t->mprod[0] = 1;
    for (uint32_t i = 0; i < s->n; i++) {
        t->wprod[i + 1] = t->wprod[i] * s->w[i];
        t->mprod[i + 1] = t->mprod[i] * s->m[i];
    }
    t->up = HD_NEW(arena, uint32_t, net->nsw);
    t->down = HD_NEW(arena, uint32_t, net->nsw);
    t->index = HD_NEW(arena, uint64_t, net->nep);
    if (!t->up || !t->down || !t->index) return hd_fail_memory(ctx);
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t l = net->level[v];
        t->down[v] = n;
        n += s->m[l - 1] * s->p[l - 1];
        t->up[v] = n;
        if (l < s->n) n += s->w[l] * s->p[l];
    }
    t->slot = HD_NEW(arena, uint8_t, n);
    if (!t->slot) return hd_fail_memory(ctx);
    memset(t->slot, HD_SLOT_NONE, n);
    for (uint32_t c = 0; c < net->nchan; c++)
        if (net->tail[c] < net->nsw && !net->unplaced[net->tail[c]] &&
            net->level[net->head[c]] == net->level[net->tail[c]] + 1)
            place_up_cable(t, c);
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t c = net->rev[net->off[net->nsw + e]], leaf = net->tail[c];
        if (!hd_has_place(net, e)) continue;
        t->slot[t->down[leaf] + hd_coord(net, net->nsw + e)[0]] = (uint8_t)(c - net->off[leaf]);
        t->index[e] = hd_shape_rank(s, 0, hd_coord(net, net->nsw + e));
    }
    return HD_OK;
}
