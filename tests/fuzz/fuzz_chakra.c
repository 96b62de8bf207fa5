/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the files of a Chakra trace: parts that lines "%%" separate are those of ranks 0, 1, ... What is read
 * has messages between endpoints and waits for operations there are, none for itself; what is refused must say why, in
 * one line that begins with the folder's name. */
#include "base/context.h"
#include "folder.h"
#include "sim/trace_ops.h"

#include "fuzz_input.h"
#include "run_corpus.h"

enum { FILES = 4 };

static void write_parts(const char *folder, const uint8_t *data, size_t size)
{
    for (int rank = 0; rank < FILES; rank++) {
        size_t n = 0;
        char path[600];
        while (n < size && !(size - n >= 4 && memcmp(data + n, "\n%%\n", 4) == 0)) n++;
        snprintf(path, sizeof path, "%s/t.%d.json", folder, rank);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) abort();
        if (n == size) return;
        data += n + 4;
        size -= n + 4;
    }
}

static void chakra_taken(const struct hd_trace_lists *t, const struct hd_net *net, const struct hd_ctx *ctx)
{
    for (uint32_t i = 0; i < t->n; i++)
        fuzz_must(t->message[i].src < net->nep && t->message[i].dst < net->nep, "an end", "chakra", ctx);
    for (uint32_t i = 0; i < t->nwait; i++)
        fuzz_must(t->wait[i].message < t->n && t->wait[i].on < t->n && t->wait[i].message != t->wait[i].on, "a wait",
                  "chakra", ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net = NULL;
    if (!ctx) return 0;
    if (hd_net_open(ctx, "ft:m=4,n=2", NULL, &net) != HD_OK) abort();
    char folder[560];
    uint32_t ep[8];
    struct hd_arena arena = {0};
    struct hd_ranks ranks = {.n = net->nep, .ep = ep};
    struct hd_trace_lists t = {0};
    for (uint32_t i = 0; i < net->nep && i < 8; i++) ep[i] = i;
    snprintf(folder, sizeof folder, "%s/t", folder_base());
    if (mkdir(folder, 0700) != 0) abort();
    write_parts(folder, data, size);
    hd_status s = hd_chakra_read(ctx, &arena, folder, &ranks, &t);
    if (s == HD_OK)
        chakra_taken(&t, net, ctx);
    else {
        fuzz_refused(s, "chakra", ctx);
        fuzz_must(strncmp(ctx->error, folder, strlen(folder)) == 0, "refused without the folder", "chakra", ctx);
    }
    folder_remove(folder);
    hd_arena_release(&arena);
    hd_net_free(net);
    hd_ctx_free(ctx);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_chakra")
