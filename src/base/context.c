/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts as users of the library see them: made, set up and freed by functions, so that fields can come and go
 * without breaking programs that are compiled already. */
#include "base/context.h"
#include "base/archive_names.h"
#include "base/pipes.h"
#include "base/protected.h"
#include "base/rows.h"
#include "base/status.h"
#include "tool/processes.h"

#include <stdlib.h>

void hd_ctx_release(struct hd_ctx *ctx)
{
    hd_registry_release(ctx);
    hd_protected_free(ctx->files);
    ctx->files = NULL;
}

void hd_ctx_free(struct hd_ctx *ctx)
{
    if (!ctx) return;
    hd_ctx_release(ctx);
    hd_pipes_free(ctx->pipes);
    hd_archive_names_free(ctx->archives);
    free(ctx);
}

void hd_ctx_set_threads(struct hd_ctx *ctx, int threads)
{
    ctx->threads = threads > HD_MAX_THREADS ? HD_MAX_THREADS : threads > 0 ? threads : 0;
}

int hd_ctx_threads(const struct hd_ctx *ctx)
{
    return ctx->threads;
}

void hd_ctx_set_seed(struct hd_ctx *ctx, uint64_t seed)
{
    ctx->seed = seed;
}

uint64_t hd_ctx_seed(const struct hd_ctx *ctx)
{
    return ctx->seed;
}

void hd_ctx_set_note(struct hd_ctx *ctx, void (*note)(void *user, const char *line), void *user)
{
    ctx->note = note;
    ctx->note_user = user;
}

void hd_ctx_set_progress(struct hd_ctx *ctx,
                         void (*progress)(void *user, const char *what, uint64_t done, uint64_t total), void *user)
{
    ctx->progress = progress;
    ctx->progress_user = user;
}

void hd_ctx_set_stop(struct hd_ctx *ctx, bool (*stop)(void *user), void *user)
{
    ctx->stop = stop;
    ctx->stop_user = user;
    ctx->stopped = false;
}

bool hd_stop_asked(struct hd_ctx *ctx)
{
    if (!ctx->stop || !ctx->stop(ctx->stop_user)) return false;
    return ctx->stopped = true;
}

hd_status hd_go_on(struct hd_ctx *ctx, const char *what)
{
    return hd_stop_asked(ctx) ? hd_fail(ctx, HD_LIMIT, "%s: stopped before it was complete", what) : HD_OK;
}

bool hd_ctx_stopped(const struct hd_ctx *ctx)
{
    return ctx->stopped;
}

void hd_ctx_set_comm(struct hd_ctx *ctx, const struct hd_comm *comm)
{
    ctx->comm = comm;
}

const char *hd_ctx_error(const struct hd_ctx *ctx)
{
    return ctx->error;
}

const char *hd_ctx_about(const struct hd_ctx *ctx)
{
    return ctx->about;
}

bool hd_version_check(int header_version)
{
    int major = header_version / 10000, minor = header_version / 100 % 100;
    if (major != HEDDLE_VERSION_MAJOR) return false;
    return HEDDLE_VERSION_MAJOR ? minor <= HEDDLE_VERSION_MINOR : minor == HEDDLE_VERSION_MINOR;
}
