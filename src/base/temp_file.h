/* SPDX-License-Identifier: BSD-2-Clause */
/* Files under a temporary name, beside the one that they will replace. The name says which process of which machine
 * writes it, and that process has a lock on it, so that a later run can remove what a dead one left; the command
 * removes those of its own when a signal ends it (tool/files.h). */
#ifndef HD_BASE_TEMP_FILE_H
#define HD_BASE_TEMP_FILE_H

#include "heddle/base.h"

#include <stdbool.h>
#include <sys/types.h>

/* What a temporary file is: one in the making, or a copy of what is being replaced, which may be the only one. Their
 * names differ, so that a run which fails removes none of the latter. */
enum hd_temp_kind { HD_TEMP_NEW, HD_TEMP_OLD };

/* A name for a temporary file beside name, free at the moment; NULL: no memory. The caller frees it. */
char *hd_temp_name(const char *name, enum hd_temp_kind kind);
/* Removes temporary files beside name that processes of this machine left when they died, but for inputs. at: folder of
 * a relative name, as for openat. Old ones: when name itself is in place again. */
void hd_temp_clean(const struct hd_ctx *ctx, int at, const char *name, enum hd_temp_kind kind);

/* Opens a file that is there, as locks need it; -1 with errno. */
int hd_temp_open(int at, const char *name);
/* Marks a temporary file as in use, also after fd is closed, until unlock. False: somebody else has it, or removed
 * it. *lock is -1 where descriptors are scarce; then the process number alone says that it is in use. */
bool hd_temp_lock(int fd, int *lock);
void hd_temp_unlock(int lock);

/* A path to be removed when a signal ends the process, until it is forgotten; -1: no room, which forget takes too. */
int hd_temp_remember(const char *path);
void hd_temp_forget(int slot);

/* Between these a signal waits: files are being renamed, and what is half done must not be removed. */
void hd_temp_hold_signals(void);
void hd_temp_release_signals(void);

#endif
