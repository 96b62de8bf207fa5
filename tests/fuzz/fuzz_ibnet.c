/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a network file, and as a name map. A file that is read must give a network that passes
 * hd_net_check, and write -> read -> write must give the same bytes; a file that is refused must say why,
 * in one line that begins with its name. */
#include "heddle.h"
#include "net/io/fmt_ibnet.h"

#include "run_corpus.h"
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const char *what, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_ibnet: %s: %s\n", what, ctx->error);
    abort();
}

static hd_status read_bytes(struct hd_ctx *ctx, const void *bytes, size_t n, struct hd_net **net)
{
    struct hd_in *in;
    hd_status s = hd_in_memory(ctx, "fuzz", bytes, n, &in);
    if (s != HD_OK) return s;
    s = hd_ibnet_read(ctx, in, "fuzz", NULL, net);
    hd_in_close(in);
    return s;
}

static struct hd_out *write_bytes(struct hd_ctx *ctx, const struct hd_net *net)
{
    struct hd_out *o;
    must(hd_out_memory(ctx, &o) == HD_OK, "no memory", ctx);
    must(hd_net_write(ctx, net, "ibnet", o) == HD_OK, "cannot write", ctx);
    return o;
}

static void try_name_map(struct hd_ctx *ctx, const uint8_t *data, size_t size)
{
    struct hd_arena arena = {0};
    struct hd_name_map map = {0};
    struct hd_in *in;
    if (hd_in_memory(ctx, "fuzz", data, size, &in) != HD_OK) return;
    if (hd_name_map_read(ctx, &arena, in, &map) == HD_OK)
        must(!hd_name_map_find(&map, 0), "GUID 0 has a name", ctx);
    else
        must(strncmp(ctx->error, "fuzz:", 5) == 0, "name map refused without a reason", ctx);
    hd_in_close(in);
    hd_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hd_ctx ctx;
    struct hd_net *net, *again;
    hd_ctx_init(&ctx);
    try_name_map(&ctx, data, size);
    hd_status s = read_bytes(&ctx, data, size, &net);
    if (s != HD_OK) {
        must(s == HD_INPUT, "refused with another status", &ctx);
        must(strncmp(ctx.error, "fuzz:", 5) == 0 && !strchr(ctx.error, '\n'), "refused without a reason", &ctx);
        return 0;
    }
    must(hd_net_check(&ctx, net) == HD_OK, "hd_net_check", &ctx);
    struct hd_out *first = write_bytes(&ctx, net), *second;
    size_t n1, n2;
    const char *t1 = hd_out_text(first, &n1), *t2;
    must(read_bytes(&ctx, t1, n1, &again) == HD_OK, "cannot read what was written", &ctx);
    must(hd_net_check(&ctx, again) == HD_OK, "hd_net_check of what was written", &ctx);
    second = write_bytes(&ctx, again);
    t2 = hd_out_text(second, &n2);
    must(n1 == n2 && memcmp(t1, t2, n1) == 0, "written twice, not the same", &ctx);
    hd_out_drop(first);
    hd_out_drop(second);
    hd_net_free(net);
    hd_net_free(again);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_ibnet")
