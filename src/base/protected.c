/* SPDX-License-Identifier: BSD-2-Clause */
/* A list, shared by the threads of a context. A file that is read many times in a row is one row of it; looking is
 * linear, once for each result. */
#include "base/protected.h"
#include "base/context.h"
#include "base/lock.h"
#include "base/status.h"
#include "tool/files.h"

#include <stdlib.h>
#include <unistd.h>

static const char is_input[] = "is an input of this command and would be overwritten";

struct protected_file {
    dev_t dev;
    ino_t ino;
    const char *why;
};

struct hd_protected {
    struct hd_lock lock;
    struct protected_file *file;
    size_t n, room;
};

void hd_protected_free(struct hd_protected *files)
{
    if (files) free(files->file);
    free(files);
}

static bool is_same_file(const struct protected_file *file, const struct stat *st)
{
    return file->dev == st->st_dev && file->ino == st->st_ino;
}

static bool protected_add(struct hd_protected *files, const struct stat *st, const char *why)
{
    if (files->n && is_same_file(&files->file[files->n - 1], st)) return true;
    if (files->n == files->room) {
        size_t room = files->room ? 2 * files->room : 16;
        struct protected_file *more = realloc(files->file, room * sizeof *more);
        if (!more) return false;
        files->file = more;
        files->room = room;
    }
    files->file[files->n++] = (struct protected_file){st->st_dev, st->st_ino, why};
    return true;
}

static hd_status protect(struct hd_ctx *ctx, const struct stat *st, const char *why)
{
    struct hd_protected *files = ctx->files;
    if (!files || !S_ISREG(st->st_mode)) return HD_OK;
    hd_lock(&files->lock);
    bool added = protected_add(files, st, why);
    hd_unlock(&files->lock);
    return added ? HD_OK : hd_fail_memory(ctx);
}

hd_status hd_protect_read(struct hd_ctx *ctx, const struct stat *st)
{
    return protect(ctx, st, is_input);
}

hd_status hd_protect_inputs(struct hd_ctx *ctx)
{
    static const char *const why[] = {"standard output goes to this file, which would be replaced",
                                      "standard error goes to this file, which would be replaced"};
    static const int descriptor[] = {STDOUT_FILENO, STDERR_FILENO};
    struct stat st;
    if (ctx->files) return HD_OK;
    if (!(ctx->files = malloc(sizeof *ctx->files))) return hd_fail_memory(ctx);
    *ctx->files = (struct hd_protected){.lock = HD_LOCK_INIT};
    for (int i = 0; i < 2; i++)
        if (fstat(descriptor[i], &st) == 0) HD_TRY(protect(ctx, &st, why[i]));
    return HD_OK;
}

hd_status hd_protect_input(struct hd_ctx *ctx, const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? hd_protect_read(ctx, &st) : HD_OK;
}

const char *hd_protected_why(const struct hd_ctx *ctx, const struct stat *st)
{
    struct hd_protected *files = ctx->files;
    const char *why = NULL;
    if (!files) return NULL;
    hd_lock(&files->lock);
    for (size_t i = 0; i < files->n && !why; i++)
        if (is_same_file(&files->file[i], st)) why = files->file[i].why;
    hd_unlock(&files->lock);
    return why;
}

bool hd_is_input(const struct hd_ctx *ctx, const struct stat *st)
{
    return hd_protected_why(ctx, st) == is_input;
}
