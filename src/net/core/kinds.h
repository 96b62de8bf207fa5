/* SPDX-License-Identifier: BSD-2-Clause */
/* What a host is there for: compute, storage, management, gateway. */
#ifndef HD_NET_CORE_KINDS_H
#define HD_NET_CORE_KINDS_H

#include "heddle/net.h"

/* Sets role[a] of the adapters whose role is HD_ROLE_HOST and whose host is of another kind; [nca], hosts and rails of
 * net are known. O(hosts log hosts + endpoints). */
hd_status hd_kinds_find(struct hd_ctx *ctx, const struct hd_net *net, uint8_t *role);

/* An adapter of a machine, whatever it is there for: no router, no aggregation node. */
static inline bool hd_role_is_machine(uint8_t role)
{
    return role != HD_ROLE_ROUTER && role != HD_ROLE_AGGREGATION;
}

#endif
