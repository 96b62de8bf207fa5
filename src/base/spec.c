/* SPDX-License-Identifier: BSD-2-Clause */
/* Specs: from "name:key=value,..." to the options struct of whatever has that name, and back to the canonical text,
 * both driven by the rows of its struct hd_desc; and suggestions for names that are nearly right. Linear in the text;
 * a suggestion costs the product of the word lengths per candidate. */
#include "base/spec.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "tool/words.h"

#include <stdio.h>
#include <string.h>

size_t hd_spec_name(const char *spec)
{
    return strcspn(spec, ":");
}

/* ---- did you mean -------------------------------------------------------------------------- */

static unsigned edit_distance(const char *a, const char *b)
{
    enum { MAX = 32 };
    size_t na = strlen(a), nb = strlen(b);
    if (na > MAX || nb > MAX) return MAX;
    unsigned row[MAX + 1];
    for (size_t j = 0; j <= nb; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

const char *hd_nearest(const char *word, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    unsigned least = strlen(word) <= 3 ? 2 : 3; /* two letters off at most, one in short words */
    for (size_t i = 0; i < n; i++) {
        if (hd_strcasecmp(word, candidates[i]) == 0) return candidates[i];
        unsigned d = edit_distance(word, candidates[i]);
        if (d < least && d < strlen(word)) {
            least = d;
            best = candidates[i];
        }
    }
    return best;
}

const char *hd_separator(size_t i, size_t n)
{
    if (i == 0) return "";
    return i + 1 < n ? ", " : " or ";
}

hd_status hd_fail_choice(struct hd_ctx *ctx, const char *param, const char *word, const char *const *names, size_t n)
{
    char all[512] = "";
    const char *near = hd_nearest(word, names, n);
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", hd_separator(i, n), names[i]);
    }
    return hd_fail_about(ctx, HD_USAGE, param, "%s %.60s: expected %s%s%s%s", param, word, all,
                         near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

const void *hd_named_row(struct hd_ctx *ctx, const char *param, const char *name, const struct hd_named_rows *rows)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = rows->n < MOST ? rows->n : MOST;
    if (!name) name = "";
    for (size_t i = 0; i < n; i++) {
        const void *row = (const char *)rows->row + i * rows->size;
        names[i] = *(const char *const *)row;
        if (strcmp(names[i], name) == 0) return row;
    }
    hd_fail_choice(ctx, param, name, names, n);
    return NULL;
}

void hd_put_wrapped(struct hd_out *o, size_t at, size_t indent, const char *text)
{
    size_t width = hd_out_columns(o) ? hd_out_columns(o) : HD_COLUMNS;
    bool blank = false; /* before the word */
    for (size_t n; *text; text += n, text += strspn(text, " "), blank = true) {
        n = strcspn(text, " ");
        while (strncmp(text + n, " %", 2) == 0) n += 1 + strcspn(text + n + 1, " "); /* a number and its per cent */
        if (at > indent && at + blank + n > width) {
            hd_printf(o, "\n%*s", (int)indent, "");
            at = indent;
            blank = false;
        }
        if (blank) hd_puts(o, " ");
        hd_put_visible(o, text, n);
        at += blank + n;
    }
    hd_puts(o, "\n");
}

/* ---- values -------------------------------------------------------------------------------- */

static bool spec_parse_list(const char *s, struct hd_list *list)
{
    struct hd_list l = {0};
    for (;;) {
        size_t n = strcspn(s, "x");
        uint64_t v;
        if (l.n == HD_MAX_LIST || !hd_parse_u64(s, n, &v) || v > UINT32_MAX) return false;
        l.v[l.n++] = (uint32_t)v;
        if (!s[n]) break;
        s += n + 1;
    }
    *list = l;
    return true;
}

/* Index of s among "a|b|c", -1 if absent. */
static int find_word(const char *words, const char *s)
{
    size_t n = strlen(s);
    for (int i = 0;; i++) {
        size_t len = strcspn(words, "|");
        if (len == n && memcmp(words, s, n) == 0) return i;
        if (!words[len]) return -1;
        words += len + 1;
    }
}

static const char *word_at(const char *words, int index, int *len)
{
    while (index-- > 0) words += strcspn(words, "|") + 1;
    *len = (int)strcspn(words, "|");
    return words;
}

/* One spec being read. */
struct spec_reader {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    const struct hd_desc *desc;
    void *opt;
    uint64_t seen; /* one bit per key given */
};

/* expected: "an integer from 1 to 4" */
static hd_status bad_value(const struct spec_reader *r, const struct hd_param *p, const char *value,
                           const char *expected)
{
    return hd_fail(r->ctx, HD_INPUT, "%s: %s=%.100s: expected %s", r->desc->name, p->name, value, expected);
}

static hd_status spec_set_number(const struct spec_reader *r, const struct hd_param *p, const char *value, void *slot)
{
    union hd_number number;
    char expected[HD_MAX_RANGE];
    if (!hd_number_parse(p->kind, p->min, p->max, value, &number))
        return bad_value(r, p, value, hd_number_expected(p->kind, p->min, p->max, expected));
    if (p->kind == HD_REAL)
        *(double *)slot = number.real;
    else
        *(uint64_t *)slot = number.u;
    return HD_OK;
}

/* An empty default means: not given. */
static hd_status set_list(const struct spec_reader *r, const struct hd_param *p, const char *value,
                          struct hd_list *slot)
{
    struct hd_list l = {0};
    char integer[HD_MAX_RANGE], expected[HD_MAX_RANGE + 40];
    size_t entries = 1;
    for (const char *c = value; *c; c++) entries += *c == 'x';
    if (entries > HD_MAX_LIST)
        return hd_fail(r->ctx, HD_INPUT, "%s: %s=%.100s: %zu numbers, at most %d", r->desc->name, p->name, value,
                       entries, HD_MAX_LIST);
    bool good = !*value || spec_parse_list(value, &l);
    for (uint32_t i = 0; good && i < l.n; i++) good = l.v[i] >= p->min && l.v[i] <= p->max;
    if (!good) {
        snprintf(expected, sizeof expected, "numbers separated by x, each %s",
                 hd_number_expected(HD_UINT, p->min, p->max, integer));
        return bad_value(r, p, value, expected);
    }
    *slot = l;
    return HD_OK;
}

static hd_status set_word(const struct spec_reader *r, const struct hd_param *p, const char *value, int *slot)
{
    int i = find_word(p->words, value);
    if (i < 0)
        return hd_fail(r->ctx, HD_INPUT, "%s: %s=%.100s: expected one of %s", r->desc->name, p->name, value, p->words);
    *slot = i;
    return HD_OK;
}

static hd_status set_flag(const struct spec_reader *r, const struct hd_param *p, const char *value, bool *slot)
{
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0) return bad_value(r, p, value, "on or off");
    *slot = value[1] == 'n';
    return HD_OK;
}

static hd_status set_value(const struct spec_reader *r, const struct hd_param *p, const char *value)
{
    void *slot = (char *)r->opt + p->offset;
    switch (p->kind) {
    case HD_UINT:
    case HD_BYTES:
    case HD_REAL: return spec_set_number(r, p, value, slot);
    case HD_LIST: return set_list(r, p, value, slot);
    case HD_WORD: return set_word(r, p, value, slot);
    case HD_FLAG: return set_flag(r, p, value, slot);
    case HD_TEXT: break;
    }
    char *copy = hd_strdup(r->arena, value, strlen(value));
    if (!copy) return hd_fail_memory(r->ctx);
    *(const char **)slot = copy;
    return HD_OK;
}

/* ---- whole specs --------------------------------------------------------------------------- */

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Length of "key" when s begins with key=, else 0. */
static size_t key_length(const char *s)
{
    size_t n = 0;
    while (is_key_char(s[n])) n++;
    return s[n] == '=' ? n : 0;
}

static size_t value_length(const char *s)
{
    size_t n = 0;
    while (s[n] && !(s[n] == ',' && key_length(s + n + 1))) n++;
    return n;
}

static size_t param_count(const struct hd_desc *d)
{
    size_t n = 0;
    while (d->params && d->params[n].name) n++;
    return n;
}

/* Names that begin with a bracket cannot be written in a spec: they are of bindings to other languages. */
static hd_status unknown_key(struct hd_ctx *ctx, const struct hd_desc *d, const char *key)
{
    const char *names[64];
    char known[400] = "";
    size_t n = 0, used = 0;
    for (size_t i = 0; i < param_count(d) && n < 64; i++) {
        if (d->params[i].name[0] == '(') continue;
        names[n++] = d->params[i].name;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", d->params[i].name);
    }
    if (n == 0) return hd_fail(ctx, HD_INPUT, "%s: unknown key '%s': it takes none", d->name, key);
    const char *near = hd_nearest(key, names, n);
    if (near) return hd_fail(ctx, HD_INPUT, "%s: unknown key '%s', did you mean '%s'?", d->name, key, near);
    return hd_fail(ctx, HD_INPUT, "%s: unknown key '%s': expected one of %s", d->name, key, known);
}

/* pair is key=value, of nkey and nvalue bytes. */
static hd_status set_key(struct spec_reader *r, const char *pair, size_t nkey, size_t nvalue)
{
    const struct hd_desc *d = r->desc;
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)(nkey < 63 ? nkey : 63), pair);
    size_t i = 0, n = param_count(d);
    while (i < n && strcmp(d->params[i].name, key) != 0) i++;
    if (i == n) return unknown_key(r->ctx, d, key);
    if (r->seen >> i & 1) return hd_fail(r->ctx, HD_INPUT, "%s: key '%s' given twice", d->name, key);
    r->seen |= (uint64_t)1 << i;
    char *value = hd_strdup(r->arena, pair + nkey + 1, nvalue);
    if (!value) return hd_fail_memory(r->ctx);
    if (!*value) return hd_fail(r->ctx, HD_INPUT, "%s: %s= has no value", d->name, key);
    return set_value(r, &d->params[i], value);
}

hd_status hd_opts_parse(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_desc *d, const char *text,
                        void *opt)
{
    struct spec_reader r = {.ctx = ctx, .arena = arena, .desc = d, .opt = opt};
    for (size_t i = 0; i < param_count(d); i++) HD_TRY(set_value(&r, &d->params[i], d->params[i].value));
    while (text && *text) {
        size_t nkey = key_length(text);
        if (nkey == 0) return hd_fail(ctx, HD_INPUT, "%s: expected key=value, got '%.100s'", d->name, text);
        size_t nvalue = value_length(text + nkey + 1);
        HD_TRY(set_key(&r, text, nkey, nvalue));
        text += nkey + 1 + nvalue;
        if (*text == ',') text++;
    }
    return HD_OK;
}

static int print_value(const struct hd_param *p, const void *opt, char *s, size_t size)
{
    const void *slot = (const char *)opt + p->offset;
    switch (p->kind) {
    case HD_UINT:
    case HD_BYTES: return snprintf(s, size, "%llu", (unsigned long long)*(const uint64_t *)slot);
    case HD_REAL: return hd_format(s, size, "%.12g", *(const double *)slot);
    case HD_WORD: {
        int len;
        const char *w = word_at(p->words, *(const int *)slot, &len);
        return snprintf(s, size, "%.*s", len, w);
    }
    case HD_FLAG: return snprintf(s, size, "%s", *(const bool *)slot ? "on" : "off");
    case HD_LIST: {
        const struct hd_list *l = slot;
        int n = 0;
        *s = 0;
        for (uint32_t i = 0; i < l->n && (size_t)n < size; i++)
            n += snprintf(s + n, size - (size_t)n, "%s%u", i ? "x" : "", l->v[i]);
        return n;
    }
    case HD_TEXT: return snprintf(s, size, "%s", *(const char *const *)slot);
    }
    return 0;
}

hd_status hd_opts_print(struct hd_ctx *ctx, const struct hd_desc *d, const void *opt, char spec[HD_MAX_SPEC])
{
    int n = snprintf(spec, HD_MAX_SPEC, "%s", d->name);
    bool first = true;
    for (size_t i = 0; i < param_count(d); i++) {
        const struct hd_param *p = &d->params[i];
        char value[HD_MAX_SPEC];
        int len = print_value(p, opt, value, sizeof value);
        if (len == 0 || (!p->shape && strcmp(value, p->value) == 0)) continue;
        if (len < HD_MAX_SPEC && n < HD_MAX_SPEC)
            n += snprintf(spec + n, (size_t)(HD_MAX_SPEC - n), "%c%s=%s", first ? ':' : ',', p->name, value);
        first = false;
        if (len >= HD_MAX_SPEC || n >= HD_MAX_SPEC)
            return hd_fail(ctx, HD_INPUT, "%s: spec longer than %d bytes", d->name, HD_MAX_SPEC - 1);
    }
    return HD_OK;
}
