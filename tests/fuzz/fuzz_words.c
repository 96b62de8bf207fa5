/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as the options of everything that has a name (engines, patterns, metrics, selectors, models,
 * topologies), as --fail and as --part, --rail and --rails. Options that parse print back in canonical form, and
 * that form parses to itself; networks that come out pass hd_net_check; what is refused says why in one line. */
#include "base/spec.h"
#include "heddle.h"

#include "run_corpus.h"
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const char *what, const char *text, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_words: %s: '%s': %s\n", what, text, ctx->error);
    abort();
}

static void refused(hd_status s, const char *text, const struct hd_ctx *ctx)
{
    must((s == HD_INPUT || s == HD_USAGE) && ctx->error[0] && !strchr(ctx->error, '\n'), "refused without a reason",
         text, ctx);
}

static void try_options(struct hd_ctx *ctx, const struct hd_desc *d, const char *text)
{
    struct hd_arena arena = {0};
    char spec[HD_MAX_SPEC], again[HD_MAX_SPEC];
    void *opt = hd_alloc(&arena, 1, d->opt_size);
    hd_status s = hd_opts_parse(ctx, &arena, d, text, opt);
    if (s == HD_OK) s = hd_opts_print(ctx, d, opt, spec);
    if (s == HD_OK) {
        const char *rest = strchr(spec, ':');
        must(hd_opts_parse(ctx, &arena, d, rest ? rest + 1 : "", opt) == HD_OK, "canonical form refused", spec, ctx);
        must(hd_opts_print(ctx, d, opt, again) == HD_OK && strcmp(spec, again) == 0, "prints back differently", spec,
             ctx);
    } else {
        refused(s, text, ctx);
    }
    hd_arena_release(&arena);
}

static void try_choice(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_choice *choice, const char *text)
{
    struct hd_net *out;
    hd_status s = choice ? hd_net_choose(ctx, net, choice, &out) : hd_net_fail(ctx, net, text, &out);
    if (s != HD_OK) {
        refused(s, text, ctx);
        return;
    }
    must(hd_net_check(ctx, out) == HD_OK, "hd_net_check", text, ctx);
    hd_net_free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hd_net *net;
    struct hd_ctx ctx;
    char text[400];
    if (size < 1 || size >= sizeof text || memchr(data, 0, size)) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    if (!net) must(hd_net_open(&ctx, "ft:m=4,n=3", NULL, &net) == HD_OK, "network", text, &ctx);
    const struct hd_desc *d;
    if (data[0] == 'f') try_choice(&ctx, net, NULL, text);
    if (data[0] == 'p') try_choice(&ctx, net, &(struct hd_choice){.part = text}, text);
    if (data[0] == 'r') try_choice(&ctx, net, &(struct hd_choice){.rail = text}, text);
    for (int kind = HD_TOPOLOGIES; data[0] == 'o' && kind < HD_PAPERS; kind++)
        for (size_t i = 0; (d = hd_registry_at(&ctx, (enum hd_registry)kind, i)); i++) try_options(&ctx, d, text);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_words")
