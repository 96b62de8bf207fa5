/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets share: choices made from the bytes of an input, and which of several trials an input gets. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include "heddle.h"

#include "base/context.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choices { /* bytes not used yet; behind the last, all choices are 0 */
    const uint8_t *at, *end;
};

/* A number below n, from one byte, or from two where n is larger. */
static inline uint32_t choose(struct choices *c, uint32_t n)
{
    uint32_t value = c->at < c->end ? *c->at++ : 0;
    if (n > 256) value = value << 8 | (c->at < c->end ? *c->at++ : 0);
    return n ? value % n : 0;
}

/* Whether an input gets trial k of n: under libFuzzer one of them, by its bytes, so that each execution is short;
 * in make check, which runs every input once, all of them. */
static inline bool gets_trial(const uint8_t *data, size_t size, unsigned k, unsigned n)
{
#ifdef RUN_CORPUS
    (void)data, (void)size, (void)k, (void)n;
    return true;
#else
    return (size + (size ? data[size / 2] : 0)) % n == k;
#endif
}

static inline void fuzz_must(bool good, const char *what, const char *subject, const struct hd_ctx *ctx)
{
    if (good) return;
    fprintf(stderr, "fuzz: %s: %s: %s\n", subject, what, ctx->error);
    abort();
}

/* A failure that is in order: one of these statuses, and a message of one line. */
static inline void fuzz_refused(hd_status s, const char *subject, const struct hd_ctx *ctx)
{
    fuzz_must(s == HD_INPUT || s == HD_NA || s == HD_USAGE || s == HD_LIMIT, "failed with another status", subject,
              ctx);
    fuzz_must(ctx->error[0] && !strchr(ctx->error, '\n'), "failed without a reason", subject, ctx);
}

/* ---- specs --------------------------------------------------------------------------------- */

/* A value for a parameter: its default, a bound, or a small number; text is left out by the caller. */
static inline void choose_value(struct choices *c, const struct hd_param *p, uint32_t most, char *text, size_t room)
{
    uint32_t n = choose(c, most + 1), k = 0;
    if (p->kind == HD_WORD) {
        for (const char *w = p->words; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL) k++;
        const char *w = p->words;
        for (n %= k; n; n--) w = strchr(w, '|') + 1;
        snprintf(text, room, "%s=%.*s", p->name, (int)strcspn(w, "|"), w);
    } else if (p->kind == HD_FLAG) {
        snprintf(text, room, "%s=%s", p->name, n & 1 ? "on" : "off");
    } else if (p->kind == HD_REAL) {
        snprintf(text, room, "%s=%g", p->name, n / 8.0);
    } else if (p->kind == HD_LIST) {
        snprintf(text, room, "%s=%ux%u", p->name, n % 4 + 1, n / 4 % 4 + 1);
    } else {
        snprintf(text, room, "%s=%u", p->name, n);
    }
}

/* A row of a registry with up to three of its parameters set, numbers up to most. */
static inline const struct hd_desc *choose_spec(struct choices *c, const struct hd_ctx *ctx, enum hd_registry kind,
                                                uint32_t most, char spec[HD_MAX_SPEC])
{
    uint32_t n = 0, params = 0;
    while (hd_registry_at(ctx, kind, n)) n++;
    const struct hd_desc *d = hd_registry_at(ctx, kind, choose(c, n));
    snprintf(spec, HD_MAX_SPEC, "%s", d->name);
    while (d->params && d->params[params].name) params++;
    for (uint32_t k = params ? choose(c, 4) : 0, first = 1; k; k--) {
        const struct hd_param *p = &d->params[choose(c, params)];
        size_t used = strlen(spec);
        char text[64];
        if (p->kind == HD_TEXT) continue;
        choose_value(c, p, most, text, sizeof text);
        snprintf(spec + used, HD_MAX_SPEC - used, "%c%s", first ? ':' : ',', text);
        first = 0;
    }
    return d;
}

/* ---- networks ------------------------------------------------------------------------------ */

/* Switches, hosts and cables from bytes: any small network at all, connected or not. */
static inline hd_status choose_cables(struct choices *c, struct hd_ctx *ctx, struct hd_net **net)
{
    struct hd_builder *b;
    uint32_t nsw = 1 + choose(c, 9), cables = choose(c, 24), port[10] = {0};
    hd_status s = hd_builder_make(ctx, &b);
    if (s != HD_OK) return s;
    for (uint32_t v = 0; v < nsw; v++) hd_builder_switch(b, &(struct hd_switch_in){.nports = 64});
    for (uint32_t v = 0; v < nsw; v++)
        for (uint32_t k = choose(c, 4); k; k--) hd_builder_host(b, v, ++port[v], 0);
    for (uint32_t i = 0; i < cables; i++) {
        uint32_t u = choose(c, nsw), v = choose(c, nsw);
        if (u != v) hd_builder_cable(b, u, ++port[u], v, ++port[v], 0);
    }
    return hd_builder_finish(ctx, b, "cables", net);
}

/* A small network: one of the families, or cables from bytes with their structure inferred; some with failures. */
static inline hd_status choose_net(struct choices *c, struct hd_ctx *ctx, struct hd_net **net)
{
    static const char *const family[] = {"ft:m=4,n=2",
                                         "ft:m=4,n=3",
                                         "pgft:m=3x4,w=1x2,p=1x2",
                                         "xgft:m=2x2x2,w=1x2x2",
                                         "kary:k=2,n=3",
                                         "torus:dims=3x3,hosts=1",
                                         "torus:dims=5,hosts=2",
                                         "mesh:dims=3x3,hosts=1",
                                         "hypercube:n=3,hosts=1",
                                         "hyperx:dims=3x2,hosts=2",
                                         "random:switches=8,ports=5,hosts=2,seed=3",
                                         "random:switches=6,ports=4,hosts=1",
                                         "dragonfly:p=1,a=2,h=1",
                                         "ft:m=4,n=2,partial=random:5",
                                         "gft:n=2,m=3,r=4",
                                         "torus:dims=2x4x2,hosts=1"};
    enum { FAMILIES = sizeof family / sizeof *family };
    char fail[96];
    struct hd_open open = {0};
    uint32_t which = choose(c, FAMILIES + 6), links = choose(c, 5), switches = choose(c, 3);
    if (which >= FAMILIES) {
        struct hd_net *plain;
        hd_status s = choose_cables(c, ctx, &plain);
        if (s != HD_OK) return s;
        s = hd_net_infer(ctx, plain, net);
        hd_net_free(plain);
        return s;
    }
    snprintf(fail, sizeof fail, "links=%u,switches=%u,seed=%u", links, switches, choose(c, 1000));
    if (links || switches) open.fail = fail;
    return hd_net_open(ctx, family[which], &open, net);
}

#endif
