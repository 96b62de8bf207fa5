/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees under load: towards one destination after the other, every switch takes among the links it may take the one
 * with the smallest sum of load on the path, the lowest port on ties; then the sources whose route passes are added
 * to each link's load. Which links a switch may take is decided by the engine, as a hd_dag. */
#ifndef HD_ROUTE_KERNEL_WEIGHTED_TREE_H
#define HD_ROUTE_KERNEL_WEIGHTED_TREE_H

#include "route/core/switch_links.h"
#include "route/kernel/shortest_paths.h"

/* Keys. A sum of loads is kept times 256, and the low byte of a link's load is its number among the links
 * of its switch, by port. So the smallest key over the links of a switch gives the first of the links with the least
 * cost: one addition, one minimum, no branch (which link wins is unpredictable), and two minima at a time, since
 * nothing else makes one link wait for the one before. Links that may be taken are mostly neighbours in number (all
 * up ports of a tree): then the list of them is not read. */
enum { HD_GROW_NUMBER = 255, HD_GROW_ROUTE = 256 };

struct hd_grow {
    const struct hd_links *links;
    uint64_t *load;    /* [links] keys: routes on each, and its number among those of its switch */
    uint64_t *cost;    /* [nsw] keys: sum of loads on the path, and 0 */
    uint32_t *next;    /* [nsw] link that is taken */
    uint32_t *sources; /* [nsw] the engine's to fill */
    uint32_t *flow;    /* [nsw] sources whose route passes */
};

/* Lives in arena; no load, no sources. */
hd_status hd_grow_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_links *links, struct hd_grow *g);
/* No load again. */
void hd_grow_clear(struct hd_grow *g);

/* The entries towards dag->t of the switches in dag, but for its own. O(links in dag). */
void hd_grow_tree(struct hd_grow *g, const struct hd_dag *dag, uint8_t *row);

/* Switch v takes link number `key & HD_GROW_NUMBER` of its own, at the cost in key. */
static inline void hd_grow_take(struct hd_grow *g, uint32_t v, uint64_t key, uint8_t *row)
{
    g->cost[v] = key & ~(uint64_t)HD_GROW_NUMBER;
    g->next[v] = g->links->first[v] + (uint32_t)(key & HD_GROW_NUMBER);
    row[v] = hd_link_slot(g->links, v, g->next[v]);
}

/* Sources flow along the tree; order has the n switches it reaches, the root first. */
void hd_grow_add(struct hd_grow *g, const uint32_t *order, uint32_t n);

#endif
