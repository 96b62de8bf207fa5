/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for Kubernetes. What it does not take becomes '-', and an 'x' goes where a name would begin or end with a sign,
 * so that none is an option or a YAML list. Names that have become equal are numbered; one that needed no change keeps
 * its own, since it is the one that exists. The rules are those of the Kubernetes documents, "Object Names and IDs" and
 * "Labels and Selectors". Cost: O(n log n) for n names. */
#include "net/io/kube_names.h"
#include "base/c_locale.h"
#include "base/named.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUE = 63, NUMBER = 11 }; /* bytes; those of a number with its hyphen */

struct kube_label {
    char *clean; /* first, for hd_find_name */
    const char *raw;
    uint32_t index;
};

static bool kube_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static char kube_byte(enum hd_kube_rule rule, const char *raw, size_t i)
{
    if (rule == HD_KUBE_VALUE) return raw[i];
    if (raw[i] >= 'A' && raw[i] <= 'Z') return (char)(raw[i] - 'A' + 'a');
    bool inside = i && kube_plain(raw[i - 1]) && kube_plain(raw[i + 1]);
    return kube_plain(raw[i]) || (raw[i] == '.' && inside) ? raw[i] : '-';
}

static char *kube_clean(struct hd_arena *arena, enum hd_kube_rule rule, const char *raw)
{
    size_t n = strlen(raw), used = 0;
    char *clean = hd_alloc(arena, n + 3, 1);
    if (!clean) return NULL;
    if (!n || !kube_plain(raw[0])) clean[used++] = 'x';
    for (size_t i = 0; i < n; i++) clean[used++] = kube_byte(rule, raw, i);
    if (!kube_plain(clean[used - 1])) clean[used++] = 'x';
    if (rule == HD_KUBE_VALUE && used > MOST_VALUE) {
        used = MOST_VALUE;
        if (!kube_plain(clean[used - 1])) clean[used - 1] = 'x';
    }
    clean[used] = 0;
    return clean;
}

static int kube_by_clean(const void *a, const void *b)
{
    const struct kube_label *x = a, *y = b;
    int order = strcmp(x->clean, y->clean);
    if (order == 0) order = (strcmp(x->raw, x->clean) != 0) - (strcmp(y->raw, y->clean) != 0);
    return order ? order : strcmp(x->raw, y->raw);
}

static bool kube_taken(const struct kube_label *label, uint32_t n, const char *name)
{
    uint32_t matches;
    return hd_find_name(label, n, sizeof *label, name, &matches) < n;
}

/* The k-th name that is equal to another gets -k; k skips what is a name already. */
static const char *kube_number(struct hd_arena *arena, const struct kube_label *label, uint32_t n, const char *clean,
                               uint32_t *k)
{
    size_t length = strlen(clean), kept = length < MOST_VALUE - NUMBER ? length : MOST_VALUE - NUMBER;
    while (!kube_plain(clean[kept - 1])) kept--; /* the first byte is */
    char *numbered = hd_alloc(arena, MOST_VALUE + 1, 1);
    if (!numbered) return NULL;
    do snprintf(numbered, MOST_VALUE + 1, "%.*s-%u", (int)kept, clean, ++*k);
    while (kube_taken(label, n, numbered));
    return numbered;
}

hd_status hd_kube_names(struct hd_ctx *ctx, struct hd_arena *arena, enum hd_kube_rule rule, const char *const *raw,
                        uint32_t n, const char **name, uint32_t *changed)
{
    struct kube_label *label = HD_NEW(arena, struct kube_label, n);
    if (!label) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < n; i++) {
        label[i] = (struct kube_label){kube_clean(arena, rule, raw[i]), raw[i], i};
        if (!label[i].clean) return hd_fail_memory(ctx);
    }
    if (n) qsort(label, n, sizeof *label, kube_by_clean);
    *changed = 0;
    for (uint32_t i = 0, k = 1; i < n; i++) {
        bool clash = i && strcmp(label[i].clean, label[i - 1].clean) == 0;
        const char *as = clash ? kube_number(arena, label, n, label[i].clean, &k) : label[i].clean;
        if (!as) return hd_fail_memory(ctx);
        *changed += hd_strcasecmp(as, label[i].raw) != 0;
        name[label[i].index] = as;
    }
    return HD_OK;
}
