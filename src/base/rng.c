/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rng.h"

#include <Random123/philox.h>
#include <string.h>

void hd_rng_init(struct hd_rng *r, uint64_t seed, enum hd_purpose purpose, uint64_t index)
{
    memset(r, 0, sizeof *r);
    r->key[0] = (uint32_t)seed;
    r->key[1] = (uint32_t)(seed >> 32);
    r->ctr[1] = (uint32_t)purpose;
    r->ctr[2] = (uint32_t)index;
    r->ctr[3] = (uint32_t)(index >> 32);
}

uint32_t hd_rng_u32(struct hd_rng *r)
{
    if (r->left == 0) {
        philox4x32_ctr_t c = {{r->ctr[0], r->ctr[1], r->ctr[2], r->ctr[3]}};
        philox4x32_key_t k = {{r->key[0], r->key[1]}};
        philox4x32_ctr_t w = philox4x32(c, k);
        memcpy(r->word, w.v, sizeof r->word);
        r->ctr[0]++;
        r->left = 4;
    }
    return r->word[--r->left];
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
    uint64_t hi = hd_rng_u32(r) >> 5, lo = hd_rng_u32(r) >> 6;
    return (double)(hi << 26 | lo) * 0x1p-53;
}

void hd_rng_shuffle(struct hd_rng *r, uint32_t *v, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = hd_rng_below(r, i), t = v[i - 1];
        v[i - 1] = v[j];
        v[j] = t;
    }
}
