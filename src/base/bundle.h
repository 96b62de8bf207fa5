/* SPDX-License-Identifier: BSD-2-Clause */
/* Several files that belong together: a folder, or a tar archive, plain or compressed. */
#ifndef HD_BASE_BUNDLE_H
#define HD_BASE_BUNDLE_H

#include "base/input.h"

enum { HD_BUNDLE_NAME = 256 };

/* Whether a path names a folder or a tar archive. What cannot be read is none. */
hd_status hd_bundle_found(struct hd_ctx *ctx, const char *path, bool *found);
/* The file of a bundle whose name ends like this, also with .gz or .zst behind it: the first by name. All files of an
 * archive come from one folder of it; HD_INPUT if several hold a network. *in is NULL if there is none. */
hd_status hd_bundle_open(struct hd_ctx *ctx, const char *path, const char *ending, struct hd_in **in);
/* What messages about a file that is missing call the bundle: an archive with the folder that was looked into. */
void hd_bundle_place(struct hd_ctx *ctx, const char *path, char place[HD_BUNDLE_NAME]);

#endif
