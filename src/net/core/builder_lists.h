/* SPDX-License-Identifier: BSD-2-Clause */
/* What a builder has collected: filled by builder.c, read by freeze.c, private to them. */
#ifndef HD_NET_CORE_BUILDER_LISTS_H
#define HD_NET_CORE_BUILDER_LISTS_H

#include "net/core/builder.h"

struct built_node { /* a switch, or an adapter */
    uint64_t guid, system;
    uint32_t name; /* offset in names, BUILT_WITHOUT_NAME */
    uint16_t lid;
    uint8_t nports, level, role, lmc;
    bool unplaced;
};

struct built_port { /* an endpoint */
    uint64_t guid;
    uint32_t adapter;
    uint16_t lid;
    uint8_t port, selected, lmc;
};

struct built_cable {
    uint32_t u, v;
    uint8_t uport, vport, link;
};

#define BUILT_WITHOUT_NAME UINT32_MAX

/* Nodes, and cables: channels, of which there are two for each cable, have 32-bit numbers. */
#define BUILT_MOST ((size_t)1 << 28)
#define BUILT_TOO_LARGE "the network is larger than 2^28 nodes or cables"

struct built_list { /* a growing array */
    union {
        void *at;
        struct built_node *node;
        struct built_port *port;
        struct built_cable *cable;
        uint16_t *digit;
    };
    size_t n, room, size;
};

struct hd_builder {
    struct built_list sw, ca, ep, cables, names, swcoord, epcoord;
    struct hd_shape shape;
    const char *rails, *departs;
    const struct hd_net *from; /* hosts and rails are carried over from here, NULL: found by the rule */
    const uint32_t *was;       /* endpoint of from, by endpoint */
    bool found;                /* not drawn: hosts may be found by cabling */
    bool kinds;                /* of hosts are to be found */
    bool failed;               /* memory ran out somewhere */
    char wrong[256];           /* first misuse */
};

/* Switches first, then adapters: the order of names. */
static inline const struct built_node *built_named(const struct hd_builder *b, size_t i)
{
    return i < b->sw.n ? &b->sw.node[i] : &b->ca.node[i - b->sw.n];
}

/* Number of the node that a handle refers to. */
static inline uint32_t built_number(const struct hd_builder *b, uint32_t handle)
{
    return handle & HD_ENDPOINT_BIT ? (uint32_t)b->sw.n + (handle & ~HD_ENDPOINT_BIT) : handle;
}

/* Checks everything and makes the network; b is left as it is. */
hd_status hd_builder_freeze(struct hd_ctx *ctx, const struct hd_builder *b, const char *spec, struct hd_net **net);

#endif
