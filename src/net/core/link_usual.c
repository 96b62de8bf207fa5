/* SPDX-License-Identifier: BSD-2-Clause */
/* The most frequent rate (link_usual.h). O(codes squared), of which there are few. */
#include "net/core/link_usual.h"
#include "heddle/net.h"

#include <stdbool.h>
#include <stddef.h>

static uint32_t usual_of_rate(const uint32_t count[HD_LINK_CODES], uint32_t rate)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < HD_LINK_CODES; i++)
        if (count[i] && hd_link_mbps((uint8_t)i) == rate) n += count[i];
    return n;
}

uint8_t hd_link_usual(const uint32_t count[HD_LINK_CODES], uint32_t *cables)
{
    uint32_t best = 0, most = 0, best_rate = 0;
    for (uint32_t i = 1; i < HD_LINK_CODES; i++) {
        const uint32_t rate = hd_link_mbps((uint8_t)i);
        if (!count[i] || !rate) continue;
        const uint32_t n = usual_of_rate(count, rate);
        const bool more = n > most || (n == most && rate < best_rate);
        if (!more && (rate != best_rate || count[i] <= count[best])) continue;
        best = i;
        most = n;
        best_rate = rate;
    }
    if (cables) *cables = most;
    return (uint8_t)best;
}
