/* SPDX-License-Identifier: BSD-2-Clause */
/* Several files that belong together: a folder, or a tar archive, plain or compressed. */
#ifndef HD_BASE_BUNDLE_H
#define HD_BASE_BUNDLE_H

#include "base/input.h"

/* Whether a path names a folder or a tar archive. What cannot be read is none. */
hd_status hd_bundle_found(struct hd_ctx *ctx, const char *path, bool *found);
/* The file of a bundle whose name ends like this, also with .gz or .zst behind it: the first by name in a folder, the
 * first at all in an archive. *in is NULL if there is none. */
hd_status hd_bundle_open(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in **in);

#endif
