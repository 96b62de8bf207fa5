/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a traffic matrix and as a trace of messages. A matrix that is read loads channels by finite
 * amounts, the same each time; in a trace every message waits for an earlier one or for nothing, so that all
 * are met once from the root. What is refused says why in one line. */
#include "flow/core/rank_map.h"
#include "heddle.h"
#include "sim/workload.h"

#include "as_file.h"
#include "fuzz_input.h"
#include "run_corpus.h"
#include "base/context.h"

#include <math.h>
#include <string.h>

static void must(bool good, const char *what, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_traffic: %s: %s\n", what, ctx->error);
    abort();
}

static void refused(hd_status s, const struct hd_ctx *ctx, const char *path)
{
    must(s == HD_INPUT && strstr(ctx->error, path) && !strchr(ctx->error, '\n'), "refused without a reason", ctx);
}

static void try_matrix(struct hd_ctx *ctx, const struct hd_routes *r, const char *path, const char *format)
{
    char spec[128];
    struct hd_result a, b;
    snprintf(spec, sizeof spec, "file:path=%s,format=%s", path, format);
    struct hd_request q = {.pattern = spec, .metric = "maxload"};
    hd_status s = hd_eval(ctx, r, &q, &a);
    if (s != HD_OK) {
        refused(s, ctx, path);
        return;
    }
    must(isfinite(a.value) && a.value > 0 && a.unserved == 0, "load", ctx);
    must(hd_eval(ctx, r, &q, &b) == HD_OK && a.value == b.value, "another load the second time", ctx);
}

/* Messages that begin, if each does as soon as those it waits for have arrived. */
static uint32_t begin_all(struct hd_ctx *ctx, const struct hd_workload *w, uint32_t *arrived, uint32_t *queue)
{
    uint32_t n = 0;
    for (uint32_t m = 0; m < w->nmsg; m++)
        if (!w->need[m]) queue[n++] = m;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = w->first_wait[queue[i]]; k < w->first_wait[queue[i] + 1]; k++) {
            uint32_t m = w->waits[k];
            must(m < w->nmsg && arrived[m] < w->need[m], "a message met too often", ctx);
            if (++arrived[m] == w->need[m]) queue[n++] = m;
        }
    return n;
}

static void try_trace(struct hd_ctx *ctx, const struct hd_net *net, const char *path)
{
    struct hd_arena arena = {0};
    uint32_t ep[18];
    struct hd_ranks ranks = {18, ep};
    struct hd_workload w;
    for (uint32_t i = 0; i < 18; i++) ep[i] = i;
    hd_status s = hd_workload_trace(ctx, &arena, net, &ranks, path, &w);
    if (s == HD_OK) {
        uint32_t *arrived = HD_NEW(&arena, uint32_t, w.nmsg), *queue = HD_NEW(&arena, uint32_t, w.nmsg);
        must(begin_all(ctx, &w, arrived, queue) == w.nmsg, "a message that never begins", ctx);
        for (uint32_t m = 0; m < w.nmsg; m++)
            must(w.source[m] < net->nep && w.dst[m] < net->nep && (w.source[m] != w.dst[m]) == (w.bytes[m] > 0), "ends",
                 ctx);
    } else {
        refused(s, ctx, path);
    }
    hd_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hd_net *net;
    static struct hd_routes *r;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    if (!net) must(hd_net_open(&ctx, "torus:dims=3x3,hosts=2", NULL, &net) == HD_OK, "network", &ctx);
    if (!r) must(hd_routes_open(&ctx, net, "minhop", &r) == HD_OK, "routes", &ctx);
    const char *path = as_file(data, size);
    if (gets_trial(data, size, 0, 4)) try_matrix(&ctx, r, path, "auto");
    if (gets_trial(data, size, 1, 4)) try_matrix(&ctx, r, path, "dense");
    if (gets_trial(data, size, 2, 4)) try_matrix(&ctx, r, path, "sparse");
    if (gets_trial(data, size, 3, 4)) try_trace(&ctx, net, path);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_traffic")
