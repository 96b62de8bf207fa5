/* SPDX-License-Identifier: BSD-2-Clause */
/* Dimension-order routing on grids, in closed form: nothing is stored but the switches' ports.
 *
 * A switch corrects the lowest digit in which it differs from the destination: on a clique (HyperX,
 * hypercube) in one hop, on a line (mesh) by the step towards it, on a ring (torus) in the
 * shorter direction. Halfway round a ring both directions are equal: up if the switch's digit plus the destination's
 * place among the endpoints of its switch is even, else down, which loads both directions alike. Of n
 * parallel cables destination d takes number d mod n, in port order.
 * A grid that lacks cables or switches has a stored table instead (kernel/structured_routes.h).
 * Lines and cliques cannot deadlock; rings of four and more can in one VL (VLs by which rings'
 * wrap-around cables a path crosses would break that, and are not assigned here). Nothing is stored but the slots of a
 * switch by dimension and direction. Cost: O(dimensions) per step.
 * Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks. */
#include "base/status.h"
#include "net/core/shape.h"
#include "route/engine/engines.h"
#include "route/kernel/structured_routes.h"

struct dor {
    const struct hd_net *net;
    uint32_t at[HD_MAX_DIM + 1]; /* where the digits of a dimension begin among all extents */
    uint32_t *first; /* [v * (extents + 1) + at[i] + z] v's cables to digit z of dimension i begin in slot */
    uint8_t *slot;   /* [nchan] */
    uint16_t *place; /* [nep] among the endpoints of its switch */
};

/* The digit to go to next in a dimension where x differs from y. */
static uint32_t dor_step(const struct hd_shape *s, uint32_t i, uint32_t x, uint32_t y, uint32_t place)
{
    uint32_t m = s->m[i], ahead = (y + m - x) % m;
    if (s->w[i] == HD_CLIQUE) return y;
    if (s->w[i] == HD_LINE) return y > x ? x + 1 : x - 1;
    bool up = 2 * ahead == m ? (x + place) % 2 == 0 : 2 * ahead < m;
    return up ? (x + 1) % m : (x + m - 1) % m;
}

static uint8_t entry(const struct dor *g, uint32_t v, uint32_t d)
{
    const struct hd_net *net = g->net;
    const struct hd_shape *s = &net->shape;
    uint32_t leaf = hd_leaf(net, d), i = 0;
    if (v == leaf) return (uint8_t)(net->rev[net->off[net->nsw + d]] - net->off[v]);
    const uint16_t *x = hd_coord(net, v), *y = hd_coord(net, leaf);
    while (x[i] == y[i]) i++;
    uint32_t z = dor_step(s, i, x[i], y[i], g->place[d]);
    const uint32_t *first = g->first + (size_t)v * (g->at[s->n] + 1) + g->at[i] + z;
    return g->slot[first[0] + d % (first[1] - first[0])];
}

static void row_dor(const struct hd_routes *r, uint32_t d, uint32_t x, uint8_t *row)
{
    (void)x;
    for (uint32_t v = 0; v < r->net->nsw; v++) row[v] = r->net->unplaced[v] ? HD_SLOT_NONE : entry(r->data, v, d);
}

static uint32_t path_dor(const struct hd_routes *r, uint32_t s, uint32_t d, uint32_t x, uint32_t *chan)
{
    const struct hd_net *net = r->net;
    uint32_t n = 0, v = hd_leaf(net, s), target = net->nsw + d;
    (void)x;
    chan[n++] = net->off[net->nsw + s];
    while (v != target) {
        if (n == HD_MAX_HOPS) return 0;
        chan[n] = net->off[v] + entry(r->data, v, d);
        v = net->head[chan[n++]];
    }
    return n;
}

static const struct hd_form dor_form = {.row = row_dor, .path = path_dor};

/* ---- making -------------------------------------------------------------------------------- */

/* Where among the lists of v the channel c belongs: the one dimension in which its ends differ. */
static uint32_t list_of(const struct dor *g, uint32_t c)
{
    const uint16_t *x = hd_coord(g->net, g->net->tail[c]), *y = hd_coord(g->net, g->net->head[c]);
    uint32_t i = 0;
    while (i + 1 < g->net->shape.n && x[i] == y[i]) i++;
    return g->at[i] + y[i];
}

static hd_status dor_init(struct hd_ctx *ctx, struct hd_arena *a, const struct hd_net *net, struct dor *g)
{
    g->net = net;
    for (uint32_t i = 0; i < net->shape.n; i++) g->at[i + 1] = g->at[i] + net->shape.m[i];
    uint32_t lists = g->at[net->shape.n];
    g->first = HD_NEW(a, uint32_t, (size_t)net->nsw * (lists + 1));
    g->slot = HD_NEW(a, uint8_t, net->nchan);
    g->place = HD_NEW(a, uint16_t, net->nep);
    if (!g->first || !g->slot || !g->place) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t *first = g->first + (size_t)v * (lists + 1), n = net->off[v];
        uint16_t place = 0;
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            if (net->head[c] >= net->nsw)
                g->place[net->head[c] - net->nsw] = place++;
            else
                first[list_of(g, c)]++;
        }
        for (uint32_t i = 0; i <= lists; i++) { /* ends; filling backwards turns them into beginnings */
            n += first[i];
            first[i] = n;
        }
        for (uint32_t c = net->off[v + 1]; c-- > net->off[v];)
            if (net->head[c] < net->nsw) g->slot[--first[list_of(g, c)]] = (uint8_t)(c - net->off[v]);
    }
    return HD_OK;
}

static hd_status dor_applies(struct hd_ctx *ctx, const struct hd_engine *e, const struct hd_net *net, const void *opt)
{
    (void)e, (void)opt;
    return net->shape.kind == HD_SHAPE_GRID
               ? HD_OK
               : hd_fail_na(ctx, "dor", net->spec, "not a grid (mesh, torus, hypercube, HyperX)");
}

static bool dor_whole(const struct hd_net *net)
{
    uint64_t switches = 1;
    for (uint32_t i = 0; i < net->shape.n; i++) switches *= net->shape.m[i];
    return switches == hd_placed(net) && !net->shape.missing && !net->shape.strays;
}

/* The lowest dimension that a shortest path over what is left can begin with. */
static hd_status dor_damaged(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_routes *r)
{
    struct hd_shortest shortest;
    HD_TRY(hd_routes_table(ctx, r, 1));
    HD_TRY(hd_shortest_init(ctx, scratch, r, &shortest));
    return hd_structured_fill(ctx, &shortest, r);
}

static hd_status dor_route(struct hd_ctx *ctx, const void *opt, struct hd_arena *scratch, struct hd_routes *r)
{
    (void)opt;
    if (!dor_whole(r->net)) return dor_damaged(ctx, scratch, r);
    struct dor *g = HD_NEW(&r->arena, struct dor, 1);
    if (!g) return hd_fail_memory(ctx);
    HD_TRY(dor_init(ctx, &r->arena, r->net, g));
    hd_routes_form(r, 1, &dor_form, g);
    return HD_OK;
}

const struct hd_engine hd_engine_dor = {
    .desc = {.name = "dor",
             .summary = "dimension order on meshes, tori, hypercubes and HyperX, in closed form",
             .text = "The lowest digit that differs is corrected first: in one hop where the switches of a dimension "
                     "are fully connected, by single steps on a line, in the shorter direction on a ring. Halfway "
                     "round a ring the direction is up if the digit of the switch plus the position of the "
                     "destination among the endpoints of its switch is even, otherwise down. Destination d takes "
                     "parallel cable d mod n. Where switches or cables are missing, paths are shortest over what is "
                     "left, and the lowest dimension comes first among those. An intact grid is deadlock-free unless "
                     "it has rings of four or more switches.",
             .cite = "Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks",
             .examples = (const char *const[]){"dor", NULL},
             .command = "heddle check mesh:dims=4x4,hosts=2 dor"},
    .claims = HD_CLAIM_MINIMAL | HD_CLAIM_COMPLETE,
    .applies = dor_applies,
    .fallback = "settle",
    .route = dor_route};
