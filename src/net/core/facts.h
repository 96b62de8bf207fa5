/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts: results that depend on the network alone (relative rates, distances, cuts), computed on first use and kept
 * with the network until it is freed.
 *
 * Who computes a fact owns it: the address of its struct hd_fact, a static const, is the key, so this folder knows none
 * of them. A network is const and shared between threads; the cache behind it is not visible to any of them: each fact
 * is computed once, by the thread that asks first, while the others that want the same one wait. A fact may use other
 * facts, but not in a cycle. A failure (memory, an interrupt) is not kept: the next caller tries again.
 *
 * What is kept stays until the network goes. If a result may be too large for that, as distances of large networks are,
 * its owner decides by the size of the network and computes it in the caller's own arena instead. */
#ifndef HD_NET_CORE_FACTS_H
#define HD_NET_CORE_FACTS_H

#include "base/arena.h"
#include "heddle/net.h"

struct hd_fact {
    size_t size; /* of the value, which make finds zeroed */
    /* What value refers to is allocated from arena. The result must not depend on ctx, and make gives no notes: only
     * the first caller would see them. */
    hd_status (*make)(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, void *value);
};

/* *value lives as long as net. O(number of facts) if it is kept already. */
hd_status hd_net_fact(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_fact *fact, const void **value);

/* The empty cache of a new network, allocated from arena; NULL: no memory. */
struct hd_facts *hd_facts_make(struct hd_arena *arena);
/* Frees all facts; the cache itself goes with its arena. */
void hd_facts_release(struct hd_facts *facts);

#endif
