/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by numbers. Items that are equal in key are ordered by number, so that results do not depend on the sort of
 * the C library. O(n log n). */
#include "base/keyed.h"

#include <stdlib.h>

static int keyed_order(const void *a, const void *b)
{
    const struct hd_keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static int value_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void hd_keyed_sort(struct hd_keyed *rows, size_t n)
{
    if (n) qsort(rows, n, sizeof *rows, keyed_order);
}

void hd_values_sort(uint64_t *values, size_t n)
{
    if (n) qsort(values, n, sizeof *values, value_order);
}
