/* SPDX-License-Identifier: BSD-2-Clause */
/* Table files as text: written, read from memory and compared; and the network of OpenSM's samples. */
#ifndef LFT_TOOLS_H
#define LFT_TOOLS_H

#include "testing.h"

#include "route/io/fmt_lft.h"
#include "t4.h"
#include "base/context.h"

#include <stdio.h>

#define DATA "tests/data/opensm/"

static char notes[2048];

static inline void collect(void *user, const char *line)
{
    (void)user;
    snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n", line);
}

static inline struct hd_net *t4(void)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = make_t4(&ctx, &net);
    return checked(&ctx, s, net, "t4");
}

static inline struct hd_routes *open_routes(const struct hd_net *net, const char *text)
{
    struct hd_ctx ctx;
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    if (hd_routes_open(&ctx, net, text, &r) != HD_OK) fail_msg("%s on %s: %s", text, net->spec, ctx.error);
    return r;
}

/* The text of a table; the caller frees it. */
static inline char *written(const struct hd_routes *r, const char *format)
{
    struct hd_ctx ctx;
    struct hd_out *o;
    hd_ctx_init(&ctx);
    assert_int_equal(hd_out_memory(&ctx, &o), HD_OK);
    if (hd_routes_write(&ctx, r, format, o) != HD_OK) fail_msg("%s: %s", r->spec, ctx.error);
    char *text = strdup(hd_out_text(o, NULL));
    assert_int_equal(hd_out_close(&ctx, o), HD_OK);
    return text;
}

static inline hd_status read_text(struct hd_ctx *ctx, const struct hd_net *net, const char *text, enum hd_use use,
                                  struct hd_routes **r)
{
    struct hd_in *in;
    hd_ctx_init(ctx);
    ctx->note = collect;
    notes[0] = 0;
    *r = NULL;
    assert_int_equal(hd_in_memory(ctx, "mem", text, strlen(text), &in), HD_OK);
    hd_status s = hd_lft_read(ctx, net, in, "input", use, r);
    hd_in_close(in);
    return s;
}

static inline struct hd_routes *read_back(const struct hd_net *net, const char *text, enum hd_use use)
{
    struct hd_ctx ctx;
    struct hd_routes *r;
    if (read_text(&ctx, net, text, use, &r) != HD_OK) fail_msg("%s: %s", net->spec, ctx.error);
    return r;
}

static inline void assert_same(const struct hd_routes *a, const struct hd_routes *b)
{
    const struct hd_net *net = a->net;
    uint8_t *x = malloc(net->nsw + 1), *y = malloc(net->nsw + 1);
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    assert_int_equal(a->nvar, b->nvar);
    assert_int_equal(a->select, b->select);
    assert_int_equal(a->lane_rule, b->lane_rule);
    assert_int_equal(a->nlanes, b->nlanes);
    for (uint32_t d = 0; d < net->nep; d++) {
        for (uint32_t v = 0; v < a->nvar; v++)
            assert_memory_equal(hd_routes_row(a, d, v, x), hd_routes_row(b, d, v, y), net->nsw);
        for (uint32_t s = 0; s < net->nep; s++) {
            if (s != d) assert_int_equal(hd_routes_variant(a, s, d), hd_routes_variant(b, s, d));
            for (uint32_t v = 0; v < a->nvar; v++)
                assert_int_equal(hd_routes_lane(a, s, d, v), hd_routes_lane(b, s, d, v));
            for (uint32_t v = 0; s != d && v < a->nvar; v++)
                assert_int_equal(hd_routes_level(a, s, d, v), hd_routes_level(b, s, d, v));
        }
    }
    for (uint32_t t = 0; t < net->nsw; t++) {
        assert_int_equal(hd_routes_switch_row(&ctx, a, t, x), HD_OK);
        assert_int_equal(hd_routes_switch_row(&ctx, b, t, y), HD_OK);
        assert_memory_equal(x, y, net->nsw);
    }
    free(x);
    free(y);
}

static inline void assert_round_trip(const struct hd_routes *r)
{
    const char *formats[] = {"lft", "lft-minimal"};
    for (int i = 0; i < 2; i++) {
        char *text = written(r, formats[i]), *again;
        struct hd_routes *q = read_back(r->net, text, HD_USE_FIRST);
        assert_string_equal(notes, "");
        assert_same(r, q);
        assert_true(strncmp(text, "# heddle lft 1\n# heddle table ", 30) == 0);
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) assert_true(end - line < 1000);
        q->spec = r->spec;
        again = written(q, formats[i]);
        assert_string_equal(text, again);
        free(again);
        free(text);
        hd_routes_free(q);
    }
}

static inline char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s: cannot open (tests run in the top folder)", path);
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

#endif
