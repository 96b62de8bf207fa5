/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks to write, made by hand or damaged, and the text that writers make of them. */
#ifndef WRITER_TOOLS_H
#define WRITER_TOOLS_H

#include "testing.h"
#include "base/context.h"

#include <stdio.h>

static uint32_t notes;

static inline void count_note(void *user, const char *line)
{
    (void)user;
    assert_null(strchr(line, '\n'));
    notes++;
}

/* The network in a format; the caller frees. */
static inline char *text_of(const struct hd_net *net, const char *format)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    ctx.note = count_note;
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    if (hd_net_write(&ctx, net, format, o) != HD_OK) fail_msg("%s as %s: %s", net->spec, format, ctx.error);
    size_t len;
    const char *text = hd_out_text(o, &len);
    assert_int_equal(strlen(text), len);
    char *copy = strdup(text);
    assert_non_null(copy);
    hd_out_drop(o);
    return copy;
}

static inline uint32_t occurrences(const char *text, const char *word)
{
    uint32_t n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

static inline void has(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("expected '%s' in: %.3000s", words, text);
}

static inline void lacks(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (at) fail_msg("unexpected '%s' in: ...%.200s", words, at);
}

struct maker {
    struct hd_ctx ctx;
    struct hd_builder *b;
    uint32_t used[8192]; /* ports of each switch */
};

static inline struct maker *begin(void)
{
    struct maker *m = calloc(1, sizeof *m);
    assert_non_null(m);
    hd_ctx_init(&m->ctx);
    assert_int_equal(hd_builder_make(&m->ctx, &m->b), HD_OK);
    return m;
}

static inline uint32_t add_switch(struct maker *m, const char *name, uint8_t level)
{
    return hd_builder_switch(m->b, &(struct hd_switch_in){.name = name, .level = level});
}

static inline void add_cable(struct maker *m, uint32_t u, uint32_t v)
{
    uint32_t p = ++m->used[u], q = ++m->used[v];
    hd_builder_cable(m->b, u, p, v, q, hd_link_code("4xHDR", 5));
}

/* One adapter with a port on each of n switches. */
static inline void add_host(struct maker *m, const char *name, enum hd_role role, const uint32_t *sw, uint32_t n)
{
    uint32_t a = hd_builder_adapter(m->b, &(struct hd_adapter_in){.name = name, .role = role});
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = hd_builder_endpoint(m->b, a, i + 1, 0, 0);
        hd_builder_cable(m->b, sw[i], ++m->used[sw[i]], e, 1 + i, hd_link_code("4xHDR", 5));
    }
}

static inline struct hd_net *end(struct maker *m, const char *spec)
{
    struct hd_net *net = NULL;
    hd_status s = hd_builder_finish(&m->ctx, m->b, spec, &net);
    checked(&m->ctx, s, net, spec);
    free(m);
    return net;
}

/* Seven leaves of unequal size under two spines and a third apart, cores above, parallel cables, a cable
 * within a level and one that skips a level, hosts on a spine, a leaf that is alone, a spare switch. */
static inline struct hd_net *irregular(void)
{
    struct maker *m = begin();
    static const uint32_t hosts[7] = {4, 2, 6, 0, 3, 5, 1};
    uint32_t leaf[7], spine[3], core[2];
    char name[32];
    for (uint32_t i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "leaf%u", i);
        leaf[i] = add_switch(m, name, 1);
    }
    for (uint32_t i = 0; i < 3; i++) spine[i] = add_switch(m, "spine", 2); /* one name for three */
    for (uint32_t i = 0; i < 2; i++) core[i] = add_switch(m, NULL, 3);
    uint32_t lonely = add_switch(m, "lonely", 1);
    add_switch(m, "spare", 2);
    for (uint32_t i = 0, k = 0; i < 7; i++)
        for (uint32_t j = 0; j < hosts[i]; j++) {
            snprintf(name, sizeof name, "gpu%03u", k++);
            add_host(m, name, HD_ROLE_HOST, &leaf[i], 1);
        }
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t s = 0; s < 2; s++) add_cable(m, leaf[i], spine[s]);
    add_cable(m, leaf[0], spine[0]);
    add_cable(m, leaf[5], spine[2]);
    add_cable(m, leaf[6], spine[2]);
    add_cable(m, spine[0], core[0]);
    add_cable(m, spine[1], core[0]);
    add_cable(m, spine[2], core[1]);
    add_cable(m, core[0], spine[2]);
    add_cable(m, spine[0], spine[1]);
    add_cable(m, leaf[2], core[0]);
    add_host(m, "storage1", HD_ROLE_HOST, &spine[1], 1);
    add_host(m, "storage2", HD_ROLE_HOST, &spine[2], 1);
    add_host(m, "Mellanox Technologies Aggregation Node", HD_ROLE_AGGREGATION, &core[0], 1);
    add_host(m, "login", HD_ROLE_HOST, &lonely, 1);
    return end(m, "irregular");
}

/* A ring of n switches with chords and no levels. */
static inline struct hd_net *ring(uint32_t n)
{
    struct maker *m = begin();
    for (uint32_t i = 0; i < n; i++) add_switch(m, NULL, 0);
    for (uint32_t i = 0; i < n; i++) {
        add_cable(m, i, (i + 1) % n);
        if (i % 3 == 0) add_cable(m, i, (i + n / 2) % n);
        add_host(m, NULL, HD_ROLE_HOST, &i, 1);
    }
    return end(m, "ring");
}

/* A grid with some cables left out: those from switch number skip in the first dimension. */
static inline struct hd_net *grid(uint32_t dims, const uint32_t *extent, enum hd_wrap wrap, uint32_t skip)
{
    struct maker *m = begin();
    struct hd_shape s = {.kind = HD_SHAPE_GRID, .n = dims};
    uint32_t n = 1, stride = 1;
    for (uint32_t i = 0; i < dims; i++) {
        s.m[i] = extent[i];
        s.w[i] = wrap;
        s.p[i] = 1;
        n *= extent[i];
    }
    hd_builder_shape(m->b, &s);
    uint16_t digits[3] = {0};
    for (uint32_t v = 0; v < n; v++) {
        uint32_t rest = v;
        for (uint32_t i = 0; i < dims; i++, rest /= extent[i - 1]) digits[i] = (uint16_t)(rest % extent[i]);
        hd_builder_coord(m->b, add_switch(m, NULL, 1), digits);
        uint32_t e = hd_builder_host(m->b, v, ++m->used[v], 0);
        hd_builder_coord(m->b, e, digits);
    }
    for (uint32_t i = 0; i < dims; stride *= extent[i++])
        for (uint32_t v = 0; v < n; v++) {
            uint32_t at = v / stride % extent[i];
            for (uint32_t to = at + 1; to <= (wrap == HD_CLIQUE ? extent[i] - 1 : at + 1); to++) {
                if ((to == extent[i] && wrap != HD_RING) || (i == 0 && v == skip)) continue;
                add_cable(m, v, v - at * stride + to % extent[i] * stride);
            }
        }
    return end(m, "grid");
}

/* A tree of the registry with every k-th switch cable taken out. */
static inline struct hd_net *damaged(const char *spec, uint32_t k)
{
    struct hd_net *net = make_net(spec), *out = NULL;
    struct hd_ctx ctx;
    struct hd_builder *b;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_builder_make(&ctx, &b), HD_OK);
    hd_builder_shape(b, &net->shape);
    for (uint32_t v = 0; v < net->nsw; v++) {
        uint32_t s = hd_builder_switch(b, &(struct hd_switch_in){.level = net->level[v], .nports = net->nports[v]});
        hd_builder_coord(b, s, hd_coord(net, v));
    }
    for (uint32_t e = 0; e < net->nep; e++) {
        uint32_t v = net->nsw + e;
        hd_builder_coord(b, hd_builder_host(b, hd_leaf(net, e), net->port[net->rev[net->off[v]]], 0), hd_coord(net, v));
    }
    for (uint32_t c = 0, i = 0; c < net->nchan; c++) {
        if (net->rev[c] < c || net->tail[c] >= net->nsw || net->head[c] >= net->nsw || i++ % k == k - 1) continue;
        hd_builder_cable(b, net->tail[c], net->port[c], net->head[c], net->port[net->rev[c]], net->link[c]);
    }
    hd_status s = hd_builder_finish(&ctx, b, "damaged", &out);
    hd_net_free(net);
    return checked(&ctx, s, out, "damaged");
}

/* The networks most tests run over; NULL past the last. */
static inline struct hd_net *sample(uint32_t i)
{
    static const char *const specs[] = {"gft:n=4,m=4,r=8",
                                        "ft:m=8,n=3",
                                        "ft:m=6,n=1",
                                        "gft:n=1,m=1,r=1",
                                        "pgft:m=4x4,w=1x2,p=1x2",
                                        "kary:k=2,n=4",
                                        "ft:m=4,n=4,partial=random:5",
                                        "xgft:m=12x12x12,w=1x12x12"};
    enum { SPECS = sizeof specs / sizeof specs[0] };
    static const uint32_t plane[] = {5, 4}, cube[] = {3, 4, 3}, line[] = {6};
    if (i < SPECS) return make_net(specs[i]);
    switch (i - SPECS) {
    case 0: return irregular();
    case 1: return ring(7);
    case 2: return grid(2, plane, HD_RING, 3);
    case 3: return grid(3, cube, HD_CLIQUE, 1);
    case 4: return grid(1, line, HD_LINE, UINT32_MAX);
    case 5: return damaged("ft:m=8,n=3", 11);
    case 6: { /* one switch, nothing else */
        struct maker *m = begin();
        add_switch(m, "alone", 0);
        return end(m, "alone");
    }
    case 7: { /* leaves that are not joined at all */
        struct maker *m = begin();
        for (uint32_t v = 0; v < 3; v++) {
            add_switch(m, NULL, 1);
            add_host(m, NULL, HD_ROLE_HOST, &v, 1);
        }
        return end(m, "apart");
    }
    case 8: { /* levels that begin at 2, and skip one */
        struct maker *m = begin();
        uint32_t low = add_switch(m, NULL, 2), high = add_switch(m, NULL, 4);
        add_cable(m, low, high);
        for (uint32_t k = 0; k < 120; k++) add_host(m, NULL, HD_ROLE_HOST, k % 2 ? &low : &high, 1);
        return end(m, "high");
    }
    default: return NULL;
    }
}

static inline struct hd_net *odd_names(void)
{
    struct maker *m = begin();
    static const char *const names[] = {"quote\"back\\slash",  "less<amp&amp;", "new\nline",
                                        "bad\xff\xfe\x80utf8", "\x01tab\t",     ""};
    uint32_t v = add_switch(m, "MF0;sharp <&\"'> sw:MQM8700/U1", 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) add_host(m, names[i], HD_ROLE_HOST, &v, 1);
    return end(m, "odd <names> & \"quotes\"\n");
}

#endif
