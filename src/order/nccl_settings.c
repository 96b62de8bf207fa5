/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of NCCL from a fabric. NCCL sees one node only and guesses from GUIDs of adapters which of them share a
 * rail; the fabric knows. NCCL_IB_HCA has an entry DEVICE:PORT:RAIL:PLANE for every adapter port of the job (the form
 * of NCCL 2.30; earlier ones stop reading after the port), with '=' in front, since NCCL takes names for prefixes
 * otherwise. Rails are those of the network; planes are parts that no cable connects, numbered by their first rail,
 * and only written where there are several. NCCL_CROSS_NIC is 0 where no leaf switch serves two rails, 1 where all
 * ports of every node are on one leaf switch, and 2, NCCL's own default, elsewhere.
 * Where nodes disagree on the rail of a device, a line for all nodes would be wrong for some: then there is one comment
 * line per node. O(nodes * rails). */
#include "order/nccl_settings.h"
#include "base/escape.h"
#include "base/keyed.h"
#include "base/status.h"
#include "net/core/node_name.h"

#include <string.h>

#define UNKNOWN UINT32_MAX

struct nccl_port { /* of an adapter */
    struct hd_text device;
    uint32_t port, rail, plane;
};

struct hd_nccl {
    const struct hd_nodes *nodes;
    uint32_t n, *node;       /* those that have ranks, in rank order */
    struct nccl_port *port;  /* [n * nrail] */
    struct nccl_port *known; /* each device and port once, in order of rails */
    uint32_t nknown, nplane;
    bool nameless; /* an adapter's description names no device */
    bool factory;  /* a description has a number, HCA-1, in place of the name */
    bool disagree; /* a device is on two rails */
    bool crossed;  /* a leaf switch serves two rails */
    bool one_leaf; /* of every node */
};

static uint32_t nccl_endpoint(const struct hd_nccl *k, uint32_t i, uint32_t rail)
{
    return k->nodes->ep[(size_t)k->node[i] * k->nodes->nrail + rail];
}

static bool same_port(const struct nccl_port *a, const struct nccl_port *b)
{
    return a->port == b->port && a->device.n == b->device.n && memcmp(a->device.at, b->device.at, a->device.n) == 0;
}

/* What the kernel writes into a description until somebody sets it; no verbs device is called so. */
static bool factory_name(const struct nccl_port *p)
{
    return p->device.n > 4 && memcmp(p->device.at, "HCA-", 4) == 0;
}

/* Ports and their devices; names that NCCL's lists could not hold are none. */
static void nccl_read_ports(struct hd_nccl *k, const uint32_t *part, uint32_t *plane)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const struct hd_net *net = k->nodes->net;
    uint32_t nrail = k->nodes->nrail;
    for (uint32_t rail = 0; rail < nrail; rail++)
        for (uint32_t i = 0; i < k->n; i++) {
            uint32_t v = net->nsw + nccl_endpoint(k, i, rail), *number = &plane[part[v]];
            struct nccl_port *p = &k->port[(size_t)i * nrail + rail];
            if (*number == UNKNOWN) *number = k->nplane++;
            *p = (struct nccl_port){hd_name_split(hd_node_name(net, v)).device, net->port[net->off[v]],
                                    net->rail[v - net->nsw], *number};
            k->nameless |= p->device.n == 0 || strspn(p->device.at, plain) < p->device.n;
            k->factory |= factory_name(p);
        }
}

static void nccl_join_ports(struct hd_nccl *k)
{
    uint32_t nrail = k->nodes->nrail;
    for (uint32_t rail = 0; rail < nrail && !k->nameless; rail++)
        for (uint32_t i = 0; i < k->n; i++) {
            const struct nccl_port *p = &k->port[(size_t)i * nrail + rail];
            uint32_t j = 0;
            if (factory_name(p)) continue;
            while (j < k->nknown && !same_port(&k->known[j], p)) j++;
            if (j < k->nknown)
                k->disagree |= k->known[j].rail != p->rail || k->known[j].plane != p->plane;
            else if (j < 2 * nrail)
                k->known[k->nknown++] = *p;
            else
                k->disagree = true; /* more names than a list of NCCL should have */
        }
}

static hd_status nccl_look_at_leaves(struct hd_ctx *ctx, struct hd_arena *arena, struct hd_nccl *k)
{
    const struct hd_net *net = k->nodes->net;
    uint32_t *rail_of = HD_NEW(arena, uint32_t, net->nsw);
    if (!rail_of) return hd_fail_memory(ctx);
    memset(rail_of, 0xff, net->nsw * sizeof *rail_of);
    k->one_leaf = true;
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t rail = 0; rail < k->nodes->nrail; rail++) {
            uint32_t leaf = hd_leaf(net, nccl_endpoint(k, i, rail));
            k->crossed |= rail_of[leaf] != UNKNOWN && rail_of[leaf] != rail;
            k->one_leaf &= leaf == hd_leaf(net, nccl_endpoint(k, i, 0));
            rail_of[leaf] = rail;
        }
    return HD_OK;
}

hd_status hd_nccl_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_nodes *nodes,
                       const uint32_t *per_node, const uint32_t *rank, const struct hd_nccl **nccl)
{
    const struct hd_net *net = nodes->net;
    struct hd_nccl *k = HD_NEW(arena, struct hd_nccl, 1);
    uint32_t *part, *plane, parts = 0, vertices = net->nsw + net->nep;
    if (!k || !HD_NEW_U32(arena, vertices, &part, &plane)) return hd_fail_memory(ctx);
    *k = (struct hd_nccl){.nodes = nodes};
    k->node = HD_NEW(arena, uint32_t, nodes->n);
    k->port = HD_NEW(arena, struct nccl_port, (size_t)nodes->n * nodes->nrail);
    k->known = HD_NEW(arena, struct nccl_port, 2 * (size_t)nodes->nrail);
    if (!k->node || !k->port || !k->known) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < nodes->n; i++)
        if (per_node[i]) k->node[k->n++] = rank[i];
    HD_TRY(hd_net_parts(ctx, net, part, &parts));
    memset(plane, 0xff, vertices * sizeof *plane);
    nccl_read_ports(k, part, plane);
    nccl_join_ports(k);
    k->nameless |= k->nknown == 0;
    HD_TRY(nccl_look_at_leaves(ctx, arena, k));
    *nccl = k;
    return HD_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void put_ports(const struct hd_nccl *k, const struct nccl_port *port, uint32_t n, struct hd_out *o)
{
    hd_puts(o, "NCCL_IB_HCA==");
    for (uint32_t i = 0; i < n; i++) {
        hd_puts(o, i ? "," : "");
        hd_put(o, port[i].device.at, port[i].device.n);
        hd_printf(o, ":%u:%u", port[i].port, port[i].rail);
        if (k->nplane > 1) hd_printf(o, ":%u", port[i].plane);
    }
    hd_puts(o, "\n");
}

void hd_nccl_write(const struct hd_nccl *k, struct hd_out *o)
{
    const struct hd_nodes *nodes = k->nodes;
    if (k->nameless)
        hd_puts(o, "# not all adapters name their device, so NCCL_IB_HCA is not set\n");
    else if (k->disagree)
        hd_puts(o, "# nodes have a device on different rails: set NCCL_IB_HCA on each node as its line says\n");
    else
        put_ports(k, k->known, k->nknown, o);
    if (k->factory && !k->nameless)
        hd_puts(o,
                "# some adapters describe themselves as HCA-1 and the like: their devices must have the same names\n");
    for (uint32_t i = 0; i < k->n && k->disagree && !k->nameless; i++) {
        hd_puts(o, "# ");
        hd_put_plain(o, hd_host_name(nodes->net, nodes->host[k->node[i]]));
        hd_puts(o, ": ");
        put_ports(k, &k->port[(size_t)i * nodes->nrail], nodes->nrail, o);
    }
    if (nodes->nrail < 2)
        hd_puts(o, "# one adapter port per node: NCCL_CROSS_NIC has no effect\n");
    else if (!k->crossed)
        hd_puts(o, "# no leaf switch serves two rails\nNCCL_CROSS_NIC=0\n");
    else if (k->one_leaf)
        hd_puts(o, "# all ports of a node are on one leaf switch\nNCCL_CROSS_NIC=1\n");
    else
        hd_puts(o, "# some leaf switches serve several rails\nNCCL_CROSS_NIC=2\n");
}
