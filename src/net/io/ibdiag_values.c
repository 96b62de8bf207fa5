/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of comma-separated tables, cut out of their line in place: O(bytes), no memory. Two readers share this, that
 * of networks and that of counters, because ibdiagnet writes both into one file. */
#include "net/io/ibdiag_values.h"
#include "net/io/scan_line.h"

bool hd_ibdiag_number(const char *s, uint64_t *value)
{
    if (s[0] == '0' && (s[1] | 32) == 'x') return hd_scan_guid(&s, value) && !*s;
    uint64_t v = 0;
    const size_t n = strspn(s, "0123456789");
    if (n == 0 || n > 19 || s[n]) return false;
    for (size_t i = 0; i < n; i++) v = v * 10 + (uint64_t)(s[i] - '0');
    *value = v;
    return true;
}

char *hd_ibdiag_trim(char *s)
{
    while (hd_is_blank(*s)) s++;
    size_t n = strlen(s);
    while (n && hd_is_blank(s[n - 1])) s[--n] = 0;
    return s;
}

char *hd_ibdiag_field(char **at)
{
    char *s = *at, *end;
    if (!s) return NULL;
    while (hd_is_blank(*s)) s++;
    if (*s != '"') {
        end = s + strcspn(s, ",");
        *at = *end ? end + 1 : NULL;
        *end = 0;
        return hd_ibdiag_trim(s);
    }
    for (end = strchr(++s, '"'); end; end = strchr(end + 1, '"')) {
        const char *next = end + 1;
        hd_scan_blanks(&next);
        if (*next && *next != ',') continue;
        *at = *next ? end + 1 + (next - end) : NULL;
        *end = 0;
        return s;
    }
    *at = NULL;
    return hd_ibdiag_trim(s);
}
