/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files of a folder or an archive are wanted, and the one folder of an archive that they come from. */
#ifndef HD_BASE_ARCHIVE_FOLDER_H
#define HD_BASE_ARCHIVE_FOLDER_H

#include "base/archive_names.h"

struct hd_folder { /* of an archive: the first n bytes of a path, 0 at its top */
    const char *path;
    size_t n;
};

/* Whether a name ends like this, with or without the ending of a compressed file. */
bool hd_name_ends(const char *name, const char *ending);
/* Whether files with this ending are always listed. Others are listed where they are asked for. */
bool hd_name_known(const char *name);
/* The folder of a name. */
struct hd_folder hd_folder_of(const char *name);
bool hd_folder_same(struct hd_folder a, struct hd_folder b);
/* The folder of an archive that holds its capture, whatever is asked for and in which order its files are. HD_INPUT if
 * several do. */
hd_status hd_archive_folder(struct hd_ctx *ctx, const char *path, const struct hd_archive_list *list,
                            struct hd_folder *folder);

#endif
