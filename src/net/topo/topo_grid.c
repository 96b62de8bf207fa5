/* SPDX-License-Identifier: BSD-2-Clause */
/* Grids: torus, mesh, hypercube and hyperx are names for one construction, switches at the points of an
 * m_1 x m_2 x ... box. Along each dimension they form a line, a ring or a clique, and p parallel cables
 * connect each pair of neighbours.
 *
 * Switch number = x_1 + m_1 (x_2 + m_2 (...)): the first dimension runs fastest. Endpoints are numbered
 * switch by switch. Ports: the endpoints first, then dimension by dimension,
 *     line, ring   p towards x+1, then p towards x-1 (at the ends of a line these stay open);
 *                  of extent 2 only p, since both neighbours are the same switch
 *     clique       p towards each other switch, in the order of x
 * A ring of extent 2 is built as a line: one neighbour, p cables. Cost: one step per cable. */
#include "base/status.h"
#include "net/topo/topology.h"

struct grid_plan {
    const char *owner;
    struct hd_shape shape;
    uint32_t hosts;
    uint32_t first[HD_MAX_DIM]; /* ports before those of a dimension */
};

static uint64_t ports_along(const struct hd_shape *s, uint32_t i)
{
    if (s->m[i] == 1) return 0;
    if (s->w[i] == HD_CLIQUE) return (uint64_t)(s->m[i] - 1) * s->p[i];
    return (uint64_t)(s->m[i] == 2 ? 1 : 2) * s->p[i];
}

/* Cables among the switches that differ in digit i only. */
static uint64_t cables_along(const struct hd_shape *s, uint32_t i)
{
    uint64_t m = s->m[i], pairs = m - 1; /* of a line */
    if (s->w[i] == HD_CLIQUE) pairs = m * (m - 1) / 2;
    if (s->w[i] == HD_RING) pairs = m;
    return pairs * s->p[i];
}

static hd_status grid_size(struct hd_ctx *ctx, struct grid_plan *g, struct hd_topology_size *size)
{
    const struct hd_shape *s = &g->shape;
    *size = (struct hd_topology_size){.switches = 1, .ports = g->hosts};
    for (uint32_t i = 0; i < s->n; i++) {
        g->first[i] = (uint32_t)size->ports;
        size->ports += ports_along(s, i);
        size->switches *= s->m[i];
        HD_TRY(hd_topology_fits(ctx, g->owner, size)); /* each time, so that no product overflows */
    }
    size->endpoints = size->cables = size->switches * g->hosts;
    for (uint32_t i = 0; i < s->n; i++) size->cables += size->switches / s->m[i] * cables_along(s, i);
    return hd_topology_fits(ctx, g->owner, size);
}

static void cable_dimension(struct hd_builder *b, const struct grid_plan *g, uint32_t v, uint32_t x, uint32_t i,
                            uint32_t stride)
{
    uint32_t m = g->shape.m[i], p = g->shape.p[i], first = g->first[i] + 1;
    if (g->shape.w[i] == HD_CLIQUE) {
        for (uint32_t y = x + 1; y < m; y++)
            for (uint32_t k = 0; k < p; k++)
                hd_builder_cable(b, v, first + (y - 1) * p + k, v + (y - x) * stride, first + x * p + k,
                                 HD_LINK_DEFAULT);
        return;
    }
    if (x + 1 == m && g->shape.w[i] == HD_LINE) return;
    uint32_t to = x + 1 < m ? v + stride : v - x * stride;
    for (uint32_t k = 0; k < p; k++)
        hd_builder_cable(b, v, first + k, to, first + (m == 2 ? 0 : p) + k, HD_LINK_DEFAULT);
}

static hd_status build_grid(struct hd_ctx *ctx, struct grid_plan *g, struct hd_builder *b)
{
    struct hd_topology_size size;
    const struct hd_shape *s = &g->shape;
    uint16_t x[HD_MAX_DIM] = {0};
    HD_TRY(grid_size(ctx, g, &size));
    hd_builder_shape(b, s);
    HD_TRY(hd_topology_begin(ctx, b, size.switches, size.endpoints, size.cables));
    for (uint32_t v = 0; v < size.switches; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.nports = (uint32_t)size.ports, .level = 1});
        hd_builder_coord(b, v, x);
        for (uint32_t h = 0; h < g->hosts; h++) hd_builder_coord(b, hd_builder_host(b, v, h + 1, HD_LINK_DEFAULT), x);
        for (uint32_t i = 0, stride = 1; i < s->n; stride *= s->m[i++]) cable_dimension(b, g, v, x[i], i, stride);
        for (uint32_t i = 0; i < s->n && ++x[i] == s->m[i]; i++) x[i] = 0;
    }
    return HD_OK;
}

/* ---- the four names ------------------------------------------------------------------------ */

struct box_opt {
    struct hd_list dims, cables;
    uint64_t hosts;
    uint64_t n; /* dimensions of a hypercube, in place of dims */
};

static hd_status make_box(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt, struct hd_builder *b)
{
    const char *owner = topology->desc.name;
    const enum hd_wrap wrap = *(const enum hd_wrap *)topology->form;
    const struct box_opt *o = opt;
    if (o->cables.n != 1 && o->cables.n != o->dims.n)
        return hd_fail(ctx, HD_INPUT, "%s: cables has %u entries: expected one, or one for each of the %u dimensions",
                       owner, o->cables.n, o->dims.n);
    struct grid_plan g = {
        .owner = owner, .shape = {.kind = HD_SHAPE_GRID, .n = o->dims.n}, .hosts = (uint32_t)o->hosts};
    for (uint32_t i = 0; i < o->dims.n; i++) {
        g.shape.m[i] = o->dims.v[i];
        g.shape.w[i] = wrap == HD_RING && o->dims.v[i] < 3 ? HD_LINE : wrap;
        g.shape.p[i] = o->cables.v[o->cables.n == 1 ? 0 : i];
    }
    return build_grid(ctx, &g, b);
}

#define NUMBERING                                                                                                      \
    " Switches are numbered with the first dimension running fastest, endpoints switch by switch. Ports: endpoints "   \
    "first, then dimension by dimension"
/* clang-format off */
#define BOX_ROW(name, kind, value, doc, field, min, max, shape) \
    {name, kind, value, doc, offsetof(struct box_opt, field), min, max, NULL, shape}
#define CABLES_ROW \
    BOX_ROW("cables", HD_LIST, "1", "parallel cables between neighbours: one number, or one for each dimension", \
            cables, 1, 253, false)
#define BOX_PARAMS(dims_value, dims_max, hosts_value) \
    (const struct hd_param[]){ \
        BOX_ROW("dims", HD_LIST, dims_value, "switches along each dimension", dims, 1, dims_max, true), \
        BOX_ROW("hosts", HD_UINT, hosts_value, "endpoints on each switch", hosts, 0, 254, true), CABLES_ROW, {0}}
/* clang-format on */

const struct hd_topology hd_topo_torus = {
    .desc = {.name = "torus",
             .summary = "torus of any number of dimensions",
             .text = "Switches at the points of a box; along each dimension they form a ring. A ring of two is one "
                     "neighbour and one cable (write cables=2 for a doubled one), a ring of one has none." NUMBERING
                     ", towards x+1 before towards x-1.",
             .cite = "Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks",
             .params = BOX_PARAMS("4x4x4", 65535, "2"),
             .examples = (const char *const[]){"torus:dims=4x4x4,hosts=2", "torus:dims=3x3,hosts=1",
                                               "torus:dims=2x1x5,hosts=3", "torus:dims=6x4,hosts=2,cables=2x1",
                                               "torus:dims=16x16,hosts=1", "torus:dims=1,hosts=4", NULL},
             .opt_size = sizeof(struct box_opt)},
    .make = make_box,
    .form = &(const enum hd_wrap){HD_RING}};

const struct hd_topology hd_topo_mesh = {
    .desc = {.name = "mesh",
             .summary = "mesh of any number of dimensions",
             .text = "Switches at the points of a box; along each dimension they form a line." NUMBERING
                     ", towards x+1 before towards x-1; at the ends of a line these ports stay open.",
             .cite = "Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks",
             .params = BOX_PARAMS("4x4", 65535, "2"),
             .examples = (const char *const[]){"mesh:dims=2x3,hosts=1", "mesh:dims=4x4,hosts=2",
                                               "mesh:dims=5x3x2,hosts=2,cables=2", "mesh:dims=7,hosts=1",
                                               "mesh:dims=3x1x3,hosts=0", NULL},
             .opt_size = sizeof(struct box_opt)},
    .make = make_box,
    .form = &(const enum hd_wrap){HD_LINE}};

const struct hd_topology hd_topo_hyperx = {
    .desc = {.name = "hyperx",
             .summary = "HyperX: a clique along each dimension (Hamming graph, flattened butterfly)",
             .text =
                 "Switches at the points of a box; along each dimension every switch is connected to every other, so "
                 "the diameter is the number of dimensions." NUMBERING ", and within one in the order of x.",
             .cite = "Ahn, Binkert, Davis, McLaren, Schreiber: HyperX: topology, routing, and packaging of efficient "
                     "large-scale networks",
             .params = BOX_PARAMS("12x8", 254, "7"),
             .examples = (const char *const[]){"hyperx:dims=12x8,hosts=7", "hyperx:dims=3x3,hosts=2",
                                               "hyperx:dims=4x2x3,hosts=1,cables=1x3x2", "hyperx:dims=5,hosts=4", NULL},
             .opt_size = sizeof(struct box_opt)},
    .make = make_box,
    .form = &(const enum hd_wrap){HD_CLIQUE}};

static hd_status make_hypercube(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                                struct hd_builder *b)
{
    struct box_opt box = *(const struct box_opt *)opt;
    box.dims.n = (uint32_t)box.n;
    for (uint32_t i = 0; i < box.dims.n; i++) box.dims.v[i] = 2;
    return make_box(ctx, topology, &box, b);
}

const struct hd_topology hd_topo_hypercube = {
    .desc = {.name = "hypercube",
             .summary = "hypercube of 2^n switches",
             .text = "Switches whose numbers differ in one bit are connected. Endpoints are numbered switch by switch. "
                     "Ports: endpoints first, then bit 0, bit 1, ...",
             .cite = "Sullivan, Bashkow: A large scale, homogeneous, fully distributed parallel machine",
             .params = (const struct hd_param[]){BOX_ROW("n", HD_UINT, "6", "dimensions", n, 1, HD_MAX_DIM, true),
                                                 BOX_ROW("hosts", HD_UINT, "1", "endpoints on each switch", hosts, 0,
                                                         253, true),
                                                 CABLES_ROW,
                                                 {0}},
             .examples = (const char *const[]){"hypercube:n=6,hosts=1", "hypercube:n=3,hosts=2",
                                               "hypercube:n=1,hosts=1", "hypercube:n=4,hosts=1,cables=3", NULL},
             .opt_size = sizeof(struct box_opt)},
    .make = make_hypercube,
    .form = &(const enum hd_wrap){HD_LINE}};
