/* SPDX-License-Identifier: BSD-2-Clause */
/* Distances between switches, one byte each: how many switch-to-switch channels a shortest path has. */
#ifndef HD_ROUTE_CORE_SWITCH_DISTANCE_H
#define HD_ROUTE_CORE_SWITCH_DISTANCE_H

#include "base/arena.h"
#include "heddle/net.h"
#include "route/core/switch_links.h"

enum { HD_FAR = 255 }; /* not connected, or farther than 254 */

/* Distances of all switches to switch t, into dist[nsw]; queue has nsw places and afterwards holds
 * the switches that are reached, by increasing distance; returns how many. O(channels). */
uint32_t hd_dist_from(const struct hd_net *net, uint32_t t, uint8_t *dist, uint32_t *queue);

/* Entries of a shortest-path tree towards switch t, ties to the lowest slot; HD_SLOT_NONE at t and
 * where it cannot be reached (or memory is out). */
void hd_dist_row(const struct hd_net *net, uint32_t t, uint8_t *row);

/* dist[i * nsw + v] for each of n target switches, in parallel; lives in arena. */
hd_status hd_dist_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *target,
                        uint32_t n, uint8_t **dist);

/* Which links come closer to which of n target switches: bit i % 64 of closer[i / 64 * links + a] tells whether link a
 * does to target i. Distances are never written down: a search takes 64 targets, and in the round in which some meet a
 * switch first, its links closer to them are those to switches they met before. In parallel; lives in arena. */
hd_status hd_dist_closer(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *l, const uint32_t *target,
                         uint32_t n, uint64_t **closer);

#endif
