/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that begin with a name, sorted by it: found by halving. */
#ifndef HD_BASE_NAMED_H
#define HD_BASE_NAMED_H

#include "heddle/extend.h"

#include <string.h>

static inline int hd_name_at(const void *rows, uint32_t i, size_t row_size, const char *name)
{
    return strcmp(*(const char *const *)(const void *)((const char *)rows + i * row_size), name);
}

/* The first of n rows with this name, n if there is none; *matches: how many have it. O(log n + matches). */
static inline uint32_t hd_find_name(const void *rows, uint32_t n, size_t row_size, const char *name, uint32_t *matches)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (hd_name_at(rows, mid, row_size, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (*matches = 0; low + *matches < n && hd_name_at(rows, low + *matches, row_size, name) == 0; ++*matches)
        continue;
    return *matches ? low : n;
}

#endif
