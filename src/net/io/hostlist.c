/* SPDX-License-Identifier: BSD-2-Clause */
/* Compression splits a name into head and trailing number. Names with one head, sorted by number, are
 * a group; runs of numbers become ranges. Neighbouring groups whose heads differ in one number and
 * whose trailing numbers agree are then written as a product, head[..]tail[..].
 * Expansion makes the names as it reads; how many a list has is checked before each of its items. */
#include "net/io/hostlist.h"
#include "base/status.h"
#include "net/core/node_name.h"
#include "net/core/paged_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool hostlist_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int hd_natural(const char *a, const char *b)
{
    return hd_name_order((struct hd_text){a, strlen(a)}, (struct hd_text){b, strlen(b)});
}

/* ---- compression --------------------------------------------------------------------------- */

enum { DIGITS = 9 }; /* of a number that takes part in ranges; what is in front belongs to the head */

struct name {
    const char *text;
    uint32_t head; /* bytes in front of the trailing number */
    uint32_t len;
    uint32_t value; /* of the trailing number; none when head == len */
};

struct hostlist_group { /* names first .. first+n-1 share a head */
    uint32_t first, n;
    uint32_t at, digits; /* the last number of the head, digits == 0: none */
    uint32_t value;
};

static uint32_t number_before(const char *text, uint32_t end, uint32_t *value)
{
    uint32_t at = end, scale = 1;
    *value = 0;
    while (at > 0 && end - at < DIGITS && hd_is_digit(text[at - 1])) {
        *value += (uint32_t)(text[--at] - '0') * scale;
        scale *= 10;
    }
    return at;
}

static int hostlist_by_name(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = hd_name_order((struct hd_text){x->text, x->head}, (struct hd_text){y->text, y->head});
    if (order) return order;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->len > y->len) - (x->len < y->len);
}

static hd_status split_names(struct hd_ctx *ctx, const char *const *name, uint32_t n, struct name *out)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t len = strlen(name[i]);
        if (len == 0 || len > HD_HOSTLIST_NAME)
            return hd_fail(ctx, HD_INPUT, "a host name of %zu bytes: expected 1 to %d", len, HD_HOSTLIST_NAME);
        for (const char *p = name[i]; *p; p++)
            if (strchr("[],", *p) || hostlist_is_blank(*p))
                return hd_fail(ctx, HD_INPUT, "host name '%s': a host list cannot hold '%c'", name[i], *p);
        out[i] = (struct name){.text = name[i], .len = (uint32_t)len};
        out[i].head = number_before(name[i], (uint32_t)len, &out[i].value);
    }
    return HD_OK;
}

static uint32_t hostlist_drop_repeated(struct name *name, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(name[kept - 1].text, name[i].text) != 0) name[kept++] = name[i];
    return kept;
}

static uint32_t find_groups(const struct name *name, uint32_t n, struct hostlist_group *group)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct name *a = &name[i], *p = i ? a - 1 : NULL;
        bool numbered = a->head < a->len;
        if (p && numbered && p->head < p->len && p->head == a->head && memcmp(p->text, a->text, a->head) == 0) {
            group[groups - 1].n++;
            continue;
        }
        struct hostlist_group *g = &group[groups++];
        *g = (struct hostlist_group){.first = i, .n = 1, .at = a->head};
        uint32_t end = a->head;
        if (!numbered || (end && hd_is_digit(a->text[end - 1]))) continue;
        while (end > 0 && !hd_is_digit(a->text[end - 1])) end--;
        g->at = number_before(a->text, end, &g->value);
        g->digits = end - g->at;
    }
    return groups;
}

/* Whether the head's numbers may be in one list before equal tails. */
static bool product(const struct name *name, const struct hostlist_group *a, const struct hostlist_group *b)
{
    const struct name *x = &name[a->first], *y = &name[b->first];
    uint32_t rest = x->head - a->at - a->digits;
    if (!a->digits || !b->digits || a->n != b->n || a->at != b->at || memcmp(x->text, y->text, a->at) != 0)
        return false;
    if (y->head - b->at - b->digits != rest) return false;
    if (memcmp(x->text + a->at + a->digits, y->text + b->at + b->digits, rest) != 0) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (strcmp(x[i].text + x[i].head, y[i].text + y[i].head) != 0) return false;
    return true;
}

struct hostlist_run { /* a range being written */
    uint32_t low, high, width;
    bool open, any;
};

static void end_hostlist_run(struct hd_out *o, struct hostlist_run *r)
{
    if (!r->open) return;
    if (r->any) hd_puts(o, ",");
    hd_printf(o, "%0*u", (int)r->width, r->low);
    if (r->high > r->low) hd_printf(o, "-%0*u", (int)r->width, r->high);
    r->any = true;
    r->open = false;
}

/* One more number, as it is in the name: value in this many digits. */
static void add_number(struct hd_out *o, struct hostlist_run *r, uint32_t value, uint32_t digits)
{
    if (r->open && value == r->high + 1 && value - r->low < HD_HOSTLIST_RANGE &&
        snprintf(NULL, 0, "%0*u", (int)r->width, value) == (int)digits) { /* written with as many zeros */
        r->high = value;
        return;
    }
    end_hostlist_run(o, r);
    r->low = r->high = value;
    r->width = digits;
    r->open = true;
}

static void hostlist_put_tail(struct hd_out *o, const struct name *name, const struct hostlist_group *g)
{
    struct hostlist_run run = {0};
    hd_puts(o, "[");
    for (uint32_t i = g->first; i < g->first + g->n; i++)
        add_number(o, &run, name[i].value, name[i].len - name[i].head);
    end_hostlist_run(o, &run);
    hd_puts(o, "]");
}

static void put_groups(struct hd_out *o, const struct name *name, const struct hostlist_group *group, uint32_t together)
{
    const struct name *first = &name[group->first];
    if (together == 1) {
        if (group->n == 1) {
            hd_puts(o, first->text);
            return;
        }
        hd_put(o, first->text, first->head);
        hostlist_put_tail(o, name, group);
        return;
    }
    struct hostlist_run run = {0};
    hd_put(o, first->text, group->at);
    hd_puts(o, "[");
    for (uint32_t i = 0; i < together; i++) add_number(o, &run, group[i].value, group[i].digits);
    end_hostlist_run(o, &run);
    hd_puts(o, "]");
    hd_put(o, first->text + group->at + group->digits, first->head - group->at - group->digits);
    hostlist_put_tail(o, name, group);
}

hd_status hd_hostlist_compress(struct hd_ctx *ctx, const char *const *text, uint32_t n, struct hd_out *o)
{
    struct hd_arena scratch = {0};
    struct name *name = HD_NEW(&scratch, struct name, n);
    struct hostlist_group *group = HD_NEW(&scratch, struct hostlist_group, n);
    hd_status s = name && group ? split_names(ctx, text, n, name) : hd_fail_memory(ctx);
    if (s == HD_OK && n) {
        qsort(name, n, sizeof *name, hostlist_by_name);
        n = hostlist_drop_repeated(name, n);
        uint32_t groups = find_groups(name, n, group);
        for (uint32_t i = 0, together; i < groups; i += together) {
            for (together = 1; i + together < groups && product(name, &group[i], &group[i + together]);) together++;
            if (i) hd_puts(o, ",");
            put_groups(o, name, &group[i], together);
        }
    }
    hd_arena_release(&scratch);
    return s;
}

/* ---- expansion ----------------------------------------------------------------------------- */

enum { FIELDS = 16 }; /* ranges of one item */

struct hostlist_span { /* a number or a range, as read */
    uint64_t low, high;
    uint32_t width;
};

struct hostlist_field { /* text up to a bracket, then what is in the brackets */
    const char *text;
    size_t len;
    const char *list; /* first byte in the brackets, NULL behind the last one */
    uint64_t count;
};

struct hostlist_item {
    struct hostlist_field field[FIELDS + 1];
    uint32_t nfields; /* without the text behind the last bracket, which is field[nfields] */
    uint64_t count;
};

struct expand {
    struct hd_ctx *ctx;
    const char *text; /* all of it */
    struct hd_arena *arena;
    struct hd_bag names; /* const char * */
};

static hd_status malformed(const struct expand *x, const char *at, const char *what)
{
    return hd_fail(x->ctx, HD_INPUT, "host list '%.80s%s', column %zu: %s", x->text, strlen(x->text) > 80 ? "..." : "",
                   (size_t)(at - x->text) + 1, what);
}

static hd_status hostlist_parse_number(const struct expand *x, const char **p, uint64_t *value)
{
    const char *start = *p;
    *value = 0;
    for (; hd_is_digit(**p); ++*p) {
        if (*p - start >= 18) return malformed(x, start, "a number of more than 18 digits");
        *value = *value * 10 + (uint64_t)(**p - '0');
    }
    return *p > start ? HD_OK : malformed(x, start, "expected a number");
}

static hd_status parse_span(const struct expand *x, const char **p, struct hostlist_span *span)
{
    const char *start = *p;
    HD_TRY(hostlist_parse_number(x, p, &span->low));
    span->width = (uint32_t)(*p - start);
    span->high = span->low;
    if (**p == '-') {
        ++*p;
        HD_TRY(hostlist_parse_number(x, p, &span->high));
        if (span->high < span->low) return malformed(x, start, "the range runs backwards");
    }
    return HD_OK;
}

static hd_status hostlist_parse_list(const struct expand *x, const char **p, struct hostlist_field *f)
{
    f->list = *p;
    f->count = 0;
    for (;;) {
        struct hostlist_span span;
        const char *start = *p;
        HD_TRY(parse_span(x, p, &span));
        f->count += span.high - span.low + 1;
        if (span.high - span.low >= HD_HOSTLIST_MAX || f->count > HD_HOSTLIST_MAX)
            return malformed(x, start, "more than a million names");
        if (**p == ']') break;
        if (**p != ',') return malformed(x, *p, "expected ',', '-' or ']'");
        ++*p;
    }
    ++*p;
    return HD_OK;
}

static bool ends_item(char c)
{
    return c == 0 || c == ',' || hostlist_is_blank(c);
}

static hd_status parse_item(const struct expand *x, const char **p, struct hostlist_item *it)
{
    it->nfields = 0;
    it->count = 1;
    for (;;) {
        struct hostlist_field *f = &it->field[it->nfields];
        f->text = *p;
        while (!ends_item(**p) && **p != '[' && **p != ']') ++*p;
        f->len = (size_t)(*p - f->text);
        f->list = NULL;
        if (**p == ']') return malformed(x, *p, "']' without '['");
        if (**p != '[') return HD_OK;
        if (it->nfields == FIELDS) return malformed(x, *p, "more than 16 ranges in a name");
        ++*p;
        HD_TRY(hostlist_parse_list(x, p, f));
        it->count *= f->count;
        if (it->count > HD_HOSTLIST_MAX) return malformed(x, f->text, "more than a million names");
        it->nfields++;
    }
}

static hd_status expand_item(struct expand *x, const struct hostlist_item *it, uint32_t i, char *buf, size_t len)
{
    const struct hostlist_field *f = &it->field[i];
    if (f->len > HD_HOSTLIST_NAME - len) return malformed(x, f->text, "a name of more than 255 bytes");
    memcpy(buf + len, f->text, f->len);
    len += f->len;
    if (i == it->nfields) {
        const char **name = hd_bag_push(&x->names, x->arena);
        return name && (*name = hd_strdup(x->arena, buf, len)) ? HD_OK : hd_fail_memory(x->ctx);
    }
    const char *p = f->list;
    do {
        struct hostlist_span span;
        HD_TRY(parse_span(x, &p, &span));
        for (uint64_t value = span.low; value <= span.high; value++) {
            char digits[24];
            int n = snprintf(digits, sizeof digits, "%0*llu", (int)span.width, (unsigned long long)value);
            if ((size_t)n > HD_HOSTLIST_NAME - len) return malformed(x, f->text, "a name of more than 255 bytes");
            memcpy(buf + len, digits, (size_t)n);
            HD_TRY(expand_item(x, it, i + 1, buf, len + (size_t)n));
        }
    } while (*p++ == ',');
    return HD_OK;
}

static hd_status expand_list(struct expand *x)
{
    char buf[HD_HOSTLIST_NAME + 1];
    struct hostlist_item it;
    for (const char *p = x->text; *p;) {
        if (*p == ',' || hostlist_is_blank(*p)) {
            p++;
            continue;
        }
        const char *start = p;
        HD_TRY(parse_item(x, &p, &it));
        if (x->names.n + it.count > HD_HOSTLIST_MAX) return malformed(x, start, "more than a million names");
        HD_TRY(expand_item(x, &it, 0, buf, 0));
    }
    return HD_OK;
}

hd_status hd_hostlist_expand(struct hd_ctx *ctx, struct hd_arena *arena, const char *text, const char *const **name,
                             uint32_t *n)
{
    struct expand x = {.ctx = ctx, .text = text, .arena = arena, .names = {.size = sizeof(const char *)}};
    HD_TRY(expand_list(&x));
    const char **list = HD_NEW(arena, const char *, x.names.n);
    if (!list) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < x.names.n; i++) list[i] = *(const char **)hd_bag_at(&x.names, i);
    *name = (const char *const *)list;
    *n = x.names.n;
    return HD_OK;
}
