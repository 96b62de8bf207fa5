/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes read as a forwarding table of the t4 fabric: no crash, and what reads well is written and
 * read again without loss, byte for byte the same the second time. */
#include "../unit/t4.h"
#include "route/io/fmt_lft.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "run_corpus.h"
#include "base/context.h"

static void require(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "fuzz_lft: %s\n", what);
    abort();
}

static struct hd_routes *read_bytes(struct hd_ctx *ctx, const struct hd_net *net, const void *bytes, size_t n,
                                    enum hd_use use)
{
    struct hd_in *in;
    struct hd_routes *r = NULL;
    if (hd_in_memory(ctx, "input", bytes, n, &in) != HD_OK) return NULL;
    hd_status s = hd_lft_read(ctx, net, in, "input", use, &r);
    hd_in_close(in);
    require((s == HD_OK) == (r != NULL), "routes without success, or success without routes");
    return r;
}

static struct hd_out *write_text(struct hd_ctx *ctx, const struct hd_routes *r, const char *format)
{
    struct hd_out *o;
    require(hd_out_memory(ctx, &o) == HD_OK, ctx->error);
    require(hd_routes_write(ctx, r, format, o) == HD_OK, ctx->error);
    return o;
}

static void compare(struct hd_ctx *ctx, const struct hd_routes *a, const struct hd_routes *b)
{
    const struct hd_net *net = a->net;
    uint8_t x[12], y[12];
    require(a->nvar == b->nvar && a->select == b->select && a->lane_rule == b->lane_rule && a->nlanes == b->nlanes,
            "rules differ");
    require(memcmp(a->table, b->table, (size_t)net->nep * a->nvar * net->nsw) == 0, "tables differ");
    for (uint32_t t = 0; t < net->nsw; t++) {
        require(hd_routes_switch_row(ctx, a, t, x) == HD_OK && hd_routes_switch_row(ctx, b, t, y) == HD_OK, ctx->error);
        require(memcmp(x, y, net->nsw) == 0, "switch rows differ");
    }
    for (uint32_t s = 0; s < net->nep; s++)
        for (uint32_t d = 0; d < net->nep; d++) {
            require(hd_routes_variant(a, s, d) == hd_routes_variant(b, s, d), "selections differ");
            for (uint32_t v = 0; v < a->nvar; v++)
                require(hd_routes_lane(a, s, d, v) == hd_routes_lane(b, s, d, v) &&
                            hd_routes_level(a, s, d, v) == hd_routes_level(b, s, d, v),
                        "lanes or levels differ");
        }
}

static void round_trip(struct hd_ctx *ctx, struct hd_routes *r, const char *format)
{
    size_t n, again_n;
    struct hd_out *o = write_text(ctx, r, format);
    const char *text = hd_out_text(o, &n);
    struct hd_routes *q = read_bytes(ctx, r->net, text, n, HD_USE_FIRST);
    require(q, ctx->error);
    compare(ctx, r, q);
    q->spec = r->spec;
    struct hd_out *again = write_text(ctx, q, format);
    const char *again_text = hd_out_text(again, &again_n);
    require(n == again_n && memcmp(text, again_text, n) == 0, "written again it differs");
    hd_out_drop(o);
    hd_out_drop(again);
    hd_routes_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hd_net *net;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    if (!net) require(make_t4(&ctx, &net) == HD_OK, ctx.error);
    for (int use = HD_USE_FIRST; use <= HD_USE_ALL; use++) {
        if (!gets_trial(data, size, (unsigned)use, HD_USE_ALL + 1)) continue;
        struct hd_routes *r = read_bytes(&ctx, net, data, size, (enum hd_use)use);
        struct hd_check check;
        if (!r) continue;
        require(hd_routes_check(&ctx, r, &check) == HD_OK, ctx.error);
        round_trip(&ctx, r, use == HD_USE_ALL ? "lft-minimal" : "lft");
        if (hd_routes_adaptive(r)) round_trip(&ctx, r, "far");
        hd_routes_free(r);
    }
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_lft")
