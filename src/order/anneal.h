/* SPDX-License-Identifier: BSD-2-Clause */
/* Annealing of an order by swaps: what the searches on distances and on loads share. */
#ifndef HD_ORDER_ANNEAL_H
#define HD_ORDER_ANNEAL_H

#include "base/rng.h"

struct hd_anneal { /* the first member of a search */
    uint32_t n, *order;
    struct hd_ctx *ctx;     /* for progress, and whether to stop */
    double cost;            /* of the order, kept by swap; at least 0 */
    uint64_t spent, budget; /* work, in what swap counts */
};

struct hd_stretch { /* exchanges len places from p on with those from q on, which do not overlap */
    uint32_t p, q, len;
};

struct hd_anneal_how {
    void (*swap)(struct hd_anneal *search, uint32_t p, uint32_t q);
    struct hd_stretch (*pick)(const struct hd_anneal *search, struct hd_rng *rng);
    int tries;        /* swaps by which the usual change is found */
    int batch;        /* moves between two looks at the temperature */
    double hot, cold; /* temperatures: a usual change divided by these */
};

/* The longest move of at most len places. */
static inline struct hd_stretch hd_stretch_apart(uint32_t p, uint32_t q, uint32_t len, uint32_t n)
{
    uint32_t low = p < q ? p : q, high = p < q ? q : p;
    if (len > high - low) len = high - low;
    if (len > n - high) len = n - high;
    return (struct hd_stretch){p, q, len};
}

/* Until the budget is spent, the cost is 0 or the caller wants it to stop; best is set to the best order seen. */
void hd_anneal(struct hd_anneal *search, const struct hd_anneal_how *how, struct hd_rng *rng, uint32_t *best);

#endif
