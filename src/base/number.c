/* SPDX-License-Identifier: BSD-2-Clause */
/* The one reader of numbers. Options of the command, values of specs and fields of files all come through here, so
 * that 64K means the same everywhere and what was expected is worded once. Integers are read digit by digit and never
 * rounded; strtod sees only text made of digits, point and exponent, because alone it would take "inf" and "0x1p3". */
#include "base/number.h"
#include "base/c_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DECIMAL[] = "0123456789", REAL[] = "0123456789.eE+-", HEX[] = "0123456789abcdefABCDEF";

/* K, M and G count in 1024s as memory sizes do; the names with a B follow IEC 80000-13. All may be small, but not the B
 * alone: Mb are bits. */
static const struct unit {
    const char *name;
    uint64_t factor;
} units[] = {
    {"", 1},
    {"B", 1},
    {"K", 1 << 10},
    {"M", 1 << 20},
    {"G", 1 << 30},
    {"k", 1 << 10},
    {"m", 1 << 20},
    {"g", 1 << 30},
    {"KiB", 1 << 10},
    {"MiB", 1 << 20},
    {"GiB", 1 << 30},
    {"kib", 1 << 10},
    {"mib", 1 << 20},
    {"gib", 1 << 30},
    {"KB", 1000},
    {"MB", 1000 * 1000},
    {"GB", 1000 * 1000 * 1000},
    {"kb", 1000},
    {"mb", 1000 * 1000},
    {"gb", 1000 * 1000 * 1000},
    {"kB", 1000},
};

bool hd_parse_u64(const char *s, size_t n, uint64_t *value)
{
    if (n == 0 || n > 20) return false;
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)(s[i] - '0');
        if (digit > 9 || v > (UINT64_MAX - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

bool hd_parse_guid(const char *s, size_t n, uint64_t *guid)
{
    char digits[17] = "";
    if (n < 3 || n > 18 || s[0] != '0' || s[1] != 'x') return false;
    memcpy(digits, s + 2, n - 2);
    if (strspn(digits, HEX) != n - 2) return false;
    *guid = strtoull(digits, NULL, 16);
    return true;
}

static bool parse_real(const char *text, double *value)
{
    char *end;
    if (!*text || strspn(text, REAL) != strlen(text)) return false;
    *value = hd_strtod(text, &end);
    return !*end && isfinite(*value);
}

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, name) == 0) return &units[i];
    return NULL;
}

/* Digits, or digits with a point, before a unit. */
static bool parse_bytes(const char *text, uint64_t *bytes)
{
    char number[32];
    size_t whole = strspn(text, DECIMAL), n = whole;
    uint64_t v;
    double real;
    if (text[n] == '.') n += 1 + strspn(text + n + 1, DECIMAL);
    const struct unit *unit = find_unit(text + n);
    if (!unit || n == 0 || n >= sizeof number) return false;
    if (n == whole) {
        if (!hd_parse_u64(text, n, &v) || v > UINT64_MAX / unit->factor) return false;
        *bytes = v * unit->factor;
        return true;
    }
    memcpy(number, text, n);
    number[n] = 0;
    if (!parse_real(number, &real) || real * (double)unit->factor >= 0x1p63) return false;
    *bytes = (uint64_t)(real * (double)unit->factor);
    return true;
}

bool hd_number_parse(enum hd_kind kind, double min, double max, const char *text, union hd_number *value)
{
    double v;
    if (!text) return false;
    if (kind == HD_REAL) {
        if (!parse_real(text, &value->real)) return false;
        v = value->real;
    } else {
        if (kind == HD_BYTES ? !parse_bytes(text, &value->u) : !hd_parse_u64(text, strlen(text), &value->u))
            return false;
        v = (double)value->u;
    }
    return v >= min && v <= max;
}

/* ---- what was expected ---------------------------------------------------------------------- */

/* 7, 0.00001, 10^9, 2^64-1, 16MiB */
static void print_limit(enum hd_kind kind, double value, char text[24])
{
    static const char letters[] = " KMG";
    uint32_t power = 0, unit = 0;
    double ten = 1, rest = value;
    while (ten < value) ten *= 10, power++;
    while (kind == HD_BYTES && unit < 3 && rest >= 1024 && fmod(rest, 1024) == 0) rest /= 1024, unit++;
    if (value >= 0x1p64)
        snprintf(text, 24, "2^64-1");
    else if (unit && ten != value)
        hd_format(text, 24, "%.0f%ciB", rest, letters[unit]);
    else if (power >= 6 && ten == value)
        snprintf(text, 24, "10^%u", power);
    else if (value > 0 && value < 0.001)
        hd_format(text, 24, "%.*f", (int)ceil(-log10(value)), value);
    else
        hd_format(text, 24, "%.16g", value);
}

static const char *kind_noun(enum hd_kind kind)
{
    switch (kind) {
    case HD_BYTES: return "size in bytes";
    case HD_REAL: return "number";
    default: return "integer";
    }
}

const char *hd_number_range(enum hd_kind kind, double min, double max, char text[HD_MAX_RANGE])
{
    char low[24], high[24];
    print_limit(kind, min, low);
    print_limit(kind, max, high);
    snprintf(text, HD_MAX_RANGE, "%s, %s..%s", kind_noun(kind), low, high);
    return text;
}

const char *hd_number_expected(enum hd_kind kind, double min, double max, char text[HD_MAX_RANGE])
{
    char low[24], high[24];
    const char *noun = kind_noun(kind);
    print_limit(kind, min, low);
    print_limit(kind, max, high);
    snprintf(text, HD_MAX_RANGE, "%s %s from %s to %s%s", kind == HD_UINT ? "an" : "a", noun, low, high,
             kind == HD_BYTES ? ", such as 4096, 64K or 1MiB" : "");
    return text;
}
