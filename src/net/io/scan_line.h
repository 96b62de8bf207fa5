/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a NUL-terminated line from left to right. A scan that fails leaves the position alone. */
#ifndef HD_NET_IO_SCAN_LINE_H
#define HD_NET_IO_SCAN_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool hd_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline void hd_scan_blanks(const char **s)
{
    while (hd_is_blank(**s)) (*s)++;
}

static inline bool hd_scan_char(const char **s, char c)
{
    if (**s != c) return false;
    (*s)++;
    return true;
}

static inline bool hd_scan_text(const char **s, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(*s, text, n) != 0) return false;
    *s += n;
    return true;
}

/* Decimal digits; what does not fit becomes UINT32_MAX, which no caller accepts. */
static inline bool hd_scan_u32(const char **s, uint32_t *value)
{
    const char *p = *s;
    uint64_t v = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (v <= UINT32_MAX) v = v * 10 + (uint64_t)(*p - '0');
    if (p == *s) return false;
    *value = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
    *s = p;
    return true;
}

static inline int hd_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Hexadecimal digits that fit 64 bits. */
static inline bool hd_scan_hex(const char **s, uint64_t *value)
{
    const char *p = *s;
    uint64_t v = 0;
    int d;
    for (; (d = hd_hex_digit(*p)) >= 0; p++) {
        if (v >> 60) return false;
        v = v << 4 | (uint64_t)d;
    }
    if (p == *s) return false;
    *value = v;
    *s = p;
    return true;
}

/* A GUID as people write it: 0x and hexadecimal digits. */
static inline bool hd_scan_guid(const char **s, uint64_t *value)
{
    const char *p = *s;
    if (p[0] != '0' || (p[1] | 32) != 'x') return false;
    p += 2;
    if (!hd_scan_hex(&p, value)) return false;
    *s = p;
    return true;
}

#endif
