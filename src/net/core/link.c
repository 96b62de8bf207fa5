/* SPDX-License-Identifier: BSD-2-Clause */
/* Link codes: width times speed as InfiniBand names them, e.g. 4xQDR. Rates are data rates, after
 * the 8b/10b coding of SDR..QDR and the 64b/66b of what came later. */
#include "heddle/net.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t lane_mbps;
} speeds[] = {{"SDR", 2000},  {"DDR", 4000},  {"QDR", 8000},   {"FDR10", 10000}, {"FDR", 13636},
              {"EDR", 25000}, {"HDR", 50000}, {"NDR", 100000}, {"XDR", 200000}};

static const uint32_t widths[] = {1, 2, 4, 8, 12};

enum { SPEEDS = sizeof speeds / sizeof speeds[0], WIDTHS = sizeof widths / sizeof widths[0] };

/* "1xSDR" .. "12xXDR" in code order; [0] is unknown. */
static const char *const names[1 + SPEEDS * WIDTHS] = {
    "",
#define ROW(w) w "SDR", w "DDR", w "QDR", w "FDR10", w "FDR", w "EDR", w "HDR", w "NDR", w "XDR"
    ROW("1x"), ROW("2x"), ROW("4x"), ROW("8x"), ROW("12x"),
#undef ROW
};

const char *hd_link_name(uint8_t link)
{
    return link < 1 + SPEEDS * WIDTHS ? names[link] : "";
}

uint32_t hd_link_mbps(uint8_t link)
{
    if (link == 0 || link >= 1 + SPEEDS * WIDTHS) return 0;
    return widths[(link - 1) / SPEEDS] * speeds[(link - 1) % SPEEDS].lane_mbps;
}

uint8_t hd_link_code(const char *name, size_t len)
{
    for (int i = 1; name && i < 1 + SPEEDS * WIDTHS; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) return (uint8_t)i;
    return 0;
}
