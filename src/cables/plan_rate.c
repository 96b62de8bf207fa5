/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates as plans and people write them: HDR, 4xHDR, HDR100, NDR 400G, 200, 100Gb/s, 400GbE, 4x 25.78125 Gbps. A name
 * without a width is that of 4 lanes; behind a name stands the rate of the cable (HDR100 has two lanes of HDR), and
 * behind a width that of a lane. */
#include "base/c_locale.h"
#include "cables/cable_list.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct rate_lane {
    const char *name;
    double gbps; /* as it is sold; 0: FDR10, whose number is part of its name */
};

static const struct rate_lane rate_lanes[] = {{"SDR", 2.5}, {"DDR", 5},  {"QDR", 10},  {"FDR10", 0}, {"FDR", 14},
                                              {"EDR", 25},  {"HDR", 50}, {"NDR", 100}, {"XDR", 200}};
static const unsigned rate_widths[] = {4, 2, 1, 8, 12}; /* as they are tried */

enum { LANES = sizeof rate_lanes / sizeof *rate_lanes, WIDTHS = sizeof rate_widths / sizeof *rate_widths };

static void rate_skip(const char **text)
{
    *text += strspn(*text, " \t-_()");
}

static bool rate_word(const char **text, const char *word)
{
    if (hd_strncasecmp(*text, word, strlen(word)) != 0) return false;
    *text += strlen(word);
    return true;
}

/* A decimal number, whatever the locale. */
static bool rate_number(const char **text, double *value)
{
    const char *p = *text;
    double unit = 1;
    if (!isdigit((unsigned char)*p)) return false;
    for (*value = 0; isdigit((unsigned char)*p); p++) *value = *value * 10 + (*p - '0');
    if (*p == '.')
        for (p++; isdigit((unsigned char)*p); p++) *value += (*p - '0') * (unit /= 10);
    *text = p;
    return true;
}

/* "4x", "x4"; 0: none here. */
static unsigned rate_width(const char **text)
{
    const char *p = *text;
    double n;
    const bool before = hd_tolower(*p) == 'x';
    p += before;
    if (!rate_number(&p, &n) || (!before && !rate_word(&p, "x"))) return 0;
    for (size_t i = 0; i < WIDTHS; i++)
        if (n == rate_widths[i]) {
            *text = p;
            rate_skip(text);
            return rate_widths[i];
        }
    return 0;
}

/* A number with its unit, Gb/s unless it says so, up to the end: "200", "200 Gb/s", "100GBASE-CR4", "1.6T". */
static bool rate_gbps(const char *text, double *gbps)
{
    if (!rate_number(&text, gbps)) return false;
    rate_skip(&text);
    const char unit = hd_tolower(*text);
    if (unit == 'm') *gbps /= 1000;
    if (unit == 't') *gbps *= 1000;
    return !unit || unit == 'g' || unit == 'm' || unit == 't';
}

static uint8_t rate_code(unsigned width, const char *name)
{
    char text[24];
    snprintf(text, sizeof text, "%ux%s", width, name);
    return hd_link_code(text, strlen(text));
}

uint8_t hd_plan_lanes(unsigned width, double gbps)
{
    const struct rate_lane *found = NULL; /* 25.78125 Gb/s on the wire are those of EDR */
    for (size_t i = 0; i < LANES; i++)
        if (rate_lanes[i].gbps > 0 && rate_lanes[i].gbps <= gbps) found = &rate_lanes[i];
    return found ? rate_code(width, found->name) : 0;
}

/* Behind the name of a rate: nothing, a width, or the rate of the cable. */
static uint8_t rate_of_name(const struct rate_lane *lane, unsigned width, const char *rest)
{
    double gbps;
    if (!width) width = rate_width(&rest);
    if (!*rest) return rate_code(width ? width : 4, lane->name);
    if (!rate_gbps(rest, &gbps)) return 0;
    for (size_t i = 0; i < WIDTHS; i++)
        if (gbps == lane->gbps * rate_widths[i] && (!width || width == rate_widths[i]))
            return rate_code(rate_widths[i], lane->name);
    return 0;
}

/* That of a whole cable, as it is sold or of its data. */
static uint8_t rate_of_cable(double gbps)
{
    for (size_t i = 0; i < WIDTHS; i++)
        for (size_t k = 0; k < LANES; k++)
            if (rate_lanes[k].gbps * rate_widths[i] == gbps && gbps > 0)
                return rate_code(rate_widths[i], rate_lanes[k].name);
    for (size_t k = 0; k < LANES; k++)
        if (hd_link_mbps(rate_code(4, rate_lanes[k].name)) == gbps * 1000) return rate_code(4, rate_lanes[k].name);
    return 0;
}

bool hd_plan_rate(const char *text, uint8_t *link)
{
    static const char *const none[] = {"", "-", "?", "n/a", "na", "none", "auto", "unknown", "any"};
    double gbps;
    *link = 0;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (hd_strcasecmp(text, none[i]) == 0) return true;
    if (rate_word(&text, "InfiniBand") || rate_word(&text, "IB")) rate_skip(&text);
    const unsigned width = rate_width(&text);
    for (size_t i = 0; i < LANES; i++) {
        const char *rest = text;
        if (!rate_word(&rest, rate_lanes[i].name)) continue;
        const char letter = hd_tolower(*rest);
        if (letter >= 'a' && letter <= 'z' && letter != 'x') continue;
        rate_skip(&rest);
        *link = rate_of_name(&rate_lanes[i], width, rest);
        if (*link) return true;
    }
    if (rate_gbps(text, &gbps)) *link = width ? hd_plan_lanes(width, gbps) : rate_of_cable(gbps);
    return *link != 0;
}
