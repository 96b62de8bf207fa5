/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a list of endpoints (dmodk:index=, ftree:order=, --ranks), of root switches and of the nodes of
 * a job. What is read must be a numbering, a set of switches, a list of distinct hosts with endpoints of their
 * own; what is refused must say why, in one line that begins with the file's name. */
#include "base/input.h"
#include "heddle.h"
#include "route/core/endpoint_names.h"
#include "route/kernel/root_switches.h"

#include "as_file.h"
#include "fuzz_input.h"
#include "run_corpus.h"
#include "base/context.h"

#include <string.h>

static void must(bool good, const char *what, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_lists: %s: %s\n", what, ctx->error);
    abort();
}

static void refused(hd_status s, const struct hd_ctx *ctx, const char *name)
{
    must(s == HD_INPUT, "refused with another status", ctx);
    bool named = strncmp(ctx->error, name, strlen(name)) == 0 || strncmp(ctx->error, "node ", 5) == 0;
    must(named && !strchr(ctx->error, '\n'), "refused without a reason", ctx);
}

static void try_index(struct hd_ctx *ctx, const struct hd_net *net, const char *path)
{
    struct hd_arena arena = {0};
    uint32_t listed = 0;
    uint64_t *number = HD_NEW(&arena, uint64_t, net->nep);
    bool *taken = HD_NEW(&arena, bool, net->nep);
    hd_status s = hd_index_read(ctx, &arena, net, path, number, &listed);
    if (s == HD_OK) {
        must(listed <= net->nep, "more listed than there are", ctx);
        for (uint32_t e = 0; e < net->nep; e++) {
            must(number[e] < net->nep && !taken[number[e]], "no numbering", ctx);
            taken[number[e]] = true;
        }
    } else {
        refused(s, ctx, path);
    }
    hd_arena_release(&arena);
}

static void try_roots(struct hd_ctx *ctx, const struct hd_net *net, const uint8_t *data, size_t size)
{
    bool root[64] = {false}, any = false;
    struct hd_in *in;
    if (hd_in_memory(ctx, "fuzz", data, size, &in) != HD_OK) return;
    hd_status s = hd_roots_lines(ctx, net, in, root);
    hd_in_close(in);
    if (s != HD_OK) refused(s, ctx, "fuzz:");
    for (uint32_t v = 0; v < net->nsw; v++) any |= root[v];
    must(s != HD_OK || any, "no root and no complaint", ctx);
}

static void try_nodes(struct hd_ctx *ctx, const struct hd_net *net, const char *path)
{
    struct hd_nodes *nodes;
    bool seen[256] = {false};
    hd_status s = hd_nodes_read(ctx, net, path, 2, &nodes);
    if (s != HD_OK) {
        refused(s, ctx, path);
        return;
    }
    must(nodes->n > 0 && nodes->nrail > 0, "nobody", ctx);
    for (uint32_t i = 0; i < nodes->n; i++) {
        must(nodes->slots[i] > 0 && nodes->host[i] < 256 && !seen[nodes->host[i]], "a host twice, or without slots",
             ctx);
        seen[nodes->host[i]] = true;
        for (uint32_t k = 0; k < nodes->nrail; k++) {
            uint32_t e = nodes->ep[i * nodes->nrail + k];
            must(e < net->nep && net->host[e] == nodes->host[i], "an endpoint of another host", ctx);
        }
    }
    hd_nodes_free(nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hd_net *net;
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    if (!net) must(hd_net_open(&ctx, "torus:dims=3x3,hosts=2", NULL, &net) == HD_OK, "network", &ctx);
    const char *path = as_file(data, size);
    if (gets_trial(data, size, 0, 3)) try_index(&ctx, net, path);
    if (gets_trial(data, size, 1, 3)) try_roots(&ctx, net, data, size);
    if (gets_trial(data, size, 2, 3)) try_nodes(&ctx, net, path);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_lists")
