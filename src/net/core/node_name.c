/* SPDX-License-Identifier: BSD-2-Clause */
/* Node descriptions are free text that the host's start-up scripts write, mostly "<host> <device>".
 * The device is a kernel name (mlx5_0, hfi1_0, ibp23s0, mlx5_bond_0) or the older HCA-<n>; both are a
 * known prefix followed by numbered pieces. One pass over the text, no tables. */
#include "net/core/node_name.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t take_digits(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && hd_is_digit(s[i])) i++;
    return i;
}

static size_t take_separator(const char *s, size_t n)
{
    return n && (*s == '-' || *s == '_');
}

/* "bond", "ib", or the one letter of a predictable name such as p23s0f1. */
static size_t take_word(const char *s, size_t n)
{
    if (n > 4 && memcmp(s, "bond", 4) == 0) return 4;
    if (n > 2 && memcmp(s, "ib", 2) == 0) return 2;
    return n && strchr("opsfdnv", *s) != NULL;
}

/* What follows the prefix of a device name: pieces like 5, _0, -1, p23, _bond_0; at least one. */
static bool numbered(const char *s, size_t n)
{
    if (n == 0) return false;
    while (n) {
        size_t i = take_separator(s, n);
        i += take_word(s + i, n - i);
        i += take_separator(s + i, n - i);
        size_t digits = take_digits(s + i, n - i);
        if (digits == 0) return false;
        s += i + digits;
        n -= i + digits;
    }
    return true;
}

static bool is_device(struct hd_text word)
{
    static const char *const prefixes[] = {"HCA",   "hca",   "mlx",     "mthca", "hfi",   "qib",       "ipath",
                                           "ib",    "roce",  "rdma",    "opa",   "iw",    "efa",       "mana",
                                           "irdma", "i40iw", "bnxt_re", "cxgb",  "qedr",  "hns",       "rxe",
                                           "siw",   "usnic", "ocrdma",  "erdma", "ionic", "vmw_pvrdma"};
    static const char first[] = "Hhmqiroebcsuv"; /* of these: nearly always a word ends here, for every adapter */
    if (!memchr(first, *word.at, sizeof first - 1)) return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (*prefixes[i] != *word.at) continue;
        size_t n = strlen(prefixes[i]);
        if (word.n > n && memcmp(word.at, prefixes[i], n) == 0 && numbered(word.at + n, word.n - n)) return true;
    }
    return false;
}

static struct hd_text trim(struct hd_text t)
{
    while (t.n && is_blank(t.at[t.n - 1])) t.n--;
    while (t.n && is_blank(*t.at)) {
        t.at++;
        t.n--;
    }
    return t;
}

static struct hd_text unquote(struct hd_text t)
{
    t = trim(t);
    if (t.n >= 2 && (*t.at == '\'' || *t.at == '"') && t.at[t.n - 1] == *t.at)
        t = trim((struct hd_text){t.at + 1, t.n - 2});
    return t;
}

/* Names that a machine without a name of its own goes by. */
static bool is_vague(struct hd_text host)
{
    if (host.n >= 9 && memcmp(host.at, "localhost", 9) == 0)
        return host.n == 9 || host.at[9] == '.' || hd_is_digit(host.at[9]);
    return host.n == 6 && memcmp(host.at, "(none)", 6) == 0;
}

struct hd_name hd_name_split(const char *description)
{
    struct hd_text all = {description, strlen(description)}, bare = unquote(all);
    struct hd_name name = {.host = bare.n ? bare : all};
    for (size_t end = bare.n; end;) {
        size_t begin = end;
        while (begin && !is_blank(bare.at[begin - 1])) begin--;
        struct hd_text word = {bare.at + begin, end - begin};
        struct hd_text before = trim((struct hd_text){bare.at, begin});
        struct hd_text after = trim((struct hd_text){bare.at + end, bare.n - end});
        if (word.n && is_device(word)) {
            name.device = word;
            if (before.n || after.n)
                name.host = before.n ? before : after;
            else
                name.vague = true;
            break;
        }
        end = begin ? begin - 1 : 0;
    }
    if (is_vague(name.host)) name.vague = true;
    return name;
}

size_t hd_name_short(const char *host)
{
    size_t n = strcspn(host, ".");
    return strspn(host, "0123456789") < n ? n : strlen(host);
}

/* Numbers by value: without leading zeros the longer one is larger. */
static int order_digits(struct hd_text a, struct hd_text b)
{
    while (a.n && *a.at == '0') a.at++, a.n--;
    while (b.n && *b.at == '0') b.at++, b.n--;
    if (a.n != b.n) return a.n < b.n ? -1 : 1;
    return a.n ? memcmp(a.at, b.at, a.n) : 0;
}

int hd_name_order(struct hd_text a, struct hd_text b)
{
    size_t i = 0, j = 0;
    while (i < a.n && j < b.n) {
        size_t da = take_digits(a.at + i, a.n - i), db = take_digits(b.at + j, b.n - j);
        if (da && db) {
            int order = order_digits((struct hd_text){a.at + i, da}, (struct hd_text){b.at + j, db});
            if (order) return order;
            i += da;
            j += db;
        } else {
            if (a.at[i] != b.at[j]) return (unsigned char)a.at[i] < (unsigned char)b.at[j] ? -1 : 1;
            i++;
            j++;
        }
    }
    if ((i < a.n) != (j < b.n)) return i < a.n ? 1 : -1;
    /* equal up to leading zeros: the shorter first, then by bytes */
    if (a.n != b.n) return a.n < b.n ? -1 : 1;
    return a.n ? memcmp(a.at, b.at, a.n) : 0;
}
