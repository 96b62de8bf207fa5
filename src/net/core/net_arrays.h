/* SPDX-License-Identifier: BSD-2-Clause */
/* The arrays of struct hd_net while they may still be written. struct hd_net has const pointers, because a network is
 * only read once it is handed out. The one list below makes the struct, its allocation and the move to the network, so
 * that an array is added in one place. */
#ifndef HD_NET_CORE_NET_ARRAYS_H
#define HD_NET_CORE_NET_ARRAYS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_net_sizes {
    size_t nsw, nep, nca, nchan, nodes; /* nodes: switches and endpoints */
    size_t digits;                      /* of all coordinates */
    size_t names;                       /* bytes */
};

/* clang-format off */
#define HD_NET_ARRAYS(ROW, z)            \
    ROW(uint32_t, off, (z)->nodes + 1)   \
    ROW(uint32_t, head, (z)->nchan)      \
    ROW(uint32_t, tail, (z)->nchan)      \
    ROW(uint32_t, rev, (z)->nchan)       \
    ROW(uint8_t, port, (z)->nchan)       \
    ROW(uint8_t, link, (z)->nchan)       \
    ROW(uint64_t, guid, (z)->nodes)      \
    ROW(uint16_t, lid, (z)->nodes)       \
    ROW(uint8_t, lmc_of, (z)->nep)       \
    ROW(uint8_t, switch_lmc, (z)->nsw)   \
    ROW(uint8_t, level, (z)->nodes)      \
    ROW(uint8_t, nports, (z)->nsw)       \
    ROW(bool, unplaced, (z)->nsw)        \
    ROW(uint16_t, coord, (z)->digits)    \
    ROW(uint32_t, ca, (z)->nep)          \
    ROW(uint64_t, ca_guid, (z)->nca)     \
    ROW(uint8_t, ca_ports, (z)->nca)     \
    ROW(uint8_t, ca_role, (z)->nca)      \
    ROW(uint64_t, system, (z)->nsw + (z)->nca) \
    ROW(uint32_t, sel, (z)->nep)         \
    ROW(uint32_t, name_at, (z)->nsw + (z)->nca) \
    ROW(char, names, (z)->names)
/* clang-format on */

#define HD_NET_ARRAY_FIELD(type, name, count) type *name;
struct hd_net_arrays {
    HD_NET_ARRAYS(HD_NET_ARRAY_FIELD, unused)
};

/* False: no memory. */
static inline bool hd_net_arrays_make(struct hd_arena *arena, const struct hd_net_sizes *z, struct hd_net_arrays *a)
{
#define HD_NET_ARRAY_MAKE(type, name, count) &&(a->name = HD_NEW(arena, type, count)) != NULL
    return true HD_NET_ARRAYS(HD_NET_ARRAY_MAKE, z);
}

static inline void hd_net_arrays_move(const struct hd_net_arrays *a, struct hd_net *net)
{
#define HD_NET_ARRAY_MOVE(type, name, count) net->name = a->name;
    HD_NET_ARRAYS(HD_NET_ARRAY_MOVE, unused)
    if (net->shape.n == 0) net->coord = NULL;
}

#endif
