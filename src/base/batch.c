/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch is a list of what is still to do, in order; undoing goes backwards, so that a folder is empty again when its
 * turn comes. */
#include "base/batch.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum batch_kind { RENAME, FOLDER, REMOVE };

struct entry {
    enum batch_kind kind;
    char *temp, *path;
};

struct hd_batch {
    struct entry *at;
    size_t n, room, depth;
};

hd_status hd_batch_begin(struct hd_ctx *ctx, size_t *mark)
{
    if (!ctx->batch && !(ctx->batch = calloc(1, sizeof *ctx->batch))) return hd_fail_memory(ctx);
    *mark = ctx->batch->n;
    ctx->batch->depth++;
    return HD_OK;
}

static hd_status add(struct hd_ctx *ctx, enum batch_kind kind, const char *temp, const char *path)
{
    struct hd_batch *b = ctx->batch;
    if (b->n == b->room) {
        size_t room = b->room ? 2 * b->room : 32;
        struct entry *more = realloc(b->at, room * sizeof *more);
        if (!more) return hd_fail_memory(ctx);
        b->at = more;
        b->room = room;
    }
    struct entry e = {kind, temp ? strdup(temp) : NULL, strdup(path)};
    if (!e.path || (temp && !e.temp)) {
        free(e.temp);
        free(e.path);
        return hd_fail_memory(ctx);
    }
    b->at[b->n++] = e;
    return HD_OK;
}

static void drop_last(struct hd_batch *b)
{
    struct entry *e = &b->at[--b->n];
    free(e->temp);
    free(e->path);
}

static void undo(struct hd_batch *b, size_t mark)
{
    while (b->n > mark) {
        const struct entry *e = &b->at[b->n - 1];
        if (e->kind == RENAME) unlink(e->temp);
        if (e->kind == FOLDER) rmdir(e->path);
        drop_last(b);
    }
}

static hd_status remove_fails(struct hd_ctx *ctx, const char *path, int error)
{
    return hd_fail(ctx, HD_LIMIT, "%.300s: cannot remove what an earlier run left: %s", path, strerror(error));
}

static hd_status remove_now(struct hd_ctx *ctx, const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR) return HD_OK;
    return remove_fails(ctx, path, errno);
}

/* From the first that fails on nothing more is done. */
static hd_status carry_out(struct hd_ctx *ctx, struct hd_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct entry *e = &b->at[i];
        if (e->kind == REMOVE) HD_TRY(remove_now(ctx, e->path));
        if (e->kind == RENAME && rename(e->temp, e->path) != 0)
            return hd_fail(ctx, HD_LIMIT, "%.300s: cannot write: %s", e->path, strerror(errno));
    }
    return HD_OK;
}

hd_status hd_batch_end(struct hd_ctx *ctx, size_t mark, hd_status status)
{
    struct hd_batch *b = ctx->batch;
    bool last = --b->depth == 0;
    if (status == HD_OK && last) status = carry_out(ctx, b);
    if (status != HD_OK) undo(b, mark);
    if (!last) return status;
    while (b->n) drop_last(b);
    free(b->at);
    free(b);
    ctx->batch = NULL;
    return status;
}

hd_status hd_batch_folder(struct hd_ctx *ctx, const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0) {
        hd_status s = ctx->batch ? add(ctx, FOLDER, NULL, path) : HD_OK;
        if (s != HD_OK) rmdir(path);
        return s;
    }
    if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return HD_OK;
    return hd_fail(ctx, HD_LIMIT, "%.300s: cannot make this folder: %s", path,
                   strerror(errno == EEXIST ? ENOTDIR : errno));
}

hd_status hd_batch_remove(struct hd_ctx *ctx, const char *path)
{
    struct stat st;
    if (!ctx->batch) return remove_now(ctx, path);
    /* A folder cannot go: that is said now, not at the end when files beside it are in their places already. */
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) return remove_fails(ctx, path, EISDIR);
    return add(ctx, REMOVE, NULL, path);
}

hd_status hd_batch_keep(struct hd_ctx *ctx, const char *temp, const char *path)
{
    return add(ctx, RENAME, temp, path);
}
