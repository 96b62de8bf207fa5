/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaf switches in groups below directors: the fabric of most large sites before NDR.
 *
 * A director is a chassis of line and spine ASICs, each line cabled to each spine inside. Of the lines of a director
 * some belong to each group, and every leaf of the group has a cable to each of them; so a spine reaches a group
 * through several lines, which no PGFT can express. Switches are built leaves first, then each director with its lines
 * before its spines. Cost: O(cables). */
#include "base/status.h"
#include "net/topo/topo_nodes.h"
#include "net/topo/topology.h"

#include <stdio.h>

struct director_opt {
    uint64_t groups, leaves, directors, lines, spines, hosts, rails, storage;
    bool sharp;
};

enum { DIRECTOR_SYSTEM = 0xd1 }; /* system image GUIDs of the chassis: from this << 48 */

static uint32_t director_add(struct hd_builder *b, const struct director_opt *o, uint32_t d, char kind, uint32_t number,
                             uint32_t ports)
{
    char name[60];
    snprintf(name, sizeof name, "director-%u/%c%u/U1", d + 1, kind, number + 1);
    uint32_t v = hd_builder_switch(b, &(struct hd_switch_in){.name = name,
                                                             .system = (uint64_t)DIRECTOR_SYSTEM << 48 | (d + 1u),
                                                             .nports = ports + o->sharp,
                                                             .level = kind == 'L' ? 2 : 3});
    if (o->sharp) hd_topology_sharp(b, v, ports + 1);
    return v;
}

static void director_leaf(struct hd_builder *b, const struct director_opt *o, uint32_t leaf, uint32_t ports)
{
    char name[60];
    uint32_t hosts = (uint32_t)o->hosts, rails = (uint32_t)o->rails, on_leaf = (hosts + rails - 1) / rails;
    snprintf(name, sizeof name, "leaf-%u-%u", leaf / (uint32_t)o->leaves + 1, leaf % (uint32_t)o->leaves + 1);
    uint32_t v = hd_builder_switch(b, &(struct hd_switch_in){.name = name, .nports = ports + o->sharp, .level = 1});
    for (uint32_t i = 0; i < hosts; i++) hd_topology_adapter(b, leaf * on_leaf + i / rails, i % rails, v, i + 1);
    if (o->sharp) hd_topology_sharp(b, v, ports + 1);
}

/* Line i of the director to the leaves of its group, and to the spines. */
static void director_cable(struct hd_builder *b, const struct director_opt *o, uint32_t d, uint32_t base, uint32_t up)
{
    uint32_t c = (uint32_t)o->lines, leaves = (uint32_t)o->leaves, lines = (uint32_t)o->groups * c;
    for (uint32_t i = 0; i < lines; i++) {
        for (uint32_t t = 0; t < leaves; t++)
            hd_builder_cable(b, i / c * leaves + t, up + d * c + i % c, base + i, t + 1, HD_LINK_DEFAULT);
        for (uint32_t s = 0; s < o->spines; s++)
            hd_builder_cable(b, base + i, leaves + s + 1, base + lines + s, i + 1, HD_LINK_DEFAULT);
    }
}

static hd_status director_make(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                               struct hd_builder *b)
{
    const struct director_opt *o = opt;
    uint64_t leaves = o->groups * o->leaves, lines = o->groups * o->lines;
    uint64_t storage = (o->storage + leaves - 1) / leaves; /* ports of a leaf */
    uint64_t leaf_ports = o->hosts + storage + o->directors * o->lines, line_ports = o->leaves + o->spines;
    uint64_t most = leaf_ports > line_ports ? leaf_ports : line_ports;
    struct hd_topology_size size = {.switches = leaves + o->directors * (lines + o->spines),
                                    .ports = (most > lines ? most : lines) + o->sharp};
    size.endpoints = leaves * o->hosts + o->storage + (o->sharp ? size.switches : 0);
    size.cables = size.endpoints + o->directors * lines * line_ports;
    HD_TRY(hd_topology_fits(ctx, topology->desc.name, &size));
    HD_TRY(hd_topology_begin(ctx, b, size.switches, size.endpoints, size.cables));
    for (uint32_t v = 0; v < leaves; v++) director_leaf(b, o, v, (uint32_t)leaf_ports);
    for (uint32_t i = 0; i < o->storage; i++)
        hd_topology_storage(b, o->hosts ? HD_ROLE_STORAGE : HD_ROLE_HOST, i, i % (uint32_t)leaves,
                            (uint32_t)(o->hosts + i / leaves + 1));
    for (uint32_t d = 0; d < o->directors; d++) {
        uint32_t base = (uint32_t)(leaves + d * (lines + o->spines));
        for (uint32_t i = 0; i < lines; i++) director_add(b, o, d, 'L', i, (uint32_t)line_ports);
        for (uint32_t s = 0; s < o->spines; s++) director_add(b, o, d, 'S', s, (uint32_t)lines);
        director_cable(b, o, d, base, (uint32_t)(o->hosts + storage + 1));
    }
    return HD_OK;
}

/* clang-format off */
#define DIRECTOR_ROW(name, value, doc, min, max, shape) \
    {#name, HD_UINT, value, doc, offsetof(struct director_opt, name), min, max, NULL, shape}
/* clang-format on */
static const struct hd_param director_params[] = {
    DIRECTOR_ROW(groups, "8", "groups of leaf switches", 1, 65536, true),
    DIRECTOR_ROW(leaves, "20", "leaf switches of a group", 1, 253, true),
    DIRECTOR_ROW(directors, "4", "directors", 1, 253, true),
    DIRECTOR_ROW(lines, "5", "line ASICs of a director that belong to one group", 1, 253, true),
    DIRECTOR_ROW(spines, "20", "spine ASICs of a director", 1, 253, true),
    DIRECTOR_ROW(hosts, "16", "adapters on a leaf switch", 0, 253, true),
    DIRECTOR_ROW(rails, "8", "adapters of a host, all on one leaf switch", 1, 253, true),
    DIRECTOR_ROW(storage, "0", "storage hosts, with one adapter each, dealt round-robin to the leaf switches", 0,
                 1 << 20, false),
    {"sharp", HD_FLAG, "off", "a SHARP aggregation node on every switch", offsetof(struct director_opt, sharp), 0, 0,
     NULL, false},
    {0}};

const struct hd_topology hd_topo_director = {
    .desc = {.name = "director",
             .summary = "groups of leaf switches below directors",
             .text = "A leaf switch has one cable to each of the directors*lines line ASICs of its group, a line ASIC "
                     "one to each of the spines of its director: a spine reaches a group through several line ASICs. "
                     "The ASICs of a director share a system image GUID. Ports of a leaf switch: adapters, storage, "
                     "line ASICs by director; of a line ASIC: the leaf switches of its group, then spines; of a spine: "
                     "line ASICs by group.",
             .cite =
                 "the cabling of large sites with CS7500 and CS8500 directors; Mellanox: InfiniBand director switches",
             .params = director_params,
             .examples = (const char *const[]){"director:groups=3,leaves=6,spines=6,hosts=4",
                                               "director:groups=2,leaves=3,sharp=on,storage=3",
                                               "director:groups=3,leaves=4,lines=1",
                                               "director:groups=1,leaves=1,directors=1", NULL},
             .opt_size = sizeof(struct director_opt)},
    .make = director_make};
