/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages are worded here once, into the context: one printable line each, whatever bytes the input held. A failure
 * of kind HD_NA also records where its bare reason begins, so that callers can print it without searching the text.
 * The library knows no command line: a message names parameters, and records which of its words are parameters. */
#include "base/status.h"
#include "base/c_locale.h"
#include "base/escape.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *hd_version(void)
{
    return HD_VERSION;
}

/* A message must stay one printable line whatever bytes the input held. */
static void one_line(char *s)
{
    hd_replace_controls(s, strlen(s), '?');
}

static void set_error(struct hd_ctx *ctx, const char *params, const char *fmt, va_list ap)
{
    hd_vformat(ctx->error, sizeof ctx->error, fmt, ap);
    one_line(ctx->error);
    ctx->reason = 0;
    ctx->about = params;
}

hd_status hd_fail(struct hd_ctx *ctx, hd_status status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_error(ctx, NULL, fmt, ap);
    va_end(ap);
    return status;
}

hd_status hd_fail_about(struct hd_ctx *ctx, hd_status status, const char *params, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_error(ctx, params, fmt, ap);
    va_end(ap);
    return status;
}

hd_status hd_fail_na(struct hd_ctx *ctx, const char *owner, const char *spec, const char *fmt, ...)
{
    hd_fail(ctx, HD_NA, "%.100s: does not apply to %.200s: ", owner, spec);
    size_t at = strlen(ctx->error);
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(ctx->error + at, sizeof ctx->error - at, fmt, ap);
    va_end(ap);
    one_line(ctx->error + at);
    ctx->reason = (uint32_t)at;
    return HD_NA;
}

const char *hd_ctx_reason(const struct hd_ctx *ctx)
{
    return ctx->error + ctx->reason;
}

void hd_error_copy(struct hd_ctx *to, const struct hd_ctx *from)
{
    memcpy(to->error, from->error, sizeof to->error);
    to->reason = from->reason;
    to->about = from->about;
}

hd_status hd_fail_memory(struct hd_ctx *ctx)
{
    return hd_fail(ctx, HD_LIMIT, "out of memory");
}

hd_status hd_errno_status(int error)
{
    return error == ENOMEM || error == EMFILE || error == ENFILE || error == EAGAIN ? HD_LIMIT : HD_INPUT;
}

void hd_note(struct hd_ctx *ctx, const char *fmt, ...)
{
    if (!ctx->note) return;
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(line, sizeof line, fmt, ap);
    va_end(ap);
    one_line(line);
    ctx->note(ctx->note_user, line);
}

void hd_progress(struct hd_ctx *ctx, const char *what, uint64_t done, uint64_t total)
{
    if (ctx->progress) ctx->progress(ctx->progress_user, what, done, total);
}
