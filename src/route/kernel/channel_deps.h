/* SPDX-License-Identifier: BSD-2-Clause */
/* The channel-dependency graph. A *place* is a channel in a lane, c * nlanes + lane; place p leads to place q when some
 * route uses p and then q. A channel has at most 254 successors (the slots of its head switch), so a few words of bits
 * per place hold them all (one where switches have at most 64 ports), and adding a dependency is one OR. Where routes
 * change lanes along the path there are as many words for each lane that may follow. */
#ifndef HD_ROUTE_KERNEL_CHANNEL_DEPS_H
#define HD_ROUTE_KERNEL_CHANNEL_DEPS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_deps {
    const struct hd_net *net;
    uint32_t nlanes;
    uint32_t ports; /* bits for the slots of a switch */
    uint32_t words; /* of a place */
    uint64_t *succ; /* [place * words + bit / 64], bit: slot, plus ports times the next lane where lanes change */
};

/* changes: a route may go from one lane to another. */
hd_status hd_deps_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, uint32_t nlanes,
                       bool changes, struct hd_deps *deps);
static inline void hd_deps_add(struct hd_deps *d, uint32_t c, uint32_t lane, uint32_t bit)
{
    d->succ[((size_t)c * d->nlanes + lane) * d->words + bit / 64] |= (uint64_t)1 << bit % 64;
}
static inline bool hd_deps_has(const struct hd_deps *d, uint32_t c, uint32_t lane, uint32_t bit)
{
    return d->succ[((size_t)c * d->nlanes + lane) * d->words + bit / 64] >> bit % 64 & 1;
}
/* All dependencies of b too. */
void hd_deps_merge(struct hd_deps *a, const struct hd_deps *b);

/* All dependencies of b too, whatever their lane, in the single lane of a; lanes of b do not change. */
void hd_deps_flatten(struct hd_deps *a, const struct hd_deps *b);

/* Looks for a cycle: *n == 0 when there is none (Kahn's sort takes everything). Else its places in order (allocated
 * from arena): a shortest cycle through one of the first `starts` places that remain, of the first cyclic lane where
 * lanes do not change. O(places + dependencies), plus the searches for a short cycle. */
hd_status hd_deps_cycle(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_deps *d, uint32_t starts,
                        uint32_t **cycle, uint32_t *n);

/* Places in an order in which every dependency goes forwards, allocated from arena: all of them, *n, unless there is a
 * cycle. O(places + dependencies). */
hd_status hd_deps_order(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_deps *d, uint32_t **order,
                        uint32_t *n);

#endif
