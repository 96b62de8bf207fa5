/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as guid2lid, as service levels of pairs, as lanes of service levels, and as both with a line %% between
 * them. Whatever is read must
 * give a network that passes hd_net_check and routes whose lanes are in range and can be checked; what is
 * refused must say why, in one line that begins with the file's name. */
#include "base/input.h"
#include "heddle.h"
#include "route/io/fmt_service_levels.h"
#include "net/io/fmt_guid2lid.h"

#include "fuzz_input.h"
#include "run_corpus.h"
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const char *what, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_lids: %s: %s\n", what, ctx->error);
    abort();
}

static void refused(hd_status s, const struct hd_ctx *ctx)
{
    must(s == HD_INPUT, "refused with another status", ctx);
    must(strncmp(ctx->error, "fuzz:", 5) == 0 && !strchr(ctx->error, '\n'), "refused without a reason", ctx);
}

static void try_guid2lid(struct hd_ctx *ctx, const struct hd_net *net, struct hd_in *in)
{
    struct hd_arena arena = {0};
    struct hd_net_edit edit = {.ctx = ctx, .arena = &arena, .net = net};
    struct hd_net *again;
    hd_status s = hd_guid2lid_read(&edit, in);
    if (s == HD_OK) {
        must(hd_net_with(ctx, net, &edit.changes, &again) == HD_OK, "hd_net_with", ctx);
        must(hd_net_check(ctx, again) == HD_OK, "hd_net_check", ctx);
        hd_net_free(again);
    } else {
        refused(s, ctx);
    }
    hd_arena_release(&arena);
}

static void try_lanes(struct hd_ctx *ctx, const struct hd_net *net, struct hd_in *psl, struct hd_in *sl2vl)
{
    struct hd_routes *r;
    struct hd_check k;
    must(hd_routes_open(ctx, net, "minhop", &r) == HD_OK, "minhop", ctx);
    hd_status s = hd_sl_read(ctx, r, psl, sl2vl);
    if (s == HD_OK) {
        uint32_t most = hd_routes_lane_rule(r) == HD_LANE_HOP ? HD_MAX_LANES : hd_routes_lanes(r);
        for (uint32_t i = 0; most && i < net->nep * net->nep; i++)
            must(hd_routes_lane(r, i / net->nep, i % net->nep, 0) < most, "a lane beyond the last", ctx);
        must(hd_routes_lane_rule(r) != HD_LANE_HOP || hd_routes_lanes(r) > 0, "hops without lanes", ctx);
        must((hd_routes_lanes(r) == 0) == (hd_routes_lane_rule(r) == HD_LANE_UNKNOWN), "lanes without number", ctx);
        must(hd_routes_check(ctx, r, &k) == HD_OK, "hd_routes_check", ctx);
    } else {
        refused(s, ctx);
    }
    hd_routes_free(r);
}

static struct hd_in *input(struct hd_ctx *ctx, const uint8_t *data, size_t size)
{
    struct hd_in *in = NULL;
    return hd_in_memory(ctx, "fuzz", data, size, &in) == HD_OK ? in : NULL;
}

/* Levels before a line %%, lanes behind it. */
static void try_both(struct hd_ctx *ctx, const struct hd_net *net, const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (at + 4 <= size && memcmp(data + at, "\n%%\n", 4) != 0) at++;
    if (at + 4 > size) return;
    struct hd_in *psl = input(ctx, data, at), *sl2vl = input(ctx, data + at + 4, size - at - 4);
    if (psl && sl2vl) try_lanes(ctx, net, psl, sl2vl);
    hd_in_close(psl);
    hd_in_close(sl2vl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hd_ctx ctx;
    static struct hd_net *net;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    if (!net) must(hd_net_open(&ctx, "torus:dims=3x3,hosts=2", NULL, &net) == HD_OK, "network", &ctx);
    for (unsigned which = 0; which < 3; which++) {
        if (!gets_trial(data, size, which, 4)) continue;
        struct hd_in *in = input(&ctx, data, size);
        if (!in) break;
        if (which == 0)
            try_guid2lid(&ctx, net, in);
        else
            try_lanes(&ctx, net, which == 1 ? in : NULL, which == 2 ? in : NULL);
        hd_in_close(in);
    }
    if (gets_trial(data, size, 3, 4)) try_both(&ctx, net, data, size);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_lids")
