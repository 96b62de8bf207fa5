/* SPDX-License-Identifier: BSD-2-Clause */
/* What a part lacks is only seen by comparing it with another, and a part that lost some of its lower switches too must
 * still find one. Only numbers that occur are compared, of which there are few: they add up to all switches. */
#include "net/describe/alike.h"

#include <string.h>

enum { ALIKE_FEW = 3 }; /* where one fewer is another kind of part */

static void alike_raise(uint32_t *most, const uint32_t *other, uint32_t width)
{
    for (uint32_t k = 0; k < width; k++)
        if (other[k] > most[k]) most[k] = other[k];
}

static bool alike_occurs(const uint32_t *most, uint32_t width)
{
    for (uint32_t k = 0; k < width; k++)
        if (most[k]) return true;
    return false;
}

static bool alike_is_fewer(uint32_t i, uint32_t j)
{
    return j <= i + 1 + i / 8;
}

bool hd_most_alike(struct hd_arena *scratch, uint32_t *most, uint32_t n, uint32_t width)
{
    const size_t size = ((size_t)n + 1) * width;
    uint32_t *own = HD_NEW(scratch, uint32_t, size);
    if (!own) return false;
    memcpy(own, most, size * sizeof *own);
    for (uint32_t j = ALIKE_FEW; j <= n; j++) {
        const uint32_t *other = &own[(size_t)j * width];
        if (!alike_occurs(other, width)) continue;
        for (uint32_t i = j - 1; i >= ALIKE_FEW && alike_is_fewer(i, j); i--)
            alike_raise(&most[(size_t)i * width], other, width);
        for (uint32_t i = j + 1; i <= n && alike_is_fewer(j, i); i++)
            alike_raise(&most[(size_t)i * width], other, width);
    }
    return true;
}
