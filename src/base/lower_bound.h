/* SPDX-License-Identifier: BSD-2-Clause */
/* Binary search in rows sorted by a 64-bit key, a GUID as a rule, which is the first member of a row. */
#ifndef HD_BASE_LOWER_BOUND_H
#define HD_BASE_LOWER_BOUND_H

#include <stddef.h>
#include <stdint.h>

/* The first of n rows whose key is not below the given one; n: none. */
static inline uint32_t hd_lower_bound(const void *rows, uint32_t n, size_t row_size, uint64_t key)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (*(const uint64_t *)(const void *)((const char *)rows + mid * row_size) < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The first row with this key; n: none. */
static inline uint32_t hd_find_key(const void *rows, uint32_t n, size_t row_size, uint64_t key)
{
    uint32_t i = hd_lower_bound(rows, n, row_size, key);
    return i < n && *(const uint64_t *)(const void *)((const char *)rows + i * row_size) == key ? i : n;
}

#endif
