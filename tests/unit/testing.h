/* SPDX-License-Identifier: BSD-2-Clause */
/* What every C test includes: cmocka, and networks that are checked as soon as they are made. */
#ifndef TESTING_H
#define TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heddle.h"
#include "base/context.h"

/* Built-in rows, for tests that loop over all there is. */
static inline const struct hd_desc *row_at(enum hd_registry kind, size_t i)
{
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    return hd_registry_at(&ctx, kind, i);
}

static inline const struct hd_desc *row_of(enum hd_registry kind, const char *name)
{
    struct hd_ctx ctx;
    hd_ctx_init(&ctx);
    return hd_registry_find(&ctx, kind, name);
}

static inline struct hd_net *checked(struct hd_ctx *ctx, hd_status status, struct hd_net *net, const char *what)
{
    if (status != HD_OK) fail_msg("%s: %s", what, ctx->error);
    if (hd_net_check(ctx, net) != HD_OK) fail_msg("%s: hd_net_check: %s", what, ctx->error);
    return net;
}

/* The network of a spec or file, every invariant verified. */
static inline struct hd_net *make_net(const char *spec)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_open(&ctx, spec, NULL, &net);
    return checked(&ctx, s, net, spec);
}

/* The routes of an engine or table file on so many threads; 0: as many as there are processors. */
static inline struct hd_routes *make_routes_with(const struct hd_net *net, const char *engine, int threads)
{
    struct hd_ctx ctx;
    struct hd_routes *r = NULL;
    hd_ctx_init(&ctx);
    ctx.threads = threads;
    if (hd_routes_open(&ctx, net, engine, &r) != HD_OK) fail_msg("%s on %s: %s", engine, net->spec, ctx.error);
    return r;
}

static inline struct hd_routes *make_routes(const struct hd_net *net, const char *engine)
{
    return make_routes_with(net, engine, 0);
}

/* A spec or file that must be refused, with a message that contains the given words. */
static inline void refuse_net(const char *spec, const char *words)
{
    struct hd_ctx ctx;
    struct hd_net *net = NULL;
    hd_ctx_init(&ctx);
    hd_status s = hd_net_open(&ctx, spec, NULL, &net);
    if (s != HD_INPUT) fail_msg("%s: status %d, expected HD_INPUT", spec, s);
    if (!strstr(ctx.error, words)) fail_msg("%s: expected '%s' in the message, got: %s", spec, words, ctx.error);
    assert_null(net);
}

#endif
