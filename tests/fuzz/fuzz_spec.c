/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a topology spec. A network that is made must pass hd_net_check, and its canonical spec must
 * make the same network again and print back as itself. Specs of large networks are passed over, as are
 * names that are no topology (they would be looked for as files). */
#include "heddle.h"

#include "run_corpus.h"
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 1 << 13, LARGEST = 32, LONGEST = 500 };

static void must(bool good, const char *what, const char *spec, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz_spec: %s: %s: %s\n", what, spec, ctx->error);
    abort();
}

/* The value of a key in the spec, or its default; [*from, return value). */
static const char *value_of(const char *spec, const struct hd_param *p, const char **from)
{
    size_t n = strlen(p->name);
    for (const char *s = strchr(spec, ':'); s; s = strchr(s + 1, ','))
        if (strncmp(s + 1, p->name, n) == 0 && s[1 + n] == '=') {
            *from = s + n + 2;
            return *from + strcspn(*from, ",");
        }
    *from = p->value;
    return p->value + strlen(p->value);
}

/* Whether the numbers of the spec, defaults included, multiply to little. A 0, which stands for something
 * that grows with the rest, counts as the largest twice. A number that may not exceed 24 is taken for an
 * exponent of the largest: levels of a tree, dimensions of a cube. The defaults alone are never too much. */
static bool is_small(const struct hd_desc *d, const char *spec)
{
    uint64_t product = 1, largest = 2, power = 1;
    if (!strchr(spec, ':')) return true;
    for (const struct hd_param *p = d->params; p && p->name; p++) {
        if ((p->kind != HD_UINT && p->kind != HD_LIST) || strcmp(p->name, "seed") == 0) continue;
        const char *s, *end = value_of(spec, p, &s);
        bool given = s != p->value;
        while (s < end) {
            char *after;
            uint64_t number = *s >= '0' && *s <= '9' ? strtoull(s, &after, 10) : 1;
            s = *s >= '0' && *s <= '9' ? after : s + 1;
            if (given && number > LARGEST) return false;
            if (p->kind == HD_UINT && p->max <= 24)
                power += number;
            else if (number > largest)
                largest = number;
            if (number > 1) product *= number;
            if (number == 0) power += 2;
            if (product > SMALL) return false;
        }
    }
    for (uint64_t size = 1; power > 1; power--) {
        product *= largest;
        if ((size *= largest) > SMALL || product > 64ull * SMALL) return false;
    }
    return true;
}

static const struct hd_desc *topology(const struct hd_ctx *ctx, const char *spec)
{
    char name[64];
    size_t n = strcspn(spec, ":");
    if (n >= sizeof name) return NULL;
    memcpy(name, spec, n);
    name[n] = 0;
    return hd_registry_find(ctx, HD_TOPOLOGIES, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[LONGEST + 1];
    struct hd_ctx ctx;
    struct hd_net *net, *again;
    if (size > LONGEST || memchr(data, 0, size)) return 0;
    memcpy(spec, data, size);
    spec[size] = 0;
    hd_ctx_init(&ctx);
    const struct hd_desc *d = topology(&ctx, spec);
    if (!d || !is_small(d, spec)) return 0;
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
