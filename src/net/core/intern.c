/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings to numbers by a hash table with open addressing. Half of the hash is kept beside each number, so that strings
 * are compared about once per look-up; neighbours mostly repeat a string, so the last one is tried first. */
#include "net/core/intern.h"
#include "base/hash.h"

#include <string.h>

bool hd_intern_init(struct hd_arena *a, uint32_t most, struct intern *t)
{
    uint32_t size = 16;
    while (size < 2 * most) size *= 2; /* most < 2^28 */
    *t = (struct intern){HD_NEW(a, struct interned, most), HD_NEW(a, uint64_t, size), 0, size - 1, 0};
    return t->item && t->slot;
}

static uint64_t intern_hash(const struct interned *x)
{
    return hd_hash_bytes(hd_hash_mix(hd_hash_mix(x->salt ^ x->kind) ^ x->text.n), x->text.at, x->text.n);
}

static bool intern_same(const struct interned *x, const struct interned *y)
{
    return x->salt == y->salt && x->kind == y->kind && x->text.n == y->text.n &&
           (!x->text.n || memcmp(x->text.at, y->text.at, x->text.n) == 0);
}

uint32_t hd_intern(struct intern *t, struct interned x)
{
    if (t->last < t->n && intern_same(&t->item[t->last], &x)) return t->last;
    uint64_t h = intern_hash(&x), high = h >> 32 << 32;
    uint32_t i = (uint32_t)h & t->mask;
    for (; t->slot[i]; i = (i + 1) & t->mask) {
        uint32_t id = (uint32_t)t->slot[i] - 1;
        if ((t->slot[i] ^ high) >> 32 == 0 && intern_same(&t->item[id], &x)) return t->last = id;
    }
    t->item[t->n] = x;
    t->slot[i] = high | (t->n + 1);
    return t->last = t->n++;
}
