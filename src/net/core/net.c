/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be done to a finished network without reading its cables: give it its structure before it is handed out,
 * look up a name, free it. All memory of a network is one arena, which holds the struct itself and the arena's own
 * record. */
#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "net/core/facts.h"
#include "net/core/net_hash.h"
#include "net/core/structure.h"

#include <string.h>

hd_status hd_net_set_structure(struct hd_ctx *ctx, struct hd_net *net, const struct hd_structure *structure)
{
    struct hd_arena *arena = net->arena;
    size_t nodes = (size_t)net->nsw + net->nep, digits = nodes * structure->shape.n;
    uint8_t *level = HD_NEW(arena, uint8_t, nodes);
    uint16_t *coord = digits ? HD_NEW(arena, uint16_t, digits) : NULL;
    bool *unplaced = HD_NEW(arena, bool, net->nsw);
    char *departs = hd_strdup(arena, structure->departs, strlen(structure->departs));
    if (!level || (digits && !coord) || !unplaced || !departs) return hd_fail_memory(ctx);
    memcpy(level, structure->level, nodes);
    if (digits) memcpy(coord, structure->coord, digits * sizeof *coord);
    memcpy(unplaced, structure->unplaced, net->nsw * sizeof *unplaced);
    net->shape = structure->shape;
    net->level = level;
    net->coord = coord;
    net->unplaced = unplaced;
    net->departs = departs;
    return HD_OK;
}

void hd_net_free(struct hd_net *net)
{
    if (!net) return;
    hd_facts_release(net->facts);
    struct hd_arena arena = *(struct hd_arena *)net->arena; /* the arena holds net itself */
    hd_arena_release(&arena);
}

const char *hd_node_name(const struct hd_net *net, uint32_t v)
{
    return net->names + net->name_at[v < net->nsw ? v : net->nsw + net->ca[v - net->nsw]];
}

const char *hd_node_label(const struct hd_net *net, uint32_t v)
{
    if (!net->labels) return hd_node_name(net, v);
    return net->labels[v < net->nsw ? v : net->nsw + net->ca[v - net->nsw]];
}

const char *hd_host_name(const struct hd_net *net, uint32_t host)
{
    return net->hnames + net->hname_at[host];
}

const char *hd_role_name(enum hd_role role)
{
    static const char *const names[HD_ROLES] = {
        [HD_ROLE_HOST] = "compute",    [HD_ROLE_ROUTER] = "router",         [HD_ROLE_AGGREGATION] = "aggregation",
        [HD_ROLE_STORAGE] = "storage", [HD_ROLE_MANAGEMENT] = "management", [HD_ROLE_GATEWAY] = "gateway"};
    return (size_t)role < HD_ROLES ? names[role] : NULL;
}

uint64_t hd_net_hash(const struct hd_net *net)
{
    const size_t nodes = (size_t)net->nsw + net->nep, nchan = net->nchan;
    const struct hd_hash_part parts[] = {{net->off, (nodes + 1) * sizeof *net->off},
                                         {net->head, nchan * sizeof *net->head},
                                         {net->rev, nchan * sizeof *net->rev},
                                         {net->port, nchan},
                                         {net->link, nchan},
                                         {net->guid, nodes * sizeof *net->guid},
                                         {net->lid, nodes * sizeof *net->lid},
                                         {net->level, nodes},
                                         {net->coord, nodes * net->shape.n * sizeof *net->coord},
                                         {&net->shape, sizeof net->shape},
                                         {net->host, net->nep * sizeof *net->host},
                                         {net->rail, net->nep},
                                         {net->sel, net->nsel * sizeof *net->sel}};
    uint64_t h = hd_hash_parts(net->nsw, parts, sizeof parts / sizeof *parts);
    for (uint32_t v = 0; v < nodes; v++) h = hd_hash_bytes(h, hd_node_name(net, v), strlen(hd_node_name(net, v)));
    return h;
}
