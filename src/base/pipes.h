/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs that cannot be opened twice: pipes, named pipes, process substitution and standard input. A context remembers
 * what was read of each, so that one that is looked at first and read then, or read for every network, is the same
 * each time. What is kept is bounded: HD_PIPE_KEPT bytes per pipe, beyond which it can be read once only. */
#ifndef HD_BASE_PIPES_H
#define HD_BASE_PIPES_H

#include "heddle/base.h"

enum { HD_PIPE_KEPT = 64 << 20 };

struct hd_pipe;
struct hd_pipes;

struct hd_pipes *hd_pipes_make(void); /* NULL: no memory */
void hd_pipes_free(struct hd_pipes *pipes);

/* The pipe of this path, if it was opened before; NULL: it was not, or pipes is NULL. */
struct hd_pipe *hd_pipe_find(struct hd_pipes *pipes, const char *path);
/* Remembers a descriptor, which is closed by hd_pipes_free; NULL: no memory, and fd is still the caller's. */
struct hd_pipe *hd_pipe_add(struct hd_pipes *pipes, const char *path, int fd);
/* Whether a wait for bytes can be ended: the caller of the library says when to stop, on the thread that called. */
bool hd_wait_ends(const struct hd_ctx *ctx);
/* Such a wait, until there is something to read or the end: HD_LIMIT if the caller wants to stop before that. Nobody is
 * asked while bytes come. */
hd_status hd_await_bytes(struct hd_ctx *ctx, int fd, const char *name);
/* Up to room bytes from a descriptor; *got 0: the end. Standard input, which only rank 0 has, is read there and shared
 * with all ranks. */
hd_status hd_read_shared(struct hd_ctx *ctx, int fd, const char *name, void *bytes, size_t room, size_t *got);
/* Up to room bytes from position *at on, which is moved; *got 0: the end. */
hd_status hd_pipe_read(struct hd_ctx *ctx, struct hd_pipe *pipe, uint64_t *at, void *bytes, size_t room, size_t *got);

#endif
