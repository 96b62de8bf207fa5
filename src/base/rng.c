/* SPDX-License-Identifier: BSD-2-Clause */
/* Philox 4x64-10: a block of four words is a function of key and counter alone, so a stream needs no state but its
 * position, and sample 7 can be drawn before sample 6. Blocks are made eight at a time, which the compiler vectorises.
 * Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011). */
#include "base/rng.h"
#include "base/always_inline.h"

/* Random123 multiplies 64 by 64 bits in assembler where it knows how. On other processors the compiler's 128-bit
 * integers, or plain C where there are none, give the same numbers. */
#ifndef __x86_64__
#define R123_USE_MULHILO64_ASM 0
#ifdef __SIZEOF_INT128__
#define R123_USE_GNU_UINT128 1
#else
#define R123_USE_GNU_UINT128 0
#define R123_USE_MULHILO64_C99 1
#endif
#endif
#include <Random123/philox.h>
#include <stdbool.h>
#include <string.h>

void hd_rng_init(struct hd_rng *r, uint64_t seed, enum hd_purpose purpose, uint64_t index)
{
    r->key[0] = seed, r->key[1] = purpose;
    r->ctr[0] = 0, r->ctr[1] = index;
    r->left = 0;
    r->has_half = 0;
}

/* The next blocks of four words. 64-bit multiplications give twice the numbers of the 32-bit variant for the
 * same work here; a block is a chain of ten that wait for each other, so several blocks at once come at little
 * more than the price of one. Each block is handed out from its last word to its first. */
static void __attribute__((noinline)) refill(struct hd_rng *r, uint32_t blocks)
{
    philox4x64_key_t k = {{r->key[0], r->key[1]}};
    for (uint32_t b = 0; b < blocks; b++) {
        philox4x64_ctr_t c = {{r->ctr[0] + b, r->ctr[1], 0, 0}};
        philox4x64_ctr_t w = philox4x64(c, k);
        memcpy(r->word + 4 * (blocks - 1 - b), w.v, sizeof w.v);
    }
    r->ctr[0] += blocks;
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

/* ---- shuffling: nearly all random numbers there are ---------------------------------------------
 * k draws, below n, n-1, .., n-k+1, come from one word: multiply on, each time the high half is a draw and the low
 * half what is left. Words whose last low half falls below 2^64 mod (n ... n-k+1) are rejected, so draws are exactly
 * uniform (Brackett-Rozinsky and Lemire: batched ranged random integer generation). As many draws share a word as keep
 * that product below 2^SAFE: then one look at the top bits shows nearly always that a word is good, and the product
 * itself is hardly ever made. k is a constant of each loop, so a draw is one multiplication and a swap, and no swap
 * waits for the one before. */
static inline uint32_t upper_word(uint64_t low, uint32_t n)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 u128;
    return (uint32_t)((u128)low * n >> 64);
#else
    return (uint32_t)(((low >> 32) * n + ((low & UINT32_MAX) * n >> 32)) >> 32);
#endif
}

enum { SAFE = 57, MOST_DRAWS = 6 };

static bool __attribute__((noinline, cold)) rejected(uint64_t low, uint32_t n, uint32_t k)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < k; i++) product *= n - i;
    return low < product && low < -product % product; /* the second is less than product, and dear */
}

/* Puts the last k of n elements in their places. */
HD_ALWAYS_INLINE void place_last(struct hd_rng *r, uint32_t *v, uint32_t n, uint32_t k)
{
    uint64_t low;
    uint32_t draw[MOST_DRAWS];
    do {
        if (r->left == 0) refill(r, n < 24 * HD_RNG_BLOCKS ? n / 24 + 1 : HD_RNG_BLOCKS); /* 4 * 6 draws a block */
        low = r->word[--r->left];
        for (uint32_t i = 0; i < k; i++) {
            draw[i] = upper_word(low, n - i);
            __asm__("" : "+r"(draw[i])); /* in a register: both halves of a product as a pair would go to memory */
            low *= n - i;
        }
    } while (low >> SAFE == 0 && rejected(low, n, k));
    for (uint32_t i = 0; i < k; i++) {
        uint32_t t = v[n - 1 - i];
        v[n - 1 - i] = v[draw[i]];
        v[draw[i]] = t;
    }
}

void hd_rng_shuffle(struct hd_rng *r, uint32_t *v, uint32_t n)
{
    for (; n > 1u << 28; n -= 1) place_last(r, v, n, 1);
    for (; n > 1u << 19; n -= 2) place_last(r, v, n, 2);
    for (; n > 1u << 14; n -= 3) place_last(r, v, n, 3);
    for (; n > 1u << 11; n -= 4) place_last(r, v, n, 4);
    for (; n > 1u << 9; n -= 5) place_last(r, v, n, 5);
    for (; n > 6; n -= 6) place_last(r, v, n, 6);
    if (n > 1) place_last(r, v, n, n - 1);
}
