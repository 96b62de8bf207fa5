/* SPDX-License-Identifier: BSD-2-Clause */
/* Links by cost, cheapest first, the lower number where costs are equal: a binary heap over an array of the caller's,
 * which has room for every link that may be in it at once. Inline: it is the inner loop of what grows trees. */
#ifndef HD_ROUTE_KERNEL_LINK_HEAP_H
#define HD_ROUTE_KERNEL_LINK_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct hd_link_item {
    uint64_t cost;
    uint32_t link;
};

static inline bool hd_link_before(struct hd_link_item a, struct hd_link_item b)
{
    return a.cost < b.cost || (a.cost == b.cost && a.link < b.link);
}

static inline void hd_link_push(struct hd_link_item *heap, uint32_t *n, struct hd_link_item item)
{
    uint32_t i = (*n)++;
    for (; i && hd_link_before(item, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = item;
}

static inline struct hd_link_item hd_link_pop(struct hd_link_item *heap, uint32_t *n)
{
    struct hd_link_item top = heap[0], last = heap[--*n];
    uint32_t i = 0, child;
    for (; (child = 2 * i + 1) < *n; i = child) {
        if (child + 1 < *n && hd_link_before(heap[child + 1], heap[child])) child++;
        if (!hd_link_before(heap[child], last)) break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

#endif
