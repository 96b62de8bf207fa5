/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/files.h - files that appear together or not at all, as the command needs them. Not installed: shared by library
 * and command. */
#ifndef HEDDLE_TOOL_FILES_H
#define HEDDLE_TOOL_FILES_H

#include "heddle/base.h"

/* Between begin and end every file a context closes keeps its temporary name; the end of the outermost batch puts all
 * of them in place, or none. Batches nest: an inner one that fails takes back its own part only. mark is what end
 * needs; end takes what has become of the work so far and returns that, or the failure to put files in place. */
hd_status hd_batch_begin(struct hd_ctx *ctx, size_t *mark);
hd_status hd_batch_end(struct hd_ctx *ctx, size_t mark, hd_status status);
/* What goes to standard output, a pipe or a descriptor waits in memory until all files of the batch are in place, so
 * that nothing is printed where the work fails; from here to the end of the outermost batch also what is more than 64
 * MiB, of which the beginning is written otherwise: for several results. */
void hd_batch_hold(struct hd_ctx *ctx);
/* What goes into a sink is kept until it is closed, however much it is: nothing is written for work that fails. */
void hd_out_set_whole(struct hd_out *o);

/* From here on no result of the context replaces a file that it reads, from whatever list or folder its name came, nor
 * one that standard output or standard error goes to. */
hd_status hd_protect_inputs(struct hd_ctx *ctx);
/* The same of a file that others may read for it. One that is not there is fine. */
hd_status hd_protect_input(struct hd_ctx *ctx, const char *path);

/* At the start of a process: from here on only descriptors that are open now can be written to by their number. */
void hd_files_inherit(void);

/* Whether two paths are the same file, pipe or descriptor, or would be when both were written. */
bool hd_same_file(const char *a, const char *b);
/* Whether a path means standard output: -, /dev/stdout and the like, or another descriptor of the same file or pipe. */
bool hd_is_standard_output(const char *path);

/* Removes all temporary files of this process. Safe in a signal handler. */
void hd_files_leave(void);
/* A signal handler: does so and lets the signal end the process, at once or when files are no longer being renamed. */
void hd_files_on_signal(int signal);

#endif
