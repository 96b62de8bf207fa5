/* SPDX-License-Identifier: BSD-2-Clause */
/* The channel-dependency graph: c -> c' in a lane when some route uses c and then c' there. A channel
 * has at most 254 successors (the slots of its head switch), so a few words of bits per channel and lane hold
 * them all (one where switches have at most 64 ports), and adding a dependency is one OR. */
#ifndef HD_ROUTE_KERNEL_CHANNEL_DEPS_H
#define HD_ROUTE_KERNEL_CHANNEL_DEPS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_deps {
    const struct hd_net *net;
    uint32_t nlanes, words;
    uint64_t *succ; /* [(c * nlanes + lane) * words + slot / 64] */
};

hd_status hd_deps_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                       struct hd_deps *deps);
/* The words of a channel in a lane. */
static inline uint64_t *hd_deps_of(const struct hd_deps *d, uint32_t c, uint32_t lane)
{
    return d->succ + ((size_t)c * d->nlanes + lane) * d->words;
}
static inline void hd_deps_add(struct hd_deps *d, uint32_t c, uint32_t lane, uint32_t slot)
{
    hd_deps_of(d, c, lane)[slot / 64] |= (uint64_t)1 << slot % 64;
}
static inline bool hd_deps_has(const struct hd_deps *d, uint32_t c, uint32_t lane, uint32_t slot)
{
    return hd_deps_of(d, c, lane)[slot / 64] >> slot % 64 & 1;
}
/* All dependencies of b too. */
void hd_deps_merge(struct hd_deps *a, const struct hd_deps *b);

/* Looks for a cycle in any lane: *n == 0 when there is none (Kahn's sort takes everything). Else a
 * shortest cycle through one of the knots of the first cyclic lane: its channels in order (allocated
 * from arena) and the lane. O(channels + dependencies), plus the search for a short cycle. */
hd_status hd_deps_cycle(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_deps *d, uint32_t *lane,
                        uint32_t **cycle, uint32_t *n);

#endif
