/* SPDX-License-Identifier: BSD-2-Clause */
/* What was read of a pipe is kept in one growing buffer, and every reader has a position of its own in it; the reader
 * at its end reads on from the descriptor. Opening the path again would lose what was read (a pipe) or wait for a
 * writer that never comes (a named pipe). Cost: one copy of what is read. */
#include "base/pipes.h"
#include "base/comm.h"
#include "base/lock.h"
#include "base/status.h"
#include "base/threads.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hd_pipe {
    struct hd_pipe *next;
    char *path;
    int fd;
    struct hd_lock lock;
    unsigned char *kept; /* NULL once more was read than may be kept */
    size_t room;
    uint64_t read; /* bytes that were read of it */
    bool ended;
};

struct hd_pipes {
    struct hd_lock lock;
    struct hd_pipe *first;
};

struct hd_pipes *hd_pipes_make(void)
{
    struct hd_pipes *pipes = calloc(1, sizeof *pipes);
    if (pipes) *pipes = (struct hd_pipes){.lock = HD_LOCK_INIT};
    return pipes;
}

static void pipe_free(struct hd_pipe *pipe)
{
    free(pipe->path);
    free(pipe->kept);
    free(pipe);
}

void hd_pipes_free(struct hd_pipes *pipes)
{
    while (pipes && pipes->first) {
        struct hd_pipe *pipe = pipes->first;
        pipes->first = pipe->next;
        if (pipe->fd > STDIN_FILENO) close(pipe->fd);
        pipe_free(pipe);
    }
    free(pipes);
}

struct hd_pipe *hd_pipe_find(struct hd_pipes *pipes, const char *path)
{
    if (!pipes) return NULL;
    hd_lock(&pipes->lock);
    struct hd_pipe *pipe = pipes->first;
    while (pipe && strcmp(pipe->path, path) != 0) pipe = pipe->next;
    hd_unlock(&pipes->lock);
    return pipe;
}

struct hd_pipe *hd_pipe_add(struct hd_pipes *pipes, const char *path, int fd)
{
    struct hd_pipe *pipe = malloc(sizeof *pipe);
    if (!pipe) return NULL;
    *pipe = (struct hd_pipe){.fd = fd, .lock = HD_LOCK_INIT, .path = strdup(path), .room = 1 << 16};
    pipe->kept = malloc(pipe->room);
    if (!pipe->path || !pipe->kept) {
        pipe_free(pipe);
        return NULL;
    }
    hd_lock(&pipes->lock);
    pipe->next = pipes->first;
    pipes->first = pipe;
    hd_unlock(&pipes->lock);
    return pipe;
}

/* Keeps n bytes that were read; gives up what was kept when that is too much or memory is short. */
static void pipe_keep(struct hd_pipe *pipe, const void *bytes, size_t n)
{
    uint64_t size = pipe->read + n;
    if (!pipe->kept) return;
    while (pipe->room < size) pipe->room *= 2;
    unsigned char *kept = size <= HD_PIPE_KEPT ? realloc(pipe->kept, pipe->room) : NULL;
    if (!kept) free(pipe->kept);
    pipe->kept = kept;
    if (kept) memcpy(kept + pipe->read, bytes, n);
}

enum { ASK_EVERY = 500 }; /* ms; a signal ends the wait before that, whether or not its handler resumes others */

bool hd_wait_ends(const struct hd_ctx *ctx)
{
    return ctx->stop && hd_thread_id() == 0;
}

hd_status hd_await_bytes(struct hd_ctx *ctx, int fd, const char *name)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;
    while ((n = poll(&p, 1, ASK_EVERY)) == 0 || (n < 0 && errno == EINTR)) HD_TRY(hd_go_on(ctx, name));
    if (n < 0) return hd_fail(ctx, hd_errno_status(errno), "%.200s: cannot read: %s", name, strerror(errno));
    return HD_OK;
}

hd_status hd_read_shared(struct hd_ctx *ctx, int fd, const char *name, void *bytes, size_t room, size_t *got)
{
    struct {
        ssize_t n;
        int error;
    } end = {0};
    const struct hd_comm *all = fd == STDIN_FILENO ? ctx->comm : NULL;
    if (!all && hd_wait_ends(ctx)) HD_TRY(hd_await_bytes(ctx, fd, name));
    if (hd_comm_rank(all) == 0) {
        do end.n = read(fd, bytes, room);
        while (end.n < 0 && errno == EINTR);
        end.error = errno;
    }
    hd_comm_share(all, &end, sizeof end);
    if (end.n < 0)
        return hd_fail(ctx, hd_errno_status(end.error), "%.200s: cannot read: %s", name, strerror(end.error));
    *got = (size_t)end.n;
    hd_comm_share(all, bytes, *got);
    return HD_OK;
}

static hd_status pipe_read_on(struct hd_ctx *ctx, struct hd_pipe *pipe, void *bytes, size_t room, size_t *got)
{
    const char *name = strcmp(pipe->path, "-") == 0 ? "<stdin>" : pipe->path;
    HD_TRY(hd_read_shared(ctx, pipe->fd, name, bytes, room, got));
    pipe_keep(pipe, bytes, *got);
    pipe->read += *got;
    pipe->ended = *got == 0;
    return HD_OK;
}

static hd_status pipe_read(struct hd_ctx *ctx, struct hd_pipe *pipe, uint64_t at, void *bytes, size_t room, size_t *got)
{
    uint64_t left = pipe->read - at;
    *got = 0;
    if (left == 0) return pipe->ended ? HD_OK : pipe_read_on(ctx, pipe, bytes, room, got);
    if (!pipe->kept && pipe->read <= HD_PIPE_KEPT) return hd_fail_memory(ctx);
    if (!pipe->kept)
        return hd_fail(ctx, HD_INPUT, "%.200s: a pipe of more than %d MiB can be read only once: expected a file",
                       pipe->path, HD_PIPE_KEPT >> 20);
    *got = left < room ? (size_t)left : room;
    memcpy(bytes, pipe->kept + at, *got);
    return HD_OK;
}

hd_status hd_pipe_read(struct hd_ctx *ctx, struct hd_pipe *pipe, uint64_t *at, void *bytes, size_t room, size_t *got)
{
    hd_lock(&pipe->lock);
    hd_status s = pipe_read(ctx, pipe, *at, bytes, room, got);
    hd_unlock(&pipe->lock);
    *at += *got;
    return s;
}
