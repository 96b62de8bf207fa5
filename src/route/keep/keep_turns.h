/* SPDX-License-Identifier: BSD-2-Clause */
/* Which turns a table may take so that it stays free of credit loops, for trees that are repaired and grown one after
 * the other. A turn is a link and the link after it; "lane" is short for VL. There are three rules:
 *   levels  every cable connects adjacent levels: whatever does not turn from down to up is free of loops in any lane
 *   graph   the turns of all trees, lane by lane, in a graph that never has a cycle (kernel/turn_graph.h)
 *   any     everything is admitted, and VLs are assigned afterwards (kernel/vl_assign.h) */
#ifndef HD_ROUTE_KEEP_KEEP_TURNS_H
#define HD_ROUTE_KEEP_KEEP_TURNS_H

#include "route/kernel/turn_graph.h"

enum hd_keep_rule { HD_KEEP_LEVELS, HD_KEEP_GRAPH, HD_KEEP_ANY };

struct hd_keep_turns {
    enum hd_keep_rule rule;
    const struct hd_routes *r; /* network, leaf switches and rows */
    const struct hd_links *links;
    uint32_t lanes; /* bits of those that may be used */
    const bool *up; /* [nchan] levels */
    struct hd_turn_graph graph;
    uint32_t *stamp, pass;        /* [nsw] */
    uint32_t root[HD_LANES_MOST]; /* of the spanning tree that fits best in each lane, + 1; 0: not known */
};

/* r has the rows of all destinations, holes where a switch has no path, and lane[(leaf * nep + d) * nvar + x]. Lives
 * in arena; up, where levels are known, lane and r must outlive it. Rows are not in the graph yet. O(table) for a
 * graph. */
hd_status hd_keep_turns_init(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_keep_rule rule,
                             const struct hd_routes *r, const uint8_t *lane, struct hd_keep_turns *k);

/* Reserves the turns of a spanning tree in every lane where they close no cycle with what is there, of the first of a
 * few central switches for which they do not: then there is always one more tree for a destination. An empty lane has
 * one always, from the root that is known to fit best. lane is that of hd_keep_turns_init. O(leaf switches * links). */
hd_status hd_keep_escapes(struct hd_ctx *ctx, struct hd_keep_turns *k, const uint8_t *lane);

/* Lanes, out of some, in which a path may go over link a and then b. They are on trial in a graph. */
uint32_t hd_keep_admit(struct hd_keep_turns *k, uint32_t lanes, uint32_t a, uint32_t b);
/* Puts the paths of a row into their lanes; false, and nothing changes, if one is not admitted there. */
bool hd_keep_put(struct hd_keep_turns *k, const uint8_t *row, const uint8_t *lane, size_t stride);
void hd_keep_take(struct hd_keep_turns *k, const uint8_t *row, const uint8_t *lane, size_t stride);
/* Ends the trial: turns that no row uses go. */
void hd_keep_settle(struct hd_keep_turns *k);

/* The link that an entry takes, UINT32_MAX: none. */
static inline uint32_t hd_keep_link(const struct hd_links *l, const uint8_t *row, uint32_t v)
{
    return row[v] < hd_degree(l->net, v) ? l->of[l->net->off[v] + row[v]] : UINT32_MAX;
}

#endif
