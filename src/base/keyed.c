/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by key, once for all tables that are searched by one. The order is total, because equal keys are decided by
 * a number, so that no result depends on which sort the C library has. */
#include "base/keyed.h"
#include "base/arena.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    const struct hd_keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

void hd_keyed_sort(void *rows, size_t n, size_t row_size)
{
    const char *row = rows;
    size_t sorted = 1; /* files and generators mostly list things in order */
    while (sorted < n && by_key(row + (sorted - 1) * row_size, row + sorted * row_size) <= 0) sorted++;
    if (sorted < n) qsort(rows, n, row_size, by_key);
}

static int by_score(const void *a, const void *b)
{
    const struct hd_scored *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

void hd_scored_sort(struct hd_scored *rows, size_t n)
{
    if (n) qsort(rows, n, sizeof *rows, by_score);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

hd_status hd_find_repeated(struct hd_ctx *ctx, const uint64_t *v, size_t n, bool *found, uint64_t *number)
{
    struct hd_arena scratch = {0};
    size_t rising = 1;
    *found = false;
    while (rising < n && v[rising - 1] < v[rising]) rising++;
    if (rising >= n) return HD_OK;
    uint64_t *sorted = HD_NEW(&scratch, uint64_t, n);
    if (!sorted) return hd_fail_memory(ctx);
    memcpy(sorted, v, n * sizeof *v);
    qsort(sorted, n, sizeof *sorted, by_number);
    for (size_t i = 1; i < n && !*found; i++) {
        *found = sorted[i] == sorted[i - 1];
        *number = sorted[i];
    }
    hd_arena_release(&scratch);
    return HD_OK;
}
