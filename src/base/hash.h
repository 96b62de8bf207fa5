/* SPDX-License-Identifier: BSD-2-Clause */
/* Hashes for tables in memory, and of what was read or computed, to see whether two are the same. No result may depend
 * on them: whatever is numbered or printed has an order of its own. */
#ifndef HD_BASE_HASH_H
#define HD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Multiplication by 2^64 over the golden ratio mixes upwards; its high bits then reach the low ones, which select a
 * slot. */
static inline uint64_t hd_hash_mix(uint64_t h)
{
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Eight bytes at a time: names are short, and there is one per node. */
static inline uint64_t hd_hash_bytes(uint64_t seed, const char *s, size_t n)
{
    uint64_t word, h = seed;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&word, s, 8);
        h = hd_hash_mix(h ^ word);
    }
    word = 0;
    if (n) memcpy(&word, s, n);
    return hd_hash_mix(hd_hash_mix(h ^ word));
}

/* Arrays one after the other; NULL is none. */
struct hd_hash_part {
    const void *at;
    size_t n;
};
static inline uint64_t hd_hash_parts(uint64_t h, const struct hd_hash_part *part, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = part[i].at ? hd_hash_bytes(h + part[i].n, part[i].at, part[i].n) : hd_hash_mix(h + 1);
    return h;
}

#endif
