/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rng.h"

#include <Random123/philox.h>
#include <stdbool.h>
#include <string.h>

void hd_rng_init(struct hd_rng *r, uint64_t seed, enum hd_purpose purpose, uint64_t index)
{
    *r = (struct hd_rng){.key = {seed, purpose}, .ctr = {0, index}};
}

/* The next blocks of four words. 64-bit multiplications give twice the numbers of the 32-bit variant for the
 * same work here; a block is a chain of ten that wait for each other, so several blocks at once come at little
 * more than the price of one. Each block is handed out from its last word to its first. */
static inline void refill(struct hd_rng *r, int blocks)
{
    philox4x64_key_t k = {{r->key[0], r->key[1]}};
    for (int b = 0; b < blocks; b++) {
        philox4x64_ctr_t c = {{r->ctr[0] + (uint64_t)b, r->ctr[1], 0, 0}};
        philox4x64_ctr_t w = philox4x64(c, k);
        memcpy(r->word + 4 * (blocks - 1 - b), w.v, sizeof w.v);
    }
    r->ctr[0] += (uint64_t)blocks;
    r->left = 4 * blocks;
}

uint64_t hd_rng_u64(struct hd_rng *r)
{
    if (r->left == 0) refill(r, 1);
    return r->word[--r->left];
}

uint32_t hd_rng_u32(struct hd_rng *r)
{
    r->has_half ^= 1;
    if (!r->has_half) return r->half;
    uint64_t w = hd_rng_u64(r);
    r->half = (uint32_t)(w >> 32);
    return (uint32_t)w;
}

uint32_t hd_rng_below(struct hd_rng *r, uint32_t n)
{
    /* Lemire: multiply, reject the few products that would favour small values. */
    uint64_t m = (uint64_t)hd_rng_u32(r) * n;
    if ((uint32_t)m < n) {
        uint32_t floor = (uint32_t)(-n) % n;
        while ((uint32_t)m < floor) m = (uint64_t)hd_rng_u32(r) * n;
    }
    return (uint32_t)(m >> 32);
}

double hd_rng_real(struct hd_rng *r)
{
    return (double)(hd_rng_u64(r) >> 11) * 0x1p-53;
}

/* k draws, below n, n-1, .., n-k+1, from one word: multiply on, each time the high half is a draw and the
 * low half what is left. Words whose last low half falls below 2^64 mod (n ... n-k+1) are rejected. */
__extension__ typedef unsigned __int128 u128;

enum { MANY = 64 }; /* draws to come that make four blocks at once worth while */

static inline void draw_batch(struct hd_rng *r, uint32_t n, uint32_t k, uint32_t *draw)
{
    uint64_t low, floor = 0;
    bool known = false;
    for (;;) {
        if (r->left == 0) refill(r, n > MANY ? 4 : 1);
        low = r->word[--r->left];
        uint64_t product = 1;
        for (uint32_t i = 0; i < k; i++) {
            u128 m = (u128)low * (n - i);
            draw[i] = (uint32_t)(m >> 64);
            low = (uint64_t)m;
            product *= n - i;
        }
        if (low >= product) return; /* certainly above the floor, which is less than product */
        if (!known) floor = -product % product;
        known = true;
        if (low >= floor) return;
    }
}

/* How many draws below n fit one word with room to spare, so that rejection is rare. */
static uint32_t batch_size(uint32_t n)
{
    return n <= 1u << 9 ? 6 : n <= 1u << 11 ? 5 : n <= 1u << 14 ? 4 : n <= 1u << 19 ? 3 : n <= 1u << 28 ? 2 : 1;
}

void hd_rng_shuffle(struct hd_rng *r, uint32_t *v, uint32_t n)
{
    while (n > 1) {
        uint32_t draw[6], k = batch_size(n);
        if (k > n - 1) k = n - 1;
        draw_batch(r, n, k, draw);
        for (uint32_t i = 0; i < k; i++) {
            uint32_t at = --n, t = v[at];
            v[at] = v[draw[i]];
            v[draw[i]] = t;
        }
    }
}
