/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts by the switch ports they are cabled to, for adapters whose description names no host. */
#ifndef HD_NET_CORE_HOST_SLOTS_H
#define HD_NET_CORE_HOST_SLOTS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_host_slots {
    const uint32_t *host; /* [nep] as far as names and system image GUIDs say */
    uint32_t nhost;
    const bool *nameless; /* [nhost] its name says nothing: vague, or that of another host as well */
};

/* Makes hosts of nameless endpoints that are cabled as one: joined[h] is the host that h becomes part of, or h; of each
 * joined set it is the one with a name, if there is one. *each: cables of a host on one leaf switch, 0 where the
 * cabling has no rule and nothing is joined. Memory comes from arena. O(n log n). */
hd_status hd_host_slots_join(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                             const struct hd_host_slots *in, uint32_t *joined, uint32_t *each, uint32_t *offset);

#endif
