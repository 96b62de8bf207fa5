/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a plan of cables and as the output of lldpcli. What is read must be cables with two distinct ends that
 * have names; what is refused must say why, in one line that begins with the file's name. */
#include "base/context.h"
#include "cables/cable_list.h"

#include "fuzz_input.h"
#include "run_corpus.h"

static void cables_taken(const struct hd_cable_list *list, const char *subject, const struct hd_ctx *ctx)
{
    for (uint32_t i = 0; i < list->n; i++)
        for (int k = 0; k < 2; k++) {
            const struct hd_cables_end *e = &list->row[i].end[k];
            fuzz_must(*e->node && *e->label && strstr(e->key, HD_CABLES_MARK), "an end without a name", subject, ctx);
            fuzz_must(hd_cables_switch_key(e->key) <= strlen(e->key), "a switch beyond its key", subject, ctx);
        }
}

static void cables_try(struct hd_ctx *ctx, const uint8_t *data, size_t size, bool lldp)
{
    const char *subject = lldp ? "lldp" : "plan";
    struct hd_arena arena = {0};
    struct hd_cable_list list = {.ctx = ctx, .arena = &arena};
    struct hd_in *in;
    bool known = false;
    fuzz_must(hd_in_memory(ctx, "fuzz", data, size, &in) == HD_OK, "hd_in_memory", subject, ctx);
    hd_status s = lldp ? hd_lldp_read(&list, in, "host") : hd_plan_read(&list, in, &known);
    if (s == HD_OK) {
        cables_taken(&list, subject, ctx);
        fuzz_must(lldp || known || !list.n, "cables of an unknown format", subject, ctx);
    } else {
        fuzz_refused(s, subject, ctx);
        fuzz_must(strncmp(ctx->error, "fuzz", 4) == 0, "refused without the file", subject, ctx);
    }
    hd_in_close(in);
    hd_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hd_ctx *ctx = hd_ctx_new();
    if (!ctx) return 0;
    if (gets_trial(data, size, 0, 2)) cables_try(ctx, data, size, false);
    if (gets_trial(data, size, 1, 2)) cables_try(ctx, data, size, true);
    hd_ctx_free(ctx);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_cables")
