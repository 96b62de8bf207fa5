/* SPDX-License-Identifier: BSD-2-Clause */
/* Channel dependencies that stay free of cycles, one addition at a time: each lane keeps an order of
 * all channels in which every dependency goes forward. An addition that goes forward costs nothing;
 * one that goes backward searches only between the two places and reorders what it met.
 * Pearce, Kelly: A dynamic topological sort algorithm for directed acyclic graphs. */
#ifndef HD_ROUTE_KERNEL_ACYCLIC_ORDER_H
#define HD_ROUTE_KERNEL_ACYCLIC_ORDER_H

#include "route/kernel/channel_deps.h"

struct hd_acyclic {
    struct hd_deps deps;
    uint32_t *place;       /* [lane * nchan + c] in the lane's order */
    uint32_t *stamp, pass; /* [nchan] met by the current search */
    uint64_t *fore, *back; /* [nchan] channels met, as place << 32 | channel */
    uint32_t nfore, nback;
};

/* Nothing depends on anything yet. Lives in arena: 12 bytes per channel and lane, more where switches have over 64
 * ports. */
hd_status hd_acyclic_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                          struct hd_acyclic *a);
/* Adds c -> next (which leaves the head of c); false, and nothing changed, when that would close a cycle. */
bool hd_acyclic_add(struct hd_acyclic *a, uint32_t lane, uint32_t c, uint32_t next);
/* Takes a dependency out again. */
void hd_acyclic_remove(struct hd_acyclic *a, uint32_t lane, uint32_t c, uint32_t next);

#endif
