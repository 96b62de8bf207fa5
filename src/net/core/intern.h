/* SPDX-License-Identifier: BSD-2-Clause */
/* Small numbers for strings with a salt, in order of first appearance. */
#ifndef HD_NET_CORE_INTERN_H
#define HD_NET_CORE_INTERN_H

#include "base/arena.h"
#include "net/core/node_name.h"

struct interned {
    uint64_t salt;
    struct hd_text text; /* the bytes stay where they were */
    unsigned kind;
};

struct intern {
    struct interned *item; /* by number */
    uint64_t *slot;        /* half the hash << 32 | number + 1, 0: free */
    uint32_t n, mask, last;
};

/* Room for `most` strings, fewer than 2^28; false without memory. */
bool hd_intern_init(struct hd_arena *a, uint32_t most, struct intern *t);
/* The number of x, a new one at its first appearance. */
uint32_t hd_intern(struct intern *t, struct interned x);

#endif
