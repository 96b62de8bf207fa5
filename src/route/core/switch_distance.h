/* SPDX-License-Identifier: BSD-2-Clause */
/* Distances between switches, one byte each: the number of switch-to-switch channels of a shortest path. */
#ifndef HD_ROUTE_CORE_SWITCH_DISTANCE_H
#define HD_ROUTE_CORE_SWITCH_DISTANCE_H

#include "base/arena.h"
#include "heddle/net.h"
#include "route/core/switch_links.h"

enum { HD_FAR = 255 }; /* not connected: hd_dist_check refuses networks with longer distances than 254 */

/* HD_LIMIT if two switches of the network are connected, but farther apart than distances can say. Computed once and
 * kept with the network: O(channels), for networks of more than 127 levels or so O(switches * channels). */
hd_status hd_dist_check(struct hd_ctx *ctx, const struct hd_net *net);

/* Distances of all switches to switch t, into dist[nsw]; queue has nsw places and afterwards holds
 * the switches that are reached, by increasing distance; returns their number. O(channels). */
uint32_t hd_dist_from(const struct hd_net *net, uint32_t t, uint8_t *dist, uint32_t *queue);

/* Entries of a shortest-path tree towards switch t, ties to the lowest slot; HD_SLOT_NONE at t and where t cannot be
 * reached. dist and queue are scratch of nsw entries each. O(channels). */
void hd_dist_row(const struct hd_net *net, uint32_t t, uint8_t *row, uint8_t *dist, uint32_t *queue);

/* dist[i * nsw + v] for each of n target switches (NULL: of all), in parallel; lives in arena. */
hd_status hd_dist_table(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint32_t *target,
                        uint32_t n, uint8_t **dist);

/* The same if the channels marked in without[nchan] were not there. */
hd_status hd_dist_without(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const bool *without,
                          const uint32_t *target, uint32_t n, uint8_t **dist);

/* hd_dist_table with all leaf switches (those with endpoints, by increasing number) as targets. Up to 8,192 switches it
 * is computed once and kept with the network; above that it lives in arena. */
hd_status hd_dist_leaves(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const uint8_t **dist);

/* Which links lead closer to which of n target switches: bit i % 64 of closer[i / 64 * links + a] says whether link a
 * leads closer to target i. No distance is stored: a search covers 64 targets, and in the round in which some of them
 * reach a switch, its links closer to them are those to switches that they reached before. In parallel; lives in
 * arena. */
hd_status hd_dist_closer(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *l, const uint32_t *target,
                         uint32_t n, uint64_t **closer);

#endif
