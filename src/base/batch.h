/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that appear together or not at all. Between begin and end every file a context closes keeps its temporary name;
 * the end of the outermost batch renames them all, or removes them and the folders made for them when it ends in a
 * failure. Batches nest: an inner one that fails takes back its own part only. */
#ifndef HD_BASE_BATCH_H
#define HD_BASE_BATCH_H

#include "heddle/base.h"

/* mark is what end needs. */
hd_status hd_batch_begin(struct hd_ctx *ctx, size_t *mark);
/* Ends it with what has become of it so far, and returns that, or the failure of a last rename. */
hd_status hd_batch_end(struct hd_ctx *ctx, size_t mark, hd_status status);

/* A folder that may be there already. HD_LIMIT when it cannot be made. */
hd_status hd_batch_folder(struct hd_ctx *ctx, const char *path);
/* A file of an earlier run goes, in a batch with its end; one that is not there is fine. */
hd_status hd_batch_remove(struct hd_ctx *ctx, const char *path);
/* A file complete under a temporary name, in the batch at hand; both are copied. */
hd_status hd_batch_keep(struct hd_ctx *ctx, const char *temp, const char *path);

#endif
