/* SPDX-License-Identifier: BSD-2-Clause */
/* Disjoint sets of numbers (union-find, paths halved). The root of a set is its lowest number, so results follow the
 * order of the nodes and not that of the unions. Cost: O(log n) per call, amortised. */
#ifndef HD_NET_CORE_DISJOINT_SETS_H
#define HD_NET_CORE_DISJOINT_SETS_H

#include <stdint.h>

static inline void hd_sets_init(uint32_t *set, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) set[i] = i;
}

static inline uint32_t hd_sets_find(uint32_t *set, uint32_t i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

static inline void hd_sets_join(uint32_t *set, uint32_t i, uint32_t j)
{
    i = hd_sets_find(set, i);
    j = hd_sets_find(set, j);
    if (i < j)
        set[j] = i;
    else
        set[i] = j;
}

#endif
