/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

const char *hd_version(void)
{
    return HD_VERSION;
}

/* A message must stay one printable line whatever bytes the input held. */
static void one_line(char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 32 || *s == 127) *s = '?';
}

hd_status hd_fail(struct hd_ctx *ctx, hd_status status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(ctx->error, sizeof ctx->error, fmt, ap);
    va_end(ap);
    one_line(ctx->error);
    return status;
}

hd_status hd_fail_memory(struct hd_ctx *ctx)
{
    return hd_fail(ctx, HD_LIMIT, "out of memory");
}

void hd_note(struct hd_ctx *ctx, const char *fmt, ...)
{
    if (!ctx->note) return;
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    one_line(line);
    ctx->note(ctx->note_user, line);
}

void hd_progress(struct hd_ctx *ctx, const char *what, uint64_t done, uint64_t total)
{
    if (ctx->progress) ctx->progress(ctx->progress_user, what, done, total);
}
