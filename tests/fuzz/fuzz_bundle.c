/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as an archive: its files are found and read to their end, the network in it is read, and its tables
 * with their VLs. Nothing but a network that passes hd_net_check and tables that can be checked, or a refusal in one
 * line, may come of it. */
#include "heddle.h"
#include "base/bundle.h"
#include "base/context.h"

#include "as_file.h"
#include "run_corpus.h"

#include <string.h>

static void must(bool good, const char *what, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_bundle: %s: %s\n", what, ctx->error);
    abort();
}

static void refused(hd_status s, const struct hd_ctx *ctx)
{
    must(s == HD_INPUT, "refused with another status", ctx);
    must(*ctx->error && !strchr(ctx->error, '\n'), "refused without a reason", ctx);
}

static void read_member(struct hd_ctx *ctx, const char *path, const char *ending)
{
    struct hd_in *in;
    char *line;
    size_t len;
    hd_status s = hd_bundle_open(ctx, path, ending, &in);
    while (s == HD_OK && in && (s = hd_in_line(ctx, in, &line, &len)) == HD_OK && line) {
    }
    if (s != HD_OK) refused(s, ctx);
    hd_in_close(in);
}

/* The tables of the archive with their VLs, which the check takes whatever they are. */
static void read_tables(struct hd_ctx *ctx, const struct hd_net *net, const char *path)
{
    struct hd_routes *r;
    struct hd_check k;
    const hd_status s = hd_routes_read(ctx, net, path, HD_USE_FIRST, &r);
    if (s != HD_OK) {
        refused(s, ctx);
        return;
    }
    must(hd_routes_check(ctx, r, &k) == HD_OK, "hd_routes_check", ctx);
    hd_routes_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {".db_csv", ".net_dump", ".lst", ".far", ".slvl", ".vl2vl"};
    struct hd_ctx ctx;
    struct hd_net *net;
    bool bundle;
    hd_ctx_init(&ctx);
    const char *path = as_file(data, size);
    must(hd_bundle_found(&ctx, path, &bundle) == HD_OK, "hd_bundle_found", &ctx);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) read_member(&ctx, path, endings[i]);
    if (!bundle) return 0;
    const hd_status s = hd_net_read(&ctx, path, &(struct hd_read){NULL, NULL}, &net);
    if (s != HD_OK) {
        refused(s, &ctx);
        return 0;
    }
    must(hd_net_check(&ctx, net) == HD_OK, "hd_net_check", &ctx);
    read_tables(&ctx, net, path);
    hd_net_free(net);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_bundle")
