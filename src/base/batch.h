/* SPDX-License-Identifier: BSD-2-Clause */
/* The one place that puts files on disk. A file is written under a temporary name beside its target, synchronised, and
 * renamed when all files of the batch are complete (tool/files.h); a file outside a batch is a batch of one. In folders
 * that the batch was asked for, only what heddle wrote itself is replaced or removed (base/folder_marks.h), links are
 * not followed, and no other process may write at the same time. */
#ifndef HD_BASE_BATCH_H
#define HD_BASE_BATCH_H

#include "base/folder_marks.h"
#include "tool/files.h"

#include <fcntl.h>
#include <stdint.h>

/* A folder that may be there already, for files that a later run knows as those of this command; NULL: as those of any.
 * A folder inside another one of the batch is for the command of that one.
 * HD_LIMIT when it cannot be made, or another process is writing to it; HD_INPUT when a folder of the batch has
 * something else of that name. */
hd_status hd_batch_folder(struct hd_ctx *ctx, const char *path, const char *by);
/* A file of an earlier run goes with the end of the batch, if heddle wrote it. */
hd_status hd_batch_remove(struct hd_ctx *ctx, const char *path);

/* A file in the making. */
struct hd_file {
    int at;            /* descriptor of its folder, or AT_FDCWD */
    char *name, *temp; /* its own and its temporary name, relative to at */
    char *shown;       /* what messages call it */
    int slot;          /* of hd_temp_remember */
    int lock;          /* of hd_temp_lock */
    size_t folder;     /* of the batch; SIZE_MAX: none of them */
};
#define HD_FILE_NONE ((struct hd_file){.at = AT_FDCWD, .slot = -1, .lock = -1, .folder = SIZE_MAX})
/* Opens a file for writing: *fd, and what the other two need. file->name is NULL for a device, a pipe or a descriptor
 * (/dev/stdout, /dev/fd/N, /proc/PID/fd/N), which cannot be renamed onto and is written at once, a descriptor of this
 * process from where it is, a file of another at its end. Existing files lend their owner, mode and access control
 * list. */
hd_status hd_file_open(struct hd_ctx *ctx, const char *path, struct hd_file *file, int *fd);
/* It is complete, with this content, and closed: put in place with the batch. Frees what file holds. */
hd_status hd_file_keep(struct hd_ctx *ctx, struct hd_file *file, struct hd_content content);
void hd_file_drop(struct hd_file *file);

/* Whether what goes to no file waits however much it is (hd_batch_hold), and what is to be written when all files are
 * in place: takes over file, text and, but for standard output, the descriptor. */
bool hd_batch_holds(const struct hd_ctx *ctx);
hd_status hd_batch_stream(struct hd_ctx *ctx, int fd, struct hd_file *file, char *text, size_t length);

#endif
