/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that begin with a 64-bit key, a GUID as a rule: sorted by it and found by halving, and numbers that occur
 * twice. */
#ifndef HD_BASE_KEYED_H
#define HD_BASE_KEYED_H

#include "heddle/extend.h"

struct hd_keyed { /* the first member of a row, or the whole of it */
    uint64_t key;
    uint32_t value; /* decides between equal keys */
};

/* Sorts n rows by key, then value. O(n log n). */
void hd_keyed_sort(void *rows, size_t n, size_t row_size);

struct hd_scored {
    double score;
    uint64_t value; /* decides between equal scores */
};

/* By increasing score, then value. O(n log n). */
void hd_scored_sort(struct hd_scored *rows, size_t n);

/* Whether one of n numbers occurs twice; *number is then the smallest that does. O(n) if they increase. */
hd_status hd_find_repeated(struct hd_ctx *ctx, const uint64_t *v, size_t n, bool *found, uint64_t *number);

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
