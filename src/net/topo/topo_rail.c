/* SPDX-License-Identifier: BSD-2-Clause */
/* Rail-optimised fabrics: adapter r of every host of a scalable unit is on that unit's leaf switch for rail r, so that
 * traffic between equal adapters of a unit stays below one switch. Above the leaves it is a two-level tree with
 * parallel cables, and has its shape. Leaves are built unit by unit, rail by rail; then spines. Cost: O(cables). */
#include "base/status.h"
#include "net/topo/topo_nodes.h"
#include "net/topo/topology.h"

#include <stdio.h>

struct rail_opt {
    uint64_t rails, units, leaves, hosts, spines, uplinks, storage;
    bool sharp;
};

struct rail_fabric {
    const struct rail_opt *opt;
    struct hd_builder *b;
    uint32_t leaves;       /* of all units and rails */
    uint32_t each;         /* hosts on one of them, at most */
    uint32_t storage;      /* ports of a leaf for storage */
    uint32_t ports, spine; /* ports of a leaf, and of a spine, without that of an aggregation node */
};

static void rail_place(const struct rail_fabric *f, uint32_t node, uint32_t place, uint32_t leaf)
{
    hd_builder_coord(f->b, node, (const uint16_t[]){(uint16_t)place, (uint16_t)leaf});
}

static void rail_leaf(const struct rail_fabric *f, uint32_t leaf)
{
    const struct rail_opt *o = f->opt;
    uint32_t leaves = (uint32_t)o->leaves, hosts = (uint32_t)o->hosts, part = leaf % leaves;
    uint32_t rail = leaf / leaves % (uint32_t)o->rails, unit = leaf / (leaves * (uint32_t)o->rails);
    char name[60];
    int n = snprintf(name, sizeof name, "leaf-%u-%u", unit + 1, rail + 1);
    if (leaves > 1) snprintf(name + n, sizeof name - (size_t)n, "-%u", part + 1);
    uint32_t v =
        hd_builder_switch(f->b, &(struct hd_switch_in){.name = name, .nports = f->ports + o->sharp, .level = 1});
    rail_place(f, v, 0, leaf);
    for (uint32_t i = part * f->each; i < (part + 1) * f->each && i < hosts; i++) {
        uint32_t place = i % f->each;
        rail_place(f, hd_topology_adapter(f->b, unit * hosts + i, rail, v, place + 1), place, leaf);
    }
    if (o->sharp) rail_place(f, hd_topology_sharp(f->b, v, f->ports + 1), 0, leaf);
}

static void rail_spine(const struct rail_fabric *f, uint32_t s)
{
    const struct rail_opt *o = f->opt;
    uint32_t spines = (uint32_t)o->spines, parallel = (uint32_t)(o->uplinks / o->spines);
    char name[60];
    snprintf(name, sizeof name, "spine-%u", s + 1);
    uint32_t v =
        hd_builder_switch(f->b, &(struct hd_switch_in){.name = name, .nports = f->spine + o->sharp, .level = 2});
    rail_place(f, v, 0, s);
    for (uint32_t k = 0; k < parallel; k++)
        for (uint32_t leaf = 0; leaf < f->leaves; leaf++)
            hd_builder_cable(f->b, leaf, f->each + f->storage + k * spines + s + 1, v, k * f->leaves + leaf + 1,
                             HD_LINK_DEFAULT);
    if (o->sharp) rail_place(f, hd_topology_sharp(f->b, v, f->spine + 1), 0, 0);
}

static hd_status rail_make(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                           struct hd_builder *b)
{
    const struct rail_opt *o = opt;
    uint64_t leaves = o->units * o->rails * o->leaves, each = (o->hosts + o->leaves - 1) / o->leaves;
    uint64_t storage = (o->storage + leaves - 1) / leaves, parallel = o->uplinks / o->spines;
    uint64_t ports = each + storage + o->uplinks, spine = leaves * parallel;
    if (o->uplinks % o->spines)
        return hd_fail(ctx, HD_INPUT, "%s: uplinks=%llu: expected a multiple of spines=%llu", topology->desc.name,
                       (unsigned long long)o->uplinks, (unsigned long long)o->spines);
    struct hd_topology_size size = {.switches = leaves + o->spines,
                                    .ports = (ports > spine ? ports : spine) + o->sharp};
    size.endpoints = o->units * o->rails * o->hosts + o->storage + (o->sharp ? size.switches : 0);
    size.cables = size.endpoints + leaves * o->uplinks;
    HD_TRY(hd_topology_fits(ctx, topology->desc.name, &size));
    struct rail_fabric f = {
        o, b, (uint32_t)leaves, (uint32_t)each, (uint32_t)storage, (uint32_t)ports, (uint32_t)spine};
    uint32_t places = f.each ? f.each : f.storage;
    hd_builder_shape(b, &(struct hd_shape){.kind = HD_SHAPE_TREE,
                                           .n = 2,
                                           .m = {places ? places : 1, f.leaves},
                                           .w = {1, (uint32_t)o->spines},
                                           .p = {1, (uint32_t)parallel}});
    HD_TRY(hd_topology_begin(ctx, b, size.switches, size.endpoints, size.cables));
    for (uint32_t leaf = 0; leaf < f.leaves; leaf++) rail_leaf(&f, leaf);
    for (uint32_t i = 0; i < o->storage; i++) {
        uint32_t leaf = i % f.leaves, k = i / f.leaves;
        enum hd_role role = f.each ? HD_ROLE_STORAGE : HD_ROLE_HOST; /* which alone has a place */
        rail_place(&f, hd_topology_storage(b, role, i, leaf, f.each + k + 1), f.each ? 0 : k, leaf);
    }
    for (uint32_t s = 0; s < o->spines; s++) rail_spine(&f, s);
    return HD_OK;
}

/* clang-format off */
#define RAIL_ROW(name, value, doc, min, max, shape) \
    {#name, HD_UINT, value, doc, offsetof(struct rail_opt, name), min, max, NULL, shape}
/* clang-format on */
static const struct hd_param rail_params[] = {
    RAIL_ROW(rails, "8", "rails: adapters of a host", 1, 253, true),
    RAIL_ROW(units, "4", "scalable units", 1, 65536, true),
    RAIL_ROW(leaves, "1", "leaf switches of a unit for each rail", 1, 253, true),
    RAIL_ROW(hosts, "16", "hosts of a unit, spread evenly over the leaf switches of each rail", 0, 65536, true),
    RAIL_ROW(spines, "8", "spines; every leaf switch is cabled to every spine", 1, 253, true),
    RAIL_ROW(uplinks, "16", "cables from a leaf switch to the spines together", 1, 253, true),
    RAIL_ROW(storage, "0", "storage hosts, with one adapter each, dealt round-robin to the leaf switches", 0, 1 << 20,
             false),
    {"sharp", HD_FLAG, "off", "a SHARP aggregation node on every switch", offsetof(struct rail_opt, sharp), 0, 0, NULL,
     false},
    {0}};

const struct hd_topology hd_topo_rail = {
    .desc = {.name = "rail",
             .summary = "rail-optimised: adapter r of every host on the leaf switch of rail r, two levels",
             .text =
                 "units scalable units of hosts hosts, each with one adapter per rail on its unit's leaf switch (or "
                 "one of leaves) of that rail; every leaf switch is cabled to every spine by uplinks/spines "
                 "parallel cables. Ports of a leaf switch: hosts, storage, then spine 1, 2, .. for the first "
                 "cable, the second and so on; of a spine: leaf switches, in the same way.",
             .cite = "NVIDIA: DGX SuperPOD reference architecture, compute fabric",
             .params = rail_params,
             .examples = (const char *const[]){"rail:rails=4,units=2", "rail:leaves=2,hosts=5,sharp=on,storage=5",
                                               "rail:rails=1,units=1,spines=1", NULL},
             .opt_size = sizeof(struct rail_opt)},
    .make = rail_make};
