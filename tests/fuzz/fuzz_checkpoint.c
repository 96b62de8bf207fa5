/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a checkpoint, and any bytes laid over a true one: refused with a reason, or resumed from without
 * harm; what is saved is found again. */
#include "base/arena.h"
#include "base/hash.h"
#include "flow/eval/checkpoint.h"
#include "heddle.h"

#include "as_file.h"
#include "fuzz_input.h"
#include "run_corpus.h"
#include "base/context.h"

#include <string.h>

static void must(bool good, const char *what, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_checkpoint: %s: %s\n", what, ctx->error);
    abort();
}

static void refused(hd_status s, const struct hd_ctx *ctx, const char *path)
{
    must(s == HD_INPUT && strncmp(ctx->error, path, strlen(path)) == 0 && !strchr(ctx->error, '\n'),
         "refused without a reason", ctx);
}

static void try_reading(struct hd_ctx *ctx, const char *path)
{
    struct hd_arena arena = {0};
    struct hd_checkpoint *c;
    struct hd_fold fold;
    uint64_t next;
    hd_status s = hd_checkpoint_open(ctx, &arena, path, &c);
    if (s == HD_OK) {
        hd_checkpoint_find(c, 7, &next, &fold);
        must(next == fold.n, "samples that were not folded", ctx);
    } else {
        refused(s, ctx, path);
    }
    hd_arena_release(&arena);
}

/* A true checkpoint of 64 samples, made once. */
static size_t true_one(struct hd_ctx *ctx, const struct hd_routes *r, uint8_t *bytes, size_t room)
{
    char name[] = "/tmp/heddle-fuzz-XXXXXX";
    struct hd_result result;
    int fd = mkstemp(name);
    must(fd >= 0 && close(fd) == 0 && unlink(name) == 0, "temporary file", ctx);
    must(hd_eval(ctx, r, &(struct hd_request){.pattern = "bisect", .metric = "ebb", .samples = 64, .checkpoint = name},
                 &result) == HD_OK,
         "evaluation", ctx);
    FILE *f = fopen(name, "rb");
    size_t n = f ? fread(bytes, 1, room, f) : 0;
    must(n > 40 && n < room, "checkpoint", ctx);
    fclose(f);
    unlink(name);
    return n;
}

/* The bytes over a true one, from behind its magic, checksum and hash on, so that the request finds itself. */
static void try_resuming(struct hd_ctx *ctx, const uint8_t *data, size_t size)
{
    static struct hd_net *net;
    static struct hd_routes *r;
    static uint8_t good[1 << 16], bytes[1 << 16];
    static size_t n;
    struct hd_result result;
    if (!net) must(hd_net_open(ctx, "ft:m=4,n=2", NULL, &net) == HD_OK, "network", ctx);
    if (!r) must(hd_routes_open(ctx, net, "minhop", &r) == HD_OK, "routes", ctx);
    if (!n) n = true_one(ctx, r, good, sizeof good);
    memcpy(bytes, good, n);
    memcpy(bytes + 32, data, size < n - 32 ? size : n - 32);
    const uint64_t sum = hd_hash_bytes(2, (const char *)bytes + 24, n - 24); /* of one record */
    memcpy(bytes + 16, &sum, sizeof sum);
    const char *path = as_file(bytes, n);
    /* As many samples as a true one has: nothing is written. */
    struct hd_request q = {.pattern = "bisect", .metric = "ebb", .samples = 64, .checkpoint = path};
    hd_status s = hd_eval(ctx, r, &q, &result);
    if (s != HD_OK && s != HD_LIMIT) refused(s, ctx, path); /* HD_LIMIT: it went on, and /proc takes no new file */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    if (gets_trial(data, size, 0, 2)) try_reading(&ctx, as_file(data, size));
    if (gets_trial(data, size, 1, 2)) try_resuming(&ctx, data, size);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_checkpoint")
