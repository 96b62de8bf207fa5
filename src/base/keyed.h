/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by numbers: items by a 64-bit key, which lower_bound.h can then search, and plain values. */
#ifndef HD_BASE_KEYED_H
#define HD_BASE_KEYED_H

#include <stddef.h>
#include <stdint.h>

struct hd_keyed {
    uint64_t key;
    uint32_t item;
};

/* By key, then by item. O(n log n). */
void hd_keyed_sort(struct hd_keyed *rows, size_t n);
void hd_values_sort(uint64_t *values, size_t n);

#endif
