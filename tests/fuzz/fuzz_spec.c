/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a topology spec. A network that is made must pass hd_net_check, and its canonical spec must
 * make the same network again and print back as itself. Specs of large networks are passed over, as are
 * names that are no topology (they would be looked for as files). */
#include "heddle.h"

#include "run_corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 2048, LONGEST = 500 };

static void must(bool good, const char *what, const char *spec, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_spec: %s: %s: %s\n", what, spec, ctx->error);
    abort();
}

static uint64_t power(uint64_t base, uint64_t n)
{
    uint64_t p = 1;
    for (; n > 0 && p <= SMALL; n--) p *= base;
    return p;
}

/* Whether the numbers of the spec, seeds and counts of partial= aside, multiply to little. A number
 * called n may be an exponent: then the largest of the others, or a default, is its base. */
static bool is_small(const char *spec)
{
    uint64_t product = 1, largest = 0, n = 0;
    const char *s = strchr(spec, ':');
    while (s && *s) {
        const char *key = s + 1, *end = key + strcspn(key, ","), *value = memchr(key, '=', (size_t)(end - key));
        s = end;
        if (!value || strncmp(key, "seed=", 5) == 0 || strncmp(key, "partial=", 8) == 0) continue;
        while (++value < end) {
            if (*value < '0' || *value > '9') continue;
            char *after;
            uint64_t number = strtoull(value, &after, 10);
            value = after;
            if (number > SMALL) return false;
            if (strncmp(key, "n=", 2) == 0)
                n = number;
            else if (number > largest)
                largest = number;
            if (number > 1) product *= number;
            if (product > SMALL) return false;
        }
    }
    return n < 3 || power(largest ? largest : 16, n) <= SMALL;
}

static bool is_topology(const char *spec)
{
    char name[64];
    size_t n = strcspn(spec, ":");
    if (n >= sizeof name) return false;
    memcpy(name, spec, n);
    name[n] = 0;
    return hd_registry_find(HD_TOPOLOGIES, name) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[LONGEST + 1];
    struct hd_ctx ctx;
    struct hd_net *net, *again;
    if (size > LONGEST || memchr(data, 0, size)) return 0;
    memcpy(spec, data, size);
    spec[size] = 0;
    if (!is_topology(spec) || !is_small(spec)) return 0;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_open(&ctx, spec, NULL, &net);
    if (s != HD_OK) {
        must(s == HD_INPUT && ctx.error[0] && !strchr(ctx.error, '\n'), "refused without a reason", spec, &ctx);
        return 0;
    }
    must(hd_net_check(&ctx, net) == HD_OK, "hd_net_check", spec, &ctx);
    must(hd_net_open(&ctx, net->spec, NULL, &again) == HD_OK, "canonical spec refused", net->spec, &ctx);
    must(strcmp(net->spec, again->spec) == 0, "canonical spec prints back differently", net->spec, &ctx);
    must(net->nsw == again->nsw && net->nep == again->nep && net->nchan == again->nchan &&
             memcmp(net->head, again->head, net->nchan * sizeof *net->head) == 0 &&
             memcmp(net->port, again->port, net->nchan) == 0,
         "canonical spec makes another network", net->spec, &ctx);
    hd_net_free(net);
    hd_net_free(again);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_spec")
