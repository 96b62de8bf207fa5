/* SPDX-License-Identifier: BSD-2-Clause */
/* A growing array in an arena that never moves what it holds: page k has 2^(k+10) items, so that an
 * index finds its page with one count of leading zeros, and nothing is copied while growing. */
#ifndef HD_NET_CORE_PAGED_ARRAY_H
#define HD_NET_CORE_PAGED_ARRAY_H

#include "base/arena.h"

#include <stdint.h>

enum { HD_BAG_FIRST = 10, HD_BAG_PAGES = 32 - HD_BAG_FIRST };

struct hd_bag {
    uint32_t n;
    uint32_t size; /* of an item; set it before the first push */
    char *page[HD_BAG_PAGES];
};

static inline void *hd_bag_at(const struct hd_bag *b, uint32_t i)
{
    uint32_t j = i + (1u << HD_BAG_FIRST), k = 31u - (uint32_t)__builtin_clz(j);
    return b->page[k - HD_BAG_FIRST] + (size_t)(j - (1u << k)) * b->size;
}

/* One more item, zeroed; NULL when memory is out. At most 2^31 items. */
static inline void *hd_bag_push(struct hd_bag *b, struct hd_arena *arena)
{
    uint32_t j = b->n + (1u << HD_BAG_FIRST), k = 31u - (uint32_t)__builtin_clz(j);
    if (j == 1u << k && !b->page[k - HD_BAG_FIRST]) {
        b->page[k - HD_BAG_FIRST] = hd_alloc(arena, (size_t)1 << k, b->size);
        if (!b->page[k - HD_BAG_FIRST]) return NULL;
    }
    return hd_bag_at(b, b->n++);
}

#endif
