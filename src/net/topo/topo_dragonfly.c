/* SPDX-License-Identifier: BSD-2-Clause */
/* Dragonfly and Dragonfly+: groups of switches, and global cables that connect the groups as if each were
 * one switch with many ports.
 *
 * The global ports of a group are numbered 0 .. n-1, switch by switch. With g groups, n = (g-1) f + r:
 * f full rounds give every two groups f cables, and port number i of a round leads
 *     palmtree      from group G to group G - i - 1 (mod g)
 *     consecutive   from group G to group i, or i + 1 from G on
 * The r ports that remain connect groups at distance 1, 2, .. r/2 around the ring of groups (port 2t up, port
 * 2t + 1 down), and an odd one the opposite group; with an odd number of groups there is none and the
 * port stays open. Every two groups are connected, so a Dragonfly has diameter 3. Cost: O(cables). */
#include "base/status.h"
#include "net/topo/topology.h"

enum arrangement { PALMTREE, CONSECUTIVE };

struct groups {
    uint32_t n, ports, per_switch; /* groups, global ports of one, and of one switch */
    uint32_t base, stride;         /* switch of global port 0 of group 0, switches from one group to the next */
    uint32_t first;                /* port number before the global ones */
    int arrangement;
};

static uint64_t global_cables(uint64_t groups, uint64_t ports)
{
    if (groups < 2) return 0;
    uint64_t full = ports / (groups - 1), rest = ports % (groups - 1);
    return full * (groups * (groups - 1) / 2) + rest / 2 * groups + (rest % 2 && groups % 2 == 0 ? groups / 2 : 0);
}

static hd_status dragonfly_fits(struct hd_ctx *ctx, const char *owner, uint64_t groups, uint64_t ports,
                                const struct hd_topology_size *size)
{
    if (groups <= ports + 1) return hd_topology_fits(ctx, owner, size);
    return hd_fail(ctx, HD_INPUT, "%s: g=%llu groups need %llu global ports each to be connected, a group has %llu",
                   owner, (unsigned long long)groups, (unsigned long long)groups - 1, (unsigned long long)ports);
}

static void connect_groups(struct hd_builder *b, const struct groups *g, uint32_t group, uint32_t port, uint32_t to,
                           uint32_t toport)
{
    hd_builder_cable(b, g->base + group * g->stride + port / g->per_switch, g->first + port % g->per_switch + 1,
                     g->base + to * g->stride + toport / g->per_switch, g->first + toport % g->per_switch + 1,
                     HD_LINK_DEFAULT);
}

/* The port of a round by which a group reaches another. */
static uint32_t port_towards(const struct groups *g, uint32_t group, uint32_t to)
{
    if (g->arrangement == PALMTREE) return (group + g->n - to - 1) % g->n;
    return to < group ? to : to - 1;
}

static void cable_groups(struct hd_builder *b, const struct groups *g)
{
    if (g->n < 2) return;
    uint32_t round = g->n - 1, full = g->ports / round, rest = g->ports % round, used = full * round;
    for (uint32_t k = 0; k < full; k++)
        for (uint32_t u = 0; u < g->n; u++)
            for (uint32_t v = u + 1; v < g->n; v++)
                connect_groups(b, g, u, k * round + port_towards(g, u, v), v, k * round + port_towards(g, v, u));
    for (uint32_t t = 0; t < rest / 2; t++)
        for (uint32_t u = 0; u < g->n; u++) connect_groups(b, g, u, used + 2 * t, (u + t + 1) % g->n, used + 2 * t + 1);
    for (uint32_t u = 0; rest % 2 && g->n % 2 == 0 && u < g->n / 2; u++)
        connect_groups(b, g, u, used + rest - 1, u + g->n / 2, used + rest - 1);
}

static uint64_t or_else(uint64_t given, uint64_t otherwise)
{
    return given ? given : otherwise;
}

struct dragonfly_opt {
    uint64_t p, h, g;
    uint64_t a;              /* dragonfly: switches of a group */
    uint64_t leaves, spines; /* dragonfly+ */
    int global;
};

/* clang-format off */
#define GROUP_ROW(name, value, doc, field, min, max, shape) \
    {name, HD_UINT, value, doc, offsetof(struct dragonfly_opt, field), min, max, NULL, shape}
#define GROUP_ROWS \
    GROUP_ROW("g", "0", "groups; 0: as many as one cable between every two allows", g, 0, 65536, false), \
    {"global", HD_WORD, "palmtree", "which global port leads to which group", offsetof(struct dragonfly_opt, global), \
     0, 0, "palmtree|consecutive", false}, {0}
/* clang-format on */

/* ---- dragonfly ----------------------------------------------------------------------------- */

static hd_status make_dragonfly(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                                struct hd_builder *b)
{
    const struct dragonfly_opt *o = opt;
    uint64_t a = or_else(o->a, 2 * o->h), p = or_else(o->p, o->h), g = or_else(o->g, a * o->h + 1);
    struct hd_topology_size size = {.switches = g * a, .endpoints = g * a * p, .ports = p + a - 1 + o->h};
    size.cables = size.endpoints + g * (a * (a - 1) / 2) + global_cables(g, a * o->h);
    HD_TRY(dragonfly_fits(ctx, topology->desc.name, g, a * o->h, &size));
    HD_TRY(hd_topology_begin(ctx, b, size.switches, size.endpoints, size.cables));
    for (uint32_t v = 0; v < size.switches; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.nports = (uint32_t)size.ports, .level = 1});
        for (uint32_t e = 1; e <= p; e++) hd_builder_host(b, v, e, HD_LINK_DEFAULT);
        uint32_t i = v % (uint32_t)a, group = v - i, first = (uint32_t)p;
        for (uint32_t j = i + 1; j < a; j++)
            hd_builder_cable(b, v, first + j, group + j, first + i + 1, HD_LINK_DEFAULT);
    }
    cable_groups(b, &(struct groups){.n = (uint32_t)g,
                                     .ports = (uint32_t)(a * o->h),
                                     .per_switch = (uint32_t)o->h,
                                     .stride = (uint32_t)a,
                                     .first = (uint32_t)(p + a - 1),
                                     .arrangement = o->global});
    return HD_OK;
}

static const struct hd_param dragonfly_params[] = {
    GROUP_ROW("a", "0", "switches in a group; 0: 2h", a, 0, 254, false),
    GROUP_ROW("p", "0", "endpoints on each switch; 0: h", p, 0, 253, false),
    GROUP_ROW("h", "4", "global cables of each switch", h, 1, 253, true),
    GROUP_ROWS,
};

const struct hd_topology hd_topo_dragonfly = {
    .desc = {.name = "dragonfly",
             .summary = "Dragonfly: cliques of switches, connected by global cables",
             .text =
                 "g groups of a switches with p endpoints and h global cables each; the switches of a group form a "
                 "clique. It is balanced when a = 2p = 2h, and largest when g = a h + 1: then one cable connects every "
                 "two groups. With fewer groups the cables are assigned round-robin; the remainder connects near "
                 "groups, and a port stays open if ports and groups are both odd. Global port i of a group leads "
                 "i + 1 groups back (palmtree) or to the groups in order (consecutive). Switches and endpoints are "
                 "numbered group by group. Ports: endpoints, the group's other switches in order, global.",
             .cite = "Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology; arrangements: "
                     "Camarero, Vallejo, Beivide: Topological characterization of Hamming and dragonfly networks",
             .params = dragonfly_params,
             .examples = (const char *const[]){"dragonfly:h=4", "dragonfly:h=2", "dragonfly:h=2,global=consecutive",
                                               "dragonfly:a=4,p=2,h=2,g=5", "dragonfly:a=3,p=1,h=1,g=3",
                                               "dragonfly:a=4,p=2,h=2,g=4,global=consecutive",
                                               "dragonfly:a=5,p=3,h=1,g=4", "dragonfly:a=1,p=4,h=3,g=1", NULL},
             .opt_size = sizeof(struct dragonfly_opt)},
    .make = make_dragonfly};

/* ---- dragonfly+ ---------------------------------------------------------------------------- */

static hd_status make_plus(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                           struct hd_builder *b)
{
    const struct dragonfly_opt *o = opt;
    uint64_t spines = or_else(o->spines, o->h), leaves = or_else(o->leaves, spines), p = or_else(o->p, spines);
    uint64_t g = or_else(o->g, spines * o->h + 1), down = p + spines, up = leaves + o->h;
    struct hd_topology_size size = {.switches = g * (leaves + spines), .endpoints = g * leaves * p};
    size.ports = down > up ? down : up;
    size.cables = size.endpoints + g * leaves * spines + global_cables(g, spines * o->h);
    HD_TRY(dragonfly_fits(ctx, topology->desc.name, g, spines * o->h, &size));
    HD_TRY(hd_topology_begin(ctx, b, size.switches, size.endpoints, size.cables));
    uint32_t nleaf = (uint32_t)(g * leaves);
    for (uint32_t v = 0; v < size.switches; v++)
        hd_builder_switch(
            b, &(struct hd_switch_in){.nports = (uint32_t)(v < nleaf ? down : up), .level = v < nleaf ? 1 : 2});
    for (uint32_t v = 0; v < nleaf; v++) {
        uint32_t group = v / (uint32_t)leaves, i = v % (uint32_t)leaves;
        for (uint32_t e = 1; e <= p; e++) hd_builder_host(b, v, e, HD_LINK_DEFAULT);
        for (uint32_t j = 0; j < spines; j++)
            hd_builder_cable(b, v, (uint32_t)p + j + 1, nleaf + group * (uint32_t)spines + j, i + 1, HD_LINK_DEFAULT);
    }
    cable_groups(b, &(struct groups){.n = (uint32_t)g,
                                     .ports = (uint32_t)(spines * o->h),
                                     .per_switch = (uint32_t)o->h,
                                     .base = nleaf,
                                     .stride = (uint32_t)spines,
                                     .first = (uint32_t)leaves,
                                     .arrangement = o->global});
    return HD_OK;
}

static const struct hd_param dragonfly_plus_params[] = {
    GROUP_ROW("leaves", "0", "leaf switches in a group; 0: as many as spines", leaves, 0, 253, false),
    GROUP_ROW("spines", "0", "spine switches in a group; 0: h", spines, 0, 253, false),
    GROUP_ROW("p", "0", "endpoints on each leaf; 0: as many as spines", p, 0, 253, false),
    GROUP_ROW("h", "4", "global cables of each spine", h, 1, 253, true),
    GROUP_ROWS,
};

const struct hd_topology hd_topo_dragonfly_plus = {
    .desc =
        {.name = "dragonfly+",
         .summary = "Dragonfly+: two-level trees, connected by global cables between their spines",
         .text =
             "g groups of leaf switches with p endpoints each and spine switches with h global cables each; in a "
             "group one cable connects every leaf to every spine. Balanced and largest when leaves = spines = p = h "
             "and g = spines h + 1. Global cables as in the Dragonfly; two leaves are at most three cables apart. "
             "All leaf switches are numbered before the spines, both group by group. Ports: endpoints then "
             "spines; leaves then global.",
         .cite = "Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi: Dragonfly+: low cost topology for scaling "
                 "datacenters",
         .params = dragonfly_plus_params,
         .examples = (const char *const[]){"dragonfly+:h=4", "dragonfly+:h=2", "dragonfly+:h=2,global=consecutive",
                                           "dragonfly+:leaves=3,spines=2,p=4,h=3,g=4",
                                           "dragonfly+:leaves=2,spines=1,p=1,h=1,g=1",
                                           "dragonfly+:leaves=2,spines=3,p=2,h=3,g=7,global=consecutive", NULL},
         .opt_size = sizeof(struct dragonfly_opt)},
    .make = make_plus};
