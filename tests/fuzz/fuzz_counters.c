/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as port counters of a small tree, and as a file of jobs on it. What is read must fit the network, and grow
 * from a sample to itself by nothing; what is refused must say why, in one line that begins with the file's name. */
#include "base/context.h"
#include "explain/counters.h"
#include "heddle/order.h"

#include "as_file.h"
#include "fuzz_input.h"
#include "run_corpus.h"

static void counters_try(struct hd_ctx *ctx, const struct hd_net *net, const uint8_t *data, size_t size)
{
    struct hd_arena arena = {0};
    struct hd_counters counters = {.name = "fuzz"};
    struct hd_in *in;
    uint64_t by;
    uint32_t known = 0;
    fuzz_must(hd_in_memory(ctx, "fuzz", data, size, &in) == HD_OK, "hd_in_memory", "counters", ctx);
    const hd_status s = hd_counters_take(ctx, &arena, net, in, &counters);
    for (uint32_t c = 0; s == HD_OK && c < net->nchan; c++) {
        const struct hd_port_counters *p = &counters.at[c];
        known += p->has != 0;
        for (int i = 0; i < HD_COUNTERS; i++) {
            const enum hd_change g = hd_counter_growth(p, p, (enum hd_counter)i, &by);
            fuzz_must(by == 0 && (g != HD_GREW_UNKNOWN) == (p->has >> i & 1), "growth of nothing", "counters", ctx);
        }
    }
    if (s == HD_OK)
        fuzz_must(counters.listed || known <= counters.ports, "ports that were not read", "counters", ctx);
    else
        fuzz_refused(s, "counters", ctx);
    if (s != HD_OK) fuzz_must(strncmp(ctx->error, "fuzz", 4) == 0, "refused without the file", "counters", ctx);
    hd_in_close(in);
    hd_arena_release(&arena);
}

static void jobs_try(struct hd_ctx *ctx, const struct hd_net *net, const uint8_t *data, size_t size)
{
    struct hd_jobs *jobs = NULL;
    const hd_status s = hd_jobs_read(ctx, net, as_file(data, size), &jobs);
    for (uint32_t i = 0; s == HD_OK && i < jobs->n; i++)
        fuzz_must(*jobs->job[i].name && jobs->job[i].nodes->n > 0, "a job without nodes", "jobs", ctx);
    if (s != HD_OK) fuzz_refused(s, "jobs", ctx);
    hd_jobs_free(jobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hd_ctx *ctx = hd_ctx_new();
    struct hd_net *net;
    if (!ctx) return 0;
    fuzz_must(hd_net_open(ctx, "kary:k=2,n=2", &(struct hd_open){0}, &net) == HD_OK, "hd_net_open", "net", ctx);
    if (gets_trial(data, size, 0, 2)) counters_try(ctx, net, data, size);
    if (gets_trial(data, size, 1, 2)) jobs_try(ctx, net, data, size);
    hd_net_free(net);
    hd_ctx_free(ctx);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_counters")
